//! A closed load has every user in exactly one operation, or in the think time after it, at every moment, so rate times
//! mean latency (with the think time) is the number of users. What is missing was spent outside any measured operation:
//! client work, reconnects, users that died. Groups of users obey it each for itself; those whose operations arrive at
//! a rate are left out. The law needs no counters and catches a client that times the wrong thing.
//!
//! Off by 2 % warns, by 5 % fails. Operations that were cut by the ends of a phase blur it: a stall across an end holds
//! every user, so the blur is as much as the longest latency over the phase's length. That much is allowed beside the
//! limits, and where it exceeds 5 %, as in runs of half a second with a stall, the law says nothing. Neither does it
//! where a server was killed: users who wait for it when the phase ends have been in an operation that is timed in
//! another phase, or never.

use crate::frame::applies::{Absence, Applies};
use crate::frame::check::{Check, Doubts, Look, Seen, Sight, graded, worst_of};
use crate::frame::evidence::RunEvidence;
use crate::frame::limits::Limit;
use model::disturbance::{Does, does};
use model::load::Group;
use model::record::tally::OperationTally;
use model::units::{Nanos, Share, Users, round3};
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "littles_law",
    claim: || format!("rate × latency is the number of users, within {LITTLE_FAIL}"),
    source: include_str!("littles_law.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[LITTLE_WARN, LITTLE_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "look for users that ended early, for reconnects and for time between operations; latencies of this run are not whole",
    look: Look::Run(look),
};

const LITTLE_WARN: Limit =
    Limit::share("little_warn", 0.02, "of the users' time outside any operation; healthy loads have a tenth of it")
        .convention();
const LITTLE_FAIL: Limit = Limit::share("little_fail", 0.05, "finds one user dead of twenty").law();

/// The widest blur under which the law still says something: it then finds one user dead of eight.
const BLUR: Share = Share(0.05);

fn absent(run: &RunEvidence) -> Absence {
    if run.groups().iter().all(|(group, _)| group.is_scheduled()) {
        return Some("The load is open: operations have intended starts, and users wait for them.".into());
    }
    let is_killed = run.phases.iter().filter_map(|p| p.disturb.as_deref()).any(|d| does(d, Does::EndsServer));
    is_killed
        .then(|| "The server is killed, and users who wait for it are in no operation that this phase times.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let mut closed = run.groups();
    closed.retain(|(group, _)| !group.is_scheduled());
    worst_of(closed.into_iter().map(|(group, share)| (group.name.clone(), of_group(&group, &share))).collect())
}

fn of_group(group: &Group, run: &RunEvidence) -> Sight {
    let thinking = |operation: &str| group.pause.as_ref().and_then(|p| p.after(operation)).unwrap_or(Nanos(0));
    let users = Users(run.users());
    let longest = run.operations().filter_map(|(_, o)| o.latency.max()).max().ok_or("no operation was done")?;
    let thought = run.operations().map(|(name, _)| thinking(name)).max().unwrap_or(Nanos(0));
    let blur = (longest.seconds() + thought.seconds()) / run.seconds();
    if blur > BLUR.0 {
        return Err(format!(
            "an operation took {longest}, and cut by the phase's end it blurs the law by {}",
            Share(blur)
        ));
    }
    let cycle = |(name, o): (&String, &OperationTally)| {
        Some((o.latency.mean()?.seconds() + thinking(name).seconds()) * o.latency.count() as f64)
    };
    let busy: f64 = run.operations().filter_map(cycle).sum();
    let outstanding = busy / run.seconds();
    let off = outstanding / f64::from(users.0) - 1.0;
    let (warn, fail) = (run.limits.share(&LITTLE_WARN), run.limits.share(&LITTLE_FAIL));
    let status = graded(off.abs(), warn.0 + blur, fail.0 + blur);
    let times = if thought == Nanos(0) { "latency" } else { "latency with think time" };
    let failed: u64 = run.operations().flat_map(|(_, o)| o.failed.values()).sum();
    let law = format!("Rate × {times} accounts for {} of {users}", round3(outstanding));
    let share = Share(off.abs());
    let sentence = match status {
        Status::NotApplicable | Status::Pass | Status::NotEvaluable => format!("{law}."),
        Status::Warn | Status::Fail if off < 0.0 && failed > 0 => {
            format!(
                "{law}: {share} of their time is in no operation that was done; {failed} failed, and what those took is in no latency."
            )
        }
        Status::Warn | Status::Fail if off < 0.0 => {
            format!("{law}: {share} of their time is outside any measured operation.")
        }
        Status::Warn | Status::Fail => {
            format!("{law}: {share} of their time was counted twice, or latencies are too long.")
        }
    };
    Ok(Seen::new(status, format!("{share} off"), format!("{fail}; warns at {warn}; blur {}", Share(blur)), sentence))
}
