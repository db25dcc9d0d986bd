//! The causes that findings are made of, one file each. The opening of a cause's file is the page that `assay explain`
//! prints. Adding a cause is adding its file and its line here.

mod adaptive_hash;
mod admission_control;
mod allocator;
mod binlog_commit;
mod blocking_lock;
mod checkpoint_stalls;
mod compaction_stalls;
mod connection_churn;
mod cpu_capacity;
mod cpu_moved;
mod daemon_waits;
mod durable_commit;
pub mod frame;
mod free_pages;
mod history_rows;
mod implicit_time;
mod more_rows;
mod mutex_convoy;
mod non_hot_updates;
pub(crate) mod old_versions;
mod page_splits;
mod plan_change;
mod read_view_per_get;
mod reads_from_disk;
mod row_locks;
mod spill_to_disk;
mod spinning;
mod table_cache;
mod temporary_tables;
mod transaction_per_get;

use frame::finding::Cause;

/// What takes time in one place first, then what grows with the users.
pub const ALL: &[Cause] = &[
    temporary_tables::CAUSE,
    page_splits::CAUSE,
    non_hot_updates::CAUSE,
    reads_from_disk::CAUSE,
    durable_commit::CAUSE,
    checkpoint_stalls::CAUSE,
    free_pages::CAUSE,
    adaptive_hash::CAUSE,
    row_locks::CAUSE,
    table_cache::CAUSE,
    plan_change::CAUSE,
    cpu_moved::CAUSE,
    spill_to_disk::CAUSE,
    binlog_commit::CAUSE,
    connection_churn::CAUSE,
    compaction_stalls::CAUSE,
    more_rows::CAUSE,
    history_rows::CAUSE,
    implicit_time::CAUSE,
    read_view_per_get::CAUSE,
    transaction_per_get::CAUSE,
    daemon_waits::CAUSE,
    old_versions::CAUSE,
    cpu_capacity::CAUSE,
    spinning::CAUSE,
    mutex_convoy::CAUSE,
    blocking_lock::CAUSE,
    allocator::CAUSE,
    admission_control::CAUSE,
];
