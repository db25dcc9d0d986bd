//! What one record says of two builds: the ratio of the second to the first in each block. A check of the work that
//! failed makes the two incomparable; one of the times makes noise, which is in the ratios, and is told beside them.

use crate::checks;
use crate::compare::values::Values;
use crate::frame::{Doubts, Evidence};
use model::{Details, Judgement, Record, Status, Verdict};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// In the order of the blocks.
    pub ratios: Vec<f64>,
    /// Ids of checks.
    pub doubts: Vec<String>,
}

/// Why a record says nothing of a build.
#[derive(Clone, Debug, PartialEq)]
pub enum Unpaired {
    /// The candidate: it did not start, or did other work.
    Candidate(String),
    /// The good end, without which nothing can be said of any.
    Good(String),
    /// Nobody counts this.
    Metric,
}

/// The ratios of a record of two builds, of which the first is the good end.
pub fn of_record(
    record: &Record,
    details: &dyn Details,
    judgement: &Judgement,
    metric: &str,
) -> Result<Paired, Unpaired> {
    let evidence = Evidence::of(record, details);
    let [good, candidate] = &evidence.cells[..] else {
        return Err(Unpaired::Candidate(absent(record)));
    };
    for (cell, is_good) in [(good, true), (candidate, false)] {
        // One run of several that was not done leaves its block out.
        if let Some(why) = cell.no_number() {
            return Err(if is_good { Unpaired::Good(why) } else { Unpaired::Candidate(why) });
        }
    }
    let of_cells = judgement.cells.iter().flat_map(|cell| cell.verdicts.iter().map(move |v| (Some(&cell.id), v)));
    let all = judgement.verdicts.iter().map(|verdict| (None, verdict)).chain(of_cells);
    let mut doubts = BTreeSet::new();
    for (cell, verdict) in all.filter(|(_, verdict)| verdict.counts_as() == Status::Fail) {
        match of(verdict) {
            Doubts::Work if cell == Some(&good.cell.id) => return Err(Unpaired::Good(verdict.sentence.clone())),
            Doubts::Work => return Err(Unpaired::Candidate(verdict.sentence.clone())),
            Doubts::Times => doubts.insert(verdict.check.clone()),
        };
    }
    let ratios = Values::of(candidate).ratios(&Values::of(good), metric).ok_or(Unpaired::Metric)?;
    Ok(Paired { ratios, doubts: doubts.into_iter().collect() })
}

/// Why a build has no cell.
fn absent(record: &Record) -> String {
    let skipped = record.plan.skipped.first().map(|skipped| skipped.reason.clone());
    skipped.unwrap_or_else(|| "it has no cell of its own".into())
}

fn of(verdict: &Verdict) -> Doubts {
    checks::ALL.iter().find(|check| check.id == verdict.check).map_or(Doubts::Work, |check| check.doubts)
}
