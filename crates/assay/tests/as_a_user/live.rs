//! Watching a lab: the page and the gauges of `run --live --metrics` from the first run to the report, another lab's
//! record by `assay live`, and addresses that are refused before anything starts.

use crate::desk::{Desk, RUN, Said, until};
use crate::interruptions::signal;
use rustix::process::Signal;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

/// A command that serves, and the addresses that it printed.
pub struct Serving {
    child: Child,
    addresses: Receiver<String>,
    said: std::thread::JoinHandle<String>,
}

impl Serving {
    pub fn begin(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("assay starts");
        let text = BufReader::new(child.stderr.take().expect("it is piped"));
        let (sender, addresses) = channel();
        let said = std::thread::spawn(move || {
            let mut all = String::new();
            for line in text.lines().map_while(Result::ok) {
                if let Some(address) = line.strip_prefix("watch it at http://") {
                    let _ = sender.send(address.to_string());
                }
                all += &(line + "\n");
            }
            all
        });
        Self { child, addresses, said }
    }

    /// The next address, as `127.0.0.1:8080/word/`.
    pub fn address(&self) -> String {
        self.addresses.recv().expect("it says where it is served")
    }

    pub fn stop(&self) {
        signal(self.child.id(), Signal::INT);
    }

    pub fn end(mut self) -> Said {
        let status = self.child.wait().expect("a child of ours").code().unwrap_or(-1);
        Said { status, out: String::new(), err: self.said.join().expect("it reads to the end") }
    }
}

fn ask(address: &str, head: &str) -> TcpStream {
    let (host, path) = address.split_once('/').expect("an address has a path");
    let mut stream = TcpStream::connect(host).expect("somebody listens");
    write!(stream, "GET /{path} HTTP/1.1\r\n{head}\r\n").expect("it listens");
    stream
}

/// Status line and body.
pub fn fetched(address: &str) -> (String, String) {
    let mut text = String::new();
    ask(address, "").read_to_string(&mut text).expect("it answers in UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    (head.lines().next().unwrap_or_default().to_string(), body.to_string())
}

/// What the page is told, one moment after the other, until all is over.
pub fn moments(address: &str) -> impl Iterator<Item = Value> + use<> {
    let lines = BufReader::new(ask(&format!("{address}events"), "")).lines().map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
}

/// Runs that are long beside the second in which whoever watches looks again.
const LONG: &[&str] = &["--set", "load.measure=\"1500ms\""];

#[test]
fn a_lab_is_watched_from_its_first_run_to_its_report() {
    let desk = Desk::new();
    let serving = Serving::begin(desk.command(&[RUN, LONG, &["--live", "--metrics", "0"]].concat()));
    let (page, metrics) = (serving.address(), serving.address());
    let (host, _) = page.split_once('/').expect("an address has a path");
    for path in ["/", "/events", "/metrics", "/0123456789abcdef0123456789abcdef/", "/../etc/passwd"] {
        assert_eq!(fetched(&format!("{host}{path}")).0, "HTTP/1.1 404 Not Found", "{path}");
    }
    // One who asks for events and never reads them, and one who goes away at once.
    let mut asleep = Some(ask(&format!("{page}events"), ""));
    drop(ask(&format!("{page}events"), ""));
    let (mut is_seen, mut last) = (false, Value::Null);
    for moment in moments(&page) {
        if !is_seen && moment["run"].is_object() {
            let (status, text) = fetched(&metrics);
            assert!(status.ends_with("200 OK"), "{status}");
            let planned = text.lines().find(|line| line.starts_with("assay_lab_runs_planned{"));
            assert!(planned.is_some_and(|line| line.ends_with(" 4")) && text.ends_with("# EOF\n"), "{text}");
            let (status, text) = fetched(&page);
            assert!(status.ends_with("200 OK") && text.contains("<html"), "{status}");
            is_seen = asleep.take().is_some();
        }
        last = moment;
    }
    assert_eq!((is_seen, &last["is_over"], &last["done"]), (true, &true.into(), &4.into()), "{last:#}");
    assert_eq!(last["results"].as_array().map(Vec::len), Some(4), "{last:#}");
    // The lab waits for this: what it shows at the end is the report, byte for byte.
    let (_, text) = fetched(&page);
    serving.end().assert_carried_out();
    assert!(text == desk.read("record/report.html"), "another page than the report");
    desk.assert_nothing_is_left();
}

#[test]
fn a_lab_that_runs_elsewhere_is_watched_by_its_record_alone() {
    let desk = Desk::new();
    let nothing = desk.assay(&["live", "record"]);
    assert!(nothing.status == 2 && nothing.err.contains("name the folder of a record"), "{nothing:#?}");
    let mut lab = desk.start(RUN);
    until("a run", || desk.notes().iter().any(|note| note["kind"] == "run_started").then_some(()));
    let serving = Serving::begin(desk.command(&["live", "record"]));
    let page = serving.address();
    let last = moments(&page).find(|moment| moment["is_over"] == true).expect("it is told that all is over");
    assert_eq!(last["done"], 4, "{last:#}");
    lab.wait().expect("a child of ours");
    let (_, text) = fetched(&page);
    serving.stop();
    assert_eq!(serving.end().status, 0);
    assert!(text == desk.read("record/report.html"), "another page than the report");
}

#[test]
fn an_address_that_cannot_be_served_is_refused_before_anything_starts() {
    let desk = Desk::without_server();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let in_use = format!("--live={}", taken.local_addr().expect("it is bound"));
    let refused = |option: &str, token: &str| {
        let mut command = desk.command(&[RUN, &[option]].concat());
        let said = Said::of(command.env("ASSAY_LIVE_TOKEN", token).output().expect("assay starts"));
        assert_eq!(said.status, 2, "{said:#?}");
        said.err
    };
    assert!(refused(&in_use, "").contains("in use"));
    assert!(refused("--live=0.0.0.0:0", "").contains("set ASSAY_LIVE_TOKEN"));
    assert!(refused("--metrics=0.0.0.0:0", "").contains("set ASSAY_LIVE_TOKEN"));
    assert!(refused("--live=0.0.0.0:0", "short").contains("at least 16 letters"));
    assert!(refused("--live=here", "").contains("it is no address"));
    assert!(!desk.path("record").exists());
}
