//! The statements of the family, and the classes under which their answers are counted. What sysbench says too is said
//! in its words.

use crate::oltp::Kind;
use crate::session::Class;
use crate::{Doing, Statement};
use std::fmt::{Display, Write};

/// A statement of a transaction, prepared once per table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Say {
    Point,
    Simple,
    Sum,
    Order,
    Distinct,
    Secondary,
    UpdateNonIndex,
    UpdateIndex,
    Insert,
}

/// What is asked about ids that are not current: the seed's cases of EXPLAIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// By primary key, where neither a current row nor history is.
    NeverThere,
    /// By primary key, where only history has hits.
    HistoryOnly,
    RangeOutside,
    UpdateOutside,
    MinMax,
}

/// A question that names the time it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Past {
    AsOfTimestamp,
    AllVersions,
    VersionsBetween,
    /// Where versions are known by it.
    AsOfTransaction,
}

pub(super) const STATEMENTS: &[Statement] = &[
    Statement { name: "point_selects", doing: Doing::Read },
    Statement { name: "simple_ranges", doing: Doing::Read },
    Statement { name: "sum_ranges", doing: Doing::Read },
    Statement { name: "order_ranges", doing: Doing::Read },
    Statement { name: "distinct_ranges", doing: Doing::Read },
    Statement { name: "secondary_selects", doing: Doing::Read },
    Statement { name: "non_index_updates", doing: Doing::Write },
    Statement { name: "index_updates", doing: Doing::Write },
    Statement { name: "inserts", doing: Doing::Write },
    Statement { name: "never_there", doing: Doing::Read },
    Statement { name: "history_only", doing: Doing::Read },
    Statement { name: "range_outside", doing: Doing::Read },
    Statement { name: "update_outside", doing: Doing::Write },
    Statement { name: "min_max", doing: Doing::Read },
    Statement { name: "as_of_timestamp", doing: Doing::Read },
    Statement { name: "all_versions", doing: Doing::Read },
    Statement { name: "versions_between", doing: Doing::Read },
    Statement { name: "as_of_transaction", doing: Doing::Read },
    Statement { name: "deletes", doing: Doing::Write },
    Statement { name: "moments", doing: Doing::Write },
    Statement { name: "begin", doing: Doing::Begin },
    Statement { name: "commit", doing: Doing::Commit },
    Statement { name: "rollback", doing: Doing::Rollback },
    // They write no row that anybody counts.
    Statement { name: "creates", doing: Doing::Read },
    Statement { name: "counts", doing: Doing::Plumbing },
    Statement { name: "prepare", doing: Doing::Plumbing },
    Statement { name: "setup", doing: Doing::Plumbing },
];

const CASES: u16 = 9;
const PASTS: u16 = 14;
pub(super) const DELETE: Class = Class(18);
pub(super) const MOMENT: Class = Class(19);
pub(super) const BEGIN: Class = Class(20);
pub(super) const COMMIT: Class = Class(21);
pub(super) const ROLLBACK: Class = Class(22);
pub(super) const CREATE: Class = Class(23);
pub(super) const COUNT: Class = Class(24);
pub(super) const PREPARE: Class = Class(25);

pub(super) fn name(class: Class) -> &'static str {
    STATEMENTS[usize::from(class.0)].name
}

impl Say {
    pub const ALL: [Self; 9] = [
        Self::Point,
        Self::Simple,
        Self::Sum,
        Self::Order,
        Self::Distinct,
        Self::Secondary,
        Self::UpdateNonIndex,
        Self::UpdateIndex,
        Self::Insert,
    ];
    pub const RANGES: [Self; 4] = [Self::Simple, Self::Sum, Self::Order, Self::Distinct];

    pub fn class(self) -> Class {
        Class(self as u16)
    }
    pub fn writes(self) -> bool {
        STATEMENTS[self as usize].doing == Doing::Write
    }
    /// Replaces `sql` by the statement with these values, or question marks; the first of `values` is the id, or `k`
    /// where rows are found by it.
    pub fn write(self, sql: &mut String, table: u64, values: [impl Display; 2], texts: [impl Display; 2]) {
        let kind = match self {
            Self::Point => Kind::Point,
            Self::Simple => Kind::Simple,
            Self::Sum => Kind::Sum,
            Self::Order => Kind::Order,
            Self::Distinct => Kind::Distinct,
            Self::UpdateNonIndex => Kind::NonIndexUpdate,
            Self::UpdateIndex => Kind::IndexUpdate,
            Self::Insert => Kind::Insert,
            Self::Secondary => {
                sql.clear();
                let [k, _] = values;
                return write!(sql, "SELECT c FROM sbtest{table} WHERE k={k}")
                    .expect("writing into a String cannot fail");
            }
        };
        kind.write(sql, table, values, texts);
    }
}

impl Case {
    pub const ALL: [Self; 5] =
        [Self::NeverThere, Self::HistoryOnly, Self::RangeOutside, Self::UpdateOutside, Self::MinMax];

    pub fn class(self) -> Class {
        Class(CASES + self as u16)
    }
    pub fn writes(self) -> bool {
        self == Self::UpdateOutside
    }
    /// The seed's statements, about `id` and what follows up to `last`.
    pub fn write(self, sql: &mut String, table: u64, id: u64, last: u64) {
        sql.clear();
        match self {
            Self::NeverThere | Self::HistoryOnly => write!(sql, "SELECT c FROM sbtest{table} WHERE id={id}"),
            Self::RangeOutside => write!(sql, "SELECT id FROM sbtest{table} WHERE id BETWEEN {id} AND {last}"),
            Self::UpdateOutside => write!(sql, "UPDATE sbtest{table} SET id={id} WHERE id={id}"),
            Self::MinMax => write!(sql, "SELECT MIN(id), MAX(id) FROM sbtest{table}"),
        }
        .expect("writing into a String cannot fail");
    }
}

impl Past {
    pub const ALL: [Self; 4] = [Self::AsOfTimestamp, Self::AllVersions, Self::VersionsBetween, Self::AsOfTransaction];

    pub fn class(self) -> Class {
        Class(PASTS + self as u16)
    }
    /// Versions of one id, the one that ended first before the others; `moment` is a timestamp, `transaction` a number.
    /// Without a past there is only the present, whose row is then asked for.
    pub fn write(self, sql: &mut String, table: u64, id: u64, past: Option<(&str, &str)>) {
        sql.clear();
        let written = write!(sql, "SELECT k, c FROM sbtest{table} ").and_then(|()| match (self, past) {
            (_, None) => write!(sql, "WHERE id={id}"),
            (Self::AsOfTimestamp, Some((moment, _))) => {
                write!(sql, "FOR SYSTEM_TIME AS OF TIMESTAMP '{moment}' WHERE id={id}")
            }
            (Self::AsOfTransaction, Some((_, transaction))) => {
                write!(sql, "FOR SYSTEM_TIME AS OF TRANSACTION {transaction} WHERE id={id}")
            }
            (Self::AllVersions, Some(_)) => write!(sql, "FOR SYSTEM_TIME ALL WHERE id={id} ORDER BY row_end"),
            (Self::VersionsBetween, Some((moment, _))) => {
                write!(sql, "FOR SYSTEM_TIME BETWEEN TIMESTAMP '{moment}' AND NOW(6) WHERE id={id} ORDER BY row_end")
            }
        });
        written.expect("writing into a String cannot fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_point_at_their_names() {
        assert_eq!(
            Say::ALL.map(|say| name(say.class()))[5..],
            ["secondary_selects", "non_index_updates", "index_updates", "inserts"]
        );
        assert_eq!(Case::ALL.map(|case| name(case.class()))[0], "never_there");
        assert_eq!(Case::ALL.map(|case| name(case.class()))[4], "min_max");
        assert_eq!(Past::ALL.map(|past| name(past.class()))[0], "as_of_timestamp");
        assert_eq!(Past::ALL.map(|past| name(past.class()))[3], "as_of_transaction");
        let others = [DELETE, MOMENT, BEGIN, COMMIT, ROLLBACK, CREATE, COUNT, PREPARE];
        let names = ["deletes", "moments", "begin", "commit", "rollback", "creates", "counts", "prepare"];
        assert_eq!(others.map(name), names);
    }
}
