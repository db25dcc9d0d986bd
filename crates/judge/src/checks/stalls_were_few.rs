//! A load that waits for its answers asks nothing while the server stands still, and so counts a stall once per user,
//! however many requests would have come meanwhile (coordinated omission). No percentile of such a load can be cured;
//! here it is said how much of the time nothing was answered. A machine stalls at times, whatever is measured on it, so
//! it is told once of the record.
//!
//! The longest are told with their moments and with what was slow just then: the server stopped, a quota, locks, the
//! disk, a checkpoint, purge, CPUs (`frame/meanwhile.rs`).
//!
//! It warns when stalls (no answer for more than 10 times the median of the slowest operation) took more than 1 % of
//! the time. Where client and server share CPUs, or the server has fewer than users, whoever is ready waits for the
//! others' slices, which is no stall of the server: there one lasts 10 ms at least. Operations that arrive at a rate
//! have their stalls in their latencies: to those it does not apply.

use crate::frame::applies::Absence;
use crate::frame::check::worst_among;
use crate::frame::naming::counted;
use crate::frame::{Applies, Check, Doubts, Each, Limit, Look, RunEvidence, Seen, Sight, meanwhile};
use model::record::gaps::Gaps;
use model::{Nanos, Share, Status, Users};

pub const CHECK: Check = Check {
    id: "stalls_were_few",
    claim: || format!("under a closed load stalls took at most {STALLED} of the time"),
    source: include_str!("stalls_were_few.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[STALLED, STALL, SLICES],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "where stalls matter, ask at a rate instead of with a number of users: latency then counts from the intended start",
    look: Look::Once(Each::Run(look)),
};

pub(super) const STALLED: Limit =
    Limit::share("stalled", 0.01, "of the measured time; the 99th percentile would see it under an open load").law();
const STALL: Limit = Limit::number(
    "stall",
    10.0,
    "medians of the slowest operation; queues of healthy servers seldom make anybody wait as long",
)
.convention();

const SLICES: Limit = Limit::seconds(
    "slices",
    0.010,
    "a thread that is ready waits for two or three others on its CPU, and Linux lets each run for 3 to 4 ms",
)
.convention();

fn absent(run: &RunEvidence) -> Absence {
    let is_asked = run.groups().iter().any(|(group, _)| !group.is_scheduled());
    (!is_asked).then(|| "All operations arrive at a rate: what stalls is in their latencies.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let closed = run.groups().into_iter().filter(|(group, _)| !group.is_scheduled());
    worst_among(closed.map(|(group, share)| (group.name, of_group(&share))).collect(), run.groups().len())
}

/// Whether a thread that could go on waits for another's slice: the load is on the server's CPUs, or they are fewer
/// than sessions.
fn takes_turns(run: &RunEvidence) -> bool {
    run.is_co_located() || run.is_on_this_host() && run.users() as usize > run.server_cpus().len()
}

fn of_group(run: &RunEvidence) -> Sight {
    let slowest =
        run.operations().filter_map(|(_, o)| o.latency.percentile(50.0)).max().ok_or("no operation was done")?;
    let slices = if takes_turns(run) { run.limits.of(&SLICES) * 1e9 } else { 0.0 };
    let limit = Nanos((run.limits.of(&STALL) * slowest.0 as f64).max(slices) as u64);
    let most = run.limits.share(&STALLED);
    let gaps: Option<Vec<&Gaps>> = run.tallies().map(|t| t.gaps.as_ref()).collect();
    let gaps = gaps.ok_or("times without answers were not recorded")?;
    let (count, stalled) =
        gaps.iter().map(|g| g.longer_than(limit)).fold((0, 0), |(n, t), g| (n + g.count, t + g.total.0));
    let users = Users(run.users());
    // A group may have fewer users than there are workers.
    let workers = if run.group.is_some() { run.run.workers.min(users.0) } else { run.run.workers }.max(1);
    let share = Share(Nanos(stalled).seconds() / (run.seconds() * f64::from(workers)));
    let their = if users.0 == 1 { "its" } else { "their" };
    let label = format!("{users} waited for {their} answers, as in any closed load");
    let (status, sentence) = if share.0 > most.0 {
        let told = format!(
            "{label}: {} took {share} of the time, and what would have arrived meanwhile is in no latency{}.",
            counted(count as usize, "stall"),
            meanwhile::told(run, limit).map_or(String::new(), |longest| format!("; {longest}"))
        );
        (Status::Warn, told)
    } else {
        (Status::Pass, format!("{label}, and stalls took {share} of the time."))
    };
    Ok(Seen::new(status, format!("{share} in stalls"), format!("{most} in stalls of more than {limit}"), sentence))
}
