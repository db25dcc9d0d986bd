//! The statements that a script prepares: on the server, or, where that does not prepare them or is not to, as texts.

use super::links::Link;
use super::{Halt, Player};
use crate::emulation;
use crate::exchange::Reply;
use crate::placeholders::numbered;
use crate::shapes::PLUMBING;
use crate::state::DRIVERS;
use std::borrow::Cow;
use workload::session::{Class, Fault, Prepared, Sessions};

/// A server that does not prepare this kind of statement.
const UNSUPPORTED: u16 = 1295;

/// The statement as that driver's server reads it.
fn dialect(driver: usize, sql: &str) -> Cow<'_, str> {
    if DRIVERS[driver] == "pgsql" { numbered(sql) } else { Cow::Borrowed(sql) }
}

pub(super) struct Statement {
    pub connection: usize,
    pub class: Class,
    pub way: Way,
}

pub(super) enum Way {
    Server(Prepared),
    Text(String),
    /// Its session is gone.
    Dead,
}

impl Player {
    pub(super) async fn prepare(&mut self, connection: usize, sessions: &mut (dyn Sessions + '_)) -> Result<(), Halt> {
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
                    self.log_prepare(driver, &fault, &dialect(driver, &sql));
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

    /// Neither statements nor results outlive their conversation.
    pub(super) fn bury(&mut self, connection: usize) {
        self.state.forget(connection);
        let its = self.statements.iter_mut().filter(|s| s.connection == connection);
        its.filter(|s| matches!(s.way, Way::Server(_))).for_each(|s| s.way = Way::Dead);
    }

    pub(super) async fn close(&mut self, connection: usize, statement: usize, sessions: &mut (dyn Sessions + '_)) {
        if let Some(statement) = self.statements.get_mut(statement).filter(|s| s.connection == connection) {
            let way = std::mem::replace(&mut statement.way, Way::Dead);
            if let (Way::Server(prepared), Link::Open(session, _)) = (way, self.links[connection]) {
                let _ = sessions.at(session).close(PLUMBING, prepared).await;
            }
        }
        self.state.reply(Reply::default());
    }
}
