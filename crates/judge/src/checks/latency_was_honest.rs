//! Under a rate, latency counts from the intended start. That is honest as long as the load kept its appointments, and
//! means something as long as the server kept up: beyond its capacity a queue grows, and every percentile with the
//! length of the run. Of users who wait for their answers nobody intends a start; what they leave out is the question
//! of `stalls_were_few`.
//!
//! It warns when less than 99 % of the operations due were begun and fails below 95 %. The load's own lateness is in
//! each latency that counts from the intended start, and so in each percentile: it is held against the latency of the
//! same percentile, like with like. Where it is a tenth of the median, or of the 99th percentile, that digit is the
//! load's and not the server's, and it warns. A timer that wakes 20 µs late is nothing to an answer of a millisecond
//! and a fifth of one of 100 µs: who asks for such answers at a rate has to spend a CPU on waiting, or to look at the
//! service time, which has no lateness in it. Less than 0.01 % is told as that.

use crate::frame::applies::Absence;
use crate::frame::check::worst_among;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight};
use model::{ArrivalTally, Histogram, Nanos, Share, Status};

pub const CHECK: Check = Check {
    id: "latency_was_honest",
    claim: || {
        format!(
            "at least {BEGUN_WARN} of the operations that were due were begun, and the load's own lateness is at most {LATE} of the median latency and of the 99th percentile"
        )
    },
    source: include_str!("latency_was_honest.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[BEGUN_WARN, BEGUN_FAIL, LATE],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "ask at a lower rate, or of a load with more CPU",
    look: Look::Run(look),
};

const BEGUN_WARN: Limit =
    Limit::share("begun_warn", 0.99, "of the operations due; the last hundredth is the end of the phase").convention();
const BEGUN_FAIL: Limit =
    Limit::share("begun_fail", 0.95, "the queue grows, and with it every percentile").convention();
const LATE: Limit =
    Limit::share("late", 0.1, "of the latency of the same percentile: what is added to both moves it by no more").law();
/// A smaller part of a latency is not worth its digits.
const HARDLY: Share = Share(1e-4);
/// The percentiles at which lateness and latency are laid side by side: the two that are read most.
const LATE_PERCENTILES: [f64; 2] = [50.0, 99.0];

fn absent(run: &RunEvidence) -> Absence {
    let is_asked = run.groups().iter().any(|(group, _)| group.is_scheduled());
    (!is_asked).then(|| "All users wait for their answers: no operation has an intended start.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let scheduled = run.groups().into_iter().filter(|(group, _)| group.is_scheduled());
    worst_among(scheduled.map(|(group, share)| (group.name, of_group(&share))).collect(), run.groups().len())
}

fn of_group(run: &RunEvidence) -> Sight {
    let arrivals: Option<Vec<ArrivalTally>> = run.tallies().map(|t| t.arrivals).collect();
    let arrivals = arrivals.ok_or("arrivals were not counted")?;
    let (due, begun) = arrivals.iter().fold((0, 0), |(due, begun), a| (due + a.due, begun + a.begun));
    let mut lag = Histogram::default();
    run.tallies().filter_map(|t| t.lag.as_ref()).for_each(|part| lag.merge(part));
    let mut latency = Histogram::default();
    run.operations().for_each(|(_, o)| latency.merge(&o.latency));
    let at = |percentile: f64| Some((percentile, lag.percentile(percentile)?, latency.percentile(percentile)?));
    let part = |(_, late, whole): &(f64, Nanos, Nanos)| late.0 as f64 / whole.0.max(1) as f64;
    let sides = LATE_PERCENTILES.map(at).into_iter().flatten();
    let worst = sides.max_by(|a, b| part(a).total_cmp(&part(b))).ok_or("no operation was begun and done")?;
    let (percentile, late, whole) = worst;
    let of_it = Share(part(&worst).min(1.0));
    let share = Share((begun as f64 / due.max(1) as f64).min(1.0));
    let [begun_warn, begun_fail, most_late] = [&BEGUN_WARN, &BEGUN_FAIL, &LATE].map(|l| run.limits.share(l));
    let by_rate = match share.0 {
        s if s < begun_fail.0 => Status::Fail,
        s if s < begun_warn.0 => Status::Warn,
        _ => Status::Pass,
    };
    let by_lag = if of_it.0 > most_late.0 { Status::Warn } else { Status::Pass };
    let mut sentence = if by_rate == Status::Pass {
        format!("Latency counts from the intended start, and {share} of {due} operations due were begun.")
    } else {
        let waiting = due.saturating_sub(begun);
        format!(
            "Offered load exceeds capacity: of {due} operations due {share} were begun, and {waiting} more waited at the end than at the beginning; percentiles grow with the length of the run."
        )
    };
    sentence += &match by_lag {
        Status::Pass => {
            let own = if of_it.0 < HARDLY.0 { format!("less than {HARDLY}") } else { of_it.to_string() };
            format!(" The load itself was on time: {own} of the {} is its own lateness.", name(percentile))
        }
        _ => format!(
            " The load itself was too late: {late} of the {} of {whole} ({of_it}) are its own lateness; the service time has none of it.",
            name(percentile)
        ),
    };
    let measured = format!("{share} begun, {late} late of a {} of {whole}", name(percentile));
    let limit = format!("{begun_fail} begun, warns at {begun_warn}; late by {most_late} of the latency");
    Ok(Seen::new(by_rate.max(by_lag), measured, limit, sentence))
}

fn name(percentile: f64) -> String {
    if percentile == 50.0 { "median".into() } else { format!("{percentile}th percentile") }
}
