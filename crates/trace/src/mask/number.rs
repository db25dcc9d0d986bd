//! Numbers behind a key: moved within the numbers of as many digits, and never over an edge at which an integer type
//! ends, so that what fitted a column fits it still. Dates: moved by days.

use super::Mask;
use crate::calendar::{civil, days};
use wire::mysql::row::DateTime;

/// Numbers below stay as they are.
const SMALLEST: u64 = 100;
/// Where integer types end; the last number of each.
const EDGES: [u64; 9] = [
    i8::MAX as u64,
    u8::MAX as u64,
    i16::MAX as u64,
    u16::MAX as u64,
    (1 << 23) - 1,
    (1 << 24) - 1,
    i32::MAX as u64,
    u32::MAX as u64,
    i64::MAX as u64,
];
/// The distance is at most this share of a range, so that few numbers lose their order to the rest.
const SHARE: u64 = 10;
const NUMBER: usize = 1;

impl Mask {
    /// A whole number without its sign.
    pub(super) fn whole(&self, value: u64) -> u64 {
        if value < SMALLEST {
            return value;
        }
        let digits = value.ilog10();
        let low = 10_u64.pow(digits);
        let high = 10_u64.checked_pow(digits + 1).map_or(u64::MAX, |next| next - 1);
        let low = EDGES.iter().map(|edge| edge + 1).filter(|edge| *edge <= value).fold(low, u64::max);
        let high = EDGES.iter().copied().filter(|edge| *edge >= value).fold(high, u64::min);
        let size = u128::from(high - low) + 1;
        let most = (size / u128::from(SHARE)).max(1);
        let distance = u128::from(self.hash(NUMBER, &[low])) % most + 1;
        let place = (u128::from(value - low) + distance) % size;
        low + u64::try_from(place).expect("it is within the range")
    }

    /// A number with a fraction keeps that; one too large to have any keeps itself.
    pub(super) fn real(&self, value: f64) -> f64 {
        const WHOLE: f64 = 9_007_199_254_740_992.0;
        if !value.is_finite() || value.abs() >= WHOLE {
            return value;
        }
        let whole = value.abs().trunc();
        let masked = self.whole(whole as u64) as f64 + (value.abs() - whole);
        masked.copysign(value)
    }

    /// The literal of a number: its whole digits masked, point, fraction and exponent as they are.
    pub(crate) fn number(&self, text: &[u8]) -> Vec<u8> {
        let long = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let [digits, rest] = [&text[..long], &text[long..]];
        let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
        let parsed = std::str::from_utf8(&digits[zeros..]).ok().and_then(|digits| digits.parse::<u64>().ok());
        let Some(value) = parsed else { return text.to_vec() };
        [&digits[..zeros], self.whole(value).to_string().as_bytes(), rest].concat()
    }

    /// `0x…` and `x'…'`: the digits behind the first; what is written in bits stays.
    pub(super) fn bits(&self, text: &[u8]) -> Vec<u8> {
        if text.first().is_some_and(|byte| byte.eq_ignore_ascii_case(&b'b')) || text.starts_with(b"0b") {
            return text.to_vec();
        }
        let end = text.len() - usize::from(text.ends_with(b"'"));
        let open = 2.min(end);
        [&text[..open], &self.hexadecimal(&text[open..end]), &text[end..]].concat()
    }

    /// A date is moved by the key's days where it is one and stays within the years that servers have.
    pub(super) fn date(&self, date: &mut DateTime) {
        if date.month == 0 || date.day == 0 || !(1000..9990).contains(&date.year) {
            return;
        }
        let moved = days(i64::from(date.year), u32::from(date.month), u32::from(date.day)) + self.days;
        let (year, month, day) = civil(moved);
        (date.year, date.month, date.day) = (year as u16, month as u8, day as u8);
    }
}
