//! The tables sbtest1 to sbtestN. A row depends on (seed, table, row number) only. `k` is always drawn uniformly,
//! whatever distribution the run uses: sysbench draws it from its default, which is `special` in 1.0 and `uniform` in
//! 1.1, so that tables of the two cannot be compared; ours can, with each other and with 1.1's. Ids are written out
//! rather than left to AUTO_INCREMENT, since parallel loaders insert in any order.

use super::knobs;
use crate::Parameters;
use crate::dataset::{ByTable, Dataset, Rows, Spot, Table};
use crate::draw::{Generator, strings};
use model::{Charset, Protocol, Seed};
use std::io::Write;

pub(super) struct Sbtest {
    tables: u64,
    rows: u64,
    charset: Charset,
    secondary_index: bool,
    engine: String,
    seed: Seed,
}

struct Row {
    id: u64,
    k: u64,
    c: [u8; strings::C],
    pad: [u8; strings::PAD],
}

impl Sbtest {
    pub fn of(parameters: &Parameters, engine: &str, seed: Seed) -> Self {
        Self {
            tables: knobs::count(parameters, "tables"),
            rows: knobs::count(parameters, "rows"),
            charset: knobs::charset(parameters),
            secondary_index: knobs::flag(parameters, "secondary_index"),
            engine: engine.to_string(),
            seed: seed.child("sbtest"),
        }
    }
    fn table(&self, number: u64) -> Table {
        if self.charset.protocol == Protocol::PostgreSql {
            return self.table_of_postgresql(number);
        }
        let Charset { character_set, collation, .. } = self.charset;
        let text = format!("CHARACTER SET {character_set} COLLATE {collation} DEFAULT '' NOT NULL");
        Table {
            name: format!("sbtest{number}"),
            create: format!(
                "CREATE TABLE sbtest{number} (\n  id INTEGER NOT NULL AUTO_INCREMENT,\n  k INTEGER DEFAULT '0' NOT NULL,\n  \
                 c CHAR(120) {text},\n  pad CHAR(60) {text},\n  PRIMARY KEY (id)\n) \
                 ENGINE={} DEFAULT CHARSET={character_set} COLLATE={collation}",
                self.engine
            ),
            rows: self.rows,
            after: if self.secondary_index {
                vec![format!("CREATE INDEX k_{number} ON sbtest{number}(k)")]
            } else {
                Vec::new()
            },
        }
    }
    /// As sysbench makes it there. The primary key comes after the rows, as the other index does: neither is then
    /// filled row by row.
    fn table_of_postgresql(&self, number: u64) -> Table {
        let (name, rows) = (format!("sbtest{number}"), self.rows);
        let text = format!("COLLATE \"{}\" DEFAULT '' NOT NULL", self.charset.collation);
        let index = format!("CREATE INDEX k_{number} ON {name}(k)");
        let mut after = vec![format!("ALTER TABLE {name} ADD PRIMARY KEY (id)")];
        after.extend(self.secondary_index.then_some(index));
        after.push(format!("SELECT setval('{name}_id_seq', {rows})"));
        Table {
            create: format!(
                "CREATE TABLE {name} (\n  id SERIAL,\n  k INTEGER DEFAULT '0' NOT NULL,\n  c CHAR(120) {text},\n  \
                 pad CHAR(60) {text}\n)"
            ),
            name,
            rows,
            after,
        }
    }
    /// `row` counts from 0, `id` from 1.
    fn row(&self, table: Seed, row: u64) -> Row {
        let mut generator = Generator::new(table.nth(row));
        let k = 1 + generator.below(self.rows);
        Row { id: row + 1, k, c: strings::c(&mut generator), pad: strings::pad(&mut generator) }
    }
}

impl Dataset for Sbtest {
    fn tables(&self) -> Vec<Table> {
        (1..=self.tables).map(|number| self.table(number)).collect()
    }

    fn columns(&self, _: usize) -> &'static str {
        "id, k, c, pad"
    }

    fn rows(&self) -> Rows<'_> {
        Rows::ByTable(self)
    }

    fn spot(&self, table: usize, row: u64) -> Spot {
        let Row { id, k, c, pad } = self.row(self.seed.nth(table as u64), row);
        let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
        // PostgreSQL pads a CHAR with blanks, which MySQL's family takes off again.
        let texts = if self.charset.protocol == Protocol::PostgreSql { "c::text, pad::text" } else { "c, pad" };
        Spot {
            sql: format!("SELECT id, k, {texts} FROM sbtest{} WHERE id={id}", table + 1),
            expected: vec![Some(id.to_string()), Some(k.to_string()), text(&c), text(&pad)],
        }
    }
}

impl ByTable for Sbtest {
    fn insert(&self, table: usize, from: u64, to: u64, sql: &mut Vec<u8>) {
        assert!(from < to && to <= self.rows, "rows {from}..{to} of {}", self.rows);
        let seed = self.seed.nth(table as u64);
        write!(sql, "INSERT INTO sbtest{}(id, k, c, pad) VALUES", table + 1).expect("writing into a Vec cannot fail");
        for number in from..to {
            let Row { id, k, c, pad } = self.row(seed, number);
            let comma = if number == from { "" } else { "," };
            write!(sql, "{comma}({id}, {k}, '").expect("writing into a Vec cannot fail");
            for part in [&c[..], b"', '", &pad, b"')"] {
                sql.extend_from_slice(part);
            }
        }
    }

    fn lines(&self, table: usize, from: u64, to: u64, text: &mut Vec<u8>) {
        let seed = self.seed.nth(table as u64);
        for number in from..to {
            let Row { id, k, c, pad } = self.row(seed, number);
            write!(text, "{id}\t{k}\t").expect("writing into a Vec cannot fail");
            for part in [&c[..], b"\t", &pad, b"\n"] {
                text.extend_from_slice(part);
            }
        }
    }

    fn row_text_bytes(&self, _: usize) -> usize {
        // Two numbers as long as the largest, and the punctuation around four values.
        2 * self.rows.to_string().len() + strings::C + strings::PAD + ",(, , '', '')".len()
    }
}
