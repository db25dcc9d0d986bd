//! What holds in a server of this family at one end of a run: its variables, and those of sessions opened as a user's
//! and as the lab's are, the tables with their triggers, what the users' account may do, plugins, and who else is
//! there. One query for each, over a session that nobody measures. Who was just here needs a moment to leave, so that
//! others are asked for until they are gone or have stayed.

use super::control::{Control, TextRow, WHOLE_ANSWERS};
use super::describe::at_home;
use crate::backends::access::UserGroup;
use crate::backends::found::MARKER;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up, held};
use model::record::state::{Facet, NO_WRITE, OF_THE_LOAD, State, volatile};
use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::Duration;
use workload::session::Fault;

/// A server that does not answer for so long at the end of a run has said nothing.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often others are looked for, and how long between two looks: sessions that were just ended are gone by then.
const LOOKS: u32 = 10;
const BETWEEN: Duration = Duration::from_millis(20);
/// Tables whose definitions are read one by one; a dataset has fewer, and further ones are told by their number.
const MOST_TABLES: usize = 256;
/// Tables of all schemas of a server whose numbers are asked for: MySQL 8 opens each of them for the answer.
const MOST_OF_SERVER: u64 = 10_000;

const VARIABLES: &str = "SHOW GLOBAL VARIABLES";
const OF_SESSION: &str = "SHOW SESSION VARIABLES";
const GRANTS: &str = "SHOW GRANTS";
const PLUGINS: &str = "SELECT plugin_name, CONCAT(plugin_status, ' ', plugin_version) FROM information_schema.plugins \
     WHERE plugin_status = 'ACTIVE'";
const COMPONENTS: &str = "SELECT component_urn, 'component' FROM mysql.component";
/// Those whom performance_schema watches, and by what. Of a thousand instruments the number of those that are on.
const INSTRUMENTS: [&str; 4] = [
    "SELECT CONCAT('setup_consumers ', name), enabled FROM performance_schema.setup_consumers",
    "SELECT CONCAT('setup_actors ', user, '@', host), CONCAT('enabled ', enabled, ', history ', history) \
     FROM performance_schema.setup_actors",
    "SELECT CONCAT_WS(' ', 'setup_objects', object_type, object_schema, object_name), \
     CONCAT('enabled ', enabled, ', timed ', timed) FROM performance_schema.setup_objects",
    "SELECT CONCAT('setup_instruments ', SUBSTRING_INDEX(name, '/', 2)) kind, CONCAT(SUM(enabled = 'YES'), ' on') \
     FROM performance_schema.setup_instruments GROUP BY kind",
];
const TABLES: &str = "SELECT table_name, CONCAT_WS(', ', table_type, engine, row_format, create_options), table_rows, \
     update_time FROM information_schema.tables WHERE table_schema = '{schema}' ORDER BY table_name";
/// The engine's own numbers, by the name that it gives a table: `schema/table`, and `schema/table#p#…` for a partition.
/// MySQL from 8.0 on calls them by the first name, MariaDB and older ones by the second.
const IDS: [&str; 2] = ["innodb_tables", "innodb_sys_tables"];
const TRIGGERS: &str = "SELECT CONCAT('trigger ', trigger_name, ' of ', event_object_table), \
     CONCAT_WS(' ', action_timing, event_manipulation, action_statement) \
     FROM information_schema.triggers WHERE trigger_schema = '{schema}'";
const EVENTS: &str = "SELECT CONCAT('event ', event_schema, '.', event_name), CONCAT_WS(' ', status, event_definition) \
     FROM information_schema.events";
/// Threads of the server itself are no sessions.
const OTHERS: &str = "SELECT id, CONCAT(user, '@', SUBSTRING_INDEX(host, ':', 1), IF(db IS NULL, '', CONCAT(' in ', db))), \
     time FROM information_schema.processlist WHERE user NOT IN ('system user', 'event_scheduler') \
     AND command <> 'Daemon'";
/// Younger ones come and go with every statement.
const TRANSACTIONS: &str = "SELECT t.trx_mysql_thread_id, COALESCE(CONCAT(p.user, '@', SUBSTRING_INDEX(p.host, ':', 1)), \
     'nobody'), TIMESTAMPDIFF(SECOND, t.trx_started, NOW()) FROM information_schema.innodb_trx t LEFT JOIN information_schema.processlist p \
     ON p.id = t.trx_mysql_thread_id WHERE t.trx_started < NOW() - INTERVAL 1 SECOND";

/// Without those that users' sessions only prepare and close, by account; empty where the performance schema is off.
const ASKERS: &str = "SELECT user, host, SUM(count_star) FROM \
     performance_schema.events_statements_summary_by_account_by_event_name WHERE user IS NOT NULL \
     AND user NOT IN ('event_scheduler', 'mysql.session', 'mysql.infoschema') AND event_name NOT IN \
     ('statement/com/Prepare', 'statement/com/Close stmt', 'statement/com/Quit') GROUP BY user, host \
     HAVING SUM(count_star) > 0";
/// The same where `userstat` is on, which tells no host.
const ASKERS_BY_USER: &str = "SELECT user, '%', select_commands + update_commands + other_commands \
     FROM information_schema.user_statistics";

type Facts = BTreeMap<String, String>;
/// By the thread of a session that stays: whose it is, and since how many seconds.
type Stayed = BTreeMap<String, (String, String)>;

pub(crate) fn read(up: &Up, users: &[&UserGroup], needs: &[DatasetNeed]) -> Vec<State> {
    // One that is gone, or does not let us in, says nothing; a run on it has ended by that.
    let Ok(mut control) = Control::connect_with(&up.endpoint, PATIENCE) else { return Vec::new() };
    let mut states = Vec::new();
    let mut put = |facet, facts: Option<Facts>| states.extend(facts.map(|facts| State::new(facet, facts)));
    let global = pairs(&mut control, VARIABLES).map(|all| variables(all, up));
    let mut ours = BTreeSet::new();
    let lab = session(Control::connect(&up.endpoint), &[], &mut ours);
    let guests = guests(users, &mut ours);
    let differing = |own: &Facts| match &global {
        Some(global) => {
            own.iter().filter(|(k, v)| global.get(*k) != Some(*v)).map(|(k, v)| (k.clone(), v.clone())).collect()
        }
        None => own.clone(),
    };
    put(Facet::LabSession, lab.map(|lab| differing(&variables(lab.variables, up))));
    let several = guests.len() > 1;
    let named = |number: usize, name: &str| if several { format!("{name} (group {number})") } else { name.to_string() };
    let (mut sessions, mut grants) = (Facts::new(), Facts::new());
    for (number, guest) in (1..).zip(guests) {
        let own: Facts = differing(&variables(guest.variables, up));
        sessions.extend(own.into_iter().map(|(name, value)| (named(number, &name), value)));
        grants.extend(guest.grants.into_iter().map(|line| (line, "granted".to_string())));
    }
    put(Facet::UserSession, Some(sessions));
    put(Facet::Grants, Some(grants).filter(|grants| !grants.is_empty()));
    put(Facet::Variables, global);
    // MySQL 8 tells sizes of a day ago otherwise; others have no such variable.
    let _ = control.execute("SET SESSION information_schema_stats_expiry = 0");
    let Tables { facts, rows, written, ids } = tables(&mut control, &schemas(up, users, needs));
    put(Facet::Tables, Some(facts));
    put(Facet::Rows, Some(rows));
    put(Facet::Written, Some(written));
    put(Facet::TableIds, Some(ids).filter(|ids| !ids.is_empty()));
    let mut plugins = pairs(&mut control, PLUGINS).unwrap_or_default();
    plugins.extend(pairs(&mut control, COMPONENTS).unwrap_or_default());
    put(Facet::Plugins, Some(plugins));
    let instruments: Facts = INSTRUMENTS.iter().filter_map(|sql| pairs(&mut control, sql)).flatten().collect();
    put(Facet::Instruments, Some(instruments).filter(|facts| !facts.is_empty()));
    if let Ok(Some(own)) = control.value("SELECT CONNECTION_ID()") {
        ours.insert(own);
    }
    put(Facet::Others, others(&mut control, OTHERS, &ours).map(counted));
    let open = others(&mut control, TRANSACTIONS, &ours);
    put(Facet::Holders, open.as_ref().map(holders));
    put(Facet::Transactions, open.map(counted));
    put(Facet::Askers, askers(&mut control, up, users));
    control.quit();
    states
}

fn schemas(up: &Up, users: &[&UserGroup], needs: &[DatasetNeed]) -> BTreeSet<String> {
    let named = users.iter().filter_map(|users| users.access.endpoint.schema.clone());
    up.schemas(needs).cloned().chain(named).collect()
}

/// A session and what it says of itself.
struct Guest {
    variables: Facts,
    grants: Vec<String>,
}

/// One for each way in which users open theirs.
fn guests(users: &[&UserGroup], ours: &mut BTreeSet<String>) -> Vec<Guest> {
    let mut ways: Vec<&UserGroup> = Vec::new();
    // Those who come past SQL have no session.
    for group in users.iter().filter(|group| group.access.beside.is_none()) {
        let is_known =
            |way: &&UserGroup| way.access.endpoint == group.access.endpoint && way.access.setup == group.access.setup;
        if !ways.iter().any(is_known) {
            ways.push(group);
        }
    }
    let open = |way: &UserGroup| Control::as_any(&way.access.endpoint, PATIENCE);
    ways.into_iter().filter_map(|way| session(open(way), &way.access.setup, ours)).collect()
}

fn session(opened: Result<Control, Fault>, setup: &[String], ours: &mut BTreeSet<String>) -> Option<Guest> {
    let mut control = opened.ok()?;
    for sql in setup {
        control.execute(sql).ok()?;
    }
    ours.extend(control.value("SELECT CONNECTION_ID()").ok().flatten());
    // As the session came, which is asked before an answer of several rows is.
    let cut = control.value("SELECT @@SESSION.sql_select_limit").ok().flatten();
    let _ = control.execute(&format!("SET SESSION {WHOLE_ANSWERS}"));
    let mut variables = pairs(&mut control, OF_SESSION)?;
    variables.extend(cut.map(|cut| ("sql_select_limit".to_string(), cut)));
    let grants = control.rows(GRANTS).unwrap_or_default();
    control.quit();
    let grants = grants.into_iter().flatten().flatten().map(|line| without_secret(&line)).collect();
    Some(Guest { variables, grants })
}

/// A grant without what tells the password: from how the account is identified to the last quote behind it.
fn without_secret(grant: &str) -> String {
    let Some((before, after)) = grant.split_once(" IDENTIFIED ") else { return grant.to_string() };
    let rest = after.rsplit_once('\'').map_or("", |(_, rest)| rest);
    format!("{before}{rest}")
}

/// Without those that change by themselves, and with names of folders and ports that are new at every start hidden.
fn variables(all: Facts, up: &Up) -> Facts {
    let kept = all.into_iter().filter(|(name, _)| volatile(name).is_none());
    match &up.server {
        Serving::Found(_) => kept.collect(),
        Serving::Ours(instance) => {
            let instance = held(instance);
            let hidden = |(name, value): (String, String)| match name.as_str() {
                "port" | "report_port" => (name, "{port}".to_string()),
                _ => (name, at_home(&value, &instance)),
            };
            kept.map(hidden).collect()
        }
    }
}

/// What tables, triggers and events are, how many rows the tables have, when they were last written, and as what the
/// engine keeps them.
#[derive(Default)]
struct Tables {
    facts: Facts,
    rows: Facts,
    written: Facts,
    ids: Facts,
}

fn tables(control: &mut Control, schemas: &BTreeSet<String>) -> Tables {
    let mut all = Tables { facts: pairs(control, EVENTS).unwrap_or_default(), ..Tables::default() };
    for schema in schemas {
        let here = |sql: &str| sql.replace("{schema}", schema);
        let rows = control.rows(&here(TABLES)).unwrap_or_default();
        all.facts.insert(format!("number of tables in {schema}"), rows.len().to_string());
        if rows.len() <= MOST_TABLES {
            all.ids.extend(ids(control, schema));
        }
        for row in rows.into_iter().take(MOST_TABLES) {
            let [Some(table), kind, estimate, written] = &row[..] else { continue };
            if table.starts_with(MARKER) {
                continue;
            }
            all.facts.insert(format!("storage of {table}"), kind.clone().unwrap_or_default());
            all.rows.extend(estimate.as_ref().map(|rows| (table.clone(), rows.clone())));
            let written = written.clone().unwrap_or_else(|| NO_WRITE.into());
            all.written.insert(table.clone(), written);
            let created = control.rows(&format!("SHOW CREATE TABLE `{schema}`.`{table}`")).unwrap_or_default();
            let text = created.into_iter().next().and_then(|row| row.into_iter().nth(1).flatten());
            all.facts.extend(definition(table, &text.unwrap_or_default()));
        }
        all.facts.extend(pairs(control, &here(TRIGGERS)).unwrap_or_default());
    }
    all
}

/// Nothing where no engine numbers its tables, this account may not see them, or they are very many.
fn ids(control: &mut Control, schema: &str) -> Facts {
    let sql = |view: &str| {
        format!(
            "SELECT SUBSTRING_INDEX(SUBSTRING(name, {0} + 2), '#', 1) of_table, \
             GROUP_CONCAT(CONCAT(table_id, ' in space ', space) ORDER BY name SEPARATOR ', ') \
             FROM information_schema.{view} WHERE LEFT(name, {0} + 1) = '{schema}/' GROUP BY of_table",
            schema.chars().count()
        )
    };
    let all = control.value("SELECT COUNT(*) FROM information_schema.tables").ok().flatten();
    if all.and_then(|all| all.parse::<u64>().ok()).is_none_or(|all| all > MOST_OF_SERVER) {
        return Facts::new();
    }
    let mut ids = IDS.into_iter().find_map(|view| pairs(control, &sql(view))).unwrap_or_default();
    ids.retain(|table, _| !table.starts_with(MARKER));
    ids
}

/// A definition line by line, each under the name of what it defines. How far an automatic key has counted is none.
fn definition(table: &str, text: &str) -> Facts {
    let mut facts = Facts::new();
    for line in text.lines().skip(1).map(|line| line.trim().trim_end_matches(',')) {
        let name = |kind: &str| {
            let quoted = line.split('`').nth(1).unwrap_or_default();
            format!("{kind} `{quoted}` of {table}")
        };
        let words: Vec<&str> = line.split(' ').collect();
        let key = match &words[..] {
            [first, ..] if first.starts_with('`') => name("column"),
            ["PRIMARY", ..] => format!("primary key of {table}"),
            ["KEY", ..] | ["UNIQUE" | "FULLTEXT" | "SPATIAL", "KEY", ..] => name("key"),
            ["CONSTRAINT", ..] => name("constraint"),
            [first, ..] if first.starts_with(')') => format!("options of {table}"),
            _ => format!("partitions of {table}"),
        };
        let line = line.trim_start_matches([')', ' ']);
        let line: Vec<&str> = line.split(' ').filter(|word| !word.starts_with("AUTO_INCREMENT=")).collect();
        let told = facts.entry(key).or_default();
        if !told.is_empty() {
            told.push(' ');
        }
        told.push_str(&line.join(" "));
    }
    facts
}

/// Number, account and since when of whoever is none of ours and stays; `None` where that may not be asked.
fn others(control: &mut Control, sql: &str, ours: &BTreeSet<String>) -> Option<Stayed> {
    let mut stayed: Option<Stayed> = None;
    for look in 0..LOOKS {
        if look > 0 {
            thread::sleep(BETWEEN);
        }
        let rows = control.rows(sql).ok()?;
        let one = |row: TextRow| {
            let mut cells = row.into_iter();
            Some((cells.next()??, (cells.next()??, cells.next()?.unwrap_or_default())))
        };
        let mut now: BTreeMap<_, _> = rows.into_iter().filter_map(one).filter(|(id, _)| !ours.contains(id)).collect();
        if let Some(before) = &stayed {
            now.retain(|id, _| before.contains_key(id));
        }
        if now.is_empty() {
            return Some(now);
        }
        stayed = Some(now);
    }
    stayed
}

/// How many there are of each account: their numbers differ from start to start.
fn counted(others: Stayed) -> Facts {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for (account, _) in others.into_values() {
        *counts.entry(account).or_default() += 1;
    }
    counts.into_iter().map(|(account, count)| (account, count.to_string())).collect()
}

/// Each with its age.
fn holders(open: &Stayed) -> Facts {
    open.iter().map(|(thread, (account, age))| (format!("{account}, thread {thread}"), age.clone())).collect()
}

/// Statements of each account; `None` where the server counts none.
fn askers(control: &mut Control, up: &Up, users: &[&UserGroup]) -> Option<Facts> {
    let own = |user: &str| {
        let mut endpoints = users.iter().map(|group| &group.access.endpoint).chain([&up.endpoint]);
        endpoints.any(|endpoint| endpoint.user == user)
    };
    let account = |row: TextRow| {
        let mut cells = row.into_iter().flatten();
        let (user, host, count) = (cells.next()?, cells.next()?, cells.next()?);
        let mark = if own(&user) { OF_THE_LOAD } else { "" };
        Some((format!("{user}@{host}{mark}"), count))
    };
    [ASKERS, ASKERS_BY_USER].into_iter().find_map(|sql| {
        let facts: Facts = control.rows(sql).ok()?.into_iter().filter_map(account).collect();
        (!facts.is_empty()).then_some(facts)
    })
}

fn pairs(control: &mut Control, sql: &str) -> Option<Facts> {
    let pair = |row: TextRow| {
        let mut cells = row.into_iter();
        Some((cells.next()??, cells.next().flatten().unwrap_or_default()))
    };
    Some(control.rows(sql).ok()?.into_iter().filter_map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_told_by_what_it_defines_and_not_by_how_far_its_keys_have_counted() {
        let text = |auto: u32, key: &str| {
            format!(
                "CREATE TABLE `sbtest1` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  `k` int(11) DEFAULT 0,\n  \
                 PRIMARY KEY (`id`){key}\n) ENGINE=InnoDB AUTO_INCREMENT={auto} DEFAULT CHARSET=latin1\n \
                 PARTITION BY HASH (`id`)\nPARTITIONS 4"
            )
        };
        let of = |auto, key| definition("sbtest1", &text(auto, key));
        assert_eq!(of(7, ""), of(9, ""));
        let with = of(7, ",\n  KEY `k_1` (`k`)");
        assert_eq!(with["key `k_1` of sbtest1"], "KEY `k_1` (`k`)");
        assert_eq!(with["column `id` of sbtest1"], "`id` int(11) NOT NULL AUTO_INCREMENT");
        assert_eq!(with["options of sbtest1"], "ENGINE=InnoDB DEFAULT CHARSET=latin1");
        assert_eq!(with["partitions of sbtest1"], "PARTITION BY HASH (`id`) PARTITIONS 4");
        assert_eq!(with.len(), of(7, "").len() + 1);
    }

    #[test]
    fn a_grant_is_kept_without_its_password() {
        let grant = "GRANT USAGE ON *.* TO `u`@`localhost` IDENTIFIED BY PASSWORD '*ABC' WITH MAX_USER_CONNECTIONS 3";
        assert_eq!(without_secret(grant), "GRANT USAGE ON *.* TO `u`@`localhost` WITH MAX_USER_CONNECTIONS 3");
        assert_eq!(
            without_secret("GRANT PROXY ON ''@'%' TO 'root'@'localhost'"),
            "GRANT PROXY ON ''@'%' TO 'root'@'localhost'"
        );
    }
}
