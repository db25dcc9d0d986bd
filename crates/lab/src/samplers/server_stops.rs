//! Whether the server stood still as a whole: stopped by a signal or a debugger, or frozen with its control group. Such
//! a stop lasts tenths of seconds and is over before anybody reads anything once a second, so a thread of its own looks
//! 25 times a second, at two small files. What it tells is less than the truth: only time between two looks that both
//! found the server standing counts.

use super::{Occasion, Process, Reading, Source};
use crate::os::cgroups::{Hierarchies, is_frozen};
use crate::os::clock;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

pub(crate) const NAME: &str = "server_stops";

const LOOK: Duration = Duration::from_millis(40);

pub(crate) struct ServerStops {
    seen: Arc<Seen>,
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// How often the server stood still, and for how many nanoseconds.
#[derive(Default)]
struct Seen {
    stops: AtomicU64,
    stopped: AtomicU64,
}

impl ServerStops {
    pub(crate) fn new(process: Process) -> Self {
        let seen = Arc::new(Seen::default());
        let (end, ended) = channel::<()>();
        let told = Arc::clone(&seen);
        let thread = std::thread::Builder::new().name("stops".into()).spawn(move || {
            let hierarchies = Hierarchies::of_this_host();
            let (mut stood, mut at) = (false, clock::now());
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let (stands, now) = (stands_still(process.pid(), &hierarchies), clock::now());
                if stands && stood {
                    told.stopped.fetch_add(now.0 - at.0, Relaxed);
                } else if stands {
                    told.stops.fetch_add(1, Relaxed);
                }
                (stood, at) = (stands, now);
            }
        });
        // Without a thread nothing was seen, and nothing is told.
        Self { seen, end: Some(end), thread: thread.ok() }
    }
}

impl Source for ServerStops {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        if self.thread.is_none() {
            return reading.missing("stops of the server", "no thread could be had to look");
        }
        reading.tell("server.stops", self.seen.stops.load(Relaxed));
        reading.tell("server.stopped", self.seen.stopped.load(Relaxed));
    }
}

impl Drop for ServerStops {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn stands_still(pid: u32, hierarchies: &Hierarchies) -> bool {
    // That of the first thread alone: summing up all of them is dear where every user has one.
    let stat = fs::read_to_string(format!("/proc/{pid}/task/{pid}/stat")).unwrap_or_default();
    is_stopped(&stat) || is_frozen_with_its_group(pid, hierarchies)
}

/// Its own group says so of those above it, too.
fn is_frozen_with_its_group(pid: u32, hierarchies: &Hierarchies) -> bool {
    let says = |file: PathBuf| fs::read_to_string(file).is_ok_and(|text| is_frozen(&text));
    let mut own = hierarchies.own(pid, "freezer").into_iter();
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
