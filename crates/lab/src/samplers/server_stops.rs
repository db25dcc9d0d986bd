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
use std::fs;
use std::path::PathBuf;
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
    /// As `/proc/PID/cgroup` has them, each set once, by the number of the process.
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
            let hierarchies = Hierarchies::of_this_host();
            let (mut stood, mut at) = (false, clock::now());
            let (mut slept, mut waited) = (at, own_waits());
            move || {
                let late = (clock::now().0 - slept.0).saturating_sub(LOOK.as_nanos() as u64);
                let for_a_cpu = own_waits().zip(waited).map(|(now, before)| now.saturating_sub(before));
                if late > LATE && for_a_cpu.is_some_and(|waited| waited < late / 2) {
                    told.own_stops.fetch_add(1, Relaxed);
                    told.own_stopped.fetch_add(late, Relaxed);
                }
                let pid = process.pid();
                let own = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
                let (stands, now) = (stands_still(pid, &hierarchies, &own), clock::now());
                let mut known = in_groups.lock().unwrap_or_else(PoisonError::into_inner);
                let is_new = |own: &String| !known.iter().any(|(of, groups)| *of == pid && groups == own);
                if !own.is_empty() && known.len() < TOLD && is_new(&own) {
                    known.push((pid, own));
                }
                drop(known);
                if stands && stood {
                    told.stopped.fetch_add(now.0 - at.0, Relaxed);
                } else if stands {
                    told.stops.fetch_add(1, Relaxed);
                }
                (stood, at) = (stands, now);
                (slept, waited) = (clock::now(), own_waits());
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
        known.into_iter().map(state).collect()
    }
}

fn own_waits() -> Option<u64> {
    fs::read_to_string(OWN_WAITS).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn stands_still(pid: u32, hierarchies: &Hierarchies, groups: &str) -> bool {
    // That of the first thread alone: summing up all of them is dear where every user has one.
    let stat = fs::read_to_string(format!("/proc/{pid}/task/{pid}/stat")).unwrap_or_default();
    is_stopped(&stat) || is_frozen_with_its_group(hierarchies, groups)
}

/// Its own group says so of those above it, too.
fn is_frozen_with_its_group(hierarchies: &Hierarchies, groups: &str) -> bool {
    let says = |file: PathBuf| fs::read_to_string(file).is_ok_and(|text| is_frozen(&text));
    let mut own = hierarchies.own(groups, "freezer").into_iter();
    own.any(|folder| says(folder.join("freezer.state")) || says(folder.join("cgroup.events")))
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
