//! The parameters of the family as words of an experiment. A member lists only the parameters that change it: an axis
//! over `range_size` must not repeat the point selects.

use crate::Parameters;
pub(super) use crate::asked::{count, flag};
use crate::draw::{DISTRIBUTION, PARETO_H, SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, ZIPFIAN_EXP};
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
const AS_TEXT: Parameter = Parameter { default: Some(Literal::Text("text")), ..PROTOCOL };
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

const POINTS: Parameter = knob(
    "random_points",
    Accepts::Count { min: 1, max: 10_000 },
    Literal::Count(10),
    Class::Work,
    "Values of k in one list.",
);
const RANGES: Parameter = knob(
    "number_of_ranges",
    Accepts::Count { min: 1, max: 10_000 },
    Literal::Count(10),
    Class::Work,
    "Ranges of k in one statement.",
);
const DELTA: Parameter = knob(
    "delta",
    Accepts::Count { min: 0, max: MOST_ROWS },
    Literal::Count(5),
    Class::Work,
    "How much further a range of k reaches than its first value.",
);
const BULK_TABLES: Parameter = knob(
    "tables",
    Accepts::Count { min: 1, max: 10_000 },
    Literal::Count(64),
    Class::Data,
    "Tables that are filled, one by each user; more users than tables share them.",
);

const BASE: &[Parameter] = &[TABLES, ROWS, CHARSET, SECONDARY_INDEX, PROTOCOL];
const DRAWS: &[Parameter] = &[DISTRIBUTION, SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, PARETO_H, ZIPFIAN_EXP];
const READS: &[Parameter] = &[
    per_transaction("point_selects", 10, "Point selects per transaction, all in one table."),
    per_transaction("simple_ranges", 1, "Simple ranges per transaction."),
    per_transaction("sum_ranges", 1, "Summed ranges per transaction."),
    per_transaction("order_ranges", 1, "Ordered ranges per transaction."),
    per_transaction("distinct_ranges", 1, "Distinct ranges per transaction."),
];
const WRITES: &[Parameter] = &[
    per_transaction("index_updates", 1, "Updates of the indexed column per transaction."),
    per_transaction("non_index_updates", 1, "Updates of a column without index per transaction."),
    per_transaction("delete_inserts", 1, "Rows per transaction that are deleted and inserted again."),
];

/// Parameters of `oltp.mixed`.
pub(super) const MIXED: &[Parameter] = &join::<18>(&[BASE, &[RANGE_SIZE, TRANSACTIONS], READS, DRAWS]);
pub(super) const READ_WRITE: &[Parameter] = &join::<21>(&[BASE, &[RANGE_SIZE, TRANSACTIONS], READS, WRITES, DRAWS]);
pub(super) const WRITE_ONLY: &[Parameter] = &join::<15>(&[BASE, &[TRANSACTIONS], WRITES, DRAWS]);
/// Parameters of the members that are one kind of range.
pub(super) const RANGE: &[Parameter] = &join::<12>(&[BASE, &[RANGE_SIZE], DRAWS]);
/// Parameters of the members that are one statement on one row.
pub(super) const ROW: &[Parameter] = &join::<11>(&[BASE, DRAWS]);
/// sysbench says this one as text, whatever is asked of it.
pub(super) const INSERT: &[Parameter] = &join::<11>(&[&[TABLES, ROWS, CHARSET, SECONDARY_INDEX, AS_TEXT], DRAWS]);
pub(super) const RANDOM_POINTS: &[Parameter] = &join::<12>(&[BASE, &[POINTS], DRAWS]);
pub(super) const RANDOM_RANGES: &[Parameter] = &join::<13>(&[BASE, &[RANGES, DELTA], DRAWS]);
pub(super) const BULK: &[Parameter] = &[BULK_TABLES];

/// The parts one after the other; a wrong count does not compile.
pub(crate) const fn join<const COUNT: usize>(parts: &[&[Parameter]]) -> [Parameter; COUNT] {
    let mut all = [TABLES; COUNT];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut place = 0;
        while place < parts[part].len() {
            all[at] = parts[part][place];
            (at, place) = (at + 1, place + 1);
        }
        part += 1;
    }
    assert!(at == COUNT);
    all
}

pub(super) fn charset(parameters: &Parameters) -> Charset {
    parameters["charset"].text().and_then(charset::by_label).expect("charset was checked against its labels")
}
