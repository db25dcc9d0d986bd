//! The parameters of the family as words of an experiment, and the same resolved into what one user does. A member
//! lists only the parameters that change it: an axis over `range_size` must not repeat the point selects.

use super::client::Step;
use super::statement::Kind;
use crate::Parameters;
use crate::draw::{
    DISTRIBUTION, Distribution, Generator, PARETO_H, SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, ZIPFIAN_EXP,
};
use model::charset::{self, Charset};
use model::words::{Class, Kind as Accepts, Literal, Parameter};

const fn knob(name: &'static str, kind: Accepts, default: Literal, class: Class, why: &'static str) -> Parameter {
    Parameter { name, kind, default: Some(default), class, why }
}
const fn per_transaction(name: &'static str, default: i64, why: &'static str) -> Parameter {
    knob(name, Accepts::Count { min: 0, max: 100_000 }, Literal::Count(default), Class::Work, why)
}

/// `id` is a signed 32-bit INTEGER, as in sysbench.
const MOST_ROWS: i64 = i32::MAX as i64;

const TABLES: Parameter = knob(
    "tables",
    Accepts::Count { min: 1, max: 10_000 },
    Literal::Count(1),
    Class::Data,
    "Tables sbtest1 to sbtestN; each group of statements draws one.",
);
const ROWS: Parameter =
    knob("rows", Accepts::Count { min: 1, max: MOST_ROWS }, Literal::Count(10_000), Class::Data, "Rows of each table.");
const CHARSET: Parameter = knob(
    "charset",
    Accepts::Choice(charset::LABELS),
    Literal::Text("latin1"),
    Class::Data,
    "Character set and collation of tables, columns and sessions.",
);
const SECONDARY_INDEX: Parameter = knob(
    "secondary_index",
    Accepts::Flag,
    Literal::Flag(true),
    Class::Data,
    "Whether there is an index on k, created after loading.",
);
const PROTOCOL: Parameter = knob(
    "protocol",
    Accepts::Choice(&["prepared", "text"]),
    Literal::Text("prepared"),
    Class::Work,
    "Prepared statements (binary protocol), or statements as text.",
);
const RANGE_SIZE: Parameter = knob(
    "range_size",
    Accepts::Count { min: 1, max: MOST_ROWS },
    Literal::Count(100),
    Class::Work,
    "Ids that one range spans.",
);
const TRANSACTIONS: Parameter = knob(
    "transactions",
    Accepts::Flag,
    Literal::Flag(true),
    Class::Work,
    "Whether BEGIN and COMMIT stand around the statements.",
);

/// Parameters of `oltp.mixed`.
pub(super) const MIXED: &[Parameter] = &[
    TABLES,
    ROWS,
    CHARSET,
    SECONDARY_INDEX,
    PROTOCOL,
    RANGE_SIZE,
    TRANSACTIONS,
    per_transaction("point_selects", 10, "Point selects per transaction, all in one table."),
    per_transaction("simple_ranges", 1, "Simple ranges per transaction."),
    per_transaction("sum_ranges", 1, "Summed ranges per transaction."),
    per_transaction("order_ranges", 1, "Ordered ranges per transaction."),
    per_transaction("distinct_ranges", 1, "Distinct ranges per transaction."),
    DISTRIBUTION,
    SPECIAL_ITER,
    SPECIAL_PCT,
    SPECIAL_RES,
    PARETO_H,
    ZIPFIAN_EXP,
];
/// Parameters of the members that are one kind of range.
pub(super) const RANGE: &[Parameter] = &[
    TABLES,
    ROWS,
    CHARSET,
    SECONDARY_INDEX,
    PROTOCOL,
    RANGE_SIZE,
    DISTRIBUTION,
    SPECIAL_ITER,
    SPECIAL_PCT,
    SPECIAL_RES,
    PARETO_H,
    ZIPFIAN_EXP,
];
/// Parameters of `oltp.point_selects`.
pub(super) const POINT: &[Parameter] = &[
    TABLES,
    ROWS,
    CHARSET,
    SECONDARY_INDEX,
    PROTOCOL,
    DISTRIBUTION,
    SPECIAL_ITER,
    SPECIAL_PCT,
    SPECIAL_RES,
    PARETO_H,
    ZIPFIAN_EXP,
];

/// A parameter that is a whole number of something.
pub(super) fn count(parameters: &Parameters, name: &str) -> u64 {
    let count = parameters[name].count().expect("parameters were checked against their kinds");
    u64::try_from(count).expect("counts have lower bounds of zero or more")
}
pub(super) fn flag(parameters: &Parameters, name: &str) -> bool {
    parameters[name].flag().expect("parameters were checked against their kinds")
}
pub(super) fn charset(parameters: &Parameters) -> Charset {
    parameters["charset"].text().and_then(charset::by_label).expect("charset was checked against its labels")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Prepared,
    Text,
}

/// What one operation is, resolved from the parameters once.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub tables: u64,
    pub rows: u64,
    pub range_size: u64,
    pub protocol: Protocol,
    pub transactions: bool,
    /// Statements per operation, indexed by `Kind`.
    pub counts: [usize; Kind::ALL.len()],
    pub distribution: Distribution,
}

impl Work {
    /// `alone` is the one statement of a single-statement member; `None` is the mix.
    pub fn of(alone: Option<Kind>, parameters: &Parameters) -> Self {
        let rows = count(parameters, "rows");
        Self {
            tables: count(parameters, "tables"),
            rows,
            range_size: if alone == Some(Kind::Point) { 1 } else { count(parameters, "range_size") },
            protocol: if parameters["protocol"].text() == Some("text") { Protocol::Text } else { Protocol::Prepared },
            transactions: alone.is_none() && flag(parameters, "transactions"),
            counts: Kind::ALL.map(|kind| match alone {
                Some(only) => usize::from(kind == only),
                None => count(parameters, kind.name()) as usize,
            }),
            distribution: Distribution::over(rows, parameters),
        }
    }
    /// The kinds that are used, with how often.
    pub fn kinds(&self) -> impl Iterator<Item = (Kind, usize)> + use<> {
        let counts = self.counts;
        Kind::ALL.into_iter().map(move |kind| (kind, counts[kind as usize])).filter(|(_, count)| *count > 0)
    }
    pub fn draw(&self, kind: Kind, table: u64, generator: &mut Generator) -> Step {
        let first = self.distribution.draw(generator);
        Step { kind, table, first, last: first + if kind == Kind::Point { 0 } else { self.range_size - 1 } }
    }
}
