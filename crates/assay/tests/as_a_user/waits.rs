//! Nothing waits without end: what used to hold the lab for a minute, or for ever, ends with a message and its mend.
//! Each test waits for the command itself; a wait that came back would show as a test that does not end.

use crate::desk::{Desk, Said};
use crate::somebody_elses_server::{Ends, SECRET, bench, theirs};
use std::net::TcpListener;
use std::process::Command;

/// A port of loopback whose connections are taken and never answered.
fn silent_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let kept: Vec<_> = listener.incoming().collect();
        drop(kept);
    });
    port
}

#[test]
fn a_port_that_accepts_and_says_nothing_is_told_whatever_the_protocol() {
    let desk = Desk::without_server();
    let port = silent_port();
    let ways = [("mysql", "oltp.point_selects"), ("memcached", "kv.memcached"), ("mongodb", "linkbench.mongodb")];
    let asked = ways.map(|(scheme, workload)| {
        let dsn = format!("{scheme}://127.0.0.1:{port}");
        (scheme, desk.start(&["bench", workload, "--on", &dsn, "--for", "300ms"]))
    });
    for (scheme, child) in asked {
        let said = Said::of(child.wait_with_output().unwrap());
        assert_eq!(said.status, 2, "{scheme}: {said:?}");
        let told = [
            &format!("127.0.0.1:{port} says nothing for 10 s"),
            "name its port",
            "waiting for the server at 127.0.0.1",
        ];
        assert!(told.iter().all(|words| said.err.contains(*words)), "{scheme}: {}", said.err);
    }
}

#[test]
fn a_workload_that_finds_no_table_ends_its_run() {
    let desk = Desk::new();
    let refused = desk.assay(&["bench", "noop", "--users", "8", "--for", "1s"]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(refused.err.contains("take oltp.point_selects"), "{}", refused.err);

    // All eight meet the error before any is ready, and none may wait for the others.
    let _ends = Ends(&desk);
    let (socket, control) = theirs(&desk);
    control.quit();
    let dsn = format!("mysql://tester@localhost/?socket={}", socket.display());
    let mut command = desk.command(&["bench", "noop", "--on", &dsn, "--users", "8", "--for", "1s"]);
    let said = Said::of(command.env("ASSAY_PASSWORD", SECRET).output().unwrap());
    assert_eq!(said.status, 3, "{said:?}");
    assert!(said.err.contains("No database selected"), "{}", said.err);
}

#[test]
fn a_lock_that_somebody_holds_on_our_table_is_told_with_its_holder() {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, mut control) = theirs(&desk);
    let dsn = format!("mysql://tester@localhost/?socket={}", socket.display());
    bench(&desk, "oltp.point_selects", &dsn, "first").assert_carried_out();
    let ours = control.value("SELECT table_schema FROM information_schema.tables WHERE table_name = 'sbtest1'");
    let ours = ours.unwrap().expect("the data were loaded");
    let holder = control.value("SELECT CONNECTION_ID()").unwrap().unwrap();
    control.execute(&format!("LOCK TABLES {ours}.sbtest1 WRITE")).unwrap();

    let said = bench(&desk, "oltp.point_selects", &dsn, "second");
    assert_eq!(said.status, 3, "{said:?}");
    let told = ["Lock wait timeout", &format!("session {holder} of root@localhost"), "give the same command again"];
    assert!(told.iter().all(|words| said.err.contains(words)), "{}", said.err);
    assert!(said.err.contains("waiting for"), "it is said while it lasts: {}", said.err);

    control.execute("UNLOCK TABLES").unwrap();
    bench(&desk, "oltp.point_selects", &dsn, "third").assert_carried_out();
    control.quit();
}

#[test]
fn users_that_a_process_has_no_sockets_for_are_refused_with_the_number() {
    let desk = Desk::without_server();
    let limited = r#"ulimit -n 256 && exec "$0" bench oltp.point_selects --users 400 --for 1s"#;
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_assay")]).env("ASSAY_HOME", desk.path("home"));
    let said = Said::of(command.output().unwrap());
    assert_eq!(said.status, 2, "{said:?}");
    let told = ["need 1424 open files", "may have 256", "ulimit -Hn 1424"];
    assert!(told.iter().all(|words| said.err.contains(words)), "{}", said.err);
}

#[test]
fn a_server_that_takes_fewer_users_is_told_before_anything_starts() {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, mut control) = theirs(&desk);
    control.execute("SET GLOBAL max_connections = 20").unwrap();
    control.quit();
    let dsn = format!("mysql://tester@localhost/?socket={}", socket.display());
    let mut command = desk.command(&["bench", "oltp.point_selects", "--on", &dsn, "--users", "40", "--for", "1s"]);
    let said = Said::of(command.env("ASSAY_PASSWORD", SECRET).output().unwrap());
    assert_eq!(said.status, 2, "{said:?}");
    let told = ["takes 20 sessions at most", "SET GLOBAL max_connections = 48"];
    assert!(told.iter().all(|words| said.err.contains(words)), "{}", said.err);
}

#[test]
fn an_account_a_path_and_an_address_of_a_dsn_are_percent_decoded() {
    let desk = Desk::new();
    let _ends = Ends(&desk);
    let (socket, mut control) = theirs(&desk);
    control.execute(&format!("CREATE USER 'a b'@localhost IDENTIFIED BY '{SECRET}'")).unwrap();
    control.execute("GRANT ALL ON *.* TO 'a b'@localhost").unwrap();
    control.quit();
    let spaced = desk.path("my socket");
    std::os::unix::fs::symlink(&socket, &spaced).unwrap();
    let dsn = format!("mysql://a%20b@localhost/?socket={}", spaced.display().to_string().replace(' ', "%20"));
    bench(&desk, "oltp.point_selects", &dsn, "record").assert_carried_out();
    assert!(desk.read("record/plan.json").contains(&dsn), "it is told as it was said");
}
