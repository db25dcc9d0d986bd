//! Users who do the same work against the same server wait as long, whichever rank they sit on. A rank whose users
//! wait longer has something of its own: a host that is busy, a worse network, a longer way. Then a percentile of all
//! is one of two groups of users that nobody asked for, and its tail is that rank's. Each rank takes the floor of its
//! own way (`way_was_short`), so that the network's part of a difference is known.
//!
//! A rank whose median is more than 10 % and 100 µs above that of all other ranks together warns, and 50 % fails.
//! Fewer than 100 operations of a rank, or users who do different work, say nothing.

use crate::frame::ranks::several;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use model::record::ranks::RankRecord;
use model::record::way::Way;
use model::{Histogram, Nanos, Share, Status};

pub const CHECK: Check = Check {
    id: "ranks_agree",
    claim: || format!("no rank's users waited {RANK_FAIL} longer than the others', by their medians"),
    source: include_str!("ranks_agree.rs"),
    applies: Applies::Run(several),
    needs: &[],
    limits: &[RANK_WARN, RANK_FAIL, RANK_NOISE, RANK_SAMPLES],
    doubts: Doubts::Times,
    quarantined: true,
    advice: "run `assay doctor` on the host that is named, under the same launcher; where its way is longer, put all \
             ranks at the same distance from the server, or measure without it",
    look: Look::Run(look),
};

const RANK_WARN: Limit =
    Limit::share("rank_warn", 0.10, "more than the median of the others; the second digit of a percentile")
        .convention();
const RANK_FAIL: Limit =
    Limit::share("rank_fail", 0.50, "more than the median of the others; they are two loads then").convention();
const RANK_NOISE: Limit =
    Limit::seconds("rank_noise", 0.0001, "by which hosts differ that are alike: CPUs that sleep deeper").convention();
const RANK_SAMPLES: Limit =
    Limit::number("rank_samples", 100.0, "operations of a rank; a median of fewer is a guess").convention();

fn floor(rank: &RankRecord, run: &RunEvidence) -> Option<Nanos> {
    let around = run.run.around.as_ref().and_then(|around| around.way.as_ref());
    let way: &Way = rank.way.as_ref().or(around.filter(|_| rank.rank == 0))?;
    [way.before, way.after].into_iter().flatten().map(|trips| trips.quarter).max()
}

/// How much longer its users waited than all others, in the middle: medians of both.
fn beyond(rank: &RankRecord, run: &RunEvidence) -> Option<(Nanos, Nanos)> {
    let mut others = Histogram::default();
    run.run.ranks.iter().filter(|other| other.rank != rank.rank).for_each(|other| others.merge(&other.latency));
    let enough = |histogram: &Histogram| histogram.count() as f64 >= run.limits.of(&RANK_SAMPLES);
    (enough(&rank.latency) && enough(&others))
        .then(|| rank.latency.percentile(50.0).zip(others.percentile(50.0)))
        .flatten()
}

fn look(run: &RunEvidence) -> Sight {
    if run.groups().len() > 1 {
        return Err("users do different work, and ranks have different shares of it".into());
    }
    let ratio = |(own, others): (Nanos, Nanos)| own.0 as f64 / others.0.max(1) as f64 - 1.0;
    let all = run.run.ranks.iter().filter_map(|rank| Some((rank, beyond(rank, run)?)));
    let worst = all.max_by(|a, b| ratio(a.1).total_cmp(&ratio(b.1)));
    let (rank, (own, others)) = worst.ok_or("too few operations of each rank were done to compare them")?;
    let (more, [warn, fail]) = (ratio((own, others)), [&RANK_WARN, &RANK_FAIL].map(|limit| run.limits.share(limit)));
    let is_noise = own.0.saturating_sub(others.0) as f64 <= run.limits.of(&RANK_NOISE) * 1e9;
    let status = if is_noise { Status::Pass } else { graded(more, warn.0, fail.0) };
    let sentence = match status {
        Status::Pass | Status::NotApplicable | Status::NotEvaluable => {
            format!("The users of all {} ranks waited alike, {own} in the median at most.", run.run.ranks.len())
        }
        Status::Warn | Status::Fail => {
            format!(
                "The users of {} waited {own} in the median, those of all others {others}{}.",
                rank.name(),
                way(rank, run)
            )
        }
    };
    let measured = format!("{} more than the others", Share(more.max(0.0)));
    Ok(Seen::new(status, measured, format!("{fail}; warns at {warn}"), sentence))
}

/// What its way has to do with it.
fn way(rank: &RankRecord, run: &RunEvidence) -> String {
    let others =
        run.run.ranks.iter().filter(|other| other.rank != rank.rank).filter_map(|other| floor(other, run)).min();
    match floor(rank, run).zip(others) {
        Some((own, others)) if own > others => {
            format!("; its way to the server takes {own} there and back, and {others} from elsewhere")
        }
        Some(_) => "; its way to the server is no longer, so it is its host that is slower".into(),
        None => String::new(),
    }
}
