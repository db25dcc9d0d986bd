//! Hot path: the users who ask beside the writers: entries of a secondary index from a drawn place on, or rows by keys
//! that are drawn from those that are there. Which keys those are moves on; a reader looks for the largest now and
//! then, and the smallest follows, because there are always as many rows.

use super::look::{look_at_tables, must_hold};
use super::rows::{first_price, first_product, first_register};
use super::schema::INDEXES;
use super::statement::{self, LOOK, POINT, by_index};
use super::work::{Keys, Step, Work};
use crate::Probe;
use crate::draw::Generator;
use crate::session::{Class, Fault, Sql};
use crate::user::{End, Operation, User};
use model::Protocol;
use model::seed::Seed;
use std::fmt::Write;

/// Queries between two looks for the largest key, as in the public script.
const LOOK_AGAIN: u64 = 100;

pub(super) struct Reader {
    work: Work,
    dialect: Protocol,
    number: u64,
    users: u64,
    /// All keys of its table.
    keys: Keys,
    generator: Generator,
    /// Behind the largest key of its table.
    end: u64,
    done: u64,
    class: Class,
    looked: bool,
    sql: String,
    look: String,
}

impl Reader {
    pub fn new(work: Work, seed: Seed, number: u64, users: u64) -> Self {
        let table = work.extent.keys(number % work.extent.clients).table;
        let mut look = String::new();
        write!(look, "SELECT MAX(transactionid) FROM pi{table}").expect("writing into a String cannot fail");
        Self {
            sql: String::with_capacity(256 + 20 * work.rows as usize),
            work,
            dialect: Protocol::MySql,
            number,
            users,
            keys: Keys { table, first: 1, stride: 1 },
            generator: Generator::new(seed),
            end: 1,
            done: 0,
            class: POINT,
            looked: false,
            look,
        }
    }

    fn draw(&mut self) {
        let Self { work, dialect, keys: Keys { table, .. }, generator, sql, .. } = self;
        match work.step {
            Step::PointQueries => {
                let rows = work.extent.rows_of_table();
                let first = self.end.saturating_sub(rows).max(1);
                statement::points(sql, *table, (0..work.rows).map(|_| first + generator.below(rows)));
                self.class = POINT;
            }
            Step::RangeQueries => {
                let index = generator.below(INDEXES.len() as u64) as usize;
                statement::range(sql, *dialect, *table, index, draw_place(index, generator), work.rows);
                self.class = by_index(index);
            }
            Step::Load | Step::CreateIndexes | Step::Insert => unreachable!("readers read"),
        }
    }
}

fn draw_place(index: usize, generator: &mut Generator) -> u64 {
    [first_product, first_register, first_price][index](generator)
}

impl User for Reader {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        self.dialect = session.dialect();
        if !std::mem::replace(&mut self.looked, true) {
            look_at_tables(&self.work, session, self.number, self.users).await?;
        }
        self.end = must_hold(session, self.keys).await?.next + 1;
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.draw();
        self.done += 1;
        Operation(0)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        if self.class == POINT && self.done.is_multiple_of(LOOK_AGAIN) {
            session.read(LOOK, &self.look).await?;
            if let Some(last) = session.kept().int(0, 0).and_then(|key| u64::try_from(key).ok()) {
                self.end = last + 1;
            }
        }
        // Of the drawn keys some are gone meanwhile, or drawn twice; behind a drawn place there may be few entries.
        if session.query(self.class, &self.sql).await?.rows > self.work.rows {
            session.unexpected(self.class);
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}

/// The queries of a step with values drawn, each kind once.
pub(super) fn probes(work: &Work, dialect: Protocol, generator: &mut Generator) -> Vec<Probe> {
    let probe = |class, write: &mut dyn FnMut(&mut String)| {
        let mut sql = String::new();
        write(&mut sql);
        Probe { statement: statement::name(class), sql, rows: None, writes: false }
    };
    match work.step {
        Step::RangeQueries => (0..INDEXES.len())
            .map(|index| {
                let from = draw_place(index, generator);
                probe(by_index(index), &mut |sql| statement::range(sql, dialect, 1, index, from, work.rows))
            })
            .collect(),
        Step::PointQueries => {
            let keys: Vec<u64> = (0..work.rows).map(|_| 1 + generator.below(work.extent.rows_of_table())).collect();
            vec![probe(POINT, &mut |sql| statement::points(sql, 1, keys.iter().copied()))]
        }
        Step::Load | Step::CreateIndexes | Step::Insert => Vec::new(),
    }
}
