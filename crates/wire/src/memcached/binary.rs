//! Hot path: the binary dialect: a header of 24 bytes, then extras, key and value. A get of several keys is a quiet get
//! of each, which says nothing about what is not there, and a no-op behind them.

use super::{Heard, Key, MOST_BYTES, Malformed, Said};

const HEADER: usize = 24;
const REQUEST: u8 = 0x80;
const RESPONSE: u8 = 0x81;

const SET: u8 = 0x01;
const DELETE: u8 = 0x04;
const NOOP: u8 = 0x0A;
const VERSION: u8 = 0x0B;
const GET_WITH_KEY: u8 = 0x0C;
const GET_WITH_KEY_QUIETLY: u8 = 0x0D;
const STAT: u8 = 0x10;

const NOT_FOUND: u16 = 1;
const EXISTS: u16 = 2;
const NOT_STORED: u16 = 5;

/// Flags and expiry of a set.
const SET_EXTRAS: [u8; 8] = [0; 8];

#[inline]
fn request<K: Key>(out: &mut Vec<u8>, opcode: u8, extras: &[u8], key: K, value: &[u8]) {
    let begin = out.len();
    out.extend_from_slice(&[0; HEADER]);
    out.extend_from_slice(extras);
    let at = out.len();
    key.write(out);
    let key = u16::try_from(out.len() - at).expect("a key is short");
    out.extend_from_slice(value);
    let body = u32::try_from(out.len() - begin - HEADER).expect("a value is shorter than 4 GiB");
    let header = &mut out[begin..begin + HEADER];
    (header[0], header[1]) = (REQUEST, opcode);
    header[2..4].copy_from_slice(&key.to_be_bytes());
    header[4] = extras.len() as u8;
    header[8..12].copy_from_slice(&body.to_be_bytes());
}

#[inline]
pub fn get<K: Key>(out: &mut Vec<u8>, keys: impl ExactSizeIterator<Item = K>) {
    let several = keys.len() > 1;
    for key in keys {
        request(out, if several { GET_WITH_KEY_QUIETLY } else { GET_WITH_KEY }, &[], key, &[]);
    }
    if several {
        request(out, NOOP, &[], &[][..], &[]);
    }
}

#[inline]
pub fn set<K: Key>(out: &mut Vec<u8>, key: K, value: &[u8]) {
    request(out, SET, &SET_EXTRAS, key, value);
}

pub fn delete<K: Key>(out: &mut Vec<u8>, key: K) {
    request(out, DELETE, &[], key, &[]);
}

pub fn version(out: &mut Vec<u8>) {
    request(out, VERSION, &[], &[][..], &[]);
}

pub fn stats(out: &mut Vec<u8>) {
    request(out, STAT, &[], &[][..], &[]);
}

#[inline]
pub fn hear(bytes: &[u8]) -> Result<Option<Heard<'_>>, Malformed> {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else { return Ok(None) };
    let [magic, opcode, k1, k0, extras, _, s1, s0, b3, b2, b1, b0, ..] = *header;
    if magic != RESPONSE {
        return Err(Malformed("an answer does not begin as one"));
    }
    let (key, body) = (usize::from(u16::from_be_bytes([k1, k0])), u32::from_be_bytes([b3, b2, b1, b0]));
    if u64::from(body) > MOST_BYTES {
        return Err(Malformed("a value longer than any server keeps"));
    }
    let Some(body) = rest.get(..body as usize) else { return Ok(None) };
    let consumed = HEADER + body.len();
    let from = usize::from(extras);
    let (Some(name), Some(value)) = (body.get(from..from + key), body.get(from + key..)) else {
        return Err(Malformed("a key longer than its message"));
    };
    let said = match (opcode, u16::from_be_bytes([s1, s0])) {
        (GET_WITH_KEY | GET_WITH_KEY_QUIETLY, 0) => Said::Value { key: name, value },
        (GET_WITH_KEY | GET_WITH_KEY_QUIETLY, NOT_FOUND) => Said::Miss,
        (NOOP, 0) => Said::End,
        (VERSION, 0) => Said::Version(value),
        (STAT, 0) if name.is_empty() => Said::End,
        (STAT, 0) => Said::Stat { name, value },
        (_, 0) => Said::Done,
        (_, NOT_FOUND | EXISTS | NOT_STORED) => Said::NotDone,
        _ => Said::Refused(value),
    };
    Ok(Some(Heard { said, consumed }))
}
