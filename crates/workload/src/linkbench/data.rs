//! The rows that are loaded: all links of all nodes, how many each has, and the nodes. Where a link leads is arithmetic
//! (`graph`); its time and bytes are drawn from (seed, type, node, number), so that any loader writes the same row.
//! Times end at a fixed day rather than at the load's: data that are kept must not depend on when they were made.

use super::graph::{Count, Graph, Graphs, Link};
use super::knobs::{self, count, real};
use super::payload::{LINK, NODE, Payload};
use super::postgresql;
use super::schema::Schema;
use crate::Parameters;
use crate::dataset::{ByTable, Collection, Dataset, Rows, Spot, Table};
use crate::draw::Generator;
use model::Seed;
use model::seed::split_mix;
use model::words::Footprint;
use std::io::Write;
use std::sync::Arc;

/// The first type of links, the type of all nodes.
pub(super) const FIRST_LINK_TYPE: u64 = 123_456_789;
pub(super) const NODE_TYPE: u64 = 2048;
/// 7 July 2015, the day of the study, in ms since 1970: no loaded link is younger.
pub(super) const LOADED_AT_MS: u64 = 1_436_227_200_000;
/// Loaded links are up to 2^32 ms older, 49.7 days.
const AGE_BITS: u32 = 32;

const TABLES: [&str; 3] = ["linktable", "counttable", "nodetable"];
const LINKS: usize = 0;
const COUNTS: usize = 1;

pub(super) struct Data {
    graph: Arc<Graph>,
    schema: Schema,
    seed: Seed,
    links: Payload,
    nodes: Payload,
}

/// How bytes are written into a row.
#[derive(Clone, Copy)]
enum Manner {
    /// A value of INSERT.
    Literal,
    /// A field of LOAD DATA, which takes a backslash for the begin of an escape; no payload has a tab or a line's end.
    Field,
    /// A field of COPY, the text of a `bytea`.
    Digits,
}

impl Data {
    pub fn of(parameters: &Parameters, graphs: &Graphs, engine: &str, seed: Seed) -> Self {
        let seed = seed.child("linkbench");
        let motif_bytes = count(parameters, "motif_bytes") as usize;
        let payload = |recipe, median, name| {
            Payload::new(recipe, real(parameters, median), motif_bytes, &mut Generator::new(seed.child(name)))
        };
        Self {
            graph: graphs.of(knobs::edition(parameters), knobs::graph(parameters)),
            schema: Schema::of(parameters, engine),
            links: payload(LINK, "link_bytes", "link motifs"),
            nodes: payload(NODE, "node_bytes", "node motifs"),
            seed,
        }
    }
    /// What one link is drawn from.
    fn word(&self, link: Link) -> u64 {
        split_mix(self.seed.nth(link.link_type).nth(link.id).0 ^ split_mix(link.number))
    }
    fn time_ms(word: u64) -> u64 {
        LOADED_AT_MS - (1 << AGE_BITS) + (word >> (64 - AGE_BITS))
    }
    /// Columns before the data, the data, and columns behind.
    fn link(&self, link: Link, bytes: &mut Vec<u8>) -> ([u64; 4], [u64; 2]) {
        let word = self.word(link);
        self.links.draw(&mut Generator::new(Seed(word)), bytes);
        ([link.id, link.id + link.number, FIRST_LINK_TYPE + link.link_type, 1], [Self::time_ms(word), 0])
    }
    fn count(&self, Count { id, link_type, links }: Count) -> [u64; 5] {
        let times = (0..links).map(|number| Self::time_ms(self.word(Link { link_type, id, number })));
        [id, FIRST_LINK_TYPE + link_type, links, times.max().unwrap_or(0), 0]
    }
    fn node(&self, row: u64, bytes: &mut Vec<u8>) -> [u64; 4] {
        let id = self.graph.shape.first_id + row;
        self.nodes.draw(&mut Generator::new(self.seed.child("nodes").nth(id)), bytes);
        [id, NODE_TYPE, 1, LOADED_AT_MS / 1000]
    }
    /// Appends rows as `manner` has them, each with what stands before, between and behind.
    fn rows(&self, table: usize, rows: std::ops::Range<u64>, manner: Manner, out: &mut Vec<u8>) {
        let (many, mut bytes) = ((rows.end - rows.start) as usize, Vec::new());
        let mut row = Row { manner, first: true, out };
        match table {
            LINKS => {
                for link in self.graph.links_from(rows.start).take(many) {
                    let (head, tail) = self.link(link, &mut bytes);
                    row.write(&head, Some(&bytes), &tail);
                }
            }
            COUNTS => {
                for count in self.graph.counts_from(rows.start).take(many) {
                    row.write(&self.count(count), None, &[]);
                }
            }
            _ => {
                for number in rows {
                    let head = self.node(number, &mut bytes);
                    row.write(&head, Some(&bytes), &[]);
                }
            }
        }
    }
}

struct Row<'a> {
    manner: Manner,
    first: bool,
    out: &'a mut Vec<u8>,
}

impl Row<'_> {
    fn write(&mut self, head: &[u64], bytes: Option<&[u8]>, tail: &[u64]) {
        let (open, between, close): (&[u8], &[u8], &[u8]) = match (self.manner, self.first) {
            (Manner::Literal, true) => (b"(", b",", b")"),
            (Manner::Literal, false) => (b",(", b",", b")"),
            (Manner::Field | Manner::Digits, _) => (b"", b"\t", b"\n"),
        };
        self.out.extend_from_slice(open);
        for (place, number) in head.iter().enumerate() {
            self.out.extend_from_slice(if place == 0 { b"" } else { between });
            write!(self.out, "{number}").expect("writing into a Vec cannot fail");
        }
        if let Some(bytes) = bytes {
            self.out.extend_from_slice(between);
            match self.manner {
                Manner::Literal => hex(bytes, self.out),
                Manner::Field => escaped(bytes, self.out),
                Manner::Digits => {
                    let mut text = bytes.to_vec();
                    postgresql::written(&mut text);
                    escaped(&text, self.out);
                }
            }
        }
        for number in tail {
            self.out.extend_from_slice(between);
            write!(self.out, "{number}").expect("writing into a Vec cannot fail");
        }
        self.out.extend_from_slice(close);
        self.first = false;
    }
}

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// `x'…'`, which every charset of a connection leaves alone.
pub(super) fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(2 * bytes.len() + b"x''".len());
    out.extend_from_slice(b"x'");
    out.extend(bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]));
    out.push(b'\'');
}

fn escaped(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        if *byte == b'\\' {
            out.push(b'\\');
        }
        out.push(*byte);
    }
}

impl Dataset for Data {
    fn tables(&self) -> Vec<Table> {
        vec![
            self.schema.links(self.graph.link_rows()),
            self.schema.counts(self.graph.count_rows_loaded()),
            self.schema.nodes(self.graph.shape.nodes),
        ]
    }

    fn columns(&self, table: usize) -> &'static str {
        match table {
            LINKS => "id1, id2, link_type, visibility, data, time, version",
            COUNTS => "id, link_type, count, time, version",
            _ => "id, type, version, time, data",
        }
    }

    fn rows(&self) -> Rows<'_> {
        Rows::ByTable(self)
    }

    fn collections(&self) -> &'static [Collection] {
        super::collections::COLLECTIONS
    }

    fn spot(&self, table: usize, row: u64) -> Spot {
        let Spot { sql, expected } = self.spot_of_mysql(table, row);
        Spot { sql: if self.schema.is_postgresql() { postgresql::asked(&sql) } else { sql }, expected }
    }
}

impl Data {
    fn spot_of_mysql(&self, table: usize, row: u64) -> Spot {
        let mut bytes = Vec::new();
        let text = |n: &u64| Some(n.to_string());
        let hexed = |bytes: &[u8]| Some(bytes.iter().map(|b| format!("{b:02X}")).collect::<String>());
        match table {
            LINKS => {
                let link = self.graph.links_from(row).next().expect("rows are within the table");
                let (head, tail) = self.link(link, &mut bytes);
                let [id1, id2, link_type, _] = head;
                Spot {
                    sql: format!(
                        "SELECT id1, id2, link_type, visibility, HEX(data), time, version FROM linktable \
                         WHERE link_type={link_type} AND id1={id1} AND id2={id2}"
                    ),
                    expected: head.iter().map(text).chain([hexed(&bytes)]).chain(tail.iter().map(text)).collect(),
                }
            }
            COUNTS => {
                let all = self.count(self.graph.counts_from(row).next().expect("rows are within the table"));
                let columns = self.columns(table);
                Spot {
                    sql: format!("SELECT {columns} FROM counttable WHERE id={} AND link_type={}", all[0], all[1]),
                    expected: all.iter().map(text).collect(),
                }
            }
            _ => {
                let head = self.node(row, &mut bytes);
                Spot {
                    sql: format!("SELECT id, type, version, time, HEX(data) FROM nodetable WHERE id={}", head[0]),
                    expected: head.iter().map(text).chain([hexed(&bytes)]).collect(),
                }
            }
        }
    }
}

impl ByTable for Data {
    fn insert(&self, table: usize, from: u64, to: u64, sql: &mut Vec<u8>) {
        write!(sql, "INSERT INTO {}({}) VALUES ", TABLES[table], self.columns(table))
            .expect("writing into a Vec cannot fail");
        self.rows(table, from..to, Manner::Literal, sql);
    }

    fn lines(&self, table: usize, from: u64, to: u64, text: &mut Vec<u8>) {
        let manner = if self.schema.is_postgresql() { Manner::Digits } else { Manner::Field };
        self.rows(table, from..to, manner, text);
    }

    fn row_text_bytes(&self, table: usize) -> usize {
        // Numbers of a million nodes with their separators, and twice the mean of the data, which is e^0.5 medians.
        let data = |payload: &Payload| (2.0 * payload.mean_bytes()) as usize;
        match table {
            LINKS => 50 + data(&self.links),
            COUNTS => 40,
            _ => 30 + data(&self.nodes),
        }
    }
}

/// Without walking the graph: the plan asks for it often, and a few per cent do not matter to it.
pub(super) fn footprint(parameters: &Parameters) -> Footprint {
    /// Links of a million nodes are 4.29 million besides those of the node with most.
    const LINKS_PER_NODE: f64 = 4.29;
    const MOST_LINKS: u64 = 961_963;
    /// Rows of counttable.
    const COUNTS_PER_NODE: f64 = 0.78;
    /// InnoDB: a row in the primary key and one in the secondary, half the fill of the first; a node with its data.
    const LINK_BYTES: u64 = 190;
    const NODE_BYTES: u64 = 420;
    let shape = knobs::graph(parameters);
    let links = (shape.nodes as f64 * LINKS_PER_NODE) as u64 + MOST_LINKS.min(shape.most_links);
    let counts = (shape.nodes as f64 * COUNTS_PER_NODE) as u64;
    Footprint { bytes: links * LINK_BYTES + shape.nodes * NODE_BYTES, rows: links + counts + shape.nodes }
}
