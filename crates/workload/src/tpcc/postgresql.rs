//! The same tables and questions in PostgreSQL's SQL. Its types have other names, a collation is said of each text,
//! keys and indexes are statements of their own, which come when all rows are in, and so do constraints, which ask for
//! the keys of other tables.

use super::knobs::{Dates, ForeignKeys, Shape};
use super::schema::{CONSTRAINTS, INDEXES, Kind, NEEDED};
use crate::dataset::Table;

/// An update writes the whole row once more: a page whose rows are all updated in one transaction has room for that.
const ROOM: &str = " WITH (fillfactor = 50)";

/// Types that are called otherwise: MySQL's, and what stands for it.
const TYPES: [(&str, &str); 4] = [
    ("tinyint", "smallint"),
    ("datetime", "timestamp"),
    ("timestamp NULL", "timestamp with time zone"),
    ("int", "integer"),
];

pub(super) fn table(kind: Kind, set: u64, rows: u64, shape: &Shape) -> Table {
    let (key, name) = (kind.primary_key(), format!("{}{set}", kind.name()));
    let keyed = kind != Kind::History || shape.history_key;
    let is_key = |name: &str| key.split(", ").any(|part| part == name);
    let line = |(name, kind): (&str, String)| {
        let rest = if is_key(name) { " NOT NULL" } else { "" };
        format!("{name} {}{rest}", said(&kind, shape))
    };
    let number = (kind == Kind::History && keyed).then(|| "id SERIAL".to_string());
    let lines: Vec<String> = number.into_iter().chain(kind.definitions(shape).into_iter().map(line)).collect();
    let has_room = shape.dates == Dates::Room && matches!(kind, Kind::Orders | Kind::OrderLine);
    let room = if has_room { ROOM } else { "" };
    let create = format!("CREATE TABLE {name} (\n  {}\n){room}", lines.join(",\n  "));
    let mut after: Vec<String> =
        keyed.then(|| format!("ALTER TABLE {name} ADD PRIMARY KEY ({key})")).into_iter().collect();
    after.extend(behind(kind, set, shape));
    Table { name, create, rows, after }
}

/// A type, with what stands behind it.
fn said(kind: &str, shape: &Shape) -> String {
    let known = TYPES.iter().find_map(|(theirs, ours)| Some((ours, kind.strip_prefix(theirs)?)));
    let is_text = ["char", "varchar", "text"].iter().any(|text| kind.starts_with(text));
    match known {
        Some((ours, rest)) => format!("{ours}{rest}"),
        None if is_text => format!("{kind} COLLATE \"{}\"", shape.charset.collation),
        None => kind.to_string(),
    }
}

fn behind(kind: Kind, set: u64, shape: &Shape) -> Vec<String> {
    let wanted = if shape.all_indexes { INDEXES.len() } else { NEEDED };
    let name = kind.name();
    let index = |(index, of, columns): &(&str, Kind, &str)| {
        (*of == kind).then(|| format!("CREATE INDEX {index}{set} ON {name}{set} ({columns})"))
    };
    let constraints = CONSTRAINTS.iter().filter(|c| c.1 == kind && shape.foreign_keys != ForeignKeys::None);
    let constraint = |(constraint, _, columns, other, theirs): &(&str, Kind, &str, &str, &str)| {
        format!(
            "ALTER TABLE {name}{set} ADD CONSTRAINT {constraint}{set} FOREIGN KEY ({columns}) REFERENCES {other}{set} ({theirs})"
        )
    };
    INDEXES[..wanted].iter().filter_map(index).chain(constraints.map(constraint)).collect()
}

/// A question in this SQL.
pub(super) fn asked(sql: &str) -> String {
    sql.replace(" AS SIGNED)", " AS BIGINT)").replace("DATABASE()", "current_schema()")
}

/// Pages of the table that the study is about, in the place of an index's leaves: rows lie in the heap, and grow there.
pub(super) const PAGES: &str = "SELECT pg_relation_size('order_line#') / current_setting('block_size')::integer";

#[cfg(test)]
mod tests {
    use crate::Workloads;
    use model::Seed;
    use model::plan::served::HEAP;

    #[test]
    fn tables_and_what_follows_them_are_in_postgresqls_words() {
        let workload = Workloads::built_in().planned("tpcc.faithful");
        let defaults = workload.words().parameters.into_iter();
        let mut parameters: crate::Parameters =
            defaults.filter_map(|p| Some((p.name.to_string(), p.default?.value()))).collect();
        parameters.insert("charset".into(), "utf8-icu".into());
        parameters.insert("foreign_keys".into(), "checked".into());
        parameters.insert("date_columns".into(), "default".into());
        let tables = workload.dataset(&parameters, HEAP, Seed(1)).expect("it has data").tables();
        let text: Vec<String> = tables.iter().map(|t| format!("{};\n{}", t.create, t.after.join(";\n"))).collect();
        insta::assert_snapshot!(text.join("\n\n"));
        assert!(workload.audit(&parameters).questions.iter().flat_map(|q| &q.sql).all(|sql| !sql.contains("SIGNED")));
    }
}
