//! Brings a dataset into a PostgreSQL: tables, rows by COPY in parallel, keys and indexes, statistics, and then the
//! proof: rows counted and rows read back against the generator. The VACUUM at the end leaves every row as one that all
//! may see, so that readers do not write marks into pages while they are measured.

mod by_table;
mod by_unit;

use super::session::control::Control;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::loading::{self, LoadFault, Loaded, by_table, finish_all, world};
use model::record::answer::TableAnswer;
use model::units::Bytes;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use workload::dataset::{Dataset, Rows, Table};
use workload::session::Fault;

/// An index build or a COUNT over a large table takes as long; a server that is silent longer is taken for dead.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3600);
/// Lines of one COPY: each waits once for the log, so there should be few.
const LINES_BYTES: u64 = 8 << 20;

/// States that mean "this server cannot", not "this went wrong": syntax, a collation, a type or a feature that it does
/// not know.
const UNSUPPORTED: &[&[u8; 5]] = &[b"42601", b"42704", b"0A000"];

/// Columns, keys and indexes of a table, one line each.
const DEFINITION: &str = "SELECT line FROM (\
     SELECT 1 AS part, a.attnum AS place, '  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) \
     || coalesce(' COLLATE ' || quote_ident(l.collname), '') \
     || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') \
     || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS line \
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
     LEFT JOIN pg_collation l ON l.oid = a.attcollation \
     WHERE a.attrelid = '{table}'::regclass AND a.attnum > 0 AND NOT a.attisdropped \
     UNION ALL SELECT 2, row_number() OVER (ORDER BY conname), '  ' || pg_get_constraintdef(oid) FROM pg_constraint \
     WHERE conrelid = '{table}'::regclass AND contype IN ('p', 'u', 'f', 'c')) lines ORDER BY part, place";
const PARTITIONED: &str = "SELECT ' PARTITION BY ' || pg_get_partkeydef(partrelid) FROM pg_partitioned_table \
     WHERE partrelid = '{table}'::regclass";
/// What a table takes, with its partitions.
const BYTES: &str = "SELECT pg_total_relation_size('{table}') + coalesce((SELECT sum(pg_total_relation_size(inhrelid)) \
     FROM pg_inherits WHERE inhparent = '{table}'::regclass), 0)";
const INDEXES: &str = "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = '{table}'::regclass \
     AND NOT indisprimary ORDER BY indexrelid";

/// Creates and fills the tables in `endpoint`'s database. `at` is told rows loaded, out of how many.
pub(crate) fn load(
    endpoint: &SqlEndpoint,
    dataset: &dyn Dataset,
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<Loaded, LoadFault> {
    let tables = dataset.tables();
    let mut control = Control::connect(endpoint, PATIENCE).map_err(world)?;
    tables.iter().try_for_each(|table| control.execute(&table.create).map(drop)).map_err(create_fault)?;
    match dataset.rows() {
        Rows::None => finish_all::<Control>(endpoint, &tables, sessions, stop)?,
        Rows::ByTable(rows) => by_table::<Control>(endpoint, dataset, rows, &tables, sessions, stop, at)?,
        Rows::ByUnit(rows) => {
            by_unit::fill(endpoint, dataset, rows, &tables, sessions, stop, at)?;
            finish_all::<Control>(endpoint, &tables, sessions, stop)?;
            constrain(&mut control, &tables)?;
        }
        Rows::ByItself(_) => return Err(LoadFault::Unsupported("a script that makes its data itself".into())),
    }
    let answers = inspect(&mut control, &tables)?;
    let (rows_checked, rows_wrong) = check_spots(&mut control, dataset, &tables)?;
    control.quit();
    Ok(Loaded { rows: answers.iter().map(|t| t.rows).sum(), tables: answers, rows_checked, rows_wrong })
}

/// Definitions, counts and sizes of tables that are there.
pub(crate) fn inspect(control: &mut Control, tables: &[Table]) -> Result<Vec<TableAnswer>, LoadFault> {
    let mut one = |table: &Table| -> Result<TableAnswer, Fault> {
        let name = &table.name;
        let rows = control.value(&format!("SELECT count(*) FROM {name}"))?;
        let bytes = control.value(&BYTES.replace("{table}", name))?;
        Ok(TableAnswer {
            name: name.clone(),
            // Keys come behind the rows.
            submitted: [std::slice::from_ref(&table.create), &table.after].concat().join(";\n"),
            created: definition(control, name)?,
            warnings: Vec::new(),
            rows: number(rows),
            rows_wanted: table.rows,
            bytes: Bytes(number(bytes)),
        })
    };
    tables.iter().map(|table| one(table).map_err(world)).collect()
}

/// As the catalogue has it.
fn definition(control: &mut Control, name: &str) -> Result<String, Fault> {
    let mut texts = |sql: &str| -> Result<Vec<String>, Fault> {
        Ok(control.rows(&sql.replace("{table}", name))?.into_iter().flatten().flatten().collect())
    };
    let mut whole = format!("CREATE TABLE {name} (\n{}\n)", texts(DEFINITION)?.join(",\n"));
    whole.extend(texts(PARTITIONED)?);
    texts(INDEXES)?.iter().for_each(|index| whole += &format!(";\n{index}"));
    Ok(whole)
}

fn number(text: Option<String>) -> u64 {
    text.and_then(|t| t.parse().ok()).unwrap_or(0)
}

/// What waits for the keys of another table.
fn is_constraint(sql: &str) -> bool {
    sql.contains(" FOREIGN KEY ")
}

/// One after the other: two of them would wait for each other's tables.
fn constrain(control: &mut Control, tables: &[Table]) -> Result<(), LoadFault> {
    let mut constraints = tables.iter().flat_map(|table| &table.after).filter(|sql| is_constraint(sql));
    constraints.try_for_each(|sql| control.execute(sql).map(drop)).map_err(world)
}

/// Keys and indexes, then statistics and what a VACUUM leaves behind.
fn finish(control: &mut Control, table: &Table) -> Result<(), LoadFault> {
    let mut own = table.after.iter().filter(|sql| !is_constraint(sql));
    own.try_for_each(|sql| control.execute(sql).map(drop)).map_err(world)?;
    control.execute(&format!("VACUUM (FREEZE, ANALYZE) {}", table.name)).map(drop).map_err(world)
}

/// Reads rows back.
pub(crate) fn check_spots(
    control: &mut Control,
    dataset: &dyn Dataset,
    tables: &[Table],
) -> Result<(u64, u64), LoadFault> {
    loading::check_spots(|sql| control.rows(sql), dataset, tables)
}

fn create_fault(fault: Fault) -> LoadFault {
    match &fault {
        Fault::Server { state, message, .. } if UNSUPPORTED.contains(&state) => LoadFault::Unsupported(message.clone()),
        _ => world(fault),
    }
}
