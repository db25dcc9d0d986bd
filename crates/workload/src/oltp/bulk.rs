//! Hot path: sysbench's bulk_insert: tables of two numbers, filled by statements as long as sysbench's buffer, one
//! table per user. An operation here is one such statement, because that is what a server answers; sysbench counts each
//! of its rows as an event, most of which take no time, so its events are the rows that this statement affects.

use super::knobs;
use super::statement::{BULK_INSERT as CLASS, STATEMENTS};
use crate::dataset::{Dataset, Rows, Spot, Table};
use crate::life::{Life, Living, Place, SqlLife};
use crate::session::{Class, Fault, Sql};
use crate::user::{End, Operation, Seat, User, live};
use crate::{Parameters, Statement, Workload};
use model::plan::served::HEAP;
use model::words::Footprint;
use model::{Parameter, Protocol, Seed, WorkloadWords};
use std::borrow::Cow;
use std::fmt::Write;

/// sysbench's buffer, its final zero included.
const STATEMENT_BYTES: usize = 512 << 10;
/// The longest row, `(2147483647,2147483647),` and more than any.
const ROW_BYTES: usize = 64;

pub struct Bulk;

pub const BULK_INSERT: Bulk = Bulk;

/// Empty tables.
struct Empty {
    tables: u64,
    /// The clause that says it, where tables have one.
    engine: String,
}

impl Dataset for Empty {
    fn tables(&self) -> Vec<Table> {
        let table = |number| Table {
            name: format!("sbtest{number}"),
            create: format!(
                "CREATE TABLE sbtest{number} (\n  id INTEGER NOT NULL,\n  k INTEGER DEFAULT '0' NOT NULL,\n  \
                 PRIMARY KEY (id)\n){}",
                self.engine
            ),
            rows: 0,
            after: Vec::new(),
        };
        (1..=self.tables).map(table).collect()
    }
    fn columns(&self, _: usize) -> &'static str {
        "id, k"
    }
    fn rows(&self) -> Rows<'_> {
        Rows::None
    }
    fn spot(&self, _: usize, _: u64) -> Spot {
        unreachable!("the tables begin empty")
    }
}

struct Filler {
    table: u64,
    /// The id of the next row, and how many users take ids of the same table in turn.
    next: u64,
    sharers: u64,
    sql: String,
    rows: u64,
}

impl Filler {
    fn new(tables: u64, number: u32, users: u32) -> Self {
        let (number, users) = (u64::from(number), u64::from(users));
        Self {
            table: 1 + number % tables,
            next: 1 + number / tables,
            sharers: users.div_ceil(tables),
            sql: String::with_capacity(STATEMENT_BYTES + ROW_BYTES),
            rows: 0,
        }
    }
}

impl User for Filler {
    async fn begin(&mut self, _: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.sql.clear();
        self.rows = 0;
        let appended = "writing into a String cannot fail";
        write!(self.sql, "INSERT INTO sbtest{} VALUES", self.table).expect(appended);
        loop {
            let (before, id) = (self.sql.len(), self.next);
            let comma = if self.rows == 0 { "" } else { "," };
            write!(self.sql, "{comma}({id},{id})").expect(appended);
            if self.sql.len() >= STATEMENT_BYTES {
                self.sql.truncate(before);
                break;
            }
            self.next += self.sharers;
            self.rows += 1;
        }
        Operation(0)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        let answer = session.query(CLASS, &self.sql).await?;
        if answer.affected != self.rows {
            session.unexpected(CLASS);
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}

impl Workload for Bulk {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: "oltp.bulk_insert".into(),
            why: "sysbench's bulk_insert: rows of two numbers, half a megabyte of them in a statement",
            writes: true,
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Parameter::ours(knobs::BULK),
            operations: &["bulk_inserts"],
            footprint: |_| Footprint::default(),
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        STATEMENTS.into()
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, _: Seed) -> Option<Box<dyn Dataset>> {
        let engine = if engine == HEAP { String::new() } else { format!(" ENGINE={engine}") };
        Some(Box::new(Empty { tables: knobs::count(parameters, "tables"), engine }))
    }
}

impl SqlLife for Bulk {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        Box::pin(live(Filler::new(knobs::count(place.parameters, "tables"), place.number, place.users), session, seat))
    }
}
