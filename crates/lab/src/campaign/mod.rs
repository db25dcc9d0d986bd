//! Carries a plan out: for each run the instance, the dataset, the users, and the record of it. A run that fails is a
//! result and the plan goes on; only what makes every further run pointless (a full disk, a notebook that cannot be
//! written, a wish to stop) ends it. `walk` goes over the runs of a plan; a script that the command line of sysbench
//! names is a campaign of one run.

mod canary_file;
pub mod ceiling;
mod checking;
mod follow;
mod level;
mod pace;
pub mod reach;
pub mod scripts;
mod searches;
mod turns;
mod under_way;
mod walk;

pub use crate::notebook::reporter::Progress;
pub use crate::trouble::Halt;
pub use checking::check;
pub use follow::follow;
pub use scripts::Noting;
pub use searches::{Next, Rules};
pub use walk::carry_out;
