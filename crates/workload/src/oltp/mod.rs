//! sysbench's read-only OLTP workloads: the transaction of fourteen reads, and each of its statements alone. Schema,
//! statements, text formats and defaults are sysbench's, so that numbers can be laid beside thirty years of others.
//! What differs: every answer is checked, charset and collation are said everywhere, and `k` is always loaded
//! uniformly (see `sbtest`).

mod client;
mod knobs;
mod sbtest;
mod statement;

pub(crate) use client::Client;
pub(crate) use knobs::{Protocol, Work};
pub(crate) use statement::{Kind, STATEMENTS};

use crate::dataset::Dataset;
use crate::draw::Generator;
use crate::session::Sql;
use crate::user::{Seat, live};
use crate::{Life, Parameters, Probe, Statement, Workload};
use model::seed::Seed;
use model::words::{Footprint, WorkloadWords};
use sbtest::Sbtest;

/// One workload of the family: the mixed transaction, or one kind of statement alone.
pub struct Oltp {
    name: &'static str,
    why: &'static str,
    alone: Option<Kind>,
    operations: &'static [&'static str],
}

pub const MIXED: Oltp = Oltp {
    name: "oltp.mixed",
    why: "sysbench's oltp_read_only: ten point selects and four ranges in one transaction",
    alone: None,
    operations: &["transaction"],
};
pub const POINT_SELECTS: Oltp = Oltp {
    name: "oltp.point_selects",
    why: "one row by primary key: the price of a round trip",
    alone: Some(Kind::Point),
    operations: &["point_selects"],
};
pub const SIMPLE_RANGES: Oltp = Oltp {
    name: "oltp.simple_ranges",
    why: "rows in primary key order: the price of returning rows",
    alone: Some(Kind::Simple),
    operations: &["simple_ranges"],
};
pub const SUM_RANGES: Oltp = Oltp {
    name: "oltp.sum_ranges",
    why: "a sum over a range: the price of reading rows without returning them",
    alone: Some(Kind::Sum),
    operations: &["sum_ranges"],
};
pub const ORDERED_RANGES: Oltp = Oltp {
    name: "oltp.ordered_ranges",
    why: "a range sorted by text: the price of a collation",
    alone: Some(Kind::Order),
    operations: &["order_ranges"],
};
pub const DISTINCT_RANGES: Oltp = Oltp {
    name: "oltp.distinct_ranges",
    why: "distinct texts of a range, sorted: a temporary table and a collation",
    alone: Some(Kind::Distinct),
    operations: &["distinct_ranges"],
};

impl Workload for Oltp {
    fn words(&self) -> WorkloadWords {
        let parameters = match self.alone {
            None => knobs::MIXED,
            Some(Kind::Point) => knobs::POINT,
            Some(Kind::Simple | Kind::Sum | Kind::Order | Kind::Distinct) => knobs::RANGE,
        };
        WorkloadWords {
            name: self.name,
            why: self.why,
            writes: false,
            parameters,
            operations: self.operations,
            footprint,
        }
    }
    fn statements(&self) -> &'static [Statement] {
        STATEMENTS
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, seed: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(Sbtest::of(parameters, engine, seed)))
    }
    fn probes(&self, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        let work = Work::of(self.alone, parameters);
        let mut generator = Generator::new(seed.child("probes"));
        let mut probe = |kind: Kind| {
            let step = work.draw(kind, 1 + generator.below(work.tables), &mut generator);
            let mut sql = String::new();
            kind.write(&mut sql, step.table, step.first, step.last);
            let rows = step.rows_expected(work.rows);
            Probe { statement: kind.name(), sql, rows: (rows.start() == rows.end()).then_some(*rows.end()) }
        };
        work.kinds().map(|(kind, _)| probe(kind)).collect()
    }
    fn user<'a>(
        &self,
        parameters: &Parameters,
        seed: Seed,
        number: u32,
        _users: u32,
        session: &'a mut (dyn Sql + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Life<'a> {
        let client = Client::new(Work::of(self.alone, parameters), seed.child("users").nth(u64::from(number)));
        Box::pin(live(client, session, seat))
    }
    fn session_setup(&self, parameters: &Parameters) -> Vec<String> {
        let charset = knobs::charset(parameters);
        vec![format!("SET NAMES {} COLLATE {}", charset.character_set, charset.collation)]
    }
}

fn footprint(parameters: &Parameters) -> Footprint {
    /// InnoDB's row of 188 bytes with its headers, page fill and the entry in k_N: ten million take 2.1 to 2.4 GB.
    const ROW_BYTES: u64 = 240;
    /// An empty table's files.
    const TABLE_BYTES: u64 = 1 << 17;
    let tables = knobs::count(parameters, "tables");
    let rows = tables * knobs::count(parameters, "rows");
    Footprint { bytes: tables * TABLE_BYTES + rows * ROW_BYTES, rows }
}
