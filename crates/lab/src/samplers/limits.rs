//! What the server's process and the load's threads may use while users are at work: priority, CPUs, control groups,
//! limits, who traces them; and whether somebody set the clock on the wall. What is changed and put back within a run
//! is seen at neither end of it, so it is read once a second, too. It tells no numbers: what it saw is kept beside what
//! held at the ends (`execution/states.rs`). Not here: the kernel's knobs, of which there are hundreds.

use super::source::{Available, Occasion, Owner, Process, Reading, Sampler, Source, Turn, Workers};
use crate::os::{knobs, limits};
use model::record::state::{Facet, State};

pub(crate) const SAMPLER: Sampler = Sampler { name: "limits", turn: Turn::Between, owner: Owner::Host, make };

fn make(available: &Available) -> Option<Box<dyn Source>> {
    let server = available.server.as_ref().map(|server| server.first());
    Some(Box::new(Limits { server, workers: available.workers.clone(), seen: Vec::new() }))
}

/// States of one run that are kept: somebody who changes a limit each second has been seen by then.
const KEPT: usize = 16;

pub(crate) struct Limits {
    server: Option<Process>,
    workers: Workers,
    seen: Vec<State>,
}

impl Limits {
    fn saw(&mut self, facet: Facet, facts: limits::Facts) {
        let state = State::new(facet, facts);
        if !state.facts.is_empty() && self.seen.len() < KEPT && !self.seen.contains(&state) {
            self.seen.push(state);
        }
    }
}

impl Source for Limits {
    fn name(&self) -> &'static str {
        SAMPLER.name
    }

    fn read(&mut self, occasion: Occasion, _: &mut Reading) {
        let workers = self.workers.get();
        // At marks numbers are waited for, and users come or go.
        if occasion == Occasion::Mark || workers.is_empty() {
            return;
        }
        if let Some(server) = &self.server {
            let facts = limits::of_running(server.pid());
            self.saw(Facet::Process, facts);
        }
        let mut facts = limits::of_main(std::process::id());
        let of_workers = limits::of_threads(std::process::id(), &workers);
        facts.extend(of_workers.into_iter().map(|(name, value)| (format!("{name} of the load's threads"), value)));
        self.saw(Facet::Client, facts);
        self.saw(Facet::Kernel, knobs::of_clock());
    }

    fn states(&mut self) -> Vec<State> {
        std::mem::take(&mut self.seen)
    }
}
