//! The parameters of the family as words of an experiment. All members share those that shape the data, so that the
//! steps of a study work on the same tables; the defaults are the seed's.

pub(super) use crate::asked::{count, text};
use crate::oltp::knobs::join;
use model::words::{Parameter, data, work};

const fn per_transaction(name: &'static str, default: i64, why: &'static str) -> Parameter {
    work(name, why).count(default, [0, 100_000])
}

/// `id` is a signed 32-bit INTEGER, and a hundred iterations must find room below its end.
const MOST_ROWS: i64 = i32::MAX as i64 / 128;
/// A transaction's rows are drawn without repetition, so there must be enough of them.
const FEWEST_ROWS: i64 = 100;

/// How the tables keep their history.
pub(super) const VARIANTS: &[&str] =
    &["plain", "timestamp", "transaction", "timestamp_partitioned", "transaction_partitioned"];
pub(super) const BEGINS: &[&str] = &["empty", "filled", "aged"];

const VARIANT: Parameter = data(
    "variant",
    "How rows are versioned: not, by timestamp, by transaction id, and with the history in a partition of its own.",
)
.choice(VARIANTS);
const TABLES: Parameter =
    data("tables", "Tables sbtest1 to sbtestN; each transaction draws one.").count(32, [1, 10_000]);
const ROWS: Parameter =
    data("rows", "Current rows of each table, when there are any.").count(250_000, [FEWEST_ROWS, MOST_ROWS]);
const BEGIN: Parameter = data(
    "begin",
    "Tables without rows, filled with one set of rows, or aged: every row of that set updated once to an id behind it.",
)
.choice(BEGINS);
const ITERATION: Parameter =
    work("iteration", "Which set of rows is the current one; the phases of an iteration have its number.")
        .count(1, [1, 100]);
const TIME_ZONE: Parameter =
    work("time_zone", "Time zone of the sessions: a fixed offset as +00:00 is converted without asking the C library.")
        .choice(&["SYSTEM", "+00:00"]);
const STATEMENTS: Parameter =
    work("per_transaction", "Statements of a transaction, all in one table.").count(10, [1, FEWEST_ROWS / 2]);
const RANGE_SIZE: Parameter =
    work("range_size", "Ids that one range spans, all of them current.").count(100, [1, MOST_ROWS]);

const PERIOD: Parameter = work(
    "period",
    "Versions that selects ask for: those that are current, by the server's own condition, or all \
         (FOR SYSTEM_TIME ALL), without one.",
)
.choice(&["current", "all"]);

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
