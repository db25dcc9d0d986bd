//! Who holds the lock that a session of the lab waited for in vain. Servers tell it in different places and not to
//! everybody: MariaDB's plugin of metadata locks, the performance schema, and where neither is readable the list of
//! transactions and sessions, which only hints. The answer is a clause for the message, because a person can ask the
//! holder and the lab cannot.

use std::collections::BTreeSet;
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
/// Where the answers about metadata locks have them.
const SCHEMA: usize = 5;
const TABLE: usize = 6;

/// Locks that every statement takes on its way, of a schema or of the whole server: whom they keep waiting, a lock on a
/// table keeps waiting too.
const ANNOUNCING: &str = "('INTENTION_EXCLUSIVE', 'BACKUP_DML', 'BACKUP_TRANS_DML', 'BACKUP_SYS_DML', 'BACKUP_DDL', \
     'BACKUP_ALTER_COPY', 'BACKUP_COMMIT')";
/// Each asks for session, account, what it does, for how long, its statement, and schema and table that it has locked.
/// A lock of no schema is of the whole server: of a backup, or of FLUSH TABLES WITH READ LOCK.
const BY_PLUGIN: &str = "SELECT DISTINCT p.id, CONCAT(p.user, '@', p.host), p.command, p.time, p.info, \
     m.table_schema, m.table_name FROM information_schema.metadata_lock_info m \
     JOIN information_schema.processlist p ON p.id = m.thread_id \
     WHERE p.id NOT IN {ours} AND SUBSTRING(m.lock_mode, 5) NOT IN {announcing} ORDER BY p.time DESC";
const BY_PERFORMANCE_SCHEMA: &str = "SELECT DISTINCT t.processlist_id, \
     CONCAT(t.processlist_user, '@', t.processlist_host), t.processlist_command, t.processlist_time, \
     t.processlist_info, COALESCE(m.object_schema, ''), COALESCE(m.object_name, '') \
     FROM performance_schema.metadata_locks m JOIN performance_schema.threads t ON t.thread_id = m.owner_thread_id \
     WHERE m.lock_status = 'GRANTED' AND m.object_type IN ('TABLE', 'SCHEMA', 'GLOBAL', 'BACKUP', 'BACKUP LOCK') \
     AND m.lock_type NOT IN {announcing} AND t.processlist_id NOT IN {ours} ORDER BY t.processlist_time DESC";
const BY_TRANSACTION: &str = "SELECT p.id, CONCAT(p.user, '@', p.host), p.command, p.time, p.info, NULL, NULL \
     FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id \
     WHERE p.id NOT IN {ours} ORDER BY t.trx_started";
const BY_SESSION: &str = "SELECT id, CONCAT(user, '@', host), command, time, info, NULL, NULL \
     FROM information_schema.processlist WHERE id NOT IN {ours} AND command NOT LIKE 'Binlog Dump%' \
     AND command <> 'Daemon' AND user NOT IN ('system user', 'event_scheduler') ORDER BY time DESC";

/// What waited in vain: a statement of one of the lab's sessions `ours`, in its schema.
pub(crate) struct Waiter<'a> {
    pub ours: &'a [String],
    pub schema: Option<&'a str>,
    pub statement: &'a str,
}

/// The clause, with its mend, by what a session of the lab's own is answered; `None` where that may not be asked.
pub(crate) fn told(answers: &mut dyn FnMut(&str) -> Option<Vec<TextRow>>, waiter: &Waiter) -> String {
    let ours: Vec<_> = waiter.ours.iter().filter(|n| !n.is_empty()).map(String::as_str).chain(["0"]).collect();
    let ours = format!("({})", ours.join(", "));
    let mut ask = |sql: &str| answers(&sql.replace("{ours}", &ours).replace("{announcing}", ANNOUNCING));
    let mut mend = " (MariaDB does after INSTALL SONAME 'metadata_lock_info')";
    for sql in [BY_PLUGIN, BY_PERFORMANCE_SCHEMA] {
        let Some(locks) = ask(sql) else { continue };
        if let Some(holders) = list(waiter.concerned(locks)) {
            return format!("held by {holders}; end what they do, or KILL them, and give the same command again");
        }
        if sql == BY_PLUGIN {
            mend = "";
        }
    }
    for sql in [BY_TRANSACTION, BY_SESSION] {
        if let Some(others) = ask(sql).and_then(list) {
            return format!(
                "the server does not tell who holds it{mend}, and it is among these or older ones: {others}; end what holds \
                 it, and give the same command again"
            );
        }
    }
    "no other session is to be seen with this account; give it the privilege PROCESS, or look with SHOW FULL PROCESSLIST".into()
}

impl Waiter<'_> {
    /// The locks that may be the one: of the whole server, or of the waiter's schema, and there of the tables that its
    /// statement names, if they are locked at all. Whoever locks something else is not to be killed for it.
    fn concerned(&self, locks: Vec<TextRow>) -> Vec<TextRow> {
        let cell = |row: &TextRow, at: usize| row.get(at).cloned().flatten().unwrap_or_default();
        let words: Vec<&str> = self.statement.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').collect();
        let is_there = |schema: &str| schema.is_empty() || self.schema == Some(schema) || words.contains(&schema);
        let there: Vec<_> = locks.into_iter().filter(|row| is_there(&cell(row, SCHEMA))).collect();
        let is_named = |row: &TextRow| words.contains(&cell(row, TABLE).as_str()) || cell(row, SCHEMA).is_empty();
        let named: Vec<_> = there.iter().filter(|row| is_named(row)).cloned().collect();
        if named.is_empty() { there } else { named }
    }
}

/// A session is told once, whatever it has locked beside.
fn list(rows: Vec<TextRow>) -> Option<String> {
    let mut sessions = BTreeSet::new();
    let one = |row: TextRow| {
        let mut cells = row.into_iter();
        let mut next = || cells.next().flatten();
        let (id, account, command) = (next()?, next().unwrap_or_default(), next().unwrap_or_default());
        let (time, statement) = (next().unwrap_or_default(), next());
        let on = match (next(), next().unwrap_or_default().as_str()) {
            (None, _) => String::new(),
            (Some(schema), _) if schema.is_empty() => " on the whole server".into(),
            (Some(schema), "") => format!(" on {schema}"),
            (Some(schema), table) => format!(" on {schema}.{table}"),
        };
        let says = statement.map_or_else(|| command.to_lowercase(), |statement| format!("`{statement}`"));
        sessions.insert(id.clone()).then(|| format!("session {id} of {account}{on} ({says} for {time} s)"))
    };
    let named: Vec<String> = rows.into_iter().filter_map(one).take(MOST).collect();
    (!named.is_empty()).then(|| named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: [Option<&str>; 7]) -> TextRow {
        cells.map(|cell| cell.map(str::to_string)).to_vec()
    }

    #[test]
    fn a_holder_is_named_once_with_what_it_does() {
        let idle =
            |table| row([Some("12"), Some("ann@h"), Some("Sleep"), Some("61"), None, Some("theirs"), Some(table)]);
        let busy = row([Some("13"), Some("bob@h"), Some("Query"), Some("3"), Some("SELECT 1"), None, None]);
        let backup = row([Some("14"), Some("eve@h"), Some("Sleep"), Some("2"), None, Some(""), Some("")]);
        assert_eq!(
            list(vec![idle("sbtest1"), idle("sbtest2"), busy, backup]).as_deref(),
            Some(
                "session 12 of ann@h on theirs.sbtest1 (sleep for 61 s), session 13 of bob@h (`SELECT 1` for 3 s), \
                 session 14 of eve@h on the whole server (sleep for 2 s)"
            )
        );
        assert_eq!(list(Vec::new()), None);
    }

    #[test]
    fn whoever_locks_something_else_is_not_named() {
        let lock = |id, schema, table| row([Some(id), Some("a@h"), None, None, None, Some(schema), Some(table)]);
        let locks = vec![lock("1", "theirs", "x"), lock("2", "data", "sbtest2"), lock("3", "data", "sbtest1")];
        let holders = |schema, statement| {
            let rows = Waiter { ours: &[], schema, statement }.concerned(locks.clone());
            rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect::<Vec<_>>()
        };
        assert_eq!(holders(Some("data"), "SELECT COUNT(*) FROM sbtest1"), ["3"]);
        assert_eq!(holders(None, "DROP TABLE `data`.`sbtest2`"), ["2"]);
        assert_eq!(holders(None, "DROP DATABASE data"), ["2", "3"]);
        assert_eq!(holders(Some("data"), "ANALYZE TABLE sbtest9"), ["2", "3"]);
        assert_eq!(holders(Some("other"), "SELECT 1"), [] as [&str; 0]);
    }

    #[test]
    fn a_server_that_tells_of_locks_is_not_asked_to_learn_it() {
        let waiter = Waiter { ours: &["7".into()], schema: Some("data"), statement: "DELETE FROM sbtest1" };
        let of = |locks: Option<Vec<TextRow>>| {
            let other = || row([Some("9"), Some("a@h"), Some("Sleep"), Some("4"), None, None, None]);
            let answers = |sql: &str| if sql.contains("metadata_lock") { locks.clone() } else { Some(vec![other()]) };
            told(&mut { answers }, &waiter)
        };
        let (untold, none) = (of(None), of(Some(vec![])));
        assert!(untold.contains("INSTALL SONAME") && untold.contains("session 9 of a@h"), "{untold}");
        assert!(!none.contains("INSTALL SONAME") && none.contains("session 9 of a@h"), "a row's lock: {none}");
    }
}
