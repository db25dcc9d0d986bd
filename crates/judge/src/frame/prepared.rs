//! Whether two runs began on data that were prepared alike. A copy of a snapshot is not what a load leaves: its files
//! lie in other places, and the server has just started. But data that were found in a server and compared with their
//! generator are what an earlier lab loaded there and nobody has written into since, which is what a load of this lab
//! leaves too; in what else the two may differ (what the buffer pool holds, what is still to be flushed or purged) is
//! read of each run, and judged by itself.
//!
//! Data that were only counted, because no lab made them, are not known to be those of a load.

use super::evidence::RunEvidence;
use model::record::start::Prepared;
use model::{StartingState, TableAnswer};

pub fn alike(one: &RunEvidence, other: &RunEvidence) -> bool {
    let states = one.run.start.as_ref().zip(other.run.start.as_ref());
    states.is_some_and(|(a, b)| {
        let are_as_loaded = a.datasets == b.datasets && is_as_loaded(one, a) && is_as_loaded(other, b);
        a.prepared == b.prepared || are_as_loaded
    })
}

fn is_as_loaded(run: &RunEvidence, state: &StartingState) -> bool {
    match state.prepared {
        Prepared::Snapshot => false,
        Prepared::Loaded => true,
        Prepared::Found => is_compared(run),
    }
}

/// All rows are there, and those that were compared with the generator are what it makes.
fn is_compared(run: &RunEvidence) -> bool {
    let is_whole = |tables: &[TableAnswer]| tables.iter().all(|table| table.rows == table.rows_wanted);
    !run.datasets.is_empty()
        && run.datasets.iter().all(|data| data.rows_checked > 0 && data.rows_wrong == 0 && is_whole(&data.tables))
}
