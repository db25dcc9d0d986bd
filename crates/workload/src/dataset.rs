//! What must lie in the server before users come: tables, their rows, and what is done to them afterwards. A workload
//! describes it; the lab carries it out in parallel. Row contents depend on the seed and on numbers only, so that any
//! number of loaders in any order build the same data.

use crate::life::Living;
use crate::session::Sessions;

/// One table of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// The CREATE TABLE to submit, charset and engine included.
    pub create: String,
    pub rows: u64,
    /// Statements after its rows are in, as `CREATE INDEX`.
    pub after: Vec<String>,
}

/// Rows of one table that were read back, and what the generator says about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// A SELECT that returns one row.
    pub sql: String,
    /// Its columns as text.
    pub expected: Vec<Option<String>>,
}

pub trait Dataset: Send + Sync {
    fn tables(&self) -> Vec<Table>;
    /// The columns that rows are written with, as `id, k, c, pad`.
    fn columns(&self, table: usize) -> &'static str;
    fn rows(&self) -> Rows<'_>;
    /// How to check one row of that table against the generator: `row` counts from 0 to the rows of the table.
    fn spot(&self, table: usize, row: u64) -> Spot;
    /// What its tables are in a store of documents, in their order; none where nobody asks them of one.
    fn collections(&self) -> &'static [Collection] {
        &[]
    }
}

/// A table as a collection: each of its columns is a field, in the order in which lines have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collection {
    pub name: &'static str,
    pub fields: &'static [(&'static str, FieldKind)],
    /// The fields whose numbers, big-endian and one behind the other, are its `_id`; none where a field is called so.
    pub id: &'static [usize],
    /// Each by its fields.
    pub indexes: &'static [&'static [&'static str]],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Int32,
    Int64,
    Bytes,
}

/// How the rows of a dataset count.
pub enum Rows<'a> {
    /// The tables begin empty.
    None,
    /// Table by table, each row with its number: any range of a table can be made alone.
    ByTable(&'a dyn ByTable),
    /// Unit by unit, over several tables at once.
    ByUnit(&'a dyn ByUnit),
    /// Nobody but the dataset knows its tables and rows: it makes them itself.
    ByItself(&'a dyn ByItself),
}

pub trait ByTable: Sync {
    /// Appends one INSERT with rows `from..to` (0-based) of that table (an index into `tables()`).
    fn insert(&self, table: usize, from: u64, to: u64, sql: &mut Vec<u8>);
    /// Appends the same rows as LOAD DATA reads them: a line each, values in the order of `columns` between tabs.
    fn lines(&self, table: usize, from: u64, to: u64, text: &mut Vec<u8>);
    /// About how many bytes of INSERT text one row makes.
    fn row_text_bytes(&self, table: usize) -> usize;
}

/// Rows that belong together (a warehouse, a range of ids with their links) and whose number in a table only the
/// generator knows. A unit goes in as one transaction, so that an interrupted load goes on behind the last whole one.
pub trait ByUnit: Sync {
    /// For a reader: `warehouse 3`.
    fn name(&self, unit: u64) -> String;
    fn units(&self) -> u64;
    /// Indices into `tables()`. Where all units of a table are in, its indexes are built while others still load: units
    /// of the table with the dearest ones come first.
    fn tables_of(&self, unit: u64) -> Vec<usize>;
    /// Rows of a unit over all tables.
    fn rows_of(&self, unit: u64) -> u64;
    /// A unit is made in so many pieces of a few megabytes, one after the other.
    fn pieces(&self, unit: u64) -> u64;
    /// Appends the lines of a piece as LOAD DATA reads them (`\\N` is NULL) and says where they belong.
    fn piece(&self, unit: u64, piece: u64, text: &mut Vec<u8>) -> Piece;
    /// Appends lines that stand for all: two generators that make the same sample make the same data.
    fn sample(&self, text: &mut Vec<u8>);
}

/// One statement's worth of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// An index into `tables()`.
    pub table: usize,
    pub rows: u64,
}

/// A piece of the making, given its sessions.
pub type Making = Box<dyn for<'a> FnOnce(&'a mut (dyn Sessions + 'a)) -> Living<'a>>;

/// A program that makes its tables and rows through sessions that it opens, in pieces side by side.
pub trait ByItself: Sync {
    /// Equal where the same data are made.
    fn identity(&self) -> String;
    fn pieces(&self) -> u32;
    fn piece(&self, piece: u32) -> Making;
    /// Ends pieces that heed nothing any more.
    fn interrupt(&self);
}
