//! Hot path: P(k) in proportion to 1/k^s, by rejection-inversion (W. Hörmann, G. Derflinger, "Rejection-inversion to
//! generate variates from monotone discrete distributions", 1996): constant time and memory for any number of rows,
//! and s = 0 is uniform. Row 1 is the hottest; ids are not scrambled, as in sysbench.

use super::Generator;

#[derive(Clone, Copy, Debug)]
pub struct Zipfian {
    n: f64,
    exponent: f64,
    /// H(1.5) - 1: where the integral begins so that k = 1 has exactly its weight.
    first: f64,
    /// H(n + 0.5).
    last: f64,
    /// Within this distance below k no rejection is needed.
    squeeze: f64,
}

impl Zipfian {
    pub(super) fn over(n: u64, exponent: f64) -> Self {
        let n = n as f64;
        let squeeze = 2.0 - area_inverse(area(2.5, exponent) - weight(2.0, exponent), exponent);
        Self { n, exponent, first: area(1.5, exponent) - 1.0, last: area(n + 0.5, exponent), squeeze }
    }
    pub(super) fn draw(&self, generator: &mut Generator) -> u64 {
        loop {
            let u = self.last + generator.unit() * (self.first - self.last);
            let x = area_inverse(u, self.exponent);
            let k = x.round().clamp(1.0, self.n);
            if k - x <= self.squeeze || u >= area(k + 0.5, self.exponent) - weight(k, self.exponent) {
                return k as u64;
            }
        }
    }
}

fn weight(x: f64, s: f64) -> f64 {
    (-s * x.ln()).exp()
}

/// H(x), an antiderivative of the weight: (x^(1-s) - 1) / (1-s), which is ln x where s = 1.
fn area(x: f64, s: f64) -> f64 {
    let log = x.ln();
    let y = (1.0 - s) * log;
    if y.abs() > SERIES_BELOW { y.exp_m1() / y * log } else { (1.0 + y / 2.0) * log }
}

fn area_inverse(u: f64, s: f64) -> f64 {
    let y = (u * (1.0 - s)).max(-1.0);
    if y.abs() > SERIES_BELOW { (y.ln_1p() / y * u).exp() } else { ((1.0 - y / 2.0) * u).exp() }
}

/// Below it 0/0 threatens, and two terms of the series are exact to the last bit.
const SERIES_BELOW: f64 = 1e-8;

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;

    #[test]
    fn few_rows_are_drawn_by_weight_for_every_exponent() {
        for exponent in [0.0, 0.5, 0.8, 1.0, 1.5, 3.0] {
            let zipfian = Zipfian::over(6, exponent);
            let mut generator = Generator::new(Seed(11));
            let mut seen = [0.0; 6];
            for _ in 0..100_000 {
                seen[zipfian.draw(&mut generator) as usize - 1] += 1.0;
            }
            let sum: f64 = (1..=6).map(|k| weight(f64::from(k), exponent)).sum();
            let chi_square: f64 = (1..=6_u8)
                .map(|k| {
                    let want = 100_000.0 * weight(f64::from(k), exponent) / sum;
                    (seen[usize::from(k) - 1] - want).powi(2) / want
                })
                .sum();
            // The 99.9 % quantile of chi-square with 5 degrees of freedom.
            assert!(chi_square < 20.5, "exponent {exponent}: chi-square {chi_square}, seen {seen:?}");
        }
    }
}
