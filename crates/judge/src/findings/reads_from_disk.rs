//! Data that do not fit in memory are read again and again. A page from a disk takes a hundred times as long as one in
//! the buffer pool, and a few of them per operation are most of its time. The server counts the pages, and
//! performance_schema times the reads of the users' own threads. Data that would fit and are read all the same are a
//! cold cache: then warming up is what is missing, and not memory.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::account::{in_files, per_operation, per_operation_of};
use crate::frame::regime::{data_of, pool_of};
use crate::frame::{CellEvidence, RunEvidence};
use model::plan::served::HEAP;
use model::units::{Bytes, Share, round3};

const READS: &str = "db.page_reads";
const TIME: &str = "foreground.data_time";
const TIME_OF_POSTGRESQL: &str = "postgres.read_ms";
/// Pages per operation: a read every hundred operations is a detail.
const MANY: f64 = 0.01;
/// Beside data the pool holds undo, the dictionary and pages that are half empty.
const ROOM: f64 = 1.5;
/// The share of the host's memory that a pool may be proposed to take.
const OF_MEMORY: Share = Share(0.5);
const STEP: u64 = 64 * Bytes::MIB;

pub const CAUSE: Cause = Cause {
    id: "reads_from_disk",
    symptom: || format!("more than {MANY} pages per operation are read from disk"),
    necessary: || format!("the data are larger than the buffer pool (`{READS}`, the datasets' size)"),
    test: || {
        format!("reads of data files (`{TIME}`, `{TIME_OF_POSTGRESQL}`) cover {SUFFICIENT} of an operation's time")
    },
    intervention: || format!("a buffer pool that holds the data closes {CLOSES} of that time"),
    source: include_str!("reads_from_disk.rs"),
    indicator: Some(reads),
    within: &["files"],
    look,
};

fn reads(run: &RunEvidence) -> Option<f64> {
    per_operation(run, READS)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let reads = per_operation_of(cell, READS).filter(|reads| *reads > MANY)?;
    let symptom = format!("{}: each operation reads {} pages from disk.", name(cell), round3(reads));
    let sizes = cell.runs.iter().map(sizes).collect::<Option<Vec<_>>>();
    let sizes = sizes.and_then(|all| all.into_iter().max_by_key(|(data, _)| *data));
    let necessary = match sizes {
        None => Necessary::NotMeasured("the size of the data or of the buffer pool is not known".into()),
        Some((data, pool)) if data < pool => Necessary::Contradicted,
        Some((data, pool)) => Necessary::Present(format!("{data} of data do not fit in a buffer pool of {pool}.")),
    };
    let mut case = Case::of(cell, symptom, necessary);
    case.cost = Cost::of_operation(cell, "Reading data files", |run| match run.cell.server.engine == HEAP {
        // Nothing where `track_io_timing` is off.
        true => per_operation(run, TIME_OF_POSTGRESQL).filter(|millis| *millis > 0.0).map(|millis| millis * 1e3),
        false => in_files(cell, run, TIME),
    });
    case.next_experiment = sizes.and_then(|(data, _)| next::experiment(cell, CAUSE.id, larger(cell, data)));
    Some(case)
}

/// The size of the data, and of the memory for their pages.
fn sizes(run: &RunEvidence) -> Option<(Bytes, Bytes)> {
    Some((Bytes(data_of(run)), Bytes(pool_of(run)?))).filter(|(data, _)| data.0 > 0)
}

/// A pool that holds the data, where the host has room for it.
fn larger(cell: &CellEvidence, data: Bytes) -> Option<Change> {
    let size = ((data.0 as f64 * ROOM) as u64).div_ceil(STEP) * STEP;
    let most = OF_MEMORY.0 * cell.runs.first()?.record.host.memory.0 as f64;
    if size as f64 > most { None } else { Change::setting(cell, "buffer_pool", i64::try_from(size).ok()?) }
}
