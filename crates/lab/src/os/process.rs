//! Servers as processes of ours: a guard (`servers::guard`) stands between the lab and each of them and is spoken to
//! over two pipes. The lab's end of the first pipe is the server's life line: when it closes, for whatever reason, the
//! guard kills. Orders go down as words, news come up as lines.

use super::ask::ended;
use super::waits;
use crate::trouble::Trouble;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The hidden verb under which assay starts itself as a guard.
pub const GUARD_VERB: &str = "__guard";
/// An order to end cleanly (SIGTERM to all; SIGINT to the first process alone), and one to end now (SIGKILL).
pub(crate) const TERMINATE: u8 = b't';
pub(crate) const INTERRUPT: u8 = b'i';
pub(crate) const KILL: u8 = b'k';

/// A guard starts its program at once; on a machine that swaps it takes seconds.
const STARTED: Duration = Duration::from_secs(60);
/// A killed server gives its memory back: seconds for the largest.
const GONE: Duration = Duration::from_secs(60);

/// How to start a guard: a program and its first arguments.
#[derive(Clone, Debug)]
pub struct Guard(Vec<OsString>);

impl Guard {
    /// This very binary, even when its file was replaced meanwhile.
    pub fn this_program() -> Self {
        Self(vec!["/proc/self/exe".into(), GUARD_VERB.into()])
    }
    /// Another program whose main is `servers::guard::main`.
    pub fn program(path: impl Into<OsString>) -> Self {
        Self(vec![path.into()])
    }
}

/// What a guard is to run.
pub struct Order<'a> {
    /// Program and arguments.
    pub command: &'a [String],
    /// CPUs that the program may use; empty leaves it all that we have.
    pub cpus: &'a [u32],
    /// Where its memory comes from, in the words of an experiment; `None` leaves it to the kernel.
    pub memory: Option<&'a str>,
    /// Where standard output and error are appended.
    pub log: &'a Path,
    /// Fed to standard input; nothing when `None`.
    pub input: Option<&'a Path>,
    /// Held locked as long as the guard lives.
    pub owner: &'a Path,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Code(i32),
    Signal(i32),
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit status {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// A program that ends when this value, or the process that holds it, does.
#[derive(Debug)]
pub struct Guarded {
    guard: Child,
    orders: Option<ChildStdin>,
    news: ChildStdout,
    unread: Vec<u8>,
    pid: u32,
    ended: Option<Ended>,
}

impl Guarded {
    pub fn spawn(guard: &Guard, order: &Order) -> Result<Self, Trouble> {
        let mut command = Command::new(&guard.0[0]);
        command.args(&guard.0[1..]).arg("--owner").arg(order.owner).arg("--log").arg(order.log);
        if let Some(input) = order.input {
            command.arg("--input").arg(input);
        }
        if !order.cpus.is_empty() {
            command.arg("--cpus").arg(cpu_list(order.cpus));
        }
        if let Some(memory) = order.memory {
            command.arg("--memory").arg(memory);
        }
        command.arg("--").args(order.command);
        // A group of its own: Ctrl-C at the terminal is for the lab, which then ends the server in good order.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).process_group(0);
        let mut child = command.spawn().map_err(Trouble::at("starting the guard", Path::new(&guard.0[0])))?;
        let (orders, news) = (child.stdin.take(), child.stdout.take().expect("stdout is piped"));
        let mut guarded = Self { guard: child, orders, news, unread: Vec::new(), pid: 0, ended: None };
        let news = waits::during("the guard to start its program", STARTED, || guarded.line(STARTED))?;
        let silent =
            || Trouble::new(format!("the guard did not start {} within {} s", order.command[0], STARTED.as_secs()));
        let news = news.ok_or_else(silent)?;
        match news.strip_prefix("started ") {
            Some(pid) => guarded.pid = pid.parse().expect("a guard speaks our language"),
            None => return Err(Trouble::new(news)),
        }
        Ok(guarded)
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }
    /// How the program ended, if it has or does within `patience`.
    pub fn wait(&mut self, patience: Duration) -> Option<Ended> {
        if self.ended.is_none() {
            self.ended = match self.line(patience) {
                Ok(Some(line)) => Some(parse_ended(&line)),
                // A guard that is gone without a word took the server with it.
                Err(_) => Some(Ended::Signal(9)),
                Ok(None) => None,
            };
        }
        self.ended
    }
    pub fn terminate(&mut self) {
        self.say(TERMINATE);
    }
    pub fn interrupt(&mut self) {
        self.say(INTERRUPT);
    }
    pub fn kill(&mut self) {
        self.say(KILL);
    }
    fn say(&mut self, word: u8) {
        if let Some(orders) = &mut self.orders {
            // A guard that no longer listens has nothing left to guard.
            let _ = orders.write_all(&[word]);
        }
    }

    /// The next line of news; `None` after `patience`, an error when no more can come.
    fn line(&mut self, patience: Duration) -> Result<Option<String>, Trouble> {
        let until = Instant::now() + patience;
        loop {
            if let Some(end) = self.unread.iter().position(|b| *b == b'\n') {
                let line = self.unread.drain(..=end).collect::<Vec<_>>();
                return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_string()));
            }
            let left = until.saturating_duration_since(Instant::now());
            if !readable(&self.news, left)? {
                if left.is_zero() {
                    return Ok(None);
                }
                continue;
            }
            let mut some = [0; 256];
            match self.news.read(&mut some) {
                Ok(0) => return Err(Trouble::new("the guard is gone")),
                Ok(n) => self.unread.extend_from_slice(&some[..n]),
                Err(e) => return Err(Trouble::new("listening to the guard").because(e)),
            }
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.orders = None;
        // A server that even SIGKILL does not end, in a wait on its disk, is left to its guard.
        let _ = waits::during("the guard and its server to end", GONE, || ended(&mut self.guard, GONE));
    }
}

fn readable(news: &ChildStdout, left: Duration) -> Result<bool, Trouble> {
    let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
    match poll(&mut [PollFd::new(news, PollFlags::IN)], Some(&left)) {
        Ok(n) => Ok(n > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(e) => Err(Trouble::new("listening to the guard").because(e)),
    }
}

fn parse_ended(line: &str) -> Ended {
    let mut words = line.split(' ');
    let number = words.nth(2).and_then(|n| n.parse().ok()).expect("a guard speaks our language");
    if line.starts_with("ended signal") { Ended::Signal(number) } else { Ended::Code(number) }
}

/// `0,2,3`.
pub fn cpu_list(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

/// Raises this process's limit of open files to the most allowed; the limit that holds then.
pub fn raise_open_files() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        // Refused or not, the limit that holds afterwards is the answer.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    }
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Reads `0-3,8` as the kernel and taskset write it.
pub fn parse_cpu_list(text: &str) -> Option<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|p| !p.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        cpus.extend(from.trim().parse::<u32>().ok()?..=to.trim().parse::<u32>().ok()?);
    }
    Some(cpus)
}

/// NUMA nodes that have memory; none where the kernel tells of none.
pub fn memory_nodes() -> Vec<u32> {
    let list = std::fs::read_to_string("/sys/devices/system/node/has_memory").unwrap_or_default();
    parse_cpu_list(&list).unwrap_or_default()
}

/// CPUs that a process (or thread) may use.
pub fn cpus_of(pid: u32) -> Result<Vec<u32>, Trouble> {
    let pid = rustix::process::Pid::from_raw(pid as i32).expect("a pid is positive");
    let set = rustix::thread::sched_getaffinity(Some(pid))
        .map_err(|e| Trouble::new(format!("asking for the CPUs of process {}", pid.as_raw_nonzero())).because(e))?;
    Ok((0..rustix::thread::CpuSet::MAX_CPU).filter(|c| set.is_set(*c)).map(|c| c as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_lists_are_read_as_the_kernel_writes_them() {
        assert_eq!(parse_cpu_list("0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(parse_cpu_list(""), Some(vec![]));
        assert_eq!(parse_cpu_list("all"), None);
        assert_eq!(parse_cpu_list(&cpu_list(&[1, 5])), Some(vec![1, 5]));
    }
}
