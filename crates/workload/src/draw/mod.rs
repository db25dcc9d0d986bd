//! Where a user's random choices come from: which row, which table, which text. The distributions are sysbench's,
//! with its parameters and its habits (low ids are hot), because people compare with numbers drawn that way. What is
//! not here: its exact sequences, which depend on thread timing and which nobody can repeat.

mod gaussian;
mod generator;
mod pareto;
mod special;
pub mod strings;
mod uniform;
mod zipfian;

use crate::{Parameters, asked};
use gaussian::Gaussian;
pub use generator::Generator;
use model::words::{Parameter, work};
use pareto::Pareto;
use special::Special;
use uniform::Uniform;
use zipfian::Zipfian;

/// How row numbers are drawn from [1, n].
#[derive(Clone, Copy, Debug)]
pub enum Distribution {
    Uniform(Uniform),
    Special(Special),
    Gaussian(Gaussian),
    Pareto(Pareto),
    Zipfian(Zipfian),
}

impl Distribution {
    /// The distribution that the parameters ask for, over [1, n]; `n` is at least 1.
    pub fn over(n: u64, parameters: &Parameters) -> Self {
        assert!(n >= 1, "nothing to draw from");
        let number = |name: &str| asked::real(parameters, name);
        match parameters["distribution"].text() {
            Some("uniform") => Self::uniform(n),
            Some("special") => Self::Special(Special::over(
                n,
                number("special_iter") as u32,
                number("special_pct"),
                number("special_res"),
            )),
            Some("gaussian") => Self::Gaussian(Gaussian::over(n)),
            Some("pareto") => Self::Pareto(Pareto::over(n, number("pareto_h"))),
            Some("zipfian") => Self::Zipfian(Zipfian::over(n, number("zipfian_exp"))),
            other => unreachable!("distribution was checked against its choices, and is {other:?}"),
        }
    }
    /// Every number of [1, n] equally often.
    pub fn uniform(n: u64) -> Self {
        Self::Uniform(Uniform::over(n))
    }
    pub fn draw(&self, generator: &mut Generator) -> u64 {
        match self {
            Self::Uniform(d) => d.draw(generator),
            Self::Special(d) => d.draw(generator),
            Self::Gaussian(d) => d.draw(generator),
            Self::Pareto(d) => d.draw(generator),
            Self::Zipfian(d) => d.draw(generator),
        }
    }
}

/// The words that choose a distribution, for every workload that draws rows.
pub const DISTRIBUTION: Parameter = work(
    "distribution",
    "How rows are drawn: sysbench 1.1 draws uniform unless told otherwise, 1.0 special, and the two \
         differ by large factors.",
)
.choice(&["uniform", "special", "gaussian", "pareto", "zipfian"]);
pub const SPECIAL_ITER: Parameter =
    work("special_iter", "Uniform draws per value outside the hot rows of `special`.").count(12, [1, 1000]);
pub const SPECIAL_PCT: Parameter =
    work("special_pct", "Percentage of rows in the hot middle of `special`.").real(1.0, [0.0, 100.0]);
pub const SPECIAL_RES: Parameter =
    work("special_res", "Percentage of draws that go to the hot rows of `special`.").real(75.0, [0.0, 100.0]);
pub const PARETO_H: Parameter = work("pareto_h", "The share h of rows that `pareto` gives the share 1-h of draws.")
    .real(0.2, [0.000_001, 0.999_999]);
pub const ZIPFIAN_EXP: Parameter =
    work("zipfian_exp", "Exponent s of `zipfian`: row k is drawn in proportion to 1/k^s.").real(0.8, [0.0, 100.0]);

#[cfg(test)]
mod tests {
    use super::*;
    use model::seed::Seed;
    use proptest::prelude::*;

    fn parameters(distribution: &str) -> Parameters {
        let mut all: Parameters = [SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, PARETO_H, ZIPFIAN_EXP]
            .iter()
            .map(|p| (p.name.to_string(), p.default.expect("all have one").value()))
            .collect();
        all.insert("distribution".into(), distribution.into());
        all
    }

    proptest! {
        #[test]
        fn every_draw_lies_within_its_bounds(
            seed: u64, n in prop_oneof![1_u64..50, 1..=2_147_483_647_u64],
            iter in 1_i64..20, pct in 0.0..=100.0_f64, res in 0.0..=100.0_f64, h in 0.01..=0.99_f64, exp in 0.0..=4.0_f64,
        ) {
            for name in ["uniform", "special", "gaussian", "pareto", "zipfian"] {
                let mut p = parameters(name);
                p.insert("special_iter".into(), iter.into());
                for (key, x) in [("special_pct", pct), ("special_res", res), ("pareto_h", h), ("zipfian_exp", exp)] {
                    p.insert(key.into(), model::value::Value::Real(x));
                }
                let distribution = Distribution::over(n, &p);
                let mut generator = Generator::new(Seed(seed));
                for _ in 0..50 {
                    let drawn = distribution.draw(&mut generator);
                    prop_assert!((1..=n).contains(&drawn), "{name} drew {drawn} from 1..={n}");
                }
            }
        }
    }

    /// Share of draws in the first, second, ... tenth of [1, n].
    fn tenths(name: &str, n: u64) -> [f64; 10] {
        const DRAWS: u32 = 400_000;
        let distribution = Distribution::over(n, &parameters(name));
        let mut generator = Generator::new(Seed(7));
        let mut shares = [0.0; 10];
        for _ in 0..DRAWS {
            shares[((distribution.draw(&mut generator) - 1) * 10 / n) as usize] += 1.0 / f64::from(DRAWS);
        }
        shares
    }
    fn near(shares: [f64; 10], wanted: [f64; 10]) {
        for (share, want) in shares.into_iter().zip(wanted) {
            // Five standard errors of a share of 400 000 draws.
            let tolerance = 5.0 * (want * (1.0 - want) / 400_000.0).sqrt() + 1e-5;
            assert!((share - want).abs() < tolerance, "{shares:?} is not {wanted:?}");
        }
    }

    #[test]
    fn uniform_gives_each_tenth_a_tenth() {
        near(tenths("uniform", 10_000), [0.1; 10]);
    }

    #[test]
    fn gaussian_has_the_shape_of_a_mean_of_twelve_uniforms() {
        // Irwin-Hall with 12 terms: P(mean < x) = sum over k of (-1)^k C(12,k) (12x-k)^12 / 12!.
        near(tenths("gaussian", 10_000), from_cdf(irwin_hall_12));
    }

    #[test]
    fn pareto_gives_four_fifths_of_draws_to_a_fifth_of_rows() {
        // row/n = U^p, so P(row/n < x) = x^(1/p) with p = ln 0.2 / ln 0.8; at x = 0.2 that is 0.8.
        let p = 0.2_f64.ln() / 0.8_f64.ln();
        near(tenths("pareto", 10_000), from_cdf(|x| x.powf(1.0 / p)));
    }

    #[test]
    fn special_gives_three_quarters_of_draws_to_the_middle_hundredth() {
        // A quarter is the bell of twelve uniforms; the rest lies within the middle 1 %, above its first quarter
        // because sysbench uses one draw for both the choice and the place: U in [0.25, 1) of a window from 0.495 to
        // 0.505.
        let hot = |x: f64| ((x - 0.495) / 0.01).clamp(0.25, 1.0) - 0.25;
        near(tenths("special", 100_000), from_cdf(|x| 0.25 * irwin_hall_12(x) + hot(x)));
    }

    #[test]
    fn zipfian_draws_row_k_in_proportion_to_its_weight() {
        let weights: Vec<f64> = (1..=1000).map(|k| f64::from(k).powf(-0.8)).collect();
        let sum: f64 = weights.iter().sum();
        let mut wanted = [0.0; 10];
        for (index, weight) in weights.iter().enumerate() {
            wanted[index / 100] += weight / sum;
        }
        near(tenths("zipfian", 1000), wanted);
    }

    fn from_cdf(cdf: impl Fn(f64) -> f64) -> [f64; 10] {
        std::array::from_fn(|i| cdf((i as f64 + 1.0) / 10.0) - cdf(i as f64 / 10.0))
    }
    fn irwin_hall_12(x: f64) -> f64 {
        let y = 12.0 * x.min(1.0 - x);
        let (mut sum, mut choose, mut sign) = (0.0, 1.0, 1.0);
        for k in 0..=12 {
            sum += if y > f64::from(k) { sign * choose * (y - f64::from(k)).powi(12) } else { 0.0 };
            choose *= f64::from(12 - k) / f64::from(k + 1);
            sign = -sign;
        }
        let lower = sum / 479_001_600.0;
        if x <= 0.5 { lower } else { 1.0 - lower }
    }
}
