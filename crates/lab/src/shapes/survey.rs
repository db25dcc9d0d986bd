//! Takes the shape of a server's data with statements that any reader may ask. No row is written down: of a table its
//! definition, of a column counts, and the bounds of numbers and times, masked where that is asked for.

use super::{Column, OWN_SCHEMAS, ROUTINES, SCHEMA, STATISTICS, Shapes, Table, VERSION, identifier};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::mysql::control::{Control, TextRow};
use crate::notebook::unix_ms;
use crate::trouble::Trouble;
use model::Nanos;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use trace::Sieve;
use workload::session::Fault;

/// So many rows of a table are looked at: a second of a server's time for most.
const SAMPLE: u64 = 100_000;
/// A column whose sample has so many different values in its rows has more of them in more rows.
const GROWING: f64 = 0.9;
const NAMES: &str = "Names, comments, defaults and the members of ENUMs are in the schema as they are.";

/// Takes the shape of the DSN's database, or of all that are not the server's own where none is named.
pub fn survey(
    server: &SqlEndpoint,
    out: &Path,
    sieve: &Sieve,
    stop: &AtomicBool,
    tell: &dyn Fn(&str),
) -> Result<Shapes, Trouble> {
    let fault = |error| Trouble::new(format!("asking {} for its statistics", server.address)).because(error);
    if out.exists() {
        return Err(Trouble::new(format!("{} is there already", out.display())).mend("choose another folder for --out"));
    }
    let mut control = Control::connect(server).map_err(fault)?;
    control.execute("SET time_zone = '+00:00'").map_err(fault)?;
    let mut surveyor = Surveyor { control, schema: server.schema.clone(), sieve };
    let mut tables = surveyor.tables().map_err(fault)?;
    if tables.is_empty() {
        return Err(Trouble::new(format!("{} has no tables that this account may see", server.address))
            .mend("name a database in the DSN, or an account that may read it"));
    }
    let (of, mut is_estimate) = (tables.len(), false);
    for (number, table) in tables.iter_mut().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return Err(Trouble::new("asked to stop"));
        }
        tell(&format!("{}.{} ({} of {of})", table.schema, table.name, number + 1));
        is_estimate |= surveyor.count(table).map_err(fault)?;
    }
    let (schema, routines) = surveyor.definitions(&mut tables).map_err(fault)?;
    let mut notes = vec![NAMES.to_string()];
    if is_estimate {
        notes.push(format!(
            "Tables of more than {SAMPLE} rows: counted from that many, and rows as the server estimates."
        ));
    }
    let server = surveyor.control.version().to_string();
    surveyor.control.quit();
    let shapes = Shapes {
        version: VERSION,
        server,
        made: Nanos::from_millis(unix_ms()),
        masked: sieve.fingerprint(),
        notes,
        tables,
    };
    fs::create_dir_all(out).map_err(Trouble::at("making", out))?;
    let figures = serde_json::to_string_pretty(&shapes).expect("figures are JSON") + "\n";
    for (name, text) in [(SCHEMA, schema), (ROUTINES, routines), (STATISTICS, figures)] {
        let path = out.join(name);
        fs::write(&path, text).map_err(Trouble::at("writing", &path))?;
    }
    Ok(shapes)
}

struct Surveyor<'a> {
    control: Control,
    schema: Option<String>,
    sieve: &'a Sieve,
}

fn text(row: &TextRow, at: usize) -> String {
    row.get(at).cloned().flatten().unwrap_or_default()
}

fn name(parts: &[&str]) -> String {
    parts.iter().map(|part| identifier(part)).collect::<Vec<_>>().join(".")
}

impl Surveyor<'_> {
    /// What a condition of information_schema says of the schemas that are looked at.
    fn within(&self, column: &str) -> String {
        match &self.schema {
            Some(schema) => format!("{column} = '{}'", schema.replace('\\', "\\\\").replace('\'', "''")),
            None => {
                let own: Vec<String> = OWN_SCHEMAS.iter().map(|name| format!("'{name}'")).collect();
                format!("{column} NOT IN ({})", own.join(", "))
            }
        }
    }

    /// The tables with their columns and keys, and no figures yet.
    fn tables(&mut self) -> Result<Vec<Table>, Fault> {
        let within = self.within("table_schema");
        let found = self.control.rows(&format!(
            "SELECT table_schema, table_name, COALESCE(table_rows, 0) FROM information_schema.tables \
             WHERE table_type = 'BASE TABLE' AND {within} ORDER BY 1, 2"
        ))?;
        let mut tables: BTreeMap<[String; 2], Table> = BTreeMap::new();
        for row in &found {
            let (schema, name, rows) = (text(row, 0), text(row, 1), text(row, 2).parse().unwrap_or(0));
            let table = Table { schema: schema.clone(), name: name.clone(), rows, ..Table::default() };
            tables.insert([schema, name], table);
        }
        let columns = self.control.rows(&format!(
            "SELECT table_schema, table_name, column_name, column_type FROM information_schema.columns \
             WHERE {within} AND COALESCE(generation_expression, '') = '' ORDER BY 1, 2, ordinal_position"
        ))?;
        for row in &columns {
            if let Some(table) = tables.get_mut(&[text(row, 0), text(row, 1)]) {
                table.columns.push(Column { name: text(row, 2), kind: text(row, 3), ..Column::default() });
            }
        }
        let keys = self.control.rows(&format!(
            "SELECT table_schema, table_name, index_name, column_name FROM information_schema.statistics \
             WHERE {within} AND non_unique = 0 ORDER BY 1, 2, index_name <> 'PRIMARY', 3, seq_in_index"
        ))?;
        let mut last = None;
        for row in &keys {
            let of = [text(row, 0), text(row, 1), text(row, 2)];
            if let Some(table) = tables.get_mut(&[of[0].clone(), of[1].clone()]) {
                if last.as_ref() != Some(&of) {
                    table.unique.push(Vec::new());
                }
                table.unique.last_mut().expect("one was begun").push(text(row, 3));
            }
            last = Some(of);
        }
        let foreign = self.control.rows(&format!(
            "SELECT table_schema, table_name, column_name, referenced_table_schema, referenced_table_name, \
             referenced_column_name FROM information_schema.key_column_usage \
             WHERE {within} AND referenced_table_name IS NOT NULL"
        ))?;
        for row in &foreign {
            let table = tables.get_mut(&[text(row, 0), text(row, 1)]);
            let column = table.and_then(|table| table.columns.iter_mut().find(|column| column.name == text(row, 2)));
            if let Some(column) = column {
                column.refers = Some([text(row, 3), text(row, 4), text(row, 5)]);
            }
        }
        Ok(tables.into_values().collect())
    }

    /// Counts in a sample of its rows; whether there are more.
    fn count(&mut self, table: &mut Table) -> Result<bool, Fault> {
        let own = name(&[&table.schema, &table.name]);
        let mut asked = vec!["COUNT(*)".to_string()];
        for column in &table.columns {
            let (column, has_bounds) = (name(&[&column.name]), is_ordered(&column.kind));
            asked.push(format!(
                "COUNT(DISTINCT {column}), COALESCE(SUM({column} IS NULL), 0), COALESCE(AVG(LENGTH({column})), 0)"
            ));
            asked.push(if has_bounds { format!("MIN({column}), MAX({column})") } else { "NULL, NULL".into() });
        }
        let columns: Vec<String> = table.columns.iter().map(|column| name(&[&column.name])).collect();
        let columns = if columns.is_empty() { "1".to_string() } else { columns.join(", ") };
        let counted = self.control.rows(&format!(
            "SELECT {} FROM (SELECT {columns} FROM {own} LIMIT {SAMPLE}) AS sample",
            asked.join(", ")
        ))?;
        let row = counted.first().cloned().unwrap_or_default();
        let seen: u64 = text(&row, 0).parse().unwrap_or(0);
        let is_whole = seen < SAMPLE;
        table.rows = if is_whole { seen } else { table.rows.max(seen) };
        let (rows, unique) = (table.rows, table.unique.clone());
        for (at, column) in table.columns.iter_mut().enumerate() {
            let figure = |of: usize| text(&row, 1 + at * 5 + of);
            let distinct: u64 = figure(0).parse().unwrap_or(0);
            let share = distinct as f64 / seen.max(1) as f64;
            let is_key = unique.iter().any(|key| key.len() == 1 && key[0] == column.name);
            column.distinct = match (is_whole, is_key || share > GROWING) {
                (true, _) | (false, false) => distinct,
                (false, true) => (rows as f64 * share).round() as u64,
            };
            column.nulls = figure(1).parse().unwrap_or(0.0) / seen.max(1) as f64;
            column.length = figure(2).parse().unwrap_or(0.0);
            let mut bounds = [row.get(4 + at * 5).cloned().flatten(), row.get(5 + at * 5).cloned().flatten()];
            if !is_whole && is_ordered(&column.kind) && unique.iter().any(|key| key[0] == column.name) {
                // An index has them at its ends.
                let (least, most) =
                    (format!("MIN({})", name(&[&column.name])), format!("MAX({})", name(&[&column.name])));
                let ends = self.control.rows(&format!("SELECT {least}, {most} FROM {own}"))?;
                bounds = [0, 1].map(|at| ends.first().and_then(|row| row.get(at).cloned().flatten()));
            }
            [column.least, column.most] = bounds.map(|bound| bound.map(|bound| self.sieve.value(&bound)));
        }
        Ok(!is_whole)
    }

    /// What makes the tables, and what comes behind their rows.
    fn definitions(&mut self, tables: &mut [Table]) -> Result<(String, String), Fault> {
        let mut schema = "SET NAMES utf8mb4;\nSET foreign_key_checks = 0;\n".to_string();
        let mut routines = "SET NAMES utf8mb4;\nDELIMITER //\n".to_string();
        let mut schemas: Vec<String> = tables.iter().map(|table| table.schema.clone()).collect();
        schemas.dedup();
        for own in schemas {
            let made = self.shown(&format!("SHOW CREATE DATABASE {}", name(&[&own])), 1)?;
            let made = made.replacen("CREATE DATABASE ", "CREATE DATABASE IF NOT EXISTS ", 1);
            schema += &format!("{made};\nUSE {};\n", name(&[&own]));
            routines += &format!("USE {}//\n", name(&[&own]));
            for table in tables.iter_mut().filter(|table| table.schema == own) {
                let made = self.shown(&format!("SHOW CREATE TABLE {}", name(&[&own, &table.name])), 1)?;
                for column in &mut table.columns {
                    column.is_json = made.contains(&format!("json_valid({})", name(&[&column.name])));
                }
                schema += &format!("{made};\n");
            }
            for made in self.routines(&own)? {
                routines += &format!("{made}//\n");
            }
        }
        Ok((schema, routines))
    }

    fn routines(&mut self, own: &str) -> Result<Vec<String>, Fault> {
        let mut all = Vec::new();
        for (kind, place, ask) in [
            (
                "FUNCTION",
                2,
                "SELECT routine_name FROM information_schema.routines WHERE routine_type = 'FUNCTION' AND routine_schema",
            ),
            (
                "PROCEDURE",
                2,
                "SELECT routine_name FROM information_schema.routines WHERE routine_type = 'PROCEDURE' AND routine_schema",
            ),
            ("VIEW", 1, "SELECT table_name FROM information_schema.views WHERE table_schema"),
            ("TRIGGER", 2, "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema"),
        ] {
            let found = self.control.rows(&format!("{ask} = '{}' ORDER BY 1", own.replace('\'', "''")))?;
            for row in &found {
                let shown = self.shown(&format!("SHOW CREATE {kind} {}", name(&[own, &text(row, 0)])), place)?;
                // Whoever may not see a body is shown none.
                if !shown.is_empty() {
                    all.push(undefined(&shown));
                }
            }
        }
        Ok(all)
    }

    fn shown(&mut self, sql: &str, place: usize) -> Result<String, Fault> {
        Ok(self.control.rows(sql)?.first().map(|row| text(row, place)).unwrap_or_default())
    }
}

/// Its values have bounds that mean something.
fn is_ordered(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let is = |word: &&str| kind.starts_with(*word);
    let all =
        ["tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "date", "time", "year"];
    all.iter().any(is)
}

/// Without the account that defined it, which is nobody's on another server.
fn undefined(made: &str) -> String {
    let Some((before, rest)) = made.split_once("DEFINER=`") else { return made.to_string() };
    let after = rest.split_once("`@`").and_then(|(_, host)| host.split_once("` "));
    after.map_or_else(|| made.to_string(), |(_, after)| format!("{before}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_loses_the_account_that_made_it_and_nothing_else() {
        assert_eq!(
            undefined("CREATE DEFINER=`a b`@`%` FUNCTION `f`() RETURNS int"),
            "CREATE FUNCTION `f`() RETURNS int"
        );
        assert_eq!(
            undefined("CREATE ALGORITHM=MERGE DEFINER=`r`@`h` SQL SECURITY DEFINER VIEW v"),
            "CREATE ALGORITHM=MERGE SQL SECURITY DEFINER VIEW v"
        );
        assert_eq!(undefined("CREATE TABLE t"), "CREATE TABLE t");
    }

    #[test]
    fn numbers_and_times_have_bounds() {
        let has = ["int(11)", "BIGINT unsigned", "decimal(3,1)", "datetime(6)", "timestamp", "year(4)"].map(is_ordered);
        assert_eq!(has, [true; 6]);
        assert!(!["varchar(9)", "tinyblob", "enum('int')", "json"].map(is_ordered).iter().any(|is| *is));
    }
}
