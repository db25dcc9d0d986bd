//! The insert benchmark: rows in the order of their key, three secondary indexes, then as many rows in at one end as go
//! out at the other, alone and beside readers. The tables, distributions and steps are those that Mark Callaghan
//! publishes with; which rows are there follows from two numbers of each client, so that a step needs to know nothing
//! of the steps before it but what the tables say. Not here: his client, which deletes through a session of its own.

mod audit;
mod extent;
mod indexer;
mod inserter;
mod knobs;
mod look;
mod postgresql;
mod reader;
mod rows;
mod schema;
mod statement;
mod work;
mod writer;

use crate::audit::Audit;
use crate::dataset::Dataset;
use crate::draw::Generator;
use crate::life::{Life, Living, Place, SqlLife};
use crate::session::Sql;
use crate::user::{Seat, live, live_by_turns};
use crate::{Parameters, Probe, Statement, Workload};
use indexer::Indexer;
use model::{Parameter, Protocol, Seed, WorkloadWords};
use reader::Reader;
use schema::Data;
use std::borrow::Cow;
use std::sync::Arc;
use work::{Step, Work};
use writer::{Loader, Writer};

struct Insert {
    name: &'static str,
    why: &'static str,
    step: Step,
    operations: &'static [&'static str],
}

const fn member(name: &'static str, why: &'static str, step: Step, operations: &'static [&'static str]) -> Insert {
    Insert { name, why, step, operations }
}

const MEMBERS: [Insert; 5] = [
    member(
        "insert.load",
        "rows into empty tables in the order of their key, a hundred in a transaction",
        Step::Load,
        &["load_transaction"],
    ),
    member(
        "insert.create_indexes",
        "the three secondary indexes of a table, where rows are already",
        Step::CreateIndexes,
        &["table_indexed"],
    ),
    member(
        "insert.insert",
        "rows in at one end and as many out at the other, in one transaction",
        Step::Insert,
        &["insert_transaction"],
    ),
    member(
        "insert.range_queries",
        "ten index entries from a drawn place on, by one of the three secondary indexes",
        Step::RangeQueries,
        &["range_query"],
    ),
    member("insert.point_queries", "ten rows by primary key in one statement", Step::PointQueries, &["point_query"]),
];

impl Workload for Insert {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: self.name.into(),
            why: self.why,
            writes: self.step.writes(),
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Parameter::ours(self.step.parameters()),
            operations: self.operations,
            footprint: extent::footprint,
            grows: extent::of(self.step),
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        statement::STATEMENTS.into()
    }
    /// MariaDB counts a row of a partitioned table twice: in the table, and in its partition.
    fn affected_are_rows(&self, parameters: &Parameters) -> bool {
        knobs::count(parameters, "partitions") == 0
    }
    fn facts(&self) -> &'static [&'static str] {
        audit::FACTS
    }
    fn audit(&self, parameters: &Parameters) -> Audit {
        audit::of(parameters)
    }
    fn audit_in(&self, dialect: Protocol, parameters: &Parameters) -> Audit {
        match dialect {
            Protocol::PostgreSql => audit::of_postgresql(parameters),
            _ => self.audit(parameters),
        }
    }
    fn disclosures(&self, _: &Parameters) -> Vec<String> {
        audit::DISCLOSURES.iter().map(|sentence| (*sentence).to_string()).collect()
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, _: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(Data::of(parameters, engine)))
    }
    fn probes(&self, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        self.probes_in(Protocol::MySql, parameters, seed)
    }
    fn probes_in(&self, dialect: Protocol, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        reader::probes(&Work::of(self.step, parameters), dialect, &mut Generator::new(seed.child("probes")))
    }
    fn session_setup(&self, _: &Parameters) -> Vec<String> {
        vec!["SET NAMES 'latin1'".to_string()]
    }
}

impl SqlLife for Insert {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        let Place { number, users, .. } = place;
        let (number, users) = (u64::from(number), u64::from(users));
        let (work, seed) = (Work::of(self.step, place.parameters), place.own_seed());
        match self.step {
            Step::Load => Box::pin(live_by_turns(Loader::new(work, number, users), session, seat, Loader::choose_turn)),
            Step::CreateIndexes => {
                Box::pin(live_by_turns(Indexer::new(work, number, users), session, seat, Indexer::choose_turn))
            }
            Step::Insert => Box::pin(live(Writer::new(work, number, users), session, seat)),
            Step::RangeQueries | Step::PointQueries => {
                Box::pin(live(Reader::new(work, seed, number, users), session, seat))
            }
        }
    }
}

pub(crate) fn members() -> Vec<Arc<dyn Workload>> {
    MEMBERS.into_iter().map(|member| Arc::new(member) as Arc<dyn Workload>).collect()
}
