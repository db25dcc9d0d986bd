//! The load of one run: users on workers, a course that they share, and a conductor that starts them together, collects
//! what they count, and ends with them. Everything a user does per operation is in files marked as hot path.

mod backlog;
pub mod course;
pub mod failure;
mod rhythm;
mod schedule;
mod seat;
pub mod tally;
pub mod worker;
pub mod worker_state;

use crate::backends::endpoint::Endpoint;
use crate::backends::endpoint::SqlEndpoint;
use crate::os::{clock, waits};
use course::Course;
use failure::Cause;
use model::errors::Errors;
use model::histogram::Histogram;
use model::load::{Arrivals, Io, Pause, Phase, Process};
use model::rate::Rate;
use model::record::run::Writes;
use model::record::tally::Tally;
use model::seed::Seed;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use worker::Handover;
use workload::{Doing, Parameters, Workload};

/// Time between "all users are ready" and the start, so that every worker sees the start before it comes.
const RUN_UP: Nanos = Nanos::from_millis(5);

/// How often the conductor looks whether it should stop while nothing arrives.
const LOOK: Duration = Duration::from_millis(20);

/// After being told to stop, users have so long to heed it; then they are interrupted where they are.
const PATIENCE: Nanos = Nanos::from_millis(1_000);

/// After the end or a stop, how long users may take to come to their end before the run is declared stuck.
const FAREWELL: Nanos = Nanos::from_millis(1_500);

/// One load: groups side by side on the same workers, through the same phases.
#[derive(Clone)]
pub struct LoadPlan {
    pub user_groups: Vec<UserGroup>,
    pub io: Io,
    pub phases: Vec<Phase>,
    pub workers: u32,
    /// One worker keeps to each of these; empty leaves them free.
    pub cpus: Vec<u32>,
}

/// A group of users: who is to do what against which server.
#[derive(Clone)]
pub struct UserGroup {
    pub workload: Arc<dyn Workload>,
    pub parameters: Arc<Parameters>,
    pub seed: Seed,
    pub users: u32,
    /// `None`: users begin by themselves.
    pub arrivals: Option<Arrivals>,
    pub pause: Option<Pause>,
    pub deadline: Nanos,
    pub reconnect_every: Option<u64>,
    pub errors: Errors,
    pub endpoint: SqlEndpoint,
    /// To the other nodes of a cluster: users take `endpoint` and these in turn.
    pub others: Vec<SqlEndpoint>,
    /// What each session says first.
    pub setup: Vec<String>,
    /// That of PostgreSQL, for users who open their sessions themselves.
    pub postgres: Option<SqlEndpoint>,
    /// The endpoint of users who do not speak SQL.
    pub past_sql: Option<Endpoint>,
    /// A server that is gone is waited for: who cannot connect tries again until it is back.
    pub outlasts: bool,
}

impl LoadPlan {
    fn users(&self) -> u32 {
        self.user_groups.iter().map(|c| c.users).sum()
    }

    /// The workers that a group's users sit on, in turn: how many, and which of them this one is. Groups begin where
    /// the one before ended, so that two small ones do not share a worker while another has nobody.
    fn place(&self, user_group: usize, worker: u32) -> (Option<u32>, u32) {
        let workers = self.workers.clamp(1, self.users().max(1));
        let before: u32 = self.user_groups[..user_group].iter().map(|c| c.users).sum();
        let of = self.user_groups[user_group].users.min(workers);
        let place = (worker + workers - before % workers) % workers;
        ((place < of).then_some(place), of)
    }
}

impl UserGroup {
    /// The endpoint that a user takes, always the same.
    fn endpoint_of(&self, user: u32) -> &SqlEndpoint {
        match user as usize % (self.others.len() + 1) {
            0 => &self.endpoint,
            n => &self.others[n - 1],
        }
    }

    /// The intended starts, where operations have them: a pace's users, evenly apart, are arrivals at a constant rate.
    fn schedule(&self) -> Option<Arrivals> {
        match (&self.arrivals, &self.pause) {
            (Some(arrivals), _) => Some(arrivals.clone()),
            (None, Some(Pause::Pace { every })) => {
                let rate = Rate::steady(f64::from(self.users) / every.seconds());
                Some(Arrivals { rate, process: Process::Constant })
            }
            (None, Some(Pause::Think { .. }) | None) => None,
        }
    }
}

/// Servers number their errors from here on.
const FIRST_OF_SERVERS: u32 = 1000;

/// What happens around a load, for whoever samples and writes.
pub trait Witness {
    /// The workers run; these are their thread ids.
    fn workers(&mut self, threads: &[i32]);
    /// All users are ready, and none has begun yet.
    fn starts(&mut self) {}
    /// A phase has just begun or ended. The workers live until the last of these returned, so that what the kernel
    /// counts of them can be read.
    fn phase_begins(&mut self, phase: usize, at: Nanos);
    fn phase_ends(&mut self, phase: usize, at: Nanos);
    /// One worker's second of one group.
    fn interval(&mut self, user_group: usize, phase: usize, from: Nanos, to: Nanos, tally: Tally);
    /// What one worker's group did outside of all phases, before the first or behind the last.
    fn outside(&mut self, _group: usize, _from: Nanos, _to: Nanos, _tally: Tally) {}
    /// Called often: how far the run is, 0 to 1.
    fn progress(&mut self, share: f64);
    /// Called often: why the run must end, where somebody beside the load knows.
    fn look(&mut self) -> Option<String> {
        None
    }
    /// Asked after each second: whether what the run is to tell is certain, so that it may end here.
    fn is_certain(&self) -> bool {
        false
    }
}

/// How a load ended.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The start of the first phase on the lab's clock.
    pub start: Nanos,
    /// Begin and end of each phase that was begun.
    pub phases: Vec<(Nanos, Nanos)>,
    /// Everything that was asked, plumbing and connecting included, as servers count Questions; rows received.
    pub questions: u64,
    pub rows: u64,
    pub writes: Writes,
    pub whole: Tally,
    /// By group: what its users counted, and operations of theirs whose end nobody knows.
    pub counted: Vec<Counted>,
    pub failure: Option<String>,
    pub cause: Cause,
    /// Ended by the stop flag.
    pub stopped: bool,
    /// Ended early by its witness, who had seen enough.
    pub cut: bool,
    pub workers: u32,
    /// CPU of all workers from their first user's connect to their last one's leave.
    pub worker_cpu: Nanos,
    /// `io_uring` or `epoll`, as chosen.
    pub io: String,
    /// `real time` or `ordinary`, as the kernel granted it to the workers.
    pub scheduling: String,
    /// How late timers were, over all workers.
    pub timer_error: Histogram,
}

/// Of one group in a whole run.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    pub facts: BTreeMap<String, i64>,
    pub uncertain: u64,
}

/// Carries out one load. `stop` ends it early; a server that dies ends it with a failure.
pub fn drive(load_plan: &LoadPlan, stop: &AtomicBool, witness: &mut dyn Witness) -> std::io::Result<Outcome> {
    drive_within(load_plan, None, stop, witness)
}

/// The same, with a time after which phases by count end in any case.
pub fn drive_within(
    load_plan: &LoadPlan,
    at_most: Option<Nanos>,
    stop: &AtomicBool,
    witness: &mut dyn Witness,
) -> std::io::Result<Outcome> {
    let course = Arc::new(Course::within(&load_plan.phases, at_most));
    let workers = load_plan.workers.clamp(1, load_plan.users().max(1));
    let (out, handovers) = channel();
    let mut spares = Vec::new();
    let counted = vec![Counted::default(); load_plan.user_groups.len()];
    let mut outcome = Outcome { workers, counted, ..Outcome::default() };
    std::thread::scope(|scope| {
        let (ids, threads) = channel();
        let mut running = Vec::new();
        for worker in 0..workers {
            let (spare, theirs): (Vec<_>, Vec<_>) = load_plan.user_groups.iter().map(|_| channel()).unzip();
            spares.push(spare);
            let (course, out, ids) = (Arc::clone(&course), out.clone(), ids.clone());
            let cpu = match load_plan.cpus.len() {
                0 => &[],
                n => std::slice::from_ref(&load_plan.cpus[worker as usize % n]),
            };
            running.push(scope.spawn(move || {
                let _ = ids.send(rustix::thread::gettid().as_raw_nonzero().get());
                let done = worker::work(load_plan, &course, worker, cpu, out, theirs);
                if let Err(e) = &done {
                    course.fail(format!("a worker of the load failed: {e}"));
                }
                done
            }));
        }
        drop(out);
        let threads: Vec<i32> = threads.iter().take(workers as usize).collect();
        witness.workers(&threads);
        // Also where the witness panics: workers wait for their release, and the scope for them.
        let released = Released(&course);
        let mut conductor =
            Conductor { load_plan, course: &course, stop, witness, spares: &spares, outcome: &mut outcome };
        conductor.conduct(&handovers);
        drop(released);
        for worker in running {
            let end = worker.join().expect("a worker does not panic")?;
            outcome.worker_cpu.0 += end.cpu.0;
            outcome.io = end.io.to_string();
            outcome.scheduling = end.scheduling.to_string();
            outcome.timer_error.merge(&end.timer_error);
        }
        Ok::<_, std::io::Error>(())
    })?;
    (outcome.cause, outcome.failure) =
        course.failure().map(|(cause, reason)| (cause, Some(reason))).unwrap_or_default();
    Ok(outcome)
}

/// Lets the workers go when it is dropped, whatever happened.
struct Released<'a>(&'a Course);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        self.0.stop();
        self.0.release();
    }
}

impl Counted {
    fn add(&mut self, tally: &Tally) {
        for (name, amount) in &tally.facts {
            *self.facts.entry(name.clone()).or_default() += amount;
        }
        // Numbers below 1000 are ours: a session broke, or the deadline came, and the answer was never seen.
        let ends = tally.operations.values().flat_map(|o| o.failed.iter().chain(&o.retried));
        self.uncertain += ends.filter(|(number, _)| **number < FIRST_OF_SERVERS).map(|(_, count)| count).sum::<u64>();
    }
}

struct Conductor<'a> {
    load_plan: &'a LoadPlan,
    course: &'a Course,
    stop: &'a AtomicBool,
    witness: &'a mut dyn Witness,
    /// By worker, then group.
    spares: &'a [Vec<Sender<Box<tally::WorkerTally>>>],
    outcome: &'a mut Outcome,
}

impl Conductor<'_> {
    fn conduct(&mut self, handovers: &std::sync::mpsc::Receiver<Handover>) {
        let mut phase = None;
        let (mut ended_at, mut stopped_at) = (None, None);
        let longest = self.load_plan.user_groups.iter().map(|c| c.deadline.0).max().unwrap_or_default();
        let what = format!("{} users to be ready; for each of their answers", self.load_plan.users());
        let mut gathering = Some(waits::Said::begin(&what, Duration::from_nanos(longest)));
        loop {
            if self.course.start().is_some() || self.course.stopped() {
                drop(gathering.take());
            }
            let wait = self
                .next_moment(phase)
                .map_or(LOOK, |at| Duration::from_nanos(at.0.saturating_sub(clock::now().0)).min(LOOK));
            match handovers.recv_timeout(wait) {
                Ok(handover) => self.take(handover),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.stop.load(Relaxed) {
                self.outcome.stopped = true;
                self.course.stop();
            }
            if let Some(why) = self.witness.look() {
                self.course.fail(why);
            }
            if self.is_under_way() && self.witness.is_certain() {
                self.outcome.cut = true;
                self.course.stop();
            }
            // Users that open sessions themselves may leave before their time.
            if self.is_under_way() && self.course.left() == self.load_plan.users() {
                self.outcome.cut = true;
                self.course.stop();
            }
            if self.course.stopped() && clock::now().0 > stopped_at.get_or_insert_with(clock::now).0 + PATIENCE.0 {
                self.load_plan.user_groups.iter().for_each(|user_group| user_group.workload.interrupt());
            }
            self.start_when_ready();
            self.turn(&mut phase);
            if self.course.stopped() || phase == Some(self.course.phases().len()) {
                self.settle(&mut phase);
            }
            let last = self.course.phases().len() - 1;
            if let Some(end) = self.course.end_of(last).filter(|end| clock::now() >= *end) {
                let deadlines = self.load_plan.user_groups.iter().map(|c| c.deadline.0);
                let patience = deadlines.fold(FAREWELL.0, u64::max);
                if clock::now().0 > *ended_at.get_or_insert(end.0) + patience {
                    self.course.fail("users did not come to their end".into());
                }
            }
        }
    }

    /// Neither stopped nor, by the clock, at its end.
    fn is_under_way(&self) -> bool {
        let last = self.course.phases().len() - 1;
        !self.course.stopped() && self.course.end_of(last).is_none_or(|end| clock::now() < end)
    }

    /// The next moment at which a phase ends, if one is known.
    fn next_moment(&self, phase: Option<usize>) -> Option<Nanos> {
        match phase {
            None => self.course.start(),
            Some(p) if p < self.course.phases().len() => self.course.end_of(p).filter(|end| *end > clock::now()),
            Some(_) => None,
        }
    }

    fn start_when_ready(&mut self) {
        if self.course.start().is_none() && self.course.ready() == self.load_plan.users() && !self.course.stopped() {
            self.witness.starts();
            let start = Nanos(clock::now().0 + RUN_UP.0);
            self.outcome.start = start;
            self.course.start_at(start);
        }
    }

    /// Tells the witness about phases that began and ended by now.
    fn turn(&mut self, phase: &mut Option<usize>) {
        let phases = self.course.phases().len();
        loop {
            let now = clock::now();
            match *phase {
                None if self.course.start().is_some_and(|start| now >= start) => self.begin(phase, 0),
                Some(p) if p < phases && self.course.end_of(p).is_some_and(|end| now >= end) => {
                    self.end(p);
                    self.begin(phase, p + 1);
                }
                None | Some(_) => break,
            }
        }
        if let (Some(start), Some(end)) = (self.course.start(), self.course.end_of(phases - 1)) {
            self.witness.progress((clock::now().0.saturating_sub(start.0)) as f64 / (end.0 - start.0).max(1) as f64);
        }
    }

    fn begin(&mut self, phase: &mut Option<usize>, next: usize) {
        *phase = Some(next);
        if next < self.course.phases().len() {
            let at = clock::now();
            self.outcome.phases.push((at, at));
            self.witness.phase_begins(next, at);
        }
    }

    fn end(&mut self, phase: usize) {
        let at = clock::now();
        self.outcome.phases[phase].1 = at;
        self.witness.phase_ends(phase, at);
    }

    fn take(&mut self, handover: Handover) {
        let Handover { worker, user_group, phase, from, to, mut tally } = handover;
        let (questions, rows) = tally.whole();
        self.outcome.questions += questions;
        self.outcome.rows += rows;
        let named = tally.named(&*self.load_plan.user_groups[user_group].workload);
        tally.clear();
        let _ = self.spares[worker as usize][user_group].send(tally);
        let workload = &self.load_plan.user_groups[user_group].workload;
        if !workload.affected_are_rows() {
            self.outcome.writes.rows = None;
        }
        let writes = |doing| matches!(doing, Doing::Write | Doing::WriteAndCommit);
        for written in workload.statements().iter().filter(|s| writes(s.doing)) {
            if let Some(tally) = named.statements.get(written.name) {
                self.outcome.writes.statements += tally.calls + tally.failed.values().sum::<u64>();
                self.outcome.writes.rows = self.outcome.writes.rows.map(|rows| rows + tally.affected);
            }
        }
        self.outcome.counted[user_group].add(&named);
        self.outcome.whole.merge(&named);
        match phase {
            Some(phase) => self.witness.interval(user_group, phase, from, to, named),
            None => self.witness.outside(user_group, from, to, named),
        }
    }

    /// Nothing more is to be counted: a phase cut short ends now, and the workers may go.
    fn settle(&mut self, phase: &mut Option<usize>) {
        if let Some(p) = phase.filter(|p| *p < self.course.phases().len()) {
            self.end(p);
            *phase = Some(self.course.phases().len());
        }
        self.course.release();
    }
}

/// Keeps the calling thread on these CPUs; an empty list leaves it free.
pub fn pin(cpus: &[u32]) -> std::io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().for_each(|c| set.set(*c as usize));
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}
