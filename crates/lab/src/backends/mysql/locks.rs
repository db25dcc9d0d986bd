//! Who holds the lock that a session of the lab waited for in vain. Servers tell it in different places and not to
//! everybody: MariaDB's plugin of metadata locks, the performance schema, and where neither is readable the list of
//! transactions and sessions, which only hints. The answer is a clause for the message, because a person can ask the
//! holder and the lab cannot.

use std::time::Duration;

/// NULL as `None`.
type TextRow = Vec<Option<String>>;

/// How long the lab waits for a lock on a table that somebody else may hold: longer than any statement of a schema
/// change that is not stuck, shorter than a person's patience.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(10);
/// "Lock wait timeout exceeded", of metadata and of rows alike.
pub const LOCK_TIMEOUT: u16 = 1205;
/// Holders that are named; more are counted by nobody.
const MOST: usize = 3;

/// Each asks for session, account, what it does, for how long, its statement, and the thing that it holds.
const BY_PLUGIN: &str = "SELECT DISTINCT p.id, CONCAT(p.user, '@', p.host), p.command, p.time, p.info, \
     CONCAT(m.table_schema, '.', m.table_name) FROM information_schema.metadata_lock_info m \
     JOIN information_schema.processlist p ON p.id = m.thread_id \
     WHERE p.id NOT IN {ours} AND m.table_schema NOT IN ('', 'mysql') {of_metadata} ORDER BY p.time DESC";
const BY_PERFORMANCE_SCHEMA: &str = "SELECT DISTINCT t.processlist_id, \
     CONCAT(t.processlist_user, '@', t.processlist_host), t.processlist_command, t.processlist_time, \
     t.processlist_info, CONCAT(m.object_schema, '.', COALESCE(m.object_name, '*')) \
     FROM performance_schema.metadata_locks m JOIN performance_schema.threads t ON t.thread_id = m.owner_thread_id \
     WHERE m.lock_status = 'GRANTED' AND m.object_type IN ('TABLE', 'SCHEMA') AND t.processlist_id NOT IN {ours} \
     AND m.object_schema NOT IN ('performance_schema', 'mysql') {of_object} ORDER BY t.processlist_time DESC";
const BY_TRANSACTION: &str = "SELECT p.id, CONCAT(p.user, '@', p.host), p.command, p.time, p.info, NULL \
     FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id \
     WHERE p.id NOT IN {ours} ORDER BY t.trx_started";
const BY_SESSION: &str = "SELECT id, CONCAT(user, '@', host), command, time, info, NULL \
     FROM information_schema.processlist WHERE id NOT IN {ours} AND command NOT LIKE 'Binlog Dump%' \
     AND command <> 'Daemon' AND user NOT IN ('system user', 'event_scheduler') ORDER BY time DESC";

/// The clause, with its mend, by what a session of the lab's own is answered; `ours` are those there, and `schema`
/// narrows the search where it is known.
pub(crate) fn told(answers: &mut dyn FnMut(&str) -> Vec<TextRow>, ours: &[String], schema: Option<&str>) -> String {
    let ours: Vec<_> = ours.iter().filter(|number| !number.is_empty()).map(String::as_str).chain(["0"]).collect();
    let ours = format!("({})", ours.join(", "));
    let of = |column: &str| schema.map_or(String::new(), |schema| format!("AND {column} = '{schema}'"));
    let (of_metadata, of_object) = (of("m.table_schema"), of("m.object_schema"));
    let mut ask = |sql: &str| {
        let sql =
            sql.replace("{ours}", &ours).replace("{of_metadata}", &of_metadata).replace("{of_object}", &of_object);
        answers(&sql)
    };
    for sql in [BY_PLUGIN, BY_PERFORMANCE_SCHEMA] {
        if let Some(holders) = list(ask(sql)) {
            return format!("held by {holders}; end what they do, or KILL them, and give the same command again");
        }
    }
    for sql in [BY_TRANSACTION, BY_SESSION] {
        if let Some(others) = list(ask(sql)) {
            return format!(
                "the server does not tell who holds it (MariaDB does after INSTALL SONAME 'metadata_lock_info'), and it is among \
                 these or older ones: {others}; end what holds it, and give the same command again"
            );
        }
    }
    "no other session is to be seen with this account; give it the privilege PROCESS, or look with SHOW FULL PROCESSLIST".into()
}

fn list(rows: Vec<TextRow>) -> Option<String> {
    let one = |row: TextRow| {
        let mut cells = row.into_iter();
        let mut next = || cells.next().flatten();
        let (id, account, command) = (next()?, next().unwrap_or_default(), next().unwrap_or_default());
        let (time, statement, thing) = (next().unwrap_or_default(), next(), next());
        let says = statement.map_or_else(|| command.to_lowercase(), |statement| format!("`{statement}`"));
        let on = thing.map_or(String::new(), |thing| format!(" on {thing}"));
        Some(format!("session {id} of {account}{on} ({says} for {time} s)"))
    };
    let named: Vec<String> = rows.into_iter().filter_map(one).take(MOST).collect();
    (!named.is_empty()).then(|| named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_named_with_what_it_does() {
        let row = |cells: [Option<&str>; 6]| cells.map(|cell| cell.map(str::to_string)).to_vec();
        let idle = row([Some("12"), Some("ann@localhost"), Some("Sleep"), Some("61"), None, Some("theirs.sbtest1")]);
        let busy = row([Some("13"), Some("bob@h"), Some("Query"), Some("3"), Some("SELECT 1"), None]);
        let told = list(vec![idle, busy]);
        assert_eq!(
            told.as_deref(),
            Some(
                "session 12 of ann@localhost on theirs.sbtest1 (sleep for 61 s), session 13 of bob@h (`SELECT 1` for 3 s)"
            )
        );
        assert_eq!(list(Vec::new()), None);
    }
}
