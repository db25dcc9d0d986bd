//! Hot path: the statements of the family as text, which is how the public script says them, and the classes under
//! which their answers are counted.

use super::postgresql;
use super::rows::row;
use super::schema::{COLUMN_COUNT, COLUMNS, INDEXES};
use super::work::Keys;
use crate::session::Class;
use crate::{Doing, Statement};
use model::Protocol;
use std::fmt::Write;
use std::ops::Range;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement { name: "inserts", doing: Doing::Write },
    Statement { name: "deletes", doing: Doing::Write },
    Statement { name: "market_queries", doing: Doing::Read },
    Statement { name: "register_queries", doing: Doing::Read },
    Statement { name: "pdc_queries", doing: Doing::Read },
    Statement { name: "point_queries", doing: Doing::Read },
    // Called by what it changes, so that a table which has other indexes afterwards is known to be its doing. It writes
    // no row that anybody counts.
    Statement { name: "alter table pi1", doing: Doing::Read },
    Statement { name: "begin", doing: Doing::Begin },
    Statement { name: "commit", doing: Doing::Commit },
    Statement { name: "rollback", doing: Doing::Rollback },
    Statement { name: "looks", doing: Doing::Plumbing },
    Statement { name: "prepare", doing: Doing::Plumbing },
    Statement { name: "setup", doing: Doing::Plumbing },
];

pub(super) const INSERT: Class = Class(0);
pub(super) const DELETE: Class = Class(1);
pub(super) const MARKET: Class = Class(2);
pub(super) const REGISTER: Class = Class(3);
pub(super) const PDC: Class = Class(4);
pub(super) const POINT: Class = Class(5);
pub(super) const ALTER: Class = Class(6);
pub(super) const BEGIN: Class = Class(7);
pub(super) const COMMIT: Class = Class(8);
pub(super) const ROLLBACK: Class = Class(9);
pub(super) const LOOK: Class = Class(10);
pub(super) const PREPARE: Class = Class(11);

const APPENDED: &str = "writing into a String cannot fail";

pub(super) fn name(class: Class) -> &'static str {
    STATEMENTS[usize::from(class.0)].name
}

/// Replaces `sql` by an INSERT of these rows of a client.
pub(super) fn insert(sql: &mut String, client: u64, keys: Keys, rows: Range<u64>) {
    sql.clear();
    write!(sql, "INSERT INTO pi{} ({COLUMNS}) VALUES ", keys.table).expect(APPENDED);
    let mut digits = itoa::Buffer::new();
    for number in rows.clone() {
        sql.push_str(if number == rows.start { "(" } else { ",(" });
        sql.push_str(digits.format(keys.key(number)));
        sql.push(',');
        row(client, number).write("'", ",", &mut |piece| sql.push_str(piece));
        sql.push(')');
    }
}

/// Replaces `sql` by an INSERT of so many rows whose values come later.
pub(super) fn prepared_insert(sql: &mut String, dialect: Protocol, table: u64, rows: u64) {
    sql.clear();
    write!(sql, "INSERT INTO pi{table} ({COLUMNS}) VALUES ").expect(APPENDED);
    for row in 0..rows {
        sql.push_str(if row == 0 { "(" } else { ",(" });
        for column in 1..=COLUMN_COUNT {
            sql.push_str(if column == 1 { "" } else { "," });
            match dialect {
                Protocol::PostgreSql => write!(sql, "${}", row * COLUMN_COUNT + column).expect(APPENDED),
                _ => sql.push('?'),
            }
        }
        sql.push(')');
    }
}

/// Replaces `sql` by a DELETE of these rows, the client's oldest: as the public script says it, and by name where the
/// keys between them are others'.
pub(super) fn delete(sql: &mut String, dialect: Protocol, keys: Keys, rows: Range<u64>) {
    if keys.stride == 1 && dialect == Protocol::PostgreSql {
        return postgresql::delete(sql, keys, rows);
    }
    sql.clear();
    if keys.stride == 1 {
        let (first, count) = (keys.key(rows.start), rows.end - rows.start);
        return write!(
            sql,
            "DELETE FROM pi{} WHERE transactionid >= {first} ORDER BY transactionid ASC LIMIT {count}",
            keys.table
        )
        .expect(APPENDED);
    }
    write!(sql, "DELETE FROM pi{} WHERE transactionid IN (", keys.table).expect(APPENDED);
    list(sql, rows.map(|number| keys.key(number)));
}

/// The class of the query by a secondary index.
pub(super) fn by_index(index: usize) -> Class {
    [MARKET, REGISTER, PDC][index]
}

/// Replaces `sql` by a query of that many entries of an index, from a place on.
pub(super) fn range(sql: &mut String, dialect: Protocol, table: u64, index: usize, from: u64, rows: u64) {
    sql.clear();
    let (name, columns) = INDEXES[index];
    let first = columns.split(',').next().unwrap_or_default();
    // The public script asks registers behind the drawn one, and the others from it on.
    let at_least = if name == "registersegment" { ">" } else { ">=" };
    write!(sql, "SELECT {columns} FROM pi{table}").expect(APPENDED);
    if dialect != Protocol::PostgreSql {
        write!(sql, " FORCE INDEX (pi{table}_{name})").expect(APPENDED);
    }
    write!(sql, " WHERE ({first} {at_least} {from}) ORDER BY {columns} LIMIT {rows}").expect(APPENDED);
}

/// Replaces `sql` by a query of rows by their keys.
pub(super) fn points(sql: &mut String, table: u64, keys: impl Iterator<Item = u64>) {
    sql.clear();
    write!(sql, "SELECT transactionid, productid, data FROM pi{table} WHERE transactionid IN (").expect(APPENDED);
    list(sql, keys);
}

fn list(sql: &mut String, keys: impl Iterator<Item = u64>) {
    for (place, key) in keys.enumerate() {
        write!(sql, "{}{key}", if place == 0 { "" } else { "," }).expect(APPENDED);
    }
    sql.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_point_at_their_names() {
        let named =
            [INSERT, DELETE, MARKET, REGISTER, PDC, POINT, ALTER, BEGIN, COMMIT, ROLLBACK, LOOK, PREPARE].map(name);
        let names = STATEMENTS.iter().map(|statement| statement.name).collect::<Vec<_>>();
        assert_eq!(named[..], names[..named.len()]);
    }
}
