//! A server that assay did not start: reached over its socket and over TCP with a password from the environment, never
//! started, stopped or set. Of its data assay touches only what it made itself, and the password is written nowhere.

use crate::desk::{Desk, Said};
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use lab::servers::catalogue::DISTRIBUTION;
use serde_json::Value;
use std::fs;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

pub const SECRET: &str = "0pen-sesame";

/// A private server under somebody else's name, with an account that has a password and a schema that is precious.
pub fn theirs(desk: &Desk) -> (PathBuf, Control) {
    theirs_of(desk, DISTRIBUTION, &[])
}

/// The same of another build, and with settings of its own.
pub fn theirs_of(desk: &Desk, build: &str, set: &[&str]) -> (PathBuf, Control) {
    let start = ["servers", "start", build, "--detach", "--set", "settings.redo='16 MiB'"];
    let said = desk.assay(&[&start[..], set].concat());
    let line = said.out.lines().find_map(|l| l.split_once(" serves at ")).unwrap_or_else(|| panic!("{said:?}"));
    let socket = PathBuf::from(line.1.trim());
    let mut control = Control::connect(&SqlEndpoint::root(socket.clone())).unwrap();
    for sql in [
        &format!("CREATE USER tester@localhost IDENTIFIED BY '{SECRET}'"),
        "GRANT ALL ON *.* TO tester@localhost",
        "CREATE DATABASE theirs",
        "CREATE TABLE theirs.precious (a INT)",
        "INSERT INTO theirs.precious VALUES (42)",
    ] {
        control.execute(sql).unwrap();
    }
    (socket, control)
}

/// Ends that server, however the test goes.
pub struct Ends<'a>(pub &'a Desk);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        drop(EndsOf(self.0, DISTRIBUTION));
    }
}

/// The same of another build.
pub struct EndsOf<'a>(pub &'a Desk, pub &'a str);

impl Drop for EndsOf<'_> {
    fn drop(&mut self) {
        self.0.assay(&["servers", "stop", self.1]);
    }
}

/// An endpoint over TCP to the same server: what comes in goes to its socket.
pub fn over_tcp(socket: &Path) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, socket) = (listener.local_addr().unwrap().port(), socket.to_path_buf());
    std::thread::spawn(move || {
        while let Ok((tcp, _)) = listener.accept() {
            let unix = UnixStream::connect(&socket).unwrap();
            let (from, to): (TcpStream, UnixStream) = (tcp.try_clone().unwrap(), unix.try_clone().unwrap());
            std::thread::spawn(move || {
                let _ = io::copy(&mut &from, &mut &to);
                let _ = to.shutdown(Shutdown::Both);
            });
            std::thread::spawn(move || {
                let _ = io::copy(&mut &unix, &mut &tcp);
                let _ = tcp.shutdown(Shutdown::Both);
            });
        }
    });
    port
}

pub fn bench(desk: &Desk, workload: &str, dsn: &str, out: &str) -> Said {
    let mut command = desk.command(&["bench", workload, "--on", dsn, "--for", "300ms", "--users", "1,2", "--out", out]);
    command.args(["--set", "workload.oltp.rows=1000", "--set", "workload.oltp.tables=1"]).env("ASSAY_PASSWORD", SECRET);
    Said::of(command.output().unwrap())
}

/// What happened in a record, by kind.
fn count(desk: &Desk, record: &str, kind: &str) -> usize {
    desk.read(&format!("{record}/notes.jsonl")).matches(&format!("\"kind\":\"{kind}\"")).count()
}

fn run(desk: &Desk, record: &str, id: &str) -> serde_json::Value {
    serde_json::from_str(&desk.read(&format!("{record}/runs/{id}/run.json"))).unwrap()
}

#[test]
fn a_server_of_somebody_else_is_used_and_left_as_it_was() {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, mut control) = theirs(&desk);
    let unix = format!("mysql://tester@localhost/?socket={}", socket.display());

    // Each run that writes has its data loaded anew, and the plan says so.
    let said = bench(&desk, "oltp.read_write", &unix, "written");
    said.assert_carried_out();
    assert!(said.err.contains("load their data anew"), "{}", said.err);
    assert_eq!((count(&desk, "written", "dataset_loading"), count(&desk, "written", "instance_stopped")), (2, 0));
    assert_eq!(run(&desk, "written", "c002-1")["start"]["prepared"], "loaded");

    // What a writer left is no dataset; what was loaded for readers is found by the next, over whichever endpoint.
    bench(&desk, "oltp.point_selects", &unix, "read").assert_carried_out();
    assert_eq!(count(&desk, "read", "dataset_loading"), 1);
    let tcp = format!("mysql://tester@127.0.0.1:{}", over_tcp(&socket));
    bench(&desk, "oltp.point_selects", &tcp, "again").assert_carried_out();
    assert_eq!(count(&desk, "again", "dataset_loading"), 0);
    let again = run(&desk, "again", "c001-1");
    assert_eq!((&again["start"]["prepared"], &again["dataset"].is_string()), (&"found".into(), &true));
    // Behind TCP may be another machine: its process is not known, and nothing says that it is.
    let counters = again["whole"]["counters"].as_object().unwrap();
    assert!(
        counters.contains_key("status.Questions") && !counters.keys().any(|k| k.starts_with("server.")),
        "{counters:?}"
    );
    let report: serde_json::Value = serde_json::from_str(&desk.read("again/report.json")).unwrap();
    assert!(report["cells"][0]["metrics"].get("server_cpu_us_per_statement").is_none());

    // A schema that assay did not make is neither filled nor dropped.
    let named = unix.replace("localhost/", "localhost/theirs");
    let refused = bench(&desk, "oltp.point_selects", &named, "refused");
    assert!(refused.status == 3 && refused.err.contains("the schema theirs is not assay's to fill"), "{refused:?}");
    assert_eq!(control.value("SELECT a FROM theirs.precious").unwrap().as_deref(), Some("42"));

    for record in ["written", "read", "again", "refused"] {
        assert_no_secret(&desk.path(record));
    }
    assert!(![said.out, said.err, refused.out, refused.err].iter().any(|text| text.contains(SECRET)));
    control.execute("SELECT 1").expect("the server was not stopped");
    control.quit();
}

/// What a check said of each cell of a record: verdict and sentence.
fn said_of(desk: &Desk, record: &str, check: &str) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(&desk.read(&format!("{record}/report.json"))).unwrap();
    let verdicts = report["cells"].as_array().unwrap().iter().flat_map(|cell| cell["verdicts"].as_array().unwrap());
    let text = |verdict: &Value, key: &str| verdict[key].as_str().unwrap().to_string();
    verdicts.filter(|v| v["check"] == check).map(|v| (text(v, "verdict"), text(v, "sentence"))).collect()
}

fn place(desk: &Desk, record: &str) -> Value {
    let folder = desk.path(record).join("instances");
    let file = fs::read_dir(folder).unwrap().next().expect("an instance").unwrap().path();
    let instance: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    instance["place"].clone()
}

#[test]
fn a_server_of_this_host_shares_its_cpus_and_data_that_an_earlier_record_loaded_are_the_same_work() {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, control) = theirs(&desk);
    control.quit();
    let unix = format!("mysql://tester@localhost/?socket={}", socket.display());
    let tcp = format!("mysql://tester@127.0.0.1:{}", over_tcp(&socket));

    // The load is judged as beside a server of ours: on CPUs that both use, waiting for one strikes no number.
    for (record, dsn) in [("one", &unix), ("two", &unix), ("three", &tcp)] {
        bench(&desk, "oltp.point_selects", dsn, record).assert_carried_out();
        assert_eq!(place(&desk, record), "this_host");
        let told = said_of(&desk, record, "client_had_headroom");
        assert_eq!(told.len(), 2);
        assert!(told.iter().all(|(_, sentence)| sentence.contains("lient and server share")), "{record}: {told:#?}");
    }
    // Over TCP the kernel does not say whose process answers, which a rate near the canary's says in another sentence.
    let unknown = said_of(&desk, "three", "client_had_headroom");
    assert!(unknown.iter().all(|(_, s)| s.contains("the server's") && s.contains("was not measured")), "{unknown:#?}");

    // The first record loaded what the second found, and compared with the generator: the same data.
    let prepared = |record: &str, id: &str| run(&desk, record, id)["start"]["prepared"].clone();
    assert_eq!((prepared("one", "c001-1"), prepared("two", "c001-1")), ("loaded".into(), "found".into()));
    let compared = desk.assay(&["compare", "one", "two"]);
    assert!(compared.out.contains("oltp.point_selects (users 1)"), "{compared:?}");
    assert!(!compared.out.contains("other work") && !compared.out.contains("data:"), "{compared:?}");

    // Whoever writes has its data loaded anew, the first run too, which could have used what lies there.
    bench(&desk, "oltp.read_write", &unix, "written").assert_carried_out();
    assert_eq!([prepared("written", "c001-1"), prepared("written", "c002-1")], ["loaded", "loaded"]);
    let alike = said_of(&desk, "written", "starting_states_agree");
    assert!(alike.iter().all(|(verdict, _)| verdict != "fail"), "{alike:#?}");
}

fn assert_no_secret(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            assert_no_secret(&entry);
        } else {
            let bytes = fs::read(&entry).unwrap();
            assert!(!bytes.windows(SECRET.len()).any(|w| w == SECRET.as_bytes()), "{}", entry.display());
        }
    }
}
