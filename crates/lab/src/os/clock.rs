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
    Nanos(nanos(ClockId::Realtime).0.saturating_sub(now().0))
}

#[inline]
fn nanos(clock: ClockId) -> Nanos {
    let t = clock_gettime(clock);
    Nanos(t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64)
}
