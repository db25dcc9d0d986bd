//! One run of a script in an experiment: what its users share, and the frame of `init` and `done` around them.

use crate::player::Player;
use crate::scripted::Scripted;
use crate::state::Entry;
use model::units::Nanos;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use workload::session::{Fault, Sessions};
use workload::user::Seat;

/// Who does `init` and `done`.
const FIRST: u32 = 0;

/// How often the others look whether `init` is over, and the first whether they are gone.
const LOOK: Nanos = Nanos::from_millis(1);

pub(super) struct Play {
    scripted: Scripted,
    users: u32,
    has_frame: bool,
    /// What became of `init`.
    begun: AtomicU8,
    left: AtomicU32,
}

const NOT_YET: u8 = 0;
const BEGUN: u8 = 1;
const FAILED: u8 = 2;

impl Play {
    pub fn new(scripted: Scripted, users: u32, has_frame: bool) -> Self {
        Self { scripted, users, has_frame, begun: AtomicU8::new(NOT_YET), left: AtomicU32::new(0) }
    }

    pub fn interrupt(&self) {
        self.scripted.script().interrupt();
    }

    pub async fn live(
        &self,
        number: u32,
        sessions: &mut (dyn Sessions + '_),
        seat: &mut (dyn Seat + '_),
    ) -> Result<(), Fault> {
        if !self.has_frame {
            return self.scripted.live(number, sessions, seat).await;
        }
        let _leaving = Leaving(self);
        if number != FIRST {
            while self.begun.load(Relaxed) == NOT_YET {
                sessions.sleep(LOOK).await;
            }
            // Why is the first one's to say.
            return if self.begun.load(Relaxed) == BEGUN {
                self.scripted.live(number, sessions, seat).await
            } else {
                Err(Fault::Stopped)
            };
        }
        let main = self.begin(sessions).await;
        self.begun.store(if main.is_ok() { BEGUN } else { FAILED }, Relaxed);
        let mut main = main?;
        self.scripted.live(number, sessions, seat).await?;
        while self.left.load(Relaxed) < self.users - 1 {
            sessions.sleep(LOOK).await;
        }
        self.scripted.call(&mut main, "done", sessions).await?;
        main.leave(sessions).await;
        Ok(())
    }

    /// The main state, behind `init`.
    async fn begin(&self, sessions: &mut (dyn Sessions + '_)) -> Result<Player, Fault> {
        let mut main = self.scripted.player(FIRST, sessions).await.map_err(|halt| self.scripted.fault(None, halt))?;
        self.scripted.call(&mut main, "init", sessions).await?;
        Ok(main)
    }
}

/// Counts a user as gone, however it went.
struct Leaving<'a>(&'a Play);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.left.fetch_add(1, Relaxed);
    }
}

impl Scripted {
    /// Calls one of the functions that a script has for the whole run, where it has it.
    async fn call(&self, main: &mut Player, name: &str, sessions: &mut (dyn Sessions + '_)) -> Result<(), Fault> {
        if !main.state.has(name) {
            return Ok(());
        }
        let done = main.perform(Entry::function(name), sessions, None).await;
        done.map(drop).map_err(|halt| self.fault(Some(name), halt))
    }
}
