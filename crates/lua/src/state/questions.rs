//! What is asked of a script about itself, outside of its events: which options, commands, functions and hooks it has.
//! None of it may ask a database.

use super::{Entry, State, words};
use crate::bundled::bundled;
use crate::guest::Source;
use crate::option::{Declared, Kind};
use crate::stat::Stat;
use mlua::{Function, Lua, Table, Value};

/// A command that a script declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Custom {
    pub is_parallel: bool,
}

impl State {
    /// The options that the script's body declared; `None` where it declares none at all.
    pub fn declared(&mut self) -> Result<Option<Vec<Declared>>, String> {
        let Value::Table(list) = self.call(Entry::Declared)? else { return Ok(None) };
        let read = |entry: Table| -> mlua::Result<Declared> {
            let kind: usize = entry.get("kind")?;
            Ok(Declared {
                name: entry.get("name")?,
                description: entry.get("description")?,
                kind: Kind::ALL.get(kind).copied().unwrap_or(Kind::String),
                default: entry.get("default")?,
            })
        };
        list.sequence_values::<Table>().map(|entry| read(entry?)).collect::<mlua::Result<_>>().map(Some).map_err(words)
    }

    /// The script and everything that it read by `require` and `dofile` so far, with their texts.
    pub fn sources(&self) -> Result<Vec<Source>, String> {
        let read = self.host.raw_get::<Table>("read").map_err(words)?;
        let names: Vec<String> = read.sequence_values().collect::<Result<_, _>>().map_err(words)?;
        let text = |name: String| match name.strip_prefix('=').and_then(bundled) {
            Some(text) => Ok((name, text.as_bytes().to_vec())),
            None => std::fs::read(&name).map(|text| (name.clone(), text)).map_err(|e| format!("{name}: {e}")),
        };
        names.into_iter().map(text).collect()
    }

    /// Whether the script has a global function of that name.
    pub fn has(&self, function: &str) -> bool {
        matches!(self.lua.globals().get::<Value>(function), Ok(Value::Function(_)))
    }

    /// Whether the script declares that command, and whether it is to run in as many states as there are threads.
    pub fn command(&self, name: &str) -> Option<Custom> {
        let cmdline = self.sysbench("cmdline")?;
        let ask =
            |question: &str| cmdline.get::<Function>(question).and_then(|f| f.call::<bool>(name)).unwrap_or(false);
        ask("command_defined").then(|| Custom { is_parallel: ask("command_parallel") })
    }

    pub fn has_hook(&self, name: &str) -> bool {
        let hooks = self.sysbench("hooks");
        hooks.is_some_and(|hooks| matches!(hooks.get::<Value>(name), Ok(Value::Function(_))))
    }

    fn sysbench(&self, part: &str) -> Option<Table> {
        self.lua.globals().get::<Table>("sysbench").ok()?.get(part).ok()
    }

    /// Gives a report's numbers to the hook of that name.
    pub fn report(&mut self, hook: &str, stat: &Stat) -> Result<(), String> {
        let table = stat_table(&self.lua, stat).map_err(words)?;
        self.host.raw_set("stat", table).map_err(words)?;
        self.call(Entry::Hook(hook.to_string())).map(|_| ())
    }
}

fn stat_table(lua: &Lua, stat: &Stat) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let seconds = [
        ("time_interval", stat.time_interval),
        ("time_total", stat.time_total),
        ("latency_pct", stat.latency_pct),
        ("latency_min", stat.latency_min),
        ("latency_max", stat.latency_max),
        ("latency_avg", stat.latency_avg),
        ("latency_sum", stat.latency_sum),
    ];
    let counts = [
        ("threads_running", u64::from(stat.threads_running)),
        ("events", stat.events),
        ("reads", stat.reads),
        ("writes", stat.writes),
        ("other", stat.other),
        ("errors", stat.errors),
        ("reconnects", stat.reconnects),
        ("queue_length", stat.queue_length),
        ("concurrency", stat.concurrency),
    ];
    seconds.iter().try_for_each(|(name, value)| table.set(*name, *value))?;
    counts.iter().try_for_each(|(name, value)| table.set(*name, *value as f64))?;
    Ok(table)
}
