//! One replay of a script against one server: all sessions as tasks of one thread. A session asks its next statement
//! when its think time is over (as in the trace, so many times as fast, or at once) and what it has to wait for was
//! answered. Three times are kept of each statement: how long its session waited for others, how long the replayer then
//! took to send it, and how long the server took to answer.

use super::script::Script;
use super::stalls::{BEAT, Stalls};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::session::replaying::{Answered, Replaying};
use crate::backends::opening::Opening;
use crate::executor::{Executor, Gate, Handle};
use crate::os::clock;
use crate::os::procfs::schedstat;
use crate::trouble::Trouble;
use model::Nanos;
use model::load::Io;
use model::upgrade::{Fate, Heard, Stall};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use trace::{Ask, Statement};
use workload::session::Fault;

/// A statement that is not answered within it has no server any more.
const DEADLINE: Nanos = Nanos(3_600_000_000_000);
/// How long a session that holds locks waits for another that may wait for these: the trace had them otherwise.
const ORDER_PATIENCE: Nanos = Nanos(2_000_000_000);
/// How often it looks meanwhile.
const LOOK_AGAIN: Nanos = Nanos(500_000);
/// So many statements with other row counts or errors than the trace's, and the data are others.
const MISFITS: u64 = 1000;
/// And if they are so large a part of what was asked.
const MISFIT_SHARE: f64 = 0.1;

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

/// What came of it.
pub struct Played {
    /// What was heard, by statement of the script.
    pub heard: Vec<Heard>,
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
    endpoint: SqlEndpoint,
    /// How a session is told that its client speaks in one, by its number.
    collations: HashMap<u16, String>,
    handle: Handle,
    begun: Cell<Nanos>,
    /// By session: how many of its statements were answered, and when the last was.
    done: Vec<Cell<(u32, Nanos)>>,
    gates: Vec<Gate>,
    heard: RefCell<Vec<Heard>>,
    errors: RefCell<HashMap<(u32, u16), String>>,
    stalls: RefCell<Stalls>,
    asked: Cell<u64>,
    misfits: Cell<u64>,
    living: Cell<usize>,
    last: Cell<Nanos>,
    ended: RefCell<Option<String>>,
}

pub fn play(
    script: &Rc<Script>,
    endpoint: &SqlEndpoint,
    collations: HashMap<u16, String>,
    pace: Pace,
    stop: &AtomicBool,
) -> Result<Played, Trouble> {
    let trouble = |e: std::io::Error| Trouble::new("the sessions cannot be driven").because(e);
    let mut executor = Executor::new(Io::Auto).map_err(trouble)?;
    let handle = executor.handle();
    let sessions = script.sessions.len();
    let stage = Rc::new(Stage {
        script: Rc::clone(script),
        pace,
        endpoint: endpoint.clone(),
        collations,
        begun: Cell::new(clock::now()),
        done: vec![Cell::new((0, Nanos(0))); sessions],
        gates: (0..sessions).map(|_| handle.gate()).collect(),
        heard: RefCell::new(vec![Heard::default(); script.statements.len()]),
        errors: RefCell::default(),
        stalls: RefCell::new(Stalls::new(sessions)),
        asked: Cell::new(0),
        misfits: Cell::new(0),
        living: Cell::new(sessions),
        last: Cell::new(clock::now()),
        ended: RefCell::new(None),
        handle: handle.clone(),
    });
    for session in 0..sessions {
        let stage = Rc::clone(&stage);
        handle.spawn(Box::pin(async move { Session::of(&stage, session).live().await }));
    }
    let beating = Rc::clone(&stage);
    handle.spawn(Box::pin(async move { beat(&beating).await }));
    let before = own_time();
    executor.run(|| stop.load(Relaxed) || stage.ended.borrow().is_some()).map_err(trouble)?;
    let after = own_time();
    drop(executor);
    if stop.load(Relaxed) {
        return Err(Trouble::new("asked to stop"));
    }
    let stage = Rc::into_inner(stage).expect("no task lives any more");
    Ok(Played {
        heard: stage.heard.into_inner(),
        errors: stage.errors.into_inner(),
        wall: Nanos(stage.last.get().0.saturating_sub(stage.begun.get().0)),
        stalls: stage.stalls.borrow().found(stage.begun.get()),
        misfits: stage.misfits.get(),
        own_cpu: Nanos(after.0 - before.0),
        own_starved: Nanos(after.1 - before.1),
        ended: stage.ended.into_inner(),
    })
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
    line: Option<Replaying>,
    database: String,
    /// As its client named it at login.
    collation: u16,
    /// Statements that the server would not prepare.
    refused: HashMap<u32, (u16, String)>,
}

impl<'a> Session<'a> {
    fn of(stage: &'a Stage, number: usize) -> Self {
        Self { stage, number, line: None, database: String::new(), collation: 0, refused: HashMap::new() }
    }

    async fn live(mut self) {
        let script = Rc::clone(&self.stage.script);
        let own = &script.sessions[self.number];
        let mut free = self.stage.begun.get().0 + self.stage.pace.wait(script.begun(own[0] as usize));
        for (place, at) in own.iter().enumerate() {
            let at = *at as usize;
            if place > 0 {
                let think = script.begun(at).saturating_sub(script.ended(own[place - 1] as usize));
                free += self.stage.pace.wait(think);
            }
            self.stage.handle.sleep_until(Nanos(free)).await;
            let (ready, out_of_order) = self.order(at, free).await;
            if self.stage.ended.borrow().is_some() {
                break;
            }
            let heard = Heard { wait: Nanos(ready - free), out_of_order, ..Heard::default() };
            free = self.say(at, heard, ready).await.0;
            self.stage.done[self.number].set((place as u32 + 1, Nanos(free)));
            self.stage.gates[self.number].open();
        }
        if let Some(line) = self.line.take() {
            line.quit().await;
        }
        self.stage.done[self.number].set((u32::MAX, self.stage.handle.moment()));
        self.stage.gates[self.number].open();
        self.stage.living.set(self.stage.living.get() - 1);
    }

    /// Waits for all that is to be answered before; when that was, and whether it was given up.
    async fn order(&self, at: usize, free: u64) -> (u64, bool) {
        let (script, mut ready, mut given_up) = (&self.stage.script, free, false);
        let holds = script.statements[at]
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

    /// Asks it, and says when that was over.
    async fn say(&mut self, at: usize, mut heard: Heard, ready: u64) -> Nanos {
        let script = Rc::clone(&self.stage.script);
        let statement = &script.statements[at];
        let ready = match self.come(statement).await {
            Ok(false) => ready,
            // What prepared the way is nobody's lateness.
            Ok(true) => clock::now().0,
            Err(fault) => return self.lost(at, heard, &fault),
        };
        let sent = clock::now();
        heard.lag = Nanos(sent.0.saturating_sub(ready));
        let owed = statement.took.unwrap_or_default();
        self.stage.stalls.borrow_mut().asked(self.number, sent, owed);
        let answered = self.ask(statement).await;
        let moment = self.line.as_ref().map_or_else(clock::now, Replaying::moment).0.max(sent.0);
        let moment = Nanos(moment);
        let stalled = self.stage.stalls.borrow_mut().answered(self.number, moment);
        self.stage.last.set(Nanos(self.stage.last.get().0.max(moment.0)));
        match answered {
            Ok(Some(Answered { heard: answer, error })) => {
                let times = (heard.wait, heard.lag, heard.out_of_order);
                heard = Heard { wait: times.0, lag: times.1, out_of_order: times.2, stalled, ..answer };
                heard.service = Nanos(moment.0 - sent.0);
                self.fits(at, statement, &heard, error);
                self.stage.heard.borrow_mut()[at] = heard;
            }
            Ok(None) => self.stage.heard.borrow_mut()[at] = Heard::default(),
            Err(fault) => return self.lost(at, heard, &fault),
        }
        moment
    }

    fn lost(&mut self, at: usize, heard: Heard, fault: &Fault) -> Nanos {
        self.line = None;
        self.stage.heard.borrow_mut()[at] = Heard { fate: Fate::Lost, ..heard };
        let mut errors = self.stage.errors.borrow_mut();
        errors.entry((self.stage.script.digest_of[at].unwrap_or(u32::MAX), 0)).or_insert_with(|| fault.to_string());
        clock::now()
    }

    /// Whether it was answered as in the trace.
    fn fits(&self, at: usize, statement: &Statement, heard: &Heard, error: Option<String>) {
        let known = &statement.answer;
        let is_error = known.error.is_some_and(|number| number != heard.error);
        let rows = known.rows.is_some_and(|rows| rows != u64::from(heard.rows));
        let affected = known.affected.is_some_and(|affected| affected != u64::from(heard.affected));
        self.stage.asked.set(self.stage.asked.get() + 1);
        if let (Some(error), Some(digest)) = (error, self.stage.script.digest_of[at])
            && known.error.is_none_or(|number| number == 0)
        {
            self.stage.errors.borrow_mut().entry((digest, heard.error)).or_insert(error);
        }
        let racy = self.stage.script.order.is_racy(at);
        if racy || !(is_error || heard.fate == Fate::Answered && (rows || affected)) {
            return;
        }
        self.stage.misfits.set(self.stage.misfits.get() + 1);
        let (misfits, asked) = (self.stage.misfits.get(), self.stage.asked.get());
        if misfits >= MISFITS && misfits as f64 > MISFIT_SHARE * asked as f64 {
            *self.stage.ended.borrow_mut() = Some(format!(
                "the data do not fit the trace: {misfits} of the first {asked} statements were answered with other rows \
                 or errors than in the trace; give the data as they were when the trace began"
            ));
            self.stage.gates.iter().for_each(Gate::open);
        }
    }

    /// Has a session of the right schema; whether that took anything.
    async fn come(&mut self, statement: &Statement) -> Result<bool, Fault> {
        if let Ask::Connect { collation } | Ask::ChangeUser { collation } = statement.ask {
            self.collation = collation;
        }
        if matches!(statement.ask, Ask::ChangeUser { .. }) {
            self.line = None;
        }
        let is_new = self.line.is_none();
        if is_new {
            let user = if statement.user.is_empty() { "root" } else { &statement.user };
            let endpoint = SqlEndpoint { user: user.to_string(), ..self.stage.endpoint.clone() };
            let connect = self.stage.handle.connecting(&endpoint.address, DEADLINE);
            let opening = Opening { endpoint, connect, setup: Vec::new(), again: None };
            let mut line = Replaying::open(&opening).await?;
            // A number that the server does not know stays what every session of ours begins with.
            if let Some(names) = self.stage.collations.get(&self.collation) {
                line.query(names.as_bytes()).await?;
            }
            self.line = Some(line);
            self.database.clear();
        }
        let moves = !statement.database.is_empty() && *statement.database != *self.database;
        if moves {
            let line = self.line.as_mut().expect("it was opened");
            line.init_db(&statement.database).await?;
            self.database = statement.database.to_string();
        }
        Ok(is_new || moves)
    }

    /// `None` for what is not asked.
    async fn ask(&mut self, statement: &Statement) -> Result<Option<Answered>, Fault> {
        let line = self.line.as_mut().expect("somebody came before");
        match &statement.ask {
            Ask::Query(text) => line.query(text).await.map(Some),
            Ask::Prepare { statement, text } => self.prepare(*statement, text).await.map(Some),
            Ask::Execute(execute) => {
                let Some(text) = &execute.text else { return Ok(None) };
                let known = line.is_prepared(execute.statement) || self.refused.contains_key(&execute.statement);
                if !known {
                    self.prepare(execute.statement, text).await?;
                }
                self.execute(execute).await
            }
            Ask::Close { statement } => {
                line.close(*statement);
                self.refused.remove(statement);
                Ok(None)
            }
            Ask::InitDb(schema) => {
                self.database = schema.to_string();
                line.init_db(schema).await.map(Some)
            }
            Ask::ResetConnection => line.reset_connection().await.map(Some),
            Ask::Ping => line.ping().await.map(Some),
            Ask::Connect { .. }
            | Ask::ChangeUser { .. }
            | Ask::Fetch { .. }
            | Ask::Reset { .. }
            | Ask::SetOption(_)
            | Ask::Quit
            | Ask::Other(_) => Ok(None),
        }
    }

    async fn prepare(&mut self, number: u32, text: &[u8]) -> Result<Answered, Fault> {
        let line = self.line.as_mut().expect("somebody came before");
        let answered = line.prepare(number, text).await?;
        match &answered.error {
            Some(error) => drop(self.refused.insert(number, (answered.heard.error, error.clone()))),
            None => drop(self.refused.remove(&number)),
        }
        Ok(answered)
    }

    /// All its rows of values, one after the other; the answer is their sum.
    async fn execute(&mut self, execute: &trace::Execute) -> Result<Option<Answered>, Fault> {
        if let Some((error, text)) = self.refused.get(&execute.statement) {
            let heard = Heard { fate: Fate::Refused, error: *error, ..Heard::default() };
            return Ok(Some(Answered { heard, error: Some(text.clone()) }));
        }
        let line = self.line.as_mut().expect("somebody came before");
        let mut all: Option<Answered> = None;
        let none = vec![Vec::new()];
        let rows = if execute.rows.is_empty() { &none } else { &execute.rows };
        for row in rows {
            let one = line.execute(execute.statement, row).await?;
            all = Some(match all {
                Some(mut sum) if one.error.is_none() => {
                    sum.heard.affected = sum.heard.affected.saturating_add(one.heard.affected);
                    sum.heard.warnings = sum.heard.warnings.saturating_add(one.heard.warnings);
                    sum
                }
                Some(_) | None => one,
            });
            if all.as_ref().is_some_and(|all| all.error.is_some()) {
                break;
            }
        }
        Ok(all)
    }
}
