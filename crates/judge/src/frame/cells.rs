//! The judgement of each cell: its numbers, its verdicts, its bound. A cell without a single finished run has a reason
//! where its number would stand, and no verdicts but the one that says so.

use super::evidence::{CellEvidence, Evidence};
use super::metrics;
use super::{account, bound, errors, phases};
use crate::checks;
use crate::compare::comparisons::KNEE;
use model::search::Goal;
use model::{CellJudgement, Status, Verdict};

pub fn all(evidence: &Evidence) -> Vec<CellJudgement> {
    let lowest = account::lowest(&evidence.cells);
    evidence.cells.iter().map(|cell| one(cell, lowest.get(&cell.cell.id).copied())).collect()
}

/// What the answer of a search is called among the metrics.
fn answer_name(cell: &CellEvidence) -> &'static str {
    match cell.cell.search.as_ref().map(|s| s.goal) {
        Some(Goal::Users) => "peak_users",
        Some(Goal::Rate { .. }) | None => KNEE,
    }
}

fn one(cell: &CellEvidence, lowest: Option<&CellEvidence>) -> CellJudgement {
    let metrics = metrics::metrics(cell);
    let no_number = cell.no_number();
    let verdicts: Vec<Verdict> = match no_number {
        None => checks::ALL.iter().filter_map(|check| check.on_cell(cell)).collect(),
        Some(_) if cell.failed().next().is_some() => {
            checks::operations_succeeded::CHECK.on_cell(cell).into_iter().collect()
        }
        Some(_) => Vec::new(),
    };
    let mut metrics = metrics;
    if let Some(answer) = cell.search.as_ref().and_then(|s| s.answer.clone()) {
        metrics.whole.insert(answer_name(cell).into(), answer);
    }
    let counted = verdicts.iter().filter(|v| !v.quarantined && v.verdict != Status::NotApplicable);
    let worst = counted.map(|v| v.verdict).max();
    let runs = cell.runs.iter().map(|r| r.run).chain(cell.endings.iter().copied());
    CellJudgement {
        id: cell.cell.id.clone(),
        axes: cell.cell.axes.clone(),
        workload: cell.cell.workload.clone(),
        metrics: metrics.whole,
        operations: metrics.operations,
        statements: metrics.statements,
        groups: phases::groups(cell),
        phases: phases::of(cell, &verdicts),
        repetitions: metrics.repetitions,
        runs: runs.map(|r| r.id.to_string()).collect(),
        bound: bound::of(cell, &verdicts),
        account: account::of(cell, lowest),
        verdicts,
        status: worst.unwrap_or(Status::NotEvaluable),
        explain: cell.explain.cloned(),
        no_number,
        errors: errors::of(cell),
    }
}
