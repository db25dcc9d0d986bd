//! What is asked before the users come: what a session of theirs looks like from inside, how the server means to carry out
//! each statement, and what one execution of it does (the probe: handler counters of this session alone, so that work per
//! statement is known exactly on every server, without instrumentation and outside the measured time). What a probe writes is
//! rolled back.

use crate::sessions::address::Door;
use crate::sessions::control::Control;
use model::record::answer::{SessionAnswer, StatementPlan, TlsAnswer};
use std::collections::BTreeMap;
use workload::Probe;
use workload::session::Fault;

/// Session variables that change what a statement does or costs. Both spellings of the isolation level are asked for, and
/// each server knows one.
const VARIABLES: &str = "SHOW SESSION VARIABLES WHERE Variable_name IN ('character_set_client', 'character_set_connection', \
     'character_set_results', 'collation_connection', 'transaction_isolation', 'tx_isolation', 'autocommit', 'sql_mode', \
     'time_zone', 'optimizer_switch', 'sort_buffer_size', 'join_buffer_size', 'read_buffer_size', 'tmp_table_size', \
     'max_heap_table_size', 'query_cache_type', 'sql_log_bin', 'unique_checks', 'foreign_key_checks')";

/// Counters of one session that say what a statement touched.
const COUNTERS: &str = "SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler%' OR Variable_name LIKE 'Created_tmp%' \
     OR Variable_name LIKE 'Sort%' OR Variable_name LIKE 'Select%'";

pub fn ask(door: &Door, setup: &[String], probes: &[Probe]) -> Result<SessionAnswer, Fault> {
    let mut control = Control::connect(door)?;
    for sql in setup {
        control.execute(sql)?;
    }
    let variables = pairs(control.rows(VARIABLES)?);
    let plans = probes.iter().map(|p| plan(&mut control, p)).collect::<Result<_, _>>()?;
    let carriage = control.carriage();
    let compression = if carriage.compression_offered { "off, offered by the server" } else { "off, not offered" };
    let answer = SessionAnswer {
        variables,
        transport: door.transport(carriage.tls.is_some()),
        tls: carriage.tls.map(|agreed| tls(&mut control, agreed)).transpose()?,
        authentication: carriage.plugin.to_string(),
        compression: compression.to_string(),
        plans,
    };
    control.quit();
    Ok(answer)
}

fn tls(control: &mut Control, (version, cipher): (String, String)) -> Result<TlsAnswer, Fault> {
    let mut said = pairs(control.rows("SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')")?);
    let mut server = |name: &str| said.remove(name).unwrap_or_default();
    Ok(TlsAnswer { version, cipher, server_version: server("Ssl_version"), server_cipher: server("Ssl_cipher") })
}

fn plan(control: &mut Control, probe: &Probe) -> Result<StatementPlan, Fault> {
    let explain = match control.value(&format!("EXPLAIN FORMAT=JSON {}", probe.sql)) {
        Ok(json) => json.unwrap_or_default(),
        // MySQL 5.5 and some engines have only rows, and 5.5 only for SELECT; a server's refusal is not a failure of the run.
        Err(Fault::Server { .. }) => match rows_as_text(control, &format!("EXPLAIN {}", probe.sql)) {
            Err(refused @ Fault::Server { .. }) => format!("not explained by this server: {refused}"),
            rows => rows?,
        },
        Err(other) => return Err(other),
    };
    control.execute("FLUSH STATUS")?;
    if probe.writes {
        control.execute("BEGIN")?;
    }
    let rows = control.execute(&probe.sql)?.rows;
    let handlers = pairs(control.rows(COUNTERS)?)
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .filter(|(_, value): &(String, i64)| *value != 0)
        .collect();
    if probe.writes {
        control.execute("ROLLBACK")?;
    }
    Ok(StatementPlan { statement: probe.statement.to_string(), sql: probe.sql.clone(), explain, handlers, rows })
}

fn rows_as_text(control: &mut Control, sql: &str) -> Result<String, Fault> {
    let rows = control.rows(sql)?;
    let line = |row: Vec<Option<String>>| {
        row.into_iter().map(|c| c.unwrap_or_else(|| "NULL".into())).collect::<Vec<_>>().join("\t")
    };
    Ok(rows.into_iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn pairs(rows: Vec<Vec<Option<String>>>) -> BTreeMap<String, String> {
    let pair = |row: Vec<Option<String>>| {
        let mut cells = row.into_iter();
        Some((cells.next()??, cells.next().flatten().unwrap_or_default()))
    };
    rows.into_iter().filter_map(pair).collect()
}
