//! What a server says of each statement when it is asked for it alone, on data as the trace began with: its plan, what
//! its handler counted for one execution, and what it warns of. And what it is: variables that change what statements
//! mean, and the schema as it made it. Statements that write are taken back; what cannot be is not executed.

use super::facts::facts;
use super::script::Script;
use super::servers::{Serving, Side};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::control::{Control, PATIENCE};
use crate::trouble::Trouble;
use model::upgrade::{Asked, Look};
use std::collections::{BTreeMap, HashMap};
use trace::sql::literal::with_values;
use trace::{Ask, Statement};
use workload::session::Fault;

/// Variables whose values are told where they differ: they change what statements mean, how they are planned, or what a
/// commit is.
const VARIABLES: &[&str] = &[
    "character_set_server",
    "collation_connection",
    "collation_server",
    "div_precision_increment",
    "eq_range_index_dive_limit",
    "explicit_defaults_for_timestamp",
    "group_concat_max_len",
    "innodb_buffer_pool_size",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_lock_wait_timeout",
    "innodb_page_size",
    "join_buffer_size",
    "log_bin",
    "lower_case_table_names",
    "max_heap_table_size",
    "old_mode",
    "optimizer_search_depth",
    "optimizer_switch",
    "query_cache_type",
    "sort_buffer_size",
    "sql_mode",
    "sync_binlog",
    "time_zone",
    "tmp_table_size",
    "transaction_isolation",
    "tx_isolation",
];
/// Counters of one execution.
const COUNTERS: &str = "SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler\\_read%' OR Variable_name LIKE \
                        'Created\\_tmp%' OR Variable_name LIKE 'Sort\\_%' OR Variable_name LIKE 'Select\\_full%'";
/// Counters of the server over a replay.
const OF_A_REPLAY: &[&str] = &[
    "Created_tmp_disk_tables",
    "Created_tmp_tables",
    "Handler_read_key",
    "Handler_read_next",
    "Handler_read_rnd_next",
    "Innodb_buffer_pool_reads",
    "Innodb_data_fsyncs",
    "Innodb_row_lock_time",
    "Innodb_row_lock_waits",
    "Questions",
    "Sort_merge_passes",
];

/// What the server has counted of a few things.
pub(super) fn counted(endpoint: &SqlEndpoint) -> Result<BTreeMap<String, u64>, Fault> {
    let mut control = Control::connect_with(endpoint, PATIENCE)?;
    let rows = control.rows("SHOW GLOBAL STATUS")?;
    control.quit();
    Ok(pairs(rows).filter(|(name, _)| OF_A_REPLAY.contains(&name.as_str())).collect())
}

/// How a session is told that its client speaks in a collation, by the number that clients name it by.
pub(super) fn collations(endpoint: &SqlEndpoint) -> Result<HashMap<u16, String>, Fault> {
    let mut control = Control::connect_with(endpoint, PATIENCE)?;
    let rows = control.rows("SELECT id, character_set_name, collation_name FROM information_schema.collations")?;
    control.quit();
    let one = |row: Vec<Option<String>>| {
        let mut cells = row.into_iter().map(Option::unwrap_or_default);
        let (id, charset, collation) = (cells.next()?.parse().ok()?, cells.next()?, cells.next()?);
        // None of these can be a client's.
        let is_wide = ["ucs2", "utf16", "utf16le", "utf32"].contains(&charset.as_str());
        (!is_wide).then(|| (id, format!("SET NAMES {charset} COLLATE {collation}")))
    };
    Ok(rows.into_iter().filter_map(one).collect())
}

fn pairs(rows: Vec<Vec<Option<String>>>) -> impl Iterator<Item = (String, u64)> {
    rows.into_iter().filter_map(|row| {
        let mut cells = row.into_iter();
        let (name, value) = (cells.next()??, cells.next()??);
        Some((name, value.parse().ok()?))
    })
}

pub(super) fn asked(script: &Script, serving: &Serving, side: &Side, schemas: &[String]) -> Result<Asked, Trouble> {
    let fault = |fault| Trouble::new(format!("{} cannot be asked about its statements", side.name)).because(fault);
    let mut control = Control::connect_with(&serving.endpoint, PATIENCE).map_err(fault)?;
    let version = control.version().to_string();
    let rows = control.rows("SHOW GLOBAL VARIABLES").map_err(fault)?;
    let text = |row: Vec<Option<String>>| {
        let mut cells = row.into_iter();
        Some((cells.next()??, cells.next()?.unwrap_or_default()))
    };
    let variables = rows.into_iter().filter_map(text).filter(|(name, _)| VARIABLES.contains(&name.as_str())).collect();
    let schema = schema(&mut control, schemas).map_err(fault)?;
    let mut looks = Vec::new();
    for sample in &script.samples {
        looks.push(look(&mut control, sample).map_err(fault)?);
    }
    control.quit();
    Ok(Asked { build: side.name.clone(), version, variables, schema, looks })
}

fn schema(control: &mut Control, schemas: &[String]) -> Result<BTreeMap<String, String>, Fault> {
    let mut found = BTreeMap::new();
    if schemas.is_empty() {
        return Ok(found);
    }
    let quoted: Vec<String> = schemas.iter().map(|name| format!("'{}'", name.replace('\'', "''"))).collect();
    let within = quoted.join(", ");
    let columns = control.rows(&format!(
        "SELECT table_name, column_name, column_type, COALESCE(collation_name, '') FROM information_schema.columns WHERE \
         table_schema IN ({within})"
    ))?;
    for mut row in columns.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default)) {
        let mut next = || row.next().unwrap_or_default();
        let (table, column, kind, collation) = (next(), next(), next(), next());
        found.insert(format!("{table}.{column}"), format!("{kind} {collation}").trim_end().to_string());
    }
    let keys = control.rows(&format!(
        "SELECT table_name, index_name, GROUP_CONCAT(column_name ORDER BY seq_in_index) FROM \
         information_schema.statistics WHERE table_schema IN ({within}) GROUP BY table_name, index_name"
    ))?;
    for mut row in keys.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default)) {
        let mut next = || row.next().unwrap_or_default();
        let (table, key, columns) = (next(), next(), next());
        found.insert(format!("{table} key {key}"), columns);
    }
    let routines = control.rows(&format!(
        "SELECT routine_name, MD5(routine_definition) FROM information_schema.routines WHERE routine_schema IN ({within})"
    ))?;
    for mut row in routines.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default)) {
        let mut next = || row.next().unwrap_or_default();
        let (name, text) = (next(), next());
        found.insert(format!("routine {name}"), text);
    }
    Ok(found)
}

type Rows = Vec<Vec<Option<String>>>;

/// A server that refuses has said so; one that is gone has not.
fn said(outcome: Result<Rows, Fault>) -> Result<Result<Rows, String>, Fault> {
    match outcome {
        Ok(rows) => Ok(Ok(rows)),
        Err(fault @ Fault::Server { .. }) => Ok(Err(fault.to_string())),
        Err(fault) => Err(fault),
    }
}

fn look(control: &mut Control, statement: &Statement) -> Result<Look, Fault> {
    let mut look = Look::default();
    let text = match &statement.ask {
        Ask::Query(text) => text.to_vec(),
        Ask::Execute(execute) => {
            let bound = execute.rows.first().map_or(&[][..], |row| row);
            execute.text.as_ref().map(|text| with_values(text, bound)).unwrap_or_default()
        }
        _ => return Ok(look),
    };
    let facts = facts(&text, &[]);
    let text = String::from_utf8_lossy(&text).trim().trim_end_matches(';').to_string();
    if facts.barrier
        || facts.tables.is_empty() && !text.get(..6).is_some_and(|verb| verb.eq_ignore_ascii_case("select"))
    {
        return Ok(look);
    }
    if !statement.database.is_empty() {
        let _ = said(control.rows(&format!("USE `{}`", statement.database)))?;
    }
    if let Ok(rows) = said(control.rows(&format!("EXPLAIN FORMAT=JSON {text}")))? {
        look.plan = rows.into_iter().flatten().flatten().next().unwrap_or_default();
    }
    for sql in ["START TRANSACTION", "FLUSH STATUS"] {
        let _ = said(control.rows(sql))?;
    }
    match said(control.rows(&text))? {
        Err(error) => look.said.push(error),
        Ok(_) => {
            let warnings = said(control.rows("SHOW WARNINGS"))?.unwrap_or_default();
            let told = |row: Vec<Option<String>>| row.into_iter().flatten().collect::<Vec<_>>().join(" ");
            look.said = warnings.into_iter().map(told).collect();
            let counters = said(control.rows(COUNTERS))?.unwrap_or_default();
            look.counted = pairs(counters).filter(|(_, count)| *count > 0).collect();
        }
    }
    let _ = said(control.rows("ROLLBACK"))?;
    Ok(look)
}
