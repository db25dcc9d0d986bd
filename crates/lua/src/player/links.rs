//! What stands behind a script's connections: sessions that it opens, closes, lets go of and takes up again.

use super::{Player, RECONNECT};
use crate::exchange::Reply;
use crate::ignored::{Trouble, unconnected};
use crate::report::Level;
use crate::state::DRIVERS;
use workload::session::Sessions;

/// What stands behind a connection's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Closed,
    /// A session, and the driver by which it was opened.
    Open(usize, usize),
    /// It broke, and nobody wanted it back.
    Broken(usize, usize),
    /// Statements end there.
    Dry,
}

impl Player {
    pub(super) async fn connect(&mut self, driver: usize, sessions: &mut (dyn Sessions + '_)) {
        let link = if self.script.is_dry && DRIVERS[driver] == "mysql" {
            Link::Dry
        } else {
            match sessions.open(DRIVERS[driver]).await {
                Ok(session) => Link::Open(session, driver),
                Err(fault) => {
                    if DRIVERS[driver] == "pgsql" {
                        let text = format!("Connection to database failed: {}", unconnected(&fault));
                        self.script.log(Level::Fatal, &text);
                    } else {
                        let place = sessions.place(DRIVERS[driver]);
                        let trouble = Trouble::of_connecting(&fault, &place);
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

    pub(super) async fn disconnect(&mut self, connection: usize, sessions: &mut (dyn Sessions + '_)) {
        self.bury(connection);
        match std::mem::replace(&mut self.links[connection], Link::Closed) {
            Link::Open(session, _) | Link::Broken(session, _) => sessions.close(session).await,
            Link::Closed | Link::Dry => {}
        }
    }

    pub(super) async fn reconnect(&mut self, connection: usize, sessions: &mut (dyn Sessions + '_)) {
        self.bury(connection);
        let link = self.links[connection];
        if let Link::Open(session, driver) | Link::Broken(session, driver) = link {
            if let Err(fault) = sessions.at(session).reconnect().await {
                self.links[connection] = Link::Broken(session, driver);
                let place = sessions.place(DRIVERS[driver]);
                return self.state.fail(Some(Trouble::of_connecting(&fault, &place)), false);
            }
            self.links[connection] = Link::Open(session, driver);
        }
        self.state.exchange().count(RECONNECT);
        self.state.reply(Reply::default());
    }

    /// Closes what the script left open.
    pub async fn leave(&mut self, sessions: &mut (dyn Sessions + '_)) {
        for connection in 1..self.links.len() {
            self.disconnect(connection, sessions).await;
        }
    }
}
