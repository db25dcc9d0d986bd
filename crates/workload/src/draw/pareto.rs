//! Hot path: a power of a uniform draw, so that a share h of the rows (the lowest ids) receives a share 1-h of the
//! draws.

use super::Generator;

#[derive(Clone, Copy, Debug)]
pub struct Pareto {
    n: u64,
    power: f64,
}

impl Pareto {
    pub(super) fn over(n: u64, h: f64) -> Self {
        Self { n, power: h.ln() / (1.0 - h).ln() }
    }
    pub(super) fn draw(&self, generator: &mut Generator) -> u64 {
        1 + ((generator.unit().powf(self.power) * self.n as f64) as u64).min(self.n - 1)
    }
}
