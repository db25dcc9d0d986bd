//! The parameters of the family as words of an experiment. All members share those that shape the data, so that the
//! steps of one run work on the same tables; the defaults are those of the public scripts, at a size that a laptop has.

pub(super) use crate::asked::{count, flag, text};
use crate::oltp::knobs::join;
use model::words::{Parameter, data, work};

/// Ten thousand millions a client: more than anybody published, and keys stay far below 2^63.
const MOST_ROWS: i64 = 10_000_000_000;
const MOST_CLIENTS: i64 = 1_024;
/// More partitions than a server takes are its own to refuse.
const MOST_PARTITIONS: i64 = 8_192;
/// A statement of so many rows is about a megabyte, which every server's packet takes.
const MOST_PER_TRANSACTION: i64 = 10_000;

pub(super) const BEGINS: &[&str] = &["empty", "loaded", "indexed"];
pub(super) const LOOKS: &[&str] = &["all", "ends"];

const CLIENTS: Parameter =
    data("clients", "Writers of the benchmark, each with keys of its own; the users of insert.insert are no more.")
        .count(1, [1, MOST_CLIENTS]);
const ROWS: Parameter = data("rows", "Rows of each client.").count(100_000, [1, MOST_ROWS]);
const ONE_TABLE: Parameter =
    data("one_table", "One table for all clients, whose keys they take in turn; else each has its own, pi1 to piN.")
        .flag(false);
const PARTITIONS: Parameter =
    data("partitions", "Partitions of each table by ranges of the primary key; 0: not partitioned.")
        .count(0, [0, MOST_PARTITIONS]);
const PARTITION_ROWS: Parameter =
    data("partition_rows", "Keys of one partition; 0: so many that the loaded rows just fill all of them.")
        .count(0, [0, MOST_ROWS]);
const BEGIN: Parameter =
    data("begin", "Tables without rows for insert.load, or with all rows, or with their secondary indexes as well.")
        .choice(BEGINS);
const LOOK: Parameter = work(
    "looks",
    "What is looked at before a step: all rows and index entries counted, or the smallest and largest key alone, which \
     leaves the cache as it was.",
)
.choice(LOOKS);

const PROTOCOL: Parameter =
    work("protocol", "INSERT as text, which is how the public script says it, or prepared (binary protocol).")
        .choice(&["text", "prepared"]);

const fn per_transaction(default: i64) -> Parameter {
    work("rows_per_transaction", "Rows that one transaction inserts.").count(default, [1, MOST_PER_TRANSACTION])
}
const PER_QUERY: Parameter =
    work("rows_per_query", "Rows that one query asks for.").count(10, [1, MOST_PER_TRANSACTION]);

const BASE: &[Parameter] = &[CLIENTS, ROWS, ONE_TABLE, PARTITIONS, PARTITION_ROWS, BEGIN];
pub(super) const LOAD: &[Parameter] = &join::<8>(&[BASE, &[per_transaction(100), PROTOCOL]]);
pub(super) const INDEXES: &[Parameter] = &join::<7>(&[BASE, &[LOOK]]);
pub(super) const INSERT: &[Parameter] = &join::<9>(&[BASE, &[LOOK, per_transaction(50), PROTOCOL]]);
pub(super) const QUERIES: &[Parameter] = &join::<8>(&[BASE, &[LOOK, PER_QUERY]]);
