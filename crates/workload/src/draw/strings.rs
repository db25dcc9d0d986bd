//! Hot path: sysbench's texts: groups of eleven random digits joined by `-`. A load of ten million rows writes two
//! billion digits, so a group is one draw and eight digits are split by arithmetic on one word; the loader is to wait
//! for the server, never the server for the generator.

use super::Generator;

const GROUP: usize = 11;
/// Column `c`: ten groups.
pub const C: usize = 10 * (GROUP + 1) - 1;
/// Column `pad`: five groups.
pub const PAD: usize = 5 * (GROUP + 1) - 1;

/// Ten groups of digits, the text of column `c`.
pub fn c(generator: &mut Generator) -> [u8; C] {
    groups(generator)
}

/// Five groups of digits, the text of column `pad`.
pub fn pad(generator: &mut Generator) -> [u8; PAD] {
    groups(generator)
}

fn groups<const LENGTH: usize>(generator: &mut Generator) -> [u8; LENGTH] {
    const { assert!((LENGTH + 1).is_multiple_of(GROUP + 1)) };
    let mut text = [b'-'; LENGTH];
    for group in text.chunks_mut(GROUP + 1) {
        let number = generator.below(100_000_000_000);
        group[..3].copy_from_slice(&eight_digits(number / 100_000_000)[5..]);
        group[3..GROUP].copy_from_slice(&eight_digits(number % 100_000_000));
    }
    text
}

/// The decimal digits of a number below 10^8: halves, quarters and digits are split in the lanes of one word.
fn eight_digits(number: u64) -> [u8; 8] {
    let halves = (number / 10_000) | ((number % 10_000) << 32);
    // n/100 for n < 10^4, then n/10 for n < 100, each as multiply and shift in every lane.
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let quarters = hundreds | ((halves - 100 * hundreds) << 16);
    let tens = ((quarters * 103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | ((quarters - 10 * tens) << 8);
    (digits | 0x3030_3030_3030_3030).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn eight_digits_are_the_decimal_digits(number in 0_u64..100_000_000) {
            let digits = eight_digits(number).to_vec();
            prop_assert_eq!(String::from_utf8(digits), Ok(format!("{number:08}")));
        }
    }

    #[test]
    fn texts_are_digit_groups_and_every_place_is_a_uniform_digit() {
        const TEXTS: usize = 20_000;
        let mut generator = Generator::new(Seed(3));
        let mut seen = vec![[0_u32; 10]; C];
        for _ in 0..TEXTS {
            for (place, byte) in c(&mut generator).into_iter().enumerate() {
                if place % 12 == 11 {
                    assert_eq!(byte, b'-');
                } else {
                    seen[place][usize::from(byte - b'0')] += 1;
                }
            }
        }
        let want = TEXTS as f64 / 10.0;
        for (place, counts) in seen.iter().enumerate().filter(|(place, _)| place % 12 != 11) {
            let chi_square: f64 = counts.iter().map(|n| (f64::from(*n) - want).powi(2) / want).sum();
            // The 99.999 % quantile with 9 degrees of freedom: 110 places are looked at.
            assert!(chi_square < 41.0, "place {place}: chi-square {chi_square}");
        }
    }

    #[test]
    fn lengths_are_those_of_sysbench() {
        let mut generator = Generator::new(Seed(3));
        assert_eq!((c(&mut generator).len(), pad(&mut generator).len()), (119, 59));
    }
}
