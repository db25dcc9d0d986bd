//! Hot path: a user who reads the past, and holds it against a model: at a moment written down after an iteration's
//! inserts exactly its set was current, with the contents that the generator gave it. By timestamp on tables versioned
//! by transaction id, too. A plain table has no past; there the same rows are asked for as they are now, for
//! comparison.

use super::audit::VERSIONS;
use super::look::look_at_tables;
use super::rows::Set;
use super::statement::{COUNT, Past};
use super::step::Work;
use crate::draw::Generator;
use crate::rows::{Cell, KeptRows};
use crate::session::{Class, Fault, Sql};
use crate::user::{End, Operation, User};
use model::seed::Seed;

/// A moment after the inserts of an iteration.
struct Moment {
    set: Set,
    taken: String,
    transaction: String,
}

pub(super) struct Historian {
    work: Work,
    number: u64,
    users: u64,
    generator: Generator,
    moments: Vec<Moment>,
    past: Past,
    table: u64,
    id: u64,
    /// Whose row is asked for, and at whose moment.
    of: usize,
    at: usize,
    looked: bool,
    sql: String,
}

impl Historian {
    pub fn new(work: Work, seed: Seed, number: u32, users: u32) -> Self {
        Self {
            work,
            number: u64::from(number),
            users: u64::from(users),
            generator: Generator::new(seed),
            moments: Vec::new(),
            past: Past::AsOfTimestamp,
            table: 1,
            id: 0,
            of: 0,
            at: 0,
            looked: false,
            sql: String::with_capacity(256),
        }
    }

    async fn recall(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        session
            .read(COUNT, "SELECT iteration, CAST(taken AS CHAR), transaction_id FROM moments ORDER BY iteration")
            .await?;
        let kept = session.kept();
        let set = self.work.set;
        let moment = |row: usize| {
            Some(Moment {
                set: Set { iteration: u64::try_from(kept.int(row, 0)?).ok()?, ..set },
                taken: kept.text(row, 1)?,
                transaction: kept.text(row, 2).unwrap_or_default(),
            })
        };
        self.moments = (0..kept.rows()).filter_map(moment).collect();
        if self.work.variant.is_versioned() && self.moments.is_empty() {
            let what = "no moment was written down: a phase of versioned.moment belongs behind the inserts";
            return Err(Fault::Protocol(what.into()));
        }
        Ok(())
    }

    /// Whether this is what a server that forgets nothing answers.
    fn is_right(&self, kept: &KeptRows) -> bool {
        let Some(moment) = self.moments.get(self.of).filter(|_| self.work.variant.is_versioned()) else {
            return kept.rows() == 1;
        };
        let was_current = match self.past {
            Past::AsOfTimestamp | Past::AsOfTransaction => self.of == self.at,
            Past::AllVersions | Past::VersionsBetween => true,
        };
        if !was_current {
            return kept.rows() == 0;
        }
        let is_one = matches!(self.past, Past::AllVersions | Past::VersionsBetween) || kept.rows() == 1;
        let row = moment.set.row(self.table, self.id);
        is_one && kept.rows() > 0 && kept.int(0, 0) == Some(row.k as i64) && kept.cell(0, 1) == Cell::Bytes(&row.c)
    }
}

impl User for Historian {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        if !std::mem::replace(&mut self.looked, true) {
            look_at_tables(&self.work, session, self.number, self.users).await?;
        }
        self.recall(session).await
    }

    fn choose(&mut self) -> Operation {
        let generator = &mut self.generator;
        let is_versioned = self.work.variant.is_versioned();
        let kinds = match (is_versioned, self.work.variant.is_by_transaction()) {
            (false, _) => 1,
            (true, false) => Past::ALL.len() - 1,
            (true, true) => Past::ALL.len(),
        };
        self.past = Past::ALL[generator.below(kinds as u64) as usize];
        self.table = 1 + generator.below(self.work.tables);
        if is_versioned {
            let moments = self.moments.len() as u64;
            (self.of, self.at) = (generator.below(moments) as usize, generator.below(moments) as usize);
            if self.past == Past::VersionsBetween {
                self.at = self.of;
            }
            self.id = self.moments[self.of].set.draw(generator);
            let Moment { taken, transaction, .. } = &self.moments[self.at];
            self.past.write(&mut self.sql, self.table, self.id, Some((taken, transaction)));
        } else {
            self.id = self.work.set.draw(generator);
            self.past.write(&mut self.sql, self.table, self.id, None);
        }
        Operation(self.past as u16)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        let class = self.past.class();
        let answer = session.read(class, &self.sql).await?;
        if !self.is_right(session.kept()) {
            session.unexpected(class);
        }
        session.count(VERSIONS, answer.rows as i64);
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}
