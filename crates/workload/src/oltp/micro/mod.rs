//! The single statements that regression studies of MySQL and PostgreSQL run beside sysbench's own: points by lists of
//! keys and ranges by either index, covered by it or not, a list of rows updated at once, one row updated by all, a
//! scan that returns nothing, a count. The tables are those of the family, so that all of them follow each other on the
//! same data, as they are published.

mod client;
mod shape;

use super::knobs;
use super::sbtest::Sbtest;
use crate::dataset::Dataset;
use crate::life::{Life, Living, Place, SqlLife};
use crate::session::Sql;
use crate::user::{Seat, live};
use crate::{Doing, Parameters, Probe, Statement, Workload};
use client::Client;
use model::{Parameter, Protocol, Seed, WorkloadWords};
use shape::{Key, Shape, What, Which};
use std::borrow::Cow;

pub(super) struct Micro {
    name: &'static str,
    why: &'static str,
    /// What its one operation is called; its one statement, too.
    operations: [&'static str; 1],
    statements: [Statement<'static>; 3],
    parameters: &'static [Parameter],
    shape: Shape,
}

const fn micro(
    name: &'static str,
    why: &'static str,
    operation: &'static str,
    parameters: &'static [Parameter],
    what: What,
    which: Which,
) -> Micro {
    let doing = match what {
        What::Select(_) | What::Count => Doing::Read,
        What::Update => Doing::Write,
    };
    let statements = [
        Statement { name: operation, doing },
        Statement { name: "prepare", doing: Doing::Plumbing },
        Statement { name: "setup", doing: Doing::Plumbing },
    ];
    Micro { name, why, operations: [operation], statements, parameters, shape: Shape { what, which } }
}

const fn points(
    name: &'static str,
    why: &'static str,
    operation: &'static str,
    columns: &'static str,
    key: Key,
) -> Micro {
    micro(name, why, operation, knobs::RANDOM_POINTS, What::Select(columns), Which::List(key))
}

const fn range(
    name: &'static str,
    why: &'static str,
    operation: &'static str,
    columns: &'static str,
    key: Key,
) -> Micro {
    micro(name, why, operation, knobs::RANGE, What::Select(columns), Which::Range(key))
}

pub(super) static MEMBERS: [Micro; 13] = [
    micro(
        "oltp.in_list_selects",
        "rows of a list of ids: random-points and, with `hot_points`, hot-points",
        "points_by_id",
        knobs::IN_LIST,
        What::Select("c"),
        Which::List(Key::Id),
    ),
    points(
        "oltp.points_covered_pk",
        "a list of ids, of which the primary key says everything",
        "points_covered_pk",
        "id",
        Key::Id,
    ),
    points(
        "oltp.points_notcovered_pk",
        "a list of ids, and a column of their rows",
        "points_notcovered_pk",
        "id, c",
        Key::Id,
    ),
    points(
        "oltp.points_covered_si",
        "a list of values of k, of which the secondary index says everything",
        "points_covered_si",
        "k",
        Key::K,
    ),
    points(
        "oltp.points_notcovered_si",
        "a list of values of k, and a column that only the rows have",
        "points_notcovered_si",
        "k, c",
        Key::K,
    ),
    range("oltp.range_covered_pk", "a range of ids alone", "range_covered_pk", "id", Key::Id),
    range("oltp.range_notcovered_pk", "a range of ids with a column", "range_notcovered_pk", "id, c", Key::Id),
    range("oltp.range_covered_si", "a range of k in the secondary index alone", "range_covered_si", "k", Key::K),
    range(
        "oltp.range_notcovered_si",
        "a range of k, and a column that only the rows have: a look-up for each",
        "range_notcovered_si",
        "k, c",
        Key::K,
    ),
    micro(
        "oltp.count_ranges",
        "the rows of a range counted: the price of reading rows without computing with them",
        "count_ranges",
        knobs::RANGE,
        What::Count,
        Which::Range(Key::Id),
    ),
    micro(
        "oltp.scan",
        "a whole table read and no row returned; each user its own table",
        "scan",
        knobs::SCAN,
        What::Select("*"),
        Which::Scan,
    ),
    micro(
        "oltp.in_list_updates",
        "update-inlist: a column without index of a list of rows, in one statement",
        "in_list_updates",
        knobs::IN_LIST,
        What::Update,
        Which::List(Key::Id),
    ),
    micro(
        "oltp.update_one",
        "update-one: a column without index of the first row, by all users: the price of one row's lock",
        "updates_of_one",
        knobs::ONE,
        What::Update,
        Which::One,
    ),
];

impl Workload for &'static Micro {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: self.name.into(),
            why: self.why,
            writes: self.shape.writes(),
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Parameter::ours(self.parameters),
            operations: &self.operations,
            footprint: super::footprint,
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        Cow::Borrowed(&self.statements)
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, seed: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(Sbtest::of(parameters, engine, seed)))
    }
    fn probes(&self, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        let mut client = Client::new(self.shape, parameters, seed.child("probes"), 0);
        let (sql, rows) = client.probe();
        let statement = self.operations[0];
        vec![Probe { statement, sql: sql.to_string(), rows, writes: self.shape.writes() }]
    }
    fn session_setup(&self, parameters: &Parameters) -> Vec<String> {
        super::names(parameters)
    }
}

impl SqlLife for &'static Micro {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        let client = Client::new(self.shape, place.parameters, place.own_seed(), place.number);
        Box::pin(live(client, session, seat))
    }
}
