//! Hot path: what a row holds: uniform numbers below the public script's bounds, a time that grows with the key, and a
//! short text of which a part is random. A row depends on its client and number alone: whoever inserts it, in whichever
//! run, inserts the same.

use crate::draw::Generator;
use crate::session::Param;
use model::seed::Seed;

const CONTENTS: Seed = Seed(2_006);

const REGISTERS: u64 = 1_000;
const PRODUCTS: u64 = 10_000;
const CUSTOMERS: u64 = 100_000;
const PRICES: u64 = 500;

/// Lengths of the text, both included.
const SHORTEST: u64 = 10;
const LONGEST: usize = 20;
/// How much of a text is random: half of it, less what Base64 adds.
const RANDOM: f64 = 0.75 * 0.5;
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Rows of a client that have the same second: a middling rate of one writer.
const PER_SECOND: u64 = 1_000;
/// 2024-01-01, in days since 1970.
const FIRST_DAY: u64 = 19_723;
/// What a DATETIME holds.
const LAST_DAY: u64 = 2_932_896;
const DAY: u64 = 86_400;

/// A DATETIME as it is written.
pub(super) type DateTime = [u8; 19];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    time: u64,
    register: u64,
    customer: u64,
    product: u64,
    price: u64,
    text: [u8; LONGEST],
    length: usize,
}

/// The row with this number, from 0, of that client.
pub(super) fn row(client: u64, number: u64) -> Row {
    let mut generator = Generator::new(CONTENTS.nth(client).nth(number));
    let [register, product, customer, price] =
        [place::<REGISTERS>, place::<PRODUCTS>, place::<CUSTOMERS>, place::<PRICES>].map(|draw| draw(&mut generator));
    let length = SHORTEST + generator.below(LONGEST as u64 - SHORTEST + 1);
    let (mut text, length) = ([b'a'; LONGEST], length as usize);
    let random = (length as f64 * RANDOM) as usize;
    text[length - random..length].fill_with(|| BASE64[generator.below(64) as usize]);
    Row { time: number / PER_SECOND, register, customer, product, price, text, length }
}

fn place<const BELOW: u64>(generator: &mut Generator) -> u64 {
    generator.below(BELOW)
}

/// Where a query by a secondary index begins: drawn like the first column of its rows.
pub(super) fn first_product(generator: &mut Generator) -> u64 {
    place::<PRODUCTS>(generator)
}
pub(super) fn first_register(generator: &mut Generator) -> u64 {
    place::<REGISTERS>(generator)
}
pub(super) fn first_price(generator: &mut Generator) -> u64 {
    place::<PRICES>(generator)
}

impl Row {
    /// Its columns behind the key, in the order of the table, with this around texts and between all, piece by piece.
    pub fn write(&self, quote: &str, between: &str, into: &mut impl FnMut(&str)) {
        let mut digits = itoa::Buffer::new();
        [quote, text(&self.time()), quote].into_iter().for_each(&mut *into);
        for number in [self.register, self.customer, self.product, self.price] {
            into(between);
            into(digits.format(number));
        }
        [between, quote, self.text(), quote].into_iter().for_each(into);
    }
    pub fn values(&self) -> [String; 6] {
        let numbers = [self.register, self.customer, self.product, self.price].map(|n| n.to_string());
        let [register, customer, product, price] = numbers;
        [text(&self.time()).into(), register, customer, product, price, self.text().into()]
    }
    pub fn time(&self) -> DateTime {
        moment(self.time)
    }
    /// Its columns behind the key as the values of a prepared statement; the time is its own, as it is written.
    pub fn params<'a>(&'a self, time: &'a DateTime) -> [Param<'a>; 6] {
        let [register, customer, product, price] =
            [self.register, self.customer, self.product, self.price].map(|number| Param::Int(number as i64));
        [Param::Bytes(time), register, customer, product, price, Param::Bytes(&self.text[..self.length])]
    }
    fn text(&self) -> &str {
        text(&self.text[..self.length])
    }
}

fn text(ascii: &[u8]) -> &str {
    std::str::from_utf8(ascii).expect("Base64 and digits are ASCII")
}

/// So many seconds after the begin of the first day, as a DATETIME is written. The civil date of a day by its number is
/// Hinnant's ("chrono-compatible low-level date algorithms").
fn moment(seconds: u64) -> DateTime {
    let (day, second) = ((FIRST_DAY + seconds / DAY).min(LAST_DAY), seconds % DAY);
    let shifted = day + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * march + 2) / 5 + 1, if march < 10 { march + 3 } else { march - 9 });
    let year = year + era * 400 + u64::from(month <= 2);
    let mut text = *b"0000-00-00 00:00:00";
    let pairs = [year / 100, year % 100, month, day, second / 3_600, second / 60 % 60, second % 60];
    for (place, number) in [0, 2, 5, 8, 11, 14, 17].into_iter().zip(pairs) {
        text[place] += (number / 10) as u8;
        text[place + 1] += (number % 10) as u8;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_in_both_forms() {
        let row = row(2, 5_000);
        let time = row.time();
        let said = row.params(&time).map(|param| match param {
            Param::Int(number) => number.to_string(),
            Param::Bytes(bytes) => text(bytes).to_string(),
            other => panic!("{other:?}"),
        });
        assert_eq!(said, row.values());
    }

    #[test]
    fn a_row_is_the_same_for_ever_and_its_time_grows_with_its_number() {
        assert_eq!(row(3, 77), row(3, 77));
        assert_ne!(row(3, 77), row(4, 77));
        let time = |number: u64| row(0, number).values()[0].clone();
        assert_eq!((time(0), time(86_400_000)), ("2024-01-01 00:00:00".into(), "2024-01-02 00:00:00".into()));
        // The last day of a leap February and the first of a year.
        assert_eq!(
            (time(59 * 86_400_000), time(366 * 86_400_000)),
            ("2024-02-29 00:00:00".into(), "2025-01-01 00:00:00".into())
        );
        assert!((0..100_000).step_by(997).all(|n| time(n) <= time(n + 997)));
    }

    #[test]
    fn values_are_uniform_within_the_bounds_of_the_public_script() {
        let rows: Vec<Row> = (0..20_000).map(|number| row(1, number)).collect();
        let mean = |of: fn(&Row) -> u64| rows.iter().map(|row| of(row) as f64).sum::<f64>() / rows.len() as f64;
        for (of, below) in [
            (Row::register as fn(&Row) -> u64, REGISTERS),
            (Row::product, PRODUCTS),
            (Row::customer, CUSTOMERS),
            (Row::price, PRICES),
        ] {
            assert!(rows.iter().all(|row| of(row) < below));
            // Five standard errors of the mean of a uniform number.
            let (half, error) = (below as f64 / 2.0, below as f64 / 12f64.sqrt() / 20_000f64.sqrt());
            assert!((mean(of) - half).abs() < 5.0 * error, "{} of {below}", mean(of));
        }
        assert!(rows.iter().all(|row| (10..=20).contains(&row.text().len()) && row.text().starts_with("aaaaaa")));
    }

    impl Row {
        fn register(&self) -> u64 {
            self.register
        }
        fn product(&self) -> u64 {
            self.product
        }
        fn customer(&self) -> u64 {
            self.customer
        }
        fn price(&self) -> u64 {
            self.price
        }
    }
}
