//! The statements, in sysbench's exact words and order, and the classes under which their answers are counted.

use crate::session::Class;
use crate::{Doing, Statement};
use std::fmt::{Display, Write};

/// A kind of read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Point,
    Simple,
    Sum,
    Order,
    Distinct,
}

pub(crate) const STATEMENTS: &[Statement] = &[
    Statement { name: "point_selects", doing: Doing::Read },
    Statement { name: "simple_ranges", doing: Doing::Read },
    Statement { name: "sum_ranges", doing: Doing::Read },
    Statement { name: "order_ranges", doing: Doing::Read },
    Statement { name: "distinct_ranges", doing: Doing::Read },
    Statement { name: "begin", doing: Doing::Begin },
    Statement { name: "commit", doing: Doing::Commit },
    Statement { name: "rollback", doing: Doing::Rollback },
    Statement { name: "prepare", doing: Doing::Plumbing },
    Statement { name: "setup", doing: Doing::Plumbing },
];

pub(super) const BEGIN: Class = Class(5);
pub(super) const COMMIT: Class = Class(6);
pub(super) const ROLLBACK: Class = Class(7);
pub(super) const PREPARE: Class = Class(8);

impl Kind {
    /// In the order of a transaction.
    pub const ALL: [Self; 5] = [Self::Point, Self::Simple, Self::Sum, Self::Order, Self::Distinct];

    /// Kinds come first among the statements, in the order of `ALL`.
    pub fn class(self) -> Class {
        Class(self as u16)
    }
    pub fn name(self) -> &'static str {
        STATEMENTS[self as usize].name
    }
    /// How many ids it takes.
    pub fn arity(self) -> usize {
        match self {
            Self::Point => 1,
            Self::Simple | Self::Sum | Self::Order | Self::Distinct => 2,
        }
    }
    /// Replaces `sql` by the statement with these ids, or question marks.
    pub fn write(self, sql: &mut String, table: u64, first: impl Display, last: impl Display) {
        sql.clear();
        match self {
            Self::Point => write!(sql, "SELECT c FROM sbtest{table} WHERE id={first}"),
            Self::Simple => write!(sql, "SELECT c FROM sbtest{table} WHERE id BETWEEN {first} AND {last}"),
            Self::Sum => write!(sql, "SELECT SUM(k) FROM sbtest{table} WHERE id BETWEEN {first} AND {last}"),
            Self::Order => write!(sql, "SELECT c FROM sbtest{table} WHERE id BETWEEN {first} AND {last} ORDER BY c"),
            Self::Distinct => {
                write!(sql, "SELECT DISTINCT c FROM sbtest{table} WHERE id BETWEEN {first} AND {last} ORDER BY c")
            }
        }
        .expect("writing into a String cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_point_at_their_names() {
        let name = |class: Class| STATEMENTS[usize::from(class.0)].name;
        assert_eq!(
            Kind::ALL.map(|kind| name(kind.class())),
            ["point_selects", "simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"]
        );
        assert_eq!([BEGIN, COMMIT, ROLLBACK, PREPARE].map(name), ["begin", "commit", "rollback", "prepare"]);
    }
}
