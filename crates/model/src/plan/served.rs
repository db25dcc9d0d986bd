//! Which kinds of servers serve which protocols: by kind and version alone, so that a plan can say what will not work
//! before anything starts. Whether a plugin's file is there is seen when the server is. A kind beside MySQL's family
//! says here by which program it is known, too.

use super::{Axis, Cell, Server};
use crate::charset;
use crate::dsn;
use crate::experiment::Experiment;
use crate::host::{InstalledBuild, Version};
use crate::load::Transport;
use crate::protocol::Protocol;
use crate::value::Value;
use crate::words::{ANY_BUT_DEFAULT, Words, WorkloadWords};

/// The InnoDB plugin came with 5.6 and went with 8.3.
pub const MEMCACHED_FROM: Version = Version(5, 6, 0);
pub const MEMCACHED_UNTIL: Version = Version(8, 3, 0);

pub const MYSQL: &str = "mysql";
pub const MARIADB: &str = "mariadb";
/// The kind that is a cache and nothing else.
pub const CACHE: &str = "memcached";
/// Kinds that keep documents: one that the lab can start, and any other that `on` names.
pub const FERRETDB: &str = "ferretdb";
pub const MONGODB: &str = "mongodb";
/// The kind whose SQL is not MySQL's.
pub const POSTGRESQL: &str = "postgresql";

/// A kind beside MySQL's family that the lab starts: the build among the machine's programs answers to its name.
pub struct Program {
    pub kind: &'static str,
    /// What its program is called.
    pub file: &'static str,
    /// Asked of that, it says its version, behind these words.
    pub asks: &'static str,
    pub before_version: &'static str,
    pub engines: &'static [&'static str],
    /// What brings it, where distributions have it.
    pub package: Option<&'static str>,
    /// Whether a catalogue may have builds of it.
    pub is_catalogued: bool,
}

/// Those kinds; who is looked for, offered by name or installed is a query of this.
pub const PROGRAMS: &[Program] = &[
    Program {
        kind: CACHE,
        file: "memcached",
        asks: "-V",
        before_version: "memcached ",
        engines: &[],
        package: Some("install the package memcached (apt-get install memcached)"),
        is_catalogued: false,
    },
    Program {
        kind: FERRETDB,
        file: "ferretdb",
        asks: "--version",
        before_version: "version: v",
        // Of its back ends the one that needs no other server.
        engines: &["sqlite"],
        package: None,
        is_catalogued: true,
    },
    Program {
        kind: POSTGRESQL,
        file: "postgres",
        asks: "--version",
        before_version: "postgres (PostgreSQL) ",
        engines: &[HEAP],
        package: Some("install the package postgresql (apt-get install postgresql)"),
        is_catalogued: true,
    },
];

/// What brings the build of that name, where it is a package.
pub fn package_of(build: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|program| program.kind == build)?.package
}

/// Where it keeps its tables: the access method that stands in the place of a storage engine.
pub const HEAP: &str = "heap";
/// The storage engine where nothing is said, which is that of MySQL's family.
pub const USUAL_ENGINE: &str = "innodb";

/// One protocol that a kind of server serves, from one version on and until another, which does not serve it any more.
struct Served {
    kind: &'static str,
    protocol: Protocol,
    from: Version,
    until: Version,
}

const FIRST: Version = Version(0, 0, 0);
const NEVER: Version = Version(u32::MAX, u32::MAX, u32::MAX);

const fn always(kind: &'static str, protocol: Protocol) -> Served {
    Served { kind, protocol, from: FIRST, until: NEVER }
}

const SERVED: &[Served] = &[
    always(MARIADB, Protocol::MySql),
    always(MARIADB, Protocol::HandlerSocket),
    always(MYSQL, Protocol::MySql),
    Served { kind: MYSQL, protocol: Protocol::Memcached, from: MEMCACHED_FROM, until: MEMCACHED_UNTIL },
    always(CACHE, Protocol::Memcached),
    always(FERRETDB, Protocol::MongoDb),
    always(MONGODB, Protocol::MongoDb),
    always(POSTGRESQL, Protocol::PostgreSql),
];

/// What servers of MySQL's family say beside their version, by kind; those who say none of it are MySQL.
const SAID: &[(&str, &str)] = &[(MARIADB, "MariaDB")];

/// The kind of MySQL's family that says this of itself.
pub fn kind_said(text: &str) -> &'static str {
    SAID.iter().find(|(_, said)| text.contains(said)).map_or(MYSQL, |(kind, _)| *kind)
}

/// Those that have the protocol as their own, in the order of the table.
pub fn kinds_of(protocol: Protocol) -> impl Iterator<Item = &'static str> {
    let owned = move |served: &&Served| served.protocol == protocol && own(served.kind) == Some(protocol);
    SERVED.iter().filter(owned).map(|served| served.kind)
}

/// Whether servers of that kind serve the protocol in any version.
pub fn serves(kind: &str, protocol: Protocol) -> bool {
    SERVED.iter().any(|served| served.kind == kind && served.protocol == protocol)
}

/// Whether this version of it does.
pub fn serves_since(kind: &str, version: Version, protocol: Protocol) -> bool {
    let is_it = |served: &&Served| served.kind == kind && served.protocol == protocol;
    SERVED.iter().filter(is_it).any(|served| (served.from..served.until).contains(&version))
}

/// The one that servers of that kind have as their own.
pub fn own(kind: &str) -> Option<Protocol> {
    SERVED.iter().find(|served| served.kind == kind).map(|served| served.protocol)
}

/// The SQL of that server: a DSN says it, and of a private one where it keeps its tables.
pub fn sql_of(server: &Server) -> Option<Protocol> {
    match &server.on {
        Some(dsn) => Some(dsn::protocol(dsn)),
        None => (server.engine == HEAP).then_some(Protocol::PostgreSql),
    }
}

/// The one in which users of that workload ask: the server's where they can, else that which they are at home in.
pub(super) fn spoken(workload: &WorkloadWords, server: &Server) -> Protocol {
    let named = sql_of(server).filter(|named| workload.protocols.contains(named));
    named.unwrap_or_else(|| workload.protocol())
}

/// Where the server keeps its tables when an experiment means what is usual: InnoDB in MySQL's family, and PostgreSQL's
/// heap, which has no other.
pub(super) fn engine_of<'a>(server: &'a Server, builds: &[InstalledBuild]) -> &'a str {
    let is_postgres = match &server.on {
        Some(dsn) => dsn::protocol(dsn) == Protocol::PostgreSql,
        None => builds.iter().any(|build| build.name == server.build && own(&build.kind) == Some(Protocol::PostgreSql)),
    };
    if is_postgres && server.engine == USUAL_ENGINE { HEAP } else { &server.engine }
}

/// The axes as the cells have them: a server that keeps its tables elsewhere than an axis names has its own engine.
pub(super) fn axes_of(experiment: &Experiment, cells: &[Cell]) -> Vec<Axis> {
    let mut axes = experiment.axes.clone();
    for axis in axes.iter_mut().filter(|axis| axis.key == "engine") {
        let mut served: Vec<Value> = Vec::new();
        for value in cells.iter().filter_map(|cell| cell.axes.get("engine")) {
            if !served.contains(value) {
                served.push(value.clone());
            }
        }
        if served.iter().any(|value| !axis.values.contains(value)) {
            axis.values = served;
        }
    }
    axes
}

/// Settings of the InnoDB plugin, with the value that changes nothing.
const OF_PLUGIN: [(&str, Value); 2] = [("read_batch", Value::Count(1)), ("write_batch", Value::Count(1))];

/// The pairs of axes whose values do not all go together.
const KEYS: [&[&str]; 7] = [
    &["workload", "build"],
    &["dialect", "build"],
    &["settings.read_batch", "workload"],
    &["settings.write_batch", "workload"],
    // Of the charsets, those that the server's family has.
    &["charset"],
    // Of TPC-C's ways to say "not delivered", those that a server knows.
    &["date_columns"],
    // Of SQL, PostgreSQL's protocol takes more than one request at a time.
    &["depth"],
];

type Refusal = (&'static [&'static str], String, &'static str);

/// Whether these axes are such a pair.
pub(super) fn unfits(axes: &[Axis], keys: &[&str]) -> bool {
    KEYS.contains(&keys) && keys.iter().all(|key| axes.iter().any(|axis| axis.key == *key))
}

/// Why the users of a cell cannot come to a server that was there before, by what its DSN says.
pub(super) fn misled(cell: &Cell, dsn: &str, words: &Words) -> Option<Refusal> {
    let spoken = dsn::protocol(dsn);
    let works = cell.works();
    let mut asked = works.iter().map(|work| words.workload(&work.workload));
    let Some(lost) = asked.find(|workload| !workload.protocols.contains(&spoken)) else {
        return foreign(cell, spoken).or_else(|| unknown(cell, spoken, words));
    };
    let reason = format!("{} asks in another protocol than {dsn} names", lost.name);
    let mend = match lost.protocol() {
        Protocol::MongoDb => "name a mongodb:// server",
        Protocol::Memcached => "name a memcached:// server, or a build whose plugin assay can open",
        Protocol::HandlerSocket => "name a build: assay opens that port only of servers which it starts",
        Protocol::MySql | Protocol::PostgreSql => match spoken {
            Protocol::PostgreSql => ASKS_POSTGRESQL,
            Protocol::MongoDb => "take linkbench.mongodb there",
            Protocol::Memcached => "take kv.memcached there",
            Protocol::MySql | Protocol::HandlerSocket => "name a postgres:// server",
        },
    };
    Some((KEYS[0], reason, mend))
}

/// What users of PostgreSQL can be told to do.
const ASKS_POSTGRESQL: &str = "take a workload of oltp, tpcc, linkbench, insert or kv.sql there, or a script by assay sysbench SCRIPT --db-driver=pgsql, \
     with --record=DIR for a record";

/// A charset that servers of that SQL do not know.
fn foreign(cell: &Cell, spoken: Protocol) -> Option<Refusal> {
    let works = cell.works();
    let labels = works.iter().filter_map(|work| charset::by_label(work.parameters.get("charset")?.text()?));
    let foreign = labels.filter(|_| spoken.is_sql()).find(|charset| charset.protocol != spoken)?;
    let (reason, mend) = match foreign.protocol {
        Protocol::PostgreSql => ("is PostgreSQL's", "take latin1 or one of utf8mb4"),
        _ => ("is of MySQL's family", "take utf8-default, utf8-c or utf8-icu"),
    };
    Some((KEYS[4], format!("the charset {} {reason}", foreign.label), mend))
}

/// A value that servers of that SQL do not know.
fn unknown(cell: &Cell, spoken: Protocol, words: &Words) -> Option<Refusal> {
    let works = cell.works();
    works.iter().find_map(|work| {
        let (parameter, value, of) = words.workload(&work.workload).parameters.iter().find_map(|parameter| {
            let value = work.parameters.get(parameter.name.as_ref())?;
            let is_it = |named: &str| match named {
                ANY_BUT_DEFAULT => parameter.default.as_ref().is_some_and(|default| default.value() != *value),
                choice => value.text() == Some(choice),
            };
            let (_, of) = parameter.of_one.iter().find(|(named, of)| *of != spoken && is_it(named))?;
            Some((parameter.name.as_ref(), value, of))
        })?;
        let keys = KEYS.iter().find(|keys| **keys == [parameter]).expect("parameters of one protocol are listed");
        let whose = if *of == Protocol::PostgreSql { "is PostgreSQL's" } else { "is of MySQL's family" };
        Some((
            *keys,
            format!("`{parameter} = {}` {whose}", value.written()),
            "take another, or ask a server that knows it",
        ))
    })
}

/// Why the users of a cell cannot come to such a server.
pub(super) fn refused(cell: &Cell, build: &InstalledBuild, words: &Words) -> Option<Refusal> {
    let mut plugin = false;
    for work in cell.works() {
        let workload = words.workload(&work.workload);
        let mut asked = workload.protocols.iter().copied();
        let Some(spoken) = asked.find(|protocol| serves_since(&build.kind, build.version, *protocol)) else {
            return Some(unserved(workload.protocol(), build));
        };
        if cell.load.transport == Some(Transport::Tls) && !spoken.is_sql() {
            return Some((&["transport"], "assay encrypts no protocol past SQL".into(), "take tcp, or unix"));
        }
        if let Some(refusal) = foreign(cell, spoken).or_else(|| unknown(cell, spoken, words)) {
            return Some(refusal);
        }
        plugin |= build.kind != CACHE && spoken == Protocol::Memcached;
    }
    let meta = |value: &Value| value.text() == Some("meta");
    if build.kind != CACHE && cell.works().iter().any(|work| work.parameters.get("dialect").is_some_and(meta)) {
        let reason = format!("build `{}` has memcached's protocol of before the meta commands", build.name);
        return Some((KEYS[1], reason, "take text or binary"));
    }
    let idle = |(word, without): &(&str, Value)| cell.server.settings.get(*word).is_some_and(|value| value != without);
    let (word, _) = OF_PLUGIN.iter().find(|setting| !plugin && idle(setting))?;
    let keys = if *word == "read_batch" { KEYS[2] } else { KEYS[3] };
    Some((keys, format!("settings.{word} is of InnoDB's memcached plugin, which nobody uses here"), "leave it at 1"))
}

/// Why nobody asks such a build in that protocol.
fn unserved(protocol: Protocol, build: &InstalledBuild) -> Refusal {
    let InstalledBuild { name, kind, version, .. } = build;
    if protocol.is_sql() && serves(kind, Protocol::MongoDb) {
        let reason = format!("build `{name}` keeps documents and speaks no SQL");
        return (KEYS[0], reason, "take linkbench.mongodb there");
    }
    if protocol.is_sql() && kind == CACHE {
        return (KEYS[0], format!("build `{name}` is memcached, which speaks no SQL"), "take kv.memcached there");
    }
    if kind == POSTGRESQL {
        return (KEYS[0], format!("build `{name}` is PostgreSQL, which this workload cannot ask"), ASKS_POSTGRESQL);
    }
    let reason = format!("build `{name}` ({kind} {version}) does not serve {}", protocol.name());
    let mend = "memcached is served by MySQL 5.6 to 8.2 and by memcached itself, HandlerSocket by MariaDB, mongodb by ferretdb";
    (KEYS[0], reason, mend)
}
