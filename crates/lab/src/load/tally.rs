//! Hot path: what one worker counts. Users of a worker share one tally, indexed by operation and statement class; once
//! a second it is handed over whole and an empty one takes its place, so that counting costs an index and a histogram
//! increment.

use super::UserGroup;
use super::ledger::Opened;
use model::record::course::{Course, Stall};
use model::record::gaps::Gaps;
use model::{ArrivalTally, Histogram, Nanos, OperationTally, StatementTally, Tally};
use workload::session::{Answer, Class, Fact, Fault};
use workload::user::{End, Operation};
use workload::{Doing, Workload};

/// Counts of one worker since the last handover.
pub struct WorkerTally {
    operations: Vec<OperationTally>,
    statements: Vec<StatementTally>,
    facts: Vec<i64>,
    reconnects: u64,
    connects: Histogram,
    /// As servers count them: texts and executions, plumbing included.
    questions: u64,
    rows: u64,
    pub arrivals: ArrivalTally,
    /// Where operations wait for moments.
    lag: Option<Histogram>,
    gaps: Gaps,
    within: Within,
    /// Operations have intended starts.
    is_scheduled: bool,
}

impl WorkerTally {
    pub fn new<D>(user_group: &UserGroup<D>) -> Self {
        let workload = &*user_group.workload;
        let is_scheduled = user_group.schedule().is_some();
        let service = || is_scheduled.then(Histogram::new);
        Self {
            operations: workload
                .operations()
                .iter()
                .map(|_| OperationTally { latency: Histogram::new(), service: service(), ..OperationTally::default() })
                .collect(),
            statements: workload
                .statements()
                .iter()
                .map(|statement| {
                    // A class that has no name yet may never come: its first answer makes room.
                    let service = if statement.name.is_empty() { Histogram::default() } else { Histogram::new() };
                    StatementTally { service, ..StatementTally::default() }
                })
                .collect(),
            facts: vec![0; workload.facts().len()],
            reconnects: 0,
            connects: Histogram::new(),
            questions: 0,
            rows: 0,
            arrivals: ArrivalTally::default(),
            lag: (is_scheduled || user_group.pause.is_some()).then(Histogram::new),
            gaps: Gaps::default(),
            within: Within::default(),
            is_scheduled,
        }
    }

    /// From the intended start, and from the actual one.
    #[inline]
    pub fn ended(&mut self, operation: Operation, end: End, latency: Nanos, service: Nanos) {
        let o = &mut self.operations[operation.0 as usize];
        match end {
            End::Done => o.done += 1,
            End::RolledBack => o.rolled_back += 1,
        }
        o.latency.record(latency);
        if let Some(histogram) = &mut o.service {
            histogram.record(service);
        }
    }

    #[inline]
    pub fn lagged(&mut self, lag: Nanos) {
        if let Some(histogram) = &mut self.lag {
            histogram.record(lag);
        }
    }

    #[inline]
    pub fn gap(&mut self, from: Nanos, to: Nanos) {
        let gap = Nanos(to.0.saturating_sub(from.0));
        self.gaps.record(gap);
        self.within.saw(to, gap);
    }

    /// The interval that is counted from now on.
    pub fn begin(&mut self, at: Nanos) {
        self.within = Within { tenth_ends: Nanos(at.0 + Course::TENTH.0), ..Within::default() };
    }

    #[cold]
    pub fn failed(&mut self, operation: Operation, fault: &Fault) {
        let o = &mut self.operations[operation.0 as usize];
        *o.failed.entry(fault.number()).or_default() += 1;
        o.messages.entry(fault.number()).or_insert_with(|| fault.to_string());
    }

    #[cold]
    pub fn retried(&mut self, operation: Operation, fault: &Fault) {
        *self.operations[operation.0 as usize].retried.entry(fault.number()).or_default() += 1;
    }

    #[inline]
    pub fn answered(&mut self, class: Class, answer: &Answer, bytes: u64, service: Nanos) {
        self.rows += answer.rows;
        // What a session says to set itself up belongs to no class.
        let Some(s) = self.statements.get_mut(class.0 as usize) else { return };
        s.calls += 1;
        s.rows += answer.rows;
        s.affected += answer.affected;
        s.warnings += u64::from(answer.warnings);
        s.bytes += bytes;
        s.service.record(service);
    }

    #[cold]
    pub fn refused(&mut self, class: Class, fault: &Fault) {
        if let Some(s) = self.statements.get_mut(class.0 as usize) {
            *s.failed.entry(fault.number()).or_default() += 1;
            s.messages.entry(fault.number()).or_insert_with(|| fault.to_string());
        }
    }

    #[inline]
    pub fn counted(&mut self, fact: Fact, amount: i64) {
        self.facts[fact.0 as usize] += amount;
    }

    #[cold]
    pub fn unexpected(&mut self, class: Class) {
        self.statements[class.0 as usize].unexpected += 1;
    }

    #[cold]
    pub fn connected(&mut self, time: Nanos, after: Opened) {
        self.connects.record(time);
        self.reconnects += u64::from(after == Opened::AfterBreak);
    }

    /// One more request that the server counts as a Question.
    #[inline]
    pub fn asked(&mut self) {
        self.questions += 1;
    }

    /// Questions and rows, everything included.
    pub fn whole(&self) -> (u64, u64) {
        (self.questions, self.rows)
    }

    /// The same under names; plumbing and what never happened is left out.
    pub fn named(&self, workload: &dyn Workload) -> Tally {
        let mut tally = Tally {
            connects: self.connects.count(),
            reconnects: self.reconnects,
            connect_time: (self.connects.count() > 0).then(|| self.connects.clone()),
            arrivals: self.is_scheduled.then_some(self.arrivals),
            lag: self.lag.clone(),
            gaps: Some(self.gaps.clone()),
            course: Some(self.within.told()),
            facts: (workload.facts().iter().zip(&self.facts))
                .filter(|(_, amount)| **amount != 0)
                .map(|(name, amount)| ((*name).to_string(), *amount))
                .collect(),
            ..Tally::default()
        };
        for (name, o) in workload.operations().iter().zip(&self.operations) {
            if o.latency.count() > 0 || !o.failed.is_empty() || !o.retried.is_empty() {
                tally.operations.insert((*name).to_string(), o.clone());
            }
        }
        for (statement, s) in workload.statements().iter().zip(&self.statements) {
            match statement.doing {
                Doing::Commit | Doing::WriteAndCommit => tally.commits += s.calls,
                Doing::Rollback => tally.rollbacks += s.calls,
                Doing::Read | Doing::Write | Doing::Begin => {}
                Doing::Plumbing => {
                    if s.calls > 0 {
                        tally.aside.insert(statement.name.to_string(), s.calls);
                    }
                    continue;
                }
            }
            if s.calls > 0 || !s.failed.is_empty() || s.unexpected > 0 {
                tally.statements.insert(statement.name.to_string(), s.clone());
            }
        }
        tally
    }

    pub fn clear(&mut self) {
        for o in &mut self.operations {
            o.latency.clear();
            let mut service = o.service.take();
            service.iter_mut().for_each(Histogram::clear);
            *o = OperationTally { latency: std::mem::take(&mut o.latency), service, ..OperationTally::default() };
        }
        for s in &mut self.statements {
            s.service.clear();
            *s = StatementTally { service: std::mem::take(&mut s.service), ..StatementTally::default() };
        }
        self.facts.fill(0);
        (self.reconnects, self.questions, self.rows) = (0, 0, 0);
        self.connects.clear();
        self.arrivals = ArrivalTally::default();
        self.lag.iter_mut().for_each(Histogram::clear);
        self.gaps = Gaps::default();
        self.within = Within::default();
    }
}

/// Tenths of one interval, which may be a little longer than a second.
const TENTHS: usize = 12;
/// Stalls of an interval that are kept with their moment.
const STALLS: usize = 4;

/// How the interval goes, in so much room.
#[derive(Default)]
struct Within {
    tenths: [u32; TENTHS],
    /// The tenth that is under way, and its end.
    tenth: usize,
    tenth_ends: Nanos,
    stalls: [Stall; STALLS],
}

impl Within {
    #[inline]
    fn saw(&mut self, now: Nanos, gap: Nanos) {
        while now >= self.tenth_ends && self.tenth + 1 < TENTHS {
            self.tenth += 1;
            self.tenth_ends.0 += Course::TENTH.0;
        }
        self.tenths[self.tenth] += 1;
        if gap >= Gaps::FROM {
            self.stood(Stall { at: Nanos(now.0 - gap.0), length: gap });
        }
    }

    /// Takes the place of the shortest.
    fn stood(&mut self, stall: Stall) {
        let shortest = self.stalls.iter_mut().min_by_key(|known| known.length).expect("there is room for some");
        if stall.length > shortest.length {
            *shortest = stall;
        }
    }

    fn told(&self) -> Course {
        let mut stalls: Vec<Stall> = self.stalls.iter().copied().filter(|stall| stall.length.0 > 0).collect();
        stalls.sort_by_key(|stall| stall.at);
        Course { tenths: self.tenths[..=self.tenth].to_vec(), stalls }
    }
}
