//! Sessions against the MariaDB that is installed here: both transports, passwords, both protocols, long packets, and
//! every way in which a user's session meets an error and goes on.

use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::backends::keyed;
use lab::backends::kinds;
use lab::backends::mongodb::session as documents;
use lab::backends::mysql::control::Control;
use lab::backends::postgres::session as postgres;
use lab::os::process::Guard;
use lab::servers::catalogue;
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, Wish};
use model::plan::Server;
use model::value::Value;
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::TempDir;
use wire::memcached::Dialect;
use workload::session::Fault;

static GO: AtomicBool = AtomicBool::new(false);

/// A server with a port on loopback and packets of 64 MiB, and the endpoint of its root.
struct Up {
    _place: TempDir,
    _instance: Instance,
    root: SqlEndpoint,
    port: u16,
}

fn up() -> Up {
    let place = tempfile::tempdir().unwrap();
    let folders = Folders { home: place.path().join("home"), runtime: place.path().to_path_buf() };
    let guard = Guard::program(env!("CARGO_BIN_EXE_lab-guard"));
    let settings = [("redo", 96 << 20), ("buffer_pool", 64 << 20)].map(|(k, v)| (k.to_string(), Value::Count(v)));
    let native = [("max_allowed_packet".to_string(), Value::Count(64 << 20))];
    let server = Server {
        build: "distribution".into(),
        engine: "innodb".into(),
        profile: "default".into(),
        settings: settings.into(),
        native: native.into(),
        ..Server::default()
    };
    // Bound and let go, so that it is free now; nobody else asks for this very number.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let build = catalogue::find("distribution").unwrap();
    let wish = Wish {
        folders: &folders,
        guard: &guard,
        kind: kinds::of(&build),
        build: &build,
        server: &server,
        cpus: &[],
        tcp: Some(port),
        stop: &GO,
    };
    let instance = Instance::provision(&wish).unwrap();
    Up { root: SqlEndpoint::root(instance.socket().to_path_buf()), _place: place, _instance: instance, port }
}

fn code(fault: Fault) -> u16 {
    match fault {
        Fault::Server { code, .. } => code,
        other => panic!("the server was to refuse, and not: {other}"),
    }
}

#[test]
fn a_session_speaks_to_a_real_server_whatever_the_way() {
    let up = up();
    let mut root = Control::connect(&up.root).unwrap();
    root.execute("CREATE DATABASE here").unwrap();
    for host in ["localhost", "127.0.0.1"] {
        root.execute(&format!("CREATE USER u@'{host}' IDENTIFIED BY 'päss wörd'")).unwrap();
        root.execute(&format!("GRANT ALL ON here.* TO u@'{host}'")).unwrap();
    }
    let tcp = Address::Tcp { host: "127.0.0.1".into(), port: up.port };
    for address in [up.root.address.clone(), tcp] {
        let endpoint = SqlEndpoint {
            address,
            user: "u".into(),
            password: "päss wörd".into(),
            schema: Some("here".into()),
            tls: None,
        };
        let mut session = Control::connect(&endpoint).unwrap();
        assert_eq!(session.value("SELECT DATABASE()").unwrap().as_deref(), Some("here"));
        let wrong = SqlEndpoint { password: "pass word".into(), ..endpoint.clone() };
        assert_eq!(code(Control::connect(&wrong).err().expect("a wrong password is refused")), 1045);
        let nowhere = SqlEndpoint { schema: Some("nowhere".into()), ..endpoint };
        assert!(Control::connect(&nowhere).is_err(), "a schema that is not there is refused");
        session.quit();
    }
    long_packets(&mut root);
    errors_leave_the_session_whole(&mut root);
    charsets_are_those_of_the_labels(&mut root);
    what_the_server_cuts_off_for_others_is_whole_for_the_lab(&mut root, &up.root);
    root.quit();
}

/// Over 16 MiB a message takes several packets, in both directions.
fn long_packets(session: &mut Control) {
    for megabytes in [15, 16, 17, 33] {
        let bytes = megabytes << 20;
        let long = "x".repeat(bytes);
        let rows = session.rows(&format!("SELECT t, LENGTH(t) FROM (SELECT '{long}' AS t) AS one")).unwrap();
        assert_eq!(rows[0][0].as_ref().map(String::len), Some(bytes));
        assert_eq!(rows[0][1], Some(bytes.to_string()));
    }
}

fn errors_leave_the_session_whole(session: &mut Control) {
    session.execute("USE here").unwrap();
    assert_eq!(code(session.rows("SELEKT 1").unwrap_err()), 1064);
    assert_eq!(code(session.rows("SELECT * FROM here.nothing").unwrap_err()), 1146);
    // An error after the first rows of a result.
    let late = "SELECT IF(seq < 5000, seq, (SELECT 1 UNION SELECT 2)) FROM seq_1_to_9999";
    assert_eq!(code(session.rows(late).unwrap_err()), 1242);
    assert_eq!(session.rows("SELECT 1 UNION ALL SELECT NULL").unwrap(), [[Some("1".to_string())], [None]]);
    let many = session.rows("SELECT seq, REPEAT('y', seq % 300) FROM seq_1_to_20000").unwrap();
    assert_eq!(many.len(), 20_000);
    assert_eq!(many[299][1].as_deref(), Some("y".repeat(0).as_str()));
}

fn what_the_server_cuts_off_for_others_is_whole_for_the_lab(root: &mut Control, endpoint: &SqlEndpoint) {
    root.execute("SET GLOBAL sql_select_limit = 1").unwrap();
    root.execute("SET GLOBAL autocommit = 0").unwrap();
    let asked = |mut session: Control| {
        let rows = session.rows("SELECT seq FROM seq_1_to_3").unwrap().len();
        let commits = session.value("SELECT @@autocommit").unwrap();
        session.quit();
        (rows, commits)
    };
    let (endpoint, patience) =
        (&SqlEndpoint { schema: Some("here".into()), ..endpoint.clone() }, Duration::from_secs(5));
    assert_eq!(asked(Control::connect(endpoint).unwrap()), (3, Some("1".into())));
    assert_eq!(asked(Control::as_any(endpoint, patience).unwrap()), (1, Some("0".into())), "as a user has it");
}

fn charsets_are_those_of_the_labels(session: &mut Control) {
    for charset in model::charset::of(model::Protocol::MySql) {
        let names = format!("SET NAMES {} COLLATE {}", charset.character_set, charset.collation);
        match session.execute(&names) {
            Ok(_) => {
                let collation = session.value("SELECT @@collation_connection").unwrap().unwrap();
                assert!(charset.collation.ends_with(&collation) || collation == charset.collation, "{collation}");
            }
            // MariaDB before 11.4 lacks MySQL's own collation, and says so by this number.
            Err(fault) => assert_eq!((charset.label, code(fault)), ("utf8mb4-0900", 1273)),
        }
    }
}

#[test]
fn a_server_that_takes_the_connection_and_says_nothing_is_told_in_every_protocol() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let address = Address::Tcp { host: "127.0.0.1".into(), port };
    let patience = Duration::from_millis(30);
    let endpoint =
        SqlEndpoint { address: address.clone(), user: "u".into(), password: String::new(), schema: None, tls: None };
    let keys = |protocol| keyed::KeyEndpoint { address: address.clone(), protocol };
    let container = keyed::KeyProtocol::Memcached { dialect: Dialect::Text, keys: keyed::Keys::Container("c".into()) };
    let index = keyed::KeyProtocol::HandlerSocket {
        secret: "s".into(),
        schema: "s".into(),
        table: "t".into(),
        columns: "k,v".into(),
    };
    let store = documents::Store::open(address.clone());
    let documents = documents::DocumentEndpoint { store, schema: "s".into(), offers: Default::default() };
    let told = [
        Control::connect_with(&endpoint, patience).err(),
        postgres::control::Control::connect(&endpoint, patience).err(),
        keyed::control::Control::connect(&keys(container), patience).err(),
        keyed::control::Control::connect(&keys(index), patience).err(),
        documents::control::Control::connect(&documents, patience).err(),
    ];
    for fault in told {
        let fault = fault.expect("nobody answers").to_string();
        assert!(fault.contains(&format!("127.0.0.1:{port} says nothing for 0.03 s")), "{fault}");
        assert!(fault.contains("name its port"), "{fault}");
    }
}

/// A server that accepts nobody holds a connect to its Unix socket once its backlog is full.
#[test]
fn a_unix_socket_whose_backlog_is_full_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let endpoint = SqlEndpoint::root(path);
    let patience = Duration::from_millis(30);
    // The first waits in the backlog for a greeting, the others for the backlog.
    let told: Vec<String> =
        (0..3).map(|_| Control::connect_with(&endpoint, patience).err().expect("nobody accepts").to_string()).collect();
    assert!(told.iter().all(|fault| fault.contains("says nothing")), "{told:?}");
}
