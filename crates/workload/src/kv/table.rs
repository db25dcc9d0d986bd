//! The one table of the family, with an integer key as the vendor's record run had it. Values are text of one byte a
//! character, so that each endpoint gives back the bytes that were written.

use super::sizes::Sizes;
use super::{knobs, value};
use crate::Parameters;
use crate::dataset::{ByTable, Dataset, Rows, Spot, Table};
use model::plan::served::HEAP;
use std::io::Write;

pub const TABLE: &str = "kv";
/// The key, then the value.
pub const COLUMNS: [&str; 2] = ["id", "v"];

pub(super) struct Pairs {
    keys: u64,
    sizes: Sizes,
    engine: String,
}

impl Pairs {
    pub fn of(parameters: &Parameters, engine: &str) -> Self {
        Self { keys: knobs::count(parameters, "keys"), sizes: Sizes::of(parameters), engine: engine.to_string() }
    }
    /// Hands on key and value of each of these rows.
    fn each(&self, from: u64, to: u64, mut row: impl FnMut(u64, &[u8])) {
        assert!(from < to && to <= self.keys, "rows {from}..{to} of {}", self.keys);
        let mut value = Vec::new();
        for key in from + 1..=to {
            value::write(&mut value, key, value::LOADED, self.sizes.bytes(key));
            row(key, &value);
        }
    }
}

impl Dataset for Pairs {
    fn tables(&self) -> Vec<Table> {
        let Self { keys, sizes, engine } = self;
        let widest = sizes.most();
        if engine == HEAP {
            return vec![Table {
                name: TABLE.into(),
                create: format!(
                    "CREATE TABLE {TABLE} (\n  id INTEGER NOT NULL,\n  v VARCHAR({widest}) COLLATE \"C\" NOT NULL\n)"
                ),
                rows: *keys,
                after: vec![format!("ALTER TABLE {TABLE} ADD PRIMARY KEY (id)")],
            }];
        }
        vec![Table {
            name: TABLE.into(),
            create: format!(
                "CREATE TABLE {TABLE} (\n  id INTEGER NOT NULL,\n  v VARCHAR({widest}) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL,\n  \
                 PRIMARY KEY (id)\n) ENGINE={engine} DEFAULT CHARSET=latin1 COLLATE=latin1_bin"
            ),
            rows: *keys,
            after: Vec::new(),
        }]
    }
    fn columns(&self, _: usize) -> &'static str {
        "id, v"
    }
    fn rows(&self) -> Rows<'_> {
        Rows::ByTable(self)
    }
    fn spot(&self, _: usize, row: u64) -> Spot {
        let key = row + 1;
        let mut text = Vec::new();
        value::write(&mut text, key, value::LOADED, self.sizes.bytes(key));
        Spot {
            sql: format!("SELECT id, v FROM {TABLE} WHERE id={key}"),
            expected: vec![Some(key.to_string()), Some(String::from_utf8_lossy(&text).into_owned())],
        }
    }
}

impl ByTable for Pairs {
    fn insert(&self, _: usize, from: u64, to: u64, sql: &mut Vec<u8>) {
        write!(sql, "INSERT INTO {TABLE}(id, v) VALUES").expect("writing into a Vec cannot fail");
        self.each(from, to, |key, value| {
            let comma = if key == from + 1 { "" } else { "," };
            write!(sql, "{comma}({key}, '").expect("writing into a Vec cannot fail");
            sql.extend_from_slice(value);
            sql.extend_from_slice(b"')");
        });
    }
    fn lines(&self, _: usize, from: u64, to: u64, text: &mut Vec<u8>) {
        self.each(from, to, |key, value| {
            write!(text, "{key}\t").expect("writing into a Vec cannot fail");
            text.extend_from_slice(value);
            text.push(b'\n');
        });
    }
    fn row_text_bytes(&self, _: usize) -> usize {
        self.keys.to_string().len() + self.sizes.most() + ",(, '')".len()
    }
}
