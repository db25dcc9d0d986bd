//! Hot path: the one source of random bits in workloads. Xoshiro256++ because it is fast, passes the usual batteries,
//! and is specified, so that a seed in an old record draws the same rows for ever. Not for secrets.

use model::seed::Seed;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

#[derive(Clone, Debug)]
pub struct Generator(Xoshiro256PlusPlus);

impl Generator {
    pub fn new(seed: Seed) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed.0))
    }
    /// A number in [0, n), by one multiplication: no value is likelier than another by more than n/2^64.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }
    /// A number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 * STEP
    }
    /// The mean of that many numbers in [0, 1): a bell, narrower the more there are.
    pub fn mean_of_units(&mut self, count: u32) -> f64 {
        (0..count).map(|_| self.unit()).sum::<f64>() / f64::from(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_numbers_for_ever() {
        let mut generator = Generator::new(Seed(42));
        let drawn: Vec<u64> = (0..5).map(|_| generator.below(1_000_000)).collect();
        assert_eq!(drawn, [814_305, 318_821, 983_894, 701_135, 793_504]);
    }
}
