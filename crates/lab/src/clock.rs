//! Hot path: the one clock of a lab: CLOCK_MONOTONIC in nanoseconds, the same for all threads, so that moments taken by
//! workers, samplers and the conductor can be compared. Wall-clock time belongs to the notebook.

use model::units::Nanos;

/// Nanoseconds since boot, about 25 ns of work.
#[inline]
pub fn now() -> Nanos {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Nanos(t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64)
}
