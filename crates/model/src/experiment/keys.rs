//! Every fixed key of an experiment, one row each: where it stands, what it accepts, what holds where nobody says it,
//! whether it may be an axis, what it is said of, what another value of it is able to change, and where a plan has it.
//! Whoever wants a list of keys or axes asks this table, here and in the rooms that read records. Workloads' parameters
//! and words of settings are declared beside what they turn; of parameters only those stand here that change less than
//! one may.

use super::DEFAULT_BUILD;
pub use super::key::{Effect, Key, Scope};
use super::shape::Shape;
use super::standing::*;
use crate::errors;
use crate::load::{Distribution, Io, PhaseKind, Process, Transport};
use crate::rate::Rate;
use crate::settings;
use crate::topology::Topology;
use crate::units::Nanos;
use crate::value::Value;
use crate::words::{Kind, Literal};

/// More simulated users than a server accepts connections.
pub(super) const MAX_USERS: i64 = 100_000;
/// A hundred is already more than any interval needs.
pub(super) const MAX_REPETITIONS: i64 = 1_000;
/// Fewer runs find nothing that has an interval.
const MIN_SEARCH: i64 = 8;
const MAX_ITERATIONS: i64 = 100;
/// What three profiles do not tell, thirty do.
const MAX_PROFILES: i64 = 100;
/// Fewer see nothing within a phase, and more than a few thousand see themselves. 99 is what profilers take by custom:
/// no round number, so that it keeps step with nothing that a server does by the clock.
const MIN_PROFILE_HZ: i64 = 10;
const MAX_PROFILE_HZ: i64 = 2_000;
const PROFILE_HZ: i64 = 99;
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

const fn experiment(section: &'static str, name: &'static str, meaning: &'static str, shape: Shape) -> Key {
    Key::new(section, name, meaning, shape, Scope::Experiment)
}
const fn server(name: &'static str, meaning: &'static str, shape: Shape) -> Key {
    Key::new("server", name, meaning, shape, Scope::Cell)
}
const fn load(name: &'static str, meaning: &'static str, shape: Shape) -> Key {
    Key::new("load", name, meaning, shape, Scope::Cell)
}
const fn group(name: &'static str, meaning: &'static str, shape: Shape) -> Key {
    Key::new("groups", name, meaning, shape, Scope::Group)
}
const fn phase(name: &'static str, meaning: &'static str, shape: Shape) -> Key {
    Key::new("phases", name, meaning, shape, Scope::Phase)
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
const ARRIVALS: Shape = Shape::Of(Kind::Choice(Process::WORDS));
const DISTRIBUTIONS: Shape = Shape::Of(Kind::Choice(Distribution::WORDS));

use Effect::{Answer, Disk, Measuring, Operation, Plan, Rows, Server, Way};

/// In the order in which mends name them.
pub const KEYS: &[Key] = &[
    experiment("", "question", "what the experiment asks, as the report's title says it", TEXT),
    server("build", "which server: a build of the catalogue, or the newest of a series", Shape::Build)
        .or(word(DEFAULT_BUILD))
        .axis()
        .changes(&[Server, Plan, Disk, Answer])
        .moves(&["version*", "binary", "build_id"])
        .of_server(|s| some(&s.build), |s, v| s.build = text(v)),
    server("on", "a server that is there already, which is never started, stopped or set", Shape::Dsn)
        .changes(&[Server, Plan, Disk, Answer, Way])
        .of_server(|s| s.on.as_deref().and_then(some), |s, v| s.on = Some(text(v))),
    // Of the tables: a server that is there already may have several. The words of the storage engine move the
    // variables of the engine under test, and leave the others at their defaults.
    server("engine", "the storage engine of the tables", Shape::Engine)
        .or(word("innodb"))
        .axis()
        .changes(&[Plan, Disk])
        .moves(&[
            "variable.default_storage_engine",
            "variable.default_tmp_storage_engine",
            "variable.innodb_*",
            "variable.rocksdb_*",
            "variable.aria_*",
            "variable.key_buffer_size",
            "variable.ignore_db_dirs",
        ])
        .of_server(|s| some(&s.engine), |s, v| s.engine = text(v)),
    server("profile", "`durable` sets the server so that every commit is on the disk, `default` leaves it as it comes", Shape::Of(Kind::Choice(settings::PROFILES)))
        .or(word("durable"))
        .axis()
        .changes(&[Server])
        .moves(&["variable.*"])
        .of_server(|s| some(&s.profile), |s, v| s.profile = text(v)),
    server("topology", "one server, or a cluster of several nodes on this host", Shape::Topology)
        .axis()
        .changes(&[Server])
        .moves(&["variable.wsrep_*", "variable.binlog_format", "variable.innodb_autoinc_lock_mode"])
        .of_server(
            |s| (!s.topology.is_single()).then(|| Value::Text(s.topology.to_string())),
            |s, v| s.topology = Topology::parse(&text(v)).expect(CHECKED),
        ),
    server("cpus", "the CPUs that the server may use", Shape::Cpus)
        .axis()
        .changes(&[Server])
        .moves(&["server_cpus", "load_cpus", "workers", "variable.thread_pool_size"])
        .of_server(|s| s.cpus.as_deref().and_then(some), |s, v| s.cpus = Some(text(v))),
    server("load_cpus", "the CPUs of the load, where it is not to share the server's; of several ranks, for all or one by one", Shape::CpusOfRanks)
        .axis()
        .changes(&[Measuring])
        .moves(&["server_cpus", "load_cpus", "workers"])
        .of_server(|s| s.load_cpus.as_deref().and_then(some), |s, v| s.load_cpus = Some(text(v))),
    server("memory", "the NUMA nodes that the server's memory comes from; left out, as the kernel does it", Shape::Memory)
        .axis()
        .changes(&[Server])
        .of_server(|s| s.memory.as_deref().and_then(some), |s, v| s.memory = Some(text(v))),
    load(USERS, "simulated users, each with a session of its own", HOW_MANY).axis().moves(&["workers", "io"]).of_rhythm(|l| number(l.users.0.into())),
    load("rate", "operations that arrive each second; left out, each user begins its next operation when the last has ended", Shape::Rate).axis().of_rhythm(|l| Some(l.arrivals.as_ref()?.rate.value())),
    load("arrivals", "how arrivals are spread: at random, or evenly apart", ARRIVALS).of_rhythm(|l| some(l.arrivals.as_ref()?.process.word())),
    load("think", "how long a user waits after an operation, for all or by operation", SOME_TIME).of_rhythm(|l| time_of(thinking(l)?.0)),
    load("think_distribution", "whether that is always the same time, or the mean of random ones", DISTRIBUTIONS).of_rhythm(|l| some(thinking(l)?.1.word())),
    load("pace", "a user begins an operation at most this often", SOME_TIME).of_rhythm(|l| time_of(pacing(l)?)),
    load("transport", "how users reach a server of the lab: its socket, loopback, or loopback under TLS", Shape::Of(Kind::Choice(Transport::WORDS)))
        .axis()
        .changes(&[Way])
        .of_load(|l| some(l.transport?.word()), |l, v| l.transport = Transport::named(&text(v))),
    load("io", "how users wait for answers: a thread for each that blocks, or few threads with io_uring or epoll; `auto` measures which", Shape::Of(Kind::Choice(Io::WORDS)))
        .changes(&[Measuring])
        .of_load(|l| (l.io != Io::Auto).then(|| l.io.word().into()), |l, v| l.io = Io::named(&text(v)).expect(CHECKED)),
    load("deadline", "an answer later than this is a failed operation", SOME_TIME).or(time(DEADLINE)).of_load(|l| time_of(l.deadline), |l, v| l.deadline = nanos(v)),
    load("reconnect_every", "a user opens a new session after so many operations; left out, it keeps its own", count(1, i64::MAX))
        .axis()
        .of_load(|l| number(l.reconnect_every?), |l, v| l.reconnect_every = Some(nanos(v).0)),
    load("drain", "after the load, how long to wait at most until the server owes no more writes than before it", SOME_TIME).of_load(|l| time_of(l.drain?), |l, v| l.drain = Some(nanos(v))),
    load("sampling", "read counters each second; without it, only at the ends of phases", FLAG)
        .or(Literal::Flag(true))
        .axis()
        .changes(&[Measuring])
        .of_load(|l| (!l.sampling).then_some(Value::Flag(false)), |l, v| l.sampling = v.flag().expect(CHECKED)),
    load("errors.back_off", "the wait between a rollback and the next try", ANY_TIME)
        .or(time(Nanos(0)))
        .of_load(|l| time_of(l.errors.back_off).filter(|v| v.count() != Some(0)), |l, v| l.errors.back_off = nanos(v)),
    load("errors.stop", "errors that end the run as failed, whoever gets them", Shape::Errors).of_load(
        |l| (!l.errors.stop.is_empty()).then(|| Value::Text(errors::words(l.errors.stop.iter().copied()))),
        |l, v| l.errors.stop = text(v).split_whitespace().filter_map(errors::number).collect(),
    ),
    load("warm_up", "users are at work, and nothing they do counts", ANY_TIME).or(time(WARM_UP)).of_phases(|p| time_of(plain(p)?.0)),
    load("measure", "how long is measured", SOME_TIME).or(time(MEASURE)).of_phases(|p| time_of(plain(p)?.1)),
    load("search.for", "what is searched for: the highest rate that keeps the limit, or the users with whom most is done", Shape::Of(Kind::Choice(&["rate", "users"]))),
    load("search.keep", "the limit that has to be kept", Shape::Keep),
    load("search.from", "the level at which the search begins", LEVEL),
    load("search.to", "the level beyond which it does not go", LEVEL),
    load("search.within", "the half-width of the answer at which the search ends, as a share of it", Shape::Of(Kind::Real { min: 0.005, max: 1.0 })),
    load("search.runs", "runs that it may take in all", count(MIN_SEARCH, MAX_REPETITIONS)),
    group("name", "what its numbers are called", TEXT),
    group(WORKLOAD, "what its users do", Shape::Workload).changes(&[Operation, Plan, Disk]),
    group(USERS, "how many they are", HOW_MANY).axis(),
    group("rate", "as in `[load]`, of this group alone", Shape::Rate).axis(),
    group("arrivals", "as in `[load]`", ARRIVALS),
    group("think", "as in `[load]`", SOME_TIME),
    group("think_distribution", "as in `[load]`", DISTRIBUTIONS),
    group("pace", "as in `[load]`", SOME_TIME),
    phase("name", "what it is called in the report", TEXT).of_phase(|p| some(&p.name)),
    phase("measure", "it lasts so long, and counts", SOME_TIME).of_end(|p| lasting(p, PhaseKind::Measure)),
    phase("warm_up", "it lasts so long, and does not count", SOME_TIME).of_end(|p| lasting(p, PhaseKind::WarmUp)),
    phase("count", "it lasts until so many operations are done", count(1, i64::MAX)).of_end(|p| number(counted(p)?)),
    phase("settle", "nobody works in it: the server is brought to rest, for at most so long", SOME_TIME).of_end(|p| time_of(p.rest()?)),
    phase("kind", "with `count`: whether it counts", Shape::Of(Kind::Choice(&["measure", "warm_up"])))
        .of_phase(|p| counted(p).and_then(|_| some(p.kind.word()))),
    // What is done to a server may be done to its statistics.
    phase("disturb", "what is done to the server while it lasts", Shape::Disturbance).axis().changes(&[Plan]),
    phase(WORKLOAD, "what users do in it; all phases say so, or none", Shape::Workload).changes(&[Operation, Plan, Disk]),
    phase(USERS, "how many they are in it", HOW_MANY),
    phase("once", "only the first iteration has it", FLAG),
    experiment("repeat", "repetitions", "runs of each cell; fewer than three give no interval; or `until 2 %`: as many as that takes", Shape::Repetitions { most: MAX_REPETITIONS as u32 }).or(Literal::Count(REPETITIONS)),
    experiment("repeat", "iterations", "how often one run goes through its phases", count(1, MAX_ITERATIONS)).or(Literal::Count(1)),
    experiment("repeat", "interleave", "the servers of all cells are up at once and take turns, test by test, so that those which are compared are seconds apart", FLAG).or(Literal::Flag(false)),
    experiment("repeat", "seed", "where random numbers begin: order, data, what users draw", count(0, MAX_SEED)).or(Literal::Count(1)),
    experiment("repeat", "aa", "run one cell twice, to see what no difference looks like here", FLAG),
    experiment("repeat", "explain", "one more run of each cell with the server's wait instruments on, beside the numbers", FLAG).or(Literal::Flag(false)),
    experiment("repeat", "profiles", "so many runs of each cell in which the CPUs are sampled, beside the numbers; fewer than three give no interval", count(0, MAX_PROFILES)).or(Literal::Count(0)),
    experiment("repeat", "profile_hz", "samples per second of each CPU in those, and of each waiting thread; many cost the server time", count(MIN_PROFILE_HZ, MAX_PROFILE_HZ)).or(Literal::Count(PROFILE_HZ)),
    experiment("repeat", "profile_pairs", "each of those has a neighbour without samples, which tells what profiling costs", FLAG).or(Literal::Flag(false)),
    experiment("repeat", "profile_waits", "so many runs of each cell in which is sampled what threads of the server wait for, beside the numbers", count(0, MAX_PROFILES)).or(Literal::Count(0)),
    experiment("intervention", "of", "the experiment whose finding is tested", TEXT),
    experiment("intervention", "finding", "the finding, by its name", TEXT),
    experiment("intervention", "removes", "the axis whose second value takes the cause away", TEXT),
    experiment("intervention", "placebo", "the axis whose second value changes as much and leaves the cause", TEXT),
    // The same statement asks for the same, whichever workload it belongs to.
    Key::new("axes", WORKLOAD, "what users do", Shape::Workload, Scope::Cell).axis().changes(&[Operation, Plan, Disk]),
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
pub fn key(section: &str, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.section == section && key.name == name)
}

/// All keys of a section, in order.
pub(super) fn section(section: &str) -> impl Iterator<Item = &'static str> + Clone {
    KEYS.iter().filter(move |key| key.section == section).map(|key| key.name)
}

/// How a phase can end; exactly one of them in each phase.
pub(super) fn ends() -> impl Iterator<Item = &'static str> {
    KEYS.iter().filter(|key| key.is_end()).map(|key| key.name)
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
                (Shape::Repetitions { most }, Some(Literal::Count(n))) => (1..=i64::from(most)).contains(&n),
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
