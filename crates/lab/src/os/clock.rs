//! Hot path: the one clock of a lab: CLOCK_MONOTONIC in nanoseconds, the same for all threads, so that moments taken by
//! workers, samplers and the conductor can be compared. Wall-clock time belongs to the notebook.

use model::units::Nanos;
use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since boot, about 25 ns of work.
#[inline]
pub fn now() -> Nanos {
    nanos(ClockId::Monotonic)
}

/// What to add to a moment of this clock for nanoseconds since 1970.
pub fn unix_at_boot() -> Nanos {
    let (own, wall) = beside(ClockId::Realtime);
    Nanos(wall.0.saturating_sub(own.0))
}

/// CPU time of the calling thread.
pub fn of_this_thread() -> Nanos {
    nanos(ClockId::ThreadCPUTime)
}

/// This clock, and the one that nobody sets right.
pub fn beside_raw() -> (Nanos, Nanos) {
    beside(ClockId::MonotonicRaw)
}

/// This clock and another, read as one: where both readings of this one around the other are closest.
fn beside(other: ClockId) -> (Nanos, Nanos) {
    // A thread that loses its CPU between two readings loses it seldom twice.
    const TRIES: usize = 8;
    let read = || {
        let (before, there, after) = (now(), nanos(other), now());
        (after.0 - before.0, Nanos(before.0 + (after.0 - before.0) / 2), there)
    };
    let (_, here, there) = (0..TRIES).map(|_| read()).min_by_key(|(apart, ..)| *apart).expect("it is tried");
    (here, there)
}

#[inline]
fn nanos(clock: ClockId) -> Nanos {
    let t = clock_gettime(clock);
    Nanos(t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64)
}
