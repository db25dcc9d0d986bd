//! Every fixed key of an experiment, one row each: where it stands, what it accepts, what holds where nobody says it,
//! whether it may be an axis, what it is said of, and what another value of it is able to change. Whoever wants a list
//! of keys or axes asks this table, here and in the rooms that read records. Workloads' parameters and words of
//! settings are declared beside what they turn; of parameters only those stand here that change less than one may.

use super::DEFAULT_BUILD;
use super::shape::Shape;
use crate::load::Transport;
use crate::rate::Rate;
use crate::settings;
use crate::units::Nanos;
use crate::value::Value;
use crate::words::{Kind, Literal};

/// More simulated users than a server accepts connections.
pub(super) const MAX_USERS: i64 = 100_000;
/// A hundred is already more than any interval needs.
const MAX_REPETITIONS: i64 = 1_000;
/// Fewer runs find nothing that has an interval.
const MIN_SEARCH: i64 = 8;
const MAX_ITERATIONS: i64 = 100;
/// Seeds are written as numbers that every JSON reader holds exactly.
const MAX_SEED: i64 = 1 << 53;

/// Enough for caches to fill and for three digits of a rate; an experiment that matters says its own.
const WARM_UP: Nanos = Nanos::from_secs(5);
const MEASURE: Nanos = Nanos::from_secs(30);
/// No healthy statement of any study takes as long; a server that hangs is noticed within one phase.
const DEADLINE: Nanos = Nanos::from_secs(60);
/// The fewest repetitions that give an interval.
const REPETITIONS: i64 = 3;

/// The axis over what users do.
pub const WORKLOAD: &str = "workload";
/// The axis over how many they are.
pub const USERS: &str = "users";

/// A table of times by operation, which has no value of its own.
pub(super) const KEYING: &str = "keying";

/// In a table of think times: after the operations that have none of their own.
pub(super) const OTHERS: &str = "default";

/// What a key is said of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All runs together.
    Experiment,
    Cell,
    /// One group of users; its axis is called `groups.NAME.KEY`.
    Group,
    /// One phase of each run; its axis is called `phases.NAME.KEY`.
    Phase,
}

/// What another value of a key is able to change. What changes none of them only presses harder or less, or longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Which statements an operation consists of.
    Operation,
    /// What one and the same statement asks for, and so how many rows it returns.
    Rows,
    /// How one and the same answer is written on the wire, and so its bytes.
    Answer,
    /// The plan by which a statement is carried out.
    Plan,
    /// The bytes on disk.
    Disk,
    /// The way by which users come to the server.
    Way,
    /// The server itself, its settings, or what it has of the machine: chosen when it is started.
    Server,
    /// Those who measure.
    Measuring,
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub section: &'static str,
    pub name: &'static str,
    pub(super) shape: Shape,
    /// In its plain form, where it is a value; other keys are left to their neighbours, or mean nothing unless said.
    pub default: Option<Literal>,
    pub is_axis: bool,
    pub scope: Scope,
    pub changes: &'static [Effect],
    /// What else that is read back follows from it, beside what has its name: `variable.NAME` of the server,
    /// `session.NAME`, or a fact of the run. `*` stands for any end.
    pub moves: &'static [&'static str],
}

impl Key {
    const fn new(section: &'static str, name: &'static str, shape: Shape, scope: Scope) -> Self {
        Self { section, name, shape, default: None, is_axis: false, scope, changes: &[], moves: &[] }
    }
    const fn or(self, default: Literal) -> Self {
        Self { default: Some(default), ..self }
    }
    const fn axis(self) -> Self {
        Self { is_axis: true, ..self }
    }
    const fn changes(self, changes: &'static [Effect]) -> Self {
        Self { changes, ..self }
    }
    const fn moves(self, moves: &'static [&'static str]) -> Self {
        Self { moves, ..self }
    }
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }
    /// Whether an axis of all cells has this name.
    fn is_axis_of_cells(&self) -> bool {
        self.is_axis && self.scope == Scope::Cell
    }
}

const fn experiment(section: &'static str, name: &'static str, shape: Shape) -> Key {
    Key::new(section, name, shape, Scope::Experiment)
}
const fn server(name: &'static str, shape: Shape) -> Key {
    Key::new("server", name, shape, Scope::Cell)
}
const fn load(name: &'static str, shape: Shape) -> Key {
    Key::new("load", name, shape, Scope::Cell)
}
const fn group(name: &'static str, shape: Shape) -> Key {
    Key::new("groups", name, shape, Scope::Group)
}
const fn phase(name: &'static str, shape: Shape) -> Key {
    Key::new("phases", name, shape, Scope::Phase)
}

pub(super) const fn count(min: i64, max: i64) -> Shape {
    Shape::Of(Kind::Count { min, max })
}
const fn time(Nanos(n): Nanos) -> Literal {
    Literal::Count(n as i64)
}
const fn word(word: &'static str) -> Literal {
    Literal::Text(word)
}

const TEXT: Shape = Shape::Of(Kind::Text);
const FLAG: Shape = Shape::Of(Kind::Flag);
const HOW_MANY: Shape = count(1, MAX_USERS);
const LEVEL: Shape = Shape::Of(Kind::Real { min: Rate::LEAST, max: Rate::MOST });
const SOME_TIME: Shape = Shape::Duration { zero: false };
const ANY_TIME: Shape = Shape::Duration { zero: true };
const ARRIVALS: Shape = Shape::Of(Kind::Choice(&["poisson", "constant"]));
const DISTRIBUTIONS: Shape = Shape::Of(Kind::Choice(&["constant", "exponential"]));

use Effect::{Answer, Disk, Measuring, Operation, Plan, Rows, Server, Way};

/// In the order in which mends name them.
pub const KEYS: &[Key] = &[
    experiment("", "question", TEXT),
    server("build", Shape::Build)
        .or(word(DEFAULT_BUILD))
        .axis()
        .changes(&[Server, Plan, Disk, Answer])
        .moves(&["version*", "binary"]),
    server("on", Shape::Dsn).changes(&[Server, Plan, Disk, Answer, Way]),
    // Of the tables: a server that is there already may have several. The words of the storage engine move the
    // variables of the engine under test, and leave the others at their defaults.
    server("engine", Shape::Engine).or(word("innodb")).axis().changes(&[Plan, Disk]).moves(&[
        "variable.default_storage_engine",
        "variable.default_tmp_storage_engine",
        "variable.innodb_*",
        "variable.rocksdb_*",
        "variable.aria_*",
        "variable.key_buffer_size",
        "variable.ignore_db_dirs",
    ]),
    server("profile", Shape::Of(Kind::Choice(settings::PROFILES)))
        .or(word("durable"))
        .axis()
        .changes(&[Server])
        .moves(&["variable.*"]),
    server("topology", Shape::Topology).axis().changes(&[Server]).moves(&[
        "variable.wsrep_*",
        "variable.binlog_format",
        "variable.innodb_autoinc_lock_mode",
    ]),
    server("cpus", Shape::Cpus).axis().changes(&[Server]).moves(&[
        "server_cpus",
        "load_cpus",
        "workers",
        "variable.thread_pool_size",
    ]),
    server("load_cpus", Shape::Cpus).axis().changes(&[Measuring]).moves(&["server_cpus", "load_cpus", "workers"]),
    load(USERS, HOW_MANY).axis().moves(&["workers"]),
    load("rate", Shape::Rate).axis(),
    load("arrivals", ARRIVALS),
    load("think", SOME_TIME),
    load("think_distribution", DISTRIBUTIONS),
    load("pace", SOME_TIME),
    load("transport", Shape::Of(Kind::Choice(Transport::WORDS))).axis().changes(&[Way]),
    load("io", Shape::Of(Kind::Choice(&["auto", "blocking", "io_uring", "epoll"]))).changes(&[Measuring]),
    load("deadline", SOME_TIME).or(time(DEADLINE)),
    load("reconnect_every", count(1, i64::MAX)).axis(),
    load("drain", SOME_TIME),
    load("sampling", FLAG).or(Literal::Flag(true)).axis().changes(&[Measuring]),
    load("errors.back_off", ANY_TIME).or(time(Nanos(0))),
    load("errors.stop", Shape::Errors),
    load("warm_up", ANY_TIME).or(time(WARM_UP)),
    load("measure", SOME_TIME).or(time(MEASURE)),
    load("search.for", Shape::Of(Kind::Choice(&["rate", "users"]))),
    load("search.keep", Shape::Keep),
    load("search.from", LEVEL),
    load("search.to", LEVEL),
    load("search.within", Shape::Of(Kind::Real { min: 0.005, max: 1.0 })),
    load("search.runs", count(MIN_SEARCH, MAX_REPETITIONS)),
    group("name", TEXT),
    group(WORKLOAD, Shape::Workload).changes(&[Operation, Plan, Disk]),
    group(USERS, HOW_MANY).axis(),
    group("rate", Shape::Rate).axis(),
    group("arrivals", ARRIVALS),
    group("think", SOME_TIME),
    group("think_distribution", DISTRIBUTIONS),
    group("pace", SOME_TIME),
    phase("name", TEXT),
    phase("measure", SOME_TIME),
    phase("warm_up", SOME_TIME),
    phase("count", count(1, i64::MAX)),
    phase("kind", Shape::Of(Kind::Choice(&["measure", "warm_up"]))),
    // What is done to a server may be done to its statistics.
    phase("disturb", Shape::Disturbance).axis().changes(&[Plan]),
    phase(WORKLOAD, Shape::Workload).changes(&[Operation, Plan, Disk]),
    phase(USERS, HOW_MANY),
    phase("once", FLAG),
    experiment("repeat", "repetitions", count(1, MAX_REPETITIONS)).or(Literal::Count(REPETITIONS)),
    experiment("repeat", "iterations", count(1, MAX_ITERATIONS)).or(Literal::Count(1)),
    experiment("repeat", "seed", count(0, MAX_SEED)).or(Literal::Count(1)),
    experiment("repeat", "aa", FLAG),
    experiment("repeat", "explain", FLAG).or(Literal::Flag(false)),
    experiment("intervention", "of", TEXT),
    experiment("intervention", "finding", TEXT),
    experiment("intervention", "removes", TEXT),
    experiment("intervention", "placebo", TEXT),
    // The same statement asks for the same, whichever workload it belongs to.
    Key::new("axes", WORKLOAD, Shape::Workload, Scope::Cell).axis().changes(&[Operation, Plan, Disk]),
];

/// What a parameter may change of which nothing is said here.
const ANY: &[Effect] = &[Operation, Rows, Answer, Plan, Disk];

/// Parameters that leave the rows of a statement as they are: what they change instead, and what else follows from them
/// of what is read back.
const PARAMETERS: &[(&str, &[Effect], &[&str])] = &[
    // The bytes of a text depend on its charset.
    (
        "charset",
        &[Answer, Plan, Disk],
        &["session.character_set_*", "session.collation_*", "variable.character_set_*", "variable.collation_*"],
    ),
    ("isolation", &[Plan], &["session.transaction_isolation"]),
    // The bytes of a number depend on the protocol.
    ("prepared", &[Answer], &[]),
    ("protocol", &[Answer], &[]),
    ("secondary_index", &[Plan, Disk], &[]),
    // With their brackets or without.
    ("transactions", &[Operation], &[]),
];

/// The key of a section.
pub(super) fn key(section: &str, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.section == section && key.name == name)
}

/// All keys of a section, in order.
pub(super) fn section(section: &str) -> impl Iterator<Item = &'static str> + Clone {
    KEYS.iter().filter(move |key| key.section == section).map(|key| key.name)
}

/// The fixed key that an axis over all cells stands for.
pub fn axis(axis: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.is_axis_of_cells() && key.name == axis)
}

/// The names of all axes over fixed keys, that over the workload last.
pub fn axes() -> impl Iterator<Item = &'static str> + Clone {
    KEYS.iter().filter(|key| key.is_axis_of_cells()).map(|key| key.name)
}

/// Whether each group, or each phase, may have an axis of its own over this.
pub(crate) fn is_axis_of(section: &str, name: &str) -> bool {
    key(section, name).is_some_and(|key| key.is_axis)
}

/// The path of the fixed key that an axis stands for; none of the workload, which is named by its section.
pub(crate) fn axis_target(name: &str) -> Option<String> {
    axis(name).filter(|key| key.name != WORKLOAD).map(Key::path)
}

/// Group and key of an axis over what one group has for itself.
pub fn group_axis(axis: &str) -> Option<(&str, &str)> {
    axis.strip_prefix("groups.")?.split_once('.')
}

/// What an axis is over, where it is over something of one group.
pub fn own(axis: &str) -> &str {
    group_axis(axis).map_or(axis, |(_, own)| own)
}

/// Whether cells that differ on this axis may differ in this.
pub fn can_change(axis: &str, effect: Effect) -> bool {
    changes(own(axis)).contains(&effect)
}

/// Whether cells that differ on this axis differ in how hard or how often the server is pressed, and in nothing else:
/// a line is drawn over such an axis.
pub fn only_presses(axis: &str) -> bool {
    changes(own(axis)).is_empty()
}

/// What else that is read back follows from an axis over a fixed key or a parameter.
pub fn moves(axis: &str) -> &'static [&'static str] {
    let of_parameter = || PARAMETERS.iter().find(|(name, ..)| *name == axis).map_or(&[][..], |(_, _, moves)| moves);
    self::axis(axis).map_or_else(of_parameter, |key| key.moves)
}

/// What each group says for itself where there are groups, and `[load]` for all users where there are none.
pub(super) fn of_each_group() -> impl Iterator<Item = &'static str> {
    section("groups").filter(|name| key("load", name).is_some()).chain([KEYING])
}

fn changes(own: &str) -> &'static [Effect] {
    if let Some(key) = axis(own) {
        return key.changes;
    }
    match own.split_once('.') {
        Some(("settings", _)) => &[Server],
        // A variable of the server's own may turn its optimizer.
        Some(("native", _)) => &[Server, Plan],
        Some(("phases", _)) => key("phases", "disturb").map_or(ANY, |key| key.changes),
        Some(_) | None => PARAMETERS.iter().find(|(name, ..)| *name == own).map_or(ANY, |(_, changes, _)| changes),
    }
}

/// The value of a key that nobody says.
pub(super) fn default(path: &str) -> Option<Value> {
    let (section, name) = path.split_once('.')?;
    key(section, name)?.default.as_ref().map(Literal::value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_stands_in_one_row() {
        for (i, one) in KEYS.iter().enumerate() {
            assert!(KEYS[..i].iter().all(|other| other.path() != one.path()), "{}", one.path());
        }
    }

    #[test]
    fn a_default_is_a_value_that_its_key_has() {
        for key in KEYS {
            let fits = match (key.shape, key.default) {
                (_, None)
                | (Shape::Of(Kind::Flag), Some(Literal::Flag(_)))
                | (Shape::Duration { .. }, Some(Literal::Count(_)))
                | (Shape::Build | Shape::Engine, Some(Literal::Text(_))) => true,
                (Shape::Of(Kind::Count { min, max }), Some(Literal::Count(n))) => (min..=max).contains(&n),
                (Shape::Of(Kind::Choice(words)), Some(Literal::Text(word))) => words.contains(&word),
                (_, Some(_)) => false,
            };
            assert!(fits, "{}", key.path());
        }
    }

    #[test]
    fn only_users_and_their_rhythm_press_and_change_nothing() {
        let press: Vec<_> = axes().filter(|axis| only_presses(axis)).collect();
        assert_eq!(press, ["users", "rate", "reconnect_every"]);
        assert!(only_presses("groups.readers.users") && !only_presses("settings.buffer_pool") && !only_presses("rows"));
    }

    #[test]
    fn groups_say_the_rhythm_of_their_users_themselves() {
        let told: Vec<_> = of_each_group().collect();
        assert_eq!(told, ["users", "rate", "arrivals", "think", "think_distribution", "pace", "keying"]);
    }

    #[test]
    fn an_axis_of_a_group_changes_what_its_key_does() {
        assert!(can_change("groups.readers.range_size", Effect::Rows));
        assert!(!can_change("groups.readers.users", Effect::Plan));
        assert!(can_change("native.optimizer_switch", Effect::Plan));
        assert!(!can_change("settings.buffer_pool", Effect::Plan));
    }
}
