//! Whether somebody writes to what sets the kernel, the control groups of server and load or the server's process
//! while users are at work: hundreds of files, too many to be read once a second, of which some keep no value. What a
//! knob of the kernel is set to once it was written is read at once. And whether the clock on the wall is set. It
//! tells no numbers: what it saw is kept beside what held at the ends (`execution/states.rs`).

use super::source::{Available, Occasion, Owner, Process, Reading, Sampler, Source, Turn, Workers};
use crate::os::clock_sets::ClockSets;
use crate::os::file_writes::FileWrites;
use crate::os::knobs;
use model::record::state::{Facet, State};
use std::collections::BTreeMap;

pub(crate) const SAMPLER: Sampler = Sampler { name: "kernel_writes", turn: Turn::Between, owner: Owner::Host, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    let server = available.server.as_ref().map(|server| server.first());
    Some(Box::new(KernelWrites {
        watch: watch(server.as_ref()),
        clock: ClockSets::begin().ok(),
        workers: available.workers.clone(),
        ..Default::default()
    }))
}

/// How it is told beside the files.
const CLOCK: &str = "CLOCK_REALTIME";
/// Values of one run that are kept.
const KEPT: usize = 16;

#[derive(Default)]
struct KernelWrites {
    watch: Option<FileWrites>,
    clock: Option<ClockSets>,
    workers: Workers,
    counts: BTreeMap<String, u64>,
    values: Vec<State>,
}

fn watch(server: Option<&Process>) -> Option<FileWrites> {
    FileWrites::begin(knobs::folders_of(server.map(Process::pid))).ok()
}

impl Source for KernelWrites {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let Some(watch) = &mut self.watch else {
            return reading.missing("writes to the kernel's knobs", "nobody watches more folders here");
        };
        let written = watch.take();
        let clock_was_set = self.clock.as_ref().is_some_and(ClockSets::was_set);
        // Before the users come the lab itself may set what it was asked to.
        if self.workers.get().is_empty() {
            return;
        }
        if clock_was_set {
            *self.counts.entry(CLOCK.into()).or_default() += 1;
        }
        for (path, count) in written.into_iter().filter(|(path, _)| !knobs::is_no_knob(path)) {
            *self.counts.entry(knobs::named(&path)).or_default() += count;
            let value = knobs::value(&path).map(|value| State::new(Facet::Kernel, [value].into()));
            if self.values.len() < KEPT {
                self.values.extend(value);
            }
        }
    }

    fn states(&mut self) -> Vec<State> {
        let counts = std::mem::take(&mut self.counts).into_iter().map(|(name, count)| (name, count.to_string()));
        let counts = State::new(Facet::KernelWrites, counts.collect());
        let all = std::mem::take(&mut self.values).into_iter().chain([counts]);
        all.filter(|state| !state.facts.is_empty()).collect()
    }
}
