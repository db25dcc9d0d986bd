//! A door for users who do not speak SQL, whichever of them it is.

use super::keyed::KeyDoor;
use super::mongodb::session::DocumentDoor;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PastSql {
    Keys(KeyDoor),
    Documents(DocumentDoor),
}

impl PastSql {
    pub fn keys(&self) -> Option<&KeyDoor> {
        match self {
            Self::Keys(door) => Some(door),
            Self::Documents(_) => None,
        }
    }
    pub fn documents(&self) -> Option<&DocumentDoor> {
        match self {
            Self::Keys(_) => None,
            Self::Documents(door) => Some(door),
        }
    }
}
