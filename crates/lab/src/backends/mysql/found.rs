//! A server of MySQL's family that was there before the lab: whether it lets the lab in, and how many sessions it
//! takes.

use super::control::Control;
use crate::backends::dsn;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::{Found, behind};
use crate::trouble::Trouble;
use model::Users;
use model::plan::LAB_SESSIONS;
use std::time::Duration;

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

/// What tells the threads of sessions: MariaDB's table, else MySQL's. A pool's threads are nobody's.
const SERVING: [&str; 2] = [
    "SELECT TID FROM information_schema.PROCESSLIST WHERE TID IS NOT NULL AND ID <> CONNECTION_ID() \
     AND @@thread_handling = 'one-thread-per-connection'",
    "SELECT THREAD_OS_ID FROM performance_schema.threads WHERE THREAD_OS_ID IS NOT NULL AND TYPE = 'FOREGROUND' \
     AND PROCESSLIST_ID <> CONNECTION_ID() AND @@thread_handling = 'one-thread-per-connection'",
];

/// The threads that serve other sessions than this one.
pub(super) fn serving(endpoint: &SqlEndpoint) -> Option<Vec<u32>> {
    let mut control = Control::connect_with(endpoint, NO_ROOM_PATIENCE).ok()?;
    let rows = SERVING.into_iter().find_map(|sql| control.rows(sql).ok());
    control.quit();
    Some(rows?.into_iter().flatten().filter_map(|tid| tid?.parse().ok()).collect())
}

/// How many sessions it admits. It has just refused users for want of room, may refuse the lab too, and is not waited
/// for.
pub(super) fn session_limit(endpoint: &SqlEndpoint) -> Option<String> {
    let mut control = Control::connect_with(endpoint, NO_ROOM_PATIENCE).ok()?;
    let limit = control.value("SELECT @@max_connections").ok().flatten();
    control.quit();
    Some(format!("max_connections = {}", limit?))
}
