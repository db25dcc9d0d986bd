//! The session by which a server is asked for what it counts, and what it told at this reading.

use super::reading::Reading;
use model::Version;
use model::record::series::Metric;
use std::collections::BTreeMap;

/// A session for the sampler alone: one statement at a time, rows as text.
pub trait Ask {
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String>;
    /// Who is asked, where that is known.
    fn dialect(&self) -> Option<Dialect> {
        None
    }
}

/// Family and version of a server, as it greets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    pub mariadb: bool,
    pub version: Version,
}

impl Dialect {
    pub fn of(greeting: &str) -> Option<Self> {
        Some(Self { mariadb: greeting.contains("MariaDB"), version: Version::parse(greeting)? })
    }
}

/// A session that could not be had: whatever is asked of it is missing for this reason.
pub struct Refused(pub String);

impl Ask for Refused {
    fn rows(&mut self, _: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        Err(self.0.clone())
    }
}

/// The session with a count of what went through it, and what the server told at this reading.
pub struct Asker {
    ask: Box<dyn Ask>,
    pub(crate) statements: u64,
    pub(crate) told: BTreeMap<String, (Metric, f64)>,
}

impl Asker {
    pub(crate) fn new(ask: Box<dyn Ask>) -> Self {
        Self { ask, statements: 0, told: BTreeMap::new() }
    }
    /// Keeps what was read for those who read it under another name, less what `is_dead` on this server.
    pub(crate) fn tell(&mut self, source: &str, reading: &mut Reading, is_dead: fn(Option<Dialect>, &str) -> bool) {
        let dialect = self.ask.dialect();
        let (dead, alive): (Vec<_>, Vec<_>) = reading.values.drain(..).partition(|(m, _)| is_dead(dialect, &m.name));
        reading.values = alive;
        if !dead.is_empty() {
            let names: Vec<_> = dead.into_iter().map(|(m, _)| m.name).collect();
            let why = format!("this version lists and does not count {}", names.join(", "));
            reading.missing(&format!("a part of {source}"), why);
        }
        self.told.extend(reading.values.iter().map(|(m, value)| (m.name.clone(), (m.clone(), *value))));
    }
    pub(crate) fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        self.statements += 1;
        self.ask.rows(sql)
    }
}
