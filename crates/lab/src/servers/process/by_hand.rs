//! Servers that a person started by hand: one file per build below $ASSAY_HOME/running says where its socket is and
//! which process holds it. The holder keeps the file locked, so a file that can be locked is of a holder that is gone,
//! and a number of a process is never trusted alone.

use super::folders::{Folders, private_folder};
use crate::os::ask;
use crate::servers::Build;
use crate::trouble::Trouble;
use model::plan::served::POSTGRESQL;
use rustix::fs::FlockOperation;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// What opens a session, the build's own first.
const CLIENTS: &[&str] = &["mariadb", "mysql"];

/// A server that is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    pub holder: u32,
    pub socket: PathBuf,
}

/// Held as long as the server is up; the file goes with it.
#[derive(Debug)]
pub struct Held {
    path: PathBuf,
    _locked: File,
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn place(folders: &Folders, build: &str) -> PathBuf {
    folders.home.join("running").join(build)
}

/// Where the holder of a detached server writes what it has to say.
pub fn log(folders: &Folders, build: &str) -> PathBuf {
    folders.home.join("running").join(format!("{build}.log"))
}

/// Takes the name of a build for a server of this process.
pub fn hold(folders: &Folders, build: &str) -> Result<Held, Trouble> {
    private_folder(&folders.home.join("running"))?;
    let path = place(folders, build);
    let file = File::options().create(true).append(true).open(&path).map_err(Trouble::at("making", &path))?;
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Err(Trouble::new(format!("a server of {build} is up already"))
            .mend(format!("assay servers shell {build} opens it, assay servers stop {build} ends it")));
    }
    file.set_len(0).map_err(Trouble::at("writing", &path))?;
    Ok(Held { path, _locked: file })
}

impl Held {
    /// Says that the server can be reached.
    pub fn ready(&self, socket: &Path) -> Result<(), Trouble> {
        let mut file = &self._locked;
        let line = format!("{} {}\n", std::process::id(), socket.display());
        file.write_all(line.as_bytes()).map_err(Trouble::at("writing", &self.path))
    }
}

/// The server of that build that is up and can be reached.
pub fn running(folders: &Folders, build: &str) -> Option<Running> {
    let path = place(folders, build);
    let file = File::open(&path).ok()?;
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared).is_ok() {
        return None;
    }
    let text = fs::read_to_string(&path).ok()?;
    let (holder, socket) = text.trim_end().split_once(' ')?;
    Some(Running { holder: holder.parse().ok()?, socket: socket.into() })
}

/// Asks the holder to end its server and waits until it has.
pub fn stop(folders: &Folders, build: &str, patience: Duration) -> Result<(), Trouble> {
    let Some(found) = running(folders, build) else {
        return Err(
            Trouble::new(format!("no server of {build} is up")).mend(format!("assay servers start {build} starts one"))
        );
    };
    let pid = Pid::from_raw(found.holder as i32).expect("a pid is positive");
    kill_process(pid, Signal::TERM)
        .map_err(|e| Trouble::new(format!("asking process {} to stop", found.holder)).because(e))?;
    let begun = Instant::now();
    while running(folders, build).is_some() {
        if begun.elapsed() > patience {
            return Err(Trouble::new(format!("process {} did not stop within {} s", found.holder, patience.as_secs()))
                .mend(format!("kill -9 {} ends it and its server", found.holder)));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// The command line of a client for a socket: the build's own client if it starts, else the host's.
pub fn client(build: &Build, socket: &Path) -> Result<Vec<String>, Trouble> {
    if build.installed.kind == POSTGRESQL {
        // Debian's client lies beside its server; archives of servers have none.
        let own = Path::new(&build.installed.binary).with_file_name("psql");
        let program = if own.is_file() { own } else { "psql".into() };
        let room = socket.parent().expect("a socket lies in a folder").display();
        return Ok(vec![
            program.display().to_string(),
            format!("--host={room}"),
            "--username=root".into(),
            "postgres".into(),
        ]);
    }
    let own = CLIENTS.iter().map(|c| {
        let program = Path::new(&build.installed.basedir).join("bin").join(c).to_string_lossy().into_owned();
        build.launcher.iter().cloned().chain([program]).collect::<Vec<_>>()
    });
    let hosts = CLIENTS.iter().map(|c| vec![c.to_string()]);
    let mut client = own.chain(hosts).find(|c| starts(c)).ok_or_else(|| {
        Trouble::new(format!("{} brings no client, and the host has none", build.installed.name))
            .mend("apt-get install mariadb-client-core")
    })?;
    let speaks_mariadb = client.last().is_some_and(|c| c.ends_with("mariadb"));
    client.extend(["--no-defaults".into(), "--user=root".into(), format!("--socket={}", socket.display())]);
    // From 11.4 on it insists on TLS, which a private server does not speak.
    client.extend(speaks_mariadb.then(|| "--skip-ssl".into()));
    Ok(client)
}

fn starts(command: &[String]) -> bool {
    let mut command_ = Command::new(&command[0]);
    command_.args(&command[1..]).args(["--no-defaults", "--version"]);
    let what = format!("{} to say its version", command[0]);
    ask::output(command_.stdin(Stdio::null()), &what, ask::ANSWER).is_ok_and(|said| said.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_what_a_dead_one_left_is_no_server() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders { home: home.path().into(), runtime: home.path().into() };
        assert_eq!(running(&folders, "b"), None);
        let held = hold(&folders, "b").unwrap();
        assert_eq!(running(&folders, "b"), None, "not before it can be reached");
        assert!(hold(&folders, "b").unwrap_err().to_string().contains("is up already"));
        held.ready(Path::new("/run/s")).unwrap();
        assert_eq!(running(&folders, "b"), Some(Running { holder: std::process::id(), socket: "/run/s".into() }));
        drop(held);
        fs::write(place(&folders, "b"), "1 /run/s\n").unwrap();
        assert_eq!(running(&folders, "b"), None, "nobody holds it");
        assert!(stop(&folders, "b", Duration::ZERO).unwrap_err().to_string().contains("no server of b is up"));
    }
}
