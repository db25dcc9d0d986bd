//! Who hears of it while something is brought about, and whether to go on with it: the record, the person who waits,
//! and the wish to stop. Whoever works for a campaign is lent this and nothing else of it.

use super::Notebook;
use crate::trouble::{Halt, Trouble};
use model::{EventKind, RunId};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How often it is shown how far a piece of work is.
const LOOK: Duration = Duration::from_millis(50);

/// What a person sees meanwhile.
pub trait Progress: Send {
    /// One line that stays.
    fn say(&mut self, line: &str);
    /// How far it is: `done` of `of` runs, what happens now, and the time left.
    fn at(&mut self, done: u64, of: u64, what: &str, left: Duration);
}

/// The time that is left, if it goes on as it went.
pub fn left(begun: Instant, done: u64, of: u64) -> Duration {
    begun.elapsed().mul_f64(of.saturating_sub(done) as f64 / done.max(1) as f64)
}

pub struct Reporter<'a> {
    pub notebook: &'a mut Notebook,
    pub progress: &'a mut dyn Progress,
    pub stop: &'a AtomicBool,
}

impl Reporter<'_> {
    pub fn say(&mut self, line: &str) {
        self.progress.say(line);
    }

    pub fn note(&self, kind: EventKind, run: Option<&RunId>, text: impl Into<String>) -> Result<(), Trouble> {
        self.notebook.note(kind, run, text)
    }

    pub fn is_stopping(&self) -> bool {
        self.stop.load(Relaxed)
    }

    pub fn check_stop(&self) -> Result<(), Halt> {
        if self.is_stopping() { Err(Halt::Interrupted) } else { Ok(()) }
    }

    /// Does work that tells how much of how much is done, while that is shown.
    pub fn watched<T: Send>(
        &mut self,
        work: impl FnOnce(&(dyn Fn(u64, u64) + Sync), &AtomicBool) -> T + Send,
        label: &str,
    ) -> T {
        let (done, total) = (AtomicU64::new(0), AtomicU64::new(0));
        let (stop, begun) = (self.stop, Instant::now());
        let at = |d: u64, t: u64| {
            done.store(d, Relaxed);
            total.store(t, Relaxed);
        };
        std::thread::scope(|scope| {
            let working = scope.spawn(|| work(&at, stop));
            while !working.is_finished() {
                std::thread::sleep(LOOK);
                let (d, t) = (done.load(Relaxed), total.load(Relaxed));
                if d > 0 {
                    self.progress.at(d, t, &format!("rows, {label}"), left(begun, d, t));
                }
            }
            working.join().expect("work that is watched does not panic")
        })
    }
}
