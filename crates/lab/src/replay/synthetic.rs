//! Rows made of statistics: of each table as many as it had. First come those that the trace asks for by the values
//! that it holds columns to, then others, whose columns have those values among their own.

use super::asked::{AskedFor, AskedOfTable, Held};
use super::facts::folded;
use super::loading::Loading;
use crate::shapes::rows::Rows;
use crate::shapes::{Shapes, Table, identifier};
use crate::trouble::Trouble;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use trace::sql::literal::quote;

/// Rows of one statement, and its length: more makes loading no faster, and every server takes a packet of 1 MiB.
const AT_ONCE: usize = 1_000;
const LONG: usize = 512 << 10;
/// What no row may break, but for what statistics cannot know; a zero is a value and no wish for the next number.
const MANNERS: &[u8] = b"SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO', foreign_key_checks = 0, time_zone = '+00:00'";

/// Makes the rows of all tables; `at` is told how many of how many there are. What could not be made is told.
pub(super) fn fill(
    loading: &mut Loading,
    shapes: &Shapes,
    asked: &AskedFor,
    stop: &AtomicBool,
    at: &dyn Fn(u64, u64),
) -> Result<Vec<String>, Trouble> {
    let (all, mut before, mut notes) = (shapes.tables.iter().map(|table| table.rows).sum(), 0, Vec::new());
    loading.say(MANNERS)?;
    for table in shapes.tables.iter().filter(|table| !table.columns.is_empty()) {
        let nothing = AskedOfTable::default();
        let made =
            Filling::new(shapes, table, asked.table(&table.name).unwrap_or(&nothing))
                .fill(loading, stop, &|made| at(before + made, all))?;
        if made < table.rows {
            notes.push(format!(
                "{}.{}: {made} of {} rows could be made; the others would break a key or a condition.",
                table.schema, table.name, table.rows
            ));
        }
        before += table.rows;
    }
    Ok(notes)
}

struct Filling<'a> {
    table: &'a Table,
    rows: Rows<'a>,
    /// By column in small letters.
    places: BTreeMap<String, usize>,
    there: &'a BTreeSet<Held>,
    /// What the trace inserts itself: for each unique key the values that it must not have yet.
    inserted: Vec<HashSet<Vec<String>>>,
    /// The columns of each unique key.
    unique: Vec<Vec<usize>>,
}

impl<'a> Filling<'a> {
    fn new(shapes: &'a Shapes, table: &'a Table, asked: &'a AskedOfTable) -> Self {
        let places: BTreeMap<String, usize> =
            table.columns.iter().enumerate().map(|(at, column)| (column.name.to_lowercase(), at)).collect();
        let mut values: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); table.columns.len()];
        for (column, value) in asked.there.iter().flatten() {
            if let Some(at) = places.get(column) {
                values[*at].insert(value);
            }
        }
        let values = values.into_iter().map(|own| own.into_iter().map(quoted).collect()).collect();
        let key = |key: &Vec<String>| key.iter().filter_map(|name| places.get(&name.to_lowercase()).copied()).collect();
        let unique: Vec<Vec<usize>> = table.unique.iter().map(key).collect();
        let mut filling = Self {
            table,
            rows: Rows::new(shapes, table, values),
            places,
            there: &asked.there,
            inserted: Vec::new(),
            unique,
        };
        filling.inserted = filling
            .unique
            .iter()
            .map(|key| asked.inserted.iter().filter_map(|held| filling.key_of(key, held)).collect())
            .collect();
        filling
    }

    /// The values that a key has in what is held, where all its columns are.
    fn key_of(&self, key: &[usize], held: &Held) -> Option<Vec<String>> {
        key.iter().map(|at| folded(held.get(&self.table.columns[*at].name.to_lowercase())?)).collect()
    }

    /// The trace inserts a row that has one of this row's keys.
    fn is_inserted(&self, row: &[String]) -> bool {
        self.unique.iter().zip(&self.inserted).filter(|(_, inserted)| !inserted.is_empty()).any(|(key, inserted)| {
            let values: Option<Vec<String>> = key.iter().map(|at| folded(row[*at].trim_matches('\''))).collect();
            values.is_some_and(|values| inserted.contains(&values))
        })
    }

    fn fill(&self, loading: &mut Loading, stop: &AtomicBool, at: &dyn Fn(u64)) -> Result<u64, Trouble> {
        let names: Vec<String> = self.table.columns.iter().map(|column| identifier(&column.name)).collect();
        let head = format!(
            "INSERT IGNORE INTO {}.{} ({}) VALUES ",
            identifier(&self.table.schema),
            identifier(&self.table.name),
            names.join(", ")
        );
        let asked = self.there.iter().zip(0u64..).map(|(held, number)| {
            // Behind the others, so that what the trace does not say is no other row's.
            let mut row = self.rows.row(self.table.rows.saturating_sub(number + 1));
            for (column, value) in held {
                if let Some(at) = self.places.get(column) {
                    row[*at] = quoted(value);
                }
            }
            row
        });
        let mut rows = asked.chain((0..self.table.rows).map(|number| self.rows.row(number)));
        let (mut made, mut is_over) = (0, false);
        loading.say(b"BEGIN")?;
        while made < self.table.rows && !is_over {
            if stop.load(Relaxed) {
                return Err(Trouble::new("asked to stop"));
            }
            // One more than there are to be would be one too many.
            let (mut sql, wanted) = (head.clone(), AT_ONCE.min((self.table.rows - made) as usize));
            let mut many = 0;
            while many < wanted && sql.len() < LONG {
                let Some(row) = rows.find(|row| !self.is_inserted(row)) else {
                    is_over = true;
                    break;
                };
                sql += if many == 0 { "(" } else { ", (" };
                sql += &row.join(", ");
                sql += ")";
                many += 1;
            }
            if many > 0 {
                made += loading.say(sql.as_bytes())?;
                at(made);
            }
        }
        loading.say(b"COMMIT")?;
        Ok(made)
    }
}

fn quoted(value: &str) -> String {
    let mut out = Vec::new();
    quote(&mut out, value.as_bytes());
    String::from_utf8(out).expect("what was UTF-8 is so in quotes")
}
