//! InnoDB's memcached plugin as its servers really have it, on those that are installed: what of it would spoil a
//! number or take a server down is refused, told, or kept away. A value too long for its column is answered STORED and
//! cut off; a server that runs as root dies of the plugin, and dies again at its next start, unless the plugin is told
//! so; `flush_all` would empty the table.

mod skipped;

use lab::backends::endpoint::SqlEndpoint;
use lab::backends::keyed::control::Control as KeyControl;
use lab::backends::keyed::{KeyEndpoint, KeyProtocol, Keys, answers};
use lab::backends::kinds;
use lab::backends::memcached::{found, plugin};
use lab::backends::mysql::control::Control;
use lab::backends::mysql::keys;
use lab::os::process::Guard;
use lab::servers::catalogue;
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, Wish};
use model::load::Work;
use model::plan::Server;
use std::time::{Duration, Instant};
use wire::memcached::Dialect;
use workload::kv::{COLUMNS, TABLE, value};

static GO: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
const BUILDS: [&str; 2] = ["mysql-5.6.14", "mysql-8.0.33"];
const PATIENCE: Duration = Duration::from_secs(60);
const KEYS: u64 = 64;
const VALUE_BYTES: usize = 119;
/// The columns of two tables: one is as long as a value, and one is not.
const WIDTHS: [(&str, usize); 2] = [("whole", VALUE_BYTES), ("short", 40)];

fn work() -> Work {
    let words = workload::Workloads::built_in().by_name("kv.memcached").unwrap().words();
    let defaults = words.defaults().into_iter();
    let own = [("keys", KEYS as i64), ("value_bytes", VALUE_BYTES as i64)];
    let own = own.map(|(name, n)| (name.to_string(), n.into()));
    Work { workload: words.name.into(), parameters: defaults.chain(own).collect() }
}

#[test]
fn what_the_plugin_would_spoil_is_refused_and_what_would_kill_its_server_is_kept_away() {
    for name in BUILDS {
        let Ok(build) = catalogue::find(name) else {
            skipped::test(name, &format!("assay servers install {name}"));
            continue;
        };
        let place = tempfile::tempdir().unwrap();
        let folders = Folders { home: place.path().join("home"), runtime: place.path().to_path_buf() };
        let guard = Guard::program(env!("CARGO_BIN_EXE_lab-guard"));
        let settings = [("doors".to_string(), true.into())].into();
        let server = Server { build: name.into(), engine: "innodb".into(), settings, ..Server::default() };
        let wish = Wish {
            folders: &folders,
            guard: &guard,
            kind: kinds::of(&build),
            build: &build,
            server: &server,
            cpus: &[],
            tcp: None,
            stop: &GO,
        };
        let mut instance = Instance::provision(&wish).unwrap();
        let (sql, address) =
            (SqlEndpoint::root(instance.socket().to_path_buf()), instance.key_listener().unwrap().address(false));
        let mut control = Control::connect(&sql).unwrap();
        let [key, column] = COLUMNS;
        let mut text = Vec::new();
        for (schema, width) in WIDTHS {
            control.execute(&format!("CREATE DATABASE {schema}")).unwrap();
            let table = format!("({key} INT PRIMARY KEY, {column} VARCHAR({width}) NOT NULL) ENGINE=InnoDB");
            control.execute(&format!("CREATE TABLE {schema}.{TABLE} {table}")).unwrap();
            plugin::map(&sql, &build.share, &address, schema).unwrap();
            let protocol = KeyProtocol::Memcached { dialect: Dialect::Text, keys: Keys::Container(schema.into()) };
            let endpoint = KeyEndpoint { address: address.clone(), protocol };
            let mut by_key = KeyControl::connect(&endpoint, PATIENCE).unwrap();
            for key in 1..=KEYS {
                value::write(&mut text, key, value::LOADED, VALUE_BYTES);
                by_key.set(key, &text);
            }
            assert_eq!(by_key.write().unwrap(), KEYS, "{name} says that all were stored, in {schema} as well");
            assert_eq!(by_key.get(&[KEYS]).unwrap()[0].1, text[..width], "{name}");
            let compared = answers::compare(&endpoint, &work()).map_err(|trouble| trouble.to_string());
            match schema {
                "whole" => compared.unwrap(),
                _ => {
                    let refusal = compared.unwrap_err();
                    assert!(refusal.contains("0 of 64 keys are missing and 64 values are not theirs"), "{refusal}");
                    assert!(refusal.contains("a value does not fit its column"), "{refusal}");
                }
            }
            let stats = by_key.stats().unwrap();
            assert!(stats.iter().all(|(name, n)| name != "cmd_flush" || n == "0"), "{stats:?}");
        }

        // Its keys are rows of somebody's table: no guest of a cache gets in.
        let dsn = format!("memcached://localhost?socket={}", instance.key_listener().unwrap().socket.display());
        let refusal = found::look(&dsn).unwrap_err().to_string();
        assert!(refusal.contains("InnoDB's plugin, whose keys are rows of a table"), "{refusal}");

        // The plugin is in the server's own list now, and comes back with it however it went.
        let as_root = rustix::process::geteuid().is_root();
        assert_eq!(instance.description().option_file.contains("-u root"), as_root, "{name}");
        instance.crash(&guard).unwrap();
        let begun = Instant::now();
        while !keys::answers(&address) {
            assert!(begun.elapsed() < PATIENCE, "{name} is up again without its plugin: {}", instance.log_tail());
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut control = Control::connect(&sql).unwrap();
        for (schema, _) in WIDTHS {
            let rows = control.value(&format!("SELECT COUNT(*) FROM {schema}.{TABLE}")).unwrap();
            assert_eq!(rows, Some(KEYS.to_string()), "{name}: nothing emptied {schema}");
        }
    }
}
