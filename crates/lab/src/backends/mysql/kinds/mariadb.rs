//! MariaDB 10.1 to 11.8: one table of what differs by version, and the one way to make a data directory that needs
//! nothing but the server and its `share` folder. MariaDB forgives its own removed options with a line in the error
//! log, so what it lacks is left out here and disclosed, never passed in hope. What a node of a cluster has beside
//! that is `galera.rs`'s.

use super::greets;
use super::option_file::{self, Tables};
use crate::backends::mysql::facts::{ANY, Always, Fact, INDEX_LOCK, Lines, NEVER, always, fact};
use crate::backends::mysql::keys;
use crate::servers::process::certificates;
use crate::servers::{Build, Description, Kind, Listens, Site, Step};
use crate::trouble::Trouble;
use model::{Server, Version};

pub struct MariaDb;

const V10_4: Version = Version(10, 4, 0);
const V10_5: Version = Version(10, 5, 0);
const V10_6: Version = Version(10, 6, 0);
const V10_10: Version = Version(10, 10, 0);
const V11_0: Version = Version(11, 0, 0);

const ALWAYS: &[Always] = &[
    // TIMESTAMP columns as they are declared, which later versions do by themselves.
    always(ANY, V10_10, "explicit_defaults_for_timestamp=ON"),
];

const SERVER: &[Fact] = &[
    fact("huge_pages", ANY, NEVER, Lines::Set(&["large_pages"])),
    fact("performance_schema", ANY, NEVER, Lines::Set(&["performance_schema"])),
    fact("binlog", ANY, NEVER, Lines::Switch { on: &["log-bin=binlog", "server-id=1"], off: &["skip-log-bin"] }),
    // On means the size that the server's documentation uses in its examples; a study of the cache itself says more.
    fact(
        "query_cache",
        ANY,
        NEVER,
        Lines::Switch {
            on: &["query_cache_type=1", "query_cache_size=64M"],
            off: &["query_cache_type=0", "query_cache_size=0"],
        },
    ),
    // Each session holds its tables open: fewer slots than sessions would measure the opening of tables.
    fact("max_connections", ANY, NEVER, Lines::Set(&["max_connections", "table_open_cache"])),
    fact("prepared_statement_limit", ANY, NEVER, Lines::Set(&["max_prepared_stmt_count"])),
    // Off is said to all: from 11.4 on a server without certificates makes a key at every start, in 2 to 16 s.
    fact("tls", ANY, NEVER, Lines::Switch { on: certificates::LINES, off: &["skip-ssl"] }),
];

/// HandlerSocket, which `keys.rs` loads and binds; what it reads is what was committed last.
const KEY_PROTOCOLS: &[Fact] = &[
    fact("doors", ANY, NEVER, Lines::Set(&[])),
    fact("door_threads", ANY, NEVER, Lines::Set(&["loose-handlersocket_threads"])),
    fact("read_batch", ANY, NEVER, Lines::Nothing(NO_TRANSACTIONS)),
    fact("write_batch", ANY, NEVER, Lines::Nothing(NO_TRANSACTIONS)),
    fact("door_isolation", ANY, NEVER, Lines::Nothing(NO_TRANSACTIONS)),
];
const NO_TRANSACTIONS: &str = "HandlerSocket has no transactions beyond what it reads at once";

const INNODB: &[Fact] = &[
    fact("buffer_pool", ANY, NEVER, Lines::Set(&["innodb_buffer_pool_size"])),
    fact("buffer_pool_instances", ANY, V10_5, Lines::Set(&["innodb_buffer_pool_instances"])),
    fact("buffer_pool_instances", V10_5, NEVER, Lines::Nothing("MariaDB 10.5 has one buffer pool")),
    fact(
        "redo",
        ANY,
        V10_5,
        Lines::Halves { size: "innodb_log_file_size", files: "innodb_log_files_in_group", below: None },
    ),
    fact("redo", V10_5, NEVER, Lines::Set(&["innodb_log_file_size"])),
    fact("undo_tablespaces", ANY, NEVER, Lines::Set(&["innodb_undo_tablespaces"])),
    fact("flush_at_commit", ANY, NEVER, Lines::Set(&["innodb_flush_log_at_trx_commit"])),
    fact("doublewrite", ANY, NEVER, Lines::Set(&["innodb_doublewrite"])),
    fact("checksums", ANY, V10_6, Lines::Set(&["innodb_checksum_algorithm"])),
    fact(
        "checksums",
        V10_6,
        NEVER,
        Lines::Words {
            lines: &[("crc32", "innodb_checksum_algorithm=crc32")],
            why: "MariaDB 10.6 has only crc32 left",
        },
    ),
    fact(
        "direct_io",
        ANY,
        V11_0,
        Lines::Switch { on: &["innodb_flush_method=O_DIRECT"], off: &["innodb_flush_method=fsync"] },
    ),
    fact(
        "direct_io",
        V11_0,
        NEVER,
        Lines::Switch { on: &["innodb_data_file_buffering=OFF"], off: &["innodb_data_file_buffering=ON"] },
    ),
    fact("adaptive_hash_index", ANY, NEVER, Lines::Set(&["innodb_adaptive_hash_index"])),
    fact(
        "change_buffer",
        ANY,
        V11_0,
        Lines::Switch { on: &["innodb_change_buffering=all"], off: &["innodb_change_buffering=none"] },
    ),
    fact("change_buffer", V11_0, NEVER, Lines::Nothing("MariaDB 11.0 removed the change buffer")),
    fact("memtable", ANY, NEVER, Lines::Nothing("InnoDB collects changes in its buffer pool")),
    fact(
        "flush_neighbors",
        ANY,
        NEVER,
        Lines::Switch { on: &["innodb_flush_neighbors=1"], off: &["innodb_flush_neighbors=0"] },
    ),
    fact("io_capacity", ANY, NEVER, Lines::Double { base: "innodb_io_capacity", double: "innodb_io_capacity_max" }),
    fact("engine_counters", ANY, NEVER, Lines::Switch { on: &["innodb_monitor_enable=all", INDEX_LOCK], off: &[] }),
];

/// Beside it InnoDB runs with its own defaults, since it holds none of the data.
const ROCKSDB: &[Fact] = &[
    fact("buffer_pool", ANY, NEVER, Lines::Set(&["rocksdb_block_cache_size"])),
    fact("redo", ANY, NEVER, Lines::Set(&["rocksdb_max_total_wal_size"])),
    fact("flush_at_commit", ANY, NEVER, Lines::Set(&["rocksdb_flush_log_at_trx_commit"])),
    fact(
        "direct_io",
        ANY,
        NEVER,
        Lines::Set(&["rocksdb_use_direct_reads", "rocksdb_use_direct_io_for_flush_and_compaction"]),
    ),
    // The text of the options is one variable.
    fact("memtable", ANY, NEVER, Lines::Set(&["rocksdb_default_cf_options=write_buffer_size"])),
    // Counts without times: what reads stepped over (tombstones, obsolete keys).
    fact("engine_counters", ANY, NEVER, Lines::Switch { on: &["rocksdb_perf_context_level=2"], off: &[] }),
];
const ARIA: &[Fact] = &[fact("buffer_pool", ANY, NEVER, Lines::Set(&["aria_pagecache_buffer_size"]))];
/// MyISAM caches keys only.
const MYISAM: &[Fact] = &[fact("buffer_pool", ANY, NEVER, Lines::Set(&["key_buffer_size"]))];

fn facts_of(engine: &str) -> &'static [Fact] {
    match engine {
        "innodb" => INNODB,
        "rocksdb" => ROCKSDB,
        "aria" => ARIA,
        "myisam" => MYISAM,
        // The rest have no setting of their own; what was asked for is told to be not applicable.
        _ => &[],
    }
}

/// Engines in plugins. Only loading at start is safe: INSTALL SONAME of RocksDB crashes 10.11.19 and hangs 11.8.9.
const PLUGINS: &[(&str, &str)] = &[("rocksdb", "ha_rocksdb.so")];

impl Kind for MariaDb {
    fn name(&self) -> &'static str {
        "mariadb"
    }

    fn check(&self, build: &Build, wanted: &Server) -> Result<(), Trouble> {
        option_file::check(build, wanted)
    }

    fn listens_past_sql(&self, wanted: &Server) -> Option<Listens> {
        // HandlerSocket has no sockets.
        keys::are_wanted(wanted).then_some(Listens::ByPorts)
    }

    fn serves(&self, site: &Site) -> bool {
        greets(site.socket)
    }

    fn describe(&self, build: &Build, site: &Site, wanted: &Server) -> Description {
        let version = build.installed.version;
        let plugin = PLUGINS.iter().find(|(engine, _)| *engine == wanted.engine).map(|(_, plugin)| *plugin);
        // Nobody is there yet to replicate to.
        let bootstrap: &[&str] =
            if site.member.is_some() { &["--bootstrap", "--wsrep-on=OFF"] } else { &["--bootstrap"] };
        let facts = [SERVER, KEY_PROTOCOLS, facts_of(&wanted.engine)];
        let tables = Tables { always: ALWAYS, facts: &facts, plugin };
        let (mut option_file, not_applicable) = option_file::write(build, site, wanted, &tables);
        if let Some(key_listener) = site.key_listener.filter(|_| build.has_plugin(keys::HANDLERSOCKET)) {
            option_file += &keys::of_mariadb(key_listener);
        }
        let mut start = build.on(site, &[]);
        if let Some(member) = &site.member {
            option_file += &member.lines();
            start = member.start(start);
        }
        Description {
            option_file,
            folders: vec![],
            initialise: vec![Step {
                command: build.on(site, bootstrap),
                // One statement a line, as the bootstrap reads. Without the variable, 10.4 and later make root a
                // unix_socket account.
                head: "create database if not exists mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n".to_string(),
                files: system_tables(version).iter().map(|name| build.share.join(name)).collect(),
                tail: accounts(version).to_string(),
            }],
            start,
            not_applicable,
        }
    }
}

/// Nobody without a name, and root over the socket (`localhost`) and over TCP (`127.0.0.1`, since names are not
/// resolved).
fn accounts(version: Version) -> &'static str {
    if version < V10_4 {
        "delete from mysql.user where user='';\n"
    } else {
        "insert ignore into mysql.global_priv select '127.0.0.1', user, priv from mysql.global_priv \
         where user='root' and host='localhost';\n"
    }
}

/// The SQL of a fresh data directory, in order. 11.0 renamed the files; the sys schema came with 10.6.
fn system_tables(version: Version) -> Vec<&'static str> {
    let mut files = if version < V11_0 {
        vec!["mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql"]
    } else {
        vec!["mariadb_system_tables.sql", "mariadb_performance_tables.sql", "mariadb_system_tables_data.sql"]
    };
    files.extend(["fill_help_tables.sql", "maria_add_gis_sp_bootstrap.sql"]);
    if version >= V11_0 {
        files.push("mariadb_sys_schema.sql");
    } else if version >= V10_6 {
        files.push("mysql_sys_schema.sql");
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::golden::{assert_every_word_has_one_row, described, described_as, durable, wanting};
    use crate::servers::member::{Member, NodePorts};
    use model::value::Value;
    use std::path::Path;

    const VERSIONS: &[Version] = &[
        Version(10, 1, 23),
        Version(10, 2, 11),
        Version(10, 5, 23),
        Version(10, 6, 23),
        Version(10, 11, 5),
        Version(10, 11, 19),
        Version(11, 4, 5),
        Version(11, 8, 6),
    ];

    #[test]
    fn every_version_gets_the_options_that_it_knows() {
        for version in VERSIONS {
            insta::assert_snapshot!(format!("durable-{version}"), described(&MariaDb, *version, &durable("innodb")));
        }
    }

    #[test]
    fn a_node_of_a_cluster_knows_its_place_and_only_the_first_founds_it() {
        let gates = [(41, 42), (43, 44), (45, 46)].map(|(group, transfer)| NodePorts { group, transfer });
        let (provider, shared) = (Path::new("/lib/libgalera_smm.so"), Path::new("/home/i1/galera"));
        let wanted = wanting("innodb", &[], &[("wsrep_slave_threads", Value::Count(4))]);
        let nodes = (1..=3).map(|number| {
            let member = Member { number, gates: &gates, provider, shared };
            described_as(Some(member), &MariaDb, Version(10, 11, 19), &wanted)
        });
        insta::assert_snapshot!("galera", nodes.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn rocksdb_is_loaded_at_start_and_gets_the_memory() {
        insta::assert_snapshot!("rocksdb", described(&MariaDb, Version(10, 11, 19), &durable("rocksdb")));
    }

    #[test]
    fn what_a_version_lacks_is_told_and_native_comes_last() {
        let settings = [
            ("checksums", "none".into()),
            ("tls", true.into()),
            ("binlog", true.into()),
            ("change_buffer", true.into()),
            ("buffer_pool_instances", 4.into()),
            ("undo_tablespaces", 3.into()),
            ("flush_neighbors", false.into()),
            ("engine_counters", true.into()),
        ];
        let native = [("innodb_lru_scan_depth", Value::Count(2048)), ("innodb_stats_auto_recalc", Value::Flag(false))];
        let wanted = wanting("innodb", &settings, &native);
        insta::assert_snapshot!("lacking", described(&MariaDb, Version(10, 11, 19), &wanted));
    }

    #[test]
    fn every_word_means_something_or_is_told_to_mean_nothing() {
        assert_every_word_has_one_row(VERSIONS, &[SERVER, KEY_PROTOCOLS, INNODB]);
    }
}
