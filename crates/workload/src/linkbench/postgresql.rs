//! LinkBench in PostgreSQL's SQL: the same rows, statements and questions. What differs: bytes are `bytea`, written as
//! hexadecimal digits; keys and the index come behind the rows; partitions are by hash; an upsert tells by the row that
//! it returns what MySQL tells by its number of affected rows; and no statement names an index, because none can.

use crate::dataset::Table;

// Each stands in the place of MySQL's statement, with as many places for values in the same order; what is said alike
// is not here.

/// A row that was hidden is told by a version that the next statement of the transaction takes back.
pub(super) const UPSERT_LINK: &str = "INSERT INTO linktable(id1, id2, link_type, visibility, data, time, version) \
     VALUES (?, ?, ?, 1, ?, ?, 0) ON CONFLICT (link_type, id1, id2) DO UPDATE SET visibility = excluded.visibility, version = 1 \
     WHERE linktable.visibility <> excluded.visibility RETURNING 1 + version";
pub(super) const COUNT_UP: &str = "INSERT INTO counttable(id, link_type, count, time, version) VALUES (?, ?, 1, ?, 0) \
     ON CONFLICT (id, link_type) DO UPDATE SET count = counttable.count + 1, version = counttable.version + 1, time = ?";
pub(super) const COUNT_DOWN: &str = "INSERT INTO counttable (id, link_type, count, time, version) VALUES (?, ?, 0, ?, 0) \
     ON CONFLICT (id, link_type) DO UPDATE SET count = greatest(counttable.count - 1, 0), time = ?, \
     version = counttable.version + 1";
pub(super) const GET_LINKS_LIST: &str = "SELECT id1, id2, link_type, visibility, data, time, version FROM linktable \
     WHERE id1 = ? AND link_type = ? AND time >= 0 AND time <= ? AND visibility = 1 ORDER BY time DESC OFFSET ? LIMIT ?";

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Makes the bytes the text of a `bytea`: `\x`, and two digits for each.
pub(super) fn written(bytes: &mut Vec<u8>) {
    const HEAD: &[u8] = b"\\x";
    let many = bytes.len();
    bytes.resize(HEAD.len() + 2 * many, 0);
    // From the end on: no byte is written over before it was read.
    for place in (0..many).rev() {
        let byte = usize::from(bytes[place]);
        let there = HEAD.len() + 2 * place;
        (bytes[there], bytes[there + 1]) = (DIGITS[byte >> 4], DIGITS[byte & 15]);
    }
    bytes[..HEAD.len()].copy_from_slice(HEAD);
}

/// LinkBench forces the index of lists by a hint, which PostgreSQL does not know: with short lists it would sort what
/// the primary key gives, and read a table of one page whole, until either has grown. Nothing else here sorts.
const BY_INDEX: &str = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database()); \
     EXECUTE format('ALTER DATABASE %I SET enable_seqscan = off', current_database()); END $$";

/// A table with its partitions, whose keys and indexes wait for its rows.
pub(super) fn table(name: &str, rows: u64, partitions: u64) -> Table {
    let (lines, key, by, more) = match name {
        "linktable" => (
            "id1 bigint NOT NULL DEFAULT 0,\n  id2 bigint NOT NULL DEFAULT 0,\n  link_type bigint NOT NULL DEFAULT 0,\n  \
             visibility smallint NOT NULL DEFAULT 0,\n  data bytea NOT NULL DEFAULT '',\n  \
             time bigint NOT NULL DEFAULT 0,\n  version integer NOT NULL DEFAULT 0",
            "link_type, id1, id2",
            "id1",
            vec!["CREATE INDEX id1_type ON linktable (id1, link_type, visibility, time, id2, version, data)", BY_INDEX],
        ),
        "counttable" => (
            "id bigint NOT NULL DEFAULT 0,\n  link_type bigint NOT NULL DEFAULT 0,\n  count integer NOT NULL DEFAULT 0,\n  \
             time bigint NOT NULL DEFAULT 0,\n  version bigint NOT NULL DEFAULT 0",
            "id, link_type",
            "id",
            Vec::new(),
        ),
        _ => (
            "id BIGSERIAL,\n  type integer NOT NULL,\n  version bigint NOT NULL,\n  time integer NOT NULL,\n  data bytea NOT NULL",
            "id",
            "id",
            vec!["SELECT setval('nodetable_id_seq', (SELECT max(id) FROM nodetable))"],
        ),
    };
    let mut create = format!("CREATE TABLE {name} (\n  {lines}\n)");
    if partitions > 0 {
        create += &format!(" PARTITION BY HASH ({by})");
    }
    let part = |part| {
        format!(
            ";\nCREATE TABLE {name}_p{part} PARTITION OF {name} FOR VALUES WITH (MODULUS {partitions}, REMAINDER {part})"
        )
    };
    create.extend((0..partitions).map(part));
    let key = format!("ALTER TABLE {name} ADD PRIMARY KEY ({key})");
    let after = std::iter::once(key).chain(more.into_iter().map(String::from)).collect();
    Table { name: name.into(), create, rows, after }
}

/// A question in this SQL.
pub(super) fn asked(sql: &str) -> String {
    sql.replace(" FORCE INDEX(id1_type)", "")
        .replace(" AS SIGNED)", " AS BIGINT)")
        .replace("HEX(data)", "upper(encode(data, 'hex'))")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_their_digits_in_place() {
        for (bytes, digits) in [(&b""[..], "\\x"), (b"aB'", "\\x614227"), (&[0, 220, 255], "\\x00dcff")] {
            let mut text = bytes.to_vec();
            written(&mut text);
            assert_eq!(String::from_utf8(text).expect("digits"), digits);
        }
    }
}
