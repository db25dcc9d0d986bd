//! Whether a short series made one step. A phase of ten seconds has too few points for levels of their own variance
//! (`steady`), but enough to see that its rate halved: the cut that divides it best is found, and what it gains is held
//! against what the best cut of unchanged series gains, whose neighbours resemble each other as seconds of servers do.

use super::average;

/// Fewer points are cut in two by chance alone.
pub const FEWEST: usize = 8;
/// A side has so many points at least: a single second far off is a stall and no level.
const SIDE: usize = 2;
/// What the best cut of one in a thousand unchanged series of so many points gains, in standard errors of the
/// difference: 40,000 series each, simulated, where each value resembles the one before by 0.3. Of ten independent
/// values it is one series in six thousand, of ten that resemble each other by 0.5 one in four hundred, of 29 such one
/// in ninety (`crates/judge/tests/steady.rs` repeats a few).
const GAINS: [(usize, f64); 6] = [(8, 9.68), (10, 8.74), (12, 7.79), (15, 7.25), (20, 6.88), (29, 6.35)];

/// Where the level changed, and the means on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub at: usize,
    pub before: f64,
    pub after: f64,
}

/// The step of a series; none where it made none, or has too few points to tell.
pub fn of(series: &[f64]) -> Option<Step> {
    let n = series.len();
    if n < FEWEST {
        return None;
    }
    let squares = |part: &[f64], centre: f64| part.iter().map(|x| (x - centre).powi(2)).sum::<f64>();
    let gain = |at: usize| {
        let (one, other) = series.split_at(at);
        let (before, after) = (average(one), average(other));
        let within = (squares(one, before) + squares(other, after)) / (n as f64 - 2.0);
        let error = (within * (1.0 / at as f64 + 1.0 / (n - at) as f64)).sqrt();
        let gain = if before == after { 0.0 } else { (after - before).abs() / error };
        (gain, Step { at, before, after })
    };
    let best = (SIDE..=n - SIDE).map(gain).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > by_chance(n)).then_some(best.1)
}

/// Between the simulated ones on the line.
fn by_chance(n: usize) -> f64 {
    let after = GAINS.partition_point(|(of, _)| *of < n).min(GAINS.len() - 1);
    let ((a, low), (b, high)) = (GAINS[after.saturating_sub(1)], GAINS[after]);
    if b == a { high } else { low + (high - low) * ((n.min(b) - a) as f64 / (b - a) as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_told_with_its_place_and_its_levels() {
        let fell = [100.0, 101.0, 99.0, 100.0, 100.5, 99.5, 70.0, 71.0, 69.0, 70.0];
        assert_eq!(of(&fell), Some(Step { at: 6, before: 100.0, after: 70.0 }));
        assert_eq!(of(&[5.0; 10]), None);
        assert_eq!(of(&fell[..7]), None, "too few");
        let stalled = [100.0, 101.0, 99.0, 100.0, 20.0, 99.5, 100.0, 101.0, 99.0, 100.0];
        assert_eq!(of(&stalled), None, "one second is no level");
    }
}
