//! Hot path: how many bytes the value of a key has: all as many, or drawn by key, so that a reader knows the size of
//! each value without asking and who writes it again writes as much. Real caches hold many small values and a few large
//! ones; a mean alone would hide the large ones, which fill sockets and pages.

use super::value;
use crate::Parameters;
use crate::asked::count;
use model::seed::split_mix;

pub(super) const NAMES: &[&str] = &["constant", "uniform", "pareto"];

#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    most: usize,
    shape: Shape,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    Constant,
    Uniform,
    /// Half of the values are below twice the least: bounded between least and most, with index one.
    Pareto,
}

impl Sizes {
    pub fn of(parameters: &Parameters) -> Self {
        let shape = match parameters.get("value_sizes").and_then(|word| word.text()) {
            Some("uniform") => Shape::Uniform,
            Some("pareto") => Shape::Pareto,
            // Records from before have no word for it.
            Some(_) | None => Shape::Constant,
        };
        Self { most: count(parameters, "value_bytes") as usize, shape }
    }
    pub fn most(self) -> usize {
        self.most
    }
    /// Mean bytes, for who must find room.
    pub fn mean(self) -> u64 {
        let (least, most) = (value::LEAST_BYTES as f64, self.most as f64);
        let mean = match self.shape {
            Shape::Constant => most,
            Shape::Uniform => (least + most) / 2.0,
            Shape::Pareto if self.most == value::LEAST_BYTES => most,
            Shape::Pareto => least * (most / least).ln() / (1.0 - least / most),
        };
        mean.ceil() as u64
    }
    /// Bytes of the value of this key.
    #[inline]
    pub fn bytes(self, key: u64) -> usize {
        /// Another stream than the values themselves are drawn from.
        const STREAM: u64 = 0x5157_e5ee_d5f0_0d17;
        let unit = || (split_mix(key ^ STREAM) >> 11) as f64 / (1_u64 << 53) as f64;
        let (least, most) = (value::LEAST_BYTES as f64, self.most as f64);
        match self.shape {
            Shape::Constant => self.most,
            Shape::Uniform => (least + unit() * (most - least + 1.0)) as usize,
            Shape::Pareto => (least / (1.0 - unit() * (1.0 - least / most))) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_lie_between_the_ends_and_have_the_mean_that_room_is_made_for() {
        for word in NAMES {
            let parameters = [("value_bytes".to_string(), 1_000.into()), ("value_sizes".to_string(), (*word).into())];
            let sizes = Sizes::of(&parameters.into());
            let all: Vec<usize> = (1..=100_000).map(|key| sizes.bytes(key)).collect();
            assert!(all.iter().all(|bytes| (value::LEAST_BYTES..=1_000).contains(bytes)), "{word}");
            let mean = all.iter().sum::<usize>() as f64 / all.len() as f64;
            assert!((mean / sizes.mean() as f64 - 1.0).abs() < 0.05, "{word}: {mean}, and not {}", sizes.mean());
            let small = all.iter().filter(|bytes| **bytes < 2 * value::LEAST_BYTES + 1).count();
            assert_eq!(small > 50_000, *word == "pareto", "{word}: {small}");
        }
    }
}
