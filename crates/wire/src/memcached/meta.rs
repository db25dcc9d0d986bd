//! Hot path: the meta commands of memcached 1.6: a get of several keys is a quiet get of each and a `mn` behind them,
//! at which the server says that it has come so far.

use super::{Heard, Key, Malformed, Said, block, line, refused, text};
use crate::decimal;

#[inline]
pub fn get<K: Key>(out: &mut Vec<u8>, keys: impl ExactSizeIterator<Item = K>) {
    let several = keys.len() > 1;
    for key in keys {
        out.extend_from_slice(b"mg ");
        key.write(out);
        // The value, the key, and of several no word about what is not there.
        out.extend_from_slice(if several { b" v k q\r\n" } else { b" v k\r\n" });
    }
    if several {
        out.extend_from_slice(b"mn\r\n");
    }
}

#[inline]
pub fn set<K: Key>(out: &mut Vec<u8>, key: K, value: &[u8]) {
    out.extend_from_slice(b"ms ");
    key.write(out);
    out.push(b' ');
    decimal::write(out, value.len() as u64);
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

pub fn delete<K: Key>(out: &mut Vec<u8>, key: K) {
    out.extend_from_slice(b"md ");
    key.write(out);
    out.extend_from_slice(b"\r\n");
}

#[inline]
pub fn hear(bytes: &[u8]) -> Result<Option<Heard<'_>>, Malformed> {
    let Some((line, consumed)) = line(bytes)? else { return Ok(None) };
    let (code, rest) = line.split_at(line.len().min(2));
    let said = match code {
        b"VA" => {
            let mut words = rest.split(|byte| *byte == b' ').skip(1);
            let size = words.next().ok_or(Malformed("a value without its size"))?;
            let key = words.find_map(|word| word.strip_prefix(b"k")).unwrap_or_default();
            let block = block(bytes, consumed, decimal::read(size)?)?;
            return Ok(block.map(|(value, consumed)| Heard { said: Said::Value { key, value }, consumed }));
        }
        b"EN" if line != b"END" => Said::Miss,
        b"MN" => Said::End,
        b"HD" => Said::Done,
        b"NS" | b"NF" | b"EX" => Said::NotDone,
        _ => match refused(line) {
            Some(said) => said,
            // Version and statistics are asked for in text.
            None => return text::hear(bytes),
        },
    };
    Ok(Some(Heard { said, consumed }))
}
