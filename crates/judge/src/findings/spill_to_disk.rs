//! A sort or a temporary table that does not fit in its memory goes through files. Small ones stay in memory and cost
//! nothing of this, so a threshold that data have just crossed shows as a step. The server counts tables on disk and
//! passes of merging; which of the two it is decides which memory is too small.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, name};
use super::frame::next::{self, Change};
use crate::frame::account::{in_files, per_operation, per_operation_of};
use crate::frame::{CellEvidence, RunEvidence};
use model::units::{Bytes, round3};

const TABLES: &str = "db.tmp_disk_tables";
const MERGES: &str = "db.sort_merge_passes";
const FILES: &str = "postgres.temp_files";
const TIME: &str = "foreground.temporary_time";
/// Per operation.
const MANY: f64 = 0.01;
const LARGER: i64 = 32;

pub const CAUSE: Cause = Cause {
    id: "spill_to_disk",
    symptom: || {
        format!("more than {MANY} temporary tables on disk, or passes of merging, or temporary files, per operation")
    },
    necessary: || format!("they are counted (`{TABLES}`, `{MERGES}`; of PostgreSQL files, `{FILES}`)"),
    test: || format!("calls on temporary files (`{TIME}`) cover {SUFFICIENT} of an operation's time"),
    intervention: || format!("{LARGER} times the memory for sorting, or for tables, closes {CLOSES} of that time"),
    source: include_str!("spill_to_disk.rs"),
    indicator: Some(spills),
    within: &["files"],
    look,
};

fn spills(run: &RunEvidence) -> Option<f64> {
    let of = |counter| per_operation(run, counter);
    of(TABLES).into_iter().chain(of(MERGES)).chain(of(FILES)).reduce(|a, b| a + b)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let of = |counter| per_operation_of(cell, counter).unwrap_or(0.0);
    let (tables, merges, files) = (of(TABLES), of(MERGES), of(FILES));
    if files > MANY {
        return Some(in_postgresql(cell, files, of("postgres.temp_bytes")));
    }
    if tables.max(merges) <= MANY {
        return None;
    }
    let symptom = format!("{}: statements go through temporary files.", name(cell));
    let seen = format!(
        "An operation makes {} temporary tables on disk and {} passes of merging.",
        round3(tables),
        round3(merges)
    );
    let mut case = Case::of(cell, symptom, Necessary::Present(seen));
    case.cost = Cost::of_operation(cell, "Reading and writing them", |run| in_files(cell, run, TIME));
    let larger = |name| Change::variable(cell, name, |size| size * LARGER);
    let removes = if merges > tables {
        larger("sort_buffer_size")
    } else {
        // MySQL 8.0 asks this of its engine for such tables, the others of the engine MEMORY.
        larger("tmp_memory_table_size").or_else(|| larger("temptable_max_ram")).or_else(|| larger("tmp_table_size"))
    };
    case.next_experiment = next::experiment(cell, CAUSE.id, removes);
    Some(case)
}

/// Sorts, hashes and what else has `work_mem` alike; what their files take is not timed.
fn in_postgresql(cell: &CellEvidence, files: f64, bytes: f64) -> Case {
    let symptom = format!("{}: statements go through temporary files.", name(cell));
    let seen = format!("An operation makes {} temporary files, {} of them.", round3(files), Bytes(bytes as u64));
    let mut case = Case::of(cell, symptom, Necessary::Present(seen));
    case.next_experiment = next::experiment(cell, CAUSE.id, Change::variable(cell, "work_mem", |size| size * LARGER));
    case
}
