//! The insert benchmark in PostgreSQL's SQL, as the public script says it there: keys and indexes come behind the rows,
//! the oldest rows are deleted between two keys, and queries name no index. Entries of an index are counted by reading
//! rows in its order while whole tables are not to be read and nothing is to be sorted.

use super::work::Keys;
use std::fmt::Write;
use std::ops::Range;

/// With these, rows that are asked for in the order of an index are read by it.
const BY_INDEX: [&str; 3] = ["enable_seqscan", "enable_bitmapscan", "enable_sort"];

/// The statements that have rows read by indexes, for a session or for a transaction.
pub(super) fn by_indexes(scope: &str) -> Vec<String> {
    BY_INDEX.map(|setting| format!("SET {scope} {setting} = off")).to_vec()
}

/// How many entries an index over these columns has.
pub(super) fn entries(table: u64, columns: &str) -> String {
    format!("SELECT COUNT(*) FROM (SELECT 1 FROM pi{table} ORDER BY {columns} OFFSET 0) AS entries")
}

/// By how much entries and rows differ. Where there is no such index, rows are sorted, and as many.
pub(super) fn apart(table: u64, columns: &str) -> String {
    format!("SELECT ABS((SELECT COUNT(*) FROM pi{table}) - ({}))", entries(table, columns))
}

/// A question about keys in this SQL.
pub(super) fn asked(sql: &str) -> String {
    sql.replace(" DIV ", " / ")
}

/// Replaces `sql` by a DELETE of these rows of a client that has the table alone.
pub(super) fn delete(sql: &mut String, keys: Keys, rows: Range<u64>) {
    let (first, end) = (keys.key(rows.start), keys.key(rows.end));
    sql.clear();
    write!(sql, "DELETE FROM pi{} WHERE transactionid >= {first} AND transactionid < {end}", keys.table)
        .expect("writing into a String cannot fail");
}

pub(super) fn primary_key(table: u64) -> String {
    format!("ALTER TABLE pi{table} ADD PRIMARY KEY (transactionid)")
}

/// The table, in so many partitions of so many keys.
pub(super) fn create(table: u64, partitions: u64, partition_rows: u64) -> String {
    let mut sql = format!(
        "CREATE TABLE pi{table} (\n  transactionid BIGSERIAL,\n  dateandtime TIMESTAMP,\n  cashregisterid INT NOT NULL,\n  \
         customerid INT NOT NULL,\n  productid INT NOT NULL,\n  price INT NOT NULL,\n  data VARCHAR(4000)\n)"
    );
    if partitions > 0 {
        sql += " PARTITION BY RANGE (transactionid)";
    }
    for part in 0..partitions {
        // Keys count from 1, so that a partition ends behind its last.
        let from = if part == 0 { "MINVALUE".into() } else { (part * partition_rows + 1).to_string() };
        let to = if part + 1 == partitions { "MAXVALUE".into() } else { ((part + 1) * partition_rows + 1).to_string() };
        write!(sql, ";\nCREATE TABLE pi{table}_p{part} PARTITION OF pi{table} FOR VALUES FROM ({from}) TO ({to})")
            .expect("writing into a String cannot fail");
    }
    sql
}
