//! What a run on PostgreSQL begins with, asked just before its users come: whose data, how they came there, how large
//! they are, and what has been written to the log since the last checkpoint.

use super::session::control::Control;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::Up;
use model::record::start::{Prepared, StartingState};
use model::units::Bytes;
use std::time::Duration;

/// A server that does not answer for so long has said nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// Not for every account.
const CHECKPOINT: &str =
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint FROM pg_control_checkpoint()";

pub(super) fn state(up: &Up, needs: &[DatasetNeed]) -> Option<StartingState> {
    let databases: Vec<_> = up.schemas(needs).map(|database| format!("pg_database_size('{database}')")).collect();
    if databases.is_empty() {
        return None;
    }
    let mut control = Control::connect(up.own_as::<SqlEndpoint>()?, PATIENCE).ok()?;
    let mut number = |sql: &str| control.value(sql).ok().flatten()?.parse::<u64>().ok();
    let bytes = number(&format!("SELECT {}", databases.join(" + ")));
    let checkpoint_age = number(CHECKPOINT).map(Bytes);
    control.quit();
    Some(StartingState {
        datasets: needs.iter().map(|need| (need.name.clone(), need.fingerprint())).collect(),
        prepared: if needs.iter().any(|need| up.filled.contains(&need.name)) { Prepared::Loaded } else { up.prepared },
        runs_before: up.runs,
        aged: up.aged,
        restored: up.restored.clone(),
        bytes: Bytes(bytes.unwrap_or_default()),
        leaf_pages: None,
        history: None,
        checkpoint_age,
        pool_pages: None,
    })
}
