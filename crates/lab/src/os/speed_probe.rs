//! The machine's own speed, taken outside a run's window by work that is always the same: an integer loop and copying
//! through memory, on every CPU at once, for a few hundredths of a second. Time is the threads' own CPU time, so that a
//! neighbour who takes a CPU does not enter (that is told by name elsewhere), while a lower clock, heat, or a busy
//! sibling of the core do. The best of a few slices counts, because a pulse asks what the machine can do. Not taken:
//! the speed of the disk.

use model::Nanos;
use model::record::around::Pulse;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

const SLICES: usize = 3;
/// CPU time of one slice of the loop.
const SLICE: Nanos = Nanos::from_millis(8);
/// With its copy beyond the second-level cache of every CPU, and little beside what a load needs: a pulse is taken
/// while a thousand users are connected.
const BUFFER: usize = 2 << 20;
/// Copies in a slice, of a few milliseconds together.
const COPIES: usize = 8;
/// Rounds between two readings of the clock: about 20 µs of them.
const ROUNDS: u64 = 10_000;

/// Probes the speed of so many CPUs; `None` where there is no thread to be had for each.
pub fn take(cpus: usize) -> Option<Pulse> {
    std::thread::scope(|scope| {
        let spawn = |_| std::thread::Builder::new().name("pulse".into()).spawn_scoped(scope, beat).ok();
        let threads: Option<Vec<_>> = (0..cpus.max(1)).map(spawn).collect();
        let beats: Option<Vec<(f64, f64)>> = threads?.into_iter().map(|t| t.join().ok()).collect();
        let beats = beats?;
        Some(Pulse {
            integer_per_s: beats.iter().map(|(integer, _)| *integer).fold(f64::INFINITY, f64::min),
            memory_bytes_per_s: beats.iter().map(|(_, memory)| memory).sum(),
        })
    })
}

/// Rounds and bytes per second of one thread.
fn beat() -> (f64, f64) {
    let (from, mut to) = (vec![1_u8; BUFFER], vec![2_u8; BUFFER]);
    let mut best = (0.0_f64, 0.0_f64);
    for _ in 0..SLICES {
        best.0 = best.0.max(integers());
        let begun = cpu_time();
        for _ in 0..COPIES {
            black_box(&mut to).copy_from_slice(black_box(&from));
        }
        best.1 = best.1.max((COPIES * BUFFER) as f64 / (cpu_time() - begun));
    }
    best
}

fn integers() -> f64 {
    let begun = cpu_time();
    let (mut state, mut rounds) = (0x9e37_79b9_7f4a_7c15_u64, 0_u64);
    loop {
        for _ in 0..ROUNDS {
            state = black_box(state ^ (state << 13));
            state ^= state >> 7;
            state ^= state << 17;
        }
        rounds += ROUNDS;
        let spent = cpu_time() - begun;
        if spent >= SLICE.seconds() {
            return rounds as f64 / spent;
        }
    }
}

/// Seconds of CPU of this thread.
fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_machine_has_a_pulse_on_every_cpu() {
        let (one, two) = (super::take(1).unwrap(), super::take(2).unwrap());
        for pulse in [one, two] {
            assert!(pulse.integer_per_s.is_finite() && pulse.integer_per_s > 1e5, "{pulse:?}");
            assert!(pulse.memory_bytes_per_s.is_finite() && pulse.memory_bytes_per_s > 1e6, "{pulse:?}");
        }
    }
}
