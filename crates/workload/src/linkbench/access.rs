//! Hot path: which id an operation goes to: a rank from a Zipf distribution, placed by a shuffle. LinkBench blends two
//! kinds: nearly all ids are hot for reasons of their own, a few because they have many links. The formula is Gray's
//! ("Quickly generating billion-record synthetic databases", 1994) with LinkBench's approximation of the harmonic
//! number; an exact one would be another distribution, and other hot spots.

use super::shuffle::Shuffle;
use crate::draw::Generator;
use std::sync::Arc;

/// Below so many ranks the harmonic number is summed.
const SUMMED_BELOW: u64 = 100_000;
/// A shape of 1 has no finite exponent; LinkBench's shapes lie well below.
pub(super) const STEEPEST: f64 = 0.999;

#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    count: f64,
    /// The harmonic number of `count` at this shape.
    pub harmonic: f64,
    alpha: f64,
    eta: f64,
    /// Up to here a draw is rank 1.
    second: f64,
}

impl Zipf {
    pub fn over(count: u64, shape: f64) -> Self {
        let harmonic = harmonic(count, shape);
        let eta = (1.0 - (2.0 / count as f64).powf(1.0 - shape)) / (1.0 - self::harmonic(2, shape) / harmonic);
        Self { count: count as f64, harmonic, alpha: 1.0 / (1.0 - shape), eta, second: 1.0 + 0.5_f64.powf(shape) }
    }
    pub fn rank(&self, generator: &mut Generator) -> u64 {
        self.rank_of(generator.unit())
    }
    /// The rank at this point of [0, 1).
    fn rank_of(&self, point: f64) -> u64 {
        let scaled = point * self.harmonic;
        let rank = match () {
            () if scaled < 1.0 => 0.0,
            () if scaled < self.second => 1.0,
            () => self.count * (self.eta * point - self.eta + 1.0).powf(self.alpha),
        };
        rank.min(self.count - 1.0) as u64
    }
}

fn harmonic(count: u64, shape: f64) -> f64 {
    if count < SUMMED_BELOW {
        return (1..=count).map(|k| (k as f64).powf(-shape)).sum();
    }
    (count as f64).powf(1.0 - shape) / (1.0 - shape) + 0.58 - 1.0 / (1.0 - shape)
}

/// Ids by heat.
#[derive(Clone)]
pub(super) struct Heat {
    pub zipf: Zipf,
    pub shuffle: Arc<Shuffle>,
}

impl Heat {
    /// An id, counted from 0.
    pub fn draw(&self, generator: &mut Generator) -> u64 {
        self.shuffle.place(self.zipf.rank(generator))
    }
}

/// Two kinds of heat, the first with this share of draws.
#[derive(Clone)]
pub(super) struct Blend {
    pub first_share: f64,
    pub first: Heat,
    pub second: Heat,
}

impl Blend {
    pub fn draw(&self, generator: &mut Generator) -> u64 {
        let heat = if generator.unit() < self.first_share { &self.first } else { &self.second };
        heat.draw(generator)
    }
}

/// How many ids a multiget asks for: 1 and more with a geometric distribution whose smallest value LinkBench misses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Multiget {
    /// LinkBench's off-by-one: nearly all ask for at least 2, and the mean is 3.62 instead of the 2.62 that was
    /// measured.
    pub shifted: bool,
}

impl Multiget {
    const PROBABILITY: f64 = 0.382;
    /// Exclusive.
    pub const MOST: u64 = 128;

    pub fn size(self, generator: &mut Generator) -> usize {
        let steps = ((1.0 - generator.unit()).ln() / (1.0 - Self::PROBABILITY).ln()).ceil() as u64;
        let size = if self.shifted { 1 + steps } else { steps.max(1) };
        size.min(Self::MOST - 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;

    #[test]
    fn harmonic_numbers_are_those_of_linkbench() {
        for (count, shape, wanted) in [
            (1_000_000, 0.8, 74.824_659_62),
            (1_000_000, 0.741, 134.980_168_8),
            (1_000_000, 0.625, 472.121_176),
            (1_000_000, 0.606, 584.860_403_6),
            (20_000_000, 0.8, 139.849_990_6),
            (20_000_000, 0.606, 1_908.377_21),
        ] {
            let found = Zipf::over(count, shape).harmonic;
            assert!((found / wanted - 1.0).abs() < 1e-8, "{count} {shape}: {found}");
        }
    }

    #[test]
    fn quantiles_are_those_of_linkbench() {
        // Its numbers may differ by one in the last digit with another pow.
        for (count, wanted) in
            [(1_000_000, [69, 40_369, 607_929, 953_516]), (20_000_000, [634, 720_609, 12_000_491, 19_047_557])]
        {
            let zipf = Zipf::over(count, 0.8);
            for (point, rank) in [0.1, 0.5, 0.9, 0.99].into_iter().zip(wanted) {
                assert!(zipf.rank_of(point).abs_diff(rank) <= 1, "{count} at {point}: {}", zipf.rank_of(point));
            }
        }
    }

    #[test]
    fn few_ranks_are_all_reached_and_none_beyond() {
        let zipf = Zipf::over(7, 0.606);
        let mut generator = Generator::new(Seed(1));
        let mut seen = [0; 7];
        for _ in 0..10_000 {
            seen[zipf.rank(&mut generator) as usize] += 1;
        }
        assert!(seen.iter().all(|n| *n > 0) && seen[0] > seen[6], "{seen:?}");
    }

    #[test]
    fn a_multiget_asks_for_one_id_more_than_was_measured_unless_corrected() {
        for (shifted, mean) in [(true, 3.618), (false, 2.618)] {
            let mut generator = Generator::new(Seed(3));
            let sizes = (0..200_000).map(|_| Multiget { shifted }.size(&mut generator));
            let found = sizes.sum::<usize>() as f64 / 200_000.0;
            // Five standard errors: the deviation of one is the root of 0.618 / 0.382².
            assert!((found - mean).abs() < 5.0 * 2.06 / 200_000_f64.sqrt(), "{found}");
        }
    }
}
