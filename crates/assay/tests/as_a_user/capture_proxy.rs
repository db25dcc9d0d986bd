//! One stretch of real traffic, captured on three ways at once: through the proxy, out of packets between clients and
//! proxy, and from the server's slow log. The three traces say the same. Then TLS on both sides, and what a proxy
//! refuses.

use crate::desk::{Desk, Said, until};
use crate::skipped;
use crate::somebody_elses_server::{Ends, EndsOf, SECRET, bench, over_tcp, theirs, theirs_of};
use lab::servers::catalogue::DISTRIBUTION;
use lab::traces::Trace;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use trace::sql::literal::with_values;
use trace::{Answer, Ask, Item, SessionId, Statement};

/// A program of the test's that ends with it, by SIGINT.
struct Running(Option<Child>);

impl Running {
    fn end(&mut self) -> Option<Said> {
        let child = self.0.take()?;
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it runs");
        Some(Said::of(child.wait_with_output().expect("it ends")))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// A proxy before that server, and its port.
fn proxy(desk: &Desk, to: &str, out: &str, more: &[&str]) -> (Running, u16) {
    listening(desk, desk.command(&[&["capture", "--proxy", "127.0.0.1:0", "--to", to, "--out", out], more].concat()))
}

fn listening(desk: &Desk, mut command: Command) -> (Running, u16) {
    let told = desk.path("listens.told");
    command.stdout(Stdio::piped()).stderr(fs::File::create(&told).unwrap());
    let running = Running(Some(command.spawn().unwrap()));
    let port = until("a proxy that listens", || {
        let text = fs::read_to_string(&told).unwrap_or_default();
        text.lines()
            .find_map(|line| line.split("127.0.0.1:").nth(1)?.split(|c: char| !c.is_numeric()).next()?.parse().ok())
    });
    (running, port)
}

/// MariaDB's own client through that port: what it printed, and how it ended.
fn client(port: u16, sql: &str, more: &[&str]) -> (String, bool) {
    let mut command = Command::new("mariadb");
    command.args(["--no-defaults", "-h", "127.0.0.1", "-P", &port.to_string(), "-u", "tester", "-N", "-B", "--force"]);
    command.args(more).arg("theirs").env("MYSQL_PWD", SECRET).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Not by -e, which ends at the first error.
    child.stdin.take().unwrap().write_all(sql.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.success())
}

fn statements(folder: &Path) -> Vec<Statement> {
    let one = |item| match item {
        Ok(Item::Statement(statement)) => statement,
        other => panic!("{other:?}"),
    };
    Trace::open(folder).unwrap().statements().unwrap().map(one).collect()
}

/// What was asked and answered in each session, whatever they are numbered.
fn conversations(all: &[Statement]) -> Vec<Vec<(&Ask, &Answer)>> {
    let mut sessions: BTreeMap<SessionId, BTreeMap<u64, (&Ask, &Answer)>> = BTreeMap::new();
    for statement in all {
        sessions.entry(statement.session).or_default().insert(statement.order, (&statement.ask, &statement.answer));
    }
    sessions.into_values().map(|session| session.into_values().collect()).collect()
}

/// What each session ran, as a server would log it: values written out.
fn ran(all: &[Statement]) -> BTreeMap<SessionId, Vec<String>> {
    let mut sessions: BTreeMap<SessionId, Vec<(u64, String)>> = BTreeMap::new();
    for statement in all {
        let texts = match &statement.ask {
            Ask::Query(text) => vec![text.to_vec()],
            Ask::Execute(execute) => {
                let text = execute.text.as_ref().expect("it was prepared while the proxy listened");
                execute.rows.iter().map(|row| with_values(text, row)).collect()
            }
            _ => continue,
        };
        let texts = texts.iter().map(|text| (statement.order, String::from_utf8_lossy(text).into_owned()));
        sessions.entry(statement.session).or_default().extend(texts);
    }
    let in_order = |mut texts: Vec<(u64, String)>| {
        texts.sort_by_key(|(order, _)| *order);
        texts.into_iter().map(|(_, text)| text).collect()
    };
    sessions.into_iter().map(|(session, texts)| (session, in_order(texts))).collect()
}

/// The same as a set of sessions, whatever they are numbered.
fn unnumbered(sessions: BTreeMap<SessionId, Vec<String>>) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = sessions.into_values().collect();
    all.sort();
    all
}

const SCRIPT: &str = "CREATE PROCEDURE two() BEGIN SELECT 1; SELECT a FROM precious; END//\n\
    CALL two()//\nSELECT 'it''s' AS b//\nSELECT nothing FROM nowhere//\nSELECT REPEAT('x', 5000000)//\n\
    BEGIN//\nINSERT INTO precious VALUES (43), (44)//\nCOMMIT//\nUPDATE precious SET a = a + 1//";

/// A packet takes 64 KiB of it however small it is, and a test beside this one may keep tcpdump off the CPUs.
const ROOM_KIB: &str = "1048576";

#[test]
fn three_ways_of_capturing_the_same_traffic_give_the_same_statements() {
    if Command::new("tcpdump").arg("--version").output().is_err() {
        return skipped::test("tcpdump", "apt-get install tcpdump");
    }
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, mut control) = theirs(&desk);
    let direct = format!("mysql://tester@localhost/?socket={}", socket.display());
    // What loads its data asks for local files, which do not pass; who finds them there does not.
    bench(&desk, "oltp.point_selects", &direct, "loaded").assert_carried_out();
    let (mut running, port) = proxy(&desk, &direct, "proxied", &[]);
    let pcap = desk.path("traffic.pcap");
    let mut tcpdump = Command::new("tcpdump");
    // Without its own buffering, whose last second it drops at its end.
    tcpdump
        .args(["-i", "lo", "-s", "0", "-U", "--immediate-mode", "-B", ROOM_KIB, "-Z", "root", "-w"])
        .arg(&pcap)
        .args(["tcp", "port"]);
    let tcpdump = tcpdump.arg(port.to_string()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut tcpdump = Running(Some(tcpdump));
    until("packets that are captured", || (fs::metadata(&pcap).ok()?.len() >= 24).then_some(()));
    let log = desk.path("slow.log");
    control.execute(&format!("SET GLOBAL slow_query_log_file = '{}'", log.display())).unwrap();
    control.execute("SET GLOBAL log_output = 'FILE', long_query_time = 0, slow_query_log = 1").unwrap();

    let (printed, _) = client(port, SCRIPT, &["--delimiter=//"]);
    assert!(printed.contains("42") && printed.contains("doesn't exist") && printed.contains("it's"), "{printed}");
    let dsn = format!("mysql://tester@127.0.0.1:{port}");
    bench(&desk, "oltp.point_selects", &dsn, "load").assert_carried_out();

    control.execute("SET GLOBAL slow_query_log = 0").unwrap();
    control.quit();
    let said = running.end().unwrap();
    assert_eq!(said.status, 0, "{said:?}");
    let told_of_late_ones = said.out.contains("came too late for their place");
    let mut size = 0;
    until("packets that are written", || {
        let before = std::mem::replace(&mut size, fs::metadata(&pcap).ok()?.len());
        (before == size).then_some(())
    });
    let said = tcpdump.end().unwrap();
    assert!(said.err.contains("\n0 packets dropped by kernel"), "{said:?}");
    for arguments in [
        &["--packets", "traffic.pcap", "--port", &port.to_string(), "--out", "packets"][..],
        &["--slow-log", "slow.log", "--out", "logged"],
    ] {
        let said = desk.assay(&[&["capture"][..], arguments].concat());
        assert_eq!(said.status, 0, "{said:?}");
    }

    let [proxied, packets, logged] = ["proxied", "packets", "logged"].map(|name| statements(&desk.path(name)));
    // Two that connect at once may be accepted in another order than they knocked.
    let mut others = conversations(&packets);
    for one in conversations(&proxied) {
        let same = |other: &Vec<_>| one.iter().zip(other).take_while(|(a, b)| a == b).count();
        let nearest =
            (0..others.len()).max_by_key(|place| (same(&others[*place]), others[*place] == one)).expect("one is left");
        let (same, other) = (same(&others[nearest]), others.remove(nearest));
        assert_eq!((one.get(same), one.len()), (other.get(same), other.len()), "after {same} that are the same");
    }
    assert!(others.is_empty(), "{others:#?}");
    // The log has the lab's own session too, which did not go through the proxy.
    let logged = unnumbered(ran(&logged));
    for session in unnumbered(ran(&proxied)) {
        assert!(logged.contains(&session), "the log has no session of {:?} …", &session[..session.len().min(20)]);
    }

    let executes = proxied.iter().filter(|statement| matches!(statement.ask, Ask::Execute(_))).count();
    assert!(executes > 100, "{executes} executes of a load of prepared statements");
    let procedure = proxied.iter().find(|s| s.text().is_some_and(|text| text.starts_with(b"CALL"))).unwrap();
    assert_eq!((procedure.answer.result_sets, procedure.answer.rows), (Some(2), Some(2)));
    let failed = proxied.iter().find(|s| s.text().is_some_and(|text| text.starts_with(b"SELECT nothing"))).unwrap();
    assert_eq!((failed.answer.error, &*failed.user, &*failed.database), (Some(1146), "tester", "theirs"));
    let ends: Vec<u64> = proxied.iter().map(|statement| statement.end().0).collect();
    assert!(ends.is_sorted() || told_of_late_ones, "statements lie in the order in which they ended");
    assert!(proxied.iter().all(|statement| !format!("{statement:?}").contains(SECRET)));
}

#[test]
fn clients_beyond_the_file_descriptors_cost_the_others_nothing_and_are_told() {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, control) = theirs(&desk);
    control.quit();
    let to = format!("mysql://localhost/?socket={}", socket.display());
    let capture = desk.command(&["capture", "--proxy", "127.0.0.1:0", "--to", &to, "--out", "trace"]);
    let mut few = Command::new("prlimit");
    few.args(["--nofile=40:40", "--"]).arg(capture.get_program()).args(capture.get_args());
    few.current_dir(capture.get_current_dir().expect("at the desk"));
    few.envs(capture.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
    let (mut running, port) = listening(&desk, few);
    let clients: Vec<TcpStream> = (0..30).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    until("a client that hears the server", || {
        let mut first = &clients[0];
        first.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        first.read(&mut [0; 1]).is_ok_and(|read| read == 1).then_some(())
    });
    drop(clients);
    let (printed, is_well) = client(port, "SELECT a FROM precious", &["--skip-ssl"]);
    assert!(is_well && printed.contains("42"), "those before it left, and it was let in: {printed}");
    let said = running.end().unwrap();
    assert!(said.status == 0 && said.out.contains("Too many open files"), "{said:?}");
}

#[test]
fn a_proxy_ends_tls_on_both_sides_and_refuses_what_a_trace_cannot_hold() {
    let desk = Desk::new();
    let _ends = EndsOf(&desk, DISTRIBUTION);
    let (socket, control) = theirs_of(&desk, DISTRIBUTION, &["--set", "settings.tls=true"]);
    control.quit();
    let to = format!("mysql://root@127.0.0.1:{}/?tls=required", over_tcp(&socket));
    let (mut running, port) = proxy(&desk, &to, "trace", &["--tls"]);
    let (printed, is_well) = client(port, "SHOW STATUS LIKE 'Ssl_cipher'; SELECT a FROM precious", &["--ssl"]);
    assert!(is_well && printed.contains("42") && printed.contains("TLS_"), "{printed}");
    desk.write("local.txt", "45\n");
    let load = format!("LOAD DATA LOCAL INFILE '{}' INTO TABLE precious;\nSELECT 7", desk.path("local.txt").display());
    let (printed, _) = client(port, &load, &["--ssl", "--local-infile=1"]);
    assert!(printed.contains("does not pass LOAD DATA LOCAL INFILE") && printed.starts_with("7\n"), "{printed}");
    let said = running.end().unwrap();
    assert!(said.status == 0 && said.out.contains("LOAD DATA LOCAL INFILE"), "{said:?}");
    let texts: Vec<String> = unnumbered(ran(&statements(&desk.path("trace")))).concat();
    // The client sends what stands behind its delimiter, blanks included.
    let has = |sql: &str| texts.iter().any(|text| text.trim() == sql);
    let refused = texts.iter().any(|text| text.contains("LOCAL INFILE"));
    assert!(has("SELECT a FROM precious") && has("SELECT 7") && !refused, "{texts:?}");

    // A server that is not there, and nobody in between.
    let (mut running, port) = proxy(&desk, "mysql://localhost/?socket=/nowhere.sock", "nobody", &[]);
    let (printed, is_well) = client(port, "SELECT 1", &["--skip-ssl"]);
    assert!(!is_well && printed.contains("assay's proxy cannot reach"), "{printed}");
    assert!(running.end().unwrap().out.contains("0 statements of 0 sessions"));
}
