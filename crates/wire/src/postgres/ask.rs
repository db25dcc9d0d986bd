//! Hot path: what a client says once it is in, written straight into the caller's buffer.
//!
//! Statements are named by a number. Their parameters have the types that the server infers, and values are text: it
//! reads `5` as whatever the place needs. Everything but a close ends in a Sync or is a query, so that the server
//! answers now.

use super::message::{text, write};
use std::io::Write;

const BIND: u8 = b'B';
const CLOSE: u8 = b'C';
const COPY_DATA: u8 = b'd';
const COPY_DONE: u8 = b'c';
const DESCRIBE: u8 = b'D';
const EXECUTE: u8 = b'E';
const PARSE: u8 = b'P';
const QUERY: u8 = b'Q';
const SYNC: u8 = b'S';
const TERMINATE: u8 = b'X';

/// Length of a parameter that is NULL.
const NULL: i32 = -1;
/// As many rows as there are.
const ALL_ROWS: i32 = 0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param<'a> {
    Null,
    Int(i64),
    Real(f64),
    /// Text in the session's encoding.
    Bytes(&'a [u8]),
}

/// One or more statements as text.
#[inline]
pub fn query(out: &mut Vec<u8>, sql: &[u8]) {
    write(out, QUERY, |out| text(out, sql));
}

/// A statement with placeholders `$1` to `$n`, and what its columns are.
pub fn prepare(out: &mut Vec<u8>, statement: u32, sql: &[u8]) {
    write(out, PARSE, |out| {
        name(out, statement);
        text(out, sql);
        out.extend_from_slice(&0_u16.to_be_bytes());
    });
    write(out, DESCRIBE, |out| {
        out.push(b'S');
        name(out, statement);
    });
    sync(out);
}

#[inline]
pub fn execute<'a>(out: &mut Vec<u8>, statement: u32, params: impl ExactSizeIterator<Item = Param<'a>>) {
    write(out, BIND, |out| {
        // The unnamed portal.
        out.push(0);
        name(out, statement);
        // All parameters are text.
        out.extend_from_slice(&0_u16.to_be_bytes());
        let count = u16::try_from(params.len()).expect("a statement has under 65536 parameters");
        out.extend_from_slice(&count.to_be_bytes());
        params.for_each(|param| param.write(out));
        // All columns are text.
        out.extend_from_slice(&0_u16.to_be_bytes());
    });
    write(out, EXECUTE, |out| {
        out.push(0);
        out.extend_from_slice(&ALL_ROWS.to_be_bytes());
    });
    sync(out);
}

/// Forgets a statement; its answer comes with that to the next request.
pub fn close(out: &mut Vec<u8>, statement: u32) {
    write(out, CLOSE, |out| {
        out.push(b'S');
        name(out, statement);
    });
}

pub fn terminate(out: &mut Vec<u8>) {
    write(out, TERMINATE, |_| {});
}

/// What a COPY asks for, in messages of a size that no server refuses, and that it is all.
pub fn copy(out: &mut Vec<u8>, data: &[u8]) {
    /// Large enough that their heads weigh nothing.
    const BYTES: usize = 1 << 16;
    data.chunks(BYTES).for_each(|part| write(out, COPY_DATA, |out| out.extend_from_slice(part)));
    write(out, COPY_DONE, |_| {});
}

/// Declines to send what a COPY asks for.
pub fn refuse_copy(out: &mut Vec<u8>) {
    write(out, b'f', |out| text(out, b"assay sends no files"));
}

fn sync(out: &mut Vec<u8>) {
    write(out, SYNC, |_| {});
}

#[inline]
fn name(out: &mut Vec<u8>, statement: u32) {
    out.push(b's');
    crate::decimal::write(out, u64::from(statement));
    out.push(0);
}

impl Param<'_> {
    #[inline]
    fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&NULL.to_be_bytes());
        match self {
            Self::Null => return,
            Self::Int(n) => {
                if *n < 0 {
                    out.push(b'-');
                }
                crate::decimal::write(out, n.unsigned_abs());
            }
            Self::Real(x) => write!(out, "{x}").expect("a buffer takes all"),
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
        }
        let value = start + size_of::<i32>();
        let length = i32::try_from(out.len() - value).expect("a parameter is under 2 GiB");
        out[start..value].copy_from_slice(&length.to_be_bytes());
    }
}
