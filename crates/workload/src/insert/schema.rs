//! The tables of the insert benchmark: a growing key, four numbers, a time and a short text; three secondary indexes
//! over the numbers, whose entries come in no order; and partitions by ranges of the key, where they are asked for.

use super::knobs::{count, text};
use super::postgresql;
use super::rows::row;
use super::work::Extent;
use crate::Parameters;
use crate::dataset::{ByTable, Dataset, Rows, Spot, Table};
use model::plan::served::HEAP;
use std::fmt::Write as _;
use std::io::Write as _;

pub(super) const COLUMNS: &str = "transactionid, dateandtime, cashregisterid, customerid, productid, price, data";
pub(super) const COLUMN_COUNT: u64 = 7;

/// The secondary indexes: what each is called behind its table's name, and its columns.
pub(super) const INDEXES: [(&str, &str); 3] = [
    ("marketsegment", "productid, customerid, price"),
    ("registersegment", "cashregisterid, customerid, price"),
    ("pdc", "price, dateandtime, customerid"),
];

/// What lies in the tables before the users come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    Empty,
    Loaded,
    Indexed,
}

impl Begin {
    fn of(parameters: &Parameters) -> Self {
        match text(parameters, "begin") {
            "empty" => Self::Empty,
            "loaded" => Self::Loaded,
            "indexed" => Self::Indexed,
            other => unreachable!("begin was checked against its words, and is {other}"),
        }
    }
}

/// The statements that build the indexes of a table: in one pass where the engine has one, which RocksDB has not.
pub(super) fn build_indexes(table: u64, engine: &str) -> Vec<String> {
    if engine == HEAP {
        return INDEXES
            .map(|(name, columns)| format!("CREATE INDEX pi{table}_{name} ON pi{table} ({columns})"))
            .to_vec();
    }
    let adds = INDEXES.map(|(name, columns)| format!("ADD INDEX pi{table}_{name} ({columns})"));
    if engine.eq_ignore_ascii_case("rocksdb") {
        return adds.iter().map(|add| format!("ALTER TABLE pi{table} {add}")).collect();
    }
    vec![format!("ALTER TABLE pi{table} {}", adds.join(", "))]
}

/// How many rows lie in the tables before the users come.
pub(super) fn rows_at_begin(parameters: &Parameters) -> (u64, bool) {
    let extent = Extent::of(parameters);
    let rows = extent.rows * extent.clients;
    match Begin::of(parameters) {
        Begin::Empty => (0, false),
        Begin::Loaded => (rows, false),
        Begin::Indexed => (rows, true),
    }
}

pub(super) struct Data {
    extent: Extent,
    begin: Begin,
    partitions: u64,
    partition_rows: u64,
    engine: String,
}

impl Data {
    pub fn of(parameters: &Parameters, engine: &str) -> Self {
        let (extent, partitions) = (Extent::of(parameters), count(parameters, "partitions"));
        let partition_rows = match count(parameters, "partition_rows") {
            0 => extent.rows_of_table().div_ceil(partitions.max(1)),
            said => said,
        };
        Self { extent, begin: Begin::of(parameters), partitions, partition_rows, engine: engine.to_string() }
    }

    fn create(&self, table: u64) -> String {
        if self.engine == HEAP {
            return postgresql::create(table, self.partitions, self.partition_rows);
        }
        let mut sql = format!(
            "CREATE TABLE pi{table} (\n  transactionid BIGINT NOT NULL AUTO_INCREMENT,\n  dateandtime DATETIME,\n  \
             cashregisterid INT NOT NULL,\n  customerid INT NOT NULL,\n  productid INT NOT NULL,\n  price INT NOT NULL,\n  \
             data VARCHAR(4000),\n  PRIMARY KEY (transactionid)\n) ENGINE={} DEFAULT CHARSET=latin1",
            self.engine
        );
        if self.partitions > 0 {
            sql += " PARTITION BY RANGE (transactionid) (";
            for number in 0..self.partitions - 1 {
                let end = (number + 1) * self.partition_rows;
                // Keys count from 1, so that a partition ends behind its last.
                write!(sql, "PARTITION p{number} VALUES LESS THAN ({}), ", end + 1)
                    .expect("writing into a String cannot fail");
            }
            write!(sql, "PARTITION p{} VALUES LESS THAN MAXVALUE)", self.partitions - 1)
                .expect("writing into a String cannot fail");
        }
        sql
    }

    /// The client whose row lies at this place of a table, from 0, and its number there.
    fn owner(&self, table: usize, place: u64) -> (u64, u64) {
        match self.extent.is_one_table {
            true => (place % self.extent.clients, place / self.extent.clients),
            false => (table as u64, place),
        }
    }
}

impl Dataset for Data {
    fn tables(&self) -> Vec<Table> {
        let rows = if self.begin == Begin::Empty { 0 } else { self.extent.rows_of_table() };
        let after = |table| {
            let key = (self.engine == HEAP).then(|| postgresql::primary_key(table));
            let indexes = if self.begin == Begin::Indexed { build_indexes(table, &self.engine) } else { Vec::new() };
            key.into_iter().chain(indexes).collect()
        };
        let table =
            |number| Table { name: format!("pi{number}"), create: self.create(number), rows, after: after(number) };
        (1..=self.extent.tables()).map(table).collect()
    }
    fn columns(&self, _: usize) -> &'static str {
        COLUMNS
    }
    fn rows(&self) -> Rows<'_> {
        match self.begin {
            Begin::Empty => Rows::None,
            Begin::Loaded | Begin::Indexed => Rows::ByTable(self),
        }
    }
    fn spot(&self, table: usize, number: u64) -> Spot {
        let (client, own) = self.owner(table, number);
        let key = number + 1;
        let values = std::iter::once(key.to_string()).chain(row(client, own).values());
        Spot {
            sql: format!("SELECT {COLUMNS} FROM pi{} WHERE transactionid={key}", table + 1),
            expected: values.map(Some).collect(),
        }
    }
}

impl ByTable for Data {
    fn insert(&self, table: usize, from: u64, to: u64, sql: &mut Vec<u8>) {
        let appended = "writing into a Vec cannot fail";
        write!(sql, "INSERT INTO pi{} ({COLUMNS}) VALUES", table + 1).expect(appended);
        for place in from..to {
            let (client, own) = self.owner(table, place);
            write!(sql, "{}({},", if place == from { "" } else { "," }, place + 1).expect(appended);
            row(client, own).write("'", ",", &mut |piece| sql.extend_from_slice(piece.as_bytes()));
            sql.push(b')');
        }
    }
    fn lines(&self, table: usize, from: u64, to: u64, text: &mut Vec<u8>) {
        let appended = "writing into a Vec cannot fail";
        for place in from..to {
            let (client, own) = self.owner(table, place);
            write!(text, "{}\t", place + 1).expect(appended);
            row(client, own).write("", "\t", &mut |piece| text.extend_from_slice(piece.as_bytes()));
            text.push(b'\n');
        }
    }
    fn row_text_bytes(&self, _: usize) -> usize {
        // The key, a time, four numbers and a text with what stands around them.
        self.extent.rows_of_table().to_string().len() + ",(,'2024-01-01 00:00:00',999,99999,9999,499,'')".len() + 20
    }
}
