//! sysbench's OLTP workloads: its transactions, each of their statements alone, and the single statements that studies
//! of regressions add to them (`micro`). Schema, statements, text formats and defaults are sysbench's, so that numbers
//! can be laid beside thirty years of others. What differs: every answer is checked, charset and collation are said
//! everywhere, and `k` is always loaded uniformly (see `sbtest`).

mod bulk;
mod client;
mod groups;
pub(crate) mod knobs;
mod micro;
mod sbtest;
mod spread;
mod statement;
mod work;

use bulk::BULK_INSERT;
pub(crate) use client::Client;
pub(crate) use groups::Groups;
use spread::{RANDOM_POINTS, RANDOM_RANGES};
pub(crate) use statement::{Kind, STATEMENTS};
pub(crate) use work::{Form, Work};

use crate::dataset::Dataset;
use crate::draw::Generator;
use crate::life::{Life, Living, Place, SqlLife};
use crate::session::Sql;
use crate::user::{Seat, live};
use crate::{Parameters, Probe, Statement, Workload};
use model::words::{Extent, Footprint, Grows};
use model::{Parameter, Protocol, Seed, WorkloadWords};
use sbtest::Sbtest;
use std::borrow::Cow;
use std::sync::Arc;
use work::{Member, Step};

/// One workload of the family: a transaction of many statements, or one kind of statement alone.
struct Oltp {
    name: &'static str,
    why: &'static str,
    member: Member,
    operations: &'static [&'static str],
}

const fn oltp(name: &'static str, why: &'static str, member: Member, operations: &'static [&'static str]) -> Oltp {
    Oltp { name, why, member, operations }
}

const MEMBERS: [Oltp; 12] = [
    oltp(
        "oltp.mixed",
        "sysbench's oltp_read_only: ten point selects and four ranges in one transaction",
        Member::ReadOnly,
        &["transaction"],
    ),
    oltp(
        "oltp.point_selects",
        "one row by primary key: the price of a round trip",
        Member::Alone(Kind::Point),
        &["point_selects"],
    ),
    oltp(
        "oltp.simple_ranges",
        "rows in primary key order: the price of returning rows",
        Member::Alone(Kind::Simple),
        &["simple_ranges"],
    ),
    oltp(
        "oltp.sum_ranges",
        "a sum over a range: the price of reading rows without returning them",
        Member::Alone(Kind::Sum),
        &["sum_ranges"],
    ),
    oltp(
        "oltp.ordered_ranges",
        "a range sorted by text: the price of a collation",
        Member::Alone(Kind::Order),
        &["order_ranges"],
    ),
    oltp(
        "oltp.distinct_ranges",
        "distinct texts of a range, sorted: a temporary table and a collation",
        Member::Alone(Kind::Distinct),
        &["distinct_ranges"],
    ),
    oltp(
        "oltp.read_write",
        "sysbench's oltp_read_write: the reads of the mix, two updates, and a row deleted and inserted again",
        Member::ReadWrite,
        &["transaction"],
    ),
    oltp(
        "oltp.write_only",
        "sysbench's oltp_write_only: two updates, and a row deleted and inserted again",
        Member::WriteOnly,
        &["transaction"],
    ),
    oltp(
        "oltp.insert",
        "rows at the end of a table: the price of a row, its index entry and its commit",
        Member::Alone(Kind::Insert),
        &["inserts"],
    ),
    oltp("oltp.delete", "one row by primary key goes, if it is still there", Member::Alone(Kind::Delete), &["deletes"]),
    oltp(
        "oltp.update_index",
        "an indexed column of one row: a change in two indexes",
        Member::Alone(Kind::IndexUpdate),
        &["index_updates"],
    ),
    oltp(
        "oltp.update_non_index",
        "a column without index of one row: a change in one place",
        Member::Alone(Kind::NonIndexUpdate),
        &["non_index_updates"],
    ),
];

impl Workload for Oltp {
    fn words(&self) -> WorkloadWords {
        let (parameters, writes) = match self.member {
            Member::ReadOnly => (knobs::MIXED, false),
            Member::ReadWrite => (knobs::READ_WRITE, true),
            Member::WriteOnly => (knobs::WRITE_ONLY, true),
            Member::Alone(Kind::Insert) => (knobs::INSERT, true),
            Member::Alone(kind) if kind.is_range() => (knobs::RANGE, false),
            Member::Alone(kind) => (knobs::ROW, kind.writes()),
        };
        let grows: Option<Grows> = match self.member {
            Member::Alone(Kind::Insert) => Some(inserted),
            Member::ReadOnly | Member::ReadWrite | Member::WriteOnly | Member::Alone(_) => None,
        };
        WorkloadWords {
            name: self.name.into(),
            why: self.why,
            writes,
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Parameter::ours(parameters),
            operations: self.operations,
            footprint,
            grows,
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
        let work = Work::of(self.member, parameters);
        let mut generator = Generator::new(seed.child("probes"));
        let (mut steps, mut texts) = (Vec::new(), Vec::new());
        for (kind, _) in work.groups.iter() {
            let table = 1 + generator.below(work.tables);
            work.draw(*kind, table, &mut generator, &mut steps, &mut texts);
        }
        let probe = |mut step: Step| {
            if step.kind == Kind::Insert {
                // Its row is there as long as nobody deletes it; the next id costs the same.
                step.first = 0;
            }
            let mut sql = String::new();
            step.write(&texts, &mut sql, false);
            let rows = step.rows_expected(&work);
            let rows = (rows.start() == rows.end()).then_some(*rows.end());
            Probe { statement: step.kind.name(), sql, rows, writes: step.kind.writes() }
        };
        steps.into_iter().map(probe).collect()
    }
    fn session_setup(&self, parameters: &Parameters) -> Vec<String> {
        names(parameters)
    }
}

impl SqlLife for Oltp {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        let client = Client::new(Work::of(self.member, place.parameters), place.own_seed());
        Box::pin(live(client, session, seat))
    }
}

/// Sessions with PostgreSQL speak the one character set of their database, and compare as columns do.
fn names(parameters: &Parameters) -> Vec<String> {
    let charset = knobs::charset(parameters);
    let is_said = charset.protocol == Protocol::MySql;
    let said = || format!("SET NAMES {} COLLATE {}", charset.character_set, charset.collation);
    is_said.then(said).into_iter().collect()
}

/// InnoDB's row of 188 bytes with its headers, page fill and the entry in k_N: ten million take 2.1 to 2.4 GB.
const ROW_BYTES: u64 = 240;

fn footprint(parameters: &Parameters) -> Footprint {
    /// An empty table's files.
    const TABLE_BYTES: u64 = 1 << 17;
    let tables = knobs::count(parameters, "tables");
    let rows = tables * knobs::count(parameters, "rows");
    Footprint { bytes: tables * TABLE_BYTES + rows * ROW_BYTES, rows }
}

/// A row each.
fn inserted(_: &Parameters, operations: u64, data: Extent) -> Extent {
    let current = data.current.saturating_add(operations.saturating_mul(ROW_BYTES));
    Extent { current, files: data.files.max(current), ..data }
}

pub(crate) fn members() -> Vec<Arc<dyn Workload>> {
    let others: [Arc<dyn Workload>; 3] = [Arc::new(BULK_INSERT), Arc::new(RANDOM_POINTS), Arc::new(RANDOM_RANGES)];
    let micro = micro::MEMBERS.iter().map(|member| Arc::new(member) as Arc<dyn Workload>);
    MEMBERS.into_iter().map(|member| Arc::new(member) as Arc<dyn Workload>).chain(others).chain(micro).collect()
}
