//! The options that every script has: names, kinds and defaults are sysbench's, version by version; the descriptions
//! are ours.

use crate::Compat;
use crate::option::Kind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    General,
    Random,
    Log,
    Latency,
    Database,
    Mysql,
    Pgsql,
    /// What sysbench does not have.
    Assay,
}

/// Which versions have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum In {
    Both,
    Only(Compat),
}

#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    pub group: Group,
    /// With dashes.
    pub name: &'static str,
    pub kind: Kind,
    pub default: Option<&'static str>,
    pub description: &'static str,
    /// The option that it is an old name of, with underscores as that has none.
    pub stands_for: Option<&'static str>,
    versions: In,
}

impl Builtin {
    pub fn is_in(&self, compat: Compat) -> bool {
        match self.versions {
            In::Both => true,
            In::Only(version) => version == compat,
        }
    }

    const fn only(self, version: Compat) -> Self {
        Self { versions: In::Only(version), ..self }
    }

    const fn of_old(self, instead: &'static str) -> Self {
        Self { stands_for: Some(instead), ..self.only(Compat::V10) }
    }
}

const fn option(
    group: Group,
    name: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    description: &'static str,
) -> Builtin {
    Builtin { group, name, kind, default, description, stands_for: None, versions: In::Both }
}

use Compat::{V10, V11};
use Group::{Assay, Database, General, Latency, Log, Mysql, Pgsql, Random};
use Kind::{Bool, Double, File, Int, List, Size, String as Text};

/// In the order in which help shows them.
#[rustfmt::skip]
pub const BUILTIN: &[Builtin] = &[
    option(General, "threads", Int, Some("1"), "users, each with a session and a Lua state of its own"),
    option(General, "events", Int, Some("0"), "events of all users together, 0 for no limit"),
    option(General, "time", Int, Some("10"), "seconds to run, 0 for no limit"),
    option(General, "warmup-time", Int, Some("0"), "seconds to run before statistics are kept").only(V11),
    option(General, "forced-shutdown", Text, Some("off"), "seconds (or % of --time) after the end until the run is stopped whatever it does, or 'off'"),
    option(General, "thread-stack-size", Size, Some("64K"), "taken and not used: users are no threads"),
    option(General, "thread-init-timeout", Int, Some("30"), "seconds within which all users must be ready").only(V11),
    option(General, "rate", Int, Some("0"), "events that begin in a second, all users together, 0 for as fast as they go"),
    option(General, "report-interval", Int, Some("0"), "seconds between two intermediate reports, 0 for none"),
    option(General, "report-checkpoints", List, Some(""), "seconds since the start at which everything is reported and counted anew"),
    option(General, "debug", Bool, Some("off"), "print more, and every user's statistics"),
    option(General, "validate", Bool, Some("off"), "told to scripts, which may check what they read"),
    option(General, "help", Bool, Some("off"), "print this and exit"),
    option(General, "version", Bool, Some("off"), "print the version and exit"),
    option(General, "config-file", File, None, "a file of options, one name=value in each line"),
    option(General, "luajit-cmd", Text, Some(""), "a command to LuaJIT, as behind its -j").only(V11),
    option(General, "tx-rate", Int, Some("0"), "old name of --rate").of_old("rate"),
    option(General, "max-requests", Int, Some("0"), "old name of --events").of_old("events"),
    option(General, "max-time", Int, Some("0"), "old name of --time").of_old("time"),
    option(General, "num-threads", Int, Some("1"), "old name of --threads").of_old("threads"),

    option(Random, "rand-type", Text, Some("special"), "distribution of rand.default {uniform,gaussian,special,pareto}").only(V10),
    option(Random, "rand-type", Text, Some("uniform"), "distribution of rand.default {uniform,gaussian,pareto,zipfian}").only(V11),
    option(Random, "rand-spec-iter", Int, Some("12"), "draws whose mean gaussian and special take").only(V10),
    option(Random, "rand-spec-pct", Int, Some("1"), "special: share of the range that is hot, in percent").only(V10),
    option(Random, "rand-spec-res", Int, Some("75"), "special: share of draws that are of the hot part, in percent").only(V10),
    option(Random, "rand-seed", Int, Some("0"), "seed of all draws, 0 for one from the clock"),
    option(Random, "rand-pareto-h", Double, Some("0.2"), "pareto: h"),
    option(Random, "rand-zipfian-exp", Double, Some("0.8"), "zipfian: the exponent").only(V11),

    option(Log, "verbosity", Int, Some("3"), "what is printed, from 0 (fatal errors only) to 5 (everything); reports are 3"),
    option(Latency, "percentile", Int, Some("95"), "percentile of latency to report (1-100), 0 for none"),
    option(Latency, "histogram", Bool, Some("off"), "print the histogram of latency in the report"),

    option(Database, "db-driver", Text, Some("mysql"), "mysql or pgsql"),
    option(Database, "db-ps-mode", Text, Some("auto"), "prepared statements: auto for the server's, disable for plain text"),
    option(Database, "db-debug", Bool, Some("off"), "taken and not used"),

    option(Mysql, "mysql-host", List, Some("localhost"), "hosts, taken in turn"),
    option(Mysql, "mysql-port", List, Some("3306"), "ports of each host, taken in turn"),
    option(Mysql, "mysql-socket", List, None, "Unix sockets, taken in turn; they go before hosts"),
    option(Mysql, "mysql-user", Text, Some("sbtest"), "user"),
    option(Mysql, "mysql-password", Text, Some(""), "password"),
    option(Mysql, "mysql-db", Text, Some("sbtest"), "schema"),
    option(Mysql, "mysql-ssl", Bool, Some("off"), "talk under TLS").only(V10),
    option(Mysql, "mysql-ssl", Text, Some("disabled"), "disabled, preferred, required, verify_ca or verify_identity").only(V11),
    option(Mysql, "mysql-ssl-key", Text, None, "taken and not used: users prove themselves by password").only(V11),
    option(Mysql, "mysql-ssl-ca", Text, None, "file of the authorities to trust").only(V11),
    option(Mysql, "mysql-ssl-cert", Text, None, "taken and not used: users prove themselves by password").only(V11),
    option(Mysql, "mysql-ssl-cipher", Text, Some(""), "taken and not used: the best that both sides know"),
    option(Mysql, "mysql-compression", Bool, Some("off"), "taken and not used: nothing is compressed"),
    option(Mysql, "mysql-compression-algorithms", Text, Some("zlib"), "taken and not used: nothing is compressed").only(V11),
    option(Mysql, "mysql-debug", Bool, Some("off"), "taken and not used"),
    option(Mysql, "mysql-ignore-errors", List, Some("1213,1020,1205"), "errors after which the event is begun again, or 'all'"),
    option(Mysql, "mysql-dry-run", Bool, Some("off"), "say nothing to any server, and take everything for done"),

    option(Pgsql, "pgsql-host", Text, Some("localhost"), "host, or folder of the Unix socket"),
    option(Pgsql, "pgsql-port", Int, Some("5432"), "port"),
    option(Pgsql, "pgsql-user", Text, Some("sbtest"), "user"),
    option(Pgsql, "pgsql-password", Text, Some(""), "password"),
    option(Pgsql, "pgsql-db", Text, Some("sbtest"), "database"),
    option(Pgsql, "pgsql-sslmode", Text, Some("prefer"), "disable, prefer, require, verify-ca or verify-full").only(V11),

    option(Assay, "record", Text, None, "a folder: the run becomes a record there, with checks and a page"),
    option(Assay, "compat", Text, Some("1.0"), "the version whose options and reports these are: 1.0 or 1.1"),
];
