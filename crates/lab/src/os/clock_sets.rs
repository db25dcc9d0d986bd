//! Whether somebody sets the clock on the wall, as the kernel tells whoever waits for a moment of it. Read at two
//! moments, a clock that was set and put right again shows nothing. Whoever lets it run faster or slower sets it not.

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

/// A moment that no run waits for, in seconds since 1970.
const NEVER: i64 = 1 << 40;

pub struct ClockSets(OwnedFd);

impl ClockSets {
    pub fn begin() -> Result<Self, Errno> {
        let timer = timerfd_create(TimerfdClockId::Realtime, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        let when = Itimerspec { it_interval: zero, it_value: Timespec { tv_sec: NEVER, tv_nsec: 0 } };
        timerfd_settime(&timer, TimerfdTimerFlags::ABSTIME | TimerfdTimerFlags::CANCEL_ON_SET, &when)?;
        Ok(Self(timer))
    }

    /// Since this was asked last.
    pub fn was_set(&self) -> bool {
        rustix::io::read(&self.0, &mut [0_u8; 8][..]).err() == Some(Errno::CANCELED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_nobody_sets_was_not_set() {
        let sets = ClockSets::begin().expect("a timer");
        assert!(!sets.was_set() && !sets.was_set());
    }
}
