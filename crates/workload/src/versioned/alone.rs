//! Hot path: a user of the steps whose operations are single statements: a table made anew, all rows of a table
//! deleted, or all its history, a moment written down, and the seed's cases of access that meet no current row.

use super::audit::{DELETED, FORGOTTEN};
use super::look::look_at_tables;
use super::schema;
use super::statement::{COUNT, CREATE, Case, DELETE, MOMENT};
use super::step::{Single, Work};
use crate::draw::Generator;
use crate::session::{Class, Fault, Sql};
use crate::user::{End, Operation, User};
use model::seed::Seed;
use std::fmt::Write;

pub(super) struct Alone {
    single: Single,
    work: Work,
    engine: String,
    number: u64,
    users: u64,
    generator: Generator,
    /// The statement, and the one that goes before a CREATE.
    sql: String,
    class: Class,
    table: u64,
    done: u64,
    looked: bool,
}

impl Alone {
    pub fn new(single: Single, work: Work, seed: Seed, number: u32, users: u32) -> Self {
        Self {
            single,
            work,
            engine: String::new(),
            number: u64::from(number),
            users: u64::from(users),
            generator: Generator::new(seed),
            sql: String::with_capacity(512),
            class: CREATE,
            table: 1,
            done: 0,
            looked: false,
        }
    }

    pub fn choose_turn(&mut self, turn: Option<u64>) -> Operation {
        let turn = turn.unwrap_or(self.done * self.users + self.number);
        self.done += 1;
        self.table = 1 + turn % self.work.tables;
        self.sql.clear();
        let written = match self.single {
            Single::DeleteAll => {
                self.class = DELETE;
                write!(self.sql, "DELETE FROM sbtest{}", self.table)
            }
            Single::DeleteHistory => {
                self.class = DELETE;
                match self.work.variant.is_versioned() {
                    true => write!(self.sql, "DELETE HISTORY FROM sbtest{}", self.table),
                    // There is none; no row has such an id.
                    false => write!(self.sql, "DELETE FROM sbtest{} WHERE id<0", self.table),
                }
            }
            Single::Moment => {
                self.class = MOMENT;
                write!(self.sql, "INSERT INTO moments (iteration) VALUES ({})", self.work.set.iteration)
            }
            Single::Access => return self.choose_case(),
            // With the engine that the table had, which is known when it was asked.
            Single::Create => Ok(()),
        };
        written.expect("writing into a String cannot fail");
        Operation(0)
    }

    /// One of the cases, each as often.
    fn choose_case(&mut self) -> Operation {
        let place = self.generator.below(Case::ALL.len() as u64) as usize;
        let case = Case::ALL[place];
        let id = case.draw(&self.work, &mut self.generator);
        self.table = 1 + self.generator.below(self.work.tables);
        self.class = case.class();
        case.write(&mut self.sql, self.table, id, id + self.work.range_size - 1);
        Operation(place as u16)
    }

    async fn create(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        if self.engine.is_empty() {
            session
                .read(COUNT, "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'moments'")
                .await?;
            self.engine = session.kept().text(0, 0).unwrap_or_default();
        }
        write!(self.sql, "DROP TABLE IF EXISTS sbtest{}", self.table).expect("writing into a String cannot fail");
        session.query(CREATE, &self.sql).await?;
        self.sql = schema::create(self.table, self.work.variant, &self.engine);
        session.query(CREATE, &self.sql).await?;
        self.sql.clear();
        Ok(())
    }
}

impl Alone {
    /// The time, and the transaction that was committed last: that of the row itself, where versions are known by
    /// transaction. It began when all others were over; one that was concurrent with them would not have seen them all.
    async fn write_down(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let inserted = session.query(MOMENT, &self.sql).await?.affected;
        let last = if self.work.variant.is_by_transaction() {
            "(SELECT transaction_id FROM mysql.transaction_registry ORDER BY commit_id DESC LIMIT 1)"
        } else {
            "NULL"
        };
        let mut sql = String::new();
        let iteration = self.work.set.iteration;
        write!(sql, "UPDATE moments SET taken = NOW(6), transaction_id = {last} WHERE iteration = {iteration}")
            .expect("writing into a String cannot fail");
        let told = session.query(MOMENT, &sql).await?.affected;
        if (inserted, told) != (1, 1) {
            session.unexpected(MOMENT);
        }
        Ok(())
    }
}

impl User for Alone {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        if !std::mem::replace(&mut self.looked, true) {
            look_at_tables(&self.work, session, self.number, self.users).await?;
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.choose_turn(None)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), operation: Operation) -> Result<End, Fault> {
        let is_right = match self.single {
            Single::Create => return self.create(session).await.map(|()| End::Done),
            Single::Moment => return self.write_down(session).await.map(|()| End::Done),
            Single::DeleteAll => {
                let affected = session.query(self.class, &self.sql).await?.affected;
                session.count(DELETED, affected as i64);
                affected == self.work.set.rows
            }
            Single::DeleteHistory => {
                let affected = session.query(self.class, &self.sql).await?.affected;
                session.count(FORGOTTEN, affected as i64);
                self.work.variant.is_versioned() || affected == 0
            }
            Single::Access => {
                let answer = session.query(self.class, &self.sql).await?;
                (answer.rows, answer.affected) == expected(Case::ALL[usize::from(operation.0)])
            }
        };
        if !is_right {
            session.unexpected(self.class);
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}

impl Case {
    /// The first id that it asks about: of the sets before the current one, which only history holds. Before the first
    /// set there was none; the ids behind it stand in for them, so that the same questions meet no history.
    pub(super) fn draw(self, work: &Work, generator: &mut Generator) -> u64 {
        let (before, size) = (work.set.first() - 1, work.range_size);
        let behind = |generator: &mut Generator| work.set.last() + 1 + generator.below(work.set.rows);
        match self {
            Self::NeverThere => behind(generator),
            Self::HistoryOnly | Self::RangeOutside | Self::UpdateOutside | Self::MinMax if before < size => {
                behind(generator)
            }
            Self::HistoryOnly | Self::RangeOutside | Self::UpdateOutside | Self::MinMax => {
                1 + generator.below(before - size + 1)
            }
        }
    }
}

/// Rows and affected rows: nothing of this is current.
fn expected(case: Case) -> (u64, u64) {
    match case {
        Case::NeverThere | Case::HistoryOnly | Case::RangeOutside | Case::UpdateOutside => (0, 0),
        Case::MinMax => (1, 0),
    }
}
