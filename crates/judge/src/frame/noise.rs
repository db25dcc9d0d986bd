//! What is known of the noise of a cell from the seconds of its runs: how many independent values a run is worth, and
//! whether its repetitions differ by more than their seconds explain, which decides between longer runs and more of
//! them.

use super::evidence::{CellEvidence, RunEvidence};
use crate::stats::{average, effective, levels, median, variance};
use model::units::Share;
use model::{CellId, RunRecord};
use std::collections::BTreeMap;

/// Fewer seconds tell nothing of their resemblance.
const FEWEST_SECONDS: usize = 16;
/// Nobody is advised to measure longer than this.
const LONGEST_SECONDS: usize = 3600;
/// Runs are said to vary by themselves, or not to, beyond these shares.
const MOSTLY: f64 = 0.75;

/// Operations done in each second of the phases that are looked at; whole intervals only, since the remainder of a
/// phase is another length.
fn rates(run: &RunEvidence) -> Vec<f64> {
    let mut rates = Vec::new();
    let seconds = run.details.seconds(&run.run.id);
    for phase in &run.phases {
        let mut sums = vec![0.0; phase.length().seconds() as usize];
        for second in seconds.iter().filter(|s| s.phase == phase.name && s.from >= phase.from) {
            // Workers cut theirs a little apart: what counts is where the middle lies.
            let middle = (second.from.0 + second.length().0 / 2 - phase.from.0) / 1_000_000_000;
            if let Some(sum) = sums.get_mut(middle as usize) {
                *sum += second.done as f64;
            }
        }
        rates.extend(sums);
    }
    rates
}

/// Which share of a cell's operations are as good as independent: seconds that resemble their neighbours know less than
/// they count. 1 where runs are too short to tell.
pub fn independence(cell: &CellEvidence) -> f64 {
    let of_run = |run: &RunEvidence| {
        let rates = rates(run);
        (rates.len() >= FEWEST_SECONDS).then(|| 1.0 / effective::resemblance(&rates))
    };
    let shares: Option<Vec<f64>> = cell.runs.iter().map(of_run).collect();
    shares.filter(|shares| !shares.is_empty()).map_or(1.0, |shares| average(&shares))
}

/// Whether longer runs would help, or only more of them; `None` where that is not known, or both do.
pub fn advice(cell: &CellEvidence) -> Option<String> {
    let mut runs: Vec<Vec<f64>> = cell.runs.iter().map(rates).collect();
    let shortest = runs.iter().map(Vec::len).min().filter(|n| *n >= FEWEST_SECONDS)?;
    let alike = runs.iter().map(|run| effective::resemblance(run)).fold(1.0, f64::max).ceil() as usize;
    for run in &mut runs {
        *run = run[..shortest].chunks_exact(alike).map(average).collect();
    }
    let beside = |run: &RunEvidence| (run.run.ended_unix_ms - run.run.started_unix_ms) as f64 / 1e3 - run.seconds();
    let warm_up = average(&cell.runs.iter().map(beside).collect::<Vec<_>>()).max(1.0);
    let levels = levels::of(&runs, [alike as f64, warm_up])?;
    let share = levels::between(&levels);
    let seconds = (levels::advised(&levels, LONGEST_SECONDS) * alike).min(LONGEST_SECONDS);
    if share >= MOSTLY {
        Some(format!("{} of the variance is between runs: more of them help, longer ones do not.", Share(share)))
    } else if share <= 1.0 - MOSTLY {
        Some(format!(
            "{} of the variance is within runs: runs of {seconds} s are the cheapest way to less of it.",
            Share(1.0 - share)
        ))
    } else {
        None
    }
}

/// By how much the runs of a cell spread, on the log scale: the smaller of their own spread and of what remains of it
/// beside the other cells' runs of the same blocks. What shifted a whole block (another machine on the same host, a
/// warm hour) shifted both sides of each comparison, and is in none of them. `None` where a run has no rate.
pub fn spread(cell: &CellEvidence) -> Option<f64> {
    let logs: BTreeMap<u32, f64> = cell.runs.iter().map(|r| (r.run.block, r.qps().ln())).collect();
    let own: Vec<f64> = cell.runs.iter().map(|r| r.qps().ln()).collect();
    if own.iter().any(|log| !log.is_finite()) {
        return None;
    }
    let alone = variance(&own).sqrt();
    if logs.len() < own.len() {
        return Some(alone);
    }
    let beside: Vec<f64> = logs.values().zip(shifts(cell, &logs)).map(|(log, shift)| log - shift).collect();
    Some(alone.min(variance(&beside).sqrt()))
}

/// By how much the other cells' runs lay above their own mean in each of these blocks: the middle one of the cells that
/// have a run in all of them. None shifted where there is no such cell.
fn shifts(cell: &CellEvidence, blocks: &BTreeMap<u32, f64>) -> Vec<f64> {
    let Some(first) = cell.runs.first() else { return Vec::new() };
    let phases: Vec<&str> = first.phases.iter().map(|phase| phase.name.as_str()).collect();
    let mut others: BTreeMap<&CellId, BTreeMap<u32, f64>> = BTreeMap::new();
    let runs = first.record.runs.iter().filter(|run| run.is_done() && !run.is_beside() && run.trial.is_none());
    for run in runs.filter(|run| run.cell != cell.cell.id && blocks.contains_key(&run.block)) {
        if let Some(log) = rate(run, &phases).map(f64::ln).filter(|log| log.is_finite()) {
            others.entry(&run.cell).or_default().insert(run.block, log);
        }
    }
    let whole: Vec<Vec<f64>> = others.into_values().map(|logs| logs.into_values().collect()).collect();
    let off: Vec<Vec<f64>> = whole
        .into_iter()
        .filter(|logs: &Vec<f64>| logs.len() == blocks.len())
        .map(|logs| logs.iter().map(|log| log - average(&logs)).collect())
        .collect();
    let shift = |block: usize| match off.is_empty() {
        true => 0.0,
        false => median(&mut off.iter().map(|of| of[block]).collect::<Vec<_>>()),
    };
    (0..blocks.len()).map(shift).collect()
}

/// Statements per second of these phases; `None` where the run lacks them.
fn rate(run: &RunRecord, phases: &[&str]) -> Option<f64> {
    let measured: Vec<_> = run.measured().filter(|phase| phases.contains(&phase.name.as_str())).collect();
    let seconds: f64 = measured.iter().map(|phase| phase.length().seconds()).sum();
    let statements = measured.iter().flat_map(|phase| phase.groups.values()).flat_map(|g| g.tally.statements.values());
    (seconds > 0.0).then(|| statements.map(|s| s.calls).sum::<u64>() as f64 / seconds)
}
