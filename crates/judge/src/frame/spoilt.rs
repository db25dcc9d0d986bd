//! Runs that a neighbour spoilt and that may be carried out again: those whose number is struck by a check of the
//! machine itself (`model::verdict::OF_MACHINE`). What a run came to is never looked at. A repetition that was chosen
//! because its rate was low would make every record faster than its server; a neighbour does not know what we measured.
//! Not here: runs of a search, because each decided which one came next.

use super::check::Check;
use super::evidence::{CellEvidence, Evidence, RunEvidence};
use model::verdict::OF_MACHINE;
use model::{EventKind, RunId, Status};

/// A machine that spoils the same run as often is not one to measure on, and to go on would be to wait for a lucky
/// moment.
pub const MOST_AGAIN: usize = 3;

/// A run, and what a check says of its machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoilt {
    pub run: RunId,
    /// As `machine_was_quiet`.
    pub check: &'static str,
    pub sentence: String,
    /// How often it was carried out again before.
    pub before: usize,
}

impl Spoilt {
    pub fn may_be_repeated(&self) -> bool {
        self.before < MOST_AGAIN
    }
    /// As an event tells it.
    pub fn why(&self) -> String {
        format!("{} is carried out again because {} failed: {}", self.run, self.check, self.sentence)
    }
}

/// In order of the plan's cells; each run once.
pub fn all(checks: &'static [Check], evidence: &Evidence) -> Vec<Spoilt> {
    let of_machine: Vec<_> = checks.iter().filter(|c| OF_MACHINE.contains(&c.id) && !c.quarantined).collect();
    let cells = evidence.cells.iter().filter(|cell| cell.search.is_none());
    cells.flat_map(|cell| of_cell(&of_machine, cell)).collect()
}

fn of_cell(checks: &[&'static Check], cell: &CellEvidence) -> Vec<Spoilt> {
    let failed = |check: &Check, cell: &CellEvidence| {
        check.on_cell(cell).filter(|verdict| verdict.counts_as() == Status::Fail).map(|verdict| verdict.sentence)
    };
    let mut spoilt: Vec<Spoilt> = Vec::new();
    for check in checks {
        let Some(together) = failed(check, cell) else { continue };
        let alone = |run: &RunEvidence| Some((run.run.id.clone(), failed(check, &of_run(cell, run))?));
        let mut found: Vec<_> = cell.runs.iter().filter_map(alone).collect();
        if found.is_empty() {
            // Each a little: over one run the clock's ticks do not resolve what they resolve over all.
            found = cell.runs.iter().map(|run| (run.run.id.clone(), together.clone())).collect();
        }
        for (run, sentence) in found {
            if spoilt.iter().all(|known| known.run != run) {
                spoilt.push(Spoilt { before: repeated(cell, &run), run, check: check.id, sentence });
            }
        }
    }
    spoilt
}

/// The cell as if it had this run only.
fn of_run<'a>(cell: &CellEvidence<'a>, run: &RunEvidence<'a>) -> CellEvidence<'a> {
    CellEvidence { runs: vec![run.clone()], ..cell.clone() }
}

fn repeated(cell: &CellEvidence, run: &RunId) -> usize {
    let events = cell.runs.iter().take(1).flat_map(|of| &of.record.events);
    events.filter(|event| event.kind == EventKind::RunRepeated && event.run.as_ref() == Some(run)).count()
}
