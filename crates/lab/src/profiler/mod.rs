//! The profiler: which functions the server's CPU time goes to while a run goes on. A thread of its own reads the
//! kernel's samples (`events`) and folds the server's stacks (`collector`, `files`); names are looked up once, when the
//! run is over (`naming`). It needs no program and no debug information, and says what it could not read.
//! Not here: what threads wait for, and hardware counters.

mod collector;
mod events;
mod files;
mod naming;

use crate::os::process::cpus_of;
use crate::os::procfs;
use collector::{Collector, Frame};
use events::Rings;
use model::record::profile::{NOT_UNWOUND, Profile, Stack};
use model::record::run::PhaseRecord;
use model::units::Nanos;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

/// What the kernel's clock of a CPU is called.
const EVENT: &str = "cpu-clock";
/// Longer, and the end of a run would wait for it.
const MOST_PATIENCE: u64 = 100_000_000;

/// The profiling of one run, under way.
pub struct Profiler {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<(Collector, Nanos)>,
    period: Nanos,
}

impl Profiler {
    /// Begins to sample these processes and their children, so many times a second on each CPU; why that cannot be.
    pub fn begin(servers: Vec<u32>, hz: u32) -> Result<Self, String> {
        if !cfg!(target_arch = "x86_64") {
            return Err("no profile: stacks are unwound on x86-64 alone; profile on such a machine".to_string());
        }
        let Some(server) = servers.first() else {
            return Err("no profile: the server's process is not known here; profile a server of this host".to_string());
        };
        let cpus = cpus_of(*server).map_err(|trouble| format!("no profile: {trouble}"))?;
        let mut rings = Rings::open(&cpus, hz)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (stopping, patience) = (stop.clone(), Duration::from_nanos(rings.patience().min(MOST_PATIENCE)));
        let work = move || {
            let mut collector = Collector::of(servers);
            while !stopping.load(Relaxed) {
                std::thread::sleep(patience);
                rings.drain(|event| collector.take(event));
            }
            (collector, own_cpu())
        };
        let thread = std::thread::Builder::new()
            .name("profiling".into())
            .spawn(work)
            .map_err(|e| format!("no profile: no thread for it ({e}); raise the limit of processes"))?;
        Ok(Self { stop, thread, period: Nanos(1_000_000_000 / u64::from(hz)) })
    }

    /// Ends it: how it went, and the stacks of each phase of a run that began at this moment.
    pub fn finish(self, start: Nanos, phases: &[PhaseRecord]) -> (Profile, Vec<Stack>) {
        self.stop.store(true, Relaxed);
        let (collector, cost) = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let raw = collector.stacks();
        let frames: BTreeSet<Frame> = raw.iter().flat_map(|stack| stack.frames.iter().copied()).collect();
        let (names, missing) = naming::names(&collector.files.all, &frames);
        let named: Vec<Vec<String>> = raw
            .iter()
            .map(|stack| {
                let outer = (!stack.is_whole).then(|| NOT_UNWOUND.to_string());
                outer.into_iter().chain(stack.frames.iter().rev().flat_map(|frame| names[frame].clone())).collect()
            })
            .collect();
        let mut counted: BTreeMap<(usize, &[String]), u64> = BTreeMap::new();
        for (at, stack) in &collector.samples {
            let since = at.saturating_sub(start.0);
            let phase = phases.iter().position(|p| *at >= start.0 && p.from.0 <= since && since < p.to.0);
            if let Some(phase) = phase {
                *counted.entry((phase, &named[*stack as usize])).or_default() += 1;
            }
        }
        let stack = |((phase, frames), samples): ((usize, &[String]), u64)| Stack {
            phase: phases[phase].name.clone(),
            frames: frames.to_vec(),
            samples,
        };
        let (samples, lost) = (collector.samples.len() as u64, collector.lost);
        let profile = Profile { event: EVENT.to_string(), period: self.period, samples, lost, cost, missing };
        (profile, counted.into_iter().map(stack).collect())
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
    use crate::os::clock;
    use model::load::PhaseKind;

    /// Burns CPU time under a name of its own.
    #[inline(never)]
    fn burns_under_its_own_name(until: Nanos) -> u64 {
        let mut sum = 0_u64;
        while clock::now() < until {
            sum = (0..10_000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
        }
        sum
    }

    #[test]
    fn the_function_that_burned_the_time_bears_it() {
        let profiler = match Profiler::begin(vec![std::process::id()], 999) {
            Ok(profiler) => profiler,
            // A machine that forbids it says so in one sentence, and nothing can be seen here.
            Err(why) => return assert!(why.starts_with("no profile: "), "{why}"),
        };
        let start = clock::now();
        std::hint::black_box(burns_under_its_own_name(Nanos(start.0 + 400_000_000)));
        let to = Nanos(clock::now().0 - start.0);
        let phase = PhaseRecord {
            name: "measure".into(),
            kind: PhaseKind::Measure,
            disturb: None,
            disturbance: None,
            settled: None,
            from: Nanos(0),
            to,
            groups: BTreeMap::new(),
            counters: BTreeMap::new(),
        };
        let (profile, stacks) = profiler.finish(start, &[phase]);
        let total: u64 = stacks.iter().map(|stack| stack.samples).sum();
        let burned = stacks.iter().filter(|s| s.frames.iter().any(|f| f.contains("burns_under_its_own_name")));
        assert!(total > 0 && profile.samples >= total && profile.period == Nanos(1_001_001), "{profile:?}");
        // Other tests of this process run beside it.
        assert!(burned.map(|stack| stack.samples).sum::<u64>() > 0, "{stacks:?}");
        assert!(stacks.iter().any(|stack| stack.is_unwound()), "{stacks:?}");
    }
}
