//! Private servers as processes: started in a folder of their own, guarded, and ended with their lab.

pub mod by_hand;
pub mod certificates;
pub mod error_log;
pub mod folders;
pub mod guard;
pub mod instance;
