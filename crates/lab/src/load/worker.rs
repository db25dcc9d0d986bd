//! One worker: a thread with an executor and its share of the users, and a metronome among them that hands the tally
//! over each second, turns the phases, and rings the end. Cuts are made at the moment they happen and carry it, so that
//! an interval is exactly as long as it says.

use super::backlog::Backlog;
use super::course::Course;
use super::failure::{self, Cause};
use super::schedule::Schedule;
use super::seat::UserSeat;
use super::tally::WorkerTally;
use super::worker_state::{StateLedger, WorkerState};
use super::{LoadPlan, UserGroup, pin};
use crate::backends::endpoint::{Address, Endpoint};
use crate::backends::keyed;
use crate::backends::mongodb::session as documents;
use crate::backends::mysql::session::{Again, Connecting, Opening, Session};
use crate::backends::own_sessions::{AtLarge, Openings, ScriptEndpoints};
use crate::executor::near::Part;
use crate::executor::{Executor, Handle, prompt};
use crate::os::clock;
use model::histogram::Histogram;
use model::load::{Io, Until};
use model::units::Nanos;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use workload::life::{DocumentsLife, KeyValueLife, Life, Place, ScriptLife, SqlLife};
use workload::session::Fault;
use workload::user::Memory;

/// Users of one worker that may be connecting at a time: enough to keep a server busy with handshakes, and below the
/// accept backlog of every server.
const CONNECTING: u32 = 32;

/// How often a metronome looks for what it cannot compute: the start, and the end of a phase by count.
const GLANCE: Nanos = Nanos::from_millis(1);

/// How often a user looks whether a server that was killed is back.
const KNOCK: Nanos = Nanos::from_millis(10);

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
pub fn work(
    load_plan: &LoadPlan,
    course: &Arc<Course>,
    worker: u32,
    cpu: &[u32],
    out: Sender<Handover>,
    spares: Vec<Receiver<Box<WorkerTally>>>,
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
        let state = state(&user_group, course, &handle, place.map(|place| (place, of)));
        for number in place.into_iter().flat_map(|place| (place..user_group.users).step_by(of as usize)) {
            let (state, connected) = (Rc::clone(&state), Rc::clone(&connected));
            handle.spawn(Box::pin(live(Rc::clone(&user_group), number, sitting, state, handle.clone(), connected)));
            sitting += 1;
        }
        tables.push(Table { user_group, state, spares });
    }
    // Who has a CPU of its own takes it from nobody, and who waits for moments must not miss them. A server with a
    // thread for each session has nothing to gather: its rate is the same.
    let few_threads =
        load_plan.user_groups.iter().all(|user_group| matches!(user_group.workload.life(), Life::KeyValue(_)));
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
        io: io_name(handle.io()),
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

fn io_name(io: Io) -> &'static str {
    match io {
        Io::IoUring => "io_uring",
        Io::Epoll => "epoll",
        Io::Auto => unreachable!("an executor has chosen"),
    }
}

/// `place`: which of how many workers of the group this one is; `None` where nobody of it sits here.
fn state(user_group: &UserGroup, course: &Arc<Course>, handle: &Handle, place: Option<(u32, u32)>) -> Rc<WorkerState> {
    let schedule = user_group.schedule().zip(place);
    let backlog =
        schedule.map(|(arrivals, (place, of))| Backlog::new(Schedule::new(&arrivals, user_group.seed, place, of)));
    Rc::new(WorkerState {
        course: Arc::clone(course),
        errors: user_group.errors.clone(),
        tally: RefCell::new(Box::new(WorkerTally::new(user_group))),
        gate: handle.gate(),
        phase: Cell::new(None),
        over: Cell::new(false),
        start: Cell::new(Nanos(0)),
        backlog: backlog.map(RefCell::new),
        in_flight: Cell::new(0),
        last_end: Cell::new(Nanos(0)),
    })
}

/// What a user's turn goes through, side by side.
struct Seated<S> {
    session: S,
    seat: UserSeat,
}

async fn live(
    user_group: Rc<UserGroup>,
    number: u32,
    place: u32,
    state: Rc<WorkerState>,
    handle: Handle,
    connected: Rc<Cell<u32>>,
) {
    while place >= connected.get() + CONNECTING && !state.over.get() {
        // Whoever is far behind looks less often: ten thousand who look each millisecond leave no CPU to connect with.
        let behind = (place - connected.get()) / CONNECTING;
        handle.sleep_until(Nanos(clock::now().0 + GLANCE.0 * u64::from(behind))).await;
    }
    let chair = Chair { user_group: &user_group, number, place, state: &state, handle: &handle, connected: &connected };
    let outcome = match user_group.workload.life() {
        Life::Sql(life) => chair.in_sql(life).await,
        Life::KeyValue(life) => chair.by_key(life).await,
        Life::Documents(life) => chair.in_documents(life).await,
        Life::Script(life) => chair.as_a_script(life).await,
    };
    state.course.user_left();
    chair.tell(&outcome);
}

/// One user's place among those of its worker.
struct Chair<'a> {
    user_group: &'a UserGroup,
    number: u32,
    place: u32,
    state: &'a Rc<WorkerState>,
    handle: &'a Handle,
    connected: &'a Rc<Cell<u32>>,
}

impl Chair<'_> {
    /// What is done once lies in boxes of its own and is gone afterwards: a user's turn goes through this future, and a
    /// thousand users are to be small.
    async fn in_sql(&self, life: &dyn SqlLife) -> Result<(), Fault> {
        let opened = Box::pin(Session::open(self.sql(), StateLedger(Rc::clone(self.state)))).await;
        let mut seated = self.seated(opened)?;
        let Seated { session, seat } = &mut *seated;
        let living = life.user(self.place(), session, seat);
        self.handle.touches(Part::Life, Memory::of(&*living));
        let lived = living.await;
        if Box::pin(self.lingered(&lived)).await {
            Box::pin(seated.session.quit()).await;
        }
        lived
    }

    async fn by_key(&self, life: &dyn KeyValueLife) -> Result<(), Fault> {
        let Some(Endpoint::Keys(endpoint)) = &self.user_group.past_sql else {
            return Err(self.nowhere("keys and values"));
        };
        let opening = keyed::Opening { endpoint: endpoint.clone(), connect: self.connect(&endpoint.address) };
        let opened = Box::pin(keyed::Session::open(Rc::new(opening), StateLedger(Rc::clone(self.state)))).await;
        let mut seated = self.seated(opened)?;
        let Seated { session, seat } = &mut *seated;
        let living = life.user(self.place(), session, seat);
        self.handle.touches(Part::Life, Memory::of(&*living));
        let lived = living.await;
        // Nobody counts goodbyes here: the session is dropped.
        Box::pin(self.lingered(&lived)).await;
        lived
    }

    async fn in_documents(&self, life: &dyn DocumentsLife) -> Result<(), Fault> {
        let Some(Endpoint::Documents(endpoint)) = &self.user_group.past_sql else {
            return Err(self.nowhere("documents"));
        };
        let opening = documents::Opening { endpoint: endpoint.clone(), connect: self.connect(&endpoint.store.address) };
        let opened = Box::pin(documents::Session::open(Rc::new(opening), StateLedger(Rc::clone(self.state)))).await;
        let mut seated = self.seated(opened)?;
        let Seated { session, seat } = &mut *seated;
        let living = life.user(self.place(), session, seat);
        self.handle.touches(Part::Life, Memory::of(&*living));
        let lived = living.await;
        Box::pin(self.lingered(&lived)).await;
        lived
    }

    /// A user who opens sessions itself closes them too, and does not wait until the server's threads were read.
    async fn as_a_script(&self, life: &dyn ScriptLife) -> Result<(), Fault> {
        let mysql = std::iter::once(&self.user_group.endpoint).chain(&self.user_group.others).cloned().collect();
        let endpoints = ScriptEndpoints { mysql, postgres: self.user_group.postgres.clone() };
        let openings = Rc::new(Openings::new(&endpoints, self.handle, self.user_group.deadline));
        let ledger = StateLedger(Rc::clone(self.state));
        let mut sessions = AtLarge::new(openings, self.number, ledger, self.handle.clone());
        let mut seat = UserSeat::new(Rc::clone(self.state), self.handle.clone(), self.user_group, self.number);
        seat.counts_in(Rc::clone(self.connected));
        let living = life.user(self.place(), &mut sessions, &mut seat);
        self.handle.touches(Part::Life, Memory::of(&*living));
        living.await
    }

    /// Where this user's SQL is said, and what becomes of it while the server is gone.
    fn sql(&self) -> Rc<Opening> {
        let endpoint = self.user_group.endpoint_of(self.number);
        let again = self.user_group.outlasts.then(|| {
            let (handle, state) = (self.handle.clone(), Rc::clone(self.state));
            Box::new(move || -> Again {
                let (handle, state) = (handle.clone(), Rc::clone(&state));
                Box::pin(async move {
                    handle.sleep_until(Nanos(clock::now().0 + KNOCK.0)).await;
                    !state.over.get() && !state.course.stopped()
                })
            }) as Box<dyn Fn() -> Again>
        });
        let connect = self.connect(&endpoint.address);
        Rc::new(Opening { endpoint: endpoint.clone(), connect, setup: self.user_group.setup.clone(), again })
    }

    fn connect(&self, address: &Address) -> Box<dyn Fn() -> Connecting> {
        let (handle, address, deadline) = (self.handle.clone(), address.clone(), self.user_group.deadline);
        Box::new(move || -> Connecting {
            let (handle, address) = (handle.clone(), address.clone());
            Box::pin(async move { handle.connect(&address, deadline).await })
        })
    }

    fn place(&self) -> Place<'_> {
        let UserGroup { parameters, seed, users, .. } = self.user_group;
        Place { parameters, seed: *seed, number: self.number, users: *users }
    }

    /// The run was given no server that serves what its users speak.
    #[cold]
    fn nowhere(&self, what: &str) -> Fault {
        Fault::Unopened(format!("no server of {what} is known to this run"))
    }

    fn seated<S>(&self, opened: Result<S, Fault>) -> Result<Box<Seated<S>>, Fault> {
        if let Err(fault) = &opened {
            let course = &self.state.course;
            course.fail_by(Cause::of(fault), failure::not_let_in(self.number, self.user_group, course.ready(), fault));
        }
        let seat = UserSeat::new(Rc::clone(self.state), self.handle.clone(), self.user_group, self.number);
        let seated = Box::new(Seated { session: opened?, seat });
        self.handle.touches(Part::Place, Memory::of(&*seated));
        self.connected.set(self.connected.get() + 1);
        Ok(seated)
    }

    /// A user who could not go on ends the run, for the first reason that is told.
    fn tell(&self, lived: &Result<(), Fault>) {
        match lived {
            Ok(()) | Err(Fault::Stopped) => {}
            // After the end a broken conversation is no news: the run is being stopped.
            Err(_) if self.state.over.get() => {}
            Err(fault) => {
                let why = failure::gave_up(self.number, self.user_group, fault);
                self.state.course.fail_by(Cause::of(fault), why);
            }
        }
    }

    /// Whether there is a session to say goodbye to. What the kernel counted of the server's thread is read while there
    /// is one. Who could not go on says so first: the others may wait for its being ready, and it for the end of the
    /// run.
    async fn lingered(&self, lived: &Result<(), Fault>) -> bool {
        self.tell(lived);
        if lived.as_ref().is_err_and(|fault| !fault.session_survives()) {
            return false;
        }
        while !self.state.course.is_released() {
            self.handle.sleep_until(Nanos(clock::now().0 + GLANCE.0 * u64::from(1 + self.place / CONNECTING))).await;
        }
        true
    }
}

/// Turns the phases and cuts the intervals.
async fn keep_time(course: Arc<Course>, handle: Handle, sender: Rc<TallySender>) {
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
                Until::Time(_) => end.expect("a phase by time has its end from its beginning on"),
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
struct Table {
    user_group: Rc<UserGroup>,
    state: Rc<WorkerState>,
    spares: Receiver<Box<WorkerTally>>,
}

/// Hands tallies over.
struct TallySender {
    worker: u32,
    out: Sender<Handover>,
    tables: Vec<Table>,
    since: Cell<Nanos>,
}

impl TallySender {
    fn states(&self) -> impl Iterator<Item = &WorkerState> {
        self.tables.iter().map(|table| &*table.state)
    }

    /// The intervals of all groups end at the same moment.
    fn hand_over(&self, phase: Option<usize>) {
        let empty =
            |table: &Table| table.spares.try_recv().unwrap_or_else(|_| Box::new(WorkerTally::new(&table.user_group)));
        let empty: Vec<_> = self.tables.iter().map(empty).collect();
        let now = clock::now();
        let from = self.since.replace(now);
        for ((user_group, table), empty) in self.tables.iter().enumerate().zip(empty) {
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
