//! What LinkBench's arithmetic expects of a snapshot left open (`staleness`), second by second beside what lists really
//! met: the engine's work inside beyond what an operation cost before. The mix is the same in every second, so that of
//! each second only its statements and the engine's counters are needed, and the shares of updates and lists come from
//! the phase's sums.

use super::course::rates;
use crate::findings::old_versions::CAUSE;
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::frame::staleness;
use crate::stats::average;
use model::disturbance::OPEN_SNAPSHOT;
use model::forecast::{Forecast, ForecastPhase, ForecastPoint};
use model::load::{Phase, PhaseKind};
use model::record::series::Series;
use model::units::Nanos;

/// Neighbouring seconds of a long run are one point: more of them than this cannot be told apart in a chart.
const POINTS: usize = 240;
const LIST: &str = "get_links_list";

/// The engine's work inside: its counters, and how a reader is told of them.
fn inside(engine: &str) -> (&'static [&'static str], &'static str) {
    match engine {
        "rocksdb" => (&["db.keys_skipped", "db.tombstones_skipped"], "further keys and tombstones per list"),
        _ => (&["db.page_read_requests"], "further logical reads per list"),
    }
}

/// One for each cell with a snapshot left open whose workload has such an arithmetic.
pub fn all(cells: &[CellEvidence]) -> Vec<Forecast> {
    cells.iter().filter_map(of).collect()
}

fn of(cell: &CellEvidence) -> Option<Forecast> {
    let measured: Vec<&Phase> = cell.cell.phases.iter().filter(|p| p.kind == PhaseKind::Measure).collect();
    let is_open = |p: &&Phase| p.disturb.as_ref().is_some_and(|d| d.name == OPEN_SNAPSHOT);
    let open = measured.iter().position(is_open)?;
    let base = measured[..open].iter().find(|p| p.disturb.is_none())?;
    staleness::of_linkbench(&cell.cell.parameters, 1.0)?;
    let runs: Vec<Run> = cell.runs.iter().map(|run| Run::of(cell, run, measured[open], base)).collect::<Option<_>>()?;
    let phases = measured.iter().enumerate().map(|(place, phase)| ForecastPhase {
        name: phase.name.clone(),
        disturb: phase.disturb.as_ref().map(|d| d.name.clone()),
        points: points(&runs, phase, place.cmp(&open)),
    });
    let phases: Vec<_> = phases.collect();
    (!runs.is_empty() && phases.iter().any(|p| !p.points.is_empty())).then(|| Forecast {
        cell: cell.cell.id.clone(),
        finding: CAUSE.id.into(),
        expected: "stale entries expected per list".into(),
        measured: inside(&cell.cell.server.engine).1.into(),
        per_expected: scale(phases[open].points.as_slice()),
        runs: runs.len(),
        phases,
    })
}

/// What is the same in all seconds of a run.
struct Run<'a> {
    run: &'a RunEvidence<'a>,
    series: Vec<Series>,
    /// Work inside per statement before the snapshot.
    before: f64,
    lists_per_statement: f64,
    /// Stale entries that a statement of the open phase adds.
    stale_per_statement: f64,
}

impl<'a> Run<'a> {
    fn of(cell: &CellEvidence, run: &'a RunEvidence<'a>, open: &Phase, base: &Phase) -> Option<Self> {
        let (counters, _) = inside(&cell.cell.server.engine);
        let alone = |phase: &Phase| {
            let phases: Vec<_> = run.phases.iter().copied().filter(|p| p.name == phase.name).collect();
            (!phases.is_empty()).then(|| RunEvidence { phases, ..run.clone() })
        };
        let (open, base) = (alone(open)?, alone(base)?);
        let grown = counters.iter().map(|c| base.growth(c).map(|g| g.delta)).sum::<Option<f64>>()?;
        let (calls, calls_before) = (open.calls() as f64, base.calls() as f64);
        let updates: u64 = open.statements().filter(|(name, _)| staleness::is_update(name)).map(|(_, s)| s.calls).sum();
        let lists: u64 = open.operations().filter(|(name, _)| *name == LIST).map(|(_, o)| o.done).sum();
        let stale = staleness::of_linkbench(&cell.cell.parameters, updates as f64)?;
        let series = run.details.series(&run.run.id, counters);
        (calls_before > 0.0 && lists > 0 && series.len() == counters.len()).then(|| Self {
            run,
            series,
            before: grown / calls_before,
            lists_per_statement: lists as f64 / calls,
            stale_per_statement: stale / calls,
        })
    }

    /// Seconds since the first measured phase, what is expected, what was measured: of each whole second of the phase.
    fn seconds(&self, phase: &Phase) -> Vec<(f64, f64, f64)> {
        let Some(window) = self.run.phases.iter().find(|p| p.name == phase.name) else { return Vec::new() };
        let zero = self.run.phases.first().map_or(Nanos(0), |p| p.from);
        let mut said = 0.0;
        let each = rates(&self.run.details.seconds(&self.run.run.id), window.from, window.to);
        let second = |(n, statements): (usize, f64)| {
            let from = Nanos(window.from.0 + n as u64 * 1_000_000_000);
            let to = Nanos(from.0 + 1_000_000_000);
            let work: f64 = self.series.iter().map(|s| at(&s.readings, to) - at(&s.readings, from)).sum();
            let further = (work - self.before * statements) / (self.lists_per_statement * statements.max(1.0));
            let middle = said + statements / 2.0;
            said += statements;
            (Nanos(from.0 - zero.0).seconds(), self.stale_per_statement * middle, further)
        };
        each.into_iter().enumerate().map(second).collect()
    }
}

/// Averages over runs, of several seconds where there are many. Before the snapshot nothing is stale; when it is
/// closed, nobody foretells how fast purge or merges are.
fn points(runs: &[Run], phase: &Phase, place: std::cmp::Ordering) -> Vec<ForecastPoint> {
    let each: Vec<Vec<(f64, f64, f64)>> = runs.iter().map(|run| run.seconds(phase)).collect();
    let seconds = each.iter().map(Vec::len).min().unwrap_or(0);
    let width = seconds.div_ceil(POINTS).max(1);
    let point = |from: usize| {
        let to = (from + width).min(seconds);
        let of = |pick: fn(&(f64, f64, f64)) -> f64| {
            average(&each.iter().flat_map(|run| run[from..to].iter().map(pick)).collect::<Vec<_>>())
        };
        ForecastPoint {
            at_s: average(&each.iter().map(|run| run[from].0).collect::<Vec<_>>()),
            for_s: (to - from) as f64,
            expected: match place {
                std::cmp::Ordering::Less => Some(0.0),
                std::cmp::Ordering::Equal => Some(of(|s| s.1)),
                std::cmp::Ordering::Greater => None,
            },
            measured: of(|s| s.2),
        }
    };
    (0..seconds).step_by(width).map(point).collect()
}

/// Measured for one expected. Where a phase measured no more than before it, there is no scale.
fn scale(points: &[ForecastPoint]) -> Option<f64> {
    let sum = |of: fn(&ForecastPoint) -> f64| points.iter().map(|p| p.for_s * of(p)).sum::<f64>();
    let scale = sum(|p| p.measured) / sum(|p| p.expected.unwrap_or(0.0));
    (scale.is_finite() && scale > 0.0).then_some(scale)
}

/// A counter at that moment, on the line between its neighbouring readings; the first and last hold beyond them.
fn at(readings: &[(Nanos, f64)], moment: Nanos) -> f64 {
    let after = readings.partition_point(|(t, _)| *t < moment);
    match (readings.get(after.wrapping_sub(1)), readings.get(after)) {
        (Some((t0, v0)), Some((t1, v1))) => v0 + (v1 - v0) * (moment.0 - t0.0) as f64 / (t1.0 - t0.0).max(1) as f64,
        (Some((_, v)), None) | (None, Some((_, v))) => *v,
        (None, None) => 0.0,
    }
}
