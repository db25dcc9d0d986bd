//! The record laid out for judging: cells in the order of the plan, each with its runs, each run with its instance and
//! dataset. Made once, in one pass, so that no check has to search; histograms stay where they are, because a thousand
//! runs of them are most of the memory.

use model::plan::{Cell, CellId};
use model::record::answer::{DatasetRecord, InstanceRecord};
use model::record::run::{Ending, PhaseRecord, RunRecord};
use model::record::tally::{OperationTally, StatementTally, Tally};
use model::record::{Details, Record};
use std::collections::BTreeMap;

pub struct Evidence<'a> {
    pub record: &'a Record,
    pub cells: Vec<CellEvidence<'a>>,
}

pub struct CellEvidence<'a> {
    pub cell: &'a Cell,
    /// Runs that were done and have a phase that measures, by repetition: those that make the numbers.
    pub runs: Vec<RunEvidence<'a>>,
    /// The others: failed or skipped.
    pub endings: Vec<&'a RunRecord>,
}

#[derive(Clone)]
pub struct RunEvidence<'a> {
    pub record: &'a Record,
    pub details: &'a dyn Details,
    pub cell: &'a Cell,
    pub run: &'a RunRecord,
    pub instance: Option<&'a InstanceRecord>,
    pub dataset: Option<&'a DatasetRecord>,
    /// All phases that measure, together.
    pub phases: Vec<&'a PhaseRecord>,
}

impl<'a> Evidence<'a> {
    pub fn of(record: &'a Record, details: &'a dyn Details) -> Self {
        let instances: BTreeMap<_, _> = record.instances.iter().map(|i| (i.key.as_str(), i)).collect();
        let datasets: BTreeMap<_, _> = record.datasets.iter().map(|d| (d.key.as_str(), d)).collect();
        let empty = |cell| CellEvidence { cell, runs: Vec::new(), endings: Vec::new() };
        let mut cells: Vec<_> = record.plan.cells.iter().map(empty).collect();
        let places: BTreeMap<&CellId, usize> = record.plan.cells.iter().enumerate().map(|(i, c)| (&c.id, i)).collect();
        for run in &record.runs {
            let Some(place) = places.get(&run.cell) else { continue };
            let cell = &mut cells[*place];
            let phases: Vec<_> = run.measured().filter(|p| p.to > p.from).collect();
            if !run.is_done() || phases.is_empty() {
                cell.endings.push(run);
                continue;
            }
            let instance = run.instance.as_deref().and_then(|key| instances.get(key).copied());
            let dataset = run.dataset.as_deref().and_then(|key| datasets.get(key).copied());
            cell.runs.push(RunEvidence { record, details, cell: cell.cell, run, instance, dataset, phases });
        }
        for cell in &mut cells {
            cell.runs.sort_by_key(|r| r.run.repetition);
            cell.endings.sort_by_key(|r| r.repetition);
        }
        Self { record, cells }
    }
}

impl CellEvidence<'_> {
    /// Why there is no number; `None` where there is one.
    pub fn no_number(&self) -> Option<String> {
        if !self.runs.is_empty() {
            return None;
        }
        Some(match self.endings.first().map(|r| &r.ending) {
            Some(Ending::Failed { reason } | Ending::Skipped { reason }) => reason.clone(),
            Some(Ending::Done) => "its runs have no phase that measures".into(),
            None => "it has not been run yet".into(),
        })
    }
    pub fn failed(&self) -> impl Iterator<Item = (&RunRecord, &str)> {
        self.endings.iter().filter_map(|run| match &run.ending {
            Ending::Failed { reason } => Some((*run, reason.as_str())),
            Ending::Done | Ending::Skipped { .. } => None,
        })
    }
    pub fn was_skipped(&self) -> bool {
        self.runs.is_empty() && self.endings.iter().any(|r| matches!(r.ending, Ending::Skipped { .. }))
    }
}

/// How much a counter grew, over its own window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    pub delta: f64,
    pub seconds: f64,
}

impl<'a> RunEvidence<'a> {
    pub fn path(&self) -> String {
        format!("runs/{}/run.json", self.run.id)
    }
    pub fn seconds(&self) -> f64 {
        self.phases.iter().map(|p| p.length().seconds()).sum()
    }
    pub fn users(&self) -> u32 {
        self.phases.iter().map(|p| p.users()).max().unwrap_or(0)
    }
    pub fn tallies(&self) -> impl Iterator<Item = &'a Tally> + use<'a, '_> {
        self.phases.iter().flat_map(|p| p.groups.values()).map(|g| &g.tally)
    }
    pub fn operations(&self) -> impl Iterator<Item = (&'a String, &'a OperationTally)> + use<'a, '_> {
        self.tallies().flat_map(|t| &t.operations)
    }
    pub fn statements(&self) -> impl Iterator<Item = (&'a String, &'a StatementTally)> + use<'a, '_> {
        self.tallies().flat_map(|t| &t.statements)
    }
    /// Statements answered without error.
    pub fn calls(&self) -> u64 {
        self.statements().map(|(_, s)| s.calls).sum()
    }
    /// Operations done.
    pub fn done(&self) -> u64 {
        self.operations().map(|(_, o)| o.done).sum()
    }
    pub fn qps(&self) -> f64 {
        self.calls() as f64 / self.seconds()
    }
    /// `None` when it was not measured in each of the phases.
    pub fn growth(&self, counter: &str) -> Option<Growth> {
        self.phases.iter().try_fold(Growth::default(), |sum, phase| {
            let ends = phase.counters.get(counter)?;
            Some(Growth { delta: sum.delta + ends.delta(), seconds: sum.seconds + ends.seconds() })
        })
    }
    /// Growth per second of the counter's own window, which may lie a little beside the phase: readings take time.
    pub fn rate(&self, counter: &str) -> Option<f64> {
        self.growth(counter).filter(|g| g.seconds > 0.0).map(|g| g.delta / g.seconds)
    }
    /// The same of several counters, summed.
    pub fn rates(&self, counters: &[&str]) -> Option<f64> {
        counters.iter().map(|c| self.rate(c)).sum()
    }
    /// CPUs that the server may use.
    pub fn server_cpus(&self) -> &'a [u32] {
        match self.instance {
            Some(instance) if !instance.cpus.is_empty() => &instance.cpus,
            Some(_) | None => &self.record.host.cpus,
        }
    }
    /// CPUs that the load may use.
    pub fn load_cpus(&self) -> &'a [u32] {
        if self.run.load_cpus.is_empty() { &self.record.host.cpus } else { &self.run.load_cpus }
    }
    /// Client and server compete for at least one CPU.
    pub fn is_co_located(&self) -> bool {
        self.cell.server.on.is_none() && self.load_cpus().iter().any(|c| self.server_cpus().contains(c))
    }
}
