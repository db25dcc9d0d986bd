//! A transaction at REPEATABLE READ that has read one row of the engine under test and stays open: old versions of
//! every row that is written meanwhile must be kept for it. BEGIN alone would hold nothing (the engine makes its
//! snapshot at the first read), and neither would READ COMMITTED, which gives it up after each statement; so both are
//! placebos, and the canary proves that this one holds to the end.

use super::scene::placebo::{engine_says, hold, leave};
use super::scene::watched_row::WatchedRow;
use super::{Deed, Disturbance, Scene};
use crate::trouble::Trouble;
use model::words::DisturbanceWords;

pub const DISTURBANCE: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "open_snapshot",
        "a transaction at REPEATABLE READ that has read one row and stays open",
        &[],
    ),
    act,
};

fn act(scene: &Scene) -> Result<Deed, Trouble> {
    let table = scene.table()?.name;
    let mut canary = WatchedRow::create(scene)?;
    let mut holder = scene.session()?;
    hold(scene, &mut holder, "REPEATABLE READ", &table)?;
    let first = canary.read();
    holder.value(&first)?;
    let (reads, otherwise) = canary.watch(scene, &mut holder, true)?;
    let engine = engine_says(scene, &mut holder);
    // Whoever is no longer there cannot have held anything.
    let otherwise = leave(holder, otherwise);
    let told = engine.as_ref().map_or(String::new(), |(what, n)| format!("; {what} was {n}"));
    let sentence = match &otherwise {
        None => {
            format!("A snapshot of {table} was open to the end: the canary's first value was read {reads} times{told}.")
        }
        Some(why) => format!("The transaction was open, but {why}{told}."),
    };
    let mut facts = [("canary_reads", reads as f64), ("canary_writes", canary.value() as f64)].into_iter().collect();
    if let (Some((_, n)), facts) = (engine, &mut facts) {
        let facts: &mut std::collections::BTreeMap<&'static str, f64> = facts;
        facts.insert("engine_indicator", n);
    }
    Ok(Deed { sentence, facts, failed: otherwise })
}
