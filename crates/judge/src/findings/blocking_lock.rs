//! A lock that is held while something slow is done stops everybody who wants it, and they sleep: the CPUs are half
//! idle, an operation costs what it did, and threads switch more often. Which lock it is, an explain run tells, whose
//! longest wait must then be most of what operations take longer.

use super::frame::finding::{Case, Cause, SUFFICIENT, Scene};
use super::frame::signature::{self, FLAT, NOT_FULL, RISES, Signature};
use crate::frame::account::Part;
use crate::frame::waits;

pub const CAUSE: Cause = Cause {
    id: "blocking_lock",
    symptom: || "operations take longer with more users".into(),
    necessary: || {
        format!(
            "less than {NOT_FULL} of the CPUs are busy, CPU per operation stays within × {FLAT}, and switches per operation rise \
             by × {RISES} or more"
        )
    },
    test: || format!("locks of the server cover {SUFFICIENT} of the growth"),
    intervention: || "more than one of what the lock protects: tables, files, parts of the buffer pool".into(),
    source: include_str!("blocking_lock.rs"),
    indicator: None,
    within: &["locks of the server", crate::findings::frame::rivals::REST],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| fits(s)).map(case).collect()
}

/// Waits for rows and for files are causes of their own.
fn fits(s: &Signature) -> bool {
    let elsewhere: f64 = [Part::RowLocks, Part::Files].iter().filter_map(|part| s.top.parts.get(part)).sum();
    let waits_within = elsewhere < 0.5 * s.top.operation;
    s.busy < NOT_FULL.0 && s.cpu <= FLAT && s.switches.is_some_and(|x| x >= RISES) && waits_within
}

fn case(s: &Signature) -> Case {
    let mut case = s.case("Threads sleep within the server while its CPUs are idle", &[Part::Locks]);
    case.unseen = Some(waits::longest_lock(s.high));
    case
}
