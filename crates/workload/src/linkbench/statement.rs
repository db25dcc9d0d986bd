//! The statements, those of LinkBench's MySQL store and those of the fork of 2020, each written once: with question
//! marks for the server to prepare, which become literals where a statement is said as text. Bytes travel as LinkBench
//! sends them: quoted where all of them are letters, digits or escapable, else as hexadecimal digits.

use super::data::hex;
use super::postgresql;
use crate::session::{Class, Param};
use crate::{Doing, Statement};
use model::Protocol;
use std::io::Write;
use std::sync::LazyLock;

pub(super) const STATEMENTS: &[Statement] = &[
    Statement { name: "upsert_link", doing: Doing::Write },
    Statement { name: "write_link", doing: Doing::Write },
    Statement { name: "write_link_commit", doing: Doing::WriteAndCommit },
    Statement { name: "change_count", doing: Doing::Write },
    Statement { name: "change_count_commit", doing: Doing::WriteAndCommit },
    Statement { name: "lock_link", doing: Doing::Read },
    Statement { name: "hide_link", doing: Doing::Write },
    Statement { name: "insert_link", doing: Doing::Write },
    Statement { name: "count_links", doing: Doing::Read },
    Statement { name: "multiget_links", doing: Doing::Read },
    Statement { name: "get_links_list", doing: Doing::Read },
    Statement { name: "add_node", doing: Doing::Write },
    Statement { name: "update_node", doing: Doing::Write },
    Statement { name: "delete_node", doing: Doing::Write },
    Statement { name: "get_node", doing: Doing::Read },
    Statement { name: "begin", doing: Doing::Begin },
    Statement { name: "commit", doing: Doing::Commit },
    Statement { name: "rollback", doing: Doing::Rollback },
    Statement { name: "prepare", doing: Doing::Plumbing },
];

pub(super) const BEGIN: Class = Class(15);
pub(super) const COMMIT: Class = Class(16);
pub(super) const ROLLBACK: Class = Class(17);
pub(super) const PREPARE: Class = Class(18);

/// In whose SQL a statement is said, and whether updates of a link name the primary key in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    Hinted,
    PostgreSql,
}

impl Form {
    const ALL: [Self; 3] = [Self::Plain, Self::Hinted, Self::PostgreSql];

    /// In PostgreSQL no statement can name an index.
    pub fn of(dialect: Protocol, hinted: bool) -> Self {
        match dialect {
            Protocol::PostgreSql => Self::PostgreSql,
            _ if hinted => Self::Hinted,
            _ => Self::Plain,
        }
    }
}

/// One statement with places for values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sentence {
    UpsertLink,
    WriteLink,
    /// One link more or less of a node and type, which may have none so far.
    CountUp,
    CountDown,
    LockLink,
    HideLink,
    InsertLink,
    /// One link more or less, where the row is there.
    ChangeCount,
    CountLinks,
    GetLinksList,
    AddNode,
    UpdateNode,
    DeleteNode,
    GetNode,
}

/// The columns of a link as they are read.
pub(super) const LINK_COLUMNS: &str = "id1, id2, link_type, visibility, data, time, version";
/// The column among those that says when it was written.
pub(super) const TIME_COLUMN: usize = 5;

impl Sentence {
    pub const ALL: [Self; 14] = [
        Self::UpsertLink,
        Self::WriteLink,
        Self::CountUp,
        Self::CountDown,
        Self::LockLink,
        Self::HideLink,
        Self::InsertLink,
        Self::ChangeCount,
        Self::CountLinks,
        Self::GetLinksList,
        Self::AddNode,
        Self::UpdateNode,
        Self::DeleteNode,
        Self::GetNode,
    ];

    /// Under which it is counted, alone and with a commit in its packet.
    pub fn classes(self) -> (Class, Class) {
        let alone = |n| (Class(n), Class(n));
        match self {
            Self::UpsertLink => alone(0),
            Self::WriteLink => (Class(1), Class(2)),
            Self::CountUp | Self::CountDown | Self::ChangeCount => (Class(3), Class(4)),
            Self::LockLink => alone(5),
            Self::HideLink => alone(6),
            Self::InsertLink => alone(7),
            Self::CountLinks => alone(8),
            Self::GetLinksList => alone(10),
            Self::AddNode => alone(11),
            Self::UpdateNode => alone(12),
            Self::DeleteNode => alone(13),
            Self::GetNode => alone(14),
        }
    }

    /// With the primary key named where it is hinted: MariaDB's optimiser, which RocksDB tells of one row in a short
    /// list, otherwise takes the list's index for updates, and the engine locks the whole list.
    pub fn sql(self, form: Form) -> &'static str {
        let (hinted, other) = (form == Form::Hinted, form == Form::PostgreSql);
        match self {
            Self::UpsertLink if other => postgresql::UPSERT_LINK,
            Self::CountUp if other => postgresql::COUNT_UP,
            Self::CountDown if other => postgresql::COUNT_DOWN,
            Self::GetLinksList if other => postgresql::GET_LINKS_LIST,
            Self::WriteLink if hinted => {
                "UPDATE linktable FORCE INDEX(PRIMARY) SET visibility = 1, data = ?, time = ?, version = 0 \
                 WHERE id1 = ? AND id2 = ? AND link_type = ?"
            }
            Self::HideLink if hinted => {
                "UPDATE linktable FORCE INDEX(PRIMARY) SET visibility = 0 WHERE id1 = ? AND id2 = ? AND link_type = ?"
            }
            Self::UpsertLink => {
                "INSERT INTO linktable(id1, id2, link_type, visibility, data, time, version) VALUES (?, ?, ?, 1, ?, ?, 0) \
                 ON DUPLICATE KEY UPDATE visibility = VALUES(visibility)"
            }
            Self::WriteLink => {
                "UPDATE linktable SET visibility = 1, data = ?, time = ?, version = 0 \
                 WHERE id1 = ? AND id2 = ? AND link_type = ?"
            }
            Self::CountUp => {
                "INSERT INTO counttable(id, link_type, count, time, version) VALUES (?, ?, 1, ?, 0) \
                 ON DUPLICATE KEY UPDATE count = count + 1, version = version + 1, time = ?"
            }
            Self::CountDown => {
                "INSERT INTO counttable (id, link_type, count, time, version) VALUES (?, ?, 0, ?, 0) \
                 ON DUPLICATE KEY UPDATE count = IF(count = 0, 0, count - 1), time = ?, version = version + 1"
            }
            Self::LockLink => "SELECT visibility FROM linktable WHERE id1 = ? AND id2 = ? AND link_type = ? FOR UPDATE",
            Self::HideLink => "UPDATE linktable SET visibility = 0 WHERE id1 = ? AND id2 = ? AND link_type = ?",
            Self::InsertLink => {
                "INSERT INTO linktable(id1, id2, link_type, visibility, data, time, version) VALUES (?, ?, ?, 1, ?, ?, 0)"
            }
            Self::ChangeCount => {
                "UPDATE counttable SET count = count + ?, version = version + 1, time = ? WHERE id = ? AND link_type = ?"
            }
            Self::CountLinks => "SELECT count FROM counttable WHERE id = ? AND link_type = ?",
            Self::GetLinksList => {
                "SELECT id1, id2, link_type, visibility, data, time, version FROM linktable FORCE INDEX(id1_type) \
                 WHERE id1 = ? AND link_type = ? AND time >= 0 AND time <= ? AND visibility = 1 \
                 ORDER BY time DESC LIMIT ?, ?"
            }
            Self::AddNode => "INSERT INTO nodetable (type, version, time, data) VALUES (2048, 1, ?, ?)",
            Self::UpdateNode => "UPDATE nodetable SET version = 2, time = ?, data = ? WHERE id = ? AND type = 2048",
            Self::DeleteNode => "DELETE FROM nodetable WHERE id = ? AND type = 2048",
            Self::GetNode => "SELECT id, type, version, time, data FROM nodetable WHERE id = ?",
        }
    }

    /// What stands before, between and behind its places.
    fn parts(self, form: Form) -> &'static [&'static str] {
        &PARTS[form as usize][self as usize]
    }

    /// Appends the statement with these values in its places.
    pub fn write(self, form: Form, params: &[Param<'_>], out: &mut Vec<u8>) {
        let (head, rest) = self.parts(form).split_first().expect("a split has a first part");
        debug_assert_eq!(rest.len(), params.len(), "{self:?}");
        out.extend_from_slice(head.as_bytes());
        for (part, param) in rest.iter().zip(params) {
            literal(param, form, out);
            out.extend_from_slice(part.as_bytes());
        }
    }
}

/// By form and sentence, so that nobody looks for the places each time.
static PARTS: LazyLock<[[Vec<&'static str>; Sentence::ALL.len()]; Form::ALL.len()]> =
    LazyLock::new(|| Form::ALL.map(|form| Sentence::ALL.map(|sentence| sentence.sql(form).split('?').collect())));

/// Replaces `out` by the lookup of several links of one node and type, hidden ones too.
pub(super) fn multiget(id1: u64, link_type: u64, ids: &[u64], out: &mut Vec<u8>) {
    out.clear();
    write!(out, "SELECT {LINK_COLUMNS} FROM linktable WHERE id1 = {id1} AND link_type = {link_type} AND id2 IN (")
        .expect("writing into a Vec cannot fail");
    for (place, id2) in ids.iter().enumerate() {
        out.extend_from_slice(if place == 0 { b"" } else { b", " });
        decimal(*id2, out);
    }
    out.push(b')');
}
pub(super) const MULTIGET: Class = Class(9);

/// Digits of the largest number.
const MOST_DIGITS: usize = 20;

/// Appends the number as digits. The standard formatter's padding and signs cost more than the digits.
fn decimal(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; MOST_DIGITS];
    let mut first = MOST_DIGITS;
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

fn literal(param: &Param<'_>, form: Form, out: &mut Vec<u8>) {
    let written = "writing into a Vec cannot fail";
    match param {
        Param::Null => out.extend_from_slice(b"NULL"),
        Param::Int(n) => {
            if *n < 0 {
                out.push(b'-');
            }
            decimal(n.unsigned_abs(), out);
        }
        Param::Real(x) => write!(out, "{x}").expect(written),
        Param::Decimal(digits) => out.extend_from_slice(digits),
        // The text of a `bytea` already, whose backslash stands for itself.
        Param::Bytes(bytes) if form == Form::PostgreSql => {
            out.push(b'\'');
            out.extend_from_slice(bytes);
            out.push(b'\'');
        }
        Param::Bytes(bytes) if bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'\'' | b'\\')) => {
            out.push(b'\'');
            for byte in *bytes {
                if matches!(byte, b'\'' | b'\\') {
                    out.push(b'\\');
                }
                out.push(*byte);
            }
            out.push(b'\'');
        }
        Param::Bytes(bytes) => hex(bytes, out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_point_at_their_names() {
        let name = |class: Class| STATEMENTS[usize::from(class.0)].name;
        let names: Vec<_> = Sentence::ALL.iter().map(|s| s.classes()).map(|(a, b)| (name(a), name(b))).collect();
        assert_eq!(names[0], ("upsert_link", "upsert_link"));
        assert_eq!(names[1], ("write_link", "write_link_commit"));
        assert_eq!(names[3], ("change_count", "change_count_commit"));
        assert_eq!((names[9].0, names[13].0), ("get_links_list", "get_node"));
        assert_eq!(
            [BEGIN, COMMIT, ROLLBACK, PREPARE, MULTIGET].map(name),
            ["begin", "commit", "rollback", "prepare", "multiget_links"]
        );
    }

    #[test]
    fn a_statement_has_as_many_places_in_each_sql() {
        for sentence in Sentence::ALL {
            let [plain, hinted, other] = Form::ALL.map(|form| sentence.sql(form));
            let places = |sql: &str| sql.matches('?').count();
            assert_eq!([places(hinted), places(other)], [places(plain); 2], "{other}");
            assert!(!other.contains("FORCE INDEX") && !other.contains("DUPLICATE"), "{other}");
        }
    }

    #[test]
    fn bytes_are_quoted_where_they_can_be_and_hexadecimal_elsewhere() {
        let said = |bytes: &[u8]| {
            let mut out = Vec::new();
            literal(&Param::Bytes(bytes), Form::Plain, &mut out);
            String::from_utf8(out).expect("ASCII")
        };
        assert_eq!(said(b"aB9"), "'aB9'");
        assert_eq!(said(b"a'\\b"), r"'a\'\\b'");
        assert_eq!(said(b"a b"), "x'612062'");
        assert_eq!(said(&[220]), "x'DC'");
        assert_eq!(said(b""), "''");
    }

    #[test]
    fn numbers_are_said_in_their_digits() {
        for number in [0, 1, 9, 10, -1, 1_436_227_200_123, i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            literal(&Param::Int(number), Form::Plain, &mut out);
            assert_eq!(String::from_utf8(out).expect("ASCII"), number.to_string());
        }
    }
}
