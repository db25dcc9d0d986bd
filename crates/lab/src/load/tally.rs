//! Hot path: what one worker counts. Users of a worker share one tally, indexed by operation and statement class; once a
//! second it is handed over whole and an empty one takes its place, so that counting costs an index and a histogram increment.

use model::histogram::Histogram;
use model::record::tally::{OperationTally, StatementTally, Tally};
use model::units::Nanos;
use workload::session::{Answer, Class, Fault};
use workload::user::{End, Operation};
use workload::{Doing, Workload};

/// Counts of one worker since the last handover.
pub struct WorkerTally {
    operations: Vec<OperationTally>,
    statements: Vec<StatementTally>,
    reconnects: u64,
    /// As servers count them: texts and executions, plumbing included.
    questions: u64,
    rows: u64,
}

impl WorkerTally {
    pub fn new(workload: &dyn Workload) -> Self {
        Self {
            operations: workload
                .operations()
                .iter()
                .map(|_| OperationTally { latency: Histogram::new(), ..OperationTally::default() })
                .collect(),
            statements: workload
                .statements()
                .iter()
                .map(|_| StatementTally { service: Histogram::new(), ..StatementTally::default() })
                .collect(),
            reconnects: 0,
            questions: 0,
            rows: 0,
        }
    }

    #[inline]
    pub fn ended(&mut self, operation: Operation, end: End, latency: Nanos) {
        let o = &mut self.operations[operation.0 as usize];
        match end {
            End::Done => o.done += 1,
            End::RolledBack => o.rolled_back += 1,
        }
        o.latency.record(latency);
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
        s.bytes += bytes;
        s.service.record(service);
    }

    #[cold]
    pub fn refused(&mut self, class: Class, fault: &Fault) {
        if let Some(s) = self.statements.get_mut(class.0 as usize) {
            *s.failed.entry(fault.number()).or_default() += 1;
        }
    }

    #[cold]
    pub fn unexpected(&mut self, class: Class) {
        self.statements[class.0 as usize].unexpected += 1;
    }

    pub fn reconnected(&mut self) {
        self.reconnects += 1;
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
        let mut tally = Tally { reconnects: self.reconnects, ..Tally::default() };
        for (name, o) in workload.operations().iter().zip(&self.operations) {
            if *o != OperationTally::default() {
                tally.operations.insert((*name).to_string(), o.clone());
            }
        }
        for (statement, s) in workload.statements().iter().zip(&self.statements) {
            match statement.doing {
                Doing::Commit => tally.commits += s.calls,
                Doing::Rollback => tally.rollbacks += s.calls,
                Doing::Read | Doing::Write | Doing::Begin => {}
                Doing::Plumbing => continue,
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
            *o = OperationTally { latency: std::mem::take(&mut o.latency), ..OperationTally::default() };
        }
        for s in &mut self.statements {
            s.service.clear();
            *s = StatementTally { service: std::mem::take(&mut s.service), ..StatementTally::default() };
        }
        (self.reconnects, self.questions, self.rows) = (0, 0, 0);
    }
}
