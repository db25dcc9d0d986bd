//! What happens around a load, written down as it happens: intervals, what was read at the ends of phases, and
//! disturbances, which begin and end with their phase. A run may drive several loads, one for each stage; phases are
//! numbered through.

use super::limit_watch::LimitWatch;
use super::ranks;
use super::sampling::{Readings, Sampled, Sampling, between};
use crate::disturbances::ends_the_server;
use crate::disturbances::scene::acting::{Acting, Over};
use crate::load::{Outcome, Witness};
use crate::notebook::Page;
use crate::notebook::reporter::{Progress, Reporter};
use crate::samplers::Workers;
use crate::trouble::Trouble;
use model::plan::Stage;
use model::record::run::{Ends, Settled};
use model::record::tally::Interval;
use model::{Cell, DisturbanceRecord, EventKind, Group, GroupRecord, Nanos, PhaseKind, PhaseRecord, PlannedRun, Tally};
use std::collections::BTreeMap;

pub(crate) struct RunRecorder<'a> {
    pub cell: &'a Cell,
    workers: Workers,
    pub sampling: Sampling,
    intervals: Page<Interval>,
    written: Result<(), Trouble>,
    start: Nanos,
    phases: Vec<Sum>,
    acting: Acting,
    disturbances: BTreeMap<usize, DisturbanceRecord>,
    /// The limit that a run which tries a rate watches.
    pub limit: Option<LimitWatch>,
}

/// One phase as the workers cut it.
struct Sum {
    from: Option<Nanos>,
    /// Over all workers.
    length: u64,
    workers: u32,
    groups: Vec<Group>,
    /// In the same order.
    tallies: Vec<Tally>,
    /// What was read at its two ends.
    begin: Option<Readings>,
    end: Option<Readings>,
    settled: Option<Settled>,
}

impl<'a> RunRecorder<'a> {
    pub fn new(
        cell: &'a Cell,
        workers: Workers,
        sampling: Sampling,
        intervals: Page<Interval>,
        acting: Acting,
    ) -> Self {
        Self {
            cell,
            workers,
            sampling,
            intervals,
            written: Ok(()),
            start: Nanos(0),
            phases: Vec::new(),
            acting,
            disturbances: BTreeMap::new(),
            limit: LimitWatch::of(cell),
        }
    }

    fn since(&self, at: Nanos) -> Nanos {
        Nanos(at.0.saturating_sub(self.start.0))
    }

    /// When the run's first phase began.
    pub fn start(&self) -> Nanos {
        self.start
    }

    /// All that is counted, now.
    pub fn mark(&self) -> Readings {
        self.sampling.mark().wait()
    }

    /// A phase in which nobody worked is over.
    pub fn settled(&mut self, place: usize, begun: Nanos, settled: Settled) {
        assert_eq!(place, self.phases.len(), "phases come in their order");
        let (length, settled) = (settled.took.0, Some(settled));
        let (groups, tallies) = (Vec::new(), Vec::new());
        self.phases.push(Sum {
            from: Some(begun),
            length,
            workers: 1,
            groups,
            tallies,
            begin: None,
            end: None,
            settled,
        });
    }

    /// Its turn comes: what it samples once a second is read again.
    pub fn wake(&self) {
        if self.start != Nanos(0) {
            self.sampling.start(self.start, self.cell.load.sampling);
        }
    }

    /// It waits for its turn, and its server is left alone.
    pub fn sleep(&self) {
        self.sampling.start(self.start, false);
    }

    /// Waits until nothing disturbs the instance any more.
    pub fn rest(&mut self) -> Vec<Over> {
        let over = self.acting.finish();
        self.keep(&over);
        over
    }

    fn keep(&mut self, over: &[Over]) {
        for Over { phase, record, .. } in over {
            let (began, ended) = (self.since(record.began), self.since(record.ended));
            self.disturbances.insert(*phase, DisturbanceRecord { began, ended, ..record.clone() });
        }
    }

    /// The phases that were begun, and what sampling left; whether all was written is of both.
    pub fn close(mut self) -> (Vec<PhaseRecord>, Sampled) {
        let phases = self.phases.into_iter().zip(&self.cell.phases).enumerate().filter_map(|(k, (sum, phase))| {
            let from = Nanos(sum.from?.0.saturating_sub(self.start.0));
            let groups = sum.groups.iter().zip(sum.tallies).map(|(group, tally)| {
                let workload = group.work.workload.clone();
                (group.name.clone(), GroupRecord { users: group.users.0, workload, tally })
            });
            let mut counters = match (phase.kind, &sum.begin, &sum.end) {
                (PhaseKind::Measure, Some(begin), Some(end)) => between(begin, end, self.start),
                (PhaseKind::Measure | PhaseKind::WarmUp, _, _) => BTreeMap::new(),
            };
            if ends_the_server(phase.disturb.as_ref()) {
                keep_own(&mut counters);
            }
            Some(PhaseRecord {
                name: phase.name.clone(),
                kind: phase.kind,
                disturb: phase.disturb.as_ref().map(|d| d.name.clone()),
                disturbance: self.disturbances.remove(&k),
                settled: sum.settled,
                from,
                to: Nanos(from.0 + sum.length / u64::from(sum.workers.max(1))),
                groups: groups.collect(),
                counters,
            })
        });
        let phases = phases.collect();
        let sampled = self.sampling.finish();
        let written = self.written.and(self.intervals.finish()).and(sampled.written);
        (phases, Sampled { written, ..sampled })
    }
}

/// Shows a person how far the plan is, and what happens now.
pub type Show<'a> = &'a dyn Fn(&mut dyn Progress, &str);

/// A recorder at work on one stage, that also shows how far the run is.
pub(crate) struct Watch<'w, 's, 'r> {
    pub recorder: &'w mut RunRecorder<'s>,
    pub reporter: &'w mut Reporter<'r>,
    pub show: Show<'w>,
    /// Whoever hears what happens beside the record.
    pub beside: Option<&'w mut dyn Witness>,
    pub run: &'w PlannedRun,
    pub stage: &'w Stage,
    pub workers: u32,
}

impl Watch<'_, '_, '_> {
    fn note(&mut self, kind: EventKind, text: String) {
        let noted = self.reporter.note(kind, Some(&self.run.id), text);
        if self.recorder.written.is_ok() {
            self.recorder.written = noted;
        }
    }

    /// The sum of a phase of this stage.
    fn sum(&mut self, phase: usize) -> &mut Sum {
        let groups = &self.stage.groups;
        let (place, workers) = (self.stage.phases.start + phase, self.workers);
        while self.recorder.phases.len() <= place {
            let tallies = vec![Tally::default(); groups.len()];
            let (from, length, begin, end) = (None, 0, None, None);
            self.recorder.phases.push(Sum {
                from,
                length,
                workers,
                groups: groups.clone(),
                tallies,
                begin,
                end,
                settled: None,
            });
        }
        &mut self.recorder.phases[place]
    }
}

impl Witness for Watch<'_, '_, '_> {
    fn workers(&mut self, threads: &[i32]) {
        self.recorder.workers.set(threads.iter().map(|t| *t as u32).collect());
        if let Some(beside) = &mut self.beside {
            beside.workers(threads);
        }
    }

    fn starts(&mut self) {
        if let Some(beside) = &mut self.beside {
            beside.starts();
        }
    }

    fn phase_begins(&mut self, phase: usize, at: Nanos) {
        if let Some(beside) = &mut self.beside {
            beside.phase_begins(phase, at);
        }
        let place = self.stage.phases.start + phase;
        if place == 0 {
            self.recorder.start = at;
            self.recorder.sampling.start(at, self.recorder.cell.load.sampling);
        }
        // Where one phase ends the next begins; what other workers spend is read anew.
        let begin = match phase.checked_sub(1).and_then(|before| self.sum(before).end.clone()) {
            Some(readings) => readings,
            None => self.recorder.mark(),
        };
        self.sum(phase).begin = Some(begin);
        if let Some(disturb) = self.recorder.cell.phases[place].disturb.clone() {
            self.note(
                EventKind::DisturbanceBegan,
                format!("{disturb} in phase {}", self.recorder.cell.phases[place].name),
            );
            self.recorder.acting.begin(place, &disturb);
        }
    }

    fn phase_ends(&mut self, phase: usize, at: Nanos) {
        if let Some(beside) = &mut self.beside {
            beside.phase_ends(phase, at);
        }
        let end = self.recorder.mark();
        self.sum(phase).end = Some(end);
        self.recorder.acting.end(self.stage.phases.start + phase);
    }

    fn interval(&mut self, user_group: usize, phase: usize, from: Nanos, to: Nanos, mut tally: Tally) {
        if let Some(beside) = &mut self.beside {
            beside.interval(user_group, phase, from, to, tally.clone());
        }
        let place = self.stage.phases.start + phase;
        let kind = self.recorder.cell.phases[place].kind;
        if let Some(limit) = self.recorder.limit.as_mut().filter(|_| kind == PhaseKind::Measure) {
            limit.saw(&tally);
        }
        let sum = self.sum(phase);
        sum.from = Some(sum.from.map_or(from, |f| f.min(from)));
        // A worker cuts all groups at the same moments.
        sum.length += if user_group == 0 { to.0 - from.0 } else { 0 };
        sum.tallies[user_group].merge(&tally);
        let group = sum.groups[user_group].name.clone();
        let phase = self.recorder.cell.phases[place].name.clone();
        tally.course = tally.course.map(|course| course.since(self.recorder.start));
        let interval = Interval { from: self.recorder.since(from), to: self.recorder.since(to), phase, group, tally };
        if self.recorder.written.is_ok() {
            self.recorder.written = self.recorder.intervals.append(&interval);
        }
    }

    fn is_certain(&self) -> bool {
        self.recorder.limit.as_ref().is_some_and(LimitWatch::is_lost)
    }

    fn look(&mut self) -> Option<String> {
        let over = self.recorder.acting.over();
        self.recorder.keep(&over);
        let mut failure = None;
        for Over { record, trouble, .. } in over {
            self.note(EventKind::DisturbanceEnded, format!("{}: {}", record.what, record.sentence));
            failure = failure.or(trouble.map(|why| format!("the disturbance {} could not act: {why}", record.what)));
        }
        failure.or_else(|| self.beside.as_mut()?.look())
    }

    fn outside(&mut self, user_group: usize, from: Nanos, to: Nanos, tally: Tally) {
        if let Some(beside) = &mut self.beside {
            beside.outside(user_group, from, to, tally);
        }
    }

    fn progress(&mut self, _: f64) {
        let cell = self.recorder.cell;
        (self.show)(self.reporter.progress, &format!("{} · {}", cell.workload, cell.load.users));
    }
}

/// Leaves what a server that was started again has not begun to count anew.
pub(crate) fn keep_own(counters: &mut BTreeMap<String, Ends>) {
    counters.retain(|name, _| name.starts_with("client.") || name.starts_with("host."));
}

/// What several loads of one run came to, as if it had been one.
pub(crate) fn joined(mut all: Vec<Outcome>) -> Outcome {
    let mut first = all.remove(0);
    for next in all {
        first.questions += next.questions;
        first.rows += next.rows;
        first.writes.statements += next.writes.statements;
        first.writes.rows = first.writes.rows.zip(next.writes.rows).map(|(a, b)| a + b);
        first.whole.merge(&next.whole);
        first.counted.extend(next.counted);
        first.phases.extend(next.phases);
        first.failure = first.failure.or(next.failure);
        first.cause = next.cause;
        first.stopped |= next.stopped;
        first.cut |= next.cut;
        first.workers = first.workers.max(next.workers);
        first.worker_cpu.0 += next.worker_cpu.0;
        first.timer_error.merge(&next.timer_error);
        ranks::join(&mut first.ranks, next.ranks);
    }
    first
}
