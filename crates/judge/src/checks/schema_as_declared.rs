//! Servers change tables without a word: an engine is substituted, a TIMESTAMP becomes NOT NULL, a primary key grows by
//! a column of the versioning. Every CREATE TABLE that was submitted is compared with what `SHOW CREATE TABLE`
//! answered, both read into one model: engine, character set and collation of table and columns, types, nullability,
//! primary key, versioning, partitioning. Spelling is no difference.
//!
//! A difference in meaning fails, and so does a table without its rows; a warning of the server at CREATE warns, and so
//! does what follows from something that was asked for: the key of a versioned table, which is longer than the one that
//! was written.

use crate::frame::applies::{Absence, declared, tables};
use crate::frame::schema::Schema;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Look, RunEvidence, Seen, Sight};
use model::{Status, TableAnswer};

pub const CHECK: Check = Check {
    id: "schema_as_declared",
    claim: || "the tables are what was asked for, and hold the rows that were asked for".into(),
    source: include_str!("schema_as_declared.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "read both texts in the dataset's file; declare what the server makes of it, or set the variable that decides it",
    look: Look::Cell(look),
};

fn absent(run: &RunEvidence) -> Absence {
    let mut made = run.datasets.iter().flat_map(|data| &data.tables).peekable();
    let by_script = made.peek().is_some() && made.all(|table| table.submitted.is_empty());
    let told = || by_script.then(|| "A script made its tables, and what they were to be is its own knowledge.".into());
    tables(run).or_else(|| declared(run)).or_else(told)
}

fn look(cell: &CellEvidence) -> Sight {
    let mut datasets: Vec<_> = cell.runs.iter().flat_map(|r| r.datasets.iter().copied()).collect();
    datasets.sort_by(|a, b| a.key.cmp(&b.key));
    datasets.dedup_by(|a, b| a.key == b.key);
    let tables: Vec<&TableAnswer> = datasets.iter().flat_map(|d| &d.tables).collect();
    if tables.is_empty() {
        return Err("no table was read back".into());
    }
    let paths = datasets.iter().map(|d| format!("datasets/{}.json", d.key)).collect();
    let mut found = Vec::new();
    for table in &tables {
        found.extend(differences(table)?.into_iter().map(|what| format!("in {}, {what}", table.name)));
    }
    let warned: Vec<String> =
        tables.iter().flat_map(|t| t.warnings.iter().map(|w| format!("{}: {w}", t.name))).collect();
    let implied: Vec<String> = tables.iter().filter_map(|t| Some(format!("in {}, {}", t.name, implied(t)?))).collect();
    let (status, measured, sentence) = match (found.first(), warned.first(), implied.first()) {
        (Some(first), _, _) => (Status::Fail, found.len(), format!("Not as declared: {first}{}.", more(found.len()))),
        (None, Some(first), _) => {
            (Status::Warn, warned.len(), format!("The server warned at CREATE TABLE: {first}{}.", more(warned.len())))
        }
        (None, None, Some(first)) => (
            Status::Warn,
            implied.len(),
            format!("As declared, and more than was written: {first}{}.", more(implied.len())),
        ),
        (None, None, None) => (Status::Pass, 0, format!("Tables as submitted, with all their rows: {}.", tables.len())),
    };
    Ok(Seen::new(status, format!("{measured} differences"), "0 differences", sentence).at(paths))
}

fn more(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}

fn implied(table: &TableAnswer) -> Option<String> {
    Schema::parse(&table.submitted)?.implied(&Schema::parse(&table.created)?)
}

fn differences(table: &TableAnswer) -> Result<Vec<String>, String> {
    let read = |text: &str| Schema::parse(text).ok_or(format!("the definition of {} could not be read", table.name));
    let mut found = read(&table.submitted)?.differences(&read(&table.created)?);
    if table.rows != table.rows_wanted {
        found.push(format!("there are {} rows instead of {}", table.rows, table.rows_wanted));
    }
    Ok(found)
}
