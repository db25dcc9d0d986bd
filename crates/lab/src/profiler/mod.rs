//! The profiler: which functions the server's CPU time goes to while a run goes on, or in which its threads wait. A
//! thread of its own reads what the kernel tells (`ring`, `events`) and folds the server's stacks (`collector`,
//! `waits`, `files`); names are looked up once, when the run is over (`naming`, `seen`). It needs no program and no
//! debug information, and says what it could not read. Beside the CPU's time stands what the CPUs count (`counters`).

mod collector;
mod counters;
mod events;
mod files;
mod naming;
mod ring;
mod seen;
mod waits;

use crate::os::clock;
use crate::os::process::cpus_of;
use crate::os::procfs;
use collector::Collector;
use counters::Counters;
use events::Rings;
use model::functions::Spent;
use model::record::profile::{Profile, Stack};
use model::record::run::PhaseRecord;
use model::units::Nanos;
use std::fs;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;
use waits::Waits;

/// What the kernel calls what is counted.
const CLOCK: &str = "cpu-clock";
const SWITCHES: &str = "context-switches";
/// Longer, and the end of a run would wait for it.
const MOST_PATIENCE: u64 = 100_000_000;

/// The profiling of one run, under way.
pub struct Profiler {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<(Watch, Nanos)>,
    period: Nanos,
}

/// What is watched, and what was seen of it.
enum Watch {
    Cpus { rings: Rings, collector: Box<Collector>, counters: Counters },
    Waits(Box<Waits>),
}

impl Profiler {
    /// Begins to sample these processes and their children, so many times a second on each CPU or each thread that
    /// waits; why that cannot be.
    pub fn begin(servers: Vec<u32>, hz: u32, spent: Spent) -> Result<Self, String> {
        if !cfg!(target_arch = "x86_64") {
            return Err("no profile: stacks are unwound on x86-64 alone; profile on such a machine".to_string());
        }
        let Some(server) = servers.first() else {
            return Err("no profile: the server's process is not known here; profile a server of this host".to_string());
        };
        let cpus = cpus_of(*server).map_err(|trouble| format!("no profile: {trouble}"))?;
        let mut watch = match spent {
            Spent::OnCpu => Watch::Cpus {
                rings: Rings::of_clock(&cpus, hz)?,
                counters: Counters::begin(&servers),
                collector: Box::new(Collector::of(servers)),
            },
            Spent::Waiting => Watch::Waits(Box::new(Waits::begin(&cpus, Collector::of(servers))?)),
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (stopping, patience) = (stop.clone(), watch.patience(hz));
        let work = move || {
            while !stopping.load(Relaxed) {
                std::thread::sleep(patience);
                watch.drain();
            }
            watch.end();
            (watch, own_cpu())
        };
        let thread = std::thread::Builder::new()
            .name("profiling".into())
            .spawn(work)
            .map_err(|e| format!("no profile: no thread for it ({e}); raise the limit of processes"))?;
        Ok(Self { stop, thread, period: Nanos(1_000_000_000 / u64::from(hz)) })
    }

    /// Ends it: how it went, and the stacks of each phase of a run that began at this moment. What the lab's own
    /// sessions waited for, in these threads, is nobody's.
    pub fn finish(self, start: Nanos, phases: &[PhaseRecord], lab: &[u32]) -> (Profile, Vec<Stack>) {
        self.stop.store(true, Relaxed);
        let (watch, cost) = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let span = |phase: &PhaseRecord| start.0 + phase.from.0..start.0 + phase.to.0;
        let phases: Vec<(&str, Range<u64>)> = phases.iter().map(|phase| (phase.name.as_str(), span(phase))).collect();
        let (names, spans): (Vec<&str>, Vec<Range<u64>>) = phases.iter().cloned().unzip();
        let mut profile = Profile { period: self.period, cost, ..Profile::default() };
        let (seen, collector) = match &watch {
            Watch::Cpus { collector, counters, .. } => {
                profile = Profile { event: CLOCK.to_string(), lost: collector.lost, ..profile };
                profile.counted = counters.counted(&phases);
                profile.missing.extend(counters.missing.clone());
                (collector.counted(&spans), &**collector)
            }
            Watch::Waits(waits) => {
                let (event, spent) = (SWITCHES.to_string(), Spent::Waiting);
                profile = Profile { event, spent, lost: waits.lost(), ..profile };
                (waits.counted(&spans, self.period.0, lab), &waits.collector)
            }
        };
        let of_waits = !profile.spent.is_on_cpu();
        let (stacks, missing) = seen.named(&names, &collector.stacks(), &collector.files.all, of_waits);
        profile.missing.extend(missing);
        (Profile { samples: seen.all, ..profile }, stacks)
    }
}

impl Watch {
    fn patience(&self, hz: u32) -> Duration {
        Duration::from_nanos(match self {
            Self::Cpus { rings, .. } => rings.patience(hz).min(MOST_PATIENCE),
            Self::Waits(_) => waits::PATIENCE,
        })
    }
    fn drain(&mut self) {
        match self {
            Self::Cpus { rings, collector, counters } => {
                rings.drain(|_, event| collector.take(event));
                counters.read(clock::now().0);
            }
            Self::Waits(waits) => waits.drain(),
        }
    }
    fn end(&mut self) {
        match self {
            Self::Cpus { .. } => {}
            Self::Waits(waits) => waits.end(),
        }
    }
}

/// CPU time of the calling thread.
fn own_cpu() -> Nanos {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Nanos(procfs::schedstat(&text).map_or(0, |(on_cpu, _)| on_cpu))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::load::PhaseKind;
    use std::collections::BTreeMap;

    /// Burns CPU time under a name of its own.
    #[inline(never)]
    fn burns_under_its_own_name(until: Nanos) -> u64 {
        let mut sum = 0_u64;
        while clock::now() < until {
            sum = (0..10_000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
        }
        sum
    }

    /// Sleeps under a name of its own, a millisecond each time.
    #[inline(never)]
    fn sleeps_under_its_own_name(times: u64) {
        (0..times).for_each(|n| std::thread::sleep(Duration::from_micros(1_000 + std::hint::black_box(n % 2))));
    }

    fn measured(start: Nanos) -> PhaseRecord {
        PhaseRecord {
            name: "measure".into(),
            kind: PhaseKind::Measure,
            disturb: None,
            disturbance: None,
            settled: None,
            from: Nanos(0),
            to: Nanos(clock::now().0 - start.0),
            groups: BTreeMap::new(),
            counters: BTreeMap::new(),
        }
    }

    fn in_function(stacks: &[Stack], name: &str) -> u64 {
        let of = stacks.iter().filter(|stack| stack.frames.iter().any(|frame| frame.contains(name)));
        of.map(|stack| stack.samples).sum()
    }

    #[test]
    fn the_function_that_waited_is_told_with_how_long() {
        let profiler = match Profiler::begin(vec![std::process::id()], 999, Spent::Waiting) {
            Ok(profiler) => profiler,
            Err(why) => return assert!(why.starts_with("no profile: "), "{why}"),
        };
        let start = clock::now();
        // Threads that begin after the profile; so many that their stacks are seen beside those of a busy machine.
        let (threads, times) = (8, 300);
        let all: Vec<_> = (0..threads).map(|_| std::thread::spawn(move || sleeps_under_its_own_name(times))).collect();
        all.into_iter().for_each(|thread| thread.join().unwrap());
        let (profile, stacks) = profiler.finish(start, &[measured(start)], &[]);
        // Looked at once a millisecond; it sleeps longer where the machine is busy.
        let (slept, asked) = (in_function(&stacks, "sleeps_under_its_own_name"), threads * times);
        let is_told = slept > asked / 3 && slept < 20 * asked && profile.samples >= slept;
        assert!(is_told, "{slept} of {profile:?}: {stacks:#?}");
        assert_eq!((profile.spent, profile.event.as_str()), (Spent::Waiting, SWITCHES));
    }

    #[test]
    fn the_function_that_burned_the_time_bears_it() {
        let profiler = match Profiler::begin(vec![std::process::id()], 999, Spent::OnCpu) {
            Ok(profiler) => profiler,
            // A machine that forbids it says so in one sentence, and nothing can be seen here.
            Err(why) => return assert!(why.starts_with("no profile: "), "{why}"),
        };
        let start = clock::now();
        std::hint::black_box(burns_under_its_own_name(Nanos(start.0 + 400_000_000)));
        let (profile, stacks) = profiler.finish(start, &[measured(start)], &[]);
        let total: u64 = stacks.iter().map(|stack| stack.samples).sum();
        assert!(total > 0 && profile.samples >= total && profile.period == Nanos(1_001_001), "{profile:?}");
        // Other tests of this process run beside it.
        assert!(in_function(&stacks, "burns_under_its_own_name") > 0, "{stacks:?}");
        assert!(stacks.iter().any(|stack| stack.is_unwound()), "{stacks:?}");
    }
}
