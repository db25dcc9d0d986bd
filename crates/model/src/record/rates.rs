//! The rates by which it is told whether repetitions are enough (`repetitions = "until 2 %"`): of each cell and phase
//! that measures, run by run. The lab gathers them as runs end and the judge from a record; both ask one rule.

use super::run::RunRecord;
use crate::plan::CellId;
use crate::precision::Precision;
use std::collections::BTreeMap;

/// By cell and phase that measures: statements per second of its runs, in order of their blocks.
pub type Rates = BTreeMap<(CellId, String), Vec<f64>>;

/// Whether these rates after so many blocks are enough: the reason to stop, or `None` to go on.
pub type Enough = fn(&Precision, &Rates, u32) -> Option<String>;

/// What a run adds; one that was not done, or explains, adds nothing.
pub fn add(rates: &mut Rates, run: &RunRecord) {
    if !run.is_done() || run.is_beside() {
        return;
    }
    for phase in run.measured().filter(|phase| phase.to > phase.from) {
        let statements = phase.groups.values().flat_map(|group| group.tally.statements.values());
        let rate = statements.map(|s| s.calls).sum::<u64>() as f64 / phase.length().seconds();
        if rate > 0.0 {
            rates.entry((run.cell.clone(), phase.name.clone())).or_default().push(rate);
        }
    }
}
