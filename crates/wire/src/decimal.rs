//! Hot path: whole numbers as the text protocols write them. The standard formatter costs more than the rest of a short
//! request, and the standard parser wants text that was checked first.

use crate::reader::Malformed;

/// Digits of the largest number.
const MOST: usize = 20;

/// Appends `n`.
#[inline]
pub fn write(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; MOST];
    let mut at = MOST;
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Reads a number that is written with digits only.
#[inline]
pub fn read(text: &[u8]) -> Result<u64, Malformed> {
    const NO_NUMBER: Malformed = Malformed("a number is not written as one");
    if text.is_empty() {
        return Err(NO_NUMBER);
    }
    text.iter().try_fold(0_u64, |n, byte| {
        let digit = byte.wrapping_sub(b'0');
        let more = n.checked_mul(10).and_then(|n| n.checked_add(u64::from(digit)));
        more.filter(|_| digit < 10).ok_or(NO_NUMBER)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for n in [0, 7, 10, 99, 1_000_000, u64::MAX] {
            let mut out = Vec::new();
            write(&mut out, n);
            assert_eq!((out.as_slice(), read(&out)), (n.to_string().as_bytes(), Ok(n)));
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-1", "1x", "99999999999999999999"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
