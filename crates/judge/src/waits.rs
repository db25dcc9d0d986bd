//! The longest wait for a lock of the server's own that an explain run saw, in words for the findings that ask for its name.

use crate::account::wait_share;
use crate::evidence::CellEvidence;
use model::units::Share;

const LOCKS: &str = "wait/synch/";
/// Where threads sleep on purpose.
const SLEEP: &str = "wait/synch/cond/";

pub fn longest_lock(cell: &CellEvidence) -> String {
    let Some(explain) = cell.explain else {
        return "Which lock it is was not asked: an explain run (`[repeat] explain = true`) tells.".into();
    };
    let longest = explain.waits.iter().find(|w| w.event.starts_with(LOCKS) && !w.event.starts_with(SLEEP));
    match longest {
        None => "An explain run saw no wait for a lock.".into(),
        Some(wait) => {
            let share = wait_share(cell, |event| event == wait.event);
            let share = share.map_or(String::new(), |s| format!(" ({} of its latency)", Share(s)));
            format!("The longest wait of the explain run is {}{share}.", wait.event)
        }
    }
}
