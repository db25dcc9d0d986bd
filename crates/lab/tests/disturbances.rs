//! Disturbances on a real server whose part somebody else takes: a transaction that is to stay open, and whose session
//! is killed, is told as one that was not, and not as a run that failed.

use lab::backends::endpoint::SqlEndpoint;
use lab::backends::kinds;
use lab::backends::mysql::control::Control;
use lab::disturbances::scene::Place;
use lab::disturbances::scene::acting::{Acting, Over};
use lab::os::process::Guard;
use lab::samplers::Process;
use lab::servers::catalogue;
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, Wish};
use model::load::Disturb;
use model::plan::Server;
use model::value::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

static GO: AtomicBool = AtomicBool::new(false);

/// Far beyond what anything here takes: who waits longer waits for something that does not come.
const PATIENCE: Duration = Duration::from_secs(120);

fn until<T>(what: &str, mut of: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = of() {
            return value;
        }
        assert!(begun.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn value(root: &mut Control, sql: &str) -> Option<String> {
    root.rows(sql).ok()?.into_iter().next()?.into_iter().next()?
}

#[test]
fn a_transaction_whose_session_is_ended_by_somebody_else_is_told_as_one_that_was_not_open() {
    let place = tempfile::tempdir().unwrap();
    let folders = Folders { home: place.path().join("home"), runtime: place.path().to_path_buf() };
    let guard = Guard::program(env!("CARGO_BIN_EXE_lab-guard"));
    let settings = [("redo", 96 << 20), ("buffer_pool", 64 << 20)].map(|(k, v)| (k.to_string(), Value::Count(v)));
    let server = Server {
        build: "distribution".into(),
        engine: "innodb".into(),
        profile: "default".into(),
        settings: settings.into(),
        ..Server::default()
    };
    let build = catalogue::find("distribution").unwrap();
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
    let instance = Instance::provision(&wish).unwrap();
    let endpoint = SqlEndpoint::root(instance.socket().to_path_buf());
    let mut root = Control::connect(&endpoint).unwrap();
    for sql in ["CREATE DATABASE data", "CREATE TABLE data.t (id INT PRIMARY KEY)", "INSERT INTO data.t VALUES (1)"] {
        root.execute(sql).unwrap();
    }
    let place = Place {
        target: Arc::new(endpoint),
        schemas: vec!["data".into()],
        engine: "innodb".into(),
        cpus: vec![],
        build: None,
        instance: None,
        process: Process::of(0),
        folders: folders.clone(),
        guard: guard.clone(),
    };
    for name in ["open_snapshot", "begin_read_committed"] {
        let mut acting = Acting::new(place.clone());
        acting.begin(0, &Disturb { name: name.into(), parameters: [].into() });
        // From the first song on the transaction is watched.
        until("the canary's first song", || {
            let schema = value(
                &mut root,
                "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'assay_canary%'",
            )?;
            value(&mut root, &format!("SELECT sung FROM {schema}.canary")).filter(|sung| sung != "0")
        });
        let holder = until("the transaction", || {
            value(
                &mut root,
                "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx \
                 JOIN information_schema.processlist ON id = trx_mysql_thread_id WHERE command = 'Sleep'",
            )
        });
        root.execute(&format!("KILL {holder}")).unwrap();
        let Over { record, trouble, .. } = until("the end of the disturbance", || acting.over().pop());
        let why = record.failed.unwrap_or_else(|| panic!("{name} did not notice: {}", record.sentence));
        assert!(why.starts_with("its session was gone after ") && trouble.is_none(), "{name}: {why}, {trouble:?}");
    }
}
