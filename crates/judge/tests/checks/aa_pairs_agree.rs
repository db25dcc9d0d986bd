//! The check `aa_pairs_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::plan::CellId;
use model::record::Record;
use model::verdict::Status::{NotApplicable, Pass, Warn};

/// An A/A arm: the first cell once more, with runs of its own.
pub fn add_twin(record: &mut Record) {
    let id = CellId(format!("c{:03}", record.plan.cells.len() + 1));
    let twin =
        model::plan::Cell { id: id.clone(), repeats: Some(CellId("c001".into())), ..record.plan.cells[0].clone() };
    record.plan.cells.push(twin);
    let runs: Vec<_> = of_cell(record, "c001").map(|r| r.clone()).collect();
    for mut run in runs {
        run.id = model::plan::RunId(format!("{id}-{}", run.repetition));
        run.cell = id.clone();
        record.runs.push(run);
    }
}

#[test]
fn a_pair_that_should_agree_and_does_not_makes_all_claims_warn() {
    assert_eq!(status(&record(), "aa_pairs_agree"), NotApplicable);
    let mut record = record();
    add_twin(&mut record);
    assert_eq!(status(&record, "aa_pairs_agree"), Pass);
    of_cell(&mut record, "c005").for_each(|r| set_rate(r, QPS * 1.1));
    assert_eq!(status(&record, "aa_pairs_agree"), Warn);
    assert!(judge(&record).claims.iter().filter(|c| c.sentence.contains("comparisons")).all(|c| c.status == Warn));
}
