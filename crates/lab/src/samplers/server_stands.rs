//! Where the threads of the server stand while they do not run: waiting for their clients' next request, or for a file
//! system that is frozen. Neither is in a counter of the server's, and both last tenths of seconds, so a thread of its
//! own looks ten times a second at where in the kernel each waits (`wchan`). What it tells is an estimate by samples.
//!
//! While all sessions wait for their clients at once, the server has nothing to do. Whether a thread serves a session
//! is known by what it does: it waits for its client at times, and at others it does not.

use super::source::{Available, Occasion, Owner, Reading, Sampler, Server, Source, Turn};
use crate::os::procfs::children;
use crate::os::ticking::Ticking;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

pub(crate) const SAMPLER: Sampler = Sampler { name: "server_stands", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(ServerStands::new(available.server.clone()?)))
}

/// Ten looks tell an idle second from a busy one.
const LOOK: Duration = Duration::from_millis(100);
/// Looks behind which threads that came meanwhile are looked for.
const LISTED_EVERY: u64 = 5;
/// Looks in which some thread of a server waits.
const AT_LEAST: u64 = 10;
/// One of so many looks is for a thread that never waits for a client.
const SELDOM: u64 = 2;
/// Threads at a look, in turns where there are more; about 2 µs each.
const AT_ONCE: usize = 64;
/// A thread serves a session when it was seen so often at something else than waiting for a client, and that in such a
/// share of its looks. The lab's own sessions ask once a second, and the thread that waits for new clients hardly runs.
const AT_WORK: u64 = 2;
const AT_WORK_OF: u64 = 10;

/// Symbols of the kernel in which a thread waits for its client to send or to take something, by their beginnings.
const AT_CLIENT: &[&str] = &[
    "poll_schedule",
    "do_poll",
    "do_sys_poll",
    "do_select",
    "ep_poll",
    "do_epoll",
    "unix_stream_",
    "sk_wait",
    "wait_woken",
    "tcp_recv",
    "__skb_wait",
    "sock_alloc_send",
    "sk_stream_wait",
];
/// Those in which it waits for a file system to be thawed before it may change it.
const AT_FROZEN: &[&str] = &["percpu_rwsem_wait", "__percpu_down_read", "__sb_start_write", "sb_start_"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    Client,
    Frozen,
    /// It does not wait, though others may have its CPU.
    Running,
    Unknown,
    Else,
}

/// In nanoseconds.
#[derive(Default)]
struct Seen {
    idle: AtomicU64,
    frozen: AtomicU64,
    looks: AtomicU64,
    /// Whether the kernel tells us where anybody waits.
    is_told: AtomicU64,
}

struct ServerStands {
    seen: Arc<Seen>,
    looking: Ticking,
}

impl ServerStands {
    fn new(server: Server) -> Self {
        let seen = Arc::new(Seen::default());
        let told = Arc::clone(&seen);
        let looking = Ticking::begin("stands", LOOK, move || {
            let (mut threads, mut at) = (Threads::default(), Instant::now());
            move || {
                if threads.looks.is_multiple_of(LISTED_EVERY) {
                    threads.list(&server);
                }
                let found = threads.look();
                let since = u64::try_from(at.elapsed().as_nanos()).unwrap_or(u64::MAX);
                at = Instant::now();
                let add = |sum: &AtomicU64, is: bool| sum.fetch_add(if is { since } else { 0 }, Relaxed);
                add(&told.idle, found.is_idle);
                add(&told.frozen, found.is_frozen);
                told.looks.fetch_add(1, Relaxed);
                told.is_told.fetch_max(found.is_told.into(), Relaxed);
            }
        });
        Self { seen, looking }
    }
}

impl Source for ServerStands {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        if !self.looking.is_under_way() {
            return reading.missing("where the server's threads wait", "no thread could be had to look");
        }
        if self.seen.is_told.load(Relaxed) > 0 {
            reading.tell("server.idle", self.seen.idle.load(Relaxed));
            reading.tell("server.frozen_files", self.seen.frozen.load(Relaxed));
        } else if self.seen.looks.load(Relaxed) >= AT_LEAST {
            reading.missing("where the server's threads wait", "this kernel does not tell it to us (`wchan`)");
        }
    }
}

#[derive(Default)]
struct Threads {
    of: u32,
    known: Vec<Thread>,
    next: usize,
    looks: u64,
}

struct Thread {
    number: u32,
    place: File,
    looks: u64,
    at_client: u64,
    at_work: u64,
    last: Stand,
}

/// What a look found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    is_told: bool,
    is_idle: bool,
    is_frozen: bool,
}

impl Threads {
    fn list(&mut self, server: &Server) {
        let pid = server.first().pid();
        if self.of != pid {
            *self = Self { of: pid, ..Self::default() };
        }
        let (numbers, folder) = match server {
            Server::OneProcess(_) => (tasks(pid), format!("/proc/{pid}/task")),
            Server::Processes(_) => (children(pid), "/proc".to_string()),
        };
        self.known.retain(|thread| numbers.contains(&thread.number));
        for number in numbers {
            let is_known = self.known.iter().any(|thread| thread.number == number);
            if let (false, Ok(place)) = (is_known, File::open(format!("{folder}/{number}/wchan"))) {
                self.known.push(Thread { number, place, looks: 0, at_client: 0, at_work: 0, last: Stand::Unknown });
            }
        }
    }

    fn look(&mut self) -> Found {
        let mut found = Found::default();
        let (mut sessions, mut waiting, mut running) = (0, 0, 0);
        let all = self.known.len();
        for turn in 0..all.min(AT_ONCE) {
            let thread = &mut self.known[(self.next + turn) % all];
            if thread.is_due(self.looks + u64::from(thread.number)) && !thread.look() {
                continue;
            }
            found.is_told |= !matches!(thread.last, Stand::Running | Stand::Unknown);
            found.is_frozen |= thread.last == Stand::Frozen;
            // A session that never waits is not known as one.
            running += u32::from(thread.last == Stand::Running);
            if thread.serves() {
                sessions += 1;
                waiting += u32::from(thread.last == Stand::Client);
            }
        }
        self.looks += 1;
        self.next = if all > AT_ONCE { (self.next + AT_ONCE) % all } else { 0 };
        found.is_idle = sessions > 0 && waiting == sessions && running == 0;
        found
    }
}

impl Thread {
    /// Threads that work in the background are looked at now and then.
    fn is_due(&self, look: u64) -> bool {
        self.looks < AT_LEAST || self.at_client > 0 || look.is_multiple_of(SELDOM)
    }

    /// Whether it is still there.
    fn look(&mut self) -> bool {
        let mut room = [0; 64];
        let Ok(length) = self.place.read_at(&mut room, 0) else { return false };
        self.last = stand(std::str::from_utf8(&room[..length]).unwrap_or_default());
        self.looks += 1;
        self.at_client += u64::from(self.last == Stand::Client);
        self.at_work += u64::from(self.last != Stand::Client);
        true
    }

    fn serves(&self) -> bool {
        self.at_client > 0 && self.at_work >= AT_WORK && self.at_work * AT_WORK_OF >= self.looks
    }
}

fn tasks(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()).collect()
}

/// `0` is that of a thread that runs or could.
fn stand(symbol: &str) -> Stand {
    let is_one_of = |beginnings: &[&str]| beginnings.iter().any(|beginning| symbol.starts_with(beginning));
    if is_one_of(AT_CLIENT) {
        Stand::Client
    } else if is_one_of(AT_FROZEN) {
        Stand::Frozen
    } else if symbol == "0" {
        Stand::Running
    } else if symbol.is_empty() {
        Stand::Unknown
    } else {
        Stand::Else
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samplers::Process;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    #[test]
    fn symbols_of_the_kernel_are_known_by_their_beginnings() {
        let stands = ["poll_schedule_timeout.constprop.0", "percpu_rwsem_wait", "futex_do_wait", "0"].map(stand);
        assert_eq!(stands, [Stand::Client, Stand::Frozen, Stand::Else, Stand::Running]);
    }

    /// A thread of this process stands for a session of a server: it answers what a client asks.
    #[test]
    fn a_server_is_idle_while_all_its_sessions_wait_for_their_clients() {
        let (mut client, mut session) = UnixStream::pair().expect("sockets");
        let (told, number) = std::sync::mpsc::channel();
        let serving = std::thread::spawn(move || {
            told.send(rustix::thread::gettid().as_raw_nonzero().get() as u32).expect("somebody listens");
            let mut request = [0];
            while session.read_exact(&mut request).is_ok() {
                std::thread::sleep(Duration::from_millis(u64::from(request[0])));
                session.write_all(&request).expect("somebody listens");
            }
        });
        let number = number.recv().expect("it began");
        let mut threads = Threads::default();
        let own = Server::OneProcess(Process::of(std::process::id()));
        let mut looks = |count| {
            threads.list(&own);
            threads.known.retain(|thread| thread.number == number);
            (0..count)
                .filter(|_| {
                    std::thread::sleep(Duration::from_millis(2));
                    threads.look().is_idle
                })
                .count()
        };
        assert_eq!(looks(4), 0, "nobody was seen at work");
        client.write_all(&[255]).expect("it listens");
        assert_eq!(looks(10), 0, "one is at work");
        let mut answer = [0];
        client.read_exact(&mut answer).expect("an answer");
        assert!(looks(10) >= 5, "it waits for its client");
        drop(client);
        serving.join().expect("an end");
    }
}
