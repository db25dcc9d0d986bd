//! The life of one user, by what its sessions speak. A workload says once which life its users have, so that whoever
//! opens sessions opens the right ones, and a life that no protocol carries does not compile. Asked once per user: each
//! is one boxed future.

use crate::Parameters;
use crate::session::documents::Documents;
use crate::session::key_value::KeyValue;
use crate::session::{Fault, Sessions, Sql};
use crate::user::Seat;
use model::seed::Seed;
use std::future::Future;
use std::pin::Pin;

/// The whole life of one user, allocated once.
pub type Living<'a> = Pin<Box<dyn Future<Output = Result<(), Fault>> + 'a>>;

/// Which user of a run it is. Work is resolved from the parameters before the first turn.
#[derive(Clone, Copy)]
pub struct Place<'p> {
    pub parameters: &'p Parameters,
    /// The seed of all users together.
    pub seed: Seed,
    pub number: u32,
    pub users: u32,
}

impl Place<'_> {
    /// The user's own stream of random numbers.
    pub fn own_seed(&self) -> Seed {
        self.seed.child("users").nth(u64::from(self.number))
    }
}

/// What the users of a workload speak through, and what they do there.
pub enum Life<'w> {
    Sql(&'w dyn SqlLife),
    KeyValue(&'w dyn KeyValueLife),
    Documents(&'w dyn DocumentsLife),
    /// Users open and close their sessions themselves.
    Script(&'w dyn ScriptLife),
}

pub trait SqlLife {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a>;
}

pub trait KeyValueLife {
    fn user<'a>(
        &self,
        place: Place<'_>,
        session: &'a mut (dyn KeyValue + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a>;
}

pub trait DocumentsLife {
    fn user<'a>(
        &self,
        place: Place<'_>,
        session: &'a mut (dyn Documents + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a>;
}

pub trait ScriptLife {
    fn user<'a>(
        &'a self,
        place: Place<'_>,
        sessions: &'a mut (dyn Sessions + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a>;
}
