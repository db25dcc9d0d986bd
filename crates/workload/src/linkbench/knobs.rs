//! The parameters as words of an experiment. Where LinkBench does not do what its comments say, the defect has a name
//! and a default of its own: the default is what everybody's numbers were made with.

use super::access::STEEPEST;
use super::degrees::Degrees;
use super::graph::{Graphs, Shape, Split};
use super::mix;
use crate::Parameters;
pub(super) use crate::asked::{count, flag, real};
use model::words::{data, work};
use model::{Parameter, Value};

const fn shape(name: &'static str, default: f64, why: &'static str) -> Parameter {
    work(name, why).real(default, [0.0, STEEPEST])
}
const fn percent(name: &'static str, default: f64, why: &'static str) -> Parameter {
    work(name, why).real(default, [0.0, 100.0])
}

/// Ids are signed where a prepared statement binds them, and Java's ranges end at 2^31.
const MOST_ID: i64 = 1 << 31;

pub(super) const ALL: &[Parameter] = &[
    data("startid1", "The first node's id.").count(1, [1, MOST_ID - 1]),
    data("maxid1", "One more than the last node's id; below a million nodes one of them has most of the links.")
        .count(1_000_001, [2, MOST_ID]),
    data("link_types", "Types of links, 123456789 and on.").count(2, [1, 16]),
    data("degrees", "Whose measured distribution of links per node: LinkBench's, or that of the fork since 2017.")
        .choice(Degrees::EDITIONS),
    data("degrees_file", "A Distribution.dat whose links per node take the place of those of `degrees`; as a path.")
        .text(""),
    data(
        "split",
        "How links are dealt to types: with LinkBench's wrong remainder, evenly, or one of each at least \
         as in the fork.",
    )
    .choice(&["inflated", "even", "at_least_one"]),
    data(
        "most_links",
        "A limit to one node's links; 0 is none, as in LinkBench, whose largest node has 961963 at any scale.",
    )
    .count(0, [0, i64::MAX]),
    data("link_bytes", "Median size of a link's data; 23 in the fork since 2017.").real(8.0, [0.5, 254.0]),
    data("node_bytes", "Median size of a node's data; 168 in the fork since 2017.").real(128.0, [0.5, 1e6]),
    data("motif_bytes", "Bytes from which payloads repeat; LinkBench never reads the 128 of its file.")
        .count(512, [128, 65_536]),
    data("partitions", "Partitions of linktable by id1; 0 for none, as in the fork.").count(16, [0, 1024]),
    data("partition_all", "Partition counttable and nodetable too, as a variant of the fork does with 32.").flag(false),
    data("key_block_kib", "KEY_BLOCK_SIZE of linktable and counttable in InnoDB; 0 leaves them uncompressed.")
        .count(0, [0, 16]),
    work("mix", "Shares of the ten operations: LinkBench's, those of 2017, or 91 % of one kind.").choice(mix::NAMES),
    work("statements", "Whose statements write links: LinkBench's upserts, or the fork's insert, else update.")
        .choice(&["2015", "2020"]),
    work("protocol", "Statements as text, several in one packet as LinkBench sends them, or prepared and one by one.")
        .choice(&["text", "prepared"]),
    work(
        "hint_primary",
        "Updates of a link name the primary key; without that MariaDB locks whole lists where the engine is RocksDB.",
    )
    .flag(false),
    work(
        "write_heat",
        "Where link writes go: LinkBench reads the keys of reads for them, so that both share one hot set.",
    )
    .choice(&["as_reads", "documented"]),
    work("multiget_sizes", "Ids of a multiget: LinkBench asks for one more than was measured.")
        .choice(&["shifted", "documented"]),
    work(
        "id2_choice",
        "Where a link that may not exist leads: just behind the existing ones, or anywhere as in the fork.",
    )
    .choice(&["near", "anywhere"]),
    work("id2_per_user", "Each user writes ids of its own remainder class (LinkBench's id2gen_config=1).").flag(false),
    shape("read_shape", 0.8, "Zipf exponent of link reads, whichever the heat."),
    percent("read_uncorrelated", 99.5, "Percentage of link reads whose heat has nothing to do with the degree."),
    shape("write_shape", 0.741, "Zipf exponent of link writes, where `write_heat` does not copy that of reads."),
    percent("write_uncorrelated", 95.0, "The same percentage of link writes, where they do not copy that of reads."),
    shape("node_read_shape", 0.625, "Zipf exponent of node reads."),
    shape("node_update_shape", 0.606, "Zipf exponent of node updates."),
    percent("history", 0.3, "Percentage of lists that ask for what an earlier, full list did not return."),
    work("range_limit", "The most links that a list returns.").count(10_000, [1, 1_000_000]),
];

/// Whose links per node they are, where a user brought them.
pub(super) fn disclosures(parameters: &Parameters, graphs: &Graphs) -> Vec<String> {
    let told = |file: &str| format!("Links per node are those of {file}: {}.", graphs.degrees(file).describe());
    file(parameters).map(told).into_iter().collect()
}

/// The path of a user's own degrees.
fn file(parameters: &Parameters) -> Option<&str> {
    parameters["degrees_file"].text().filter(|file| !file.is_empty())
}

/// Whether a choice is this word; what has no such choice says none.
pub(super) fn is(parameters: &Parameters, name: &str, word: &str) -> bool {
    parameters.get(name).and_then(Value::text) == Some(word)
}
/// Whether there is such a flag, and it is on.
pub(super) fn is_on(parameters: &Parameters, name: &str) -> bool {
    parameters.get(name).and_then(Value::flag) == Some(true)
}
/// A count that only statements have; 0 where there are none.
pub(super) fn count_if_any(parameters: &Parameters, name: &str) -> u64 {
    if parameters.contains_key(name) { count(parameters, name) } else { 0 }
}

/// What only tables and SQL have.
const OF_SQL: &[&str] =
    &["partitions", "partition_all", "key_block_kib", "statements", "protocol", "hint_primary", "range_limit"];
/// A list comes in one message of at most 16 MiB, and a link has at most 400 bytes there.
const OF_DOCUMENTS: Parameter =
    work("range_limit", "The most links that a list returns, in one message.").count(10_000, [1, 40_000]);

/// Those of users who ask for documents.
pub(super) fn of_mongodb() -> Vec<Parameter> {
    let all = ALL.iter().filter(|parameter| !OF_SQL.contains(&parameter.name));
    all.copied().chain([OF_DOCUMENTS]).collect()
}

/// Whose links per node a graph has: an edition, or a user's file by its path.
pub(super) fn edition(parameters: &Parameters) -> &str {
    file(parameters).or(parameters["degrees"].text()).expect("degrees were checked against their editions")
}

/// A graph has at least one node: where the ids leave none, the first.
pub(super) fn graph(parameters: &Parameters) -> Shape {
    let first_id = count(parameters, "startid1");
    let split = match parameters["split"].text() {
        Some("inflated") => Split::Inflated,
        Some("even") => Split::Even,
        Some("at_least_one") => Split::AtLeastOne,
        other => unreachable!("split was checked against its choices, and is {other:?}"),
    };
    let most_links = count(parameters, "most_links");
    Shape {
        first_id,
        nodes: count(parameters, "maxid1").saturating_sub(first_id).max(1),
        types: count(parameters, "link_types"),
        split,
        most_links: if most_links == 0 { u64::MAX } else { most_links },
    }
}
