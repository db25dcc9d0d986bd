//! Whether a series goes anywhere, without believing in any distribution: the median of all slopes (Theil and Sen) says
//! how far, and the count of pairs that rise against those that fall (Mann and Kendall) how surely. The second wants
//! values that do not resemble their neighbours; whoever asks thins the series first (`effective`).

use super::{median, normal};

/// The median slope per step.
pub fn slope(series: &[f64]) -> f64 {
    let mut slopes = Vec::with_capacity(series.len() * series.len().saturating_sub(1) / 2);
    for (i, a) in series.iter().enumerate() {
        slopes.extend(series[i + 1..].iter().enumerate().map(|(j, b)| (b - a) / (j + 1) as f64));
    }
    median(&mut slopes)
}

/// The probability of a trend as clear as this one, either way, where there is none; ties counted as neither.
pub fn chance(series: &[f64]) -> f64 {
    let n = series.len() as f64;
    let mut score = 0.0;
    for (i, a) in series.iter().enumerate() {
        score += series[i + 1..].iter().map(|b| f64::from(b > a) - f64::from(b < a)).sum::<f64>();
    }
    let mut sorted = series.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ties: f64 =
        sorted.chunk_by(|a, b| a == b).map(|t| t.len() as f64).map(|t| t * (t - 1.0) * (2.0 * t + 5.0)).sum();
    let variance = (n * (n - 1.0) * (2.0 * n + 5.0) - ties) / 18.0;
    if variance <= 0.0 {
        return 1.0;
    }
    // One step towards zero: the score is a whole number, the normal distribution is not.
    let z = (score.abs() - 1.0).max(0.0) / variance.sqrt();
    2.0 * normal::cdf(-z)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIES: [f64; 10] = [10.1, 9.7, 10.4, 10.9, 10.2, 11.3, 11.0, 11.8, 11.0, 12.1];

    #[test]
    fn slope_and_chance_are_scipys() {
        // scipy.stats.theilslopes(SERIES).slope
        assert!((slope(&SERIES) - 0.2222222222222222).abs() < 1e-12, "{}", slope(&SERIES));
        // S = 32, one tie of two; 2 * scipy.stats.norm.sf((S - 1) / sqrt((10 * 9 * 25 - 2 * 1 * 9) / 18))
        assert!((chance(&SERIES) - 0.005371254121580114).abs() < 1e-9, "{}", chance(&SERIES));
        assert_eq!(chance(&[5.0; 12]), 1.0);
    }

    #[test]
    fn the_direction_does_not_change_the_chance() {
        let mut back = SERIES;
        back.reverse();
        assert_eq!(chance(&back), chance(&SERIES));
        assert!((slope(&back) + slope(&SERIES)).abs() < 1e-12);
    }
}
