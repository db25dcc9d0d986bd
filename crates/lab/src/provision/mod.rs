//! Makes an instance and a dataset be there: started, found or restored, loaded, and kept for the next time. It owns
//! instances and snapshots; nothing here knows what a run measures.

pub mod dataset;
pub mod instance;
pub mod needs;
pub mod prepare;
pub mod snapshots;
pub mod start;
