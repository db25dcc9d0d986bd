//! Hot path: what a key's value is: a stamp that says who wrote it, and text that follows from key and stamp. A reader
//! needs nothing but the key to say whether a value is one that somebody wrote whole, however many write; a value of
//! another key, cut off, or mixed of two is none.

use model::seed::split_mix;

/// The stamp of a value is so many hexadecimal digits.
const STAMP: usize = 12;
/// Below it a value would be its stamp alone.
pub const LEAST_BYTES: usize = 16;
/// Stays in one page of InnoDB with its neighbour.
pub const MOST_BYTES: usize = 4_000;

/// The stamp of values that were loaded; users number theirs from a bit above.
pub const LOADED: u64 = 0;
/// Bits of a stamp that a user counts its own writes in.
const COUNTED: u32 = 32;

/// The stamp of a user's nth write.
pub fn stamp(user: u32, nth: u32) -> u64 {
    ((u64::from(user) + 1) << COUNTED | u64::from(nth)) & ((1 << (4 * STAMP as u32)) - 1)
}

/// Makes `out` the value of that key with that stamp.
#[inline]
pub fn write(out: &mut Vec<u8>, key: u64, stamp: u64, bytes: usize) {
    out.clear();
    digits(out, stamp << (64 - 4 * STAMP as u32), STAMP, b"0123456789abcdef");
    let mut state = split_mix(key ^ stamp.rotate_left(COUNTED));
    while out.len() < bytes {
        state = split_mix(state);
        digits(out, state, (bytes - out.len()).min(16), b"abcdefghijklmnop");
    }
}

/// The first `count` of the sixteen groups of four bits, from the highest on.
#[inline]
fn digits(out: &mut Vec<u8>, bits: u64, count: usize, alphabet: &[u8; 16]) {
    let all: [u8; 16] = std::array::from_fn(|n| alphabet[(bits >> (60 - 4 * n)) as usize & 15]);
    out.extend_from_slice(&all[..count]);
}

/// Whether this is a value of that key that was written whole; `room` is used again.
#[inline]
pub fn is_of(key: u64, value: &[u8], bytes: usize, room: &mut Vec<u8>) -> bool {
    let Some(stamp) = value.get(..STAMP).and_then(read) else { return false };
    write(room, key, stamp, bytes);
    room == value
}

fn read(stamp: &[u8]) -> Option<u64> {
    stamp.iter().try_fold(0, |n, byte| match byte {
        b'0'..=b'9' => Some(n << 4 | u64::from(byte - b'0')),
        b'a'..=b'f' => Some(n << 4 | u64::from(byte - b'a' + 10)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_by_its_key_and_by_nothing_else() {
        let (mut value, mut room) = (Vec::new(), Vec::new());
        for stamp in [LOADED, stamp(0, 0), stamp(1_023, u32::MAX)] {
            write(&mut value, 7, stamp, 119);
            assert_eq!(value.len(), 119);
            assert!(is_of(7, &value, 119, &mut room));
            assert!(!is_of(8, &value, 119, &mut room), "another key's");
            assert!(!is_of(7, &value[..118], 119, &mut room), "cut off");
            let mut mixed = value.clone();
            mixed[60] ^= 1;
            assert!(!is_of(7, &mixed, 119, &mut room));
        }
        assert!(!is_of(7, b"", 119, &mut room) && !is_of(7, b"no stamp here, but text", 119, &mut room));
    }

    #[test]
    fn values_of_old_records_stay_what_they_were() {
        let mut value = Vec::new();
        write(&mut value, 7, stamp(2, 5), 40);
        assert_eq!(String::from_utf8(value).unwrap(), "000300000005dnjgldhbjkbedhgdecoggoadnmde");
    }
}
