//! Work amplification: a ratio of two rates taken apart into how many rows a statement looks at and what each of them
//! costs. CPU per statement is fitted as a + b × rows over the values of a parameter that changes the rows (weighted
//! least squares, weights by the spread of the repetitions), where there is one; else the whole of it is laid on the
//! rows. Two servers that differ only in the rows differ in work, two that differ only in CPU per row differ in how
//! they do it, and either may be the one that moved.

use super::frame::finding::{Case, Cause, Cost, Necessary, Place, SUFFICIENT, Scene, Time, name};
use crate::compare::comparisons::{MARGIN, ratio};
use crate::frame::account::per_operation;
use crate::frame::metrics::{SERVER_SYSTEM, SERVER_USER};
use crate::frame::{CellEvidence, RunEvidence, pairs, work};
use crate::stats::{Interval, average, mean};
use model::units::{Share, round3};
use std::collections::BTreeMap;

const ROWS: &str = "db.handler_reads";
/// Rows looked at, from which the work is another one.
const MORE: f64 = 1.2;

pub const CAUSE: Cause = Cause {
    id: "more_rows",
    symptom: || format!("a cell answers at least {MARGIN} fewer queries than the one it is compared with"),
    necessary: || {
        format!(
            "its operations look at more than {MORE} times the rows (`{ROWS}`), and no axis of the workload says so"
        )
    },
    test: || format!("rows × CPU per row cover {SUFFICIENT} of what an operation costs more CPU"),
    intervention: || {
        "what makes a statement look at the rows: history, dead versions, an index that does not fit".into()
    },
    source: include_str!("more_rows.rs"),
    indicator: Some(rows),
    within: &[],
    look,
};

fn rows(run: &RunEvidence) -> Option<f64> {
    per_operation(run, ROWS)
}

/// Microseconds of the server per operation.
fn cpu(run: &RunEvidence) -> Option<f64> {
    Some((per_operation(run, SERVER_USER)? + per_operation(run, SERVER_SYSTEM)?) / 1e3)
}

fn look(scene: &Scene) -> Vec<Case> {
    let usable = |c: &CellEvidence| scene.cells().any(|cell| cell.cell.id == c.cell.id);
    let pairs = pairs::all(scene.evidence).into_iter().filter(|p| usable(p.base) && usable(p.candidate));
    // Another parameter is other work because it was asked for.
    let same_work = pairs.filter(|p| p.base.cell.parameters == p.candidate.cell.parameters);
    same_work.filter_map(|p| case(scene, p.base, p.candidate)).collect()
}

fn case(scene: &Scene, base: &CellEvidence, candidate: &CellEvidence) -> Option<Case> {
    if base.cell.workload != candidate.cell.workload {
        return None;
    }
    let loss = ratio(base, candidate).filter(|r| r.high.is_some_and(|high| high < 1.0 - MARGIN.0))?;
    let mean_of = |cell: &CellEvidence, of: fn(&RunEvidence) -> Option<f64>| {
        cell.runs.iter().map(of).collect::<Option<Vec<f64>>>().map(|v| average(&v)).filter(|v| *v > 0.0)
    };
    let more = mean_of(candidate, rows)? / mean_of(base, rows)?;
    if more <= MORE {
        return None;
    }
    let dearer = mean_of(candidate, cpu)? / mean_of(base, cpu)?;
    let symptom =
        format!("{} answers {} fewer queries than {}.", name(candidate), Share(1.0 - loss.value), base.cell.id);
    let seen = format!(
        "An operation looks at × {} rows at × {} CPU per row ({} rows in {}).",
        round3(more),
        round3(dearer / more),
        round3(mean_of(candidate, rows)?),
        candidate.cell.id
    );
    Some(Case {
        place: Place { cell: candidate.cell.id.clone(), time: Time::Loss(base.cell.id.clone()) },
        cost: cost(scene, base, candidate),
        evidence: [base, candidate].map(|c| c.cell.id.to_string()).to_vec(),
        ..Case::of(candidate, symptom, Necessary::Present(seen))
    })
}

/// How much of the CPU that an operation costs more its rows cost, at the base's price per row.
fn cost(scene: &Scene, base: &CellEvidence, candidate: &CellEvidence) -> Option<Cost> {
    let fit = work::sweep(scene, base, rows, cpu);
    let by_block = |cell: &CellEvidence| -> Option<BTreeMap<u32, (f64, f64)>> {
        cell.runs.iter().map(|run| Some((run.run.block, (rows(run)?, cpu(run)?)))).collect()
    };
    let (before, after) = (by_block(base)?, by_block(candidate)?);
    let each = before.iter().filter_map(|(block, (rows, cpu))| {
        let (more_rows, more_cpu) = after.get(block)?;
        let price = fit.as_ref().map_or(cpu / rows, |fit| fit.slope);
        (more_cpu > cpu).then(|| (more_rows - rows) * price / (more_cpu - cpu))
    });
    let share: Interval = mean::plain(&each.collect::<Vec<_>>())?;
    let price = fit.map_or("all CPU laid on the rows".to_string(), |fit| {
        format!("{} µs and {} µs per row, fitted over {} cells", round3(fit.fixed), round3(fit.slope), fit.levels)
    });
    let sentence = format!(
        "At what a row costs the other ({price}), the rows cover {} of the CPU that an operation costs more.",
        Share(share.value)
    );
    Some(Cost { share, open: Share(0.0), sentence })
}
