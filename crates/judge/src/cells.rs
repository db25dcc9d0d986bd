//! The judgement of each cell: its numbers, its verdicts, its bound. A cell without a single finished run has a reason where
//! its number would stand, and no verdicts but the one that says so.

use crate::evidence::{CellEvidence, Evidence};
use crate::{bound, checks, metrics};
use model::judgement::CellJudgement;
use model::verdict::{Status, Verdict};

pub fn all(evidence: &Evidence) -> Vec<CellJudgement> {
    evidence.cells.iter().map(one).collect()
}

fn one(cell: &CellEvidence) -> CellJudgement {
    let metrics = metrics::metrics(cell);
    let no_number = cell.no_number();
    let verdicts: Vec<Verdict> = match no_number {
        None => checks::ALL.iter().filter_map(|check| check.on_cell(cell)).collect(),
        Some(_) if cell.failed().next().is_some() => {
            checks::operations_succeeded::CHECK.on_cell(cell).into_iter().collect()
        }
        Some(_) => Vec::new(),
    };
    let worst = verdicts.iter().map(|v| v.verdict).max();
    let runs = cell.runs.iter().map(|r| r.run).chain(cell.endings.iter().copied());
    CellJudgement {
        id: cell.cell.id.clone(),
        axes: cell.cell.axes.clone(),
        workload: cell.cell.workload.clone(),
        metrics: metrics.whole,
        operations: metrics.operations,
        statements: metrics.statements,
        repetitions: metrics.repetitions,
        runs: runs.map(|r| r.id.to_string()).collect(),
        bound: bound::of(cell, &verdicts),
        verdicts,
        status: worst.unwrap_or(Status::NotEvaluable),
        no_number,
    }
}
