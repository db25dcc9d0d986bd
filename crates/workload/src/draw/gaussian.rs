//! Hot path: a bell over all rows: the mean of twelve uniform draws, as sysbench 1.0 has it. (1.1 takes the number of
//! draws from an option that no longer exists, gets none, and always returns the first row.)

use super::Generator;

const ITERATIONS: u32 = 12;

#[derive(Clone, Copy, Debug)]
pub struct Gaussian {
    n: u64,
}

impl Gaussian {
    pub(super) fn over(n: u64) -> Self {
        Self { n }
    }
    pub(super) fn draw(&self, generator: &mut Generator) -> u64 {
        // The mean stays below 1, but its product with n may round up to n.
        1 + ((generator.mean_of_units(ITERATIONS) * self.n as f64) as u64).min(self.n - 1)
    }
}
