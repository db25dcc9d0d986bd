//! One replay of a script against one server: all sessions as tasks of one thread. A session asks its next statement
//! when its think time is over (as in the trace, so many times as fast, or at once) and what it has to wait for was
//! answered. Three times are kept of each statement: how long its session waited for others, how long the replayer then
//! took to send it, and how long the server took to answer.

use super::feed::Feed;
use super::ledger::{Ledger, Sums};
use super::line::{Line, Target};
use super::script::Script;
use super::stalls::{BEAT, Stalls};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::session::replaying::Answered;
use crate::executor::{Executor, Gate, Handle};
use crate::os::clock;
use crate::os::procfs::schedstat;
use crate::trouble::Trouble;
use model::Nanos;
use model::load::Io;
use model::upgrade::{Fate, Heard, Stall};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::Scope;
use trace::Statement;
use workload::session::Fault;

/// How long a session that holds locks waits for another that may wait for these: the trace had them otherwise.
const ORDER_PATIENCE: Nanos = Nanos(2_000_000_000);
/// How often it looks meanwhile.
const LOOK_AGAIN: Nanos = Nanos(500_000);
/// So many statements with other row counts or errors than the trace's, and the data are others.
const MISFITS: u64 = 1000;
/// And if they are so large a part of what was asked.
const MISFIT_SHARE: f64 = 0.1;

/// How often it is shown how far it is.
const SHOWN: Nanos = Nanos(500_000_000);

/// How fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// So many times as fast as captured.
    Times(f64),
    /// Without think time.
    Fast,
}

impl Pace {
    fn wait(self, captured: u64) -> u64 {
        match self {
            Self::Times(times) => (captured as f64 / times) as u64,
            Self::Fast => 0,
        }
    }
}

/// How a script is played.
pub struct Manner<'a> {
    pub pace: Pace,
    /// Answers are held against the trace's: its data are there.
    pub is_compared: bool,
    pub stop: &'a AtomicBool,
    /// Is told how many statements were answered.
    pub at: &'a dyn Fn(u64),
}

/// What came of it.
pub struct Played {
    pub sums: Sums,
    /// The first error text of each number that the trace has not.
    pub errors: HashMap<(u32, u16), String>,
    pub wall: Nanos,
    pub stalls: Vec<Stall>,
    pub misfits: u64,
    pub own_cpu: Nanos,
    pub own_starved: Nanos,
    /// Why it ended early.
    pub ended: Option<String>,
}

struct Stage {
    script: Rc<Script>,
    pace: Pace,
    is_compared: bool,
    target: Target,
    handle: Handle,
    begun: Cell<Nanos>,
    /// By session: how many of its statements were answered, and when the last was.
    done: Vec<Cell<(u32, Nanos)>>,
    gates: Vec<Gate>,
    feed: Feed,
    /// By session: opened when it has a statement again.
    fed: Vec<Gate>,
    /// Which sessions have begun.
    begun_of: Vec<Cell<bool>>,
    ledger: RefCell<Ledger>,
    errors: RefCell<HashMap<(u32, u16), String>>,
    stalls: RefCell<Stalls>,
    misfits: Cell<u64>,
    living: Cell<usize>,
    last: Cell<Nanos>,
    ended: RefCell<Option<String>>,
}

impl Stage {
    /// Ends the replay before its end.
    fn end(&self, why: String) {
        *self.ended.borrow_mut() = Some(why);
        self.gates.iter().chain(&self.fed).for_each(Gate::open);
    }
}

/// Plays it; what was heard goes into that file, and is whole where this is `Ok`.
pub fn play(
    script: &Rc<Script>,
    endpoint: &SqlEndpoint,
    collations: HashMap<u16, String>,
    manner: &Manner<'_>,
    into: &Path,
) -> Result<Played, Trouble> {
    std::thread::scope(|scope| played(script, endpoint, collations, manner, into, scope))
}

fn played<'s>(
    script: &'s Rc<Script>,
    endpoint: &SqlEndpoint,
    collations: HashMap<u16, String>,
    manner: &Manner<'_>,
    into: &Path,
    scope: &'s Scope<'s, '_>,
) -> Result<Played, Trouble> {
    let trouble = |e: std::io::Error| Trouble::new("the sessions cannot be driven").because(e);
    let mut executor = Executor::new(Io::Auto).map_err(trouble)?;
    let handle = executor.handle();
    let sessions = script.sessions.len();
    let stage = Rc::new(Stage {
        script: Rc::clone(script),
        pace: manner.pace,
        is_compared: manner.is_compared,
        target: Target { endpoint: endpoint.clone(), collations, handle: handle.clone() },
        begun: Cell::new(clock::now()),
        done: vec![Cell::new((0, Nanos(0))); sessions],
        gates: (0..sessions).map(|_| handle.gate()).collect(),
        feed: Feed::begin(script, scope),
        fed: (0..sessions).map(|_| handle.gate()).collect(),
        begun_of: vec![Cell::new(false); sessions],
        ledger: RefCell::new(Ledger::create(into)?),
        errors: RefCell::default(),
        stalls: RefCell::new(Stalls::new(sessions)),
        misfits: Cell::new(0),
        living: Cell::new(sessions),
        last: Cell::new(clock::now()),
        ended: RefCell::new(None),
        handle: handle.clone(),
    });
    let mut first = Vec::new();
    stage.feed.fill(|session| first.push(session))?;
    first.into_iter().for_each(|session| begin(&stage, session));
    let feeding = Rc::clone(&stage);
    handle.spawn(Box::pin(async move { feed(&feeding).await }));
    stage.begun.set(clock::now());
    let beating = Rc::clone(&stage);
    handle.spawn(Box::pin(async move { beat(&beating).await }));
    let before = own_time();
    let mut shown = clock::now();
    let is_over = || {
        if clock::now().0 >= shown.0 + SHOWN.0 {
            shown = clock::now();
            (manner.at)(stage.ledger.borrow().sums().asked);
        }
        manner.stop.load(Relaxed) || stage.ended.borrow().is_some()
    };
    executor.run(is_over).map_err(trouble)?;
    let after = own_time();
    drop(executor);
    if manner.stop.load(Relaxed) {
        return Err(Trouble::new("asked to stop"));
    }
    let stage = Rc::into_inner(stage).expect("no task lives any more");
    Ok(Played {
        sums: stage.ledger.into_inner().finish(script.count())?,
        errors: stage.errors.into_inner(),
        wall: Nanos(stage.last.get().0.saturating_sub(stage.begun.get().0)),
        stalls: stage.stalls.borrow().found(stage.begun.get()),
        misfits: stage.misfits.get(),
        own_cpu: Nanos(after.0 - before.0),
        own_starved: Nanos(after.1 - before.1),
        ended: stage.ended.into_inner(),
    })
}

/// A session's first statement lies ready, or another: it lives from the first on.
fn begin(stage: &Rc<Stage>, session: usize) {
    if stage.begun_of[session].replace(true) {
        return stage.fed[session].open();
    }
    let stage = Rc::clone(stage);
    stage.handle.clone().spawn(Box::pin(async move { Session::of(&stage, session).live().await }));
}

/// Brings statements to their sessions until all are there.
async fn feed(stage: &Rc<Stage>) {
    while stage.ended.borrow().is_none() {
        match stage.feed.take(|session| begin(stage, session)) {
            Ok(true) => stage.handle.sleep_until(Nanos(clock::now().0 + BEAT.0)).await,
            Ok(false) => return stage.fed.iter().for_each(Gate::open),
            Err(trouble) => stage.end(trouble.to_string()),
        }
    }
}

/// Nanoseconds of the calling thread on a CPU, and ready without one.
fn own_time() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    schedstat(&text).unwrap_or((0, 0))
}

/// Looks whether the replayer is awake, as long as anybody replays.
async fn beat(stage: &Stage) {
    let mut due = clock::now();
    while stage.living.get() > 0 && stage.ended.borrow().is_none() {
        due = Nanos(due.0 + BEAT.0);
        stage.handle.sleep_until(due).await;
        let now = clock::now();
        stage.stalls.borrow_mut().woke(due, now);
        due = now;
    }
}

struct Session<'a> {
    stage: &'a Stage,
    number: usize,
    line: Line,
}

impl<'a> Session<'a> {
    fn of(stage: &'a Stage, number: usize) -> Self {
        Self { stage, number, line: Line::default() }
    }

    async fn live(mut self) {
        // Its first statement begins as long after the first of all as it did; each other one after its think time.
        let (mut free, mut before) = (self.stage.begun.get().0, self.stage.script.first);
        for place in 0..self.stage.script.sessions[self.number] {
            let Some((at, statement, is_ahead)) = self.next().await else { break };
            free += self.stage.pace.wait(statement.start.0.saturating_sub(before));
            before = statement.end().0;
            let due = free;
            if is_ahead {
                free = free.max(clock::now().0);
            }
            self.stage.handle.sleep_until(Nanos(free)).await;
            let (ready, out_of_order) = self.order(at, &statement, free).await;
            if self.stage.ended.borrow().is_some() {
                break;
            }
            let heard = Heard { wait: Nanos(ready - due), out_of_order, ..Heard::default() };
            let (heard, moment) = self.say(at, &statement, heard, ready).await;
            free = moment.0;
            self.stage.ledger.borrow_mut().put(at, &statement, heard);
            self.stage.done[self.number].set((place + 1, Nanos(free)));
            self.stage.gates[self.number].open();
        }
        self.line.quit().await;
        self.stage.done[self.number].set((u32::MAX, self.stage.handle.moment()));
        self.stage.gates[self.number].open();
        self.stage.living.set(self.stage.living.get() - 1);
    }

    /// Its next statement, and whether it had to wait for it because it was so far ahead of others; `None` where the
    /// replay has ended.
    async fn next(&self) -> Option<(usize, Statement, bool)> {
        let mut is_ahead = false;
        while self.stage.ended.borrow().is_none() {
            if let Some((at, statement)) = self.stage.feed.next(self.number) {
                return Some((at, statement, is_ahead));
            }
            // A trace that is shorter now than when it was read.
            if self.stage.feed.is_over() {
                return None;
            }
            is_ahead |= self.stage.feed.is_full();
            self.stage.fed[self.number].pass().await;
        }
        None
    }

    /// Waits for all that is to be answered before; when that was, and whether it was given up.
    async fn order(&self, at: usize, statement: &Statement, free: u64) -> (u64, bool) {
        let (script, mut ready, mut given_up) = (&self.stage.script, free, false);
        let holds = statement
            .transaction
            .is_some_and(|t| matches!(t.place, trace::Place::Inside | trace::Place::Commits | trace::Place::RollsBack));
        for wait in script.order.waits(at) {
            let done = &self.stage.done[wait.session as usize];
            let is_open = || done.get().0 > wait.place || self.stage.ended.borrow().is_some();
            if is_open() {
                continue;
            }
            let begun = clock::now();
            while !is_open() && !holds {
                self.stage.gates[wait.session as usize].pass().await;
                ready = ready.max(done.get().1.0);
            }
            while !is_open() && !given_up {
                self.stage.handle.sleep_until(Nanos(clock::now().0 + LOOK_AGAIN.0)).await;
                ready = ready.max(clock::now().0);
                given_up = ready >= begun.0 + ORDER_PATIENCE.0;
            }
        }
        (ready, given_up)
    }

    /// Asks it: what was heard, and when that was over.
    async fn say(&mut self, at: usize, statement: &Statement, mut heard: Heard, ready: u64) -> (Heard, Nanos) {
        let ready = match self.line.come(statement, &self.stage.target).await {
            Ok(false) => ready,
            // What prepared the way is nobody's lateness.
            Ok(true) => clock::now().0,
            Err(fault) => return self.lost(at, heard, &fault),
        };
        let sent = clock::now();
        heard.lag = Nanos(sent.0.saturating_sub(ready));
        let owed = statement.took.unwrap_or_default();
        self.stage.stalls.borrow_mut().asked(self.number, sent, owed);
        let answered = self.line.ask(statement).await;
        let moment = self.line.moment().0.max(sent.0);
        let moment = Nanos(moment);
        let stalled = self.stage.stalls.borrow_mut().answered(self.number, moment);
        self.stage.last.set(Nanos(self.stage.last.get().0.max(moment.0)));
        match answered {
            Ok(Some(Answered { heard: answer, error })) => {
                let times = (heard.wait, heard.lag, heard.out_of_order);
                heard = Heard { wait: times.0, lag: times.1, out_of_order: times.2, stalled, ..answer };
                heard.service = Nanos(moment.0 - sent.0);
                self.fits(at, statement, &heard, error);
            }
            Ok(None) => heard = Heard::default(),
            Err(fault) => return self.lost(at, heard, &fault),
        }
        (heard, moment)
    }

    fn lost(&mut self, at: usize, heard: Heard, fault: &Fault) -> (Heard, Nanos) {
        self.line.lose();
        let mut errors = self.stage.errors.borrow_mut();
        errors.entry((self.stage.script.digest_of(at).unwrap_or(u32::MAX), 0)).or_insert_with(|| fault.to_string());
        (Heard { fate: Fate::Lost, ..heard }, clock::now())
    }

    /// Whether it was answered as in the trace.
    fn fits(&self, at: usize, statement: &Statement, heard: &Heard, error: Option<String>) {
        let known = &statement.answer;
        let is_error = known.error.is_some_and(|number| number != heard.error);
        let rows = known.rows.is_some_and(|rows| rows != u64::from(heard.rows));
        let affected = known.affected.is_some_and(|affected| affected != u64::from(heard.affected));
        if let (Some(error), Some(digest)) = (error, self.stage.script.digest_of(at))
            && known.error.is_none_or(|number| number == 0)
        {
            self.stage.errors.borrow_mut().entry((digest, heard.error)).or_insert(error);
        }
        let racy = self.stage.script.order.is_racy(at);
        if racy || !self.stage.is_compared || !(is_error || heard.fate == Fate::Answered && (rows || affected)) {
            return;
        }
        self.stage.misfits.set(self.stage.misfits.get() + 1);
        let (misfits, asked) = (self.stage.misfits.get(), self.stage.ledger.borrow().sums().asked + 1);
        if misfits >= MISFITS && misfits as f64 > MISFIT_SHARE * asked as f64 {
            self.stage.end(format!(
                "the data do not fit the trace: {misfits} of the first {asked} statements were answered with other rows \
                 or errors than in the trace; give the data as they were when the trace began"
            ));
        }
    }
}
