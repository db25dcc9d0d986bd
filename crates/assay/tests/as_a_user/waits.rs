//! Nothing waits without end: what used to hold the lab for a minute, or for ever, ends with a message and its mend.
//! Each test waits for the command itself; a wait that came back would show as a test that does not end.

use crate::desk::{Desk, Said};
use crate::skipped;
use crate::somebody_elses_server::{Ends, EndsOf, SECRET, bench, theirs, theirs_of};
use lab::backends::endpoint::SqlEndpoint;
use lab::backends::mysql::control::Control;
use lab::servers::catalogue::{self, DISTRIBUTION};
use lab::servers::process::folders::Folders;
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

const METADATA_LOCKS: &str = "metadata_lock_info.so";
/// MariaDB lists metadata locks only where it is told to, and MySQL 8.0 anyway.
const LISTED: &str = "UPDATE performance_schema.setup_instruments SET enabled = 'YES' \
     WHERE name = 'wait/lock/metadata/sql/mdl'";
const WITH_PERFORMANCE_SCHEMA: [&str; 2] = ["--set", "settings.performance_schema=true"];

/// Somebody locks our table, and then the whole server, while another session has a lock on a table of its own, which
/// keeps nobody waiting: who is to be killed is told, and nobody else.
fn the_holder_alone_is_named(desk: &Desk, build: &str, set: &[&str], prepared: &str) {
    let _ends = EndsOf(desk, build);
    let (socket, mut control) = theirs_of(desk, build, set);
    control.execute(prepared).unwrap();
    let dsn = format!("mysql://tester@localhost/?socket={}", socket.display());
    bench(desk, "oltp.point_selects", &dsn, "first").assert_carried_out();
    let ours = control.value("SELECT table_schema FROM information_schema.tables WHERE table_name = 'sbtest1'");
    let ours = ours.unwrap().expect("the data were loaded");
    let mut other = Control::connect(&SqlEndpoint::root(socket)).unwrap();
    other.execute("BEGIN").unwrap();
    other.rows("SELECT * FROM theirs.precious").unwrap();
    let [holder, other] =
        [&mut control, &mut other].map(|session| session.value("SELECT CONNECTION_ID()").unwrap().unwrap());

    for (record, workload, lock, on) in [
        ("second", "oltp.point_selects", format!("LOCK TABLES {ours}.sbtest1 WRITE"), format!("{ours}.sbtest1")),
        ("third", "oltp.read_write", "FLUSH TABLES WITH READ LOCK".into(), "the whole server".into()),
    ] {
        control.execute(&lock).unwrap();
        // One user, since each run waits anew.
        let asked =
            ["bench", workload, "--on", &dsn, "--for", "300ms", "--out", record, "--set", "workload.oltp.rows=1000"];
        let mut command = desk.command(&[&asked[..], &["--set", "workload.oltp.tables=1"]].concat());
        let said = Said::of(command.env("ASSAY_PASSWORD", SECRET).output().unwrap());
        assert_eq!(said.status, 3, "{said:?}");
        let told = format!("held by session {holder} of root@localhost on {on} (sleep for ");
        assert!(said.err.contains(&told), "{lock}: {}", said.err);
        assert!(!said.err.contains(&format!("session {other} ")), "{lock}: {}", said.err);
        control.execute("UNLOCK TABLES").unwrap();
    }
    control.quit();
}

#[test]
fn mariadbs_plugin_of_metadata_locks_names_who_holds_the_lock_and_nobody_else() {
    if !catalogue::find(DISTRIBUTION).is_ok_and(|build| build.has_plugin(METADATA_LOCKS)) {
        return skipped::test("METADATA_LOCK_INFO in the distribution's server", "scripts/install test");
    }
    the_holder_alone_is_named(&Desk::new(), DISTRIBUTION, &[], "INSTALL SONAME 'metadata_lock_info'");
}

#[test]
fn the_performance_schema_of_mariadb_names_who_holds_the_lock_and_nobody_else() {
    the_holder_alone_is_named(&Desk::new(), DISTRIBUTION, &WITH_PERFORMANCE_SCHEMA, LISTED);
}

#[test]
fn the_performance_schema_of_mysql_names_who_holds_the_lock_and_nobody_else() {
    let Ok(build) = catalogue::find("mysql-8.0") else {
        return skipped::test("a MySQL 8.0", "assay servers install mysql-8.0.12");
    };
    let desk = Desk::new();
    // A desk has a home of its own, which lacks what is installed in the user's.
    let (name, servers) = (format!("mysql-{}", build.installed.version), desk.path("home/servers"));
    std::fs::create_dir(&servers).unwrap();
    let installed = Folders::from_environment().unwrap().home.join("servers").join(&name);
    std::os::unix::fs::symlink(installed, servers.join(&name)).unwrap();
    the_holder_alone_is_named(&desk, &name, &WITH_PERFORMANCE_SCHEMA, "DO 0");
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
