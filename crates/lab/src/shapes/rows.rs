//! Rows of a table by their number, so that unique keys are unique, and every column has about as many different values
//! as it had.

use super::values::literal;
use super::{Column, Shapes, Table};
use model::seed::split_mix;

/// How a row's number becomes the number of a column's value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// The digit of a number whose digits are the columns of a unique key.
    Digit { unit: u64, of: u64 },
    /// Any, as the number says; the column's own salt, so that columns are independent.
    Drawn { salt: u64, of: u64 },
}

pub struct Rows<'a> {
    columns: Vec<Own<'a>>,
}

struct Own<'a> {
    column: &'a Column,
    /// Whose values it has.
    domain: &'a Column,
    place: Place,
    /// Literals that it has before any others.
    first: Vec<String>,
}

impl<'a> Rows<'a> {
    /// `first` are values that each column is to have among its own, as literals; unique keys have theirs.
    pub fn new(shapes: &'a Shapes, table: &'a Table, first: Vec<Vec<String>>) -> Self {
        let digits = digits(table);
        let of_column = |(at, (column, first)): (usize, (&'a Column, Vec<String>))| {
            // What refers to another column has that one's values.
            let domain = column.refers.as_ref().and_then(|refers| shapes.column(refers)).unwrap_or(column);
            let place = digits[at].unwrap_or(Place::Drawn {
                salt: split_mix(at as u64 + 1),
                of: column.distinct.clamp(1, domain.distinct.max(1)),
            });
            Own { column, domain, place, first }
        };
        Self { columns: table.columns.iter().zip(first).enumerate().map(of_column).collect() }
    }

    /// The literals of one row, in the order of the table's columns.
    pub fn row(&self, number: u64) -> Vec<String> {
        let one = |own: &Own| match own.place {
            Place::Digit { unit, of } => literal(own.domain, number / unit % of, of.max(own.domain.distinct)),
            Place::Drawn { salt, of } => {
                let drawn = split_mix(number ^ salt);
                let share = (split_mix(drawn) >> 11) as f64 / (1u64 << 53) as f64;
                let value = drawn % of;
                match own.first.get(value as usize) {
                    _ if share < own.column.nulls => "NULL".to_string(),
                    Some(first) => first.clone(),
                    None => literal(own.domain, value, of.max(own.domain.distinct)),
                }
            }
        };
        self.columns.iter().map(one).collect()
    }
}

/// The columns of unique keys: for each key a number that counts the rows, whose digits they are; the column with most
/// values is the one that counts on where the others are exhausted.
fn digits(table: &Table) -> Vec<Option<Place>> {
    let mut places: Vec<Option<Place>> = vec![None; table.columns.len()];
    for key in &table.unique {
        let at = |name: &String| table.columns.iter().position(|column| column.name == *name);
        let all: Vec<usize> = key.iter().filter_map(at).collect();
        let is_unique =
            all.iter().any(|at| matches!(places[*at], Some(Place::Digit { unit: 1, of }) if of >= table.rows));
        let mut free: Vec<usize> = all.iter().copied().filter(|at| places[*at].is_none()).collect();
        // A column that the server computes, or one of another key, makes it unique or cannot be helped.
        if is_unique || free.is_empty() {
            continue;
        }
        // The one with most values comes last, and counts on.
        free.sort_by_key(|at| (table.columns[*at].distinct, *at));
        let last = free.pop().expect("it is not empty");
        let mut unit = 1u64;
        if free.len() + 1 == all.len() {
            for at in free {
                let of = table.columns[at].distinct.max(1);
                places[at] = Some(Place::Digit { unit, of });
                unit = unit.saturating_mul(of);
            }
        }
        let of = table.rows.max(1).div_ceil(unit);
        places[last] = Some(Place::Digit { unit, of: of.max(1) });
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn column(name: &str, distinct: u64) -> Column {
        Column { name: name.into(), kind: "int".into(), distinct, ..Column::default() }
    }

    fn table(rows: u64, columns: Vec<Column>, unique: &[&[&str]]) -> Table {
        let unique = unique.iter().map(|key| key.iter().map(ToString::to_string).collect()).collect();
        Table { schema: "s".into(), name: "t".into(), rows, columns, unique }
    }

    fn shapes(table: &Table) -> Shapes {
        let tables = vec![table.clone()];
        Shapes {
            version: super::super::VERSION,
            server: String::new(),
            made: model::Nanos(0),
            masked: None,
            notes: Vec::new(),
            tables,
        }
    }

    proptest! {
        #[test]
        fn unique_keys_are_unique_and_columns_have_as_many_values_as_they_had(
            rows in 1u64..3_000, warehouses in 1u64..12, districts in 1u64..12, colours in 1u64..20,
        ) {
            let columns = vec![
                column("w", warehouses), column("d", districts), column("o", rows.div_ceil(warehouses * districts)),
                column("code", rows), column("colour", colours),
            ];
            let table = table(rows, columns, &[&["w", "d", "o"], &["code"]]);
            let shapes = shapes(&table);
            let all = Rows::new(&shapes, &table, vec![Vec::new(); 5]);
            let made: Vec<Vec<String>> = (0..rows).map(|number| all.row(number)).collect();
            let keys: HashSet<_> = made.iter().map(|row| &row[..3]).collect();
            let codes: HashSet<_> = made.iter().map(|row| &row[3]).collect();
            prop_assert_eq!((keys.len(), codes.len()), (made.len(), made.len()));
            let different = made.iter().map(|row| &row[4]).collect::<HashSet<_>>().len() as u64;
            prop_assert!(different <= colours && (rows < colours * 20 || different == colours), "{different} of {colours}");
        }
    }

    #[test]
    fn what_refers_to_another_column_has_its_values() {
        let parent = table(
            50,
            vec![Column { least: Some("1".into()), most: Some("99".into()), ..column("id", 50) }],
            &[&["id"]],
        );
        let refers = Some(["s".into(), "t".into(), "id".into()]);
        let child = Table { name: "u".into(), ..table(200, vec![Column { refers, ..column("t", 20) }], &[]) };
        let shapes = Shapes { tables: vec![parent.clone(), child.clone()], ..shapes(&parent) };
        let parents: HashSet<Vec<String>> =
            (0..50).map(|number| Rows::new(&shapes, &parent, vec![Vec::new()]).row(number)).collect();
        let children: HashSet<Vec<String>> =
            (0..200).map(|number| Rows::new(&shapes, &child, vec![Vec::new()]).row(number)).collect();
        assert!(children.is_subset(&parents) && children.len() == 20, "{children:?}");
    }
}
