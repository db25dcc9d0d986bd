//! Hot path: the users who insert. A loader takes blocks of rows in the order of their keys, whoever is free the next
//! one; a writer has clients of its own, and of each inserts the rows that follow and deletes as many of its oldest, in
//! one transaction, so that nobody ever sees a row more or fewer.

use super::audit::{DELETED, INSERTED};
use super::inserter::{Block, Inserter, ROW_BYTES};
use super::look::{Held, look_at_tables, must_be_empty, must_hold};
use super::statement::{self, BEGIN, COMMIT, DELETE, INSERT, ROLLBACK};
use super::work::{Extent, Work};
use crate::session::{Class, Fault, Sql};
use crate::user::{End, Operation, User};
use model::Protocol;

pub(super) struct Loader {
    work: Work,
    number: u64,
    users: u64,
    /// Transactions of its own, where nobody numbers them over all users.
    done: u64,
    /// The transaction under way.
    turn: u64,
    looked: bool,
    inserter: Inserter,
}

impl Loader {
    pub fn new(work: Work, number: u64, users: u64) -> Self {
        let inserter = Inserter::of(&work);
        Self { work, number, users, done: 0, turn: 0, looked: false, inserter }
    }

    /// The next transaction; `turn` numbers those of all users together.
    pub fn choose_turn(&mut self, turn: Option<u64>) -> Operation {
        self.turn = turn.unwrap_or(self.done * self.users + self.number);
        self.done += 1;
        Operation(0)
    }

    /// The rows of this transaction; none when all are in.
    fn block(&self, turn: u64) -> Block {
        let Extent { clients, rows, .. } = self.work.extent;
        let (client, block) = (turn % clients, turn / clients);
        let from = (block * self.work.rows).min(rows);
        Block { client, rows: from..(from + self.work.rows).min(rows) }
    }
}

impl User for Loader {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        if !std::mem::replace(&mut self.looked, true) {
            must_be_empty(&self.work, session, self.number, self.users).await?;
        }
        self.inserter.begin()
    }

    fn choose(&mut self) -> Operation {
        self.choose_turn(None)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        let block = self.block(self.turn);
        let rows = block.rows.end - block.rows.start;
        if rows == 0 {
            let all = self.work.blocks() * self.work.extent.clients;
            return Err(Fault::Refused(format!(
                "all rows are in after {all} transactions: end the phase with count = {all}"
            )));
        }
        // Users take turns about in their order.
        let next = self.block(self.turn + self.users);
        let affected = self.inserter.insert(session, block, next).await?;
        session.count(INSERTED, affected as i64);
        if affected != rows {
            session.unexpected(INSERT);
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}

pub(super) struct Writer {
    work: Work,
    dialect: Protocol,
    number: u64,
    users: u64,
    /// What each of its clients has, in their order.
    held: Vec<Held>,
    done: usize,
    /// The client of the transaction under way among its own.
    place: usize,
    looked: bool,
    inserter: Inserter,
    delete: String,
}

impl Writer {
    pub fn new(work: Work, number: u64, users: u64) -> Self {
        Self {
            inserter: Inserter::of(&work),
            delete: String::with_capacity(ROW_BYTES + 20 * work.rows as usize),
            work,
            dialect: Protocol::MySql,
            number,
            users,
            held: Vec::new(),
            done: 0,
            place: 0,
            looked: false,
        }
    }
}

impl User for Writer {
    /// Also after a conversation that broke: only the tables know whether the last transaction was committed.
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        self.dialect = session.dialect();
        let (users, clients) = (self.users, self.work.extent.clients);
        if users > clients {
            let what =
                format!("{users} users insert for {clients} clients, and the keys of a client belong to one user");
            return Err(Fault::Refused(format!("{what}: write clients = {users}, or fewer users")));
        }
        if !std::mem::replace(&mut self.looked, true) {
            look_at_tables(&self.work, session, self.number, users).await?;
        }
        self.inserter.begin()?;
        self.held.clear();
        for client in (self.number..clients).step_by(users as usize) {
            self.held.push(must_hold(session, self.work.extent.keys(client)).await?);
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.place = self.done % self.held.len();
        self.done += 1;
        Operation(0)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        let (rows, Held { first, next }) = (self.work.rows, self.held[self.place]);
        let after = Held { first: first + rows, next: next + rows };
        let following = self.done % self.held.len();
        let then = if following == self.place { after.next } else { self.held[following].next };
        let client = |place: usize| self.number + place as u64 * self.users;
        let block = |place, from: u64| Block { client: client(place), rows: from..from + rows };
        let (block, ahead) = (block(self.place, next), block(following, then));
        statement::delete(&mut self.delete, self.dialect, self.work.extent.keys(block.client), first..first + rows);
        session.query(BEGIN, "BEGIN").await?;
        let inserted = self.inserter.insert(session, block, ahead).await?;
        let deleted = session.query(DELETE, &self.delete).await?.affected;
        session.query(COMMIT, "COMMIT").await?;
        self.held[self.place] = after;
        session.count(INSERTED, inserted as i64);
        session.count(DELETED, deleted as i64);
        for (affected, class) in [(inserted, INSERT), (deleted, DELETE)] {
            if affected != rows {
                session.unexpected(class);
            }
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        Some(ROLLBACK)
    }
}
