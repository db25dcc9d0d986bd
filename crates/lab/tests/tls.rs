//! Encrypted sessions against the MariaDB that is installed here: what each mode asks of the server, how each failure
//! is told, long answers, and a load on both ways of talking to the kernel.

use lab::backends::access::{Access, LoadPlan, UserGroup};
use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::backends::kinds;
use lab::backends::mysql::control::Control;
use lab::backends::tls::{Mode, Tls};
use lab::load::{Witness, drive};
use lab::os::process::Guard;
use lab::servers::catalogue;
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, Wish};
use model::errors::Errors;
use model::load::{Io, Phase, PhaseKind, Until};
use model::plan::Server;
use model::record::tally::Tally;
use model::seed::Seed;
use model::units::Nanos;
use model::value::Value;
use rcgen::{CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

static GO: AtomicBool = AtomicBool::new(false);
const PASSWORD: &str = "a secret of the test";

struct Up {
    place: TempDir,
    instance: Instance,
    root: Control,
    port: u16,
}

fn up(tls: bool) -> Up {
    let place = tempfile::tempdir().unwrap();
    let folders = Folders { home: place.path().join("home"), runtime: place.path().to_path_buf() };
    let guard = Guard::program(env!("CARGO_BIN_EXE_lab-guard"));
    let sizes = [("redo", 96 << 20), ("buffer_pool", 64 << 20)].map(|(k, v)| (k.to_string(), Value::Count(v)));
    let native = [("max_allowed_packet".to_string(), Value::Count(64 << 20))];
    let server = Server {
        build: "distribution".into(),
        engine: "innodb".into(),
        profile: "default".into(),
        settings: sizes.into_iter().chain([("tls".to_string(), Value::Flag(tls))]).collect(),
        native: native.into(),
        ..Server::default()
    };
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
    let mut root = Control::connect(&SqlEndpoint::root(instance.socket().to_path_buf())).unwrap();
    root.execute("CREATE DATABASE here").unwrap();
    root.execute(&format!("CREATE USER u@127.0.0.1 IDENTIFIED BY '{PASSWORD}'")).unwrap();
    root.execute("GRANT ALL ON here.* TO u@127.0.0.1").unwrap();
    Up { place, instance, root, port }
}

impl Up {
    fn endpoint(&self, tls: Option<(Mode, Option<&Path>)>) -> SqlEndpoint {
        SqlEndpoint {
            address: Address::Tcp { host: "127.0.0.1".into(), port: self.port },
            user: "u".into(),
            password: PASSWORD.into(),
            schema: Some("here".into()),
            tls: tls.map(|(mode, ca)| Tls::new(mode, ca.map(PathBuf::from)).unwrap()),
        }
    }
    fn ca(&self) -> PathBuf {
        self.instance.ca().expect("it offers TLS").to_path_buf()
    }
    fn refusal(&self, mode: Mode, ca: Option<&Path>) -> String {
        let refused = Control::connect(&self.endpoint(Some((mode, ca))));
        refused.err().expect("the session must not begin").to_string()
    }
    /// Has the server take another certificate; gives its CA.
    fn wear(&mut self, names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> PathBuf {
        let (ca_key, key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let mut ca = CertificateParams::default();
        ca.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let ca_text = ca.self_signed(&ca_key).unwrap().pem();
        let mut params = CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &Issuer::new(ca, ca_key)).unwrap();
        let folder = self.ca().parent().unwrap().to_path_buf();
        let path = self.place.path().join("another-ca.pem");
        fs::write(&path, ca_text).unwrap();
        fs::write(folder.join("server.pem"), certificate.pem()).unwrap();
        fs::write(folder.join("server-key.pem"), key.serialize_pem()).unwrap();
        self.root.execute("FLUSH SSL").unwrap();
        path
    }
}

#[test]
fn each_mode_asks_what_it_says_and_each_failure_is_told_with_its_mend() {
    let mut up = up(true);
    let ca = up.ca();
    assert_eq!(fs::metadata(ca.with_file_name("server-key.pem")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(ca.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    for (mode, ca) in [
        (Mode::Preferred, None),
        (Mode::Required, None),
        (Mode::VerifyCa, Some(ca.as_path())),
        (Mode::VerifyIdentity, Some(&ca)),
    ] {
        let mut session = Control::connect(&up.endpoint(Some((mode, ca)))).unwrap();
        let (version, cipher) = session.carriage().tls.expect("encrypted");
        let mut said = |name: &str| session.rows(&format!("SHOW STATUS LIKE '{name}'")).unwrap()[0][1].clone().unwrap();
        assert_eq!((said("Ssl_version"), version.as_str()), ("TLSv1.3".into(), "TLSv1.3"));
        assert_eq!(cipher.replace("TLS13_", "TLS_"), said("Ssl_cipher"));
        assert_eq!(session.carriage().plugin, "mysql_native_password");
        session.quit();
    }
    let mut plain = Control::connect(&up.endpoint(None)).unwrap();
    assert_eq!((plain.carriage().tls, plain.carriage().compression_offered), (None, true));
    assert_eq!(plain.rows("SHOW STATUS LIKE 'Ssl_version'").unwrap()[0][1].as_deref(), Some(""));
    plain.quit();
    long_answers(&up.endpoint(Some((Mode::Required, None))));

    let other = up.wear(&["db.example"], |_| ());
    let told = up.refusal(Mode::VerifyIdentity, Some(&other));
    assert!(told.contains("is for db.example and not for 127.0.0.1") && told.contains("tls=verify_ca"), "{told}");
    Control::connect(&up.endpoint(Some((Mode::VerifyCa, Some(&other))))).unwrap().quit();
    let told = up.refusal(Mode::VerifyCa, Some(&ca));
    assert!(told.contains("not signed by the CA in") && told.contains("name the CA that signed it"), "{told}");
    let expired = up.wear(&["127.0.0.1"], |params| params.not_after = date_time_ymd(2020, 1, 1));
    let told = up.refusal(Mode::VerifyCa, Some(&expired));
    assert!(told.contains("has expired") && told.contains("renew it"), "{told}");
    let early = up.wear(&["127.0.0.1"], |params| params.not_before = date_time_ymd(3000, 1, 1));
    let told = up.refusal(Mode::VerifyIdentity, Some(&early));
    assert!(told.contains("not valid yet") && told.contains("clocks"), "{told}");
    Control::connect(&up.endpoint(Some((Mode::Required, None)))).unwrap().quit();
}

/// Over one record, and over one packet, in both directions.
fn long_answers(endpoint: &SqlEndpoint) {
    let mut session = Control::connect(endpoint).unwrap();
    for bytes in [16_000, 17_000, 1 << 20, 17 << 20] {
        let long = "x".repeat(bytes);
        let rows = session.rows(&format!("SELECT t, LENGTH(t) FROM (SELECT '{long}' AS t) AS one")).unwrap();
        assert_eq!(rows, [[Some(long), Some(bytes.to_string())]]);
    }
    session.quit();
}

#[test]
fn a_server_without_tls_is_refused_or_taken_in_the_clear() {
    let up = up(false);
    let told = up.refusal(Mode::Required, None);
    assert!(told.contains("offers no encrypted connections") && told.contains("tls=off"), "{told}");
    let session = Control::connect(&up.endpoint(Some((Mode::Preferred, None)))).unwrap();
    assert_eq!(session.carriage().tls, None);
    session.quit();
}

#[test]
fn a_load_under_tls_is_whole_on_both_ways_to_the_kernel() {
    let mut up = up(true);
    up.root.execute("USE here").unwrap();
    up.root.execute("CREATE TABLE here.sbtest1 (id INT PRIMARY KEY, k INT, c CHAR(120), pad CHAR(60))").unwrap();
    let fill = "INSERT INTO here.sbtest1 SELECT seq, seq, REPEAT('c', 119), 'pad' FROM seq_1_to_10000";
    up.root.execute(fill).unwrap();
    let ca = up.ca();
    for io in [Io::IoUring, Io::Epoll, Io::Blocking] {
        let user_group = UserGroup {
            workload: workload::Workloads::built_in().by_name("noop").unwrap(),
            parameters: Arc::default(),
            seed: Seed(7),
            users: 33,
            arrivals: None,
            pause: None,
            reconnect_every: None,
            errors: Errors::default(),
            deadline: Nanos::from_secs(30),
            access: Access::to(up.endpoint(Some((Mode::VerifyIdentity, Some(&ca))))),
            outlasts: false,
        };
        let phases = vec![Phase::new("count", PhaseKind::Measure, Until::Count(3_000))];
        let load_plan = LoadPlan { user_groups: vec![user_group], io, phases, workers: 1, cpus: Vec::new() };
        let outcome = drive(&load_plan, &AtomicBool::new(false), &mut Nobody).unwrap();
        assert_eq!((outcome.failure, outcome.whole.failed()), (None, 0));
        assert!(outcome.whole.done() >= 3_000 && outcome.rows == outcome.whole.statements_answered());
    }
}

struct Nobody;

impl Witness for Nobody {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, _: usize, _: Nanos, _: Nanos, _: Tally) {}
    fn progress(&mut self, _: f64) {}
}
