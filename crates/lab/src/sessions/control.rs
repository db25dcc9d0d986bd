//! The session by which the lab itself talks to a server: one question at a time over a blocking socket, rows as text.
//! Used for setting up, loading, sampling and asking afterwards; never for load.

use super::address::{Address, Door};
use super::mysql::{Carriage, Opening, Session};
use crate::load::executor::{Line, block_on};
use std::rc::Rc;
use std::time::Duration;
use workload::session::{Answer, Class, Fault, Sql};

/// Long enough for an index build or a COUNT over a large table; a server that is silent longer is taken for dead.
const PATIENCE: Duration = Duration::from_secs(3600);

pub struct Control {
    session: Session<()>,
}

/// A row as text, NULL as `None`.
pub type TextRow = Vec<Option<String>>;

impl Control {
    pub fn connect(door: &Door) -> Result<Self, Fault> {
        Self::connect_with(door, PATIENCE)
    }

    /// The same for somebody who waits at most so long for each answer.
    pub fn connect_with(door: &Door, patience: Duration) -> Result<Self, Fault> {
        let address = door.address.clone();
        let connect = Box::new(move || -> super::mysql::Connecting {
            let address = address.clone();
            Box::pin(async move { blocking_line(&address, patience) })
        });
        let opening = Rc::new(Opening { door: door.clone(), connect, setup: Vec::new(), again: None });
        Ok(Self { session: block_on(Session::open(opening, ()))? })
    }

    /// How the conversation is carried, as it was agreed.
    pub fn carriage(&self) -> Carriage {
        self.session.carriage()
    }

    /// The server's version as it greeted.
    pub fn version(&self) -> &str {
        self.session.version()
    }

    pub fn execute(&mut self, sql: &str) -> Result<Answer, Fault> {
        block_on((&mut self.session as &mut dyn Sql).query(Class(0), sql))
    }

    /// A statement that asks for a local file (LOAD DATA LOCAL) and is given these bytes for it.
    pub fn load(&mut self, sql: &str, file: Vec<u8>) -> Result<Answer, Fault> {
        self.session.offer(file);
        self.execute(sql)
    }

    pub fn rows(&mut self, sql: &str) -> Result<Vec<TextRow>, Fault> {
        block_on((&mut self.session as &mut dyn Sql).read(Class(0), sql))?;
        let kept = self.session.kept();
        Ok((0..kept.rows()).map(|r| (0..kept.columns()).map(|c| kept.text(r, c)).collect()).collect())
    }

    /// The first cell of the first row.
    pub fn value(&mut self, sql: &str) -> Result<Option<String>, Fault> {
        Ok(self.rows(sql)?.into_iter().next().and_then(|row| row.into_iter().next().flatten()))
    }

    pub fn quit(self) {
        block_on(self.session.quit());
    }
}

pub(super) fn blocking_line(address: &Address, patience: Duration) -> std::io::Result<Line> {
    match address {
        Address::Unix(path) => {
            let socket = std::os::unix::net::UnixStream::connect(path)?;
            socket.set_read_timeout(Some(patience))?;
            Ok(Line::blocking(socket.into()))
        }
        Address::Tcp { host, port } => {
            let socket = std::net::TcpStream::connect((host.as_str(), *port))?;
            socket.set_nodelay(true)?;
            socket.set_read_timeout(Some(patience))?;
            Ok(Line::blocking(socket.into()))
        }
    }
}
