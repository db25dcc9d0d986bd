//! MariaDB 10.1 to 11.8: one table of what differs by version, and the one way to make a data directory that needs
//! nothing but the server and its `share` folder. MariaDB forgives its own removed options with a line in the error
//! log, so what it lacks is left out here and disclosed, never passed in hope. Galera and clusters are elsewhere.

use super::{ANY, Build, Description, Fact, Kind, Lines, NEVER, Ready, Site, Step, translate, written};
use model::host::Version;
use model::plan::Server;

pub struct MariaDb;

const V10_5: Version = Version(10, 5, 0);
const V10_6: Version = Version(10, 6, 0);
const V11_0: Version = Version(11, 0, 0);
const V11_4: Version = Version(11, 4, 0);

const fn fact(word: &'static str, from: Version, until: Version, lines: Lines) -> Fact {
    Fact { word, from, until, lines }
}

/// What each word means to InnoDB and to the server around it.
const FACTS: &[Fact] = &[
    fact("redo", ANY, V10_5, Lines::Halves { size: "innodb_log_file_size", files: "innodb_log_files_in_group" }),
    fact("redo", V10_5, NEVER, Lines::Set(&["innodb_log_file_size"])),
    fact("flush_at_commit", ANY, NEVER, Lines::Set(&["innodb_flush_log_at_trx_commit"])),
    fact("doublewrite", ANY, NEVER, Lines::Set(&["innodb_doublewrite"])),
    fact("checksums", ANY, V10_6, Lines::Set(&["innodb_checksum_algorithm"])),
    fact("checksums", V10_6, NEVER, Lines::Only("innodb_checksum_algorithm=crc32", "crc32")),
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
    fact("adaptive_hash_index", ANY, NEVER, Lines::Set(&["innodb_adaptive_hash_index"])),
    fact("io_capacity", ANY, NEVER, Lines::Double { base: "innodb_io_capacity", double: "innodb_io_capacity_max" }),
    // Each session holds its tables open: fewer slots than sessions would measure the opening of tables.
    fact("max_connections", ANY, NEVER, Lines::Set(&["max_connections", "table_open_cache"])),
    fact("prepared_statement_limit", ANY, NEVER, Lines::Set(&["max_prepared_stmt_count"])),
    fact(
        "tls",
        ANY,
        V11_4,
        Lines::OffOnly { off: &["skip-ssl"], why: "before 11.4 TLS needs certificates, which a private server lacks" },
    ),
    // 11.4 makes a key at every start unless told not to: 2 to 16 s.
    fact("tls", V11_4, NEVER, Lines::Switch { on: &["ssl=ON"], off: &["skip-ssl"] }),
];

/// Memory belongs to the engine under test.
const INNODB: &[Fact] = &[fact("buffer_pool", ANY, NEVER, Lines::Set(&["innodb_buffer_pool_size"]))];
/// Only loading at start is safe: INSTALL SONAME crashes 10.11.19 and hangs 11.8.9.
const ROCKSDB: &[Fact] = &[
    fact("buffer_pool", ANY, NEVER, Lines::Set(&["rocksdb_block_cache_size"])),
    fact("flush_at_commit", ANY, NEVER, Lines::Set(&["rocksdb_flush_log_at_trx_commit"])),
];
/// Engines that cache their pages neither in InnoDB nor in RocksDB still have a server with an InnoDB inside.
fn facts_of(engine: &str) -> &'static [Fact] {
    if engine == "rocksdb" { ROCKSDB } else { INNODB }
}

impl Kind for MariaDb {
    fn name(&self) -> &'static str {
        "mariadb"
    }

    fn describe(&self, build: &Build, site: &Site, wanted: &Server) -> Description {
        let version = build.installed.version;
        let (option_file, not_applicable) = option_file(build, site, wanted);
        let defaults = format!("--defaults-file={}", site.option_file().display());
        let server = |more: Option<&str>| build.command([defaults.as_str()].into_iter().chain(more));
        Description {
            option_file,
            folders: vec![],
            initialise: vec![Step {
                command: server(Some("--bootstrap")),
                // One statement a line, as the bootstrap reads. Without the variable, 10.4 and later make root a
                // unix_socket account.
                head: "create database if not exists mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n".to_string(),
                files: system_tables(version).iter().map(|name| build.share.join(name)).collect(),
            }],
            start: server(None),
            ready: Ready::Greeting { protocol: 10 },
            not_applicable,
        }
    }
}

fn option_file(build: &Build, site: &Site, wanted: &Server) -> (String, Vec<String>) {
    let mut lines = vec!["[mysqld]".to_string()];
    let mut set = |name: &str, value: &dyn std::fmt::Display| lines.push(format!("{name}={value}"));
    if site.as_root {
        set("user", &"root");
    }
    set("basedir", &build.installed.basedir);
    set("datadir", &site.data().display());
    set("socket", &site.socket.display());
    set("pid-file", &site.folder.join("pid").display());
    set("log-error", &site.error_log().display());
    set("tmpdir", &site.temporary().display());
    set("secure-file-priv", &site.temporary().display());
    set("lc-messages-dir", &build.share.display());
    set("character-sets-dir", &build.share.join("charsets").display());
    if let Some(plugins) = &build.plugins {
        set("plugin-dir", &plugins.display());
    }
    match site.tcp {
        Some(port) => {
            set("port", &port);
            set("bind-address", &"127.0.0.1");
        }
        None => lines.push("skip-networking".into()),
    }
    lines.push("skip-name-resolve".into());
    if wanted.engine == "rocksdb" {
        lines.push("plugin-load-add=ha_rocksdb.so".into());
    }
    let tables = [FACTS, facts_of(&wanted.engine)];
    let (settings, not_applicable) = translate(&tables, build.installed.version, &wanted.settings);
    lines.extend(settings);
    if !wanted.native.is_empty() {
        lines.push("# native: as the experiment has it".into());
    }
    lines.extend(wanted.native.iter().map(|(name, value)| format!("{name}={}", written(value))));
    (lines.join("\n") + "\n", not_applicable)
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
    use model::host::InstalledBuild;
    use model::settings;
    use model::value::Value;
    use std::path::Path;

    fn described(version: Version, engine: &str, settings: &[(&str, Value)], native: &[(&str, Value)]) -> String {
        let owned = |pairs: &[(&str, Value)]| pairs.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        let build = Build {
            installed: InstalledBuild {
                name: "distribution".into(),
                kind: "mariadb".into(),
                version,
                binary: "/usr/sbin/mariadbd".into(),
                basedir: "/usr".into(),
                engines: vec!["innodb".into(), "rocksdb".into()],
            },
            launcher: Vec::new(),
            share: "/usr/share/mysql".into(),
            plugins: (engine == "rocksdb").then(|| "/usr/lib/mysql/plugin".into()),
        };
        let site = Site { folder: Path::new("/home/i1"), socket: Path::new("/run/s"), tcp: None, as_root: true };
        let wanted = Server {
            build: "distribution".into(),
            on: None,
            engine: engine.into(),
            profile: "durable".into(),
            settings: owned(settings),
            native: owned(native),
            cpus: None,
            load_cpus: None,
        };
        let d = MariaDb.describe(&build, &site, &wanted);
        let mut text = format!("{}\n", d.option_file);
        for step in &d.initialise {
            text += &format!("initialise: {}\n{}", step.command.join(" "), step.head);
            step.files.iter().for_each(|f| text += &format!("< {}\n", f.display()));
        }
        text += &format!("start: {}\n", d.start.join(" "));
        d.not_applicable.iter().for_each(|n| text += &format!("not applicable: {n}\n"));
        text
    }

    fn durable() -> Vec<(&'static str, Value)> {
        settings::ALL.iter().filter_map(|p| Some((p.name, p.default?.value()))).collect()
    }

    #[test]
    fn every_version_gets_the_options_that_it_knows() {
        for (a, b, c) in [(10, 1, 23), (10, 2, 11), (10, 5, 23), (10, 6, 23), (10, 11, 19), (11, 4, 5), (11, 8, 6)] {
            let version = Version(a, b, c);
            insta::assert_snapshot!(format!("durable-{version}"), described(version, "innodb", &durable(), &[]));
        }
    }

    #[test]
    fn rocksdb_is_loaded_at_start_and_gets_the_memory() {
        insta::assert_snapshot!("rocksdb", described(Version(10, 11, 19), "rocksdb", &durable(), &[]));
    }

    #[test]
    fn what_a_version_lacks_is_told_and_native_comes_last() {
        let settings = [("checksums", "none".into()), ("tls", true.into()), ("binlog", true.into())];
        let native = [("innodb_flush_neighbors", Value::Count(0)), ("innodb_stats_auto_recalc", Value::Flag(false))];
        insta::assert_snapshot!("lacking", described(Version(10, 11, 19), "innodb", &settings, &native));
    }

    #[test]
    fn every_word_of_the_lab_means_something_to_mariadb() {
        for word in settings::ALL {
            assert!(FACTS.iter().chain(INNODB).any(|f| f.word == word.name), "{}", word.name);
        }
    }
}
