//! Random numbers for methods that draw: resampling, permuting, simulating. A stream follows from its seed alone, so
//! the same record gives the same interval on every machine; SplitMix64 passes what such methods ask of a generator and
//! is three lines. Nothing here is for keys of a load, which have distributions of their own in `workload`.

use model::seed::{Seed, split_mix};

/// A stream of draws.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    pub fn of(seed: Seed) -> Self {
        Self(seed.0)
    }
    fn next(&mut self) -> u64 {
        let drawn = split_mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        drawn
    }
    /// Strictly between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
    /// One of `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
    /// A standard normal deviate (Box and Muller, one of the two).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
    /// Fisher and Yates.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            let other = self.below(end + 1);
            items.swap(end, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{average, variance};

    #[test]
    fn draws_have_the_moments_of_their_distribution() {
        let mut draws = Draws::of(Seed(1));
        let uniform: Vec<f64> = (0..20_000).map(|_| draws.uniform()).collect();
        let normal: Vec<f64> = (0..20_000).map(|_| draws.normal()).collect();
        assert!((average(&uniform) - 0.5).abs() < 0.01 && (variance(&uniform) - 1.0 / 12.0).abs() < 0.002);
        assert!(average(&normal).abs() < 0.03 && (variance(&normal) - 1.0).abs() < 0.03);
        let mut counts = [0; 5];
        (0..5_000).for_each(|_| counts[draws.below(5)] += 1);
        assert!(counts.iter().all(|c| (850..1150).contains(c)), "{counts:?}");
    }

    #[test]
    fn a_permutation_keeps_every_value_once() {
        let series: Vec<f64> = (0..23).map(f64::from).collect();
        let mut permuted = series.clone();
        Draws::of(Seed(3)).shuffle(&mut permuted);
        assert_ne!(permuted, series);
        permuted.sort_by(f64::total_cmp);
        assert_eq!(permuted, series);
    }
}
