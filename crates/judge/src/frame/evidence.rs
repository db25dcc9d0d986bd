//! The record laid out for judging: cells in the order of the plan, each with its runs, each run with its instance and
//! dataset. Made once, in one pass, so that no check has to search; histograms stay where they are, because a thousand
//! runs of them are most of the memory.

use super::limits::Limits;
use crate::curves::search::answer::{self, Told};
use model::record::answer::Place;
use model::record::explain::Explain;
use model::record::run::Ends;
use model::topology::of_node;
use model::{
    Cell, CellId, DatasetRecord, Details, Ending, Group, GroupRecord, InstanceRecord, OperationTally, Phase, PhaseKind,
    PhaseRecord, Record, RunRecord, SearchJudgement, StatementTally, Tally,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

pub struct Evidence<'a> {
    pub record: &'a Record,
    /// Those in force.
    pub limits: Limits<'a>,
    pub cells: Vec<CellEvidence<'a>>,
}

#[derive(Clone)]
pub struct CellEvidence<'a> {
    pub cell: &'a Cell,
    pub limits: Limits<'a>,
    /// Runs that were done and have a phase that measures, by repetition: those that make the numbers.
    pub runs: Vec<RunEvidence<'a>>,
    /// What an explain run saw. It is among no other runs, since its instruments bend what they measure.
    pub explain: Option<&'a Explain>,
    /// That run itself.
    pub explained: Option<&'a RunRecord>,
    /// The others: failed or skipped.
    pub endings: Vec<&'a RunRecord>,
    /// What a cell that searches found. `runs` are then those that carry the answer, and all are in `trials`.
    pub search: Option<SearchJudgement>,
    pub trials: Vec<RunEvidence<'a>>,
}

#[derive(Clone)]
pub struct RunEvidence<'a> {
    pub record: &'a Record,
    pub details: &'a dyn Details,
    pub limits: Limits<'a>,
    /// With the load of this run: that of a search differs from run to run.
    pub cell: Cow<'a, Cell>,
    pub run: &'a RunRecord,
    pub instance: Option<&'a InstanceRecord>,
    /// More than one where groups need different data.
    pub datasets: Vec<&'a DatasetRecord>,
    /// Set where only one group's share is looked at: what the server or the kernel counted is then not known.
    pub group: Option<&'a Group>,
    /// All phases that measure, together.
    pub phases: Vec<&'a PhaseRecord>,
}

impl<'a> Evidence<'a> {
    pub fn of(record: &'a Record, details: &'a dyn Details) -> Self {
        let instances: BTreeMap<_, _> = record.instances.iter().map(|i| (i.key.as_str(), i)).collect();
        let datasets: BTreeMap<_, _> = record.datasets.iter().map(|d| (d.key.as_str(), d)).collect();
        let limits = Limits::set_by(&record.plan.limits);
        let empty = |cell| CellEvidence {
            cell,
            limits,
            runs: Vec::new(),
            explain: None,
            explained: None,
            endings: Vec::new(),
            search: None,
            trials: Vec::new(),
        };
        let mut cells: Vec<_> = record.plan.cells.iter().map(empty).collect();
        let places: BTreeMap<&CellId, usize> = record.plan.cells.iter().enumerate().map(|(i, c)| (&c.id, i)).collect();
        for run in &record.runs {
            let Some(place) = places.get(&run.cell) else { continue };
            let cell = &mut cells[*place];
            if let Some(explain) = &run.explain {
                cell.explain = run.is_done().then_some(explain);
                cell.explained = run.is_done().then_some(run);
                continue;
            }
            if run.profile.is_some() {
                continue;
            }
            let phases: Vec<_> = run.measured().filter(|p| p.to > p.from).collect();
            if !run.is_done() || phases.is_empty() {
                cell.endings.push(run);
                continue;
            }
            let instance = run.instance.as_deref().and_then(|key| instances.get(key).copied());
            let keys = run.dataset.iter().chain(&run.more_datasets);
            let datasets = keys.filter_map(|key| datasets.get(key.as_str()).copied()).collect();
            let level = run.trial.as_ref().map(|trial| trial.level);
            let asked = level.map_or(Cow::Borrowed(cell.cell), |level| Cow::Owned(cell.cell.at(level)));
            let evidence =
                RunEvidence { record, details, limits, cell: asked, run, instance, datasets, group: None, phases };
            cell.runs.push(evidence);
        }
        for cell in &mut cells {
            cell.runs.sort_by_key(|r| r.run.repetition);
            cell.endings.sort_by_key(|r| r.repetition);
            cell.tell_search();
        }
        Self { record, limits, cells }
    }
}

impl<'a> Evidence<'a> {
    /// The same, looked at by other limits.
    pub fn by(&self, limits: Limits<'a>) -> Self {
        Self { record: self.record, limits, cells: self.cells.iter().map(|c| c.by(limits)).collect() }
    }
}

impl<'a> CellEvidence<'a> {
    fn tell_search(&mut self) {
        if self.cell.search.is_none() {
            return;
        }
        let mut runs: Vec<&RunRecord> = self.runs.iter().map(|r| r.run).chain(self.endings.iter().copied()).collect();
        runs.sort_by_key(|r| r.repetition);
        let Told { judgement, carriers } = answer::tell(self.cell, &runs);
        self.trials.clone_from(&self.runs);
        self.runs.retain(|r| carriers.contains(&r.run.id));
        self.search = Some(judgement);
    }
    /// The same runs, one group alone.
    pub fn of_group(&self, group: &'a Group) -> Self {
        let runs = self.runs.iter().map(|r| RunEvidence { group: Some(group), ..r.clone() }).collect();
        CellEvidence {
            runs,
            explain: None,
            explained: None,
            endings: Vec::new(),
            search: None,
            trials: Vec::new(),
            ..self.clone()
        }
    }
    /// The same, looked at by other limits.
    pub fn by(&self, limits: Limits<'a>) -> Self {
        let runs = self.runs.iter().map(|r| RunEvidence { limits, ..r.clone() }).collect();
        Self { limits, runs, ..self.clone() }
    }
    /// How many there are to be, where one at least was made: as many as the plan has, or as were made.
    pub fn planned_runs(&self) -> usize {
        let plan = self.runs.first().map(|run| &run.record.plan);
        let planned = plan.into_iter().flat_map(|plan| &plan.runs);
        planned.filter(|run| run.cell == self.cell.id && !run.is_beside()).count().max(self.runs.len())
    }
    /// The names of the phases that measure, in order.
    pub fn phases(&self) -> Vec<&'a str> {
        let measure = |p: &&Phase| p.kind == PhaseKind::Measure;
        self.cell.phases.iter().filter(measure).map(|p| p.name.as_str()).collect()
    }
    /// The same runs, one phase alone.
    pub fn of_phase(&self, phase: &str) -> Self {
        let alone = |r: &RunEvidence<'a>| RunEvidence {
            phases: r.phases.iter().copied().filter(|p| p.name == phase).collect(),
            ..r.clone()
        };
        let runs = self.runs.iter().map(alone).filter(|r| !r.phases.is_empty()).collect();
        CellEvidence { runs, explain: None, endings: Vec::new(), search: None, trials: Vec::new(), ..self.clone() }
    }
    /// Each phase that measures alone where there are several, else all of the cell.
    pub fn by_phase(&self) -> Vec<(Option<&'a str>, Cow<'_, Self>)> {
        match self.phases()[..] {
            [] | [_] => vec![(None, Cow::Borrowed(self))],
            ref names => {
                // Of a cell that is one of its phases, the others are not there.
                let parts = names.iter().map(|name| (Some(*name), Cow::Owned(self.of_phase(name))));
                parts.filter(|(_, part): &(_, Cow<'_, Self>)| !part.runs.is_empty()).collect()
            }
        }
    }
    /// Each group alone; none where all users do the same.
    pub fn groups(&self) -> Vec<(&'a str, CellEvidence<'a>)> {
        self.own_groups().iter().map(|group| (group.name.as_str(), self.of_group(group))).collect()
    }
    /// The groups of all its runs, or of the phases that are looked at; none where all users do the same.
    pub fn own_groups(&self) -> &'a [Group] {
        self.runs.first().map_or(&self.cell.groups[..], |run| groups_in(self.cell, &run.phases))
    }
    /// Why there is no number; `None` where there is one.
    pub fn no_number(&self) -> Option<String> {
        if let Some(search) = self.search.as_ref().filter(|s| s.answer.is_none() && !s.trials.is_empty()) {
            return Some(search.sentence.clone());
        }
        if !self.runs.is_empty() {
            return None;
        }
        Some(match self.endings.first().map(|r| &r.ending) {
            Some(Ending::Failed { reason } | Ending::Skipped { reason }) => reason.clone(),
            Some(Ending::Done) => "its runs have no phase that measures".into(),
            None => "it has not been run yet".into(),
        })
    }
    /// Whether a search needs no further run.
    pub fn search_is_over(&self) -> bool {
        self.search.as_ref().is_some_and(|s| s.over)
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

/// Those of the cell, or of the phases that are looked at where all of them have the same.
fn groups_in<'a>(cell: &'a Cell, phases: &[&PhaseRecord]) -> &'a [Group] {
    if !cell.groups.is_empty() {
        return &cell.groups;
    }
    let mut own = cell.phases.iter().filter(|p| phases.iter().any(|r| r.name == p.name)).map(|p| &p.groups[..]);
    let first = own.next().unwrap_or_default();
    if own.all(|other| other == first) { first } else { &[] }
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
        let users = |p: &&PhaseRecord| self.shares(p).map(|g| g.users).sum();
        self.phases.iter().map(users).max().unwrap_or(0)
    }
    /// What is looked at of a phase: one group's share, or all.
    fn shares(&self, phase: &'a PhaseRecord) -> impl Iterator<Item = &'a GroupRecord> + use<'a> {
        let only = self.group.map(|g| g.name.as_str());
        phase.groups.iter().filter(move |(name, _)| only.is_none_or(|only| only == *name)).map(|(_, group)| group)
    }
    pub fn tallies(&self) -> impl Iterator<Item = &'a Tally> + use<'a, '_> {
        self.phases.iter().flat_map(|p| self.shares(p)).map(|g| &g.tally)
    }
    /// How the users that are looked at begin their operations, each group apart.
    pub fn groups(&self) -> Vec<(Group, Self)> {
        match (self.group, &self.cell) {
            (Some(group), _) => vec![(group.clone(), self.clone())],
            (None, Cow::Borrowed(cell)) if !groups_in(cell, &self.phases).is_empty() => groups_in(cell, &self.phases)
                .iter()
                .map(|g| (g.clone(), Self { group: Some(g), ..self.clone() }))
                .collect(),
            (None, Cow::Borrowed(_) | Cow::Owned(_)) => {
                self.cell.groups().into_iter().map(|group| (group, self.clone())).collect()
            }
        }
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
    /// Growth of a counter between two readings, summed over the nodes of a cluster where each of them counts; `None`
    /// when one of them was not read.
    pub fn grown(&self, counters: &BTreeMap<String, Ends>, name: &str) -> Option<Growth> {
        let first = counters.get(name)?;
        let nodes = (2..=self.cell.server.topology.nodes()).map(|node| counters.get(&of_node(node, name)));
        let counted: Vec<_> = nodes.collect();
        let others = match counted.iter().all(Option::is_none) {
            // The client's and the host's.
            true => 0.0,
            false => counted.into_iter().map(|ends| ends.map(Ends::delta)).sum::<Option<f64>>()?,
        };
        Some(Growth { delta: first.delta() + others, seconds: first.seconds() })
    }
    /// `None` when it was not measured in each of the phases.
    pub fn growth(&self, counter: &str) -> Option<Growth> {
        if self.group.is_some() {
            return None;
        }
        self.phases.iter().try_fold(Growth::default(), |sum, phase| {
            let more = self.grown(&phase.counters, counter)?;
            Some(Growth { delta: sum.delta + more.delta, seconds: sum.seconds + more.seconds })
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
    /// The server is where the load is. Of one that was found and whose record does not say it, its CPUs could be read.
    pub fn is_on_this_host(&self) -> bool {
        match self.instance.and_then(|instance| instance.place) {
            Some(Place::ThisHost) => true,
            Some(Place::Elsewhere) => false,
            None => self.cell.server.on.is_none() || self.instance.is_some_and(|i| !i.cpus.is_empty()),
        }
    }
    /// Client and server compete for at least one CPU.
    pub fn is_co_located(&self) -> bool {
        self.is_on_this_host() && self.load_cpus().iter().any(|c| self.server_cpus().contains(c))
    }
}
