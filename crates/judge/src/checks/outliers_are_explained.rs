//! One run far from its cell's others moves the mean and hides in it. How far is usual is told by all cells together:
//! each run's distance from the median of its cell on the log scale, and of those the robust spread (1.48 times the
//! median distance), since three runs of one cell know nothing of their own. Beyond five of these a run is an outlier,
//! once in two million where noise is normal. It is never left out of a number; what else went wrong in it is the first
//! thing to look at. Where a load has a fixed rate runs spread by next to nothing, and nobody asks after one that is
//! off by less than any difference that is claimed. Where all operations arrive at a rate their number is the
//! schedule's draw and no answer of the server: such cells are left out.
//!
//! An outlier warns.

use crate::compare::comparisons::MARGIN;
use crate::frame::applies::Absence;
use crate::frame::naming;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Evidence, Limit, Look, Seen, Sight};
use model::units::round3;
use model::{Share, Status};

pub const CHECK: Check = Check {
    id: "outliers_are_explained",
    claim: || format!("no run lies more than {OUTLIER} robust standard deviations from the others of its cell"),
    source: include_str!("outliers_are_explained.rs"),
    applies: Applies::Experiment(absent),
    needs: &[],
    limits: &[OUTLIER],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "look at that run's series and events; repeat the cell, and keep both numbers",
    look: Look::Experiment(look),
};

const OUTLIER: Limit =
    Limit::number("outlier", 5.0, "robust standard deviations; once in two million normal runs").law();

/// The fewest runs of a cell whose median means something.
const RUNS: usize = 3;
/// Distances from which a spread is known well enough; a median of its own takes one of each cell's.
const FEWEST: usize = 12;
/// From the median of distances to a standard deviation, for normal noise.
const NORMAL: f64 = 1.4826;
/// Distances of three runs from their own median are shorter than from the truth.
const SHORTENED: f64 = 1.5;

/// As many distances as the plan has runs beside medians.
fn absent(evidence: &Evidence) -> Absence {
    let runs = |cell: &CellEvidence| {
        let planned =
            evidence.record.plan.runs.iter().filter(|run| run.cell == cell.cell.id && !run.is_beside()).count();
        planned.max(cell.runs.len())
    };
    let of_cells = evidence.cells.iter().filter(|cell| is_asked(cell)).map(runs).filter(|runs| *runs >= RUNS);
    let distances: usize = of_cells.map(|runs| runs - runs % 2).sum();
    (distances < FEWEST).then(|| {
        format!("The experiment has {distances} runs beside their cells' medians; {FEWEST} would tell what is usual.")
    })
}

/// Whether its rate is the server's answer: no search's and no schedule's.
fn is_asked(cell: &CellEvidence) -> bool {
    cell.search.is_none() && cell.cell.groups().iter().any(|group| !group.is_scheduled())
}

fn look(evidence: &Evidence) -> Sight {
    let mut far: Vec<(f64, String, String)> = Vec::new();
    for cell in evidence.cells.iter().filter(|c| c.runs.len() >= RUNS && is_asked(c)) {
        let logs: Vec<f64> = cell.runs.iter().map(|r| r.qps()).filter(|qps| *qps > 0.0).map(f64::ln).collect();
        if logs.len() < cell.runs.len() {
            continue;
        }
        let centre = median(logs.clone());
        let runs = cell.runs.iter().zip(&logs);
        far.extend(runs.map(|(run, log)| (log - centre, naming::run(run), run.path())));
    }
    // The run that is the median itself has no distance.
    let mut distances: Vec<f64> = far.iter().map(|(d, ..)| d.abs()).filter(|d| *d > 0.0).collect();
    if distances.len() < FEWEST {
        return Err(format!("{} runs beside their medians do not tell what is usual; {FEWEST} would", distances.len()));
    }
    distances.sort_by(f64::total_cmp);
    let spread = SHORTENED * NORMAL * median(distances);
    let most = evidence.limits.of(&OUTLIER);
    let limit = format!("{most} robust standard deviations and {MARGIN}");
    let mut out: Vec<_> = far.iter().filter(|(d, ..)| d.abs() > MARGIN.0.max(most * spread)).collect();
    out.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let Some((distance, run, _)) = out.first() else {
        let sentence = format!(
            "No run of {} is far from its cell's others, which usually spread by {}.",
            far.len(),
            Share(spread)
        );
        return Ok(Seen::new(Status::Pass, "0 runs", limit, sentence));
    };
    let more = if out.len() > 1 { format!(" as {} more are", out.len() - 1) } else { String::new() };
    let sentence = format!(
        "{run} is an outlier{more}, {} {} its cell's median: {} times the usual distance.",
        Share((distance.exp() - 1.0).abs()),
        if *distance < 0.0 { "below" } else { "above" },
        round3(distance.abs() / spread)
    );
    let paths = out.iter().map(|(_, _, path)| path.clone()).collect();
    Ok(Seen::new(Status::Warn, format!("{} runs", out.len()), limit, sentence).at(paths))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { (values[half - 1] + values[half]) / 2.0 }
}
