//! What a profiler counted, with the names of functions instead of addresses. Frames of the scheduler itself are left
//! out of waits: a thread that waits is in them whatever it waits for.

use super::collector::{Frame, RawStack, Seen};
use super::files::Mapped;
use super::naming;
use model::record::profile::{KERNEL, NOT_UNWOUND, PREEMPTED, Stack};
use std::collections::{BTreeMap, BTreeSet};

/// How the kernel's functions begin in which a thread gives up its CPU.
const SCHEDULER: [&str; 7] =
    ["schedule", "__schedule", "io_schedule", "preempt_schedule", "perf_", "__perf_", "__cond_resched"];

impl Seen {
    /// The stacks, and what kept some of their functions from having a name.
    pub fn named(
        &self,
        phases: &[&str],
        raw: &[&RawStack],
        files: &[Mapped],
        waits: bool,
    ) -> (Vec<Stack>, Vec<String>) {
        let frames: BTreeSet<Frame> = raw.iter().flat_map(|stack| stack.frames.iter().copied()).collect();
        let (names, missing) = naming::names(files, &frames);
        let named = |stack: &&RawStack| -> Vec<String> {
            let outer = (!stack.is_whole).then(|| NOT_UNWOUND.to_string());
            let mut all: Vec<String> =
                outer.into_iter().chain(stack.frames.iter().rev().flat_map(|frame| names[frame].clone())).collect();
            while waits && all.len() > 1 && all.last().is_some_and(|name| is_scheduler(name)) {
                all.pop();
            }
            all
        };
        let named: Vec<Vec<String>> = raw.iter().map(named).collect();
        let mut folded: BTreeMap<(usize, Vec<String>), u64> = BTreeMap::new();
        for ((phase, stack, is_preempted), samples) in &self.counts {
            let mut frames = named[*stack as usize].clone();
            frames.extend(is_preempted.then(|| PREEMPTED.to_string()));
            *folded.entry((*phase, frames)).or_default() += samples;
        }
        let stack = |((phase, frames), samples): ((usize, Vec<String>), u64)| Stack {
            phase: phases[phase].to_string(),
            frames,
            samples,
        };
        (folded.into_iter().map(stack).collect(), missing)
    }
}

fn is_scheduler(name: &str) -> bool {
    name.strip_suffix(KERNEL).is_some_and(|name| SCHEDULER.iter().any(|beginning| name.starts_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_is_the_kernels_own() {
        for (name, wanted) in [
            ("__schedule_[k]", true),
            ("schedule_hrtimeout_range_[k]", true),
            ("futex_do_wait_[k]", false),
            ("schedule_events", false),
        ] {
            assert_eq!(is_scheduler(name), wanted, "{name}");
        }
    }
}
