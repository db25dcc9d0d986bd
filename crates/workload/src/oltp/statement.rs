//! The statements, in sysbench's exact words, and the classes under which their answers are counted.

use crate::draw::strings;
use crate::session::Class;
use crate::{Doing, Statement};
use std::fmt::{Display, Formatter, Write};

/// A kind of statement that a transaction may have, in the order in which it has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Point,
    Simple,
    Sum,
    Order,
    Distinct,
    IndexUpdate,
    NonIndexUpdate,
    Delete,
    Insert,
}

pub(crate) const STATEMENTS: &[Statement] = &[
    Statement { name: "point_selects", doing: Doing::Read },
    Statement { name: "simple_ranges", doing: Doing::Read },
    Statement { name: "sum_ranges", doing: Doing::Read },
    Statement { name: "order_ranges", doing: Doing::Read },
    Statement { name: "distinct_ranges", doing: Doing::Read },
    Statement { name: "index_updates", doing: Doing::Write },
    Statement { name: "non_index_updates", doing: Doing::Write },
    Statement { name: "deletes", doing: Doing::Write },
    Statement { name: "inserts", doing: Doing::Write },
    Statement { name: "random_points", doing: Doing::Read },
    Statement { name: "random_ranges", doing: Doing::Read },
    Statement { name: "bulk_inserts", doing: Doing::Write },
    Statement { name: "begin", doing: Doing::Begin },
    Statement { name: "commit", doing: Doing::Commit },
    Statement { name: "rollback", doing: Doing::Rollback },
    Statement { name: "prepare", doing: Doing::Plumbing },
    Statement { name: "setup", doing: Doing::Plumbing },
];

pub(super) const RANDOM_POINTS: Class = Class(9);
pub(super) const RANDOM_RANGES: Class = Class(10);
pub(super) const BULK_INSERT: Class = Class(11);
pub(super) const BEGIN: Class = Class(12);
pub(super) const COMMIT: Class = Class(13);
pub(super) const ROLLBACK: Class = Class(14);
pub(super) const PREPARE: Class = Class(15);

/// The texts of a row that is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texts {
    pub c: [u8; strings::C],
    pub pad: [u8; strings::PAD],
}

/// A text as a literal; ours are digits and hyphens, which need no escape.
pub(super) struct Quoted<'a>(pub &'a [u8]);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{}'", std::str::from_utf8(self.0).expect("texts are ASCII"))
    }
}

impl Kind {
    pub const ALL: [Self; 9] = [
        Self::Point,
        Self::Simple,
        Self::Sum,
        Self::Order,
        Self::Distinct,
        Self::IndexUpdate,
        Self::NonIndexUpdate,
        Self::Delete,
        Self::Insert,
    ];
    pub const READS: [Self; 5] = [Self::Point, Self::Simple, Self::Sum, Self::Order, Self::Distinct];

    /// Kinds come first among the statements, in the order of `ALL`.
    pub fn class(self) -> Class {
        Class(self as u16)
    }
    pub fn name(self) -> &'static str {
        STATEMENTS[self as usize].name
    }
    pub fn writes(self) -> bool {
        STATEMENTS[self as usize].doing == Doing::Write
    }
    pub fn is_range(self) -> bool {
        match self {
            Self::Simple | Self::Sum | Self::Order | Self::Distinct => true,
            Self::Point | Self::IndexUpdate | Self::NonIndexUpdate | Self::Delete | Self::Insert => false,
        }
    }
    /// Replaces `sql` by the statement with these values, or question marks: one id or the two of a range, the id and
    /// `k` of an insert; `c` and `pad` where they are written.
    pub fn write(self, sql: &mut String, table: u64, [first, last]: [impl Display; 2], [c, pad]: [impl Display; 2]) {
        sql.clear();
        match self {
            Self::Point => write!(sql, "SELECT c FROM sbtest{table} WHERE id={first}"),
            Self::Simple => write!(sql, "SELECT c FROM sbtest{table} WHERE id BETWEEN {first} AND {last}"),
            Self::Sum => write!(sql, "SELECT SUM(k) FROM sbtest{table} WHERE id BETWEEN {first} AND {last}"),
            Self::Order => write!(sql, "SELECT c FROM sbtest{table} WHERE id BETWEEN {first} AND {last} ORDER BY c"),
            Self::Distinct => {
                write!(sql, "SELECT DISTINCT c FROM sbtest{table} WHERE id BETWEEN {first} AND {last} ORDER BY c")
            }
            Self::IndexUpdate => write!(sql, "UPDATE sbtest{table} SET k=k+1 WHERE id={first}"),
            Self::NonIndexUpdate => write!(sql, "UPDATE sbtest{table} SET c={c} WHERE id={first}"),
            Self::Delete => write!(sql, "DELETE FROM sbtest{table} WHERE id={first}"),
            Self::Insert => {
                write!(sql, "INSERT INTO sbtest{table} (id, k, c, pad) VALUES ({first}, {last}, {c}, {pad})")
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
            [
                "point_selects",
                "simple_ranges",
                "sum_ranges",
                "order_ranges",
                "distinct_ranges",
                "index_updates",
                "non_index_updates",
                "deletes",
                "inserts"
            ]
        );
        assert_eq!(
            [RANDOM_POINTS, RANDOM_RANGES, BULK_INSERT, BEGIN, COMMIT, ROLLBACK, PREPARE].map(name),
            ["random_points", "random_ranges", "bulk_inserts", "begin", "commit", "rollback", "prepare"]
        );
    }
}
