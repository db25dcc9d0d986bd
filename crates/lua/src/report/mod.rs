//! What sysbench prints, as text made from counts: whoever reads it today must be able to read ours. Every column and
//! every empty line is where sysbench 1.0.20 puts it, and where 1.1 differs, `Compat` says so. Nothing here prints.

mod banner;
mod histogram;
mod interval;
mod log;
mod summary;

pub use banner::{banner, version_line};
pub use histogram::histogram;
pub use interval::intermediate;
pub use log::{Level, Log};
pub use summary::{OfThread, Summary, checkpoint, summary};

#[cfg(test)]
mod tests;
