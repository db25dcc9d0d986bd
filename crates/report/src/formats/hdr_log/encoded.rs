//! A histogram in HdrHistogram's V2 encoding: counts as ZigZag LEB128, runs of empty buckets as one negative number,
//! deflated, in base64. Our buckets are those of an HdrHistogram of three digits whose lowest discernible value is 64
//! ns, so nothing is rounded: whoever reads it finds the same counts in the same buckets.

use base64ct::{Base64, Encoding};
use model::Histogram;

/// Cookies of the format, word size 1 (LEB128) included.
const V2: u32 = 0x1c84_9303 | 0x10;
const V2_DEFLATED: u32 = 0x1c84_9304 | 0x10;
const DIGITS: u32 = 3;
/// What `model::histogram` lays its buckets out by.
const LOWEST: u64 = 64;
const HIGHEST: u64 = 3_600_000_000_000;
/// Half of the buckets of each doubling are new: 2^10.
const HALF: u32 = 10;
/// 1 is fastest, 10 is smallest: what zlib takes when nobody says.
const EFFORT: u8 = 6;

pub fn base64(histogram: &Histogram) -> String {
    let counts = counts(histogram);
    let mut plain = Vec::with_capacity(40 + counts.len());
    plain.extend(V2.to_be_bytes());
    plain.extend((counts.len() as u32).to_be_bytes());
    // Counts are not shifted.
    plain.extend(0_u32.to_be_bytes());
    plain.extend(DIGITS.to_be_bytes());
    plain.extend(LOWEST.to_be_bytes());
    plain.extend(HIGHEST.to_be_bytes());
    // Whole numbers are kept as they are.
    plain.extend(1.0_f64.to_be_bytes());
    plain.extend(counts);
    let deflated = miniz_oxide::deflate::compress_to_vec_zlib(&plain, EFFORT);
    let mut bytes = V2_DEFLATED.to_be_bytes().to_vec();
    bytes.extend((deflated.len() as u32).to_be_bytes());
    bytes.extend(deflated);
    Base64::encode_string(&bytes)
}

/// Bucket by bucket from the lowest, empty ones as the negative of how many they are.
fn counts(histogram: &Histogram) -> Vec<u8> {
    let (mut bytes, mut next) = (Vec::new(), 0_u64);
    for (value, count) in histogram.buckets() {
        let place = place(value.0);
        match place - next {
            0 => {}
            1 => put(&mut bytes, 0),
            empty => put(&mut bytes, -(empty as i64)),
        }
        put(&mut bytes, count as i64);
        next = place + 1;
    }
    bytes
}

/// The number of a value's bucket.
fn place(value: u64) -> u64 {
    let mask = (1_u64 << (HALF + 1)) - 1;
    let unit = LOWEST.trailing_zeros();
    let doubling = u64::BITS - (value | (mask << unit)).leading_zeros() - unit - (HALF + 1);
    let within = value >> (doubling + unit);
    (u64::from(doubling + 1) << HALF) + within - (1 << HALF)
}

/// ZigZag, then seven bits a byte; a ninth byte holds eight.
fn put(bytes: &mut Vec<u8>, value: i64) {
    const MOST: usize = 8;
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    for _ in 0..MOST {
        if rest < 0x80 {
            bytes.push(rest as u8);
            return;
        }
        bytes.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}
