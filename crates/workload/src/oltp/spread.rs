//! Hot path: sysbench's select_random_points and select_random_ranges: one statement with many values of the indexed
//! column `k`, each user's from a part of the table of its own. They read sbtest1 only, as sysbench does, whatever
//! other tables lie beside it.

use super::knobs;
use super::sbtest::Sbtest;
use super::statement::{PREPARE, RANDOM_POINTS as POINTS, RANDOM_RANGES as RANGES, STATEMENTS};
use super::work::Form;
use crate::dataset::Dataset;
use crate::draw::{Distribution, Generator};
use crate::life::{Life, Living, Place, SqlLife};
use crate::session::{Class, Fault, Param, Prepared, Sql};
use crate::user::{End, Operation, Seat, User, live};
use crate::{Parameters, Probe, Statement, Workload};
use model::{Parameter, Protocol, Seed, WorkloadWords};
use std::borrow::Cow;
use std::fmt::{Display, Write};

pub struct Spread {
    name: &'static str,
    why: &'static str,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Points,
    Ranges,
}

pub const RANDOM_POINTS: Spread = Spread {
    name: "oltp.random_points",
    why: "sysbench's select_random_points: rows of ten values of the indexed column",
    shape: Shape::Points,
};
pub const RANDOM_RANGES: Spread = Spread {
    name: "oltp.random_ranges",
    why: "sysbench's select_random_ranges: a count over ten short ranges of the indexed column",
    shape: Shape::Ranges,
};

impl Shape {
    fn class(self) -> Class {
        match self {
            Self::Points => POINTS,
            Self::Ranges => RANGES,
        }
    }

    fn operations(self) -> &'static [&'static str] {
        match self {
            Self::Points => &["random_points"],
            Self::Ranges => &["random_ranges"],
        }
    }

    /// Replaces `sql` by the statement with these values, or question marks.
    fn write(self, sql: &mut String, values: &[impl Display]) {
        sql.clear();
        let written = match self {
            Self::Points => {
                sql.push_str("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (");
                let mut values = values.iter().enumerate();
                let listed = values.try_for_each(|(n, k)| write!(sql, "{}{k}", if n == 0 { "" } else { ", " }));
                sql.push(')');
                listed
            }
            Self::Ranges => {
                sql.push_str("SELECT count(k) FROM sbtest1 WHERE ");
                let mut ranges = values.chunks(2).enumerate();
                ranges.try_for_each(|(n, ends)| {
                    write!(sql, "{}k BETWEEN {} AND {}", if n == 0 { "" } else { " OR " }, ends[0], ends[1])
                })
            }
        };
        written.expect("writing into a String cannot fail");
    }
}

struct Reader {
    shape: Shape,
    form: Form,
    /// What a range reaches beyond its first value.
    delta: u64,
    /// The draws within this user's part of the table, from one on.
    distribution: Distribution,
    before: u64,
    generator: Generator,
    values: Vec<u64>,
    params: Vec<Param<'static>>,
    prepared: Option<Prepared>,
    sql: String,
}

impl Reader {
    fn new(shape: Shape, parameters: &Parameters, seed: Seed, number: u32, users: u32) -> Self {
        let count = match shape {
            Shape::Points => knobs::count(parameters, "random_points"),
            Shape::Ranges => 2 * knobs::count(parameters, "number_of_ranges"),
        } as usize;
        // sysbench divides as reals and cuts both ends off to whole numbers, so that neighbours share a value.
        let part = knobs::count(parameters, "rows") as f64 / f64::from(users);
        let (first, last) = ((part * f64::from(number)) as u64, (part * f64::from(number) + part) as u64);
        Self {
            shape,
            form: Form::of(parameters),
            delta: if shape == Shape::Ranges { knobs::count(parameters, "delta") } else { 0 },
            distribution: Distribution::over(last - first + 1, parameters),
            before: first,
            generator: Generator::new(seed),
            values: vec![0; count],
            params: vec![Param::Null; count],
            prepared: None,
            sql: String::with_capacity(64 + count * 32),
        }
    }

    fn draw(&mut self) {
        let mut draw = || self.before + self.distribution.draw(&mut self.generator) - 1;
        match self.shape {
            Shape::Points => self.values.fill_with(draw),
            Shape::Ranges => {
                for ends in self.values.chunks_mut(2) {
                    let first = draw();
                    ends.copy_from_slice(&[first, first + self.delta]);
                }
            }
        }
    }
}

impl User for Reader {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        if self.form == Form::Prepared {
            self.shape.write(&mut self.sql, &vec!['?'; self.values.len()]);
            self.prepared = Some(session.prepare(PREPARE, &self.sql).await?);
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.draw();
        for (param, value) in self.params.iter_mut().zip(&self.values) {
            *param = Param::Int(*value as i64);
        }
        Operation(0)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        let class = self.shape.class();
        let answer = match self.prepared {
            Some(prepared) => session.execute(class, prepared, &self.params).await?,
            None => {
                self.shape.write(&mut self.sql, &self.values);
                session.query(class, &self.sql).await?
            }
        };
        if self.shape == Shape::Ranges && answer.rows != 1 {
            session.unexpected(class);
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}

impl Workload for Spread {
    fn words(&self) -> WorkloadWords {
        let parameters = match self.shape {
            Shape::Points => knobs::RANDOM_POINTS,
            Shape::Ranges => knobs::RANDOM_RANGES,
        };
        WorkloadWords {
            name: self.name.into(),
            why: self.why,
            writes: false,
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Parameter::ours(parameters),
            operations: self.shape.operations(),
            footprint: super::footprint,
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        STATEMENTS.into()
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, seed: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(Sbtest::of(parameters, engine, seed)))
    }
    fn probes(&self, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        let mut reader = Reader::new(self.shape, parameters, seed.child("probes"), 0, 1);
        reader.draw();
        reader.shape.write(&mut reader.sql, &reader.values);
        let statement = self.shape.operations()[0];
        vec![Probe { statement, sql: reader.sql, rows: (self.shape == Shape::Ranges).then_some(1), writes: false }]
    }
    fn session_setup(&self, parameters: &Parameters) -> Vec<String> {
        super::names(parameters)
    }
}

impl SqlLife for Spread {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        Box::pin(live(
            Reader::new(self.shape, place.parameters, place.own_seed(), place.number, place.users),
            session,
            seat,
        ))
    }
}
