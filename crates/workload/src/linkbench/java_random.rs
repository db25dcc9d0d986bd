//! java.util.Random, which Java's documentation specifies to the bit (a linear congruential generator of 48 bits). Only
//! the shuffler needs it: which node has how many links follows from its numbers, so a graph of ours is LinkBench's
//! graph. Everything else is drawn by our own generator, since nobody can repeat LinkBench's sequences anyway.

pub(super) struct JavaRandom(u64);

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const ADDEND: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    pub fn new(seed: u64) -> Self {
        Self((seed ^ MULTIPLIER) & MASK)
    }
    /// The highest bits of the next state, as a signed number of that many bits.
    fn next(&mut self, bits: u32) -> i32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(ADDEND) & MASK;
        (self.0 >> (48 - bits)) as i32
    }
    /// `nextInt(bound)`: every number of [0, bound) equally often.
    pub fn below(&mut self, bound: i32) -> i32 {
        assert!(bound > 0, "nothing to draw from");
        if bound.count_ones() == 1 {
            return ((i64::from(bound) * i64::from(self.next(31))) >> 31) as i32;
        }
        loop {
            let drawn = self.next(31);
            let number = drawn % bound;
            // Draws of the last, incomplete round are thrown away; Java sees them by overflow.
            if (drawn - number).checked_add(bound - 1).is_some() {
                return number;
            }
        }
    }
    /// `nextGaussian()` of a fresh generator, for the vectors of tests.
    #[cfg(test)]
    pub fn gaussians(&mut self, count: usize) -> Vec<f64> {
        let unit = |me: &mut Self| {
            let high = i64::from(me.next(26)) << 27;
            (high + i64::from(me.next(27))) as f64 / (1_u64 << 53) as f64
        };
        let mut all = Vec::new();
        while all.len() < count {
            let (x, y) = (2.0 * unit(self) - 1.0, 2.0 * unit(self) - 1.0);
            let s: f64 = x * x + y * y;
            if s < 1.0 && s > 0.0 {
                let by = (-2.0 * s.ln() / s).sqrt();
                all.extend([x * by, y * by]);
            }
        }
        all.truncate(count);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_javas() {
        let mut random = JavaRandom::new(12345);
        assert_eq!(random.next(32), 1_553_932_502);
        assert_eq!(random.below(100), 80);
        let mut powers = JavaRandom::new(12345);
        assert_eq!(powers.below(1 << 30), 1_553_932_502 / 4);
    }
}
