//! SQL as far as a trace must understand it: where a token begins and ends. Nothing is parsed: a statement that no
//! server would accept has tokens too, and a digest.

pub mod digest;
pub mod effect;
pub mod literal;
pub mod secrets;
pub mod token;
mod words;

pub use token::{Dialect, Kind, Token, tokens};
