//! The parameters of the family as words of an experiment. All members share those that shape the data, so that the
//! steps of a study work on the same tables; the defaults are the seed's.

pub(super) use crate::asked::{count, text};
use crate::oltp::knobs::join;
use model::words::{Class, Kind, Literal, Parameter};

const fn knob(name: &'static str, kind: Kind, default: Literal, class: Class, why: &'static str) -> Parameter {
    Parameter { name, kind, default: Some(default), class, why }
}
const fn per_transaction(name: &'static str, default: i64, why: &'static str) -> Parameter {
    knob(name, Kind::Count { min: 0, max: 100_000 }, Literal::Count(default), Class::Work, why)
}

/// `id` is a signed 32-bit INTEGER, and a hundred iterations must find room below its end.
const MOST_ROWS: i64 = i32::MAX as i64 / 128;
/// A transaction's rows are drawn without repetition, so there must be enough of them.
const FEWEST_ROWS: i64 = 100;

/// How the tables keep their history.
pub(super) const VARIANTS: &[&str] =
    &["plain", "timestamp", "transaction", "timestamp_partitioned", "transaction_partitioned"];
pub(super) const BEGINS: &[&str] = &["empty", "filled", "aged"];

const VARIANT: Parameter = knob(
    "variant",
    Kind::Choice(VARIANTS),
    Literal::Text("plain"),
    Class::Data,
    "How rows are versioned: not, by timestamp, by transaction id, and with the history in a partition of its own.",
);
const TABLES: Parameter = knob(
    "tables",
    Kind::Count { min: 1, max: 10_000 },
    Literal::Count(32),
    Class::Data,
    "Tables sbtest1 to sbtestN; each transaction draws one.",
);
const ROWS: Parameter = knob(
    "rows",
    Kind::Count { min: FEWEST_ROWS, max: MOST_ROWS },
    Literal::Count(250_000),
    Class::Data,
    "Current rows of each table, when there are any.",
);
const BEGIN: Parameter = knob(
    "begin",
    Kind::Choice(BEGINS),
    Literal::Text("empty"),
    Class::Data,
    "Tables without rows, filled with one set of rows, or aged: every row of that set updated once to an id behind it.",
);
const ITERATION: Parameter = knob(
    "iteration",
    Kind::Count { min: 1, max: 100 },
    Literal::Count(1),
    Class::Work,
    "Which set of rows is the current one; the phases of an iteration have its number.",
);
const TIME_ZONE: Parameter = knob(
    "time_zone",
    Kind::Choice(&["SYSTEM", "+00:00"]),
    Literal::Text("SYSTEM"),
    Class::Work,
    "Time zone of the sessions: a fixed offset as +00:00 is converted without asking the C library.",
);
const STATEMENTS: Parameter = knob(
    "per_transaction",
    Kind::Count { min: 1, max: FEWEST_ROWS / 2 },
    Literal::Count(10),
    Class::Work,
    "Statements of a transaction, all in one table.",
);
const RANGE_SIZE: Parameter = knob(
    "range_size",
    Kind::Count { min: 1, max: MOST_ROWS },
    Literal::Count(100),
    Class::Work,
    "Ids that one range spans, all of them current.",
);

const PERIOD: Parameter = knob(
    "period",
    Kind::Choice(&["current", "all"]),
    Literal::Text("current"),
    Class::Work,
    "Versions that selects ask for: those that are current, by the server's own condition, or all (FOR SYSTEM_TIME ALL), without one.",
);

const BASE: &[Parameter] = &[VARIANT, TABLES, ROWS, BEGIN, ITERATION, TIME_ZONE];
pub(super) const STEP: &[Parameter] = &join::<6>(&[BASE]);
pub(super) const TRANSACTIONS: &[Parameter] = &join::<7>(&[BASE, &[STATEMENTS]]);
pub(super) const SELECTS: &[Parameter] = &join::<8>(&[BASE, &[STATEMENTS, PERIOD]]);
pub(super) const ACCESS: &[Parameter] = &join::<7>(&[BASE, &[RANGE_SIZE]]);
pub(super) const RANGES: &[Parameter] = &join::<12>(&[
    BASE,
    &[
        RANGE_SIZE,
        PERIOD,
        per_transaction("simple_ranges", 2, "Simple ranges per transaction."),
        per_transaction("sum_ranges", 2, "Summed ranges per transaction."),
        per_transaction("order_ranges", 2, "Ordered ranges per transaction."),
        per_transaction("distinct_ranges", 2, "Distinct ranges per transaction."),
    ],
]);
