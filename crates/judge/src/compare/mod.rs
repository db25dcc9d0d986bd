//! Two things side by side: cells of one record, phases of one run, records of two days. Ratios with intervals, the
//! decision that follows from them, and whatever else differs between the sides.

pub mod across;
pub mod beside;
pub mod bisect;
pub mod comparisons;
pub mod costs;
pub mod decide;
pub mod drift;
pub mod fingerprint;
pub mod functions;
pub mod history;
pub mod in_force;
pub mod moved;
pub mod overall;
pub mod values;
