//! A transaction that is begun and has read: what a snapshot and its placebos have in common, so that they differ in
//! the isolation alone. And what the engine itself says of open snapshots, as a second witness beside the canary.

use super::{Scene, Teller};
use crate::trouble::Trouble;

/// Begins a transaction and reads one row of the table in it.
pub fn hold(scene: &Scene, holder: &mut Teller, isolation: &str, table: &str) -> Result<(), Trouble> {
    let level = scene.place.target.isolation(isolation);
    holder.say(&[&level, "START TRANSACTION"])?;
    holder.rows(&format!("SELECT 1 FROM {table} LIMIT 1")).map(drop)
}

/// Ends the transaction, if its session is still there to do so: else that is why it was not what it is named after,
/// unless a reason is known already.
pub fn leave(mut holder: Teller, otherwise: Option<String>) -> Option<String> {
    match holder.say(&["ROLLBACK"]) {
        Ok(()) => {
            holder.quit();
            otherwise
        }
        Err(gone) => otherwise.or_else(|| Some(format!("its session was gone at the end: {gone}"))),
    }
}

/// The engine's own number of what this session holds, with its name; `None` where it tells none.
pub fn engine_says(scene: &Scene, holder: &mut Teller) -> Option<(&'static str, f64)> {
    let (what, sql) = scene.place.target.held(&scene.place.engine)?;
    Some((what, holder.value(sql).ok()??.parse().ok()?))
}
