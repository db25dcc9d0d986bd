//! A server that lets only so many threads work keeps its rate, and everybody else waits outside: the rate stays flat,
//! latency grows as the users do, and fewer threads are at work than there are users. A thread pool does that, and so
//! does `innodb_thread_concurrency`. It is a choice, and often a good one; what is wrong is to read the latency as the
//! server's work.
//!
//! Who waits for a thread of a pool is not counted as running; who waits for `innodb_thread_concurrency` is, since it
//! waits within its statement. So under that limit more threads run than it lets in, and those above it wait: of users
//! who are all in a statement the share above the limit is, by Little's law, the share of a statement's time that
//! passes in waiting. It lies in no term of the account, which knows of no such wait.

use super::frame::finding::{Case, Cause, Cost, SUFFICIENT, Scene};
use super::frame::next::{self, Change};
use super::frame::signature::{self, FLAT, NOT_FULL, Signature};
use crate::frame::RunEvidence;
use crate::frame::account::{Part, operation_us, per_operation};
use crate::frame::metrics::{SERVER_SYSTEM, SERVER_USER};
use crate::stats::mean;
use model::units::{Share, round3};

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
    test: || {
        format!(
            "waiting covers {SUFFICIENT} of the growth: of a pool outside the server's statements, of `{LIMIT}` by the threads above it"
        )
    },
    intervention: || format!("`native.{LIMIT}` = 0 lets everybody in"),
    source: include_str!("admission_control.rs"),
    indicator: Some(asleep),
    within: &["client and way", crate::findings::frame::rivals::REST],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| fits(s)).map(case).collect()
}

/// Microseconds per operation in which the threads at work were on no CPU and waited for none.
fn asleep(run: &RunEvidence) -> Option<f64> {
    let in_server = running(run)? * run.seconds() * 1e6 / run.done() as f64;
    let micros = |counter| Some(per_operation(run, counter)? / 1e3);
    let busy = micros(SERVER_USER)? + micros(SERVER_SYSTEM)? + micros("server.runqueue.wait").unwrap_or(0.0);
    (run.done() > 0).then(|| (in_server - busy).max(0.0))
}

/// Threads at work.
fn running(run: &RunEvidence) -> Option<f64> {
    let seen = run.phases.iter().filter_map(|p| p.counters.get("status.Threads_running"));
    seen.map(|ends| ends.end.max(ends.begin)).reduce(f64::max)
}

/// How many threads InnoDB lets in; nothing where it lets in all.
fn limit(s: &Signature) -> Option<f64> {
    s.high.runs.first()?.variable(LIMIT)?.parse::<f64>().ok().filter(|limit| *limit > 0.0)
}

fn fits(s: &Signature) -> bool {
    let variable = |name: &str| s.high.runs.first().and_then(|run| run.variable(name));
    let is = |name: &str, none: &str| variable(name).is_some_and(|value| value != none);
    let users = f64::from(s.high.cell.load.users.0);
    let limit = limit(s);
    let is_limited = s.running.is_some_and(|share| {
        let by_pool = is("thread_handling", "one-thread-per-connection") && share < CAPPED.0;
        let by_limit = limit.is_some_and(|limit| users > limit && (share * users > limit || share < CAPPED.0));
        by_pool || by_limit
    });
    is_limited && s.rate <= FLAT && s.busy < NOT_FULL.0
}

fn case(s: &Signature) -> Case {
    let mut case = s.case("The server lets only some of its users work", &[Part::Outside]);
    case.cost = within_statements(s).or(case.cost);
    case.next_experiment = next::experiment(s.high, CAUSE.id, Change::variable(s.high, LIMIT, |_| 0));
    case
}

/// What waiting for the limit takes of the growth where it is seen: threads above it are counted as running.
fn within_statements(s: &Signature) -> Option<Cost> {
    let limit = limit(s)?;
    let low = mean::plain(&s.low.runs.iter().map(operation_us).collect::<Option<Vec<f64>>>()?)?.value;
    let of_run = |run: &RunEvidence| {
        let (running, operation) = (running(run)?, operation_us(run)?);
        let waits = (1.0 - limit / running).max(0.0) * operation;
        (operation > low).then(|| waits / (operation - low))
    };
    let share = mean::plain(&s.high.runs.iter().map(of_run).collect::<Option<Vec<f64>>>()?)?;
    let threads = mean::plain(&s.high.runs.iter().map(running).collect::<Option<Vec<f64>>>()?)?.value;
    (threads > limit).then(|| Cost {
        share,
        open: Share(0.0),
        sentence: format!(
            "{} threads are in a statement and {} may work: those above it wait, by Little's law for {} of the growth ({} to {}).",
            round3(threads),
            round3(limit),
            Share(share.value),
            Share(share.low),
            Share(share.high)
        ),
    })
}
