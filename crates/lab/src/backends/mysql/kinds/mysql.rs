//! MySQL 5.5 to 9.7: one table of what differs by version, and the two ways in which it makes a data directory: 5.5 and
//! 5.6 read the SQL of their `share` folder, later ones have it built in. An option that a version does not know stops
//! its start, so each row says from when until when it holds. Plugins (memcached, thread pool) and replication are
//! elsewhere.

use super::greets;
use super::option_file::{self, Tables};
use crate::backends::mysql::facts::{ANY, Always, Fact, INDEX_LOCK, Lines, NEVER, always, fact};
use crate::backends::mysql::keys;
use crate::servers::process::certificates;
use crate::servers::{Build, Description, Kind, Listens, Site, Step};
use crate::trouble::Trouble;
use model::plan::served::{MEMCACHED_FROM, MEMCACHED_UNTIL};
use model::{Server, Version};

pub struct MySql;

const V5_6: Version = Version(5, 6, 0);
const V5_7: Version = Version(5, 7, 0);
const V8_0: Version = Version(8, 0, 0);
const V8_0_26: Version = Version(8, 0, 26);
const V8_0_30: Version = Version(8, 0, 30);

const ALWAYS: &[Always] = &[
    // Later versions do both by themselves: a file per table, and TIMESTAMP columns as they are declared.
    always(ANY, V5_6, "innodb_file_per_table=ON"),
    always(V5_6, V8_0, "explicit_defaults_for_timestamp=ON"),
    // The lab loads by LOAD DATA LOCAL, which older versions allow.
    always(V8_0, NEVER, "local_infile=ON"),
    // The X plugin opens a socket outside the private folder.
    always(V8_0, NEVER, "mysqlx=0"),
];

const SERVER: &[Fact] = &[
    fact("huge_pages", ANY, NEVER, Lines::Set(&["large_pages"])),
    fact("performance_schema", ANY, NEVER, Lines::Set(&["performance_schema"])),
    fact("binlog", ANY, V8_0, Lines::Switch { on: &["log-bin=binlog", "server-id=1"], off: &["skip-log-bin"] }),
    fact("binlog", V8_0, NEVER, Lines::Switch { on: &["log-bin=binlog", "server-id=1"], off: &["disable-log-bin"] }),
    // On means the size that the server's documentation uses in its examples; a study of the cache itself says more.
    fact(
        "query_cache",
        ANY,
        V8_0,
        Lines::Switch {
            on: &["query_cache_type=1", "query_cache_size=64M"],
            off: &["query_cache_type=0", "query_cache_size=0"],
        },
    ),
    fact("query_cache", V8_0, NEVER, Lines::Nothing("MySQL 8.0 removed the query cache")),
    // Each session holds its tables open: fewer slots than sessions would measure the opening of tables.
    fact("max_connections", ANY, NEVER, Lines::Set(&["max_connections", "table_open_cache"])),
    fact("prepared_statement_limit", ANY, NEVER, Lines::Set(&["max_prepared_stmt_count"])),
    fact(
        "tls",
        ANY,
        V5_7,
        Lines::OffOnly { off: &["skip-ssl"], why: "before 5.7 MySQL speaks no TLS that is still safe (1.2 and later)" },
    ),
    // Builds of 5.7 with yaSSL do not know the option that keeps later ones from making certificates of their own.
    fact("tls", V5_7, V8_0, Lines::Switch { on: certificates::LINES, off: &["ssl=0"] }),
    fact("tls", V8_0, V8_0_26, Lines::Switch { on: certificates::LINES, off: &["ssl=0", "auto_generate_certs=OFF"] }),
    fact(
        "tls",
        V8_0_26,
        NEVER,
        Lines::Switch { on: certificates::LINES, off: &["tls_version=", "auto_generate_certs=OFF"] },
    ),
];

/// The memcached plugin. What its daemon listens to and how it runs is one option, which `keys.rs` writes.
const KEY_PROTOCOLS: &[Fact] = &[
    fact("doors", ANY, MEMCACHED_FROM, Lines::Nothing(NO_PLUGIN_YET)),
    fact("doors", MEMCACHED_FROM, MEMCACHED_UNTIL, Lines::Set(&[])),
    fact("doors", MEMCACHED_UNTIL, NEVER, Lines::Nothing(NO_PLUGIN_MORE)),
    fact("door_threads", ANY, MEMCACHED_FROM, Lines::Nothing(NO_PLUGIN_YET)),
    fact("door_threads", MEMCACHED_FROM, MEMCACHED_UNTIL, Lines::Set(&[])),
    fact("door_threads", MEMCACHED_UNTIL, NEVER, Lines::Nothing(NO_PLUGIN_MORE)),
    fact("read_batch", ANY, MEMCACHED_FROM, Lines::Nothing(NO_PLUGIN_YET)),
    fact("read_batch", MEMCACHED_FROM, MEMCACHED_UNTIL, Lines::Set(&["loose-daemon_memcached_r_batch_size"])),
    fact("read_batch", MEMCACHED_UNTIL, NEVER, Lines::Nothing(NO_PLUGIN_MORE)),
    fact("write_batch", ANY, MEMCACHED_FROM, Lines::Nothing(NO_PLUGIN_YET)),
    fact("write_batch", MEMCACHED_FROM, MEMCACHED_UNTIL, Lines::Set(&["loose-daemon_memcached_w_batch_size"])),
    fact("write_batch", MEMCACHED_UNTIL, NEVER, Lines::Nothing(NO_PLUGIN_MORE)),
    fact("door_isolation", ANY, MEMCACHED_FROM, Lines::Nothing(NO_PLUGIN_YET)),
    fact(
        "door_isolation",
        MEMCACHED_FROM,
        MEMCACHED_UNTIL,
        Lines::Words {
            lines: &[
                ("read_uncommitted", "loose-innodb_api_trx_level=0"),
                ("read_committed", "loose-innodb_api_trx_level=1"),
                ("repeatable_read", "loose-innodb_api_trx_level=2"),
                ("serializable", "loose-innodb_api_trx_level=3"),
            ],
            why: "InnoDB has these four levels",
        },
    ),
    fact("door_isolation", MEMCACHED_UNTIL, NEVER, Lines::Nothing(NO_PLUGIN_MORE)),
];
const NO_PLUGIN_YET: &str = "InnoDB's memcached plugin came with MySQL 5.6";
const NO_PLUGIN_MORE: &str = "MySQL 8.3 removed InnoDB's memcached plugin";

const INNODB: &[Fact] = &[
    fact("buffer_pool", ANY, NEVER, Lines::Set(&["innodb_buffer_pool_size"])),
    fact("buffer_pool_instances", ANY, NEVER, Lines::Set(&["innodb_buffer_pool_instances"])),
    fact("redo", ANY, V5_6, halves(Some(4 << 30))),
    fact("redo", V5_6, V8_0_30, halves(None)),
    fact("redo", V8_0_30, NEVER, Lines::Set(&["innodb_redo_log_capacity"])),
    fact("undo_tablespaces", ANY, V5_6, Lines::Nothing("MySQL 5.5 keeps undo in its one system tablespace")),
    fact("undo_tablespaces", V5_6, V8_0, Lines::Set(&["innodb_undo_tablespaces"])),
    fact("undo_tablespaces", V8_0, NEVER, Lines::Nothing("MySQL 8.0 begins with two, and more come by statement")),
    fact("flush_at_commit", ANY, NEVER, Lines::Set(&["innodb_flush_log_at_trx_commit"])),
    fact("doublewrite", ANY, NEVER, Lines::Set(&["innodb_doublewrite"])),
    fact(
        "checksums",
        ANY,
        V5_6,
        Lines::Words { lines: &[("none", "innodb_checksums=OFF")], why: "MySQL 5.5 has only InnoDB's older checksum" },
    ),
    fact("checksums", V5_6, NEVER, Lines::Set(&["innodb_checksum_algorithm"])),
    fact(
        "direct_io",
        ANY,
        NEVER,
        Lines::Switch { on: &["innodb_flush_method=O_DIRECT"], off: &["innodb_flush_method=fsync"] },
    ),
    fact("adaptive_hash_index", ANY, NEVER, Lines::Set(&["innodb_adaptive_hash_index"])),
    fact(
        "change_buffer",
        ANY,
        NEVER,
        Lines::Switch { on: &["innodb_change_buffering=all"], off: &["innodb_change_buffering=none"] },
    ),
    fact("flush_neighbors", ANY, V5_6, Lines::Nothing("MySQL 5.5 always flushes neighbours")),
    fact("memtable", ANY, NEVER, Lines::Nothing("InnoDB collects changes in its buffer pool")),
    fact(
        "flush_neighbors",
        V5_6,
        NEVER,
        Lines::Switch { on: &["innodb_flush_neighbors=1"], off: &["innodb_flush_neighbors=0"] },
    ),
    fact("io_capacity", ANY, V5_6, Lines::Set(&["innodb_io_capacity"])),
    fact("io_capacity", V5_6, NEVER, Lines::Double { base: "innodb_io_capacity", double: "innodb_io_capacity_max" }),
    fact("engine_counters", ANY, V5_6, Lines::Nothing("MySQL 5.5 has no INNODB_METRICS")),
    fact("engine_counters", V5_6, NEVER, Lines::Switch { on: &["innodb_monitor_enable=all", INDEX_LOCK], off: &[] }),
];

/// MyISAM caches keys only.
const MYISAM: &[Fact] = &[fact("buffer_pool", ANY, NEVER, Lines::Set(&["key_buffer_size"]))];

const fn halves(below: Option<i64>) -> Lines {
    Lines::Halves { size: "innodb_log_file_size", files: "innodb_log_files_in_group", below }
}

fn facts_of(engine: &str) -> &'static [Fact] {
    match engine {
        "innodb" => INNODB,
        "myisam" => MYISAM,
        // The rest have no setting of their own; what was asked for is told to be not applicable.
        _ => &[],
    }
}

impl Kind for MySql {
    fn name(&self) -> &'static str {
        "mysql"
    }

    fn check(&self, build: &Build, wanted: &Server) -> Result<(), Trouble> {
        option_file::check(build, wanted)
    }

    fn listens_past_sql(&self, wanted: &Server) -> Option<Listens> {
        keys::are_wanted(wanted).then_some(Listens::by(wanted))
    }

    fn serves(&self, site: &Site) -> bool {
        greets(site.socket)
    }

    fn describe(&self, build: &Build, site: &Site, wanted: &Server) -> Description {
        let facts = [SERVER, KEY_PROTOCOLS, facts_of(&wanted.engine)];
        let tables = Tables { always: ALWAYS, facts: &facts, plugin: None };
        let (mut option_file, not_applicable) = option_file::write(build, site, wanted, &tables);
        if let Some(key_listener) = site.key_listener.filter(|_| keys::has_memcached(build.installed.version)) {
            option_file += &keys::of_mysql(key_listener, site.as_root, build.installed.version, wanted);
        }
        let bootstraps = build.installed.version < V5_7;
        Description {
            option_file,
            // The bootstrap fills the first; 5.6's memcached plugin wants the second.
            folders: if bootstraps { vec!["mysql".into(), "test".into()] } else { vec![] },
            initialise: vec![if bootstraps { bootstrap(build, site) } else { initialise(build, site) }],
            start: build.on(site, &[]),
            not_applicable,
        }
    }
}

/// 5.5 and 5.6. Their accounts include anonymous ones, which come before any account with a host of `%`.
fn bootstrap(build: &Build, site: &Site) -> Step {
    let files = ["mysql_system_tables.sql", "mysql_system_tables_data.sql", "fill_help_tables.sql"];
    Step {
        command: build.on(site, &["--bootstrap"]),
        head: "use mysql;\n".into(),
        files: files.iter().map(|name| build.share.join(name)).collect(),
        tail: "delete from user where user='';\n".into(),
    }
}

/// 5.7 and later make root@localhost; a client over TCP is root@127.0.0.1, since names are not resolved.
fn initialise(build: &Build, site: &Site) -> Step {
    let first = format!("--init-file={}", site.sql().display());
    Step {
        command: build.on(site, &["--initialize-insecure", &first]),
        head: "create user 'root'@'127.0.0.1';\ngrant all on *.* to 'root'@'127.0.0.1' with grant option;\n".into(),
        files: vec![],
        tail: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backends::golden::{assert_every_word_has_one_row, described, durable, wanting};

    const VERSIONS: &[Version] = &[
        Version(5, 5, 34),
        Version(5, 6, 14),
        Version(5, 6, 24),
        Version(5, 7, 22),
        Version(8, 0, 12),
        Version(8, 0, 33),
        Version(8, 4, 13),
        Version(9, 7, 4),
    ];

    #[test]
    fn every_version_gets_the_options_that_it_knows() {
        for version in VERSIONS {
            insta::assert_snapshot!(format!("durable-{version}"), described(&MySql, *version, &durable("innodb")));
        }
    }

    #[test]
    fn every_word_means_something_or_is_told_to_mean_nothing() {
        assert_every_word_has_one_row(VERSIONS, &[SERVER, KEY_PROTOCOLS, INNODB]);
    }

    #[test]
    fn the_other_words_in_the_oldest_and_the_newest() {
        let more = [
            ("redo", (8_i64 << 30).into()),
            ("checksums", "none".into()),
            ("direct_io", false.into()),
            ("binlog", true.into()),
            ("query_cache", true.into()),
            ("tls", true.into()),
            ("change_buffer", false.into()),
            ("buffer_pool_instances", 1.into()),
            ("undo_tablespaces", 4.into()),
            ("flush_neighbors", false.into()),
            ("engine_counters", true.into()),
        ];
        for version in [Version(5, 5, 34), Version(5, 6, 14), Version(9, 7, 4)] {
            let wanted = wanting("innodb", &more, &[("innodb_lru_scan_depth", 2048.into())]);
            insta::assert_snapshot!(format!("other-{version}"), described(&MySql, version, &wanted));
        }
    }

    #[test]
    fn the_door_past_sql_is_wanted_in_full_and_as_root_it_is_told_so() {
        let more = [
            ("doors", true.into()),
            ("door_threads", 4.into()),
            ("read_batch", 128.into()),
            ("write_batch", 32.into()),
            ("door_isolation", "repeatable_read".into()),
            ("performance_schema", true.into()),
            ("max_connections", 1_000.into()),
        ];
        for version in [Version(5, 5, 34), Version(5, 6, 14), Version(8, 0, 33), Version(8, 4, 13)] {
            insta::assert_snapshot!(
                format!("doors-{version}"),
                described(&MySql, version, &wanting("innodb", &more, &[]))
            );
        }
    }

    #[test]
    fn another_engine_gets_the_memory_and_no_word_of_innodb() {
        insta::assert_snapshot!("myisam", described(&MySql, Version(8, 0, 33), &durable("myisam")));
    }
}
