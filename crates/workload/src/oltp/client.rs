//! Hot path: one user of the family: draws an operation as a list of steps, then says them one after the other and
//! looks at every answer. The steps are kept, so that a retry does the same again; statements are prepared once per
//! table and kind.

use super::statement::{BEGIN, COMMIT, Kind, PREPARE, ROLLBACK, Texts};
use super::work::{Form, NEXT, Step, Work};
use crate::draw::Generator;
use crate::session::{Class, Fault, Param, Prepared, Sql};
use crate::user::{End, Memory, Operation, User};
use model::protocol::Protocol;
use model::seed::Seed;

/// Up to so many statements per session are prepared before measuring; more (many tables) are prepared when first
/// needed, because sessions × tables × kinds soon exceeds the server's max_prepared_stmt_count, of which a short run
/// needs a part only.
const PREPARED_AHEAD: u64 = 64;

/// No statement of the family is longer: an insert with its two texts.
const LONGEST: usize = 320;

pub(crate) struct Client {
    work: Work,
    generator: Generator,
    steps: Vec<Step>,
    texts: Vec<Texts>,
    begin: Option<Prepared>,
    commit: Option<Prepared>,
    /// An insert asks for the next id by a word: alone, in PostgreSQL's SQL.
    asks_next: bool,
    /// By table, then by the place of its kind (`Groups::place`).
    statements: Vec<Option<Prepared>>,
    /// The statement being said or prepared; one buffer for all.
    sql: String,
}

impl Client {
    pub fn new(work: Work, seed: Seed) -> Self {
        let said = |(_, count): &(Kind, u32)| *count as usize;
        let count: usize = work.groups.iter().map(said).sum();
        let written: usize = work.groups.iter().filter(|(kind, _)| kind.writes()).map(said).sum();
        let statements = vec![None; work.tables as usize * work.groups.kinds()];
        Self {
            generator: Generator::new(seed),
            steps: Vec::with_capacity(count + written),
            texts: Vec::with_capacity(written),
            begin: None,
            commit: None,
            asks_next: false,
            statements,
            sql: String::with_capacity(LONGEST),
            work,
        }
    }
    async fn prepared(&mut self, session: &mut (dyn Sql + '_), kind: Kind, table: u64) -> Result<Prepared, Fault> {
        let place = self.work.groups.place(kind, table);
        if let Some(prepared) = self.statements[place] {
            return Ok(prepared);
        }
        let first = if self.asks_next && kind == Kind::Insert { NEXT } else { "?" };
        kind.write(&mut self.sql, table, [first, "?"], ['?'; 2]);
        let prepared = session.prepare(PREPARE, &self.sql).await?;
        self.statements[place] = Some(prepared);
        Ok(prepared)
    }
    async fn say(&mut self, session: &mut (dyn Sql + '_), step: Step) -> Result<(), Fault> {
        let class = step.kind.class();
        let answer = match self.work.form {
            Form::Prepared => {
                let prepared = self.prepared(session, step.kind, step.table).await?;
                let (first, last) = (Param::Int(step.first as i64), Param::Int(step.last as i64));
                let texts = self.texts.get(step.text as usize);
                let (c, pad) = texts.map_or((Param::Null, Param::Null), |t| (Param::Bytes(&t.c), Param::Bytes(&t.pad)));
                match step.kind {
                    Kind::Point | Kind::IndexUpdate | Kind::Delete => {
                        session.execute(class, prepared, &[first]).await?
                    }
                    Kind::Simple | Kind::Sum | Kind::Order | Kind::Distinct => {
                        session.execute(class, prepared, &[first, last]).await?
                    }
                    Kind::NonIndexUpdate => session.execute(class, prepared, &[c, first]).await?,
                    Kind::Insert if self.asks_next => session.execute(class, prepared, &[last, c, pad]).await?,
                    Kind::Insert => session.execute(class, prepared, &[first, last, c, pad]).await?,
                }
            }
            Form::Text => {
                step.write(&self.texts, &mut self.sql, self.asks_next && step.kind == Kind::Insert);
                session.query(class, &self.sql).await?
            }
        };
        if !step.is_answered_by(&answer, &self.work) {
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
        self.statements.fill(None);
        self.asks_next = session.dialect() == Protocol::PostgreSql && !self.work.paired;
        if self.work.form == Form::Text {
            return Ok(());
        }
        if self.work.transactions {
            self.begin = prepared_if_possible(session, "BEGIN").await?;
            self.commit = prepared_if_possible(session, "COMMIT").await?;
        }
        let kinds: Vec<Kind> = self.work.kinds().collect();
        if self.work.tables * kinds.len() as u64 <= PREPARED_AHEAD {
            for table in 1..=self.work.tables {
                for kind in &kinds {
                    self.prepared(session, *kind, table).await?;
                }
            }
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.steps.clear();
        self.texts.clear();
        for (kind, count) in self.work.groups.iter() {
            // One table for the whole group, as in sysbench.
            let table = 1 + self.generator.below(self.work.tables);
            for _ in 0..*count {
                self.work.draw(*kind, table, &mut self.generator, &mut self.steps, &mut self.texts);
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

    fn reads(&self) -> [Memory; 2] {
        [Memory::room(&self.steps), Memory::of(&self.statements[..])]
    }

    fn rollback(&self) -> Option<Class> {
        self.work.transactions.then_some(ROLLBACK)
    }
}
