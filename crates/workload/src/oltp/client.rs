//! Hot path: one user of the family: draws an operation as a list of steps, then says them one after the other and
//! looks at every answer. The steps are kept, so that a retry does the same again; statements are prepared once per
//! table and kind.

use super::knobs::{Protocol, Work};
use super::statement::{BEGIN, COMMIT, Kind, PREPARE, ROLLBACK};
use crate::draw::Generator;
use crate::session::{Class, Fault, Param, Prepared, Sql};
use crate::user::{End, Operation, User};
use model::seed::Seed;
use std::ops::RangeInclusive;

/// Up to so many statements per session are prepared before measuring; more (many tables) are prepared when first
/// needed, because sessions × tables × kinds soon exceeds the server's max_prepared_stmt_count, of which a short run
/// needs a part only.
const PREPARED_AHEAD: u64 = 64;

/// One statement of an operation, its values drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub kind: Kind,
    pub table: u64,
    pub first: u64,
    pub last: u64,
}

impl Step {
    /// How many rows a table of rows 1 to `rows` must return.
    pub fn rows_expected(&self, rows: u64) -> RangeInclusive<u64> {
        let within = self.last.min(rows) - self.first + 1;
        match self.kind {
            Kind::Point | Kind::Sum => 1..=1,
            Kind::Simple | Kind::Order => within..=within,
            // Two rows may have the same text, or texts that their collation takes for the same.
            Kind::Distinct => 1..=within,
        }
    }
}

pub(crate) struct Client {
    work: Work,
    generator: Generator,
    steps: Vec<Step>,
    begin: Option<Prepared>,
    commit: Option<Prepared>,
    /// By table, then kind.
    reads: Vec<Option<Prepared>>,
    /// The statement being said or prepared; one buffer for all.
    sql: String,
}

impl Client {
    pub fn new(work: Work, seed: Seed) -> Self {
        let steps = Vec::with_capacity(work.counts.iter().sum());
        let reads = vec![None; work.tables as usize * Kind::ALL.len()];
        // Longer than any statement of the family.
        let sql = String::with_capacity(128);
        Self { work, generator: Generator::new(seed), steps, begin: None, commit: None, reads, sql }
    }
    async fn prepared(&mut self, session: &mut (dyn Sql + '_), kind: Kind, table: u64) -> Result<Prepared, Fault> {
        let place = (table - 1) as usize * Kind::ALL.len() + kind as usize;
        if let Some(prepared) = self.reads[place] {
            return Ok(prepared);
        }
        kind.write(&mut self.sql, table, '?', '?');
        let prepared = session.prepare(PREPARE, &self.sql).await?;
        self.reads[place] = Some(prepared);
        Ok(prepared)
    }
    async fn say(&mut self, session: &mut (dyn Sql + '_), step: Step) -> Result<(), Fault> {
        let class = step.kind.class();
        let answer = match self.work.protocol {
            Protocol::Prepared => {
                let prepared = self.prepared(session, step.kind, step.table).await?;
                let ids = [Param::Int(step.first as i64), Param::Int(step.last as i64)];
                session.execute(class, prepared, &ids[..step.kind.arity()]).await?
            }
            Protocol::Text => {
                step.kind.write(&mut self.sql, step.table, step.first, step.last);
                session.query(class, &self.sql).await?
            }
        };
        if !step.rows_expected(self.work.rows).contains(&answer.rows) {
            session.unexpected(class);
        }
        Ok(())
    }
}

/// `None` where this server cannot prepare such a statement, as MySQL and older MariaDB with BEGIN: it is then said
/// as text, as sysbench does.
async fn prepared_if_possible(session: &mut (dyn Sql + '_), sql: &str) -> Result<Option<Prepared>, Fault> {
    /// ER_UNSUPPORTED_PS: "This command is not supported in the prepared statement protocol yet".
    const UNSUPPORTED: u16 = 1295;
    match session.prepare(PREPARE, sql).await {
        Ok(prepared) => Ok(Some(prepared)),
        Err(Fault::Server { code: UNSUPPORTED, .. }) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// BEGIN or COMMIT: by its handle where it was prepared, else as text.
async fn bracket(
    session: &mut (dyn Sql + '_),
    class: Class,
    prepared: Option<Prepared>,
    sql: &str,
) -> Result<(), Fault> {
    match prepared {
        Some(prepared) => session.execute(class, prepared, &[]).await?,
        None => session.query(class, sql).await?,
    };
    Ok(())
}

impl User for Client {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        self.reads.fill(None);
        if self.work.protocol == Protocol::Text {
            return Ok(());
        }
        if self.work.transactions {
            self.begin = prepared_if_possible(session, "BEGIN").await?;
            self.commit = prepared_if_possible(session, "COMMIT").await?;
        }
        if self.work.tables * self.work.kinds().count() as u64 <= PREPARED_AHEAD {
            for table in 1..=self.work.tables {
                for (kind, _) in self.work.kinds() {
                    self.prepared(session, kind, table).await?;
                }
            }
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.steps.clear();
        for (kind, count) in self.work.kinds() {
            // One table for the whole group, as in sysbench.
            let table = 1 + self.generator.below(self.work.tables);
            for _ in 0..count {
                self.steps.push(self.work.draw(kind, table, &mut self.generator));
            }
        }
        Operation(0)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        if self.work.transactions {
            bracket(session, BEGIN, self.begin, "BEGIN").await?;
        }
        for number in 0..self.steps.len() {
            self.say(session, self.steps[number]).await?;
        }
        if self.work.transactions {
            bracket(session, COMMIT, self.commit, "COMMIT").await?;
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        self.work.transactions.then_some(ROLLBACK)
    }
}
