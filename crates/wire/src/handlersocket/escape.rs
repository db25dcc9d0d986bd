//! Hot path: how bytes that the protocol needs for itself travel in a field: 0x00 to 0x0F as 0x01 and the byte plus
//! 0x40. A field that is one zero byte is NULL.

use super::Malformed;

const MARK: u8 = 0x01;
const SHIFT: u8 = 0x40;
const FIRST_FREE: u8 = 0x10;
const NULL: &[u8] = &[0];

#[inline]
pub(super) fn escaped(out: &mut Vec<u8>, field: &[u8]) {
    let mut rest = field;
    while let Some(at) = rest.iter().position(|byte| *byte < FIRST_FREE) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(&[MARK, rest[at] + SHIFT]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// The field as it was, in place where nothing was escaped, else in `room`; `None` is NULL.
#[inline]
pub fn unescaped<'a>(field: &'a [u8], room: &'a mut Vec<u8>) -> Result<Option<&'a [u8]>, Malformed> {
    if field == NULL {
        return Ok(None);
    }
    if !field.contains(&MARK) {
        return Ok(Some(field));
    }
    room.clear();
    let mut bytes = field.iter();
    while let Some(byte) = bytes.next() {
        if *byte != MARK {
            room.push(*byte);
            continue;
        }
        let plain = bytes.next().and_then(|byte| byte.checked_sub(SHIFT)).filter(|byte| *byte < FIRST_FREE);
        room.push(plain.ok_or(Malformed("an escape of nothing"))?);
    }
    Ok(Some(room))
}
