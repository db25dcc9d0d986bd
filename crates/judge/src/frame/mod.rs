//! What every check and finding stands on: the record laid out by cell and run, metrics as estimates, the contract of a
//! check. Nothing here claims anything about a server; whoever claims reads from here and never searches the record
//! again.

pub mod account;
pub mod ahead;
pub mod applies;
pub mod bound;
pub mod cells;
pub mod check;
pub mod errors;
pub mod evidence;
pub mod few;
pub mod idle;
pub mod limits;
pub mod meanwhile;
pub mod metrics;
pub mod naming;
pub mod noise;
pub mod once;
pub mod own_changes;
pub mod pairs;
pub mod phases;
pub mod plans;
pub mod prepared;
pub mod ranks;
pub mod regime;
pub mod schema;
pub mod silence;
pub mod spoilt;
pub mod staleness;
pub mod statement_time;
pub mod states;
pub mod strangers;
pub mod tenths;
pub mod waits;
pub mod work;

pub use applies::Applies;
pub use check::{Check, Doubts, Each, Look, Need, Pairs, Seen, Sight, graded};
pub use evidence::{CellEvidence, Evidence, RunEvidence};
pub use limits::Limit;
pub use pairs::Pair;
