//! Hot path: one user of a microbenchmark: draws a table and the values of one statement, says it, and looks at the
//! answer. Statements are prepared once per table.

use super::shape::{Shape, What, Which};
use crate::Parameters;
use crate::draw::{Distribution, Generator, strings};
use crate::oltp::knobs::{count, flag};
use crate::oltp::work::Form;
use crate::session::{Answer, Class, Fault, Param, Prepared, Sql};
use crate::user::{End, Memory, Operation, User};
use model::Seed;

/// The classes of a member's statements, in their order.
const SAID: Class = Class(0);
const PREPARE: Class = Class(1);
/// As of the other members: sessions × tables soon exceed what a server lets be prepared.
const PREPARED_AHEAD: u64 = 64;
/// The statement without its values.
const FRAME: usize = 256;
/// A value and what stands between two.
const VALUE: usize = 12;

pub(super) struct Client {
    shape: Shape,
    form: Form,
    tables: u64,
    rows: u64,
    /// How far a range reaches beyond its first value.
    reach: u64,
    /// The middle of the table, where all lists are the same.
    hot: Option<u64>,
    /// The table that a scan reads, always the same.
    own: u64,
    distribution: Distribution,
    generator: Generator,
    table: u64,
    values: Vec<u64>,
    c: [u8; strings::C],
    /// What the statement is executed with: the text of an update, and the values.
    params: Vec<Param<'static>>,
    sorted: Vec<u64>,
    prepared: Vec<Option<Prepared>>,
    sql: String,
}

impl Client {
    pub fn new(shape: Shape, parameters: &Parameters, seed: Seed, number: u32) -> Self {
        let (tables, rows) = (count(parameters, "tables"), count(parameters, "rows"));
        let values = match shape.which {
            Which::List(_) => count(parameters, "random_points") as usize,
            Which::Range(_) => 2,
            Which::One => 1,
            Which::Scan => 0,
        };
        let is_hot = parameters.contains_key("hot_points") && flag(parameters, "hot_points");
        Self {
            shape,
            form: Form::of(parameters),
            tables,
            rows,
            reach: if let Which::Range(_) = shape.which { count(parameters, "range_size") - 1 } else { 0 },
            hot: is_hot.then_some(rows / 2),
            own: 1 + u64::from(number) % tables,
            distribution: match shape.which {
                Which::List(_) | Which::Range(_) => Distribution::over(rows, parameters),
                Which::One | Which::Scan => Distribution::uniform(1),
            },
            generator: Generator::new(seed),
            table: 1,
            values: vec![1; values],
            c: [b'0'; strings::C],
            params: Vec::with_capacity(1 + values),
            sorted: Vec::with_capacity(values),
            prepared: vec![None; tables as usize],
            sql: String::with_capacity(FRAME + values * VALUE),
        }
    }

    pub fn draw(&mut self) {
        self.table = match self.shape.which {
            Which::Scan => self.own,
            Which::List(_) | Which::Range(_) | Which::One => 1 + self.generator.below(self.tables),
        };
        if self.shape.writes() {
            self.c = strings::c(&mut self.generator);
        }
        match (self.shape.which, self.hot) {
            (Which::List(_), Some(middle)) => {
                self.values.iter_mut().zip(middle + 1..).for_each(|(value, id)| *value = id);
            }
            (Which::List(_), None) => {
                for value in &mut self.values {
                    *value = self.distribution.draw(&mut self.generator);
                }
            }
            (Which::Range(_), _) => {
                let first = self.distribution.draw(&mut self.generator);
                self.values.copy_from_slice(&[first, first + self.reach]);
            }
            (Which::One | Which::Scan, _) => {}
        }
    }

    /// The statement with its values, and how many rows it returns where that is known.
    pub fn probe(&mut self) -> (&str, Option<u64>) {
        self.draw();
        self.shape.write_values(&mut self.sql, self.table, &self.c, &self.values);
        let expected = self.shape.expected(&self.values, self.rows, &mut self.sorted);
        let rows = expected.filter(|_| !self.shape.writes()).map(|rows| *rows.end());
        (&self.sql, if self.shape.writes() { Some(0) } else { rows })
    }

    async fn prepared(&mut self, session: &mut (dyn Sql + '_), table: u64) -> Result<Prepared, Fault> {
        let place = (table - 1) as usize;
        if let Some(prepared) = self.prepared[place] {
            return Ok(prepared);
        }
        // Once per table and session: what is allocated here is no operation's.
        self.shape.write(&mut self.sql, table, '?', &vec!['?'; self.values.len()]);
        let prepared = session.prepare(PREPARE, &self.sql).await?;
        self.prepared[place] = Some(prepared);
        Ok(prepared)
    }

    async fn execute(&mut self, session: &mut (dyn Sql + '_)) -> Result<Answer, Fault> {
        let prepared = self.prepared(session, self.table).await?;
        // A list that lives longer is lent as one that borrows the text, and taken back empty: its room stays.
        let mut params: Vec<Param<'_>> = std::mem::take(&mut self.params);
        params.extend(self.shape.writes().then_some(Param::Bytes(&self.c)));
        params.extend(self.values.iter().map(|value| Param::Int(*value as i64)));
        let answer = session.execute(SAID, prepared, &params).await;
        params.clear();
        self.params = params.into_iter().map(|_| Param::Null).collect();
        answer
    }
}

impl User for Client {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        self.prepared.fill(None);
        if self.form == Form::Text {
            return Ok(());
        }
        if self.shape.which == Which::Scan {
            self.prepared(session, self.own).await?;
        } else if self.tables <= PREPARED_AHEAD {
            for table in 1..=self.tables {
                self.prepared(session, table).await?;
            }
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.draw();
        Operation(0)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        let answer = match self.form {
            Form::Prepared => self.execute(session).await?,
            Form::Text => {
                self.shape.write_values(&mut self.sql, self.table, &self.c, &self.values);
                session.query(SAID, &self.sql).await?
            }
        };
        if let Some(expected) = self.shape.expected(&self.values, self.rows, &mut self.sorted) {
            let (found, other) = match self.shape.what {
                What::Select(_) | What::Count => (answer.rows, answer.affected),
                What::Update => (answer.affected, answer.rows),
            };
            // Of a SELECT a server says that it changed nothing.
            if !expected.contains(&found) || (self.shape.writes() && other != 0) {
                session.unexpected(SAID);
            }
        }
        Ok(End::Done)
    }

    fn reads(&self) -> [Memory; 2] {
        [Memory::room(&self.values), Memory::of(&self.prepared[..])]
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}
