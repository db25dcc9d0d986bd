//! Gunther's universal scalability law, X(N) = γN / (1 + α(N − 1) + βN(N − 1)): contention α bends the curve, coherency
//! β turns it down, and its peak is at N* = √((1 − α)/β). Fitted by least squares (Levenberg and Marquardt, three
//! parameters) on relative errors, because noise of servers is a share of their rate; on absolute ones as the published
//! fits are, for comparison. The parameters are free to be negative: that one comes out so says that the law does not
//! describe the curve. Intervals are by the delta method; from six blocks of runs on, the wider of it and of what comes
//! from drawing whole blocks again and fitting anew (case bootstrap), because runs of one block drift together, which
//! the delta method takes for knowledge.

use super::{CONFIDENCE, bootstrap, normal as gauss, quantile, student};
use model::seed::Seed;

/// Steps without which no start has come to its end yet.
const STEPS: u32 = 300;
/// Fits to blocks that were drawn again.
const DRAWN: usize = 499;
/// Starts: the least squares of this law have other minima far from the data.
const CONTENTION: [f64; 3] = [0.01, 0.1, 0.5];
const COHERENCY: [f64; 3] = [1e-5, 1e-3, 1e-1];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    Relative,
    Absolute,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    pub gamma: f64,
    pub alpha: f64,
    pub beta: f64,
}

/// A law with what is known of its parameters.
#[derive(Clone, Debug)]
pub struct Fit {
    pub law: Law,
    /// The covariance of ln γ, α and β.
    covariance: [[f64; 3]; 3],
    /// Student's factor of its intervals.
    factor: f64,
    /// Sum of squared residuals.
    pub squares: f64,
    /// Laws of blocks drawn again, and the tail that their interval leaves out on either side.
    drawn: (Vec<Law>, f64),
}

impl Law {
    fn slowdown(&self, n: f64) -> f64 {
        1.0 + self.alpha * (n - 1.0) + self.beta * n * (n - 1.0)
    }
    pub fn rate(&self, n: f64) -> f64 {
        self.gamma * n / self.slowdown(n)
    }
    /// Users at the peak; `None` where the law has none.
    pub fn peak(&self) -> Option<f64> {
        (self.beta > 0.0 && self.alpha < 1.0).then(|| ((1.0 - self.alpha) / self.beta).sqrt())
    }
    /// Derivatives of ln X by ln γ, α and β.
    fn slopes(&self, n: f64) -> [f64; 3] {
        let slowdown = self.slowdown(n);
        [1.0, -(n - 1.0) / slowdown, -n * (n - 1.0) / slowdown]
    }
    fn moved(&self, by: [f64; 3]) -> Self {
        Self { gamma: self.gamma * by[0].exp(), alpha: self.alpha + by[1], beta: self.beta + by[2] }
    }
}

/// The law nearest to points (users, rate); `None` for fewer than four, or where no start comes to an end.
pub fn fit(points: &[(f64, f64)], errors: Errors) -> Option<Fit> {
    if points.len() < 4 {
        return None;
    }
    let gamma = points.iter().map(|(n, x)| x / n).fold(0.0, f64::max);
    let starts = CONTENTION.iter().flat_map(|alpha| COHERENCY.map(|beta| Law { gamma, alpha: *alpha, beta }));
    let ends = starts.filter_map(|start| descend(points, errors, start));
    let (law, squares) = ends.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (matrix, _) = normal(points, errors, &law);
    let freedom = points.len() as f64 - 3.0;
    let covariance = inverse(matrix)?.map(|row| row.map(|v| v * squares / freedom));
    Some(Fit { law, covariance, factor: student::factor(points.len() - 2), squares, drawn: (Vec::new(), 0.0) })
}

fn residual(law: &Law, errors: Errors, (n, x): (f64, f64)) -> f64 {
    match errors {
        Errors::Relative => (x / law.rate(n)).ln(),
        Errors::Absolute => x - law.rate(n),
    }
}

/// `None` where the law is not defined over all points.
fn squares(points: &[(f64, f64)], errors: Errors, law: &Law) -> Option<f64> {
    let defined = points.iter().all(|(n, _)| law.slowdown(*n) > 0.0);
    let sum: f64 = points.iter().map(|p| residual(law, errors, *p).powi(2)).sum();
    (defined && sum.is_finite()).then_some(sum)
}

/// JᵀJ and Jᵀr.
fn normal(points: &[(f64, f64)], errors: Errors, law: &Law) -> ([[f64; 3]; 3], [f64; 3]) {
    let (mut matrix, mut vector) = ([[0.0; 3]; 3], [0.0; 3]);
    for point in points {
        let scale = if errors == Errors::Absolute { law.rate(point.0) } else { 1.0 };
        let slopes = law.slopes(point.0).map(|s| s * scale);
        let off = residual(law, errors, *point);
        for i in 0..3 {
            vector[i] += slopes[i] * off;
            for j in 0..3 {
                matrix[i][j] += slopes[i] * slopes[j];
            }
        }
    }
    (matrix, vector)
}

fn descend(points: &[(f64, f64)], errors: Errors, start: Law) -> Option<(Law, f64)> {
    let (mut law, mut damping) = (start, 1e-3);
    let mut least = squares(points, errors, &law)?;
    for _ in 0..STEPS {
        let (mut matrix, vector) = normal(points, errors, &law);
        (0..3).for_each(|i| matrix[i][i] *= 1.0 + damping);
        let inverse = inverse(matrix)?;
        let step = [0, 1, 2].map(|i| (0..3).map(|j| inverse[i][j] * vector[j]).sum::<f64>());
        let next = law.moved(step);
        match squares(points, errors, &next).filter(|s| *s <= least) {
            Some(sum) => {
                let done = least - sum <= 1e-14 * least;
                (law, least, damping) = (next, sum, damping / 10.0);
                if done {
                    break;
                }
            }
            None if damping > 1e12 => break,
            None => damping *= 10.0,
        }
    }
    Some((law, least))
}

/// By cofactors; `None` when singular.
fn inverse(m: [[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |i: usize, j: usize| {
        let (a, b) = ((i + 1) % 3, (i + 2) % 3);
        let (c, d) = ((j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let determinant: f64 = (0..3).map(|j| m[0][j] * minor(0, j)).sum();
    let inverse = [0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(j, i) / determinant));
    (determinant != 0.0 && inverse.iter().flatten().all(|v| v.is_finite())).then_some(inverse)
}

impl Fit {
    /// Takes blocks of points into its intervals, where there are enough of them. Percentiles of few cases lie too
    /// close together, by as much as a normal interval is shorter than Student's (Hesterberg 2015, section 5.1).
    pub fn known_by(&mut self, blocks: &[Vec<(f64, f64)>], errors: Errors, seed: Seed) {
        let n = blocks.len();
        if n < bootstrap::FEWEST {
            return;
        }
        let law = |sample: &[Vec<(f64, f64)>]| Some(descend(&sample.concat(), errors, self.law)?.0);
        let laws = bootstrap::samples(blocks, DRAWN, seed, law);
        let t = student::quantile(0.5 + CONFIDENCE / 2.0, n as f64 - 1.0);
        let tail = 1.0 - gauss::cdf((n as f64 / (n as f64 - 1.0)).sqrt() * t);
        self.drawn = (laws, tail);
    }
    /// The interval of what follows from a law, no narrower than over the drawn ones.
    fn wider(&self, (value, low, high): (f64, f64, f64), of: impl Fn(&Law) -> Option<f64>) -> (f64, f64, f64) {
        let (laws, tail) = &self.drawn;
        let mut values: Vec<f64> = laws.iter().filter_map(of).collect();
        if values.is_empty() {
            return (value, low, high);
        }
        values.sort_by(f64::total_cmp);
        (value, low.min(quantile(&values, *tail)), high.max(quantile(&values, 1.0 - tail)))
    }
    /// Half the 95 % interval of what changes with the parameters by these slopes.
    fn half(&self, slopes: [f64; 3]) -> f64 {
        let variance: f64 =
            (0..3).map(|i| (0..3).map(|j| slopes[i] * self.covariance[i][j] * slopes[j]).sum::<f64>()).sum();
        self.factor * variance.max(0.0).sqrt()
    }
    pub fn gamma(&self) -> (f64, f64, f64) {
        let delta = factored(self.law.gamma, self.half([1.0, 0.0, 0.0]));
        self.wider(delta, |law| Some(law.gamma))
    }
    pub fn alpha(&self) -> (f64, f64, f64) {
        let half = self.half([0.0, 1.0, 0.0]);
        let delta = (self.law.alpha, self.law.alpha - half, self.law.alpha + half);
        self.wider(delta, |law| Some(law.alpha))
    }
    pub fn beta(&self) -> (f64, f64, f64) {
        let half = self.half([0.0, 0.0, 1.0]);
        let delta = (self.law.beta, self.law.beta - half, self.law.beta + half);
        self.wider(delta, |law| Some(law.beta))
    }
    /// Users at the peak, on the log scale.
    pub fn peak(&self) -> Option<(f64, f64, f64)> {
        let Law { alpha, beta, .. } = self.law;
        let delta = factored(self.law.peak()?, self.half([0.0, -0.5 / (1.0 - alpha), -0.5 / beta]));
        Some(self.wider(delta, Law::peak))
    }
    /// The rate with so many users.
    pub fn rate(&self, n: f64) -> (f64, f64, f64) {
        let delta = factored(self.law.rate(n), self.half(self.law.slopes(n)));
        self.wider(delta, |law| Some(law.rate(n)))
    }
}

fn factored(value: f64, half: f64) -> (f64, f64, f64) {
    (value, value * (-half).exp(), value * half.exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SPEC SDM91 on a Sun SPARCcenter 2000, as published with Gunther's "Guerrilla Capacity Planning" and in the R
    /// package usl.
    const SDM91: [(f64, f64); 7] =
        [(1.0, 64.9), (18.0, 995.9), (36.0, 1652.4), (72.0, 1853.2), (108.0, 1828.9), (144.0, 1775.0), (216.0, 1702.2)];

    #[test]
    fn it_is_the_fit_that_the_r_package_usl_publishes() {
        // summary(usl(throughput ~ load, specsdm91, method = "nlxb"))
        let Law { gamma, alpha, beta } = fit(&SDM91, Errors::Absolute).unwrap().law;
        assert!((gamma / 89.9952382 - 1.0).abs() < 1e-4, "{gamma}");
        assert!((alpha - 0.0277285).abs() < 1e-6, "{alpha}");
        assert!((beta - 0.0001044).abs() < 1e-7, "{beta}");
        assert!((Law { gamma, alpha, beta }.peak().unwrap() - 96.5).abs() < 0.1);
    }

    #[test]
    fn blocks_that_drift_together_widen_what_is_known_of_the_rate_and_not_of_the_bend() {
        let truth = Law { gamma: 1000.0, alpha: 0.05, beta: 1e-3 };
        let mut draws = crate::stats::draws::Draws::of(Seed(3));
        let mut block = |_| {
            let drift = (0.05 * draws.normal()).exp();
            (0..7)
                .map(|i| 2.0_f64.powi(i))
                .map(|n| (n, drift * truth.rate(n) * (0.002 * draws.normal()).exp()))
                .collect()
        };
        let blocks: Vec<Vec<(f64, f64)>> = (0..10).map(&mut block).collect();
        let delta = fit(&blocks.concat(), Errors::Relative).unwrap();
        let mut drawn = delta.clone();
        drawn.known_by(&blocks, Errors::Relative, Seed(1));
        let width = |(_, low, high): (f64, f64, f64)| high - low;
        assert!(width(drawn.gamma()) > 1.3 * width(delta.gamma()), "{:?} {:?}", drawn.gamma(), delta.gamma());
        assert_eq!(drawn.alpha(), delta.alpha(), "the drift is in all levels alike");
        let mut few = delta.clone();
        few.known_by(&blocks[..5], Errors::Relative, Seed(1));
        assert_eq!(few.gamma(), delta.gamma());
    }

    #[test]
    fn a_law_without_noise_is_found_again() {
        let truth = Law { gamma: 1234.0, alpha: 0.03, beta: 2e-4 };
        let points: Vec<(f64, f64)> = (0..9).map(|i| 2.0_f64.powi(i)).map(|n| (n, truth.rate(n))).collect();
        for errors in [Errors::Relative, Errors::Absolute] {
            let law = fit(&points, errors).unwrap().law;
            assert!((law.alpha - 0.03).abs() < 1e-7 && (law.beta - 2e-4).abs() < 1e-9, "{law:?}");
        }
        assert!(fit(&points[..3], Errors::Relative).is_none());
    }
}
