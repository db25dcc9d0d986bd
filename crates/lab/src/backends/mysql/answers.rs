//! What is asked before the users come: what a session of theirs looks like from inside, how the server means to carry
//! out each statement, and what one execution of it does (the probe: handler counters of this session alone, so that
//! work per statement is known exactly on every server, without instrumentation and outside the measured time). What a
//! probe writes is rolled back. The values of all probes follow from one seed that is the same in every record, so that
//! plans and answers of different servers are those of the same questions; a few further values show plans that depend
//! on them. After the users left the plans are asked for once more.

use super::control::{Control, TextRow};
use crate::backends::endpoint::SqlEndpoint;
use crate::os::digest::digest;
use model::record::answer::Answered;
use model::{Protocol, Seed, SessionAnswer, StatementPlan, TlsAnswer};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use workload::session::Fault;
use workload::{Parameters, Probe, Workload};

/// The seed of the values of all probes.
const ASKED: Seed = Seed(42);
/// Values per statement: a plan that another one in eight takes is likely to be met.
const SAMPLES: u64 = 8;
/// Hexadecimal digits of a digest: collisions among a record's answers are out of question.
const DIGITS: usize = 16;

/// Session variables that change what a statement does or costs. Both spellings of the isolation level are asked for,
/// and each server knows one.
const VARIABLES: &str = "SHOW SESSION VARIABLES WHERE Variable_name IN ('character_set_client', 'character_set_connection', \
     'character_set_results', 'collation_connection', 'transaction_isolation', 'tx_isolation', 'autocommit', 'sql_mode', \
     'time_zone', 'optimizer_switch', 'sort_buffer_size', 'join_buffer_size', 'read_buffer_size', 'tmp_table_size', \
     'max_heap_table_size', 'query_cache_type', 'sql_log_bin', 'unique_checks', 'foreign_key_checks')";

/// Counters of one session that say what a statement touched.
const COUNTERS: &str = "SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler%' OR Variable_name LIKE 'Created_tmp%' \
     OR Variable_name LIKE 'Sort%' OR Variable_name LIKE 'Select%'";

/// The probes of a workload in that SQL, each list with other values.
pub fn probes(dialect: Protocol, workload: &dyn Workload, parameters: &Parameters) -> Vec<Vec<Probe>> {
    (0..SAMPLES).map(|n| workload.probes_in(dialect, parameters, ASKED.nth(n))).collect()
}

fn enter(endpoint: &SqlEndpoint, setup: &[String]) -> Result<Control, Fault> {
    let mut control = Control::connect(endpoint)?;
    for sql in setup {
        control.execute(sql)?;
    }
    Ok(control)
}

/// Further values are asked for as long as all of them took no longer than `patience`.
pub fn ask(
    endpoint: &SqlEndpoint,
    setup: &[String],
    probes: &[Vec<Probe>],
    patience: Duration,
) -> Result<SessionAnswer, Fault> {
    let mut control = enter(endpoint, setup)?;
    let variables = pairs(control.rows(VARIABLES)?);
    let [first, others @ ..] = probes else { unreachable!("there are several lists of probes") };
    let mut plans = first.iter().map(|p| plan(&mut control, p)).collect::<Result<Vec<_>, _>>()?;
    let begun = Instant::now();
    for others in others.iter().take_while(|_| begun.elapsed() < patience) {
        for (plan, probe) in plans.iter_mut().zip(others).filter(|(plan, probe)| plan.statement == probe.statement) {
            let explain = explain(&mut control, &probe.sql)?;
            sample(plan, probe, explain, |sql| control.rows(sql))?;
        }
    }
    let carriage = control.carriage();
    let compression = if carriage.compression_offered { "off, offered by the server" } else { "off, not offered" };
    let answer = SessionAnswer {
        variables,
        transport: endpoint.address.transport(carriage.tls.is_some()),
        tls: carriage.tls.map(|agreed| tls(&mut control, agreed)).transpose()?,
        authentication: carriage.plugin.to_string(),
        compression: compression.to_string(),
        plans,
        plans_after: None,
    };
    control.quit();
    Ok(answer)
}

fn tls(control: &mut Control, (version, cipher): (String, String)) -> Result<TlsAnswer, Fault> {
    let mut said = pairs(control.rows("SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')")?);
    let mut server = |name: &str| said.remove(name).unwrap_or_default();
    Ok(TlsAnswer { version, cipher, server_version: server("Ssl_version"), server_cipher: server("Ssl_cipher") })
}

/// Plans of the same statements now, where they read otherwise.
pub fn again(
    endpoint: &SqlEndpoint,
    setup: &[String],
    plans: &[StatementPlan],
) -> Result<BTreeMap<String, String>, Fault> {
    let mut control = enter(endpoint, setup)?;
    let mut changed = BTreeMap::new();
    for plan in plans {
        let now = explain(&mut control, &plan.sql)?;
        if without_values(&now) != without_values(&plan.explain) {
            changed.insert(plan.statement.clone(), now);
        }
    }
    control.quit();
    Ok(changed)
}

/// One more execution with other values: its plan, where it is a new one, and its rows.
pub(crate) fn sample(
    plan: &mut StatementPlan,
    probe: &Probe,
    explain: String,
    ask: impl FnOnce(&str) -> Result<Vec<TextRow>, Fault>,
) -> Result<(), Fault> {
    let known = plan.other_explains.iter().chain([&plan.explain]);
    if known.into_iter().all(|known| without_values(known) != without_values(&explain)) {
        plan.other_explains.push(explain);
    }
    if !probe.writes {
        let rows = ask(&probe.sql)?;
        plan.answers.push(answered(&probe.sql, rows));
    }
    Ok(())
}

/// Rows in whatever order they came: an order that ties leave open is no difference.
pub(crate) fn answered(sql: &str, rows: Vec<TextRow>) -> Answered {
    let cell = |cell: Option<String>| cell.map_or("N".to_string(), |text| format!("'{}{text}", text.len()));
    let mut rows: Vec<String> = rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
    rows.sort_unstable();
    let short = |text: &str| digest(text.as_bytes())[..DIGITS].to_string();
    Answered { asked: short(sql), answer: short(&rows.join("\n")) }
}

/// The text of a plan without its numbers and texts: estimates and values, which are no part of what is done.
pub(crate) fn without_values(explain: &str) -> String {
    let mut quoted = false;
    let mut kept = String::with_capacity(explain.len());
    for c in explain.chars() {
        quoted ^= c == '\'';
        if !quoted && !c.is_ascii_digit() && !['.', '\''].contains(&c) {
            kept.push(c);
        }
    }
    kept
}

fn explain(control: &mut Control, sql: &str) -> Result<String, Fault> {
    Ok(match control.value(&format!("EXPLAIN FORMAT=JSON {sql}")) {
        Ok(json) => json.unwrap_or_default(),
        // MySQL 5.5 and some engines have only rows, and 5.5 only for SELECT; a server's refusal is not a failure of
        // the run.
        Err(Fault::Server { .. }) => match rows_as_text(control, &format!("EXPLAIN {sql}")) {
            Err(refused @ Fault::Server { .. }) => format!("not explained by this server: {refused}"),
            rows => rows?,
        },
        Err(other) => return Err(other),
    })
}

fn plan(control: &mut Control, probe: &Probe) -> Result<StatementPlan, Fault> {
    let explain = explain(control, &probe.sql)?;
    control.execute("FLUSH STATUS")?;
    if probe.writes {
        control.execute("BEGIN")?;
    }
    let (rows, answers) = if probe.writes {
        (control.execute(&probe.sql)?.rows, Vec::new())
    } else {
        let rows = control.rows(&probe.sql)?;
        (rows.len() as u64, vec![answered(&probe.sql, rows)])
    };
    let handlers = pairs(control.rows(COUNTERS)?)
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .filter(|(_, value): &(String, i64)| *value != 0)
        .collect();
    if probe.writes {
        control.execute("ROLLBACK")?;
    }
    Ok(StatementPlan {
        statement: probe.statement.to_string(),
        sql: probe.sql.clone(),
        explain,
        handlers,
        rows,
        other_explains: Vec::new(),
        answers,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_its_rows_in_any_order_and_nothing_else() {
        let row = |cells: &[Option<&str>]| cells.iter().map(|c| c.map(String::from)).collect::<TextRow>();
        let answer = |rows: Vec<TextRow>| answered("SELECT 1", rows).answer;
        let (a, b) = (row(&[Some("1"), None]), row(&[Some("2"), Some("")]));
        assert_eq!(answer(vec![a.clone(), b.clone()]), answer(vec![b.clone(), a.clone()]));
        assert_ne!(answer(vec![a.clone(), b.clone()]), answer(vec![a.clone(), a]));
        assert_ne!(answer(vec![row(&[Some("12"), Some("3")])]), answer(vec![row(&[Some("1"), Some("23")])]));
        assert_ne!(answer(vec![row(&[None])]), answer(vec![row(&[Some("N")])]));
    }

    #[test]
    fn estimates_and_values_are_no_part_of_a_plan() {
        let explain = |rows: u32, key: &str, text: &str| {
            format!("{{\"key\": \"{key}\", \"rows\": {rows}.5, \"attached_condition\": \"t.c = '{text}'\"}}")
        };
        assert_eq!(without_values(&explain(10, "k", "ab")), without_values(&explain(2_000, "k", "x")));
        assert_ne!(without_values(&explain(10, "k", "ab")), without_values(&explain(10, "PRIMARY", "ab")));
    }
}
