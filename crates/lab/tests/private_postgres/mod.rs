//! A PostgreSQL of the distribution as a private server for tests: in a folder of its own, with its socket there, gone
//! with the thread that started it. It will not run as root, so root starts it as the account that its package made.

#![allow(dead_code)] // each test uses a part of this

use crate::skipped;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::chown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far beyond what a start takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Somebody else may take a free port before the server does.
const TRIES: u32 = 20;

/// Accounts beside `sbtest`, whom it trusts on its socket: each is let in by the way of its name.
const ACCESS: &str = "local all clear password\nlocal all md5user md5\nlocal all scramuser scram-sha-256\n\
                      local all all trust\nhost all rejected 127.0.0.1/32 reject\n\
                      host all kerberos 127.0.0.1/32 gss\nhostssl all all 127.0.0.1/32 scram-sha-256\n\
                      hostnossl all all 127.0.0.1/32 scram-sha-256\n";

pub struct Postgres {
    folder: TempDir,
    pub port: u16,
    server: Child,
}

impl Postgres {
    /// `None`, with the reason told, where it is not installed.
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            skipped::test("PostgreSQL", "apt-get install postgresql");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        if let Some((user, group)) = account() {
            chown(folder.path(), Some(user), Some(group)).expect("root may give a folder away");
        }
        let data = folder.path().join("data");
        let made = as_account(&programs.join("initdb"))
            .args(["-U", "sbtest", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C", "-D"])
            .arg(&data)
            .output()
            .expect("initdb starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::write(data.join("pg_hba.conf"), ACCESS).expect("a file of the server");
        for _ in 0..TRIES {
            if let Some((server, port)) = started(&programs, folder.path(), &data) {
                return Some(Self { folder, port, server });
            }
        }
        panic!("{}", fs::read_to_string(folder.path().join("log")).unwrap_or_default());
    }

    /// The folder that its socket lies in.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(format!(".s.PGSQL.{}", self.port))
    }

    /// Offers TLS from here on, with a certificate for this host by a CA of its own, whose file is named.
    pub fn offer_tls(&self) -> PathBuf {
        let made = self.folder().join("certificates");
        lab::servers::process::certificates::make(&made).expect("certificates");
        for (name, own) in [("server.pem", "server.crt"), ("server-key.pem", "server.key")] {
            let path = self.folder().join("data").join(own);
            fs::copy(made.join(name), &path).expect("a file of the server");
            if let Some((user, group)) = account() {
                chown(&path, Some(user), Some(group)).expect("root may give a file away");
            }
        }
        fs::write(self.folder().join("data/postgresql.auto.conf"), "ssl = on\n").expect("a file of the server");
        let pid = rustix::process::Pid::from_child(&self.server);
        rustix::process::kill_process(pid, rustix::process::Signal::HUP).expect("it runs");
        made.join("ca.pem")
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.server);
        // Fast, whoever is still connected.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
        let _ = self.server.wait();
    }
}

#[expect(clippy::zombie_processes, reason = "who asks for the server waits for it when it is dropped")]
/// Starts the server on a free port and waits until it answers; `None` when it ended instead.
fn started(programs: &Path, folder: &Path, data: &Path) -> Option<(Child, u16)> {
    let free = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = free.local_addr().expect("its number").port();
    drop(free);
    let log = fs::File::options().create(true).append(true).open(folder.join("log")).expect("a file for its log");
    let mut command = as_account(&programs.join("postgres"));
    command.arg("-D").arg(data).arg("-k").arg(folder).args(["-p", &port.to_string(), "-h", "127.0.0.1"]);
    for setting in
        ["fsync=off", "shared_buffers=16MB", "max_connections=40", "log_statement=all", "log_line_prefix=%p "]
    {
        command.args(["-c", setting]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    let mut server = command.spawn().expect("postgres starts");
    let socket = folder.join(format!(".s.PGSQL.{port}"));
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if server.try_wait().expect("a child of ours").is_some() {
            return None;
        }
        let text = fs::read_to_string(folder.join("log")).unwrap_or_default();
        // Its socket is there before it lets anybody in.
        let ready = text.contains("ready to accept connections");
        match UnixStream::connect(&socket) {
            Ok(_) if ready => return Some((server, port)),
            Ok(_) => {}
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {}
            Err(e) => panic!("{}: {e}", socket.display()),
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    panic!("PostgreSQL does not begin to answer: {}", fs::read_to_string(folder.join("log")).unwrap_or_default());
}

/// Where the newest of the installed versions has its programs.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> =
        versions.filter_map(Result::ok).map(|v| v.path().join("bin")).filter(|p| p.join("initdb").exists()).collect();
    found.sort();
    found.pop()
}

/// User and group of the package's account, where we are root and must become it.
fn account() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let accounts = fs::read_to_string("/etc/passwd").expect("the accounts of this machine");
    let line = accounts.lines().find(|line| line.starts_with("postgres:")).expect("the package's account");
    let mut numbers = line.split(':').skip(2).map(|number| number.parse().expect("a number"));
    Some((numbers.next()?, numbers.next()?))
}

/// A program as that account, which ends when the thread that started it does.
fn as_account(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if let Some((user, group)) = account() {
        command.args([format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".into()]);
    }
    command.args(["--pdeathsig", "INT"]).arg(program);
    command
}
