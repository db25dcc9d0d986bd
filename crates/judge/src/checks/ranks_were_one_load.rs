//! Several processes are one load only if they work at the same time, and their seconds can be laid on each other only
//! if their clocks are known. Each rank's clock is read against rank 0's by round trips just before its users come and
//! just after they left; all begin at one moment, and the first interval of each says when it did. A rank that begins
//! late leaves the others alone with the server meanwhile, and one whose clock ran differently has its seconds beside
//! the wrong ones.
//!
//! A rank that began more than 10 ms from the agreed moment warns, and 100 ms fails: a tenth of a second of the
//! series. A clock that is known to no better than 5 ms warns (half a round trip, the network's), and so does one that
//! drifts by more than 200 µs in a second: crystals drift by a few tens, and a clock that is being set by more.

use crate::frame::ranks::{several, worst};
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use model::record::ranks::RankRecord;
use model::{Nanos, Status};

pub const CHECK: Check = Check {
    id: "ranks_were_one_load",
    claim: || format!("all ranks began within {SKEW_FAIL}, and their clocks are known to within {CLOCK_UNKNOWN}"),
    source: include_str!("ranks_were_one_load.rs"),
    applies: Applies::Run(several),
    needs: &[],
    limits: &[SKEW_WARN, SKEW_FAIL, CLOCK_UNKNOWN, CLOCK_DRIFT],
    doubts: Doubts::Times,
    quarantined: true,
    advice: "look at the rank that is named: its host is busy, its clock is being set (chronyc tracking), or the \
             network to it is slow",
    look: Look::Run(look),
};

const SKEW_WARN: Limit =
    Limit::seconds("rank_skew_warn", 0.01, "by which a busy scheduler may wake a process late").convention();
const SKEW_FAIL: Limit = Limit::seconds("rank_skew_fail", 0.1, "a tenth of an interval of the series").convention();
const CLOCK_UNKNOWN: Limit =
    Limit::seconds("rank_clock", 0.005, "half a round trip; a twentieth of what the series resolves").convention();
const CLOCK_DRIFT: Limit =
    Limit::seconds("rank_drift", 0.0002, "in a second; crystals of computers keep to some tens of microseconds").law();

fn skew(rank: &RankRecord) -> Option<f64> {
    Some(rank.start_skew_ns.unsigned_abs() as f64 / 1e9)
}

fn unknown(rank: &RankRecord) -> Option<f64> {
    rank.clock.map(|clock| clock.within_before.max(clock.within_after).seconds())
}

/// What is more than both readings may be wrong by.
fn drift(rank: &RankRecord) -> Option<f64> {
    let clock = rank.clock?;
    let gained = (clock.ahead_after_ns - clock.ahead_before_ns).unsigned_abs();
    let blur = clock.within_before.0 + clock.within_after.0;
    Some(if gained > blur { clock.drift_ns_per_s.abs() / 1e9 } else { 0.0 })
}

fn look(run: &RunEvidence) -> Sight {
    let (late, skew) = worst(run, skew).ok_or("no rank told of its part")?;
    let (blurred, within) = worst(run, unknown).ok_or("no rank's clock was read")?;
    let (running, drift) = worst(run, drift).ok_or("no rank's clock was read")?;
    let [warn, fail, most, most_drift] =
        [&SKEW_WARN, &SKEW_FAIL, &CLOCK_UNKNOWN, &CLOCK_DRIFT].map(|limit| run.limits.of(limit));
    let time = |seconds: f64| Nanos((seconds * 1e9) as u64);
    let mut status = graded(skew, warn, fail);
    let mut troubles = Vec::new();
    if status != Status::Pass {
        troubles.push(format!("{} began {} from the moment that was agreed", late.name(), time(skew)));
    }
    if within > most {
        status = status.max(Status::Warn);
        troubles.push(format!("the clock of {} is known to within {} only", blurred.name(), time(within)));
    }
    if drift > most_drift {
        status = status.max(Status::Warn);
        troubles.push(format!("the clock of {} gained or lost {} in a second", running.name(), time(drift)));
    }
    let sentence = match troubles.is_empty() {
        true => format!(
            "{} ranks began within {} of one moment; their clocks are known to within {}.",
            run.run.ranks.len(),
            time(skew),
            time(within)
        ),
        false => format!("Not all ranks worked together: {}.", troubles.join("; ")),
    };
    let measured = format!("begun within {}, clocks within {}", time(skew), time(within));
    Ok(Seen::new(status, measured, format!("{}; warns at {}", time(fail), time(warn)), sentence))
}
