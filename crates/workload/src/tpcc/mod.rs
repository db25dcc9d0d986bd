//! TPC-C: orders, payments and deliveries of warehouses, as the specification has them (`tpcc.faithful`) and as
//! sysbench-tpcc says them, with its defects under names (`tpcc.compat`; docs/tpcc.md). Each kind of transaction is an
//! operation of its own, and so is the New-Order that is rolled back on purpose, so that nothing is fast because it
//! fails. Not here: terminals and their screens, the durability and the pricing of the specification; a number of ours
//! is `nopm` and never tpmC.

mod client;
mod delivery;
mod draw;
mod facts;
mod knobs;
mod laws;
mod new_order;
mod nurand;
mod order_status;
mod payment;
mod population;
mod postgresql;
mod questions;
mod schema;
mod statement;
mod statement_runner;
mod stock_level;
mod texts;
mod units;

use crate::audit::Audit;
use crate::dataset::Dataset;
use crate::life::{Life, Living, Place, SqlLife};
use crate::session::Sql;
use crate::user::{Seat, live};
use crate::{Parameters, Probe, Statement, Workload};
use client::Client;
use draw::Kind;
use facts::FACTS;
use knobs::{ForeignKeys, Habits, Shape};
use model::words::Footprint;
use model::{Parameter, Protocol, Seed, WorkloadWords};
use population::Population;
use statement::{STATEMENTS, Say};
use statement_runner::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// A member of the family.
pub struct Tpcc {
    name: &'static str,
    why: &'static str,
    parameters: &'static [Parameter],
}

pub const FAITHFUL: Tpcc = Tpcc {
    name: "tpcc.faithful",
    why: "TPC-C's five transactions as the specification has them",
    parameters: knobs::FAITHFUL,
};
pub const COMPAT: Tpcc =
    Tpcc { name: "tpcc.compat", why: "TPC-C as sysbench-tpcc has it, its defects included", parameters: knobs::COMPAT };

impl Workload for Tpcc {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: self.name.into(),
            why: self.why,
            writes: true,
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Parameter::ours(self.parameters),
            operations: Kind::NAMES,
            footprint,
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        STATEMENTS.into()
    }
    fn facts(&self) -> &'static [&'static str] {
        FACTS
    }
    fn audit(&self, parameters: &Parameters) -> Audit {
        laws::audit(parameters)
    }
    fn disclosures(&self, parameters: &Parameters) -> Vec<String> {
        knobs::disclosures(self.name, parameters)
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, seed: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(Population::of(Shape::of(parameters), engine, seed)))
    }
    fn probes(&self, _: &Parameters, _: Seed) -> Vec<Probe> {
        let probe = |say: Say, values: &[u64], rows: Option<u64>| {
            let mut sql = String::new();
            let mut values = values.iter();
            say.write(&mut sql, 1, 1, |sql| Value::Int(*values.next().expect("a value for each place")).write(sql));
            Probe { statement: say.name(), sql, rows, writes: say.writes() }
        };
        vec![
            probe(Say::OrderCustomer, &[1, 1, 1], Some(1)),
            probe(Say::OrderDistrict, &[1, 1], Some(1)),
            probe(Say::Item, &[1], Some(1)),
            probe(Say::Stock, &[1, 1], Some(1)),
            probe(Say::LastOrder, &[1, 1, 1], Some(1)),
            probe(Say::Lines, &[1, 1, 3000], None),
            probe(Say::OldestNewOrder, &[1, 1], Some(1)),
            probe(Say::OrderTotal, &[3000, 1, 1], Some(1)),
            probe(Say::LowStock, &[1, 1, 3001, 2981, 1, 15], Some(1)),
        ]
    }
    fn session_setup(&self, parameters: &Parameters) -> Vec<String> {
        let shape = Shape::of(parameters);
        let level = knobs::text(parameters, "isolation").replace('-', " ").to_uppercase();
        if shape.is_postgresql() {
            let level = format!("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {level}");
            let unchecked = "SET session_replication_role = replica".to_string();
            return std::iter::once(level).chain(shape.is_unchecked().then_some(unchecked)).collect();
        }
        let mut setup = vec![
            format!("SET NAMES {} COLLATE {}", shape.charset.character_set, shape.charset.collation),
            format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}"),
        ];
        match shape.foreign_keys {
            ForeignKeys::None | ForeignKeys::Unchecked => setup.push("SET foreign_key_checks = 0".into()),
            ForeignKeys::Checked => {}
        }
        setup
    }
}

impl SqlLife for Tpcc {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        Box::pin(live(Client::new(Habits::of(place.parameters), place.seed, place.number), session, seat))
    }
}

/// InnoDB takes about 100 MB for a warehouse with its indexes.
fn footprint(parameters: &Parameters) -> Footprint {
    const WAREHOUSE: Footprint = Footprint { bytes: 105_000_000, rows: 499_011 };
    const ITEMS: Footprint = Footprint { bytes: 12_000_000, rows: 100_000 };
    let (sets, warehouses) = (knobs::count(parameters, "table_sets"), knobs::count(parameters, "warehouses"));
    let of = |one: u64, items: u64| sets * (warehouses * one + items);
    Footprint { bytes: of(WAREHOUSE.bytes, ITEMS.bytes), rows: of(WAREHOUSE.rows, ITEMS.rows) }
}

pub(crate) fn members() -> Vec<Arc<dyn Workload>> {
    vec![Arc::new(FAITHFUL), Arc::new(COMPAT)]
}
