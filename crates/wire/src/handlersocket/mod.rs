//! HandlerSocket's protocol, as MariaDB's plugin speaks it: a line for each request, a line for each answer, fields
//! between tabs.
//!
//! Requests are appended to a buffer, as many as one likes before the first is answered; answers come in their order.
//! An index is opened under a number of one's own for the life of the connection. Not here: filters, and deleting,
//! which no workload needs.

mod escape;

pub use crate::reader::Malformed;
pub use escape::unescaped;

use crate::decimal;
use escape::escaped;

/// Rows of many requests fit; a longer line is none of ours.
const LONGEST_LINE: usize = 1 << 28;

/// What all that follows is refused without, where the server has a secret.
pub fn authenticate(out: &mut Vec<u8>, secret: &str) {
    out.extend_from_slice(b"A\t1\t");
    escaped(out, secret.as_bytes());
    out.push(b'\n');
}

/// Opens an index under a number; rows are told as these columns, comma between.
pub fn open_index(out: &mut Vec<u8>, number: u32, schema: &str, table: &str, index: &str, columns: &str) {
    out.extend_from_slice(b"P\t");
    decimal::write(out, u64::from(number));
    for field in [schema, table, index, columns] {
        out.push(b'\t');
        escaped(out, field.as_bytes());
    }
    out.push(b'\n');
}

/// The rows whose first column of the index is one of these, each at most once.
#[inline]
pub fn find(out: &mut Vec<u8>, number: u32, keys: &[u64]) {
    let [first, ..] = keys else { panic!("a find names a key") };
    decimal::write(out, u64::from(number));
    out.extend_from_slice(b"\t=\t1\t");
    decimal::write(out, *first);
    if keys.len() > 1 {
        // As many rows as keys from the first on, and the list stands for column 0 of the index.
        for (word, n) in [(&b"\t"[..], keys.len()), (b"\t0\t@\t0\t", keys.len())] {
            out.extend_from_slice(word);
            decimal::write(out, n as u64);
        }
        for key in keys {
            out.push(b'\t');
            decimal::write(out, *key);
        }
    }
    out.push(b'\n');
}

/// Gives the row with this key these values, in the order of the columns that the index was opened with.
#[inline]
pub fn update(out: &mut Vec<u8>, number: u32, key: u64, values: &[&[u8]]) {
    decimal::write(out, u64::from(number));
    out.extend_from_slice(b"\t=\t1\t");
    decimal::write(out, key);
    out.extend_from_slice(b"\t1\t0\tU");
    for value in values {
        out.push(b'\t');
        escaped(out, value);
    }
    out.push(b'\n');
}

/// The answer to one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// 0 when all went well.
    pub code: u64,
    /// Columns of a row; after a write, 1.
    pub columns: usize,
    /// Behind those two, as sent; `None` where the line ends there.
    rest: Option<&'a [u8]>,
    /// Bytes that it took.
    pub consumed: usize,
}

impl<'a> Line<'a> {
    /// Every field of every row in turn, still escaped (`unescaped`).
    #[inline]
    pub fn fields(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.rest.into_iter().flat_map(|rest| rest.split(|byte| *byte == b'\t'))
    }

    /// Why it failed, in the server's words: `unauth`, `stmtnum`, or the number of a handler's error.
    pub fn refusal(&self) -> Option<&'a [u8]> {
        (self.code != 0).then(|| self.rest.unwrap_or_default())
    }
}

/// The next line; `None` when more bytes must come.
#[inline]
pub fn hear(bytes: &[u8]) -> Result<Option<Line<'_>>, Malformed> {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
        let endless = bytes.len() >= LONGEST_LINE;
        return if endless { Err(Malformed("a line has no end")) } else { Ok(None) };
    };
    let mut parts = bytes[..end].splitn(3, |byte| *byte == b'\t');
    let code = decimal::read(parts.next().unwrap_or_default())?;
    let columns = decimal::read(parts.next().ok_or(Malformed("a line without a count of columns"))?)?;
    let columns = usize::try_from(columns).map_err(|_| Malformed("more columns than a table has"))?;
    Ok(Some(Line { code, columns, rest: parts.next(), consumed: end + 1 }))
}
