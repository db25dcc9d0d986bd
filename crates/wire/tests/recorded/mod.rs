//! The recorded conversations of `fixtures/`, and a replay of them through the parser.
//!
//! A replay turns a reply into lines of text, so that two ways of feeding it, or a reply and an expectation, compare as
//! strings. Each test file uses a part of this.
#![allow(dead_code)]

use wire::mysql::handshake::Response;
use wire::mysql::{Asked, Capabilities, Cell, ColumnType, Definition, Reply, Row, Step, Visitor, packet};

pub const FILES: [(&str, &str); 8] = [
    ("mariadb-10.11.19/login", include_str!("../../fixtures/mariadb-10.11.19/login.hex")),
    ("mariadb-10.11.19/modern", include_str!("../../fixtures/mariadb-10.11.19/modern.hex")),
    ("mariadb-10.11.19/plain", include_str!("../../fixtures/mariadb-10.11.19/plain.hex")),
    ("mariadb-10.11.19/uncached", include_str!("../../fixtures/mariadb-10.11.19/uncached.hex")),
    ("mariadb-10.11.19/cached-with-eof", include_str!("../../fixtures/mariadb-10.11.19/cached-with-eof.hex")),
    ("mysql-8.0.33/login", include_str!("../../fixtures/mysql-8.0.33/login.hex")),
    ("mysql-8.0.33/modern", include_str!("../../fixtures/mysql-8.0.33/modern.hex")),
    ("mysql-8.0.33/plain", include_str!("../../fixtures/mysql-8.0.33/plain.hex")),
];

/// The key endpoints.
pub const BY_KEY: [(&str, &str); 9] = [
    ("memcached-1.6.18/text", include_str!("../../fixtures/memcached-1.6.18/text.hex")),
    ("memcached-1.6.18/binary", include_str!("../../fixtures/memcached-1.6.18/binary.hex")),
    ("memcached-1.6.18/meta", include_str!("../../fixtures/memcached-1.6.18/meta.hex")),
    ("mysql-8.0.33/memcached-text", include_str!("../../fixtures/mysql-8.0.33/memcached-text.hex")),
    ("mysql-8.0.33/memcached-binary", include_str!("../../fixtures/mysql-8.0.33/memcached-binary.hex")),
    ("mysql-5.6.14/memcached-text", include_str!("../../fixtures/mysql-5.6.14/memcached-text.hex")),
    ("mysql-5.6.14/memcached-binary", include_str!("../../fixtures/mysql-5.6.14/memcached-binary.hex")),
    ("mariadb-10.11.19/handlersocket", include_str!("../../fixtures/mariadb-10.11.19/handlersocket.hex")),
    ("mariadb-10.11.19/handlersocket-write", include_str!("../../fixtures/mariadb-10.11.19/handlersocket-write.hex")),
];

pub const POSTGRES: [(&str, &str); 2] = [
    ("postgresql-15/login", include_str!("../../fixtures/postgresql-15/login.hex")),
    ("postgresql-15/talk", include_str!("../../fixtures/postgresql-15/talk.hex")),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    Client(Vec<u8>),
    Server(Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct Exchange {
    pub file: &'static str,
    pub name: &'static str,
    pub turns: Vec<Turn>,
}

impl Exchange {
    pub fn asked(&self) -> Asked {
        match self.name.split_once('_') {
            Some(("prepare", _)) => Asked::Prepare,
            Some(("execute", _)) => Asked::Execute,
            _ => Asked::Text,
        }
    }

    pub fn sent(&self) -> Vec<u8> {
        self.side(|turn| matches!(turn, Turn::Client(_)))
    }

    pub fn received(&self) -> Vec<u8> {
        self.side(|turn| matches!(turn, Turn::Server(_)))
    }

    fn side(&self, which: impl Fn(&Turn) -> bool) -> Vec<u8> {
        let turns = self.turns.iter().filter(|turn| which(turn));
        turns
            .flat_map(|turn| match turn {
                Turn::Client(bytes) | Turn::Server(bytes) => bytes.clone(),
            })
            .collect()
    }
}

/// The exchanges of one file, in the order in which they happened.
pub fn exchanges(file: &str) -> Vec<Exchange> {
    let (file, text) =
        *FILES.iter().chain(&BY_KEY).chain(&POSTGRES).find(|(name, _)| *name == file).expect("a recorded file");
    let mut found: Vec<Exchange> = Vec::new();
    for line in text.lines() {
        let (mark, rest) = line.split_once(' ').expect("a mark and its text");
        match mark {
            "%" => {}
            "#" => found.push(Exchange { file, name: rest, turns: Vec::new() }),
            ">" => found.last_mut().expect("a name first").turns.push(Turn::Client(unhex(rest))),
            "<" => found.last_mut().expect("a name first").turns.push(Turn::Server(unhex(rest))),
            other => panic!("an unknown mark {other} in {file}"),
        }
    }
    found
}

pub fn exchange(file: &str, name: &str) -> Exchange {
    exchanges(file).into_iter().find(|exchange| exchange.name == name).expect("a recorded exchange")
}

/// Every file that holds commands and replies, with the capabilities that its login agreed on.
pub fn dialects() -> impl Iterator<Item = (&'static str, Capabilities)> {
    FILES.iter().filter(|(file, _)| !file.ends_with("login")).map(|(file, _)| (*file, agreed(file)))
}

fn agreed(file: &str) -> Capabilities {
    let sent = exchange(file, "login").sent();
    let (response, _) = packet::split(&sent).expect("a whole response");
    Response::parse(response.payload).expect("our own response").capabilities
}

fn unhex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "whole bytes");
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex")).collect()
}

/// Writes down what a reply holds. It remembers column types as a session does, for replies that leave them out.
#[derive(Debug, Default)]
pub struct Transcript {
    pub lines: Vec<String>,
    pub types: Vec<ColumnType>,
}

impl Visitor for Transcript {
    fn result_set(&mut self, columns: usize) {
        self.lines.push(format!("result set of {columns}"));
    }

    fn ok(&mut self, affected: u64) {
        self.lines.push(format!("ok of {affected}"));
    }

    fn parameter(&mut self, index: usize, definition: Definition<'_>) {
        self.lines.push(format!("parameter {index}: {:?}", definition.parse()));
    }

    fn column(&mut self, index: usize, definition: Definition<'_>) {
        if index == 0 {
            self.types.clear();
        }
        self.types.push(definition.column_type().expect("a sound definition"));
        self.lines.push(format!("column {index}: {:?}", definition.parse()));
    }

    fn row(&mut self, row: Row<'_>) {
        let cells: Vec<String> = match row {
            Row::Text(row) => row.cells().map(|cell| text(cell.expect("a sound cell"))).collect(),
            Row::Binary(row) => {
                let cells = row.cells(&self.types).expect("a sound row");
                cells.map(|cell| value(cell.expect("a sound cell"))).collect()
            }
        };
        self.lines.push(format!("row: {}", cells.join(" | ")));
    }
}

fn text(cell: Option<&[u8]>) -> String {
    cell.map_or("NULL".to_owned(), |bytes| bytes.escape_ascii().to_string())
}

fn value(cell: Cell<'_>) -> String {
    match cell {
        Cell::Bytes(bytes) => text(Some(bytes)),
        other => format!("{other:?}"),
    }
}

/// Feeds the server's bytes of an exchange in pieces of the sizes that `piece` gives, as a session would.
pub fn replay(
    exchange: &Exchange,
    capabilities: Capabilities,
    transcript: &mut Transcript,
    mut piece: impl FnMut() -> usize,
) {
    let mut reply = Reply::new(capabilities);
    reply.begin(exchange.asked(), 1);
    let mut pending = Vec::new();
    let mut refusals = Vec::new();
    for turn in &exchange.turns[1..] {
        let bytes = match turn {
            Turn::Server(bytes) => bytes,
            Turn::Client(bytes) => {
                assert_eq!(refusals.pop().as_ref(), Some(bytes), "{}", exchange.name);
                continue;
            }
        };
        let mut at = 0;
        while at < bytes.len() {
            let to = bytes.len().min(at + piece().max(1));
            pending.extend_from_slice(&bytes[at..to]);
            at = to;
            let consumed = match reply.feed(&pending, transcript).expect(exchange.name) {
                Step::Incomplete { consumed, missing } => {
                    assert!(missing > 0);
                    consumed
                }
                Step::LocalInfile { consumed, refusal } => {
                    refusals.push(refusal.to_vec());
                    consumed
                }
                Step::Done { consumed, summary } => {
                    assert_eq!((consumed, at), (pending.len(), bytes.len()), "{}", exchange.name);
                    transcript.lines.push(format!("{summary:?}"));
                    return;
                }
                Step::Failed { consumed, summary, error } => {
                    assert_eq!((consumed, at), (pending.len(), bytes.len()), "{}", exchange.name);
                    transcript.lines.push(format!("{summary:?} {}", error.to_owned()));
                    return;
                }
            };
            pending.drain(..consumed);
        }
    }
    panic!("{} does not end", exchange.name);
}

/// Numbers that look random and are the same in every run (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
