//! Seconds in which a server had nothing to do though users waited for its answers: all of its sessions waited for
//! requests at once. Where the load could run meanwhile, requests or answers were held back on the way between them.
//! How much of its time a server is idle depends on the load, so it is held against the runs of the same cell.

use super::evidence::RunEvidence;
use crate::stats::quantile;
use model::PhaseRecord;
use model::record::run::RunRecord;
use model::units::{Nanos, Share};

const IDLE: &str = "server.idle";
const LOAD_WAITS: &str = "client.runqueue.wait";
/// Readings that lie nearer to one another hold too few looks.
const SHORTEST: f64 = 0.6;
/// The load could have gone on where its threads waited less for CPUs, over all of them.
const HUNGRY: f64 = 0.25;
const QUARTER: f64 = 0.25;

/// What of a run's measured time was so.
pub struct Idle {
    pub from: Nanos,
    pub to: Nanos,
    /// So much of that time.
    pub share: Share,
    /// What is usual in the runs of its cell: their lower quartile.
    pub usual: Share,
    /// All such time beyond what is usual, in seconds.
    pub lost: f64,
}

/// The longest stretch that has at least so much of its time, and so many times the usual; `None` where there is none,
/// or it was not read.
pub fn longest(run: &RunEvidence, least: Share, times: f64) -> Option<Idle> {
    let usual = usual(run)?;
    let limit = least.0.max(times * usual);
    let series = run.details.series(&run.run.id, &[IDLE, LOAD_WAITS]);
    let readings = |name: &str| Some(&series.iter().find(|s| s.metric.name == name)?.readings);
    let (idle, waits) = (readings(IDLE)?, readings(LOAD_WAITS));
    let is_measured = |from: Nanos, to: Nanos| run.phases.iter().any(|phase| phase.from <= from && to <= phase.to);
    let mut found: Vec<Idle> = Vec::new();
    let mut lost = 0.0;
    for pair in idle.windows(2) {
        let [(from, before), (to, after)] = [pair[0], pair[1]];
        let seconds = Nanos(to.0.saturating_sub(from.0)).seconds();
        let share = (after - before) / 1e9 / seconds.max(f64::MIN_POSITIVE);
        let hungry = waits.map_or(0.0, |waits| grown(waits, from, to) / 1e9 / seconds.max(f64::MIN_POSITIVE));
        if seconds < SHORTEST || share < limit || hungry > HUNGRY || !is_measured(from, to) {
            continue;
        }
        lost += (share - usual) * seconds;
        match found.last_mut().filter(|last| last.to == from) {
            Some(last) => {
                let (had, more) = (Nanos(last.to.0 - last.from.0).seconds(), seconds);
                last.share = Share((last.share.0 * had + share * more) / (had + more));
                last.to = to;
            }
            None => found.push(Idle { from, to, share: Share(share), usual: Share(usual), lost: 0.0 }),
        }
    }
    found.into_iter().max_by_key(|idle| idle.to.0 - idle.from.0).map(|idle| Idle { lost, ..idle })
}

/// The share of their time in which the runs of this cell were idle, their lower quartile: half of them may share a
/// way.
fn usual(run: &RunEvidence) -> Option<f64> {
    let is_looked_at = |phase: &&PhaseRecord| run.phases.iter().any(|p| p.name == phase.name);
    let of = |other: &RunRecord| {
        let phases = other.phases.iter().filter(is_looked_at);
        let ends: Option<Vec<_>> = phases.map(|phase| phase.counters.get(IDLE)).collect();
        let ends = ends.filter(|ends| !ends.is_empty())?;
        let seconds: f64 = ends.iter().map(|ends| ends.seconds()).sum();
        Some(ends.iter().map(|ends| ends.delta()).sum::<f64>() / 1e9 / seconds.max(f64::MIN_POSITIVE))
    };
    let mut all: Vec<f64> = run.record.runs.iter().filter(|other| other.cell == run.run.cell).filter_map(of).collect();
    all.sort_by(f64::total_cmp);
    (!all.is_empty()).then(|| quantile(&all, QUARTER))
}

/// How much a counter grew between the readings nearest to two moments.
fn grown(readings: &[(Nanos, f64)], from: Nanos, to: Nanos) -> f64 {
    let nearest = |at: Nanos| readings.iter().min_by_key(|(moment, _)| moment.0.abs_diff(at.0)).map_or(0.0, |r| r.1);
    nearest(to) - nearest(from)
}
