//! Who drives a state: carries out what the script asks through sessions and gives it the replies, one after the other.
//! It counts as sysbench does (a statement by what it came to, not by its text), and decides which errors an event is
//! begun again after.

mod links;
mod statements;
mod troubles;

use crate::emulation;
use crate::exchange::{COUNTERS, Outcome, Reply};
use crate::script::Script;
use crate::shapes::{Met, PLUMBING, Shapes};
use crate::share::Share;
use crate::state::{Entry, State, Step};
use links::Link;
use mlua::Value;
use model::units::Nanos;
use statements::{Statement, Way};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use workload::session::{Answer, Fact, Request, Sessions, Sql, Want};
use workload::user::{End, Operation, Seat};

/// sysbench's counters, by `sb_counter_type`.
const OTHER: usize = 0;
const READ: usize = 1;
const WRITE: usize = 2;
const ERROR: usize = 4;
const RECONNECT: usize = 5;

/// What is told of them, as facts of the workload.
const TOLD: [(usize, &str); 5] =
    [(READ, "reads"), (WRITE, "writes"), (OTHER, "other"), (ERROR, "ignored errors"), (RECONNECT, "reconnects")];
pub const FACTS: [&str; 5] = [TOLD[0].1, TOLD[1].1, TOLD[2].1, TOLD[3].1, TOLD[4].1];

/// The one operation of a script.
const EVENT: Operation = Operation(0);

pub struct Player {
    pub state: State,
    script: Arc<Script>,
    shapes: Arc<Shapes>,
    met: Met,
    /// By number; the first is nobody's.
    links: Vec<Link>,
    statements: Vec<Statement>,
    expanded: String,
    told: [f64; COUNTERS],
    /// An event is under way.
    turn: bool,
    /// It waited for somebody since its last turn, so that others of its worker had theirs.
    waited: bool,
    /// When it last let others go on without having waited.
    yielded: Nanos,
    share: Share,
    /// Takes the event under way when this one is cut off.
    cut_off: Option<Arc<AtomicU64>>,
}

/// After so many events it is asked where the state's compiled code lies: first when LuaJIT has compiled the event,
/// then what came later.
const COMPILED: [u64; 3] = [150, 600, 2_400];

/// Events that ask nobody are done one after the other for so long; then the other users of the worker have their turn.
const SLICE: Nanos = Nanos::from_millis(1);

/// What becomes of a request.
enum Next {
    Ended,
    /// The script has its reply.
    Replied,
    Turn {
        ended: bool,
    },
    /// A session was asked.
    Asked {
        connection: usize,
        session: usize,
    },
    Seldom(Seldom),
}

/// Requests that are no part of the events of most scripts.
enum Seldom {
    Sleep(Nanos),
    Connect { driver: usize },
    Disconnect { connection: usize },
    Reconnect { connection: usize },
    Prepare { connection: usize },
    Close { connection: usize, statement: usize },
}

/// What ended a performance before its end.
pub enum Halt {
    /// The script raised an error; its text.
    Failed(String),
    Stopped,
}

impl From<String> for Halt {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

impl Player {
    pub fn new(script: &Arc<Script>, shapes: &Arc<Shapes>, tid: u32) -> Result<Self, String> {
        Ok(Self {
            state: State::new(script, tid)?,
            script: Arc::clone(script),
            shapes: Arc::clone(shapes),
            met: Met::default(),
            links: vec![Link::Closed],
            statements: vec![Statement { connection: 0, class: PLUMBING, way: Way::Dead }],
            expanded: String::new(),
            told: [0.0; COUNTERS],
            turn: false,
            waited: false,
            yielded: Nanos(0),
            share: Share::default(),
            cut_off: None,
        })
    }

    /// Has an event that is cut off counted there.
    pub fn counted(mut self, cut_off: &Arc<AtomicU64>) -> Self {
        self.cut_off = Some(Arc::clone(cut_off));
        self
    }

    /// Calls one function of the script and carries out what it asks, to its end; false when the function says so.
    /// Without a seat there are no events.
    pub async fn perform(
        &mut self,
        entry: Entry,
        sessions: &mut (dyn Sessions + '_),
        mut seat: Option<&mut (dyn Seat + '_)>,
    ) -> Result<bool, Halt> {
        self.state.start(entry)?;
        let end = loop {
            match self.step(sessions, &mut seat).await {
                Ok(true) => {}
                Ok(false) => {
                    break self.state.outcome().map(|value| value != Value::Boolean(false)).map_err(Halt::Failed);
                }
                Err(halt) => break Err(halt),
            }
        };
        self.tell(sessions);
        if let Some(seat) = seat {
            let ended = self.state.exchange().take_ended();
            self.end_turn(ended, seat);
        }
        end
    }

    /// What this user did in all.
    pub fn share(&self) -> Share {
        self.share
    }

    /// The event under way is over; without its end it is not counted.
    fn end_turn(&mut self, ended: bool, seat: &mut (dyn Seat + '_)) {
        match (std::mem::take(&mut self.turn), ended) {
            (true, true) => self.share.add(seat.ended(EVENT, End::Done)),
            (true, false) => seat.withdrawn(),
            (false, _) => {}
        }
    }

    /// One request of the script; false when it has none any more.
    async fn step(
        &mut self,
        sessions: &mut (dyn Sessions + '_),
        seat: &mut Option<&mut (dyn Seat + '_)>,
    ) -> Result<bool, Halt> {
        match self.take_up(sessions)? {
            Next::Ended => return Ok(false),
            Next::Replied => {}
            Next::Turn { ended } => self.turn(ended, sessions, seat).await,
            Next::Asked { connection, session } => {
                match poll_fn(|cx| sessions.at(session).poll_answer(cx)).await {
                    Ok(answer) => self.settle(connection, &answer, sessions.at(session)),
                    Err(fault) => Box::pin(self.stumble(connection, session, &fault, sessions)).await?,
                }
                self.waited = true;
            }
            // What is done seldom lies in a box that goes away: a turn goes through the rest of this future.
            Next::Seldom(request) => Box::pin(self.seldom(request, sessions)).await?,
        }
        Ok(true)
    }

    /// Goes on with the script to its next request, and begins it where that is the whole of it.
    #[inline]
    fn take_up(&mut self, sessions: &mut (dyn Sessions + '_)) -> Result<Next, Halt> {
        Ok(match self.state.resume()? {
            Step::Ended => Next::Ended,
            Step::Turn { ended } => Next::Turn { ended },
            Step::Restart => {
                self.state.reply(Reply::default());
                Next::Replied
            }
            Step::Query { connection, sql } => match self.links[connection] {
                Link::Open(session, _) => match std::str::from_utf8(sql) {
                    Ok(text) => {
                        let class = self.met.class(text, &self.shapes);
                        sessions.at(session).start(class, Request::Text(text), Want::KeepEach);
                        Next::Asked { connection, session }
                    }
                    Err(_) => self.refuse_text(),
                },
                other => self.without_session(other),
            },
            Step::Execute { connection, statement, params } => {
                let link = self.links[connection];
                let Some(statement) = self.statements.get(statement).filter(|s| s.connection == connection) else {
                    return Ok(self.refuse());
                };
                let class = statement.class;
                let (session, request) = match (link, &statement.way) {
                    (Link::Open(session, _), Way::Server(prepared)) => (session, Request::Execute(*prepared, params)),
                    (Link::Open(session, _), Way::Text(sql)) => {
                        emulation::expand(sql, params, &mut self.expanded);
                        (session, Request::Text(&self.expanded))
                    }
                    (Link::Open(..), Way::Dead) => return Ok(self.refuse()),
                    (other, _) => return Ok(self.without_session(other)),
                };
                sessions.at(session).start(class, request, Want::KeepEach);
                Next::Asked { connection, session }
            }
            Step::Sleep { seconds } => Next::Seldom(Seldom::Sleep(Nanos((seconds.max(0.0) * 1e9) as u64))),
            Step::Connect { driver } => Next::Seldom(Seldom::Connect { driver }),
            Step::Disconnect { connection } => Next::Seldom(Seldom::Disconnect { connection }),
            Step::Reconnect { connection } => Next::Seldom(Seldom::Reconnect { connection }),
            Step::Prepare { connection, .. } => Next::Seldom(Seldom::Prepare { connection }),
            Step::Close { connection, statement } => Next::Seldom(Seldom::Close { connection, statement }),
        })
    }

    async fn seldom(&mut self, request: Seldom, sessions: &mut (dyn Sessions + '_)) -> Result<(), Halt> {
        match request {
            Seldom::Sleep(time) => {
                self.waited = true;
                sessions.sleep(time).await;
            }
            Seldom::Connect { driver } => self.connect(driver, sessions).await,
            Seldom::Disconnect { connection } => {
                self.disconnect(connection, sessions).await;
                self.state.reply(Reply::default());
            }
            Seldom::Reconnect { connection } => self.reconnect(connection, sessions).await,
            Seldom::Prepare { connection } => self.prepare(connection, sessions).await?,
            Seldom::Close { connection, statement } => self.close(connection, statement, sessions).await,
        }
        Ok(())
    }

    async fn turn(&mut self, ended: bool, sessions: &mut (dyn Sessions + '_), seat: &mut Option<&mut (dyn Seat + '_)>) {
        self.tell(sessions);
        let Some(seat) = seat else { return self.state.reply(Reply::default()) };
        let has_worked_alone = self.turn && !std::mem::take(&mut self.waited);
        let now = if has_worked_alone { sessions.look() } else { self.yielded };
        self.end_turn(ended, *seat);
        if now.0 > self.yielded.0 + SLICE.0 {
            sessions.sleep(Nanos(0)).await;
            self.yielded = sessions.look();
        }
        if let Some(code) = self.state.exchange().take_code() {
            seat.reads([code, self.state.exchange().memory()]);
        }
        self.turn = poll_fn(|cx| seat.poll_turn(cx)).await;
        let outcome = match self.turn {
            true if COMPILED.contains(&self.share.events) => Outcome::Tell,
            true => Outcome::Rows,
            false => Outcome::Plain,
        };
        self.state.reply(Reply { outcome, ..Reply::default() });
    }

    /// Adds what was counted since the last time to the workload's facts.
    fn tell(&mut self, sessions: &mut (dyn Sessions + '_)) {
        let counters = self.state.exchange().counters();
        for (fact, (counter, _)) in TOLD.iter().enumerate() {
            let more = counters[*counter] - self.told[*counter];
            if more != 0.0 {
                sessions.count(Fact(fact as u16), more as i64);
            }
        }
        self.told = counters;
    }

    /// The reply to a statement.
    #[inline]
    fn settle(&mut self, connection: usize, answer: &Answer, session: &mut (dyn Sql + '_)) {
        let mut reply = Reply::default();
        let kept = session.kept();
        // The script asks for the other results itself, and they count when it does.
        let affected = if kept.results_behind() > 0 { kept.affected() } else { answer.affected };
        (reply.rows, reply.columns) = self.state.keep(connection, session);
        if reply.columns > 0 {
            self.state.exchange().count(READ);
            reply.outcome = Outcome::Rows;
        } else {
            self.state.exchange().count(if affected > 0 { WRITE } else { OTHER });
        }
        self.state.reply(reply);
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        if let (true, Some(cut_off)) = (self.turn, &self.cut_off) {
            cut_off.fetch_add(1, Relaxed);
        }
    }
}
