//! Whether the server stood still as a whole: stopped by a signal or a debugger, or frozen with its control group. Such
//! a stop lasts tenths of seconds and is over before anybody reads anything once a second, so a thread of its own looks
//! 25 times a second, at two small files. What it tells is less than the truth: only time between two looks that both
//! found the server standing counts.
//!
//! In which control groups the server is stands in one of those files: who is moved into another for a moment is seen.
//!
//! The load can be stopped just so, and then asks nothing meanwhile. A look that comes late without its thread having
//! waited for a CPU is one that was not allowed to run.

use super::source::{Available, Occasion, Owner, Process, Reading, Sampler, Source, Turn};
use crate::os::cgroups::{Hierarchies, is_frozen};
use crate::os::clock;
use crate::os::ticking::Ticking;
use model::record::state::{Facet, State};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub(crate) const SAMPLER: Sampler = Sampler { name: "server_stops", turn: Turn::Between, owner: Owner::Server, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    Some(Box::new(ServerStops::new(available.server.as_ref()?.first())))
}

const LOOK: Duration = Duration::from_millis(40);
/// A look that is late by less may be late for want of a timer.
const LATE: u64 = 150_000_000;
/// This thread's time on a CPU and its time of waiting for one, in nanoseconds.
const OWN_WAITS: &str = "/proc/thread-self/schedstat";

/// Sets of control groups of one run that are told.
const TOLD: usize = 16;

pub(crate) struct ServerStops {
    seen: Arc<Seen>,
    /// What `/proc/PID/cgroup` said, each text once, by the number of the process.
    groups: Arc<Mutex<Vec<(u32, String)>>>,
    looking: Ticking,
}

/// How often the server stood still, and for how many nanoseconds.
#[derive(Default)]
struct Seen {
    stops: AtomicU64,
    stopped: AtomicU64,
    /// The same of the load.
    own_stops: AtomicU64,
    own_stopped: AtomicU64,
}

impl ServerStops {
    pub(crate) fn new(process: Process) -> Self {
        let seen = Arc::new(Seen::default());
        let told = Arc::clone(&seen);
        let groups = Arc::new(Mutex::new(Vec::new()));
        let in_groups = Arc::clone(&groups);
        let looking = Ticking::begin("stops", LOOK, move || {
            let mut files = Files::default();
            let (mut stood, mut at) = (false, clock::now());
            let (mut slept, mut waited) = (at, None);
            move || {
                let late = (clock::now().0 - slept.0).saturating_sub(LOOK.as_nanos() as u64);
                let now_waited = files.own_waits();
                let for_a_cpu = now_waited.zip(waited).map(|(now, before)| now.saturating_sub(before));
                if late > LATE && for_a_cpu.is_some_and(|waited| waited < late / 2) {
                    told.own_stops.fetch_add(1, Relaxed);
                    told.own_stopped.fetch_add(late, Relaxed);
                }
                let pid = process.pid();
                if files.look_up(pid) {
                    let mut known = in_groups.lock().unwrap_or_else(PoisonError::into_inner);
                    let seen = (pid, files.groups.clone());
                    if known.len() < TOLD && !known.contains(&seen) {
                        known.push(seen);
                    }
                }
                let (stands, now) = (files.stand_still(), clock::now());
                if stands && stood {
                    told.stopped.fetch_add(now.0 - at.0, Relaxed);
                } else if stands {
                    told.stops.fetch_add(1, Relaxed);
                }
                (stood, at) = (stands, now);
                (slept, waited) = (clock::now(), now_waited);
            }
        });
        Self { seen, groups, looking }
    }
}

impl Source for ServerStops {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        if !self.looking.is_under_way() {
            return reading.missing("stops of the server", "no thread could be had to look");
        }
        reading.tell("server.stops", self.seen.stops.load(Relaxed));
        reading.tell("server.stopped", self.seen.stopped.load(Relaxed));
        reading.tell("client.stops", self.seen.own_stops.load(Relaxed));
        reading.tell("client.stopped", self.seen.own_stopped.load(Relaxed));
    }

    fn states(&mut self) -> Vec<State> {
        let known = std::mem::take(&mut *self.groups.lock().unwrap_or_else(PoisonError::into_inner));
        let state = |(pid, groups): (u32, String)| {
            State::new(Facet::Process, [(format!("control groups of {pid}"), groups.trim().replace('\n', ", "))].into())
        };
        // Of a server that stayed where it was there is nothing to tell.
        let moved = |(pid, _): &(u32, String)| known.iter().filter(|(of, _)| of == pid).count() > 1;
        known.iter().filter(|one| moved(one)).cloned().map(state).collect()
    }
}

/// What is read at each look, held open: opening a file takes three times as long as reading it.
#[derive(Default)]
struct Files {
    pid: u32,
    own_waits: Option<File>,
    /// That of the first thread alone: summing up all of them is dear where every user has one.
    stat: Option<File>,
    in_groups: Option<File>,
    /// What it says now.
    groups: String,
    freezers: Vec<File>,
}

impl Files {
    fn own_waits(&mut self) -> Option<u64> {
        // Opened by the thread that looks.
        let file = self.own_waits.take().or_else(|| File::open(OWN_WAITS).ok())?;
        let waits = text(&file).and_then(|text| text.split_ascii_whitespace().nth(1)?.parse().ok());
        self.own_waits = Some(file);
        waits
    }

    /// Whether the process is another than at the last look, or in other control groups.
    fn look_up(&mut self, pid: u32) -> bool {
        if self.pid != pid {
            let open = |name: &str| File::open(format!("/proc/{pid}/{name}")).ok();
            let (stat, in_groups) = (open(&format!("task/{pid}/stat")), open("cgroup"));
            *self = Self { pid, stat, in_groups, own_waits: self.own_waits.take(), ..Self::default() };
        }
        let Some(groups) = self.in_groups.as_ref().and_then(text).filter(|groups| *groups != self.groups) else {
            return false;
        };
        // Its own group says of those above it, too, whether they are frozen.
        let own = Hierarchies::of_this_host().own(&groups, "freezer");
        let files = own.iter().flat_map(|folder| ["freezer.state", "cgroup.events"].map(|name| folder.join(name)));
        self.freezers = files.filter_map(|path| File::open(path).ok()).collect();
        self.groups = groups;
        true
    }

    fn stand_still(&self) -> bool {
        let says = |file: &File, what: fn(&str) -> bool| text(file).is_some_and(|text| what(&text));
        self.stat.iter().any(|stat| says(stat, is_stopped)) || self.freezers.iter().any(|file| says(file, is_frozen))
    }
}

/// The first page of it, which is more than these files have.
fn text(file: &File) -> Option<String> {
    let mut room = [0; 4096];
    let length = file.read_at(&mut room, 0).ok()?;
    Some(String::from_utf8_lossy(&room[..length]).into_owned())
}

/// The state behind the name in brackets: stopped by a signal (T) or by a debugger (t).
fn is_stopped(stat: &str) -> bool {
    stat.rsplit_once(')').is_some_and(|(_, rest)| matches!(rest.trim_start().as_bytes().first(), Some(b'T' | b't')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_was_stopped_says_so_whatever_its_name() {
        assert!(is_stopped("7 (my) T (sql)) T 1 7") && is_stopped("7 (mariadbd) t 1"));
        assert!(!is_stopped("7 (T) S 1 7") && !is_stopped(""));
    }
}
