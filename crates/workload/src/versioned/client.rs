//! Hot path: a user of the steps that go by transactions: ten rows inserted, ten selects by one key or the other, eight
//! ranges, ten updates, between BEGIN and COMMIT and in one table. Ids are those of the current set only, uniform and,
//! where they are written, each once in a transaction; a transaction that is tried again says the same again.

use super::audit::{INSERTED, UPDATED};
use super::look::look_at_tables;
use super::statement::{BEGIN, COMMIT, PREPARE, ROLLBACK, Say};
use super::step::{Transaction, Work};
use crate::draw::{Generator, strings};
use crate::session::{Answer, Class, Fault, Param, Prepared, Sql};
use crate::user::{End, Operation, User};
use model::seed::Seed;

/// Up to so many statements are prepared before the start; more tables are met one by one.
const PREPARED_AHEAD: u64 = 64;

/// One statement of a transaction, its values drawn.
#[derive(Clone, Copy)]
struct Line {
    say: Say,
    /// The id, or `k` where rows are found by it.
    first: u64,
    /// The other end of a range, the `k` of an insert.
    last: u64,
    c: [u8; strings::C],
    pad: [u8; strings::PAD],
}

pub(super) struct Client {
    transaction: Transaction,
    work: Work,
    number: u64,
    users: u64,
    generator: Generator,
    table: u64,
    lines: Vec<Line>,
    /// Transactions of its own, where nobody numbers them over all users.
    done: u64,
    looked: bool,
    /// By table, then statement.
    prepared: Vec<Option<Prepared>>,
    sql: String,
}

impl Client {
    pub fn new(transaction: Transaction, work: Work, seed: Seed, number: u32, users: u32) -> Self {
        Self {
            transaction,
            generator: Generator::new(seed),
            number: u64::from(number),
            users: u64::from(users),
            table: 1,
            lines: Vec::with_capacity(work.says.len()),
            done: 0,
            looked: false,
            prepared: vec![None; work.tables as usize * Say::ALL.len()],
            sql: String::with_capacity(160),
            work,
        }
    }

    /// The next transaction; `turn` numbers those of all users together.
    pub fn choose_turn(&mut self, turn: Option<u64>) -> Operation {
        let turn = turn.unwrap_or(self.done * self.users + self.number);
        self.done += 1;
        self.lines.clear();
        if self.transaction == Transaction::Insert {
            self.table = 1 + turn % self.work.tables;
            self.draw_rows(turn / self.work.tables * self.work.says.len() as u64);
        } else {
            self.table = 1 + self.generator.below(self.work.tables);
            for place in 0..self.work.says.len() {
                let line = self.draw(self.work.says[place]);
                self.lines.push(line);
            }
        }
        Operation(0)
    }

    /// The rows that follow in this table; none behind the end of the set.
    fn draw_rows(&mut self, from: u64) {
        let set = self.work.set;
        for id in (set.first() + from..=set.last()).take(self.work.says.len()) {
            let row = set.row(self.table, id);
            self.lines.push(Line { say: Say::Insert, first: id, last: row.k, c: row.c, pad: row.pad });
        }
    }

    fn draw(&mut self, say: Say) -> Line {
        let (set, generator) = (self.work.set, &mut self.generator);
        let line = |first, last| Line { say, first, last, c: [0; strings::C], pad: [0; strings::PAD] };
        match say {
            Say::Point => line(set.draw(generator), 0),
            Say::Secondary => line(1 + generator.below(set.rows), 0),
            Say::Simple | Say::Sum | Say::Order | Say::Distinct => {
                let first = set.draw_range(generator, self.work.range_size);
                line(first, first + self.work.range_size - 1)
            }
            Say::UpdateIndex | Say::UpdateNonIndex => {
                let id = loop {
                    let id = set.draw(generator);
                    if self.lines.iter().all(|other| other.first != id) {
                        break id;
                    }
                };
                Line { c: strings::c(generator), ..line(id, 0) }
            }
            Say::Insert => unreachable!("rows are inserted in their order"),
        }
    }

    async fn prepared(&mut self, session: &mut (dyn Sql + '_), say: Say, table: u64) -> Result<Prepared, Fault> {
        let place = (table - 1) as usize * Say::ALL.len() + say as usize;
        if let Some(prepared) = self.prepared[place] {
            return Ok(prepared);
        }
        self.work.write(say, &mut self.sql, table, ['?'; 2], ['?'; 2]);
        let prepared = session.prepare(PREPARE, &self.sql).await?;
        self.prepared[place] = Some(prepared);
        Ok(prepared)
    }

    async fn say(&mut self, session: &mut (dyn Sql + '_), place: usize) -> Result<(), Fault> {
        let Line { say, first, last, .. } = self.lines[place];
        let prepared = self.prepared(session, say, self.table).await?;
        let (first, last) = (Param::Int(first as i64), Param::Int(last as i64));
        let Line { c, pad, .. } = &self.lines[place];
        let class = say.class();
        let answer = match say {
            Say::Point | Say::Secondary | Say::UpdateIndex => session.execute(class, prepared, &[first]).await?,
            Say::Simple | Say::Sum | Say::Order | Say::Distinct => {
                session.execute(class, prepared, &[first, last]).await?
            }
            Say::UpdateNonIndex => session.execute(class, prepared, &[Param::Bytes(c), first]).await?,
            Say::Insert => session.execute(class, prepared, &[first, last, Param::Bytes(c), Param::Bytes(pad)]).await?,
        };
        if !is_right(say, &answer, self.work.range_size, self.work.all_versions) {
            session.unexpected(class);
        }
        Ok(())
    }
}

/// Whether a server with this set gives such an answer; of all versions there are more than of current rows.
fn is_right(say: Say, answer: &Answer, range_size: u64, all_versions: bool) -> bool {
    match say {
        Say::Sum => answer.rows == 1,
        Say::Point if all_versions => answer.rows >= 1,
        Say::Simple | Say::Order | Say::Distinct if all_versions => answer.rows >= 1,
        Say::Point => answer.rows == 1,
        Say::Simple | Say::Order => answer.rows == range_size,
        // Two rows may have the same text.
        Say::Distinct => (1..=range_size).contains(&answer.rows),
        // How many current rows have this `k` is chance and, after updates, history of the run.
        Say::Secondary => true,
        Say::UpdateNonIndex | Say::UpdateIndex | Say::Insert => answer.affected == 1,
    }
}

impl User for Client {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        if !std::mem::replace(&mut self.looked, true) {
            look_at_tables(&self.work, session, self.number, self.users).await?;
        }
        self.prepared.fill(None);
        let mut kinds = self.work.says.clone();
        kinds.dedup();
        if self.work.tables * kinds.len() as u64 <= PREPARED_AHEAD {
            for table in 1..=self.work.tables {
                for say in &kinds {
                    self.prepared(session, *say, table).await?;
                }
            }
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.choose_turn(None)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        session.query(BEGIN, "BEGIN").await?;
        for place in 0..self.lines.len() {
            self.say(session, place).await?;
        }
        session.query(COMMIT, "COMMIT").await?;
        let rows = self.lines.len() as i64;
        match self.transaction {
            Transaction::Insert => session.count(INSERTED, rows),
            Transaction::UpdateIndex | Transaction::UpdateNonIndex => session.count(UPDATED, rows),
            Transaction::PointSelects | Transaction::RangeQueries | Transaction::SecondarySelects => {}
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        Some(ROLLBACK)
    }
}
