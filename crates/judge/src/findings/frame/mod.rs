//! What every finding stands on: the ladder from an association to a confirmed cause, rival explanations, the dose, and
//! the experiment that would settle it.

pub mod borne;
pub mod cause;
pub mod deliveries;
pub mod dose;
pub mod finding;
pub mod next;
pub mod rivals;
pub mod signature;
pub mod trial;
