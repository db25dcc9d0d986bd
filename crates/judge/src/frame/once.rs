//! What is told of a whole record at once though it is looked at run by run, or cell by cell: what the machine, the
//! clock or the length of the runs bring with them is the same for all cells, and said of each it hides what is wrong
//! with one. The worst of all cells is told, with how many there are.
//!
//! Such a check may warn and strikes no number: what strikes one is told of its cell.

use super::check::{Check, Each, Look};
use super::evidence::Evidence;
use model::Status;
use model::verdict::Verdict;

impl Check {
    /// The worst of all cells as one verdict; `None` where there is no number.
    pub(super) fn once(&self, each: Each, evidence: &Evidence) -> Option<Verdict> {
        let look = match each {
            Each::Run(look) => Look::Run(look),
            Each::Cell(look) => Look::Cell(look),
        };
        let alone = Self { look, ..*self };
        let judged = evidence.cells.iter().filter(|cell| cell.no_number().is_none());
        let all: Vec<Verdict> = judged.filter_map(|cell| alone.of_cell(cell)).collect();
        let applied = all.iter().filter(|v| v.verdict != Status::NotApplicable).count();
        let alike = all.iter().map(|v| v.verdict).max()?;
        let many = all.iter().filter(|v| v.verdict == alike).count();
        let worst = all.into_iter().find(|v| v.verdict == alike)?;
        let sentence = match alike.is_open() && applied > 1 {
            true => format!("In {many} of {applied} cells, first: {}", worst.sentence),
            false => worst.sentence,
        };
        Some(Verdict { sentence, phases: Vec::new(), ..worst })
    }
}
