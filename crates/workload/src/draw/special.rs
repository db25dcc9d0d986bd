//! Hot path: sysbench 1.0's default: most draws (`res` percent) fall on the middle `pct` percent of the rows, the
//! others in a bell over all. One uniform draw decides both between the two and the place among the hot rows, so the
//! lower part of the hot window is never drawn; that is a slip of sysbench, kept here because results are compared
//! with it.

use super::Generator;

#[derive(Clone, Copy, Debug)]
pub struct Special {
    n: u64,
    iterations: u32,
    /// The window of hot rows as a share of all.
    hot_rows: f64,
    /// Draws below this share make the bell.
    bell: f64,
}

impl Special {
    pub(super) fn over(n: u64, iterations: u32, pct: f64, res: f64) -> Self {
        Self { n, iterations, hot_rows: pct / 100.0, bell: 1.0 - res / 100.0 }
    }
    pub(super) fn draw(&self, generator: &mut Generator) -> u64 {
        let t = (self.n - 1) as f64;
        let u = generator.unit();
        let offset = if u < self.bell {
            generator.mean_of_units(self.iterations) * t
        } else {
            u * (t * self.hot_rows + 1.0) + t / 2.0 - t * self.hot_rows / 2.0
        };
        1 + (offset as u64).min(self.n - 1)
    }
}
