//! The key endpoint of the instance that is up, opened when the data lie behind them: InnoDB's plugin is given its
//! tables, the data are mapped, it is installed and looked at; HandlerSocket is asked for the secret that it made.
//! Before users come, values are compared through the endpoint itself: a mapping that is wrong answers with misses and
//! a splendid rate. How long an answer stays old after somebody wrote is asked once per run, in gets and in time.

use super::control::Control as KeyControl;
use super::{KeyEndpoint, KeyProtocol, Keys};
use crate::backends::endpoint::{Address, SqlEndpoint, protocol_of};
use crate::backends::memcached::provision as memcached;
use crate::backends::mysql::control::Control;
use crate::backends::mysql::keys::{HANDLERSOCKET, MEMCACHED, answers};
use crate::campaign::{Lab, Unready};
use crate::os::clock;
use crate::provision::instance::{Serving, Up, held};
use crate::provision::needs::{DatasetNeed, identity};
use crate::trouble::Trouble;
use model::load::{Transport, Work};
use model::plan::Cell;
use model::plan::served::CACHE;
use model::protocol::Protocol;
use model::record::answer::SessionAnswer;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use wire::memcached::Dialect;
use workload::Workloads;
use workload::kv::{COLUMNS, Sizes, TABLE, value};
use workload::session::Fault;

/// An endpoint that is silent so long is closed.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// How long a plugin may take until its daemon listens; it was up within a second wherever it came up.
const LISTENING: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Values compared before users come.
const SPOTS: u64 = 64;
/// The lab's own key, which no workload draws.
const OURS: u64 = 0;
/// Gets after which an answer that is still old is told to be older than that.
const MOST_GETS: u32 = 2_000;

impl Lab<'_> {
    /// Opens the endpoints that this cell's users come by.
    pub(crate) fn open_key_endpoints(&mut self, cell: &Cell, wanted: &[DatasetNeed]) -> Result<(), Unready> {
        for work in cell.works() {
            let protocol = protocol_of(self.workloads, &work);
            let plugin = match protocol {
                Protocol::MySql | Protocol::PostgreSql | Protocol::MongoDb => continue,
                Protocol::Memcached => MEMCACHED,
                Protocol::HandlerSocket => HANDLERSOCKET,
            };
            let dataset = wanted.iter().find(|w| w.name == identity(self.workloads, &work, &cell.server.engine).0);
            let dataset = dataset.expect("a workload by key has data");
            let fail = |trouble: Trouble| Unready::Fail(trouble.to_string());
            let up = self.up.as_mut().expect("an instance is up before its endpoints are opened");
            if up.build.installed.kind == CACHE {
                continue;
            }
            let Serving::Ours(instance) = &up.server else {
                return Err(Unready::Skip("assay opens no protocol past SQL of a server that it did not start".into()));
            };
            let found = held(instance)
                .key_listener()
                .map(|listener| (listener.address(false), listener.address(true), listener.ports.is_some()));
            let Some((read, write, by_port)) = found else {
                return Err(Unready::Skip("settings.doors = false keeps every key protocol shut".into()));
            };
            if !up.build.has_plugin(plugin) {
                let why = format!("build `{}` comes without {plugin}", cell.server.build);
                return Err(Unready::Skip(why));
            }
            if protocol == Protocol::Memcached && by_port && cell.load.transport != Some(Transport::Tcp) {
                let why =
                    "the plugin listens at a port or at a socket, and other users of this experiment come by the port";
                return Err(Unready::Skip(why.into()));
            }
            if protocol == Protocol::Memcached {
                map(&up.endpoint, &up.build.share, &read, &dataset.schema()).map_err(fail)?;
            } else {
                up.secrets = secrets(&up.endpoint)
                    .map_err(|e| fail(Trouble::new("HandlerSocket does not say its secret").because(e)))?;
            }
            up.key_addresses = Some((read, write));
            let key_endpoint =
                key_endpoint(self.workloads, up, &work, &cell.server.engine).expect("its listener was just opened");
            compare(&key_endpoint, &work).map_err(fail)?;
        }
        Ok(())
    }
}

/// The endpoint of users who do this work, on a server whose endpoints are open.
pub(crate) fn key_endpoint(workloads: &Workloads, up: &Up, work: &Work, engine: &str) -> Option<KeyEndpoint> {
    let (read, write) = up.key_addresses.clone()?;
    let schema = up.datasets.get(&identity(workloads, work, engine).0)?.clone().ok()?;
    let writes = workloads.by_name(&work.workload)?.words().writes;
    match protocol_of(workloads, work) {
        Protocol::MySql | Protocol::PostgreSql | Protocol::MongoDb => None,
        Protocol::Memcached => {
            let dialect = match work.parameters.get("dialect").and_then(model::value::Value::text) {
                Some("binary") => Dialect::Binary,
                Some("meta") => Dialect::Meta,
                Some(_) | None => Dialect::Text,
            };
            let keys = match up.build.installed.kind.as_str() {
                CACHE => memcached::keys(up, &schema),
                _ => Keys::Container(schema),
            };
            Some(KeyEndpoint { address: read, protocol: KeyProtocol::Memcached { dialect, keys } })
        }
        Protocol::HandlerSocket => {
            let [for_reading, for_writing] = up.secrets.clone();
            let (address, secret) = if writes { (write, for_writing) } else { (read, for_reading) };
            let columns = COLUMNS.join(",");
            let protocol = KeyProtocol::HandlerSocket { secret, schema, table: TABLE.into(), columns };
            Some(KeyEndpoint { address, protocol })
        }
    }
}

/// Maps a dataset as a container of its schema's name, and installs the plugin where it is not yet. A row of the
/// mapping that is new is found by the daemon itself.
pub fn map(sql: &SqlEndpoint, share: &Path, address: &Address, schema: &str) -> Result<(), Trouble> {
    let refuses = |e: Fault| Trouble::new("the server does not take the memcached plugin").because(e);
    let mut control = Control::connect(sql).map_err(refuses)?;
    let there = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'innodb_memcache'";
    if control.value(there).map_err(refuses)?.as_deref() == Some("0") {
        let path = share.join("innodb_memcached_config.sql");
        let script = std::fs::read_to_string(&path).map_err(Trouble::at("reading", &path))?;
        for statement in statements(&script) {
            control.execute(&statement).map_err(refuses)?;
        }
    }
    let [key, value] = COLUMNS;
    let row = format!(
        "REPLACE INTO innodb_memcache.containers VALUES ('{schema}', '{schema}', '{TABLE}', '{key}', '{value}', '0', '0', '0', 'PRIMARY')"
    );
    control.execute(&row).map_err(refuses)?;
    let installed = "SELECT COUNT(*) FROM information_schema.plugins WHERE plugin_name = 'daemon_memcached'";
    if control.value(installed).map_err(refuses)?.as_deref() == Some("0") {
        let install = format!("INSTALL PLUGIN daemon_memcached SONAME '{MEMCACHED}'");
        control.execute(&install).map_err(refuses)?;
    }
    control.quit();
    let begun = Instant::now();
    while !answers(address) {
        if begun.elapsed() > LISTENING {
            return Err(Trouble::new(format!("the plugin is installed, and nobody answers at {address}")));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// The statements of a script, which has comments and `use`, and no semicolon within a text.
fn statements(script: &str) -> Vec<String> {
    let code: Vec<&str> = script.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    // One of them ends with its line and not with a semicolon.
    let code: Vec<String> =
        code.iter().map(|l| if l.trim() == "USE test" { "USE test;".into() } else { (*l).to_string() }).collect();
    code.join("\n").split(';').map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect()
}

/// For reading and for writing, as the server drew them at its start; they stay in this process.
fn secrets(endpoint: &SqlEndpoint) -> Result<[String; 2], Fault> {
    let mut control = Control::connect(endpoint)?;
    let mut secret = |name: &str| -> Result<String, Fault> {
        let sql = format!("SELECT @@GLOBAL.{name}");
        Ok(control.value(&sql)?.unwrap_or_default())
    };
    let both = [secret("handlersocket_plain_secret")?, secret("handlersocket_plain_secret_wr")?];
    control.quit();
    Ok(both)
}

/// Values of keys all over the table, through the endpoint, byte for byte.
pub fn compare(endpoint: &KeyEndpoint, work: &Work) -> Result<(), Trouble> {
    let count = |name: &str| work.parameters[name].count().expect("a checked parameter").unsigned_abs();
    let (keys, sizes) = (count("keys"), Sizes::of(&work.parameters));
    let spots: Vec<u64> =
        (0..SPOTS.min(keys)).map(|n| 1 + n * (keys - 1) / SPOTS.min(keys).max(2).saturating_sub(1)).collect();
    let cannot = |e: Fault| Trouble::new(format!("{endpoint:?} cannot be read")).because(e);
    let found = KeyControl::connect(endpoint, PATIENCE).and_then(|mut control| control.get(&spots)).map_err(cannot)?;
    let mut room = Vec::new();
    let wrong = found.iter().filter(|(key, value)| !value::is_of(*key, value, sizes.bytes(*key), &mut room)).count();
    let there = spots.iter().filter(|spot| found.iter().any(|(key, _)| key == *spot)).count();
    if wrong > 0 || there < spots.len() {
        let (missing, of) = (spots.len() - there, spots.len());
        return Err(Trouble::new(format!(
            "through {endpoint:?} {missing} of {of} keys are missing and {wrong} values are not theirs"
        ))
        .mend("the mapping leads to another table, or a value does not fit its column"));
    }
    Ok(())
}

/// What a session past SQL is, and how long its answers stay old.
pub(crate) fn ask(endpoint: &KeyEndpoint, sql: Option<&SqlEndpoint>) -> Result<SessionAnswer, Fault> {
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    let mut say = |name: &str, what: String| drop(variables.insert(name.into(), what));
    match &endpoint.protocol {
        KeyProtocol::Memcached { dialect, keys } => {
            say("door", format!("memcached, {}", format!("{dialect:?}").to_lowercase()));
            say("container", keys.to_string());
            say("door_version", KeyControl::connect(endpoint, PATIENCE)?.version()?);
        }
        KeyProtocol::HandlerSocket { schema, .. } => {
            say("door", "handlersocket".into());
            say("container", schema.clone());
        }
    }
    if let Some(sql) = sql {
        let Stale { gets, time, level } = stale(endpoint, sql)?;
        say(
            "stale_gets_after_commit",
            if gets < MOST_GETS { gets.to_string() } else { format!("more than {MOST_GETS}") },
        );
        say("stale_ms_after_commit", format!("{:.3}", time.seconds() * 1e3));
        say("door_isolation", level);
    }
    Ok(SessionAnswer {
        variables,
        transport: endpoint.address.transport(false),
        authentication: match &endpoint.protocol {
            KeyProtocol::HandlerSocket { secret, .. } if !secret.is_empty() => "a secret in plain text".into(),
            KeyProtocol::HandlerSocket { .. } | KeyProtocol::Memcached { .. } => "none".into(),
        },
        ..SessionAnswer::default()
    })
}

/// For how many gets of one connection, and how long, a value was still the old one after its change was committed.
struct Stale {
    gets: u32,
    time: Nanos,
    /// Of the transactions behind the endpoint, as the server names it.
    level: String,
}

/// One connection reads the lab's own row over and over; another changes it in SQL and commits.
fn stale(endpoint: &KeyEndpoint, sql: &SqlEndpoint) -> Result<Stale, Fault> {
    let mut control = Control::connect(sql)?;
    let write = |control: &mut Control, text: &str| {
        control.execute(&format!("REPLACE INTO {TABLE} VALUES ({OURS}, '{text}')")).map(drop)
    };
    write(&mut control, "before")?;
    let mut reader = KeyControl::connect(endpoint, PATIENCE)?;
    reader.get(&[OURS])?;
    write(&mut control, "after")?;
    let begun = clock::now();
    let mut gets = 0;
    while gets < MOST_GETS && !reader.get(&[OURS])?.iter().any(|(_, value)| value == b"after") {
        gets += 1;
    }
    let time = Nanos(clock::now().0 - begun.0);
    control.execute(&format!("DELETE FROM {TABLE} WHERE id = {OURS}"))?;
    const LEVELS: [&str; 4] = ["read uncommitted", "read committed", "repeatable read", "serializable"];
    let level = match control.value("SELECT @@GLOBAL.innodb_api_trx_level") {
        Ok(level) => level.and_then(|n| LEVELS.get(n.parse::<usize>().ok()?).copied()).unwrap_or_default().to_string(),
        Err(_) => "what was committed last".into(),
    };
    control.quit();
    Ok(Stale { gets, time, level })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_falls_into_its_statements() {
        let script = "create database a;\n\nuse a;\n-- a comment; of words\nCREATE TABLE t (\n  -- key\n  c int);\nUSE test\n-- more\nINSERT INTO t VALUES (\"x\");\n";
        assert_eq!(
            statements(script),
            ["create database a", "use a", "CREATE TABLE t (\n  c int)", "USE test", "INSERT INTO t VALUES (\"x\")"]
        );
    }
}
