//! What is seen along an axis and not at a point: rates over users with the law that describes them, courses over time,
//! forecasts, and searches for a peak or a threshold.

pub mod course;
pub mod forecast;
pub mod law;
pub mod scaling;
pub mod search;
pub mod until;
