//! A line through points of two regimes shows a trend that is none: ten iterations of a study were drawn as one line,
//! and in the tenth the data had outgrown the buffer pool. Whatever is joined by a line, cells over users or rates and
//! the iterations of one run, must be in one regime: all cached, or all read from disk alike.
//!
//! A line with two regimes fails, and the sentence names where it changes. Axes that size the data or the cache change
//! the regime on purpose and are no lines here.

use crate::frame::applies::Absence;
use crate::frame::naming::counted;
use crate::frame::regime::{IO_STALLED, POOL_FULL, POOL_READS, Regime, regime};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Evidence, Look, RunEvidence, Seen, Sight};
use model::experiment::Axis;
use model::experiment::keys::only_presses;
use model::load::step_of;
use model::units::round3;
use model::{Phase, Status, Value};
use std::collections::BTreeMap;

pub const CHECK: Check = Check {
    id: "regimes_agree",
    claim: || "all points of one line are in one regime".into(),
    source: include_str!("regimes_agree.rs"),
    applies: Applies::Experiment(absent),
    needs: &[],
    limits: &[POOL_FULL, POOL_READS, IO_STALLED],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "enlarge the buffer pool, end the line before it leaves the regime, or draw cached and uncached points as lines of their own",
    look: Look::Experiment(look),
};

/// Lines are drawn over users or rates, and over iterations.
fn absent(evidence: &Evidence) -> Absence {
    let over_axes = evidence.record.plan.axes.iter().any(|axis| is_line(axis) && axis.values.len() > 1);
    let is_repeated = |phase: &Phase| step_of(&phase.name).1.is_some_and(|iteration| iteration > 1);
    let over_iterations = evidence.cells.iter().flat_map(|cell| &cell.cell.phases).any(is_repeated);
    let runs = || evidence.cells.iter().flat_map(|cell| &cell.runs).flat_map(|run| &run.phases);
    let were_iterated = runs().any(|phase| step_of(&phase.name).1.is_some_and(|iteration| iteration > 1));
    let has_lines = over_axes || over_iterations || were_iterated;
    (!has_lines).then(|| "No line is drawn here, neither over users or rates nor over iterations.".into())
}

/// Users, rates: what presses harder and changes nothing else.
fn is_line(axis: &Axis) -> bool {
    only_presses(&axis.key)
}

/// A point of a line: where, in which regime, and pages read per statement.
type Point = (String, Regime, f64);

fn look(evidence: &Evidence) -> Sight {
    let lines: Vec<(String, Vec<Point>)> =
        over_axes(evidence).into_iter().chain(evidence.cells.iter().flat_map(iterations)).collect();
    let lines: Vec<_> = lines.into_iter().filter(|(_, points)| points.len() > 1).collect();
    if lines.is_empty() {
        return Err("no two points of one line have a regime".into());
    }
    let broken = lines.iter().filter_map(|(line, points)| {
        let at = points.windows(2).position(|pair| is_other(&pair[0], &pair[1], evidence.limits.of(&POOL_READS)))?;
        let (last, first) = (&points[at], &points[at + 1]);
        Some(format!(
            "{line}: {} is {} ({} pages read from disk per statement) and {} is {} ({}), so that no trend holds over both",
            last.0,
            last.1.word(),
            round3(last.2),
            first.0,
            first.1.word(),
            round3(first.2)
        ))
    });
    let broken: Vec<String> = broken.collect();
    let limit = "one regime per line";
    Ok(match broken.first() {
        None => {
            Seen::new(Status::Pass, "0 lines", limit, format!("{}, each in one regime.", counted(lines.len(), "line")))
        }
        Some(first) => {
            let more = if broken.len() > 1 {
                format!(" It is so on {} lines of {}.", broken.len(), lines.len())
            } else {
                String::new()
            };
            Seen::new(Status::Fail, format!("{} lines", broken.len()), limit, format!("{first}.{more}"))
        }
    })
}

/// Found in memory, or not: how a run that reads is called depends on how long it was looked at. Points on either side
/// of the limit that lie no farther apart than it is high are not two regimes.
fn is_other(one: &Point, other: &Point, pool_reads: f64) -> bool {
    (one.1 == Regime::Cached) != (other.1 == Regime::Cached) && (one.2 - other.2).abs() > pool_reads
}

/// The worst of a cell's runs.
fn of_cell(cell: &CellEvidence) -> Option<(Regime, f64)> {
    let readings = cell.runs.iter().map(regime).collect::<Option<Vec<_>>>()?;
    let worst = readings.into_iter().max_by(|a, b| a.regime.cmp(&b.regime).then(a.reads.total_cmp(&b.reads)))?;
    Some((worst.regime, worst.reads))
}

/// Cells that differ on an axis of users or rates only, in its order.
fn over_axes(evidence: &Evidence) -> Vec<(String, Vec<Point>)> {
    let mut lines: BTreeMap<(String, String), Vec<Point>> = BTreeMap::new();
    let axes = &evidence.record.plan.axes;
    for axis in axes.iter().filter(|axis| is_line(axis)) {
        for value in &axis.values {
            let cells =
                evidence.cells.iter().filter(|c| c.cell.repeats.is_none() && c.cell.axes.get(&axis.key) == Some(value));
            for cell in cells {
                let Some((regime, reads)) = of_cell(cell) else { continue };
                let others: Vec<String> =
                    cell.cell.axes.iter().filter(|(key, _)| **key != axis.key).map(of_axis).collect();
                let line = (axis.key.clone(), others.join(", "));
                lines.entry(line).or_default().push((format!("{} {value}", axis.key), regime, reads));
            }
        }
    }
    let name = |axis: &str, others: &str| match others {
        "" => format!("Over {axis}"),
        others => format!("Over {axis} ({others})"),
    };
    lines.into_iter().map(|((axis, others), points)| (name(&axis, &others), points)).collect()
}

fn of_axis((key, value): (&String, &Value)) -> String {
    format!("{key} {value}")
}

/// The iterations of each run: phases `read.1`, `read.2` … of one name.
fn iterations(cell: &CellEvidence) -> Vec<(String, Vec<Point>)> {
    let mut lines: BTreeMap<String, Vec<Point>> = BTreeMap::new();
    for run in &cell.runs {
        for phase in &run.phases {
            let Some((stem, number)) = phase.name.rsplit_once('.').filter(|(_, n)| n.parse::<u32>().is_ok()) else {
                continue;
            };
            let alone = RunEvidence { phases: vec![*phase], ..run.clone() };
            let Some(reading) = regime(&alone) else { continue };
            let line = lines.entry(format!("Phase `{stem}` of run {}", run.run.id)).or_default();
            line.push((format!("iteration {number}"), reading.regime, reading.reads));
        }
    }
    lines.into_iter().collect()
}
