//! What a server that was there before the lab has of its own: tables that match are used as they are; the lab writes
//! only into a schema that it made itself, which a marker table proves.

use super::control::Control;
use super::loader::{by_itself, check_spots, inspect};
use crate::backends::dsn;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::{Found, MARKER, behind};
use crate::backends::loading::{LoadFault, Loaded, world};
use crate::trouble::Trouble;
use model::Users;
use model::plan::LAB_SESSIONS;
use std::time::Duration;
use workload::dataset::{Dataset, Rows};
use workload::session::Fault;

/// For a server that has just refused users.
const NO_ROOM_PATIENCE: Duration = Duration::from_secs(5);

/// The server behind a DSN, the endpoint to it outside any schema, and a session that came through it.
pub fn knock(name: &str) -> Result<(Found, SqlEndpoint, Control), Trouble> {
    knock_at(dsn::endpoint(name, std::env::var(dsn::PASSWORD).unwrap_or_default())?, name)
}

/// Whether the server behind a DSN takes so many users; who is already there is not counted, because they may leave.
pub(crate) fn has_room(name: &str, users: Users) -> Result<(), Trouble> {
    let (_, _, mut control) = knock(name)?;
    // A server that does not say its limit tells it when it is met.
    let limit = control.value("SELECT @@max_connections").ok().flatten().and_then(|limit| limit.parse::<u64>().ok());
    control.quit();
    match limit {
        Some(limit) if limit < u64::from(users.0) => {
            let what = format!("{name} takes {limit} sessions at most (max_connections), and the plan has {users}");
            let needed = u64::from(users.0) + u64::from(LAB_SESSIONS);
            Err(Trouble::new(what).mend(format!("SET GLOBAL max_connections = {needed} there, or ask for fewer users")))
        }
        Some(_) | None => Ok(()),
    }
}

/// The same where the endpoint is known.
pub(crate) fn knock_at(endpoint: SqlEndpoint, name: &str) -> Result<(Found, SqlEndpoint, Control), Trouble> {
    let (found, endpoint) = behind(endpoint)?;
    let control =
        Control::connect(&endpoint).map_err(|e| Trouble::new(format!("{name} refuses the lab")).because(e))?;
    Ok((found, endpoint, control))
}

/// What lies in a schema, seen from one dataset.
pub enum Lying {
    Nothing,
    /// Made by a lab, and not this dataset: may be replaced.
    Ours,
    /// The dataset. Rows that no lab made (`ours` is false) are counted, and not compared with the generator.
    Matching {
        ours: bool,
        loaded: Loaded,
    },
    /// Somebody else's, and why it is not the dataset.
    Others(String),
}

pub fn lying(root: &SqlEndpoint, schema: &str, name: &str, dataset: &dyn Dataset) -> Result<Lying, LoadFault> {
    let mut control = Control::connect(root).map_err(world)?;
    let schemata = format!("SELECT schema_name FROM information_schema.schemata WHERE schema_name = '{schema}'");
    if control.rows(&schemata).map_err(world)?.is_empty() {
        return Ok(Lying::Nothing);
    }
    control.execute(&format!("USE {schema}")).map_err(world)?;
    let names = control.rows("SHOW TABLES").map_err(world)?;
    let there = |name: &str| names.iter().flatten().flatten().any(|n| n == name);
    let ours = there(MARKER);
    let complete =
        !ours || control.value(&format!("SELECT dataset FROM {MARKER}")).map_err(world)?.as_deref() == Some(name);
    let mut tables = dataset.tables();
    if matches!(dataset.rows(), Rows::ByItself(_)) {
        tables = by_itself::lying(&mut control).map_err(world)?;
        tables.retain(|table| table.name != MARKER);
        if tables.is_empty() && !ours {
            control.quit();
            return Ok(Lying::Others("it has no tables".into()));
        }
    }
    let why = match tables.iter().find(|t| !there(&t.name)) {
        Some(absent) => format!("it has no table {}", absent.name),
        None if !complete => "it holds another dataset".to_string(),
        None => {
            let answers = inspect(&mut control, &tables, Vec::new())?;
            match answers.iter().find(|t| t.rows != t.rows_wanted) {
                Some(t) => format!("its {} has {} rows where {} are wanted", t.name, t.rows, t.rows_wanted),
                None => {
                    let (rows_checked, rows_wrong) =
                        if ours { check_spots(&mut control, dataset, &tables)? } else { (0, 0) };
                    control.quit();
                    let rows = answers.iter().map(|t| t.rows).sum();
                    let loaded = Loaded { tables: answers, rows, rows_checked, rows_wrong };
                    return Ok(Lying::Matching { ours, loaded });
                }
            }
        }
    };
    control.quit();
    Ok(if ours { Lying::Ours } else { Lying::Others(why) })
}

/// Says in a fresh schema that the lab made it; `complete` names the dataset that lies in it.
pub fn mark(endpoint: &SqlEndpoint, complete: Option<&str>) -> Result<(), Fault> {
    let mut control = Control::connect(endpoint)?;
    match complete {
        None => control.execute(&format!("CREATE TABLE {MARKER} (dataset VARCHAR(100))"))?,
        Some(dataset) => control.execute(&format!("INSERT INTO {MARKER} VALUES ('{dataset}')"))?,
    };
    control.quit();
    Ok(())
}

/// Takes the word back before somebody writes: what a run leaves, or a killed one, is no dataset.
pub fn unmark(endpoint: &SqlEndpoint) -> Result<(), Fault> {
    let mut control = Control::connect(endpoint)?;
    control.execute(&format!("DELETE FROM {MARKER}"))?;
    control.quit();
    Ok(())
}

/// How many sessions it admits. It has just refused users for want of room, may refuse the lab too, and is not waited
/// for.
pub(super) fn session_limit(endpoint: &SqlEndpoint) -> Option<String> {
    let mut control = Control::connect_with(endpoint, NO_ROOM_PATIENCE).ok()?;
    let limit = control.value("SELECT @@max_connections").ok().flatten();
    control.quit();
    Some(format!("max_connections = {}", limit?))
}
