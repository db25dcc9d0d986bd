//! A load that waits for its answers asks nothing while the server stands still, and so counts a stall once per user,
//! however many requests would have come meanwhile (coordinated omission). Under a rate, latency counts from the
//! intended start; that is honest as long as the load kept its appointments, and means something as long as the server
//! kept up: beyond its capacity a queue grows, and every percentile with the length of the run. Under a closed load no
//! percentile can be cured; there this check says how much of the time nothing was answered.
//!
//! Under a rate it warns when less than 99 % of the operations due were begun and fails below 95 %, and warns when for
//! one operation in a hundred the load itself was later than 5 % of the median latency. Under a closed load it warns
//! when stalls (no answer for more than 10 times the median of the slowest operation) took more than 1 % of the time.

use crate::frame::check::worst_of;
use crate::frame::naming::counted;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight};
use model::record::gaps::Gaps;
use model::{ArrivalTally, Group, Histogram, Nanos, Share, Status, Users};

pub const CHECK: Check = Check {
    id: "latency_was_honest",
    claim: || {
        format!(
            "at least {BEGUN_WARN} of the operations that were due were begun, the load itself was late by at most {LATE} of the median latency, and under a closed load stalls took at most {STALLED} of the time"
        )
    },
    source: include_str!("latency_was_honest.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[BEGUN_WARN, BEGUN_FAIL, LATE, STALLED, STALL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "ask at a lower rate, or of a load with more CPU; where stalls matter, ask at a rate instead of with a number of users",
    look: Look::Run(look),
};

const BEGUN_WARN: Limit =
    Limit::share("begun_warn", 0.99, "of the operations due; the last hundredth is the end of the phase");
const BEGUN_FAIL: Limit = Limit::share("begun_fail", 0.95, "the queue grows, and with it every percentile");
const LATE: Limit =
    Limit::share("late", 0.05, "of the median latency; then the load's own lateness is in no digit that is read");
pub(super) const STALLED: Limit =
    Limit::share("stalled", 0.01, "of the measured time; the 99th percentile would see it under an open load");
const STALL: Limit = Limit::number(
    "stall",
    10.0,
    "medians of the slowest operation; queues of healthy servers seldom make anybody wait as long",
);

/// Lag is judged where one operation in a hundred has more.
const LATE_PERCENTILE: f64 = 99.0;

fn look(run: &RunEvidence) -> Sight {
    let of_group = |(group, share): (Group, RunEvidence)| {
        let sight = if group.is_scheduled() { scheduled(&share) } else { closed(&share) };
        (group.name, sight)
    };
    worst_of(run.groups().into_iter().map(of_group).collect())
}

fn scheduled(run: &RunEvidence) -> Sight {
    let arrivals: Option<Vec<ArrivalTally>> = run.tallies().map(|t| t.arrivals).collect();
    let arrivals = arrivals.ok_or("arrivals were not counted")?;
    let (due, begun) = arrivals.iter().fold((0, 0), |(due, begun), a| (due + a.due, begun + a.begun));
    let mut lag = Histogram::default();
    run.tallies().filter_map(|t| t.lag.as_ref()).for_each(|part| lag.merge(part));
    let mut latency = Histogram::default();
    run.operations().for_each(|(_, o)| latency.merge(&o.latency));
    let (Some(late), Some(median)) = (lag.percentile(LATE_PERCENTILE), latency.percentile(50.0)) else {
        return Err("no operation was begun and done".into());
    };
    let share = Share((begun as f64 / due.max(1) as f64).min(1.0));
    let [begun_warn, begun_fail, most_late] = [&BEGUN_WARN, &BEGUN_FAIL, &LATE].map(|l| run.limits.share(l));
    let by_rate = match share.0 {
        s if s < begun_fail.0 => Status::Fail,
        s if s < begun_warn.0 => Status::Warn,
        _ => Status::Pass,
    };
    let by_lag = if late.0 as f64 > most_late.0 * median.0 as f64 { Status::Warn } else { Status::Pass };
    let mut sentence = if by_rate == Status::Pass {
        format!("Latency counts from the intended start, and {share} of {due} operations due were begun.")
    } else {
        let waiting = due.saturating_sub(begun);
        format!(
            "Offered load exceeds capacity: of {due} operations due {share} were begun, and {waiting} more waited at the end than at the beginning; percentiles grow with the length of the run."
        )
    };
    sentence += &match by_lag {
        Status::Pass => format!(" The load itself was on time, within {late} in the 99th percentile."),
        _ => format!(
            " The load itself was too late: by {late} in the 99th percentile, where the median latency is {median}."
        ),
    };
    let measured = format!("{share} begun, lag {late} where the median is {median}");
    let limit = format!("{begun_fail} begun, warns at {begun_warn}; lag {most_late} of the median");
    Ok(Seen::new(by_rate.max(by_lag), measured, limit, sentence))
}

fn closed(run: &RunEvidence) -> Sight {
    let slowest =
        run.operations().filter_map(|(_, o)| o.latency.percentile(50.0)).max().ok_or("no operation was done")?;
    let (limit, most) = (Nanos((run.limits.of(&STALL) * slowest.0 as f64) as u64), run.limits.share(&STALLED));
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
            "{label}: {} took {share} of the time, and what would have arrived meanwhile is in no latency.",
            counted(count as usize, "stall")
        );
        (Status::Warn, told)
    } else {
        (Status::Pass, format!("{label}, and stalls took {share} of the time."))
    };
    Ok(Seen::new(status, format!("{share} in stalls"), format!("{most} in stalls of more than {limit}"), sentence))
}
