//! What held at the ends of runs, laid side by side: which facts differ, what a difference can do to a number, and how
//! it is told. A difference strikes unless it is known to be harmless: what a setting does is known to its server, and
//! the sabotage that nobody thought of is in none of our lists. So the short table is that of what does no harm.

use super::evidence::RunEvidence;
use model::Phase;
use model::record::state::{Facet, NO_WRITE, State, States, matches};
use std::collections::{BTreeMap, BTreeSet};

/// What stands for a fact that is not there.
const ABSENT: &str = "absent";
/// Characters of a value that are shown; the files have it whole.
const SHOWN: usize = 100;
/// How a fact of one column is called: where a table is gone, or another, all of its columns differ, and say least.
const COLUMN: &str = "column ";
/// Estimates of the same rows differ by less: the engine samples a few pages.
const ROWS: f64 = 1.5;
/// Rows below which an estimate says nothing.
const FEW_ROWS: f64 = 100.0;

/// Variables whose change can move no number that is measured, each with the reason. `*` stands for any end.
pub const HARMLESS: &[(&str, &str)] = &[
    ("hostname", "a name"),
    ("port", "an address"),
    ("extra_port", "an address"),
    ("report_*", "what a replica tells of itself"),
    ("socket", "an address"),
    ("pid_file", "a name"),
    ("server_id", "a name"),
    ("datadir", "a name"),
    ("general_log_file", "a name: whether it is written is `general_log`"),
    ("slow_query_log_file", "a name: whether it is written is `slow_query_log`"),
    ("log_error", "a name"),
    ("lc_messages*", "the language of messages"),
    ("lc_time_names", "the names of months in texts of dates"),
    ("secure_file_priv", "a place"),
    ("character_sets_dir", "a place"),
    ("expire_logs_days", "when logs are removed, in days"),
    ("binlog_expire_logs_*", "when logs are removed, in days"),
    ("connect_timeout", "for sessions that do not come"),
    ("wait_timeout", "for sessions that say nothing for hours; shorter ones end with errors, which are told"),
    ("interactive_timeout", "for sessions that say nothing for hours"),
    ("ft_*", "full-text search, which no workload uses"),
    ("version_compile_*", "names"),
    ("license", "a name"),
];

/// One fact that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub facet: Facet,
    pub key: String,
    pub was: String,
    pub is: String,
}

/// What a difference does to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It can change work, plan, bytes or durability.
    Strikes,
    Warns,
}

pub type Facts<'a> = BTreeMap<Facet, &'a State>;

/// One end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Begin,
    Over,
}

impl<'a> RunEvidence<'a> {
    /// What held there; `None` where the record does not say.
    pub fn state(&self, end: End) -> Option<Facts<'a>> {
        let States { begin, end: over, .. } = self.run.states.as_ref()?;
        let names = match end {
            End::Begin => begin,
            End::Over => over,
        };
        let facts = |(facet, name): (&Facet, &String)| Some((*facet, self.record.states.get(name)?));
        let known: Facts = names.iter().filter_map(facts).collect();
        (!known.is_empty()).then_some(known)
    }

    /// What was seen while its users were at work.
    fn meanwhile(&self) -> impl Iterator<Item = &'a State> {
        let names = self.run.states.iter().flat_map(|states| &states.meanwhile);
        names.filter_map(|(_, name)| self.record.states.get(name))
    }

    /// What was otherwise while its users were at work than when it began, or if it was not read then, than when it was
    /// seen first.
    pub fn otherwise_meanwhile(&self) -> Vec<Difference> {
        let begin = self.state(End::Begin).unwrap_or_default();
        let mut first: BTreeMap<(Facet, &str), &str> = BTreeMap::new();
        for (facet, state) in &begin {
            first.extend(state.facts.iter().map(|(key, value)| ((*facet, key.as_str()), value.as_str())));
        }
        let mut found: Vec<Difference> = Vec::new();
        for state in self.meanwhile() {
            for (key, is) in &state.facts {
                let unseen = if state.facet == Facet::KernelWrites { "0" } else { is };
                let was = *first.entry((state.facet, key)).or_insert(unseen);
                if was != is && !found.iter().any(|d| d.facet == state.facet && d.key == *key) {
                    found.push(Difference { facet: state.facet, key: key.clone(), was: was.into(), is: is.clone() });
                }
            }
        }
        found
    }

    /// A variable of the server as it was in force for this run: at its end, or where that was not read as the server
    /// said it when it started.
    pub fn variable(&self, name: &str) -> Option<&'a str> {
        self.in_force()
            .and_then(|facts| facts.get(name))
            .or_else(|| self.instance?.variables.get(name))
            .map(String::as_str)
    }

    /// Bytes of redo log, in the variables of MySQL since 8.0.30 and of all others.
    pub fn redo_capacity(&self) -> Option<f64> {
        let variable = |name: &str| self.variable(name)?.parse::<f64>().ok();
        let files = variable("innodb_log_files_in_group").unwrap_or(1.0);
        variable("innodb_redo_log_capacity")
            .or_else(|| Some(variable("innodb_log_file_size")? * files))
            .filter(|bytes| *bytes > 0.0)
    }

    /// All of them.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let mut all = self.instance.map(|instance| instance.variables.clone()).unwrap_or_default();
        all.extend(self.in_force().cloned().unwrap_or_default());
        all
    }

    fn in_force(&self) -> Option<&'a BTreeMap<String, String>> {
        let of = |end| Some(&self.state(end)?.get(&Facet::Variables)?.facts);
        of(End::Over).or_else(|| of(End::Begin))
    }
}

/// What differs between two moments, what strikes first. A facet that one of them did not read is no difference.
pub fn between(was: &Facts, is: &Facts) -> Vec<Difference> {
    let mut found = Vec::new();
    for (facet, one) in was {
        let Some(other) = is.get(facet).filter(|_| facet.is_to_hold()) else { continue };
        let keys: BTreeSet<&String> = one.facts.keys().chain(other.facts.keys()).collect();
        for key in keys {
            let (was, is) = (one.facts.get(key), other.facts.get(key));
            if was != is && !is_nothing(*facet, was, is) {
                let none = if matches!(facet, Facet::Transactions | Facet::Others) { "0" } else { ABSENT };
                let text = |value: Option<&String>| value.map_or(none.to_string(), String::clone);
                found.push(Difference { facet: *facet, key: key.clone(), was: text(was), is: text(is) });
            }
        }
    }
    // A session's fact is what differs from the server's own, so that it moves with it.
    let global: BTreeSet<String> =
        found.iter().filter(|d| d.facet == Facet::Variables).map(|d| d.key.clone()).collect();
    let is_of_session = |d: &Difference| matches!(d.facet, Facet::LabSession | Facet::UserSession);
    found.retain(|d| !(is_of_session(d) && global.contains(&d.key)));
    let order = |d: &Difference| (weight(d), d.facet, d.facet == Facet::Tables && d.key.starts_with(COLUMN));
    found.sort_by(|a, b| (order(a), &a.key).cmp(&(order(b), &b.key)));
    found
}

/// What an engine forgot it did not write, and an estimate wavers.
fn is_nothing(facet: Facet, was: Option<&String>, is: Option<&String>) -> bool {
    let is_forgotten = || is.is_some_and(|is| is == NO_WRITE);
    facet == Facet::Written && is_forgotten() || facet == Facet::Rows && are_about_equal(was, is)
}

fn are_about_equal(one: Option<&String>, other: Option<&String>) -> bool {
    let number = |text: Option<&String>| text.and_then(|text| text.parse::<f64>().ok());
    let Some((one, other)) = number(one).zip(number(other)) else { return false };
    let (least, most) = (one.min(other), one.max(other));
    most < FEW_ROWS || most <= ROWS * least
}

pub fn weight(difference: &Difference) -> Weight {
    let is_harmless = || HARMLESS.iter().any(|(pattern, _)| matches(pattern, &difference.key));
    match difference.facet {
        Facet::Variables | Facet::UserSession if is_harmless() => Weight::Warns,
        Facet::LabSession | Facet::Others | Facet::Holders | Facet::Askers => Weight::Warns,
        // What it was set to is a fact of its own, and it may have been what it was before.
        Facet::KernelWrites => Weight::Warns,
        Facet::Variables
        | Facet::UserSession
        | Facet::Tables
        | Facet::Rows
        | Facet::Written
        | Facet::TableIds
        | Facet::Grants
        | Facet::Plugins
        | Facet::Instruments
        | Facet::Transactions
        | Facet::Process
        | Facet::Client
        | Facet::Kernel => Weight::Strikes,
    }
}

/// Without what a run did to its server on purpose.
pub fn unasked(differences: Vec<Difference>, run: &RunEvidence) -> Vec<Difference> {
    let done: BTreeSet<&str> =
        run.cell.phases.iter().filter_map(|p: &Phase| Some(p.disturb.as_ref()?.name.as_str())).collect();
    let is_asked = |d: &Difference| done.iter().any(|name| on_purpose(name).contains(&d.facet));
    differences.into_iter().filter(|d| !is_asked(d)).collect()
}

/// What a disturbance may leave otherwise than it was.
fn on_purpose(disturbance: &str) -> &'static [Facet] {
    match disturbance {
        "index_build" => &[Facet::Tables, Facet::TableIds],
        "server_kill" => &[Facet::Process, Facet::Transactions, Facet::Others],
        "open_snapshot"
        | "begin_read_committed"
        | "begin_read_uncommitted"
        | "idle_connection"
        | "long_query"
        | "logical_backup" => &[Facet::Transactions, Facet::Others],
        _ => &[],
    }
}

/// Whether a run may change rows, so that their number need not stay: what comes past SQL is not counted as a write.
pub fn writes(run: &RunEvidence) -> bool {
    run.cell.past_sql().next().is_some() || run.run.whole.writes.is_none_or(|writes| writes.statements > 0)
}

impl Difference {
    /// What it is of, as a reader knows it.
    pub fn name(&self) -> String {
        let key = &self.key;
        match self.facet {
            Facet::Variables => format!("`{key}`"),
            Facet::UserSession => format!("`{key}` of a user's session"),
            Facet::LabSession => format!("`{key}` of the lab's session"),
            Facet::Tables => format!("the {key}"),
            Facet::Rows => format!("the estimated number of rows in {key}"),
            Facet::Written => format!("the last write to {key}"),
            Facet::TableIds => {
                format!("the engine's number of {key}, which changes when a table is made anew or replaced,")
            }
            Facet::Grants => format!("`{key}`"),
            Facet::Plugins => format!("the plugin `{key}`"),
            Facet::Instruments => format!("performance_schema's `{key}`"),
            Facet::Transactions => format!("the number of open transactions of {key}"),
            Facet::Others => format!("the number of other sessions of {key}"),
            Facet::Holders => format!("the age of a transaction of {key}"),
            Facet::Askers => format!("the number of statements of {key}"),
            Facet::Process => format!("`{key}` of the server's process"),
            Facet::Client => format!("`{key}` of the client's process"),
            Facet::Kernel => format!("the kernel's `{key}`"),
            Facet::KernelWrites => format!("the number of writes to `{key}`"),
        }
    }

    /// The fact with its verb, which a sentence on its values goes on from.
    pub fn was(&self) -> String {
        let are_several = ["options of ", "partitions of "].iter().any(|several| self.key.starts_with(several));
        format!("{} {}", self.name(), if are_several { "were" } else { "was" })
    }

    /// The two values as far as they tell the difference.
    pub fn values(&self) -> (String, String) {
        let (was, is) = parted(&self.was, &self.is);
        (shown(was), shown(is))
    }
}

/// The words of two long lists, as of `optimizer_switch`, that only one of them has.
fn parted(was: &str, is: &str) -> (String, String) {
    let words = |text: &str| text.split(',').map(|word| word.trim().to_string()).collect::<Vec<_>>();
    let (one, other) = (words(was), words(is));
    if one.len() < 2 || other.len() < 2 {
        return (was.to_string(), is.to_string());
    }
    let only = |own: &[String], theirs: &[String]| {
        own.iter().filter(|word| !theirs.contains(word)).cloned().collect::<Vec<_>>().join(",")
    };
    match (only(&one, &other), only(&other, &one)) {
        (a, b) if a.is_empty() || b.is_empty() => (was.to_string(), is.to_string()),
        parted => parted,
    }
}

fn shown(value: String) -> String {
    let value = if value.is_empty() { "empty".to_string() } else { value };
    match value.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &value[..at]),
        None => value,
    }
}
