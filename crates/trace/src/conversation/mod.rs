//! A client and a MySQL-family server overheard: bytes of both directions in, statements with their answers out. The
//! proxy and packet files share it. It reads what it must (commands, bound values, OKs, errors, the count and checksum
//! of rows), keeps no row, and goes on when it does not understand: a conversation that it joins in its middle is read
//! from the next command on, and dialects (EOF or OK behind rows, definitions left out) are told from the packets.
//!
//! Commands may be sent ahead of answers, as MariaDB's connectors do; they are answered in their order.

mod answer;
mod command;
mod login;
mod packets;
mod prepared;

use crate::statement::{Answer, Ask, Item, Lost, SessionId, Statement, Transaction};
use crate::transactions::Transactions;
use answer::{Answering, Expected, Heard};
use command::Command;
use login::{Login, LoginStep};
use model::Nanos;
use packets::{Packets, Piece};
use prepared::Statements;
use std::collections::VecDeque;
use std::sync::Arc;

/// Commands that a client has sent ahead; more than this is no client.
const MOST_PENDING: usize = 10_000;

/// One session, from its greeting or from somewhere in its middle.
pub struct Conversation {
    session: SessionId,
    order: u64,
    phase: Phase,
    client: Packets,
    server: Packets,
    pending: VecDeque<Pending>,
    answering: Answering,
    statements: Statements,
    transactions: Transactions,
    who: Who,
    /// As the server's greeting names it.
    pub server_version: Option<String>,
}

/// As whom and in which database the session is.
#[derive(Clone, Debug)]
struct Who {
    user: Arc<str>,
    host: Arc<str>,
    database: Arc<str>,
}

enum Phase {
    Login(Login),
    Commands,
    /// Nothing more can be read: under TLS, compressed, or not MySQL's protocol.
    Deaf,
}

/// A command that was not answered yet.
struct Pending {
    order: u64,
    start: Nanos,
    command: Command,
}

/// Why nothing more of a session can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deafness {
    Tls,
    Compression,
    Replication,
    NotMySql,
}

impl Conversation {
    /// From the server's greeting on. `host` is where the client comes from, as the source names it.
    pub fn new(session: SessionId, host: &str) -> Self {
        Self::at(session, host, Phase::Login(Login::default()))
    }

    /// From somewhere in its middle: account, database and prepared statements are not known.
    pub fn joined(session: SessionId, host: &str) -> Self {
        let (client, server) = (Packets::lost(), Packets::lost());
        Self { client, server, ..Self::at(session, host, Phase::Commands) }
    }

    fn at(session: SessionId, host: &str, phase: Phase) -> Self {
        let who = Who { user: Arc::from(""), host: Arc::from(host), database: Arc::from("") };
        Self {
            session,
            order: 0,
            phase,
            client: Packets::default(),
            server: Packets::default(),
            pending: VecDeque::new(),
            answering: Answering::default(),
            statements: Statements::default(),
            transactions: Transactions::default(),
            who,
            server_version: None,
        }
    }

    /// Bytes from the client, in their order; they arrived at `at`.
    pub fn client(&mut self, at: Nanos, mut bytes: &[u8], out: &mut Vec<Item>) -> Result<(), Deafness> {
        if self.client.is_lost() && Command::is_at(bytes) {
            // Its answer is what the server says next.
            (self.client, self.server) = (Packets::default(), Packets::default());
        }
        while let Some(piece) = self.client.next(&mut bytes) {
            self.client_said(at, piece, out)?;
        }
        Ok(())
    }

    /// Bytes from the server.
    pub fn server(&mut self, at: Nanos, mut bytes: &[u8], out: &mut Vec<Item>) -> Result<(), Deafness> {
        while let Some(piece) = self.server.next(&mut bytes) {
            self.server_said(at, piece, out)?;
        }
        Ok(())
    }

    /// The connection was closed. A command that was not answered is a statement without an answer.
    pub fn close(&mut self, at: Nanos, out: &mut Vec<Item>) {
        let is_known = self.order > 0 || !self.pending.is_empty();
        let quits = self.pending.back().is_some_and(|pending| matches!(pending.command, Command::Quit));
        while let Some(pending) = self.pending.pop_front() {
            self.told(pending, at, Heard::default(), out);
        }
        if is_known && !quits && !matches!(self.phase, Phase::Deaf) {
            let pending = self.pending(at, Command::Quit);
            self.told(pending, at, Heard::default(), out);
        }
        self.phase = Phase::Deaf;
    }

    /// Bytes of this direction are missing: what was pending is lost, and reading goes on at the next command.
    pub fn gap(&mut self, at: Nanos, why: &str, out: &mut Vec<Item>) {
        let statements = (!self.pending.is_empty()).then_some(self.pending.len() as u64);
        self.pending.clear();
        self.answering = Answering::default();
        (self.client, self.server) = (Packets::lost(), Packets::lost());
        if let Phase::Login(_) = self.phase {
            self.phase = Phase::Commands;
        }
        let lost = Lost { at, session: Some(self.session), statements, why: Arc::from(why) };
        out.push(Item::Lost(lost));
    }

    fn deaf(&mut self, why: Deafness) -> Result<(), Deafness> {
        self.phase = Phase::Deaf;
        Err(why)
    }

    fn client_said(&mut self, at: Nanos, piece: Piece<'_>, out: &mut Vec<Item>) -> Result<(), Deafness> {
        match &mut self.phase {
            Phase::Deaf => Ok(()),
            Phase::Login(login) => match login.client(&piece) {
                LoginStep::Goes => Ok(()),
                LoginStep::Asked { user, database, collation } => {
                    self.who.user = Arc::from(user);
                    self.who.database = Arc::from(database);
                    let pending = self.pending(at, Command::Connect { collation });
                    self.pending.push_back(pending);
                    Ok(())
                }
                LoginStep::Tls => self.deaf(Deafness::Tls),
                LoginStep::Joined => {
                    self.phase = Phase::Commands;
                    self.client_said(at, piece, out)
                }
                LoginStep::In | LoginStep::Refused(_) | LoginStep::NotMySql => self.deaf(Deafness::NotMySql),
            },
            Phase::Commands => self.command(at, piece, out),
        }
    }

    fn command(&mut self, at: Nanos, piece: Piece<'_>, out: &mut Vec<Item>) -> Result<(), Deafness> {
        // What goes on within COM_CHANGE_USER or a refused file is no command.
        if piece.sequence != 0 || self.pending.len() >= MOST_PENDING {
            return Ok(());
        }
        let command = match piece.whole() {
            Some(payload) => Command::parse(payload),
            None => Command::TooLong,
        };
        if matches!(command, Command::Replication) {
            return self.deaf(Deafness::Replication);
        }
        let pending = self.pending(at, command);
        self.pending.push_back(pending);
        self.settle(at, out);
        Ok(())
    }

    fn pending(&mut self, start: Nanos, command: Command) -> Pending {
        let order = self.order;
        self.order += u64::from(!matches!(command, Command::LongData { .. }));
        Pending { order, start, command }
    }

    /// Tells commands that nothing answers, as far as they are next.
    fn settle(&mut self, at: Nanos, out: &mut Vec<Item>) {
        while self.pending.front().is_some_and(|pending| pending.command.expected() == Expected::Nothing) {
            let pending = self.pending.pop_front().expect("it is there");
            self.told(pending, at, Heard::default(), out);
        }
    }

    fn server_said(&mut self, at: Nanos, piece: Piece<'_>, out: &mut Vec<Item>) -> Result<(), Deafness> {
        match &mut self.phase {
            Phase::Deaf => Ok(()),
            Phase::Login(login) => {
                let step = login.server(&piece);
                if let Some(version) = login.version.take() {
                    self.server_version = Some(version);
                }
                let heard = match step {
                    LoginStep::In => {
                        Heard { answer: Answer { error: Some(0), ..Answer::default() }, ..Heard::default() }
                    }
                    LoginStep::Refused(error) => {
                        Heard { answer: Answer { error: Some(error), ..Answer::default() }, ..Heard::default() }
                    }
                    LoginStep::NotMySql => return self.deaf(Deafness::NotMySql),
                    LoginStep::Goes | LoginStep::Asked { .. } | LoginStep::Tls | LoginStep::Joined => return Ok(()),
                };
                let is_compressed = login.is_compressed;
                if let Some(pending) = self.pending.pop_front() {
                    self.told(pending, at, heard, out);
                }
                self.phase = Phase::Commands;
                if is_compressed { self.deaf(Deafness::Compression) } else { Ok(()) }
            }
            Phase::Commands => {
                let Some(pending) = self.pending.front() else { return Ok(()) };
                let Some(heard) = self.answering.server(pending.command.expected(), &piece) else { return Ok(()) };
                let pending = self.pending.pop_front().expect("it is there");
                self.told(pending, at, heard, out);
                self.settle(at, out);
                Ok(())
            }
        }
    }

    /// A command was answered, or never will be.
    fn told(&mut self, pending: Pending, at: Nanos, heard: Heard, out: &mut Vec<Item>) {
        let Pending { order, start, command } = pending;
        let is_answered = heard.answer.error.is_some();
        let succeeded = heard.answer.error == Some(0);
        let took = is_answered.then(|| Nanos(at.0.saturating_sub(start.0)));
        let before = self.who.database.clone();
        let Some(ask) = self.ask(command, &heard, succeeded) else { return };
        let transaction = self.transaction(&ask, &heard);
        let database = if matches!(ask, Ask::ChangeUser { .. }) { self.who.database.clone() } else { before };
        let Who { user, host, .. } = self.who.clone();
        let session = self.session;
        let statement =
            Statement { session, order, start, took, transaction, user, host, database, ask, answer: heard.answer };
        out.push(Item::Statement(statement));
    }

    /// What a command was, now that its answer is known; and what it changed of the session. `None`: it is a part of
    /// another.
    fn ask(&mut self, command: Command, heard: &Heard, succeeded: bool) -> Option<Ask> {
        Some(match command {
            Command::Connect { collation } => Ask::Connect { collation },
            Command::Query(text) => {
                if succeeded && let Some(database) = command::used(&text) {
                    self.who.database = Arc::from(database);
                }
                Ask::Query(text)
            }
            Command::Prepare(text) => {
                let statement = heard.prepared.map_or(0, |prepared| prepared.statement);
                if let Some(prepared) = heard.prepared {
                    self.statements.prepared(prepared, text.clone());
                }
                Ask::Prepare { statement, text }
            }
            Command::Execute(payload) => self.statements.execute(&payload),
            Command::Bulk(payload) => self.statements.bulk(&payload),
            Command::LongData { statement, parameter, data } => {
                self.statements.long_data(statement, parameter, &data);
                return None;
            }
            Command::Fetch { statement, rows } => Ask::Fetch { statement, rows },
            Command::Close(statement) => {
                self.statements.close(statement);
                Ask::Close { statement }
            }
            Command::Reset(statement) => {
                self.statements.reset(statement);
                Ask::Reset { statement }
            }
            Command::ChangeUser { user, database, collation } => {
                if succeeded {
                    self.who.user = Arc::from(user);
                    self.who.database = Arc::from(database);
                    self.statements = Statements::default();
                }
                Ask::ChangeUser { collation }
            }
            Command::InitDb(database) => {
                let database: Arc<str> = Arc::from(database);
                if succeeded {
                    self.who.database = database.clone();
                }
                Ask::InitDb(database)
            }
            Command::ResetConnection => {
                self.statements = Statements::default();
                Ask::ResetConnection
            }
            Command::SetOption(option) => Ask::SetOption(option),
            Command::Ping => Ask::Ping,
            Command::Quit => Ask::Quit,
            Command::Other(name) => Ask::Other(Arc::from(name)),
            Command::TooLong => Ask::Other(Arc::from("a command that is longer than a trace holds")),
            Command::Replication => Ask::Other(Arc::from("replication")),
        })
    }

    fn transaction(&mut self, ask: &Ask, heard: &Heard) -> Option<Transaction> {
        match ask {
            Ask::Query(_) | Ask::Execute(_) => {
                let text = if let Ask::Execute(execute) = ask { execute.text.as_ref() } else { ask_text(ask) };
                match heard.in_transaction {
                    Some(is_open) => Some(self.transactions.by_status(text.map(|text| &**text), is_open)),
                    None => Some(self.transactions.by_text(text?, true)),
                }
            }
            Ask::ChangeUser { .. } | Ask::ResetConnection | Ask::Quit => {
                self.transactions.reset();
                None
            }
            Ask::Connect { .. }
            | Ask::Prepare { .. }
            | Ask::Fetch { .. }
            | Ask::Reset { .. }
            | Ask::Close { .. }
            | Ask::InitDb(_)
            | Ask::SetOption(_)
            | Ask::Ping
            | Ask::Other(_) => None,
        }
    }
}

fn ask_text(ask: &Ask) -> Option<&Arc<[u8]>> {
    if let Ask::Query(text) = ask { Some(text) } else { None }
}
