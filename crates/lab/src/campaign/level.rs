//! One level of a measurement of the load itself: so many users for a moment, by one way to the kernel.

use crate::backends::access::{LoadPlan, UserGroup};
use crate::load::{Witness, drive};
use crate::os::placement::Placement;
use crate::trouble::Trouble;
use model::load::{Phase, PhaseKind, Until, Waiting};
use model::record::canary::CanaryPoint;
use model::record::tally::Tally;
use model::units::Nanos;
use std::sync::atomic::AtomicBool;

pub(super) struct Level<'a> {
    /// Who they are, but for their number.
    pub user_group: &'a UserGroup,
    pub waiting: Waiting,
    pub users: u32,
    pub warm_up: Nanos,
    pub measure: Nanos,
}

impl Level<'_> {
    /// Its point, and the way of talking to the kernel that was taken.
    pub fn reached(&self, placement: &Placement, stop: &AtomicBool) -> Result<(Option<CanaryPoint>, String), Trouble> {
        let phase = |name: &str, kind, time| Phase::new(name, kind, Until::Time(time));
        let user_group = UserGroup { users: self.users, ..self.user_group.clone() };
        let load_plan = LoadPlan {
            user_groups: vec![user_group],
            io: self.waiting.io,
            phases: vec![
                phase("warm-up", PhaseKind::WarmUp, self.warm_up),
                phase("measure", PhaseKind::Measure, self.measure),
            ],
            workers: placement.workers(self.users, self.waiting.threads),
            cpus: if placement.apart { placement.load.clone() } else { Vec::new() },
        };
        let mut reached = Reached::default();
        let outcome =
            drive(&load_plan, stop, &mut reached).map_err(|e| Trouble::new("the canary could not run").because(e))?;
        match outcome.failure {
            Some(failure) => Err(Trouble::new(format!("the canary failed: {failure}"))),
            None => Ok((reached.point(self.users, outcome.workers, outcome.worker_cpu, outcome.questions), outcome.io)),
        }
    }
}

/// The measured phase of one level.
#[derive(Default)]
struct Reached {
    length: u64,
    tally: Tally,
}

impl Reached {
    fn point(&self, users: u32, workers: u32, cpu: Nanos, questions: u64) -> Option<CanaryPoint> {
        let operation = self.tally.operations.values().next()?;
        let seconds = self.length as f64 / f64::from(workers) / 1e9;
        Some(CanaryPoint {
            users,
            qps: operation.done as f64 / seconds,
            client_cpu_us: cpu.micros() / questions.max(1) as f64,
            latency_us_p50: operation.latency.percentile(50.0)?.micros(),
        })
    }
}

impl Witness for Reached {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, phase: usize, from: Nanos, to: Nanos, tally: Tally) {
        if phase == 1 {
            self.length += to.0 - from.0;
            self.tally.merge(&tally);
        }
    }
    fn progress(&mut self, _: f64) {}
}
