//! The numbers: first of each run (`of_run`), then of a cell over its repetitions (`of_cell`). Names and units are
//! those of `docs/report-schema.md`.

pub(crate) mod keys;
mod of_cell;
pub(crate) mod of_run;

pub use of_cell::{Metrics, metrics, over};
pub use of_run::{CLIENT_PROCESS, CLIENT_SYSTEM, CLIENT_USER, SERVER_SYSTEM, SERVER_USER, SERVER_VOLUNTARY, made_of};
