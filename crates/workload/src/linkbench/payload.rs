//! Hot path: the bytes of links and nodes: log-normal sizes, and chunks that are either fresh random bytes or copied
//! from a buffer of motifs, so that they compress about as Facebook's did. The buffer belongs to its generator: two
//! users repeat different motifs, as in LinkBench.

use crate::draw::Generator;

/// Bytes that are fresh or copied together.
const CHUNK: usize = 128;

/// What bytes are made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe {
    first: u8,
    last: u8,
    /// Share of chunks with fresh bytes.
    fresh: f64,
    /// Exclusive.
    most_bytes: usize,
}

pub(super) const LINK: Recipe = Recipe { first: 32, last: 100, fresh: 0.225, most_bytes: 255 };
pub(super) const NODE: Recipe = Recipe { first: 50, last: 220, fresh: 0.63, most_bytes: 1 << 20 };

#[derive(Clone)]
pub(super) struct Payload {
    recipe: Recipe,
    /// ln of the median size.
    middle: f64,
    motifs: Vec<u8>,
}

impl Payload {
    pub fn new(recipe: Recipe, median: f64, motif_bytes: usize, generator: &mut Generator) -> Self {
        let motifs = (0..motif_bytes).map(|_| recipe.byte(generator)).collect();
        Self { recipe, middle: median.ln(), motifs }
    }
    /// Replaces `bytes` by a new payload.
    pub fn draw(&self, generator: &mut Generator, bytes: &mut Vec<u8>) {
        bytes.clear();
        let size = self.size(gaussian(generator));
        while bytes.len() < size {
            let chunk = (size - bytes.len()).min(CHUNK.min(self.motifs.len()));
            if generator.unit() < self.recipe.fresh {
                bytes.extend((0..chunk).map(|_| self.recipe.byte(generator)));
            } else {
                let from = generator.below((self.motifs.len() - chunk + 1) as u64) as usize;
                bytes.extend_from_slice(&self.motifs[from..from + chunk]);
            }
        }
    }
    /// The mean of a log-normal size with a deviation of 1.
    pub fn mean_bytes(&self) -> f64 {
        (self.middle + 0.5).exp()
    }
    /// The size at that many standard deviations from the median's logarithm; its own deviation is always 1.
    fn size(&self, deviations: f64) -> usize {
        ((deviations + self.middle).exp() + 0.5).floor().min((self.recipe.most_bytes - 1) as f64) as usize
    }
}

impl Recipe {
    fn byte(&self, generator: &mut Generator) -> u8 {
        self.first + generator.below(u64::from(self.last - self.first) + 1) as u8
    }
}

/// A normal deviate by the polar method (Marsaglia, Bray 1964).
fn gaussian(generator: &mut Generator) -> f64 {
    loop {
        let (x, y) = (2.0 * generator.unit() - 1.0, 2.0 * generator.unit() - 1.0);
        let s = x * x + y * y;
        if s < 1.0 && s > 0.0 {
            return x * (-2.0 * s.ln() / s).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::java_random::JavaRandom;
    use super::*;
    use model::seed::Seed;

    fn payload(recipe: Recipe, median: f64) -> Payload {
        Payload::new(recipe, median, 512, &mut Generator::new(Seed(1)))
    }

    #[test]
    fn sizes_are_those_of_linkbench_for_the_same_deviates() {
        for (median, wanted) in
            [(8.0, [7, 14, 21, 5, 2, 4, 4, 63, 4, 13]), (128.0, [106, 231, 331, 78, 38, 64, 59, 1012, 71, 203])]
        {
            let payload = payload(NODE, median);
            let sizes: Vec<_> = JavaRandom::new(12345).gaussians(10).iter().map(|g| payload.size(*g)).collect();
            assert_eq!(sizes, wanted);
        }
    }

    #[test]
    fn bytes_stay_in_their_alphabet_and_sizes_in_their_bounds() {
        let mut generator = Generator::new(Seed(7));
        for (recipe, median) in [(LINK, 8.0), (LINK, 200.0), (NODE, 128.0)] {
            let payload = payload(recipe, median);
            let (mut bytes, mut sizes) = (Vec::new(), Vec::new());
            for _ in 0..20_000 {
                payload.draw(&mut generator, &mut bytes);
                assert!(bytes.len() < recipe.most_bytes);
                assert!(bytes.iter().all(|b| (recipe.first..=recipe.last).contains(b)));
                sizes.push(bytes.len());
            }
            sizes.sort_unstable();
            let middle = sizes[10_000] as f64;
            assert!((middle / median - 1.0).abs() < 0.1, "median {middle} of {median}");
        }
    }

    #[test]
    fn most_chunks_of_a_link_are_copies_of_motifs() {
        let payload = payload(LINK, 100.0);
        let (mut generator, mut bytes) = (Generator::new(Seed(2)), Vec::new());
        let (mut copies, mut all) = (0.0, 0.0);
        for _ in 0..2_000 {
            payload.draw(&mut generator, &mut bytes);
            if bytes.len() > 8 && bytes.len() <= CHUNK {
                all += 1.0;
                copies += f64::from(payload.motifs.windows(bytes.len()).any(|w| w == bytes));
            }
        }
        let share: f64 = copies / all;
        assert!((share - 0.775).abs() < 0.06, "{share}");
    }
}
