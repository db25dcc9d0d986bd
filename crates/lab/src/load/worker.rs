//! One worker: a thread with an executor and its share of the users, and a metronome among them that hands the tally
//! over each second, turns the phases, and rings the end. Cuts are made at the moment they happen and carry it, so that
//! an interval is exactly as long as it says.

use super::backlog::Backlog;
use super::course::Course;
use super::queue::Queue;
use super::schedule::Schedule;
use super::tally::WorkerTally;
use super::user::{Driver, User};
use super::worker_state::WorkerState;
use super::{LoadPlan, UserGroup, pin};
use crate::executor::{Executor, Handle, prompt};
use crate::os::clock;
use model::histogram::Histogram;
use model::load::{Arrivals, Until};
use model::units::Nanos;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};

/// How often a metronome looks for what it cannot compute: the start, and the end of a phase by count.
const GLANCE: Nanos = Nanos::from_millis(1);

/// Users of one worker from which on it lets others run before it lies down: with fewer there is no batch to gather.
const SHARING_CPU: u32 = 8;

/// The length of an interval.
const SECOND: Nanos = Nanos::from_secs(1);

/// A tally on its way to the conductor.
pub struct Handover {
    pub worker: u32,
    pub user_group: usize,
    /// `None` for what happened before the first phase and after the last.
    pub phase: Option<usize>,
    pub from: Nanos,
    pub to: Nanos,
    pub tally: Box<WorkerTally>,
}

/// Runs this worker's users of each group to their end.
pub fn work<D: Driver>(
    load_plan: &LoadPlan<D>,
    course: &Arc<Course>,
    worker: u32,
    cpu: &[u32],
    out: Sender<Handover>,
    spares: Vec<Receiver<Box<WorkerTally>>>,
    shared: &[Option<Arc<Mutex<Backlog>>>],
) -> std::io::Result<WorkerEnd> {
    pin(cpu)?;
    let waits_for_moments =
        load_plan.user_groups.iter().any(|user_group| user_group.arrivals.is_some() || user_group.pause.is_some());
    let scheduling = if waits_for_moments && prompt::ask() { "real time" } else { "ordinary" };
    let mut executor = Executor::new(load_plan.io)?;
    let handle = executor.handle();
    let connected = Rc::new(Cell::new(0));
    let (mut tables, mut sitting) = (Vec::new(), 0);
    for ((k, user_group), spares) in load_plan.user_groups.iter().enumerate().zip(spares) {
        let (place, of) = load_plan.place(k, worker);
        let user_group = Rc::new(user_group.clone());
        let state = state(&user_group, course, &handle, place.map(|place| (place, of)), shared[k].as_ref());
        for number in load_plan.seated(k, worker) {
            let user = User {
                user_group: Rc::clone(&user_group),
                number,
                place: sitting,
                state: Rc::clone(&state),
                handle: handle.clone(),
                connected: Rc::clone(&connected),
            };
            handle.spawn(Box::pin(user.comes_and_goes()));
            sitting += 1;
        }
        tables.push(Table { user_group, state, spares });
    }
    // Who has a CPU of its own takes it from nobody, and who waits for moments must not miss them.
    let few_threads = load_plan.user_groups.iter().all(|group| group.access.has_few_threads(&*group.workload));
    if load_plan.cpus.is_empty() && !waits_for_moments && few_threads && sitting >= SHARING_CPU {
        handle.share_cpu();
    }
    let sender = Rc::new(TallySender { worker, out, tables, since: Cell::new(clock::now()) });
    handle.spawn(Box::pin(keep_time(Arc::clone(course), handle.clone(), Rc::clone(&sender))));
    executor.run(|| course.stopped())?;
    sender.hand_over(None);
    course.linger();
    let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Ok(WorkerEnd {
        cpu: Nanos(cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64),
        io: handle.io().word(),
        scheduling,
        timer_error: handle.timer_error(),
    })
}

/// What a worker came to.
pub struct WorkerEnd {
    /// CPU of its whole life.
    pub cpu: Nanos,
    pub io: &'static str,
    pub scheduling: &'static str,
    pub timer_error: Histogram,
}

/// `place`: which of how many workers of the group this one is; `None` where nobody of it sits here.
fn state<D>(
    user_group: &UserGroup<D>,
    course: &Arc<Course>,
    handle: &Handle,
    place: Option<(u32, u32)>,
    shared: Option<&Arc<Mutex<Backlog>>>,
) -> Rc<WorkerState> {
    let own = |arrivals: Arrivals| {
        let (place, of) = place?;
        Some(Queue::Own(RefCell::new(Backlog::new(Schedule::new(&arrivals, user_group.seed, place, of)))))
    };
    let backlog = match shared {
        Some(backlog) => Some(Queue::Shared(Arc::clone(backlog))),
        None => user_group.schedule().and_then(own),
    };
    Rc::new(WorkerState {
        course: Arc::clone(course),
        errors: user_group.errors.clone(),
        tally: RefCell::new(Box::new(WorkerTally::new(user_group))),
        gate: handle.gate(),
        phase: Cell::new(None),
        over: Cell::new(false),
        start: Cell::new(Nanos(0)),
        backlog,
        in_flight: Cell::new(0),
        last_end: Cell::new(Nanos(0)),
    })
}

/// Turns the phases and cuts the intervals.
async fn keep_time<D>(course: Arc<Course>, handle: Handle, sender: Rc<TallySender<D>>) {
    let start = loop {
        match course.start() {
            Some(start) => break start,
            None if course.stopped() => return sender.ring(),
            None => handle.sleep_until(Nanos(clock::now().0 + GLANCE.0)).await,
        }
    };
    handle.sleep_until(start).await;
    sender.states().for_each(|state| state.start.set(start));
    let mut holds = None;
    for phase in 0..course.phases().len() {
        sender.hand_over(holds);
        holds = Some(phase);
        for state in sender.states() {
            state.phase.set(holds);
            state.gate.open();
        }
        let begin = course.begin_of(phase).expect("the phase before has ended");
        let mut cut = Nanos(begin.0 + SECOND.0);
        loop {
            let now = clock::now();
            let end = course.end_of(phase);
            if end.is_some_and(|end| now >= end) || course.stopped() {
                break;
            }
            if now >= cut {
                sender.hand_over(holds);
                cut = Nanos(cut.0 + SECOND.0 * ((now.0 - cut.0) / SECOND.0 + 1));
            }
            let next = match course.phases()[phase].until {
                Until::Time(_) | Until::Rest(_) => end.expect("a phase by time has its end from its beginning on"),
                Until::Count(_) => end.unwrap_or(Nanos(u64::MAX)).min(Nanos(now.0 + GLANCE.0)),
            };
            let next = next.min(cut);
            handle.sleep_until(next).await;
        }
        if course.stopped() {
            break;
        }
    }
    sender.hand_over(holds);
    sender.ring();
}

/// One group's part of a worker.
struct Table<D> {
    user_group: Rc<UserGroup<D>>,
    state: Rc<WorkerState>,
    spares: Receiver<Box<WorkerTally>>,
}

/// Hands tallies over.
struct TallySender<D> {
    worker: u32,
    out: Sender<Handover>,
    tables: Vec<Table<D>>,
    since: Cell<Nanos>,
}

impl<D> TallySender<D> {
    fn states(&self) -> impl Iterator<Item = &WorkerState> {
        self.tables.iter().map(|table| &*table.state)
    }

    /// The intervals of all groups end at the same moment.
    fn hand_over(&self, phase: Option<usize>) {
        let empty = |table: &Table<D>| {
            table.spares.try_recv().unwrap_or_else(|_| Box::new(WorkerTally::new(&table.user_group)))
        };
        let empty: Vec<_> = self.tables.iter().map(empty).collect();
        let now = clock::now();
        let from = self.since.replace(now);
        for ((user_group, table), mut empty) in self.tables.iter().enumerate().zip(empty) {
            empty.begin(now);
            if phase.is_some() {
                table.state.look(now);
            }
            let tally = table.state.tally.replace(empty);
            // The conductor is gone only when the lab is being stopped; then nobody wants the tally.
            let _ = self.out.send(Handover { worker: self.worker, user_group, phase, from, to: now, tally });
        }
    }

    /// The end: whoever waits for a turn is told.
    fn ring(&self) {
        for state in self.states() {
            state.phase.set(None);
            state.over.set(true);
            state.gate.open();
        }
    }
}
