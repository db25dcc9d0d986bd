//! Hot path: every row equally often; sysbench 1.1's default.

use super::Generator;

#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    n: u64,
}

impl Uniform {
    pub(super) fn over(n: u64) -> Self {
        Self { n }
    }
    pub(super) fn draw(&self, generator: &mut Generator) -> u64 {
        1 + generator.below(self.n)
    }
}
