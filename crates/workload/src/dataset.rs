//! What must lie in the server before users come: tables, their rows, and what is done to them afterwards. A workload
//! describes it; the lab carries it out in parallel. Row contents depend on (seed, row number) only, so that any
//! number of loaders in any order build the same data.

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
    /// Appends one INSERT with rows `from..to` (0-based) of that table (an index into `tables()`).
    fn insert(&self, table: usize, from: u64, to: u64, sql: &mut Vec<u8>);
    /// Appends the same rows as LOAD DATA reads them: a line each, values in the order of `columns` between tabs.
    fn lines(&self, table: usize, from: u64, to: u64, text: &mut Vec<u8>);
    /// The columns of `lines`, as `id, k, c, pad`.
    fn columns(&self, table: usize) -> &'static str;
    /// About how many bytes of INSERT text one row makes.
    fn row_text_bytes(&self, table: usize) -> usize;
    /// How to check row `row` (0-based) of that table against the generator.
    fn spot(&self, table: usize, row: u64) -> Spot;
}
