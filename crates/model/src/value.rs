//! The value of a parameter, a setting or an axis: what TOML can say and a table can show. Ordered and comparable so
//! that cells can be grouped by it; a float is compared by its bits, because two axis values are equal only when
//! they are written the same.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    Flag(bool),
    Count(i64),
    Real(f64),
    Text(String),
}

impl Value {
    pub fn count(&self) -> Option<i64> {
        match self {
            Self::Count(n) => Some(*n),
            Self::Flag(_) | Self::Real(_) | Self::Text(_) => None,
        }
    }
    /// The value as a number, for counts and reals.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Count(n) => Some(*n as f64),
            Self::Real(x) => Some(*x),
            Self::Flag(_) | Self::Text(_) => None,
        }
    }
    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Flag(b) => Some(*b),
            Self::Count(_) | Self::Real(_) | Self::Text(_) => None,
        }
    }
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(s) => Some(s),
            Self::Flag(_) | Self::Count(_) | Self::Real(_) => None,
        }
    }
    /// As TOML has it.
    pub fn written(&self) -> String {
        match self {
            Self::Text(text) => format!("{text:?}"),
            Self::Real(x) => format!("{x:?}"),
            Self::Flag(flag) => flag.to_string(),
            Self::Count(n) => n.to_string(),
        }
    }
    fn key(&self) -> (u8, i64, &str) {
        match self {
            Self::Flag(b) => (0, i64::from(*b), ""),
            Self::Count(n) => (1, *n, ""),
            // An order-preserving map of IEEE 754 bits: negative numbers reversed, so that -1 sorts before 1.
            Self::Real(x) => (
                2,
                {
                    let b = x.to_bits() as i64;
                    if b < 0 { i64::MIN ^ !b } else { b }
                },
                "",
            ),
            Self::Text(s) => (3, 0, s),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Value {}
impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Value {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}
impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(b) => write!(f, "{}", if *b { "on" } else { "off" }),
            Self::Count(n) => write!(f, "{n}"),
            Self::Real(x) => write!(f, "{x}"),
            Self::Text(s) => f.write_str(s),
        }
    }
}
impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Self::Text(s.to_string())
    }
}
impl From<String> for Value {
    fn from(s: String) -> Self {
        Self::Text(s)
    }
}
impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Self::Count(n)
    }
}
impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Flag(b)
    }
}
