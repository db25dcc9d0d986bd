//! The tables sbtest1 to sbtestN in the OLTP layout, plain or with their history kept, and what is loaded before the
//! users come: nothing, one set of rows, or a set that was updated once. The columns of the period are written out and
//! invisible, so that statements stay sysbench's and `SHOW CREATE TABLE` shows what the server makes of the primary
//! key.

use super::knobs::{self, count, text};
use super::rows::{Set, row};
use crate::Parameters;
use crate::dataset::{ByTable, Dataset, Rows, Spot, Table};
use std::io::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    Plain,
    Timestamp,
    Transaction,
    TimestampPartitioned,
    /// No server takes it; it is tried so that its refusal is on record.
    TransactionPartitioned,
}

impl Variant {
    const ALL: [Self; 5] =
        [Self::Plain, Self::Timestamp, Self::Transaction, Self::TimestampPartitioned, Self::TransactionPartitioned];

    pub fn of(parameters: &Parameters) -> Self {
        let word = text(parameters, "variant");
        let at = knobs::VARIANTS.iter().position(|v| *v == word).expect("variant was checked against its words");
        Self::ALL[at]
    }
    pub fn is_versioned(self) -> bool {
        self != Self::Plain
    }
    pub fn is_by_transaction(self) -> bool {
        match self {
            Self::Transaction | Self::TransactionPartitioned => true,
            Self::Plain | Self::Timestamp | Self::TimestampPartitioned => false,
        }
    }
    pub fn is_partitioned(self) -> bool {
        match self {
            Self::TimestampPartitioned | Self::TransactionPartitioned => true,
            Self::Plain | Self::Timestamp | Self::Transaction => false,
        }
    }
}

/// What lies in the tables before the users come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    Empty,
    Filled,
    Aged,
}

impl Begin {
    pub fn of(parameters: &Parameters) -> Self {
        match text(parameters, "begin") {
            "empty" => Self::Empty,
            "filled" => Self::Filled,
            "aged" => Self::Aged,
            other => unreachable!("begin was checked against {:?}, and is {other}", knobs::BEGINS),
        }
    }
}

/// Where moments of the run are written down, for who reads history. Where versions are known by transaction, this
/// table is one of them, so that a moment is a transaction that began when all before it were over.
fn moments(variant: Variant, engine: &str) -> String {
    let (columns, period, versioning) = if variant.is_by_transaction() { period(variant) } else { NO_PERIOD };
    format!(
        "CREATE TABLE moments (\n  iteration INTEGER NOT NULL,\n  taken TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),\n  \
         transaction_id BIGINT UNSIGNED,\n{columns}  PRIMARY KEY (iteration){period}\n) ENGINE={engine}{versioning}"
    )
}

/// What a table's definition says of its period: its columns, the period itself, and that it is versioned.
type Period = (&'static str, &'static str, &'static str);

const NO_PERIOD: Period = ("", "", "");

fn period(variant: Variant) -> Period {
    const PERIOD: &str = ",\n  PERIOD FOR SYSTEM_TIME (row_start, row_end)";
    const VERSIONED: &str = " WITH SYSTEM VERSIONING";
    match variant {
        Variant::Plain => NO_PERIOD,
        Variant::Timestamp | Variant::TimestampPartitioned => (
            "  row_start TIMESTAMP(6) GENERATED ALWAYS AS ROW START INVISIBLE,\n  row_end TIMESTAMP(6) GENERATED ALWAYS AS ROW END INVISIBLE,\n",
            PERIOD,
            VERSIONED,
        ),
        Variant::Transaction | Variant::TransactionPartitioned => (
            "  row_start BIGINT UNSIGNED GENERATED ALWAYS AS ROW START INVISIBLE,\n  row_end BIGINT UNSIGNED GENERATED ALWAYS AS ROW END INVISIBLE,\n",
            PERIOD,
            VERSIONED,
        ),
    }
}

pub(super) fn create(number: u64, variant: Variant, engine: &str) -> String {
    let (columns, period, versioning) = period(variant);
    let partitions = if variant.is_partitioned() {
        " PARTITION BY SYSTEM_TIME (PARTITION p_history HISTORY, PARTITION p_current CURRENT)"
    } else {
        ""
    };
    format!(
        "CREATE TABLE sbtest{number} (\n  id INTEGER NOT NULL AUTO_INCREMENT,\n  k INTEGER DEFAULT '0' NOT NULL,\n  \
         c CHAR(120) DEFAULT '' NOT NULL,\n  pad CHAR(60) DEFAULT '' NOT NULL,\n{columns}  PRIMARY KEY (id),\n  \
         KEY k_{number} (k){period}\n) ENGINE={engine} DEFAULT CHARSET=latin1{versioning}{partitions}"
    )
}

pub(super) struct Data {
    variant: Variant,
    begin: Begin,
    /// The one that is loaded, as it is read afterwards.
    set: Set,
    tables: u64,
    engine: String,
}

impl Data {
    pub fn of(parameters: &Parameters, engine: &str) -> Self {
        let set = Set { iteration: 1, ..Set::of(parameters) };
        Self {
            variant: Variant::of(parameters),
            begin: Begin::of(parameters),
            set,
            tables: count(parameters, "tables"),
            engine: engine.to_string(),
        }
    }
}

impl Dataset for Data {
    fn tables(&self) -> Vec<Table> {
        let rows = self.set.rows;
        let table = |number| Table {
            name: format!("sbtest{number}"),
            create: create(number, self.variant, &self.engine),
            rows: if self.begin == Begin::Empty { 0 } else { rows },
            after: match self.begin {
                Begin::Empty | Begin::Filled => Vec::new(),
                Begin::Aged => vec![format!("UPDATE sbtest{number} SET id=id+{rows} WHERE id<={rows}")],
            },
        };
        let create = moments(self.variant, &self.engine);
        let moments = Table { name: "moments".into(), create, rows: 0, after: Vec::new() };
        (1..=self.tables).map(table).chain([moments]).collect()
    }
    fn columns(&self, _: usize) -> &'static str {
        "id, k, c, pad"
    }
    fn rows(&self) -> Rows<'_> {
        match self.begin {
            Begin::Empty => Rows::None,
            Begin::Filled | Begin::Aged => Rows::ByTable(self),
        }
    }
    fn spot(&self, table: usize, number: u64) -> Spot {
        let row = row(1, table as u64 + 1, number, self.set.rows);
        let id = self.set.first() + number;
        let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
        Spot {
            sql: format!("SELECT id, k, c, pad FROM sbtest{} WHERE id={id}", table + 1),
            expected: vec![Some(id.to_string()), Some(row.k.to_string()), text(&row.c), text(&row.pad)],
        }
    }
}

impl ByTable for Data {
    fn insert(&self, table: usize, from: u64, to: u64, sql: &mut Vec<u8>) {
        let appended = "writing into a Vec cannot fail";
        write!(sql, "INSERT INTO sbtest{} (id, k, c, pad) VALUES", table + 1).expect(appended);
        for number in from..to {
            let row = row(1, table as u64 + 1, number, self.set.rows);
            let comma = if number == from { "" } else { "," };
            write!(sql, "{comma}({}, {}, '", number + 1, row.k).expect(appended);
            [&row.c[..], b"', '", &row.pad, b"')"].into_iter().for_each(|part| sql.extend_from_slice(part));
        }
    }
    fn lines(&self, table: usize, from: u64, to: u64, text: &mut Vec<u8>) {
        for number in from..to {
            let row = row(1, table as u64 + 1, number, self.set.rows);
            write!(text, "{}\t{}\t", number + 1, row.k).expect("writing into a Vec cannot fail");
            [&row.c[..], b"\t", &row.pad, b"\n"].into_iter().for_each(|part| text.extend_from_slice(part));
        }
    }
    fn row_text_bytes(&self, _: usize) -> usize {
        // Two numbers, two texts and the punctuation around four values.
        2 * self.set.rows.to_string().len()
            + crate::draw::strings::C
            + crate::draw::strings::PAD
            + ",(, , '', '')".len()
    }
}
