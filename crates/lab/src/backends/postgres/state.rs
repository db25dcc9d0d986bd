//! What holds in a PostgreSQL at one end of a run: its settings as a fresh session has them, columns, indexes and
//! triggers of what its users see, their role, extensions, and who else is there. One query for each.

use super::session::control::{Control, TextRow};
use crate::backends::endpoint::SqlEndpoint;
use model::record::state::{Facet, State, volatile};
use std::collections::BTreeMap;
use std::time::Duration;

/// A server that does not answer for so long at the end of a run has said nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// All but those that may hold passwords, those that a transaction has for itself, and where a private server's files
/// lie, which is elsewhere at each of its starts.
const VARIABLES: &str = "SELECT name, setting FROM pg_settings WHERE name NOT IN \
     ('primary_conninfo', 'archive_command', 'restore_command', 'ssl_passphrase_command', 'config_file', \
     'data_directory', 'hba_file', 'ident_file', 'unix_socket_directories')";
const COLUMNS: &str = "SELECT 'column ' || column_name || ' of ' || table_name, \
     concat_ws(' ', data_type, character_maximum_length, collation_name, is_nullable, column_default) \
     FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog', 'information_schema')";
const INDEXES: &str = "SELECT 'index ' || indexname || ' of ' || tablename, indexdef FROM pg_indexes \
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
const TRIGGERS: &str = "SELECT 'trigger ' || t.tgname || ' of ' || c.relname, t.tgenabled || ' ' || pg_get_triggerdef(t.oid) \
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal";
const STORAGE: &str = "SELECT 'storage of ' || relname, concat_ws(' ', relkind, relpersistence, \
     array_to_string(reloptions, ',')) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE relkind IN ('r', 'p', 'm') AND nspname NOT IN ('pg_catalog', 'information_schema')";
const ROWS: &str = "SELECT relname, reltuples::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE relkind IN ('r', 'p') AND nspname NOT IN ('pg_catalog', 'information_schema')";
/// The files of tables and indexes, which are others once they are written anew.
const FILES: &str = "SELECT relname, relfilenode FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE relkind IN ('r', 'i', 'm') AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')";
const ROLE: &str = "SELECT 'role ' || rolname, concat_ws(' ', rolsuper, rolconnlimit, array_to_string(rolconfig, ',')) \
     FROM pg_roles WHERE rolname = current_user";
const EXTENSIONS: &str = "SELECT extname, extversion FROM pg_extension";
const OTHERS: &str = "SELECT usename || '@' || coalesce(host(client_addr), 'localhost'), count(*) FROM pg_stat_activity \
     WHERE pid <> pg_backend_pid() AND usename IS NOT NULL AND backend_start < now() - interval '1 second' \
     AND application_name <> 'assay' GROUP BY 1";
const TRANSACTIONS: &str = "SELECT usename || '@' || coalesce(host(client_addr), 'localhost'), count(*) \
     FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename IS NOT NULL \
     AND xact_start < now() - interval '1 second' GROUP BY 1";

/// Who keeps old row versions alive, by process.
const HOLDERS: &str = "SELECT usename || '@' || coalesce(host(client_addr), 'localhost') || ', process ' || pid, \
     extract(epoch FROM now() - xact_start)::bigint FROM pg_stat_activity WHERE pid <> pg_backend_pid() \
     AND usename IS NOT NULL AND coalesce(backend_xmin, backend_xid) IS NOT NULL \
     AND xact_start < now() - interval '1 second'";
/// The same without a process: nobody but who ends them by name lets go of them.
const PREPARED: &str = "SELECT owner || '@' || database || ', prepared as ' || gid, \
     extract(epoch FROM now() - prepared)::bigint FROM pg_prepared_xacts";
/// Replicas hold for their own readers, the slot of one that is gone as well, and neither says since when: what they
/// hold is so many transactions old.
const SLOTS: &str = "SELECT 'the replication slot ' || slot_name, age(xmin) || ' transactions' FROM pg_replication_slots \
     WHERE xmin IS NOT NULL";
const REPLICAS: &str = "SELECT 'the replica ' || application_name || '@' || coalesce(host(client_addr), 'localhost'), \
     age(backend_xmin) || ' transactions' FROM pg_stat_replication WHERE backend_xmin IS NOT NULL";

pub(crate) fn read(endpoint: &SqlEndpoint) -> Vec<State> {
    let Ok(mut control) = Control::connect(endpoint, PATIENCE) else { return Vec::new() };
    let questions: &[(Facet, &[&str])] = &[
        (Facet::Variables, &[VARIABLES]),
        (Facet::Tables, &[COLUMNS, INDEXES, TRIGGERS, STORAGE]),
        (Facet::Rows, &[ROWS]),
        (Facet::TableIds, &[FILES]),
        (Facet::Grants, &[ROLE]),
        (Facet::Plugins, &[EXTENSIONS]),
        (Facet::Others, &[OTHERS]),
        (Facet::Transactions, &[TRANSACTIONS]),
        (Facet::Holders, &[HOLDERS, PREPARED, SLOTS, REPLICAS]),
    ];
    let mut states = Vec::new();
    for (facet, asked) in questions {
        let answers: Vec<_> = asked.iter().filter_map(|sql| control.rows(sql).ok()).collect();
        if answers.is_empty() {
            continue;
        }
        let facts: BTreeMap<String, String> = answers.into_iter().flatten().filter_map(pair).collect();
        let kept = facts.into_iter().filter(|(name, _)| *facet != Facet::Variables || volatile(name).is_none());
        states.push(State::new(*facet, kept.collect()));
    }
    control.quit();
    states
}

fn pair(row: TextRow) -> Option<(String, String)> {
    let mut cells = row.into_iter();
    Some((cells.next()??, cells.next().flatten().unwrap_or_default()))
}
