//! The users who build the secondary indexes, a table at a time: in one statement where the engine builds several in
//! one pass, and one after the other where it does not.

use super::look::look_at_tables;
use super::schema::build_indexes;
use super::statement::{ALTER, LOOK};
use super::work::Work;
use crate::session::{Class, Fault, Sql};
use crate::user::{End, Operation, User};
use model::Protocol;
use model::plan::served::HEAP;

pub(super) struct Indexer {
    work: Work,
    number: u64,
    users: u64,
    engine: String,
    done: u64,
    table: u64,
    looked: bool,
}

impl Indexer {
    pub fn new(work: Work, number: u64, users: u64) -> Self {
        Self { work, number, users, engine: String::new(), done: 0, table: 1, looked: false }
    }

    pub fn choose_turn(&mut self, turn: Option<u64>) -> Operation {
        self.table = 1 + turn.unwrap_or(self.done * self.users + self.number);
        self.done += 1;
        Operation(0)
    }
}

impl User for Indexer {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        if !std::mem::replace(&mut self.looked, true) {
            look_at_tables(&self.work, session, self.number, self.users).await?;
            const ENGINE: &str =
                "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'pi1'";
            if session.dialect() == Protocol::PostgreSql {
                self.engine = HEAP.into();
                return Ok(());
            }
            session.read(LOOK, ENGINE).await?;
            self.engine = session.kept().text(0, 0).unwrap_or_default();
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.choose_turn(None)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        let tables = self.work.extent.tables();
        if self.table > tables {
            return Err(Fault::Refused(format!(
                "every table has its indexes after {tables}: end the phase with count = {tables}"
            )));
        }
        for sql in build_indexes(self.table, &self.engine) {
            session.query(ALTER, &sql).await?;
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}
