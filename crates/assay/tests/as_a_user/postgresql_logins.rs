//! Who comes to a PostgreSQL of somebody else by its DSN: over TLS that is verified, by SCRAM-SHA-256; and everybody
//! who cannot come, each of whom is told in one sentence why not and what helps.

use crate::desk::{Desk, Said, until};
use crate::private_postgres::Postgres;
use lab::backends::endpoint::{Address, SqlEndpoint};
use lab::backends::postgres::session::control::Control;
use lab::servers::process::certificates;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

const SECRET: &str = "assay-test";

fn bench(desk: &Desk, dsn: &str, password: &str) -> Said {
    let few = ["bench", "oltp.point_selects", "--on", dsn, "--users", "2", "--for", "300ms", "--set", "rows=500"];
    let mut command = desk.command(&[&few[..], &["--out", "record"]].concat());
    Said::of(command.env("ASSAY_PASSWORD", password).output().expect("assay starts"))
}

/// Refused before anything is measured, in words that say this.
fn assert_refused(desk: &Desk, dsn: &str, password: &str, told: &[&str]) {
    let said = bench(desk, dsn, password);
    assert_ne!(said.status, 0, "{said:?}");
    assert!(told.iter().all(|told| said.err.contains(told)), "{told:?}: {said:?}");
    assert!(!said.err.contains(SECRET), "{said:?}");
    let _ = fs::remove_dir_all(desk.path("record"));
}

#[test]
fn a_verified_server_is_measured_over_tls_and_every_refusal_says_what_helps() {
    let Some(postgres) = Postgres::start() else { return };
    let desk = Desk::new();
    let endpoint = SqlEndpoint {
        address: Address::Unix(postgres.socket()),
        user: "sbtest".into(),
        password: String::new(),
        schema: Some("postgres".into()),
        tls: None,
    };
    let mut control = Control::connect(&endpoint, Duration::from_secs(60)).expect("it lets us in");
    control.execute("SET password_encryption = 'scram-sha-256'").expect("a server of ours");
    for role in ["filler CREATEDB", "kerberos", "rejected"] {
        control.execute(&format!("CREATE ROLE {role} LOGIN PASSWORD '{SECRET}'")).expect("a server of ours");
    }
    let dsn = |user: &str, rest: &str| format!("postgres://{user}@127.0.0.1:{}/{rest}", postgres.port);
    assert_refused(
        &desk,
        &dsn("filler", "?sslmode=require"),
        SECRET,
        &["offers no encrypted connections", "turn ssl on"],
    );
    let ca = postgres.offer_tls();
    until("the server to offer TLS", || {
        let on = control.value("SHOW ssl").expect("an answer");
        (on.as_deref() == Some("on")).then_some(())
    });

    let verified = format!("?sslmode=verify-full&sslrootcert={}", ca.display());
    let said = bench(&desk, &dsn("filler", &verified), SECRET);
    let run = desk.run("c001-1");
    assert_eq!(run["ending"], "done", "{said:?}");
    let session = &run["session"];
    assert_eq!(
        (&session["authentication"], &session["transport"]),
        (&"scram-sha-256".into(), &"tcp tls".into()),
        "{session}"
    );
    assert_eq!((&session["tls"]["version"], &session["tls"]["server_version"]), (&"TLSv1.3".into(), &"TLSv1.3".into()));
    fs::remove_dir_all(desk.path("record")).expect("a record");

    let stranger = desk.path("stranger");
    certificates::make(&stranger).expect("certificates");
    let another = format!("?tls=verify_identity&ca={}", certificates::ca(&stranger).display());
    let told = ["is not signed by the CA in", "name the CA that signed it"];
    assert_refused(&desk, &dsn("filler", &another), SECRET, &told);
    assert_refused(&desk, &dsn("filler", ""), "wrong", &["28P01", "password authentication failed"]);
    assert_refused(&desk, &dsn("nobody", ""), SECRET, &["28P01"]);
    assert_refused(&desk, &dsn("rejected", ""), SECRET, &["28000", "pg_hba.conf rejects"]);
    let told = [
        "the account authenticates by GSSAPI; assay speaks trust, password, md5, SCRAM-SHA-256",
        "let pg_hba.conf ask",
    ];
    assert_refused(&desk, &dsn("kerberos", ""), SECRET, &told);
}

/// A peer that lets everybody in and says that it is of 2016: no registry has such a server any more.
#[test]
fn a_server_before_version_10_is_named_and_not_asked() {
    const LET_IN: &[u8] = b"R\0\0\0\x08\0\0\0\0S\0\0\0\x1aserver_version\x009.6.24\0Z\0\0\0\x05I";
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let peer = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut some = [0; 512];
        let _ = stream.read(&mut some).expect("it says who it is");
        stream.write_all(LET_IN).expect("it listens");
        // Whatever it asks is answered by the end.
        while stream.read(&mut some).is_ok_and(|n| n > 0 && some[0] != b'Q') {}
    });
    let desk = Desk::without_server();
    let told = ["is PostgreSQL 9.6.24, and assay asks what those before 10.0.0 do not say", "name a newer server"];
    assert_refused(&desk, &format!("postgres://me@127.0.0.1:{port}"), "", &told);
    peer.join().expect("it was asked");
}

const WAYS: &str = r#"question = "What does the way to a private PostgreSQL cost?"

[axes]
transport = ["unix", "tcp", "tls"]

[server]
build    = "postgresql"
settings = { buffer_pool = "64 MiB", redo = "64 MiB" }

[workload.oltp.read_write]
tables = 1
rows   = 500

[load]
users = 2

[[phases]]
name  = "measure"
kind  = "measure"
count = 100

[repeat]
repetitions = 1
explain     = true
aa          = false
"#;

#[test]
fn users_come_to_a_private_server_by_its_socket_its_port_and_tls_and_it_ends_when_it_is_interrupted() {
    if !crate::postgresql::is_here() {
        return;
    }
    let desk = Desk::new();
    desk.write("ways.toml", WAYS);
    let said = desk.assay(&["run", "ways.toml", "--out", "record"]);
    said.assert_carried_out();
    for (cell, transport, authentication) in [
        ("c001-1", "unix plain", "trust"),
        ("c002-1", "tcp plain", "scram-sha-256"),
        ("c003-1", "tcp tls", "scram-sha-256"),
    ] {
        let session = desk.run(cell)["session"].clone();
        assert_eq!((&session["transport"], &session["authentication"]), (&transport.into(), &authentication.into()));
    }
    let report = desk.read("record/report.md");
    for told in
        ["## Waits", "none, on a CPU", ", carried out once", "Index Scan using sbtest1_pkey", "Buffers: shared hit"]
    {
        assert!(report.contains(told), "{told}: {said:?}");
    }
    let stopped: Vec<_> = desk.notes().into_iter().filter(|note| note["kind"] == "instance_stopped").collect();
    assert!(
        !stopped.is_empty() && stopped.iter().all(|note| note.to_string().contains("exit status 0")),
        "{stopped:?}"
    );
    desk.assert_nothing_is_left();
}
