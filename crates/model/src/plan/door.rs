//! Which servers have which door past SQL: by kind and version alone, so that a plan can say what will not work before
//! anything starts. Whether the plugin's file is there is seen when the server is.

use super::{Axis, Cell};
use crate::host::{InstalledBuild, Version};
use crate::load::Transport;
use crate::value::Value;

/// The InnoDB plugin came with 5.6 and went with 8.3.
pub const MEMCACHED_FROM: Version = Version(5, 6, 0);
pub const MEMCACHED_UNTIL: Version = Version(8, 3, 0);

/// The kind that is a cache and nothing else.
pub const CACHE: &str = "memcached";
/// What brings it: distributions have it, the catalogue does not.
pub const CACHE_MEND: &str = "install the package memcached (apt-get install memcached)";
/// Kinds that keep documents: one that the lab can start, and any other that `on` names.
pub const FERRETDB: &str = "ferretdb";
pub const MONGODB: &str = "mongodb";
/// The kind whose SQL is not MySQL's: scripts ask it, and the lab looks at it from outside.
pub const POSTGRESQL: &str = "postgresql";
/// How a DSN of a server begins that has one door, and not that of MySQL's family.
pub const SCHEMES: [(&str, &str); 3] = [("mongodb://", MONGODB), ("memcached://", CACHE), ("postgres://", POSTGRESQL)];

/// By which door all users come to the server that a DSN names; `None` is that of MySQL's family.
pub fn of_dsn(dsn: &str) -> Option<&'static str> {
    SCHEMES.into_iter().find(|(scheme, _)| dsn.starts_with(scheme)).map(|(_, door)| door)
}

/// Whether it is asked in MySQL's words.
pub fn speaks_sql(kind: &str) -> bool {
    ![CACHE, FERRETDB, MONGODB, POSTGRESQL].contains(&kind)
}

/// Settings of the InnoDB plugin, with the value that changes nothing.
const OF_PLUGIN: [(&str, Value); 2] = [("read_batch", Value::Count(1)), ("write_batch", Value::Count(1))];

/// The pairs of axes whose values do not all go together.
const KEYS: [&[&str]; 4] = [
    &["workload", "build"],
    &["dialect", "build"],
    &["settings.read_batch", "workload"],
    &["settings.write_batch", "workload"],
];

type Refusal = (&'static [&'static str], String, &'static str);

/// Whether these axes are such a pair.
pub(super) fn unfits(axes: &[Axis], keys: &[&str]) -> bool {
    KEYS.contains(&keys) && keys.iter().all(|key| axes.iter().any(|axis| axis.key == *key))
}

/// Why the users of a cell cannot come to a server that was there before, by what its DSN says.
pub(super) fn misled(cell: &Cell, dsn: &str) -> Option<Refusal> {
    let spoken = of_dsn(dsn);
    let asks = |workload: &str| crate::words::door(workload);
    let lost = cell.works().into_iter().find(|work| asks(&work.workload) != spoken)?;
    let reason = format!("{} asks in another protocol than {dsn} names", lost.workload);
    let mend = match (asks(&lost.workload), spoken) {
        (Some(MONGODB), _) => "name a mongodb:// server",
        (Some(CACHE), _) => "name a memcached:// server, or a build whose plugin assay can open",
        (Some(_), _) => "name a build: assay opens that door only of servers which it starts",
        (_, Some(POSTGRESQL)) => {
            "PostgreSQL is asked by scripts: assay sysbench SCRIPT --db-driver=pgsql, with --record=DIR for a record"
        }
        (None, Some(MONGODB)) => "take linkbench.mongodb there",
        (None, Some(_)) => "take kv.memcached there",
        (None, None) => unreachable!("both speak SQL"),
    };
    Some((KEYS[0], reason, mend))
}

/// Why the users of a cell cannot come to such a server.
pub(super) fn refused(cell: &Cell, build: &InstalledBuild) -> Option<Refusal> {
    let door_of = |name: &str| crate::words::door(name);
    let doors: Vec<_> = cell.works().iter().map(|work| door_of(&work.workload)).collect();
    let keys = KEYS[0];
    for door in doors.iter().copied() {
        let (name, kind, version) = (&build.name, build.kind.as_str(), build.version);
        let there = match (door, kind) {
            (None, CACHE) => {
                return Some((
                    keys,
                    format!("build `{name}` is memcached, which speaks no SQL"),
                    "take kv.memcached there",
                ));
            }
            (None, kind) if !speaks_sql(kind) => {
                let reason = format!("build `{name}` keeps documents and speaks no SQL");
                return Some((keys, reason, "take linkbench.mongodb there"));
            }
            (None, _) | (Some("memcached"), CACHE) | (Some("mongodb"), FERRETDB) => true,
            (Some("memcached"), "mysql") => (MEMCACHED_FROM..MEMCACHED_UNTIL).contains(&version),
            (Some("handlersocket"), "mariadb") => true,
            (Some(_), _) => false,
        };
        if !there {
            let reason = format!("build `{name}` ({kind} {version}) has no door for {}", door.unwrap_or_default());
            let mend = "memcached is a door of MySQL 5.6 to 8.2 and of memcached itself, HandlerSocket of MariaDB, mongodb of ferretdb";
            return Some((keys, reason, mend));
        }
        if cell.load.transport == Some(Transport::Tls) && door.is_some() {
            return Some((&["transport"], "no door past SQL is encrypted".into(), "take tcp, or unix"));
        }
    }
    let meta = |value: &Value| value.text() == Some("meta");
    if build.kind != CACHE && cell.works().iter().any(|work| work.parameters.get("dialect").is_some_and(meta)) {
        let reason = format!("build `{}` has memcached's protocol of before the meta commands", build.name);
        return Some((KEYS[1], reason, "take text or binary"));
    }
    let plugin = build.kind != CACHE && doors.contains(&Some("memcached"));
    let idle = |(word, without): &(&str, Value)| cell.server.settings.get(*word).is_some_and(|value| value != without);
    let (word, _) = OF_PLUGIN.iter().find(|setting| !plugin && idle(setting))?;
    let keys = if *word == "read_batch" { KEYS[2] } else { KEYS[3] };
    Some((keys, format!("settings.{word} is of InnoDB's memcached plugin, which nobody uses here"), "leave it at 1"))
}
