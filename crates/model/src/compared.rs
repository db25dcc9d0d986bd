//! Two records side by side: a row per pair of cells and metric, and everything else in which the two differ, because a
//! number may be that difference's and not the one that was meant. What `assay compare` prints, in every form.

use crate::estimate::{Estimate, Outcome};
use crate::plan::CellId;
use serde::{Deserialize, Serialize};

/// Raised when a field changes its meaning; additions keep it.
pub const COMPARED_SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    pub schema: u32,
    /// As they were named on the command line.
    pub base: String,
    pub candidate: String,
    /// Pairs of records that were made in turn to decide it; absent of two records as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<u32>,
    pub rows: Vec<Row>,
    /// Ratios of two cells of one record that are others in the other record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
    pub differences: Vec<Difference>,
    /// Cells of one that the other lacks, by their names.
    pub unmatched: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub base: CellId,
    pub candidate: CellId,
    pub workload: String,
    /// The workload and the values on the axes that tell the pair from the others.
    pub cell: String,
    pub metric: String,
    pub values: [Estimate; 2],
    /// candidate ÷ base.
    pub ratio: Estimate,
    pub outcome: Outcome,
    /// What the runs of an undecided row would say if its two records were no more than their runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggests: Option<Outcome>,
    /// Further repetitions of both that would probably decide an undecided one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<u32>,
    /// Why it is undecided or refused; empty for the others.
    pub why: String,
}

/// Two cells that differ on one axis, whose ratio is another in the candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    pub metric: String,
    pub axis: String,
    /// Cells of the base record: what is compared with, and what is compared.
    pub reference: CellId,
    pub subject: CellId,
    /// (subject ÷ reference) of the candidate ÷ that of the base.
    pub ratio: Estimate,
    /// With whose change it is.
    pub sentence: String,
}

/// One thing that differs, in so many of the pairs of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// `host.kernel`, `variable.sync_binlog`, `table.sbtest1.primary key`, `plan.point_selects` …
    pub key: String,
    pub base: String,
    pub candidate: String,
    /// It changes what is done, and not only how fast.
    pub work: bool,
    pub pairs: u32,
}

impl Row {
    /// The relative change of the candidate: 0.03 for 3 % more.
    pub fn change(&self) -> f64 {
        self.ratio.value - 1.0
    }
}
