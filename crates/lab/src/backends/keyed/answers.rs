//! What is asked through the listeners of protocols past SQL. Before users come, values are compared: a mapping that is
//! wrong answers with misses and a splendid rate. How long an answer stays old after somebody wrote is asked once per
//! run, in gets and in time.

use super::control::Control as KeyControl;
use super::{KeyEndpoint, KeyProtocol, Keys};
use crate::backends::access::UserGroup;
use crate::backends::endpoint::{Address, SqlEndpoint};
use crate::backends::mysql::control::Control;
use crate::backends::up::{Serving, Up, held};
use crate::os::clock;
use crate::trouble::{Trouble, Unready};
use model::load::Work;
use model::record::answer::SessionAnswer;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::time::Duration;
use workload::kv::{Sizes, TABLE, value};
use workload::session::Fault;

/// An endpoint that is silent so long is closed.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Values compared before users come.
const SPOTS: u64 = 64;
/// The lab's own key, which no workload draws.
const OURS: u64 = 0;
/// Gets after which an answer that is still old is told to be older than that.
const MOST_GETS: u32 = 2_000;

/// Where a plugin of the server listens that is up: to read, to write, and whether by ports.
pub(crate) fn listeners(up: &Up, plugin: &str, build: &str) -> Result<([Address; 2], bool), Unready> {
    let Serving::Ours(instance) = &up.server else {
        return Err(Unready::Skip("assay opens no protocol past SQL of a server that it did not start".into()));
    };
    let instance = held(instance);
    let Some(listener) = instance.key_listener() else {
        return Err(Unready::Skip("settings.doors = false keeps every key protocol shut".into()));
    };
    if !up.build.has_plugin(plugin) {
        return Err(Unready::Skip(format!("build `{build}` comes without {plugin}")));
    }
    Ok(([false, true].map(|writes| listener.address(writes)), listener.ports.is_some()))
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

/// What a session of these users is, and how long its answers stay old.
pub(crate) fn ask(users: &UserGroup) -> Result<SessionAnswer, Fault> {
    let keys = users.access.beside_as();
    let endpoint = keys.ok_or_else(|| Fault::Unopened("its users know no listener for keys".into()))?;
    let sql = has_sql(endpoint).then_some(&users.access.endpoint);
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

/// Whether there is SQL beside the endpoint: a cache has no schema to be within.
fn has_sql(endpoint: &KeyEndpoint) -> bool {
    match &endpoint.protocol {
        KeyProtocol::Memcached { keys, .. } => matches!(keys, Keys::Container(_)),
        KeyProtocol::HandlerSocket { .. } => true,
    }
}

/// For how many gets of one connection, and how long, a value was still the old one after its change was committed.
struct Stale {
    gets: u32,
    time: Nanos,
    /// The isolation of the transactions behind the endpoint, as the server names it.
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
