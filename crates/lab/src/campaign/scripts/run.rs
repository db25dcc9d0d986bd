//! A script's events as a load: its users start together, and whoever called hears the numbers of each interval as they
//! come. An interval ends when all workers have handed over its seconds, so that its counts belong to its time.

use super::noted::noted;
use super::{Noting, Stage};
use crate::backends::access::{Access, LoadPlan, UserGroup};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::interrupting::DEADLINE;
use crate::execution::driving::Caller;
use crate::load::{Outcome, Witness, drive_within};
use crate::os::clock;
use lua::scripted::OPERATIONS;
use lua::share::Share;
use model::errors::Errors;
use model::histogram::Histogram;
use model::load::{Arrivals, Phase, PhaseKind, Process, Until};
use model::rate::Rate;
use model::record::tally::Tally;
use model::units::Nanos;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How long a run goes on, and what is said on its way.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Without both it never ends.
    pub time: Option<Nanos>,
    pub events: Option<u64>,
    pub warm_up: Nanos,
    /// Events per second over all users, at random moments.
    pub rate: Option<u32>,
    pub report_interval: Option<Nanos>,
    /// Moments since the start, in order: a full report, and counting begins anew.
    pub checkpoints: Vec<Nanos>,
    pub init_timeout: Option<Nanos>,
    /// So long after the time limit a run is cut off.
    pub forced: Option<Nanos>,
}

/// The numbers of a stretch of time.
#[derive(Debug, Default)]
pub struct Counts {
    /// Seconds since the start, less the warm-up.
    pub at: f64,
    /// How long the stretch was, in seconds.
    pub seconds: f64,
    pub threads: u32,
    pub events: u64,
    pub reads: u64,
    pub writes: u64,
    pub other: u64,
    pub errors: u64,
    pub reconnects: u64,
    pub latency: Histogram,
    /// Events that were due and had no user yet, and those under way; of a load with a rate.
    pub queue: u64,
    pub concurrency: u64,
}

/// What is told on the way.
#[derive(Debug)]
pub enum Told {
    ThreadsStarted,
    WarmedUp,
    Interval(Counts),
    Checkpoint(Counts),
}

/// How a run ended.
#[derive(Debug, Default)]
pub struct Ran {
    /// Since the last checkpoint, or the end of the warm-up.
    pub total: Counts,
    /// By user, in the order in which they left.
    pub shares: Vec<Share>,
    /// All users were there and the clock ran.
    pub started: bool,
    /// The users did not get ready in time.
    pub timed_out: bool,
    /// So many events were cut off by force.
    pub unfinished: Option<u64>,
    /// What ended it before its time; told already where it was a script's error.
    pub failure: Option<String>,
    pub stopped: bool,
    /// How it was driven.
    pub outcome: Outcome,
}

/// Longer than anybody waits.
const ENDLESS: Nanos = Nanos::from_secs(10 * 365 * 24 * 60 * 60);

/// sysbench's: when so many events of a load with a rate wait, the rate is not delivered and the run fails.
const MOST_WAITING: i64 = 100_000;
pub const QUEUE_FULL: &str = "The event queue is full. This means the worker threads are unable to keep up with the specified event \
                              generation rate";

/// All of an interval's seconds are there when no more than this is missing: workers cut a little late, never early.
const CUT: f64 = 0.25;

/// Runs the events to their end.
pub fn run(stage: &Stage, limits: &Limits, stop: &AtomicBool, tell: &mut dyn FnMut(Told)) -> Result<Ran, String> {
    let load_plan = load_plan(stage, limits);
    let mut listener = Listener::of(stage, limits, &load_plan, tell);
    let outcome = drive_within(&load_plan, limits.time, stop, &mut listener);
    let outcome = outcome.map_err(|e| format!("the users cannot be driven: {e}"))?;
    Ok(listener.end(stage, outcome))
}

/// The same, and the run becomes a record.
pub fn run_noted(
    stage: &Stage,
    limits: &Limits,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(Told),
    noting: Noting<'_>,
) -> Result<Ran, String> {
    let load_plan = load_plan(stage, limits);
    let mut listener = Listener::of(stage, limits, &load_plan, tell);
    let mut caller = Caller { at_most: limits.time, witness: &mut listener, outcome: None };
    let outcome = noted(noting, stop, &load_plan, &mut caller)?;
    Ok(listener.end(stage, outcome))
}

/// What the limits make of a run: a warm-up where there is one, and what is measured.
pub fn phases(limits: &Limits) -> Vec<Phase> {
    let until = limits.events.map_or(Until::Time(limits.time.unwrap_or(ENDLESS)), Until::Count);
    let mut phases = vec![Phase::new("run", PhaseKind::Measure, until)];
    if limits.warm_up > Nanos(0) {
        phases.insert(0, Phase::new("warm-up", PhaseKind::WarmUp, Until::Time(limits.warm_up)));
    }
    phases
}

fn load_plan(stage: &Stage, limits: &Limits) -> LoadPlan {
    LoadPlan {
        user_groups: vec![user_group(stage, limits)],
        io: stage.io,
        phases: phases(limits),
        workers: stage.workers,
        cpus: Vec::new(),
    }
}

fn user_group(stage: &Stage, limits: &Limits) -> UserGroup {
    let mut endpoints = stage.endpoints.mysql.iter().cloned();
    // A script that asks no MySQL has no endpoint there, and never looks for it.
    let endpoint = endpoints.next().unwrap_or_else(|| SqlEndpoint::root("/nonexistent".into()));
    let rate = limits.rate.filter(|rate| *rate > 0);
    UserGroup {
        workload: stage.scripted.clone(),
        parameters: Arc::default(),
        seed: model::seed::Seed(0),
        users: stage.threads,
        arrivals: rate.map(|rate| Arrivals { rate: Rate::steady(f64::from(rate)), process: Process::Poisson }),
        pause: None,
        deadline: DEADLINE,
        reconnect_every: None,
        errors: Errors::default(),
        access: Access {
            others: endpoints.collect(),
            beside: stage.endpoints.postgres.first().cloned().map(|endpoint| Arc::new(endpoint) as _),
            ..Access::to(endpoint)
        },
        outlasts: false,
    }
}

struct Listener<'a> {
    limits: &'a Limits,
    threads: u32,
    workers: u32,
    measured: usize,
    began: Nanos,
    /// When all users were there: nothing is done outside of phases before the run from then on.
    ready: Option<Nanos>,
    /// When the first phase was seen to begin, which of a short run may be after its end.
    start: Option<Nanos>,
    /// Seconds that all workers together have handed over.
    covered: f64,
    current: Counts,
    reported: f64,
    /// When the last worker went.
    left: Nanos,
    /// Events that are due and have no user yet.
    waiting: i64,
    /// Events that have one.
    under_way: i64,
    total: Counts,
    since: f64,
    checkpoints: Vec<f64>,
    timed_out: bool,
    forced: bool,
    tell: &'a mut dyn FnMut(Told),
}

impl<'a> Listener<'a> {
    fn of(stage: &Stage, limits: &'a Limits, load_plan: &LoadPlan, tell: &'a mut dyn FnMut(Told)) -> Self {
        Self {
            limits,
            threads: stage.threads,
            workers: load_plan.workers(),
            measured: load_plan.phases.len() - 1,
            began: clock::now(),
            ready: None,
            start: None,
            covered: 0.0,
            current: Counts::default(),
            reported: 0.0,
            left: Nanos(0),
            waiting: 0,
            under_way: 0,
            total: Counts::default(),
            since: 0.0,
            checkpoints: limits.checkpoints.iter().map(|at| at.seconds()).collect(),
            timed_out: false,
            forced: false,
            tell,
        }
    }

    /// How far every worker is, in seconds since the measured phase began.
    fn reached(&self) -> f64 {
        self.covered / f64::from(self.workers)
    }

    fn is_complete(&self, moment: f64) -> bool {
        self.covered + CUT >= moment * f64::from(self.workers)
    }

    fn cut(&mut self) {
        let at = self.reached();
        if let Some(interval) = self.limits.report_interval.map(|i| i.seconds())
            && self.is_complete((self.reported / interval).round() * interval + interval)
        {
            let mut counts = std::mem::take(&mut self.current);
            (counts.at, counts.seconds, counts.threads) = (at, at - self.reported, self.threads);
            (counts.queue, counts.concurrency) = (self.waiting.max(0) as u64, self.under_way.max(0) as u64);
            self.reported = at;
            (self.tell)(Told::Interval(counts));
        }
        if let Some(moment) = self.checkpoints.first().copied()
            && self.is_complete(moment)
        {
            self.checkpoints.remove(0);
            let mut counts = std::mem::take(&mut self.total);
            (counts.at, counts.seconds, counts.threads) = (at, at - self.since, self.threads);
            self.since = at;
            (self.tell)(Told::Checkpoint(counts));
        }
    }

    fn end(mut self, stage: &Stage, outcome: Outcome) -> Ran {
        let measured = outcome.phases.get(self.measured).copied();
        let length = measured.map_or(0.0, |(begin, end)| Nanos(end.max(self.left).0 - begin.0).seconds());
        // A run may be over before anybody looked at its clock.
        let length = length.max(self.reached());
        (self.total.at, self.total.seconds) = (length, length - self.since);
        Ran {
            total: self.total,
            shares: stage.scripted.take_shares(),
            started: self.start.is_some(),
            timed_out: self.timed_out,
            unfinished: self.forced.then(|| stage.scripted.take_cut_off()),
            failure: outcome.failure.clone(),
            stopped: outcome.stopped,
            outcome,
        }
    }
}

impl Counts {
    fn add(&mut self, tally: &Tally) {
        if let Some(events) = tally.operations.get(OPERATIONS[0]) {
            self.events += events.done;
            self.latency.merge(&events.latency);
        }
        let fact = |name: &str| tally.facts.get(name).copied().unwrap_or(0).max(0) as u64;
        self.reads += fact("reads");
        self.writes += fact("writes");
        self.other += fact("other");
        self.errors += fact("ignored errors");
        self.reconnects += fact("reconnects");
    }
}

impl Witness for Listener<'_> {
    fn workers(&mut self, _: &[i32]) {
        // A record first asks what this machine can do, which is no time of its threads.
        self.began = clock::now();
    }

    fn starts(&mut self) {
        self.ready = Some(clock::now());
        (self.tell)(Told::ThreadsStarted);
    }

    fn phase_begins(&mut self, phase: usize, at: Nanos) {
        self.start.get_or_insert(at);
        if phase == self.measured && self.measured > 0 {
            (self.tell)(Told::WarmedUp);
        }
    }

    fn phase_ends(&mut self, _: usize, _: Nanos) {}

    fn interval(&mut self, _: usize, phase: usize, from: Nanos, to: Nanos, tally: Tally) {
        if let Some(arrivals) = tally.arrivals {
            let ended: u64 = tally.operations.values().map(|events| events.done).sum();
            self.waiting += arrivals.due as i64 - arrivals.begun as i64;
            self.under_way += arrivals.begun as i64 - ended as i64;
        }
        if phase != self.measured {
            return;
        }
        self.current.add(&tally);
        self.total.add(&tally);
        self.covered += Nanos(to.0 - from.0).seconds();
        self.cut();
    }

    /// A limit keeps events from being begun: those under way go on and count, as does what threads do when they are
    /// done.
    fn outside(&mut self, _: usize, from: Nanos, to: Nanos, tally: Tally) {
        if self.ready.is_some_and(|ready| from >= ready) {
            self.total.add(&tally);
            self.left = self.left.max(to);
        }
    }

    fn progress(&mut self, _: f64) {}

    fn look(&mut self) -> Option<String> {
        let now = clock::now();
        let late = |since: Nanos, limit: Option<Nanos>| limit.is_some_and(|limit| now.0 > since.0 + limit.0);
        if self.start.is_none() && late(self.began, self.limits.init_timeout) {
            self.timed_out = true;
            let seconds = self.limits.init_timeout.map_or(0.0, |t| t.seconds());
            return Some(format!("Worker threads failed to initialize within {seconds} seconds!"));
        }
        if self.waiting > MOST_WAITING {
            return Some(QUEUE_FULL.to_string());
        }
        let (Some(start), Some(time), Some(forced)) = (self.start, self.limits.time, self.limits.forced) else {
            return None;
        };
        self.forced = now.0 > start.0 + self.limits.warm_up.0 + time.0 + forced.0;
        self.forced.then(|| "the time limit has expired".to_string())
    }
}
