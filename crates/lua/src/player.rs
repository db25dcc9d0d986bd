//! Who drives a state: carries out what the script asks through sessions and gives it the replies, one after the other. It
//! counts as sysbench does (a statement by what it came to, not by its text), and decides which errors an event is begun
//! again after.

use crate::emulation;
use crate::exchange::{COUNTERS, Outcome, Reply};
use crate::ignored::Trouble;
use crate::placeholders::numbered;
use crate::report::Level;
use crate::script::Script;
use crate::scripted::Share;
use crate::shapes::{Met, PLUMBING, Shapes};
use crate::state::{DRIVERS, Entry, State, Step};
use mlua::Value;
use model::units::Nanos;
use std::borrow::Cow;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Instant;
use workload::session::{Answer, Class, Fact, Fault, Prepared, Request, Sessions, Want};
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

/// Between two tries to come back to a server that is gone.
const KNOCK: Nanos = Nanos::from_millis(1);

/// A server that does not prepare this kind of statement.
const UNSUPPORTED: u16 = 1295;

/// The statement as that driver's server reads it.
fn dialect(driver: usize, sql: &str) -> Cow<'_, str> {
    if DRIVERS[driver] == "pgsql" { numbered(sql) } else { Cow::Borrowed(sql) }
}

/// What stands behind a connection's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Closed,
    /// A session, and the driver by which it was opened.
    Open(usize, usize),
    /// It broke, and nobody wanted it back.
    Broken(usize, usize),
    /// Statements end there.
    Dry,
}

struct Statement {
    connection: usize,
    class: Class,
    way: Way,
}

enum Way {
    Server(Prepared),
    Text(String),
    /// Its session is gone.
    Dead,
}

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
    /// When the event under way began.
    turn: Option<Instant>,
    share: Share,
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
            turn: None,
            share: Share::default(),
        })
    }

    /// Calls one function of the script and carries out what it asks, to its end; false when the function says so. Without a
    /// seat there are no events.
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
        match (self.turn.take(), ended) {
            (Some(began), true) => {
                self.share.add(began.elapsed());
                seat.ended(EVENT, End::Done);
            }
            (Some(_), false) => seat.withdrawn(),
            (None, _) => {}
        }
    }

    /// One request of the script; false when it has none any more.
    async fn step(
        &mut self,
        sessions: &mut (dyn Sessions + '_),
        seat: &mut Option<&mut (dyn Seat + '_)>,
    ) -> Result<bool, Halt> {
        match self.state.resume()? {
            Step::Ended => return Ok(false),
            Step::Turn { ended } => self.turn(ended, sessions, seat).await,
            Step::Restart => self.state.reply(Reply::default()),
            Step::Sleep { seconds } => sessions.sleep(Nanos((seconds.max(0.0) * 1e9) as u64)).await,
            Step::Query { connection, sql } => match self.links[connection] {
                Link::Open(session, _) => match std::str::from_utf8(sql) {
                    Ok(text) => {
                        let class = self.met.class(text, &self.shapes);
                        sessions.at(session).start(class, Request::Text(text), Want::Keep);
                        let answered = poll_fn(|cx| sessions.at(session).poll_answer(cx)).await;
                        self.settle(connection, session, answered, sessions).await?;
                    }
                    Err(_) => self.refuse_text(),
                },
                other => self.without_session(other),
            },
            Step::Execute { connection, statement, params } => {
                let link = self.links[connection];
                let Some(statement) = self.statements.get(statement).filter(|s| s.connection == connection) else {
                    self.state.fail(None, false);
                    return Ok(true);
                };
                let class = statement.class;
                match (link, &statement.way) {
                    (Link::Open(session, _), Way::Server(prepared)) => {
                        sessions.at(session).start(class, Request::Execute(*prepared, params), Want::Keep);
                        let answered = poll_fn(|cx| sessions.at(session).poll_answer(cx)).await;
                        self.settle(connection, session, answered, sessions).await?;
                    }
                    (Link::Open(session, _), Way::Text(sql)) => {
                        emulation::expand(sql, params, &mut self.expanded);
                        sessions.at(session).start(class, Request::Text(&self.expanded), Want::Keep);
                        let answered = poll_fn(|cx| sessions.at(session).poll_answer(cx)).await;
                        self.settle(connection, session, answered, sessions).await?;
                    }
                    (Link::Open(..), Way::Dead) => self.state.fail(None, false),
                    (other, _) => self.without_session(other),
                }
            }
            Step::Connect { driver } => self.connect(driver, sessions).await,
            Step::Disconnect { connection } => {
                self.disconnect(connection, sessions).await;
                self.state.reply(Reply::default());
            }
            Step::Reconnect { connection } => self.reconnect(connection, sessions).await,
            Step::Prepare { connection, .. } => self.prepare(connection, sessions).await?,
            Step::Close { connection, statement } => self.close(connection, statement, sessions).await,
        }
        Ok(true)
    }

    async fn turn(&mut self, ended: bool, sessions: &mut (dyn Sessions + '_), seat: &mut Option<&mut (dyn Seat + '_)>) {
        self.tell(sessions);
        let Some(seat) = seat else { return self.state.reply(Reply::default()) };
        self.end_turn(ended, *seat);
        self.turn = poll_fn(|cx| seat.poll_turn(cx)).await.then(Instant::now);
        let outcome = if self.turn.is_some() { Outcome::Rows } else { Outcome::Plain };
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
    async fn settle(
        &mut self,
        connection: usize,
        session: usize,
        answered: Result<Answer, Fault>,
        sessions: &mut (dyn Sessions + '_),
    ) -> Result<(), Halt> {
        let answer = match answered {
            Ok(answer) => answer,
            Err(fault) => return self.stumble(connection, session, &fault, sessions).await,
        };
        let kept = sessions.at(session).kept();
        let mut reply = Reply::default();
        if kept.columns() > 0 {
            self.state.exchange().count(READ);
            reply.outcome = Outcome::Rows;
            (reply.rows, reply.columns) = self.state.keep(connection, kept);
        } else {
            self.state.exchange().count(if answer.affected > 0 { WRITE } else { OTHER });
        }
        self.state.reply(reply);
        Ok(())
    }

    /// The reply to a statement that met a fault. A conversation that broke is begun anew where its error is ignored.
    #[cold]
    async fn stumble(
        &mut self,
        connection: usize,
        session: usize,
        fault: &Fault,
        sessions: &mut (dyn Sessions + '_),
    ) -> Result<(), Halt> {
        if *fault == Fault::Stopped {
            return Err(Halt::Stopped);
        }
        let trouble = Trouble::of(fault);
        let is_ignorable = self.script.ignored.has(&trouble);
        let Link::Open(_, driver) = self.links[connection] else { unreachable!("only an open one is asked") };
        if fault.session_survives() {
            self.state.exchange().count(ERROR);
            if is_ignorable && DRIVERS[driver] == "pgsql" {
                // A failed transaction of PostgreSQL answers nothing until it is rolled back.
                let _ = sessions.at(session).query(PLUMBING, "ROLLBACK").await;
            }
        } else if is_ignorable {
            self.state.exchange().count(RECONNECT);
            self.bury(connection);
            while sessions.at(session).reconnect().await.is_err() {
                sessions.sleep(KNOCK).await;
            }
        } else {
            self.state.exchange().count(ERROR);
            self.bury(connection);
            self.links[connection] = Link::Broken(session, driver);
        }
        if !is_ignorable {
            self.log_statement(driver, &trouble);
        }
        self.state.fail(Some(trouble), is_ignorable);
        Ok(())
    }

    fn log_statement(&mut self, driver: usize, trouble: &Trouble) {
        let is_query = self.state.asks_text();
        let sql = String::from_utf8_lossy(self.state.exchange().text()).into_owned();
        let Trouble { number, message, .. } = trouble;
        let log = |text: &str| self.script.log(Level::Fatal, text);
        match (DRIVERS[driver], is_query) {
            ("pgsql", true) => {
                log(&format!("PQexec() failed: 7 {message}"));
                log(&format!("failed query was: {sql}"));
            }
            ("pgsql", false) => log(&format!("PQexecPrepared() failed: 7 {message}")),
            (_, true) => log(&format!("mysql_drv_query() returned error {number} ({message}) for query '{sql}'")),
            (_, false) => log(&format!("mysql_stmt_execute() returned error {number} ({message})")),
        }
    }

    #[cold]
    fn refuse_text(&mut self) {
        self.script.log(Level::Fatal, "a statement is not UTF-8");
        self.state.fail(None, false);
    }

    /// The reply of a connection behind which there is no session.
    #[cold]
    fn without_session(&mut self, link: Link) {
        match link {
            Link::Dry => {
                self.state.exchange().count(OTHER);
                self.state.reply(Reply::default());
            }
            Link::Broken(_, driver) => {
                let (number, message) = (2006, "Server has gone away".to_string());
                let trouble = Trouble { number, state: "HY000".into(), message };
                self.state.exchange().count(ERROR);
                self.log_statement(driver, &trouble);
                self.state.fail(Some(trouble), false);
            }
            Link::Closed | Link::Open(..) => self.state.fail(None, false),
        }
    }

    async fn connect(&mut self, driver: usize, sessions: &mut (dyn Sessions + '_)) {
        let link = if self.script.is_dry && DRIVERS[driver] == "mysql" {
            Link::Dry
        } else {
            match sessions.open(DRIVERS[driver]).await {
                Ok(session) => Link::Open(session, driver),
                Err(fault) => {
                    let trouble = Trouble::of_connecting(&fault);
                    let place = sessions.place(DRIVERS[driver]);
                    if DRIVERS[driver] == "pgsql" {
                        self.script.log(Level::Fatal, &format!("Connection to database failed: {}", trouble.message));
                    } else {
                        let text = format!("unable to connect to MySQL server on {place}, aborting...");
                        self.script.log(Level::Fatal, &text);
                        self.script.log(Level::Fatal, &format!("error {}: {}", trouble.number, trouble.message));
                    }
                    return self.state.fail(None, false);
                }
            }
        };
        self.links.push(link);
        let count = (self.links.len() - 1) as i32;
        self.state.reply(Reply { count, ..Reply::default() });
    }

    async fn disconnect(&mut self, connection: usize, sessions: &mut (dyn Sessions + '_)) {
        self.bury(connection);
        match std::mem::replace(&mut self.links[connection], Link::Closed) {
            Link::Open(session, _) | Link::Broken(session, _) => sessions.close(session).await,
            Link::Closed | Link::Dry => {}
        }
    }

    async fn reconnect(&mut self, connection: usize, sessions: &mut (dyn Sessions + '_)) {
        self.bury(connection);
        let link = self.links[connection];
        if let Link::Open(session, driver) | Link::Broken(session, driver) = link {
            if let Err(fault) = sessions.at(session).reconnect().await {
                self.links[connection] = Link::Broken(session, driver);
                return self.state.fail(Some(Trouble::of_connecting(&fault)), false);
            }
            self.links[connection] = Link::Open(session, driver);
        }
        self.state.exchange().count(RECONNECT);
        self.state.reply(Reply::default());
    }

    /// Statements do not outlive their conversation.
    fn bury(&mut self, connection: usize) {
        let its = self.statements.iter_mut().filter(|s| s.connection == connection);
        its.filter(|s| matches!(s.way, Way::Server(_))).for_each(|s| s.way = Way::Dead);
    }

    async fn prepare(&mut self, connection: usize, sessions: &mut (dyn Sessions + '_)) -> Result<(), Halt> {
        let Ok(sql) = String::from_utf8(self.state.exchange().text().to_vec()) else {
            self.refuse_text();
            return Ok(());
        };
        let (parameters, class) = (emulation::parameters(&sql), self.met.class(&sql, &self.shapes));
        let way = match self.links[connection] {
            Link::Dry => Way::Text(sql),
            Link::Open(..) if self.script.emulates => Way::Text(sql),
            Link::Open(session, driver) => match sessions.at(session).prepare(PLUMBING, &dialect(driver, &sql)).await {
                Ok(prepared) => Way::Server(prepared),
                Err(Fault::Server { code: UNSUPPORTED, .. }) => Way::Text(sql),
                Err(Fault::Stopped) => return Err(Halt::Stopped),
                Err(fault) => {
                    self.log_prepare(driver, &Trouble::of(&fault));
                    self.state.fail(None, false);
                    return Ok(());
                }
            },
            link @ (Link::Closed | Link::Broken(..)) => {
                self.without_session(link);
                return Ok(());
            }
        };
        self.statements.push(Statement { connection, class, way });
        let count = (self.statements.len() - 1) as i32;
        self.state.reply(Reply { count, rows: parameters as u32, ..Reply::default() });
        Ok(())
    }

    fn log_prepare(&self, driver: usize, trouble: &Trouble) {
        let Trouble { number, message, .. } = trouble;
        let log = |text: &str| self.script.log(Level::Fatal, text);
        if DRIVERS[driver] == "pgsql" {
            return log(&format!("PQprepare() failed: 7 {message}"));
        }
        log("mysql_stmt_prepare() failed");
        log(&format!("MySQL error: {number} \"{message}\""));
    }

    async fn close(&mut self, connection: usize, statement: usize, sessions: &mut (dyn Sessions + '_)) {
        if let Some(statement) = self.statements.get_mut(statement).filter(|s| s.connection == connection) {
            let way = std::mem::replace(&mut statement.way, Way::Dead);
            if let (Way::Server(prepared), Link::Open(session, _)) = (way, self.links[connection]) {
                let _ = sessions.at(session).close(PLUMBING, prepared).await;
            }
        }
        self.state.reply(Reply::default());
    }

    /// Closes what the script left open.
    pub async fn leave(&mut self, sessions: &mut (dyn Sessions + '_)) {
        for connection in 1..self.links.len() {
            self.disconnect(connection, sessions).await;
        }
    }
}
