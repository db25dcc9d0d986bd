//! What goes wrong between a script and its database: which errors an event is begun again after, what is said of those
//! that end it, and how requests are answered that reach no server.

use super::links::Link;
use super::{ERROR, Halt, Next, OTHER, Player, RECONNECT};
use crate::exchange::Reply;
use crate::ignored::Trouble;
use crate::postgres_words;
use crate::report::Level;
use crate::shapes::PLUMBING;
use crate::state::DRIVERS;
use model::units::Nanos;
use workload::session::{Fault, Sessions};

/// Between two tries to come back to a server that is gone.
const KNOCK: Nanos = Nanos::from_millis(1);

impl Player {
    /// The reply to a statement that met a fault. A conversation that broke is begun anew where its error is ignored.
    #[cold]
    pub(super) async fn stumble(
        &mut self,
        connection: usize,
        session: usize,
        fault: &Fault,
        sessions: &mut (dyn Sessions + '_),
    ) -> Result<(), Halt> {
        if *fault == Fault::Stopped {
            return Err(Halt::Stopped);
        }
        self.state.forget(connection);
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

    pub(super) fn log_statement(&mut self, driver: usize, trouble: &Trouble) {
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
    pub(super) fn refuse_text(&mut self) -> Next {
        self.script.log(Level::Fatal, "a statement is not UTF-8");
        self.refuse()
    }

    /// There is no such statement any more.
    #[cold]
    pub(super) fn refuse(&mut self) -> Next {
        self.state.fail(None, false);
        Next::Replied
    }

    /// The reply of a connection behind which there is no session.
    #[cold]
    pub(super) fn without_session(&mut self, link: Link) -> Next {
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
        Next::Replied
    }

    pub(super) fn log_prepare(&self, driver: usize, fault: &Fault, sql: &str) {
        let Trouble { number, message, .. } = Trouble::of(fault);
        let log = |text: &str| self.script.log(Level::Fatal, text);
        if DRIVERS[driver] == "pgsql" {
            let refusal = if let Fault::Server { message, .. } = fault { message } else { &message };
            return log(&format!("PQprepare() failed: {}", postgres_words::whole(refusal, sql)));
        }
        log("mysql_stmt_prepare() failed");
        log(&format!("MySQL error: {number} \"{message}\""));
    }
}
