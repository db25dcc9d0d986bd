//! Placebos of an open snapshot: the same transaction with the same read, at isolations that keep nothing. READ
//! COMMITTED makes a snapshot for each statement and gives it up; READ UNCOMMITTED makes none. The canary proves that
//! nothing was held.

use super::scene::placebo::{hold, leave};
use super::scene::watched_row::WatchedRow;
use super::{Deed, Disturbance, Scene};
use crate::trouble::Trouble;
use model::words::DisturbanceWords;

pub const READ_COMMITTED: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "begin_read_committed",
        "a placebo: the open transaction of open_snapshot at READ COMMITTED, which holds no snapshot",
        &[],
    ),
    act: |scene| act(scene, "READ COMMITTED"),
};

pub const READ_UNCOMMITTED: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "begin_read_uncommitted",
        "a placebo: the open transaction of open_snapshot at READ UNCOMMITTED, which makes no snapshot",
        &[],
    ),
    act: |scene| act(scene, "READ UNCOMMITTED"),
};

fn act(scene: &Scene, isolation: &str) -> Result<Deed, Trouble> {
    let table = scene.table()?.name;
    let mut canary = WatchedRow::create(scene)?;
    let mut holder = scene.session()?;
    hold(scene, &mut holder, isolation, &table)?;
    let (reads, failed) = canary.watch(scene, &mut holder, false)?;
    let failed = leave(holder, failed);
    let sentence = match &failed {
        None => format!(
            "A transaction at {isolation} was open to the end and held no snapshot: the canary's last value was read {reads} times."
        ),
        Some(why) => format!("A transaction at {isolation} was open, and {why}."),
    };
    let facts = [("canary_reads", reads as f64), ("canary_writes", canary.value() as f64)].into_iter().collect();
    Ok(Deed { sentence, facts, failed })
}
