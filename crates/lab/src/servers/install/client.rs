//! Runs an ordinary client (mvn, npm, apt-get) in our name: under a guard, so that it dies with us; into folders of
//! ours; and with its progress read off the files that it writes, because each tells it in its own way and only to a
//! terminal.

use super::{LOOK_AGAIN, stopped};
use crate::notebook::reporter::Progress;
use crate::os::process::{Ended, Guard, Guarded, Order};
use crate::servers::catalogue::own_builds::size;
use crate::trouble::Trouble;
use model::units::Bytes;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What a client said last, when it failed.
const TAIL_LINES: usize = 8;
/// A client whose files and words do not grow for so long waits for a network that is not there; building says a line
/// more often.
const STALLED: Duration = Duration::from_secs(900);

pub struct Client<'a> {
    pub guard: &'a Guard,
    pub stop: &'a AtomicBool,
    pub progress: &'a mut dyn Progress,
    /// A folder for logs, gone afterwards.
    pub room: &'a Path,
    pub owner: &'a Path,
}

/// What is fetched, and how much of it there will be.
pub struct Download<'a> {
    pub what: &'a str,
    /// Grows while it is fetched.
    pub into: &'a Path,
    pub of: Bytes,
}

impl Client<'_> {
    /// Runs a client that fetches to its end.
    pub fn run(&mut self, command: &[String], download: &Download) -> Result<(), Trouble> {
        self.work(command, download, "fetch", "when the network is back, the same command goes on from here")
    }

    /// The same of one that also builds what it fetches.
    pub fn build(&mut self, command: &[String], download: &Download) -> Result<(), Trouble> {
        self.work(command, download, "build", "when that is mended, the same command goes on from here")
    }

    fn work(&mut self, command: &[String], download: &Download, verb: &str, mend: &str) -> Result<(), Trouble> {
        let log = self.room.join("client.log");
        let order = Order { command, cpus: &[], memory: None, log: &log, input: None, owner: self.owner };
        let already = size(download.into).0;
        let begun = Instant::now();
        let mut moved = (Instant::now(), 0);
        let mut process = Guarded::spawn(self.guard, &order)?;
        let ended = loop {
            if let Some(ended) = process.wait(LOOK_AGAIN) {
                break ended;
            }
            if self.stop.load(Relaxed) {
                process.kill();
                return Err(stopped());
            }
            let grown = size(download.into).0 + fs::metadata(&log).map_or(0, |log| log.len());
            if grown != moved.1 {
                moved = (Instant::now(), grown);
            } else if moved.0.elapsed() > STALLED {
                process.kill();
                let (program, what, minutes) = (called(command), download.what, STALLED.as_secs() / 60);
                let why =
                    format!("{program} did not {verb} {what}: for {minutes} min no byte came and it said nothing");
                return Err(Trouble::new(why).mend(mend));
            }
            let done = size(download.into).0.saturating_sub(already).min(download.of.0);
            let left = begun.elapsed().as_secs_f64() * (download.of.0 - done) as f64 / (done.max(1)) as f64;
            self.progress.at(done, download.of.0, download.what, Duration::from_secs_f64(left.min(86_400.0)));
        };
        let said = fs::read_to_string(&log).unwrap_or_default();
        let _ = fs::remove_file(&log);
        match ended {
            Ended::Code(0) => Ok(()),
            Ended::Code(_) | Ended::Signal(_) => {
                let (program, what, tail) = (called(command), download.what, tail(&said));
                let why = format!("{program} did not {verb} {what} ({ended}); the last that it said:\n{tail}");
                Err(Trouble::new(why).mend(mend))
            }
        }
    }
}

fn tail(said: &str) -> String {
    let lines: Vec<_> = said.lines().filter(|l| !l.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

/// The program of a command line, behind what `env` sets for it.
fn called(command: &[String]) -> &str {
    match command.split_first() {
        Some((env, rest)) if env == "env" => {
            let words = if rest.first().is_some_and(|w| w == "-C") { &rest[2..] } else { rest };
            words.iter().find(|w| !w.contains('=')).unwrap_or(env)
        }
        _ => &command[0],
    }
}

/// The answer of a program that reads only what is here.
pub fn ask(command: &[String]) -> Result<String, Trouble> {
    let mut program = Command::new(&command[0]);
    program.args(&command[1..]).env("LC_ALL", "C").stdin(Stdio::null());
    let output =
        crate::os::ask::output(&mut program, &format!("an answer of {}", called(command)), crate::os::ask::ANSWER);
    let output = output.map_err(Trouble::at("starting", Path::new(&command[0])))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Trouble::new(format!("{} failed ({}): {}", called(command), output.status, said.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// That a program is on the PATH, and else which package brings it.
pub fn need(program: &str, package: &str) -> Result<(), Trouble> {
    if on_path(program).is_some() {
        return Ok(());
    }
    Err(Trouble::new(format!("{program} is not installed, and it is what fetches or unpacks this build"))
        .mend(format!("apt-get install {package}")))
}

pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // A user's PATH often lacks the administrator's folders.
    let more = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    std::env::split_paths(&path).chain(more).map(|f| f.join(program)).find(|p| p.is_file())
}

/// A command line out of words and paths.
pub fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    words.into_iter().map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_program_and_not_who_set_its_environment() {
        for line in ["go build x", "env GOFLAGS=-a GOWORK=off go build x", "env -C /place go build x"] {
            assert_eq!(called(&words(line.split(' '))), "go", "{line}");
        }
    }
}
