//! The load of one run: users on workers, a course that they share, and a conductor that starts them together, collects
//! what they count, and ends with them. Everything a user does per operation is in files marked as hot path.

mod backlog;
pub mod beside;
mod conductor;
pub mod course;
pub mod failure;
pub mod follower;
pub mod leader;
pub mod ledger;
mod queue;
mod rhythm;
mod schedule;
mod seat;
pub mod tally;
mod turns;
pub mod user;
pub mod worker;
pub mod worker_state;

use backlog::Backlog;
use beside::{Beside, Own};
use conductor::Conductor;
use course::Course;
use failure::Cause;
use model::errors::Errors;
use model::load::{Io, Pause, Process};
use model::record::ranks::RankRecord;
use model::record::run::Writes;
use model::{Arrivals, Histogram, Nanos, Phase, Rate, Seed, Tally};
use schedule::Schedule;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use turns::Turns;
use user::Driver;
use workload::{Parameters, Workload};

/// One load: groups side by side on the same workers, through the same phases.
#[derive(Clone)]
pub struct LoadPlan<D> {
    pub user_groups: Vec<UserGroup<D>>,
    pub io: Io,
    pub phases: Vec<Phase>,
    /// Threads that users share, where each has none of its own, over all ranks; how many there are is what `workers()`
    /// says.
    pub workers: u32,
    /// One worker keeps to each of these, or all to all where each user has one; empty leaves them free.
    pub cpus: Vec<u32>,
}

/// A group of users: who is to do what, in which rhythm.
#[derive(Clone)]
pub struct UserGroup<D> {
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
    /// How its users come to their sessions.
    pub access: D,
    /// A server that is gone is waited for: who cannot connect tries again until it is back.
    pub outlasts: bool,
}

impl<D> UserGroup<D> {
    /// A user who does this in a closed loop, as fast as answers come, whatever else is done in an experiment.
    pub fn asking(workload: Arc<dyn Workload>, parameters: Arc<Parameters>, access: D) -> Self {
        Self {
            workload,
            parameters,
            seed: Seed(1),
            users: 1,
            arrivals: None,
            pause: None,
            deadline: Nanos::from_secs(10),
            reconnect_every: None,
            errors: Errors::default(),
            access,
            outlasts: false,
        }
    }
}

impl<D> LoadPlan<D> {
    fn users(&self) -> u32 {
        self.user_groups.iter().map(|c| c.users).sum()
    }

    /// Threads: where each user's blocks, each has its own.
    pub fn workers(&self) -> u32 {
        let users = self.users().max(1);
        if self.io == Io::Blocking { users } else { self.workers.clamp(1, users) }
    }

    /// The CPUs that this worker of ours keeps to. Of threads that block each is woken where the kernel has room.
    fn cpus_of(&self, worker: u32) -> &[u32] {
        match self.cpus.len() {
            0 => &[],
            _ if self.io == Io::Blocking => &self.cpus,
            n => std::slice::from_ref(&self.cpus[worker as usize % n]),
        }
    }

    /// The workers that a group's users sit on, in turn: how many, and which of them this one is. Groups begin where
    /// the one before ended, so that two small ones do not share a worker while another has nobody.
    fn place(&self, user_group: usize, worker: u32) -> (Option<u32>, u32) {
        let workers = self.workers();
        let before: u32 = self.user_groups[..user_group].iter().map(|c| c.users).sum();
        let of = self.user_groups[user_group].users.min(workers);
        let place = (worker + workers - before % workers) % workers;
        ((place < of).then_some(place), of)
    }

    /// The numbers of a group's users who sit on this worker.
    fn seated(&self, user_group: usize, worker: u32) -> impl Iterator<Item = u32> + use<D> {
        let (place, of) = self.place(user_group, worker);
        let users = self.user_groups[user_group].users;
        place.into_iter().flat_map(move |place| (place..users).step_by(of as usize))
    }

    /// The places, among the users of all groups, of those who sit on these workers.
    fn seats(&self, workers: &[u32]) -> Vec<u32> {
        let mut before = 0;
        let mut seats = Vec::new();
        for (k, user_group) in self.user_groups.iter().enumerate() {
            seats.extend(workers.iter().flat_map(|worker| self.seated(k, *worker)).map(|number| before + number));
            before += user_group.users;
        }
        seats
    }

    /// How many users sit on these workers.
    pub fn users_on(&self, workers: &[u32]) -> u32 {
        self.seats(workers).len() as u32
    }

    /// The part of whoever carries out a load alone.
    fn whole(&self) -> Own {
        Own { workers: (0..self.workers()).collect(), share: (0, 1) }
    }
}

impl<D> UserGroup<D> {
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

impl<D> UserGroup<D> {
    /// The arrivals that users with a thread each share out among them; `share`: which of how many such queues.
    fn shared_backlog(&self, io: Io, (queue, of): (u32, u32)) -> Option<Arc<Mutex<Backlog>>> {
        let arrivals = self.arrivals.as_ref().filter(|_| io == Io::Blocking)?;
        Some(Arc::new(Mutex::new(Backlog::new(Schedule::new(arrivals, self.seed, queue, of)))))
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
    /// CPU of all workers of this rank from their first user's connect to their last one's leave, and of the busiest.
    pub worker_cpu: Nanos,
    pub busiest_worker: Nanos,
    /// `io_uring`, `epoll` or `blocking`, as chosen.
    pub io: String,
    /// `real time` or `ordinary`, as the kernel granted it to the workers.
    pub scheduling: String,
    /// How late timers were, over all workers.
    pub timer_error: Histogram,
    /// Each rank's part, where there are several.
    pub ranks: Vec<RankRecord>,
}

/// What one group did in a whole run.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    pub facts: BTreeMap<String, i64>,
    pub uncertain: u64,
}

/// Carries out one load. `stop` ends it early; a server that dies ends it with a failure.
pub fn drive<D: Driver>(
    load_plan: &LoadPlan<D>,
    stop: &AtomicBool,
    witness: &mut dyn Witness,
) -> std::io::Result<Outcome> {
    drive_within(load_plan, None, stop, witness)
}

/// The same, with a time after which phases by count end in any case.
pub fn drive_within<D: Driver>(
    load_plan: &LoadPlan<D>,
    at_most: Option<Nanos>,
    stop: &AtomicBool,
    witness: &mut dyn Witness,
) -> std::io::Result<Outcome> {
    drive_beside(load_plan, at_most, stop, witness, None)
}

/// The same, of a rank beside others: its part of the users, and what it has with the other conductors.
pub fn drive_beside<D: Driver>(
    load_plan: &LoadPlan<D>,
    at_most: Option<Nanos>,
    stop: &AtomicBool,
    witness: &mut dyn Witness,
    beside: Option<&mut (dyn Beside + '_)>,
) -> std::io::Result<Outcome> {
    let Own { workers: own, share } = beside.as_ref().map_or_else(|| load_plan.whole(), |beside| beside.own().clone());
    let (seats, mut course) = (load_plan.seats(&own), Course::within(&load_plan.phases, at_most));
    let users = seats.len() as u32;
    if beside.is_some() {
        course = course.of_rank(Turns::of_some(load_plan.users(), seats));
    }
    let course = Arc::new(course);
    let (out, handovers) = channel();
    let mut spares = BTreeMap::new();
    let counted = vec![Counted::default(); load_plan.user_groups.len()];
    let mut outcome = Outcome { workers: load_plan.workers(), counted, ..Outcome::default() };
    let shared: Vec<_> = load_plan.user_groups.iter().map(|group| group.shared_backlog(load_plan.io, share)).collect();
    let shared = &shared[..];
    std::thread::scope(|scope| {
        let (ids, threads) = channel();
        let mut running = Vec::new();
        for (k, worker) in (0..).zip(own.iter().copied()) {
            let (spare, theirs): (Vec<_>, Vec<_>) = load_plan.user_groups.iter().map(|_| channel()).unzip();
            spares.insert(worker, spare);
            let (course, out, ids) = (Arc::clone(&course), out.clone(), ids.clone());
            let cpu = load_plan.cpus_of(k);
            running.push(scope.spawn(move || {
                let _ = ids.send(rustix::thread::gettid().as_raw_nonzero().get());
                let done = worker::work(load_plan, &course, worker, cpu, out, theirs, shared);
                if let Err(e) = &done {
                    course.fail(format!("a worker of the load failed: {e}"));
                }
                done
            }));
        }
        drop(out);
        let threads: Vec<i32> = threads.iter().take(own.len()).collect();
        witness.workers(&threads);
        // Also where the witness panics: workers wait for their release, and the scope for them.
        let released = Released(&course);
        let mut conductor = Conductor {
            load_plan,
            users,
            course: &course,
            stop,
            witness,
            spares: &spares,
            outcome: &mut outcome,
            beside,
        };
        conductor.conduct(&handovers);
        conductor.hear_the_others_out();
        drop(released);
        for worker in running {
            outcome.worker_ended(&worker.join().expect("a worker does not panic")?);
        }
        Ok::<_, std::io::Error>(())
    })?;
    (outcome.cause, outcome.failure) =
        course.failure().map(|(cause, reason)| (cause, Some(reason))).unwrap_or_default();
    // A launcher that misses a rank stops the others: that the rank is gone came first.
    outcome.stopped &= outcome.cause != Cause::Lost;
    Ok(outcome)
}

impl Outcome {
    fn worker_ended(&mut self, end: &worker::WorkerEnd) {
        self.worker_cpu.0 += end.cpu.0;
        self.busiest_worker = self.busiest_worker.max(end.cpu);
        self.io = end.io.to_string();
        self.scheduling = end.scheduling.to_string();
        self.timer_error.merge(&end.timer_error);
    }
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

/// Keeps the calling thread on these CPUs; an empty list leaves it free.
pub fn pin(cpus: &[u32]) -> std::io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().for_each(|c| set.set(*c as usize));
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}
