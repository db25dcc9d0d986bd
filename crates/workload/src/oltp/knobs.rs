//! The parameters of the family as words of an experiment. A member lists only the parameters that change it: an axis
//! over `range_size` must not repeat the point selects.

use crate::Parameters;
pub(super) use crate::asked::{count, flag};
use crate::draw::{DISTRIBUTION, PARETO_H, SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, ZIPFIAN_EXP};
use model::charset::{self};
use model::words::{Literal, data, work};
use model::{Charset, Parameter};

const fn per_transaction(name: &'static str, default: i64, why: &'static str) -> Parameter {
    work(name, why).count(default, [0, 100_000])
}

/// `id` is a signed 32-bit INTEGER, as in sysbench.
const MOST_ROWS: i64 = i32::MAX as i64;

const TABLES: Parameter =
    data("tables", "Tables sbtest1 to sbtestN; each group of statements draws one.").count(1, [1, 10_000]);
const ROWS: Parameter = data("rows", "Rows of each table.").count(10_000, [1, MOST_ROWS]);
const CHARSET: Parameter = data("charset", "Character set and collation of tables, columns and sessions.")
    .choice(charset::LABELS)
    .by(Literal::Text("latin1"));
const SECONDARY_INDEX: Parameter =
    data("secondary_index", "Whether there is an index on k, created after loading.").flag(true);
const PROTOCOL: Parameter =
    work("protocol", "Prepared statements (binary protocol), or statements as text.").choice(&["prepared", "text"]);
const AS_TEXT: Parameter = Parameter { default: Some(Literal::Text("text")), ..PROTOCOL };
const RANGE_SIZE: Parameter = work("range_size", "Ids that one range spans.").count(100, [1, MOST_ROWS]);
const TRANSACTIONS: Parameter =
    work("transactions", "Whether BEGIN and COMMIT stand around the statements.").flag(true);

const POINTS: Parameter = work("random_points", "Values in one list.").count(10, [1, 10_000]);
const HOT_POINTS: Parameter =
    work("hot_points", "Whether every list has the same ids, those behind the middle of the table.").flag(false);
const RANGES: Parameter = work("number_of_ranges", "Ranges of k in one statement.").count(10, [1, 10_000]);
const DELTA: Parameter =
    work("delta", "How much further a range of k reaches than its first value.").count(5, [0, MOST_ROWS]);
const BULK_TABLES: Parameter =
    data("tables", "Tables that are filled, one by each user; more users than tables share them.")
        .count(64, [1, 10_000]);

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
pub(super) const IN_LIST: &[Parameter] = &join::<13>(&[BASE, &[POINTS, HOT_POINTS], DRAWS]);
/// Whose rows nobody draws.
pub(super) const ONE: &[Parameter] = BASE;
/// Published as text, and the only one that is.
pub(super) const SCAN: &[Parameter] = &[TABLES, ROWS, CHARSET, SECONDARY_INDEX, AS_TEXT];

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
