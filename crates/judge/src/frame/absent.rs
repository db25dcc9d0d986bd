//! What a server cannot have and a user cannot ask: a cache has no tables, transactions or log, and who comes by key
//! has no statement that a server would plan. A check of such a thing passes there and says why; whatever else was not
//! measured stays not evaluable.

use super::evidence::CellEvidence;
use model::plan::served::CACHE;
use model::protocol::{Protocol, past_sql};

/// Checks of what lies in tables and becomes of it.
const OF_TABLES: [&str; 7] = [
    "counts_agree",
    "flushing_was_settled",
    "purge_kept_up",
    "regime_was_cached",
    "schema_as_declared",
    "starting_states_agree",
    "window_covers_cycles",
];
const OF_STATEMENTS: &str = "plans_were_stable";

/// What is not there, in two words and as a sentence; `None` where such a check has something to look at.
pub fn missing(check: &str, cell: &CellEvidence) -> Option<(&'static str, &'static str)> {
    let is_cache = !cell.runs.is_empty() && cell.runs.iter().all(|run| run.instance.is_some_and(|i| i.kind == CACHE));
    let by_key = cell.cell.works().iter().all(|work| past_sql(&work.workload).is_some_and(Protocol::is_key_value));
    if is_cache && OF_TABLES.contains(&check) {
        Some(("no tables", "The server is a cache, which has no tables, no transactions and no log."))
    } else if by_key && check == OF_STATEMENTS {
        Some(("no statements", "Nobody speaks SQL here: there is no statement to plan."))
    } else {
        None
    }
}
