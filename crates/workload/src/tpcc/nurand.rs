//! Hot path: the specification's non-uniform random numbers and its last names. The constant C is drawn once per run
//! and is the same for all users; that of last names keeps a distance from the one that the data were loaded with, so
//! that neither the hottest names nor the coldest are those of the load (clause 2.1.6).

use crate::draw::Generator;
use model::seed::Seed;

pub(super) const ITEMS: u64 = 100_000;
pub(super) const CUSTOMERS: u64 = 3_000;
pub(super) const DISTRICTS: u64 = 10;
/// C of last names in the load.
const LOADED_C: u64 = 157;
const SYLLABLES: [&str; 10] = ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
/// The longest name, of three syllables.
const LONGEST_NAME: usize = 15;

/// The constants of one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    last_name: u64,
    customer: u64,
    item: u64,
    /// Drawn anew at each call, as in sysbench-tpcc.
    redrawn: bool,
}

impl Constants {
    pub fn of_load(redrawn: bool) -> Self {
        Self { last_name: LOADED_C, customer: 0, item: 0, redrawn }
    }

    pub fn of_run(seed: Seed, redrawn: bool) -> Self {
        let mut generator = Generator::new(seed.child("nurand"));
        let last_name = loop {
            let c = generator.below(256);
            let apart = c.abs_diff(LOADED_C);
            if (65..=119).contains(&apart) && apart != 96 && apart != 112 {
                break c;
            }
        };
        Self { last_name, customer: generator.below(1024), item: generator.below(8192), redrawn }
    }

    /// The number of a last name.
    pub fn last_name(&self, generator: &mut Generator) -> u64 {
        self.draw(generator, 255, self.last_name, 0, 999)
    }
    pub fn customer(&self, generator: &mut Generator) -> u64 {
        self.draw(generator, 1023, self.customer, 1, CUSTOMERS)
    }
    pub fn item(&self, generator: &mut Generator) -> u64 {
        self.draw(generator, 8191, self.item, 1, ITEMS)
    }

    fn draw(&self, generator: &mut Generator, a: u64, c: u64, low: u64, high: u64) -> u64 {
        let c = if self.redrawn { generator.below(a + 1) } else { c };
        let drawn = generator.below(a + 1) | (low + generator.below(high - low + 1));
        (drawn + c) % (high - low + 1) + low
    }
}

/// A last name, without memory of its own.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastName {
    text: [u8; LONGEST_NAME],
    length: u8,
}

impl LastName {
    pub fn of(number: u64) -> Self {
        let mut name = Self::default();
        for digit in [number / 100 % 10, number / 10 % 10, number % 10] {
            let syllable = SYLLABLES[digit as usize].as_bytes();
            let from = usize::from(name.length);
            name.text[from..from + syllable.len()].copy_from_slice(syllable);
            name.length += syllable.len() as u8;
        }
        name
    }
    pub fn text(&self) -> &[u8] {
        &self.text[..usize::from(self.length)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_specification() {
        let name = |number| String::from_utf8(LastName::of(number).text().to_vec()).unwrap();
        assert_eq!([name(371), name(40), name(999)], ["PRICALLYOUGHT", "BARPRESBAR", "EINGEINGEING"]);
    }

    /// The share of draws that hits the hottest tenth of the values.
    fn hottest_tenth(draw: impl Fn(&mut Generator) -> u64, values: usize) -> f64 {
        const DRAWS: usize = 200_000;
        let mut generator = Generator::new(Seed(7));
        let mut seen = vec![0_u32; values + 1];
        (0..DRAWS).for_each(|_| seen[draw(&mut generator) as usize] += 1);
        seen.sort_unstable_by(|a, b| b.cmp(a));
        seen[..values / 10].iter().map(|n| f64::from(*n)).sum::<f64>() / DRAWS as f64
    }

    #[test]
    fn constant_of_a_run_keeps_the_skew_and_one_per_call_flattens_it() {
        let near = |seen: f64, wanted: f64| assert!((seen - wanted).abs() < 0.03, "{seen} is not {wanted}");
        for (redrawn, name, customer) in [(false, 0.545, 0.618), (true, 0.113, 0.118)] {
            let c = Constants::of_run(Seed(1), redrawn);
            near(hottest_tenth(|g| c.last_name(g), 1_000), name);
            near(hottest_tenth(|g| c.customer(g), 3_000), customer);
        }
    }

    #[test]
    fn constant_of_last_names_keeps_its_distance_from_the_load() {
        for seed in 0..500 {
            let apart = Constants::of_run(Seed(seed), false).last_name.abs_diff(LOADED_C);
            assert!((65..=119).contains(&apart) && apart != 96 && apart != 112, "{apart}");
        }
    }
}
