//! Hot path: the text dialect, which every server of the family speaks.

use super::{Heard, Key, Malformed, Said, block, line, refused};
use crate::decimal;

#[inline]
pub fn get<K: Key>(out: &mut Vec<u8>, keys: impl Iterator<Item = K>) {
    out.extend_from_slice(b"get");
    for key in keys {
        out.push(b' ');
        key.write(out);
    }
    out.extend_from_slice(b"\r\n");
}

#[inline]
pub fn set<K: Key>(out: &mut Vec<u8>, key: K, value: &[u8]) {
    out.extend_from_slice(b"set ");
    key.write(out);
    out.extend_from_slice(b" 0 0 ");
    decimal::write(out, value.len() as u64);
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

pub fn delete<K: Key>(out: &mut Vec<u8>, key: K) {
    out.extend_from_slice(b"delete ");
    key.write(out);
    out.extend_from_slice(b"\r\n");
}

#[inline]
pub fn hear(bytes: &[u8]) -> Result<Option<Heard<'_>>, Malformed> {
    let Some((line, consumed)) = line(bytes)? else { return Ok(None) };
    if let Some(rest) = line.strip_prefix(b"VALUE ") {
        // Key, flags, size, and after `gets` a number that makes the value unique.
        let mut words = rest.split(|byte| *byte == b' ');
        let (Some(key), Some(flags), Some(size)) = (words.next(), words.next(), words.next()) else {
            return Err(Malformed("a value without its size"));
        };
        decimal::read(flags)?;
        let block = block(bytes, consumed, decimal::read(size)?)?;
        return Ok(block.map(|(value, consumed)| Heard { said: Said::Value { key, value }, consumed }));
    }
    Ok(Some(Heard { said: other(line)?, consumed }))
}

fn other(line: &[u8]) -> Result<Said<'_>, Malformed> {
    Ok(match line {
        b"END" => Said::End,
        b"STORED" | b"DELETED" | b"TOUCHED" => Said::Done,
        b"NOT_STORED" | b"EXISTS" | b"NOT_FOUND" => Said::NotDone,
        _ => match (line.strip_prefix(b"STAT "), line.strip_prefix(b"VERSION ")) {
            (Some(stat), _) => {
                let space = stat.iter().position(|byte| *byte == b' ').unwrap_or(stat.len());
                let (name, value) = stat.split_at(space);
                Said::Stat { name, value: value.strip_prefix(b" ").unwrap_or(value) }
            }
            (None, Some(version)) => Said::Version(version),
            (None, None) => refused(line).ok_or(Malformed("a word that the protocol does not have"))?,
        },
    })
}
