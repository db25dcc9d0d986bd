//! What the CPUs themselves count of the server's threads while a profile is taken: instructions, cycles, misses.
//! Threads are counted and not CPUs, since nobody else's work may be in it; threads that begin later count with the
//! one that began them. Read some times a second; what a phase has is what lies between its ends.

use super::ring::{counting, event};
use crate::os::procfs::children;
use model::record::profile::COUNTERS;
use perf_event_open_sys::bindings::{
    PERF_COUNT_HW_CACHE_ITLB, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS,
    PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE,
};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Range;

/// A phase's ends lie between two readings, in proportion.
const EVERY: u64 = 100_000_000;
/// As `perf_event_open(2)` numbers them, in the order of their names.
const EVENTS: [(u32, u32); COUNTERS.len()] = [
    (PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
    (PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
    (
        PERF_TYPE_HW_CACHE,
        PERF_COUNT_HW_CACHE_ITLB | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
    ),
    (PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES),
];

/// By counter, by phase.
pub type Counted = BTreeMap<String, BTreeMap<String, f64>>;

#[derive(Default)]
pub struct Counters {
    /// By counter: an event of each thread.
    events: Vec<(&'static str, Vec<File>)>,
    readings: Vec<(u64, Vec<f64>)>,
    /// What this machine does not count.
    pub missing: Option<String>,
}

impl Counters {
    /// Begins to count what these processes and their children do.
    pub fn begin(servers: &[u32]) -> Self {
        Self::of(servers, &EVENTS)
    }

    fn of(servers: &[u32], events: &[(u32, u32)]) -> Self {
        let processes = servers.iter().flat_map(|pid| std::iter::once(*pid).chain(children(*pid)));
        let threads: Vec<u32> = processes.flat_map(threads).collect();
        let mut counters = Self::default();
        let mut refused = Vec::new();
        for ((class, config), name) in events.iter().zip(COUNTERS) {
            match threads.iter().filter_map(|thread| open(*class, *config, *thread)).collect::<io::Result<Vec<File>>>()
            {
                Ok(files) => counters.events.push((name, files)),
                Err(error) => refused.push((name, error)),
            }
        }
        counters.missing = missing(&refused);
        counters
    }

    /// Reads them at this moment, when it is time.
    pub fn read(&mut self, at: u64) {
        if self.events.is_empty() || self.readings.last().is_some_and(|(last, _)| at < last + EVERY) {
            return;
        }
        let sum = |(_, files): &(&str, Vec<File>)| files.iter().filter_map(scaled).sum();
        self.readings.push((at, self.events.iter().map(sum).collect()));
    }

    pub fn counted(&self, phases: &[(&str, Range<u64>)]) -> Counted {
        let of = |place: usize| {
            let grown = |span: &Range<u64>| self.at(span.end, place) - self.at(span.start, place);
            let mut by_phase = BTreeMap::new();
            phases.iter().for_each(|(name, span)| *by_phase.entry((*name).to_string()).or_default() += grown(span));
            by_phase
        };
        let is_read = !self.readings.is_empty();
        let all = self.events.iter().enumerate().filter(|_| is_read);
        all.map(|(place, (name, _))| ((*name).to_string(), of(place))).collect()
    }

    /// What one of them stood at.
    fn at(&self, at: u64, place: usize) -> f64 {
        let value = |n: usize| self.readings[n].1[place];
        let after = self.readings.partition_point(|(read, _)| *read < at);
        if after == 0 || after == self.readings.len() {
            return value(after.saturating_sub(1));
        }
        let (from, to) = (self.readings[after - 1].0, self.readings[after].0);
        value(after - 1) + (value(after) - value(after - 1)) * (at - from) as f64 / (to - from) as f64
    }
}

fn threads(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// `None` of a thread that is gone.
fn open(class: u32, config: u32, thread: u32) -> Option<io::Result<File>> {
    match event(counting(class, config), i32::try_from(thread).ok()?, -1) {
        Err(error) if error.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => None,
        opened => Some(opened.map(File::from)),
    }
}

/// A count; where counters took turns on too few places of the CPU, what it would have been with one of its own.
fn scaled(mut event: &File) -> Option<f64> {
    let mut words = [0_u8; 24];
    event.read_exact(&mut words).ok()?;
    let word = |n: usize| u64::from_ne_bytes(words[8 * n..8 * n + 8].try_into().expect("eight bytes")) as f64;
    Some(if word(2) > 0.0 { word(0) * word(1) / word(2) } else { 0.0 })
}

fn missing(refused: &[(&str, io::Error)]) -> Option<String> {
    let (_, first) = refused.first()?;
    let is_unknown = |error: &io::Error| {
        [Errno::NOENT, Errno::OPNOTSUPP, Errno::NODEV].iter().any(|e| error.raw_os_error() == Some(e.raw_os_error()))
    };
    Some(match refused.len() {
        _ if !is_unknown(first) => format!("hardware counters are not read: {first}"),
        n if n == COUNTERS.len() => {
            format!("this machine counts no {} or {}: no PMU", COUNTERS[0], COUNTERS[1])
        }
        _ => format!("this machine counts no {}", refused.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::clock;
    use perf_event_open_sys::bindings::{PERF_COUNT_SW_PAGE_FAULTS, PERF_TYPE_SOFTWARE};

    #[test]
    fn threads_that_begin_later_are_counted_and_phases_have_what_lies_between_their_ends() {
        // Page faults instead, which every machine counts.
        let mut counters = Counters::of(&[std::process::id()], &[(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS)]);
        if let Some(why) = &counters.missing {
            return assert!(why.starts_with("hardware counters are not read"), "{why}");
        }
        counters.read(0);
        let pages = 2_000;
        let touch = move || std::hint::black_box(vec![1_u8; pages * 4096]).len();
        std::thread::spawn(touch).join().unwrap();
        counters.read(clock::now().0.max(EVERY));
        let end = counters.readings[1].0;
        let counted = counters.counted(&[("all", 0..end), ("half", 0..end / 2)]);
        let of = |phase: &str| counted[COUNTERS[0]][phase];
        assert!(of("all") >= 100.0 && (of("half") / of("all") - 0.5).abs() < 1e-6, "{counted:?}");
    }

    #[test]
    fn what_is_not_counted_is_one_short_sentence() {
        let refused = |names: &[&'static str], errno: Errno| {
            missing(&names.iter().map(|name| (*name, errno.into())).collect::<Vec<_>>())
        };
        assert_eq!(refused(&[], Errno::NOENT), None);
        let none = refused(&COUNTERS, Errno::NOENT).unwrap();
        assert_eq!(none, "this machine counts no instructions or cycles: no PMU");
        let some = refused(&COUNTERS[2..], Errno::OPNOTSUPP).unwrap();
        assert_eq!(some, "this machine counts no iTLB misses, LLC misses");
        assert!(refused(&COUNTERS, Errno::MFILE).unwrap().contains("not read: "));
    }
}
