//! A server that lets only so many threads work keeps its rate, and everybody else waits outside: the rate stays flat,
//! latency grows as the users do, and fewer threads are at work than there are users. A thread pool does that, and so
//! does `innodb_thread_concurrency`. It is a choice, and often a good one; what is wrong is to read the latency as the
//! server's work.
//!
//! Who waits for a thread of a pool is not counted as running; who waits for `innodb_thread_concurrency` is, since it
//! waits within its statement. So under that limit more threads run than it lets in.

use super::frame::finding::{Case, Cause, SUFFICIENT, Scene};
use super::frame::next::{self, Change};
use super::frame::signature::{self, FLAT, NOT_FULL, Signature};
use crate::frame::account::Part;
use model::units::Share;

const LIMIT: &str = "innodb_thread_concurrency";
/// Threads at work, over users.
const CAPPED: Share = Share(0.6);

pub const CAUSE: Cause = Cause {
    id: "admission_control",
    symptom: || "operations take longer with more users".into(),
    necessary: || {
        format!(
            "the rate stays within × {FLAT}, fewer than {NOT_FULL} of the CPUs are busy, and a limit is set: `thread_handling`, \
             with fewer than {CAPPED} of the users at work, or `{LIMIT}`, with more of them running than it lets in"
        )
    },
    test: || format!("waiting outside the server's statements covers {SUFFICIENT} of the growth"),
    intervention: || format!("`native.{LIMIT}` = 0 lets everybody in"),
    source: include_str!("admission_control.rs"),
    indicator: None,
    within: &["client and way", crate::findings::frame::rivals::REST],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| fits(s)).map(case).collect()
}

fn fits(s: &Signature) -> bool {
    let variable = |name: &str| s.high.runs.first().and_then(|run| run.variable(name));
    let is = |name: &str, none: &str| variable(name).is_some_and(|value| value != none);
    let users = f64::from(s.high.cell.load.users.0);
    let limit = variable(LIMIT).and_then(|limit| limit.parse::<f64>().ok()).filter(|limit| *limit > 0.0);
    let is_limited = s.running.is_some_and(|share| {
        let by_pool = is("thread_handling", "one-thread-per-connection") && share < CAPPED.0;
        let by_limit = limit.is_some_and(|limit| users > limit && (share * users > limit || share < CAPPED.0));
        by_pool || by_limit
    });
    is_limited && s.rate <= FLAT && s.busy < NOT_FULL.0
}

fn case(s: &Signature) -> Case {
    let mut case = s.case("The server lets only some of its users work", &[Part::Outside]);
    case.next_experiment = next::experiment(s.high, CAUSE.id, Change::variable(s.high, LIMIT, |_| 0));
    case
}
