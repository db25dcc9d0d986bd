//! A lock that is asked for faster than it is given back keeps a queue. Each thread that gets it wakes the next one, so
//! that the CPUs are full of waking and switching: CPU per operation and switches per operation rise together, and most
//! of it is the kernel's. The name of the lock is in an explain run. Fewer users at once end the queue; fewer users are
//! also fewer users, so that no experiment is proposed that could confirm it.

use super::frame::finding::{Case, Cause, SUFFICIENT, Scene};
use super::frame::signature::{self, FULL, MUCH_SYSTEM, RISES, Signature};
use crate::frame::account::Part;
use crate::frame::waits;

pub const CAUSE: Cause = Cause {
    id: "mutex_convoy",
    symptom: || "operations take longer with more users".into(),
    necessary: || {
        format!(
            "at least {FULL} of the CPUs are busy, CPU and switches per operation rise by × {RISES} or more, and at least \
             {MUCH_SYSTEM} of the CPU is the kernel's"
        )
    },
    test: || format!("locks of the server cover {SUFFICIENT} of the growth"),
    intervention: || "a limit to the users at work (a thread pool) ends the queue".into(),
    source: include_str!("mutex_convoy.rs"),
    indicator: None,
    within: &["locks of the server", "waiting for a CPU", "server CPU"],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| fits(s)).map(case).collect()
}

fn fits(s: &Signature) -> bool {
    s.is_full() && s.cpu >= RISES && s.switches.is_some_and(|x| x >= RISES) && s.system >= MUCH_SYSTEM.0
}

fn case(s: &Signature) -> Case {
    let mut case = s.case("Threads wake each other: a lock has a queue", &[Part::Locks]);
    case.unseen = Some(waits::longest_lock(s.high));
    case
}
