//! Where a series of runs changed: by the vote of three methods that err differently. E-divisive hears any change of
//! distribution; a sum of absolute deviations (Potts) is deaf to single spikes; a sum of squares (PELT on the mean) is
//! the sharpest where noise is normal. A change stands where two of them put it, within two runs. What a cut must gain
//! is taken from permutations of the series itself, times the values that one independent value is worth where
//! neighbours resemble each other: thresholds from theory alarm on every third calm series that does.

use super::energy::{self, Test};
use super::partition;
use crate::stats::draws::Draws;
use crate::stats::{average, median, quantile};
use model::seed::Seed;

/// Fewer runs are no level: a spike of two or three is told by nobody.
pub const SHORTEST: usize = 4;
/// From fewer points, one permutation in a hundred is cut as clearly as a real change: two of the C(10, 4).
pub const FEWEST: usize = 11;
/// Methods that mean the same change put it no further apart.
const NEAR: usize = 2;
/// The share of calm series in which one method alone may see something.
const CHANCE: f64 = 0.01;
/// Permutations of the series: the price of a cut is then the gain of the fifth best of them.
const PERMUTATIONS: usize = 499;
/// More likeness than this is a drift, and a drift is no change of level; it is not made up for.
const MOST_ALIKE: f64 = 0.8;

/// A change of level somewhere after value `before` and not after value `after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub before: usize,
    pub after: usize,
}

/// Changes in order. `least` is the smallest distance between the medians of neighbouring levels that is one.
pub fn changes(series: &[f64], least: f64, seed: Seed) -> Vec<Change> {
    if series.len() < FEWEST {
        return Vec::new();
    }
    let mut draws = Draws::of(seed);
    let alike = alike(series);
    let votes = [
        by_price(series, alike, &mut draws, |part| {
            let centre = median(&mut part.to_vec());
            part.iter().map(|x| (x - centre).abs()).sum()
        }),
        by_price(series, alike, &mut draws, |part| {
            let centre = average(part);
            part.iter().map(|x| (x - centre).powi(2)).sum()
        }),
        energy::cuts(series, SHORTEST, &Test { permutations: PERMUTATIONS, chance: CHANCE, alike }, &mut draws),
    ];
    large_enough(series, agreed(&votes), least)
}

/// How many values are worth one independent value, by how much neighbours resemble each other around the two levels
/// that the series seems to have: (1 + φ) / (1 − φ). Each level takes (1 + 4φ)/n off the φ that is seen (Kendall 1954).
fn alike(series: &[f64]) -> f64 {
    let cut = energy::strongest(series, SHORTEST).map_or(0, |(place, _)| place);
    let (left, right) = series.split_at(cut);
    let off = |part: &[f64]| {
        let centre = average(part);
        part.iter().map(|x| x - centre).collect::<Vec<f64>>()
    };
    let off = [off(left), off(right)].concat();
    let whole: f64 = off.iter().map(|x| x * x).sum();
    if whole <= 0.0 {
        return 1.0;
    }
    let seen = off.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / whole;
    let phi = (seen + 2.0 * (1.0 + 4.0 * seen.max(0.0)) / off.len() as f64).clamp(0.0, MOST_ALIKE);
    (1.0 + phi) / (1.0 - phi)
}

/// The cheapest cuts at a price that calm series of these values seldom pay.
fn by_price(series: &[f64], alike: f64, draws: &mut Draws, cost: impl Fn(&[f64]) -> f64) -> Vec<usize> {
    let gain = |series: &[f64]| {
        let whole = cost(series);
        let places = SHORTEST..=series.len() - SHORTEST;
        places.map(|cut| whole - cost(&series[..cut]) - cost(&series[cut..])).fold(0.0, f64::max)
    };
    let mut permuted = series.to_vec();
    let mut permute = |_| {
        draws.shuffle(&mut permuted);
        gain(&permuted)
    };
    let mut gains: Vec<f64> = (0..PERMUTATIONS).map(&mut permute).collect();
    gains.sort_by(f64::total_cmp);
    let price = (alike * quantile(&gains, 1.0 - CHANCE)).max(f64::MIN_POSITIVE);
    partition::cuts(series.len(), SHORTEST, price, |from, to| cost(&series[from..to]))
}

/// What at least two methods say, with how far apart they say it.
fn agreed(votes: &[Vec<usize>; 3]) -> Vec<Change> {
    let mut all: Vec<(usize, usize)> =
        votes.iter().enumerate().flat_map(|(method, cuts)| cuts.iter().map(move |cut| (*cut, method))).collect();
    all.sort_unstable();
    let mut changes = Vec::new();
    let mut rest = &all[..];
    while let Some((first, method)) = rest.first().copied() {
        let near = rest.iter().take_while(|(cut, _)| cut - first <= NEAR).count();
        if rest[..near].iter().any(|(_, other)| *other != method) {
            changes.push(Change { before: first - 1, after: rest[near - 1].0 });
            rest = &rest[near..];
        } else {
            rest = &rest[1..];
        }
    }
    changes
}

/// Neighbours become one level while the most alike of them differ by less than `least`.
fn large_enough(series: &[f64], mut changes: Vec<Change>, least: f64) -> Vec<Change> {
    loop {
        let begins: Vec<usize> = [0].into_iter().chain(changes.iter().map(|c| c.after)).collect();
        let ends = changes.iter().map(|c| c.before + 1).chain([series.len()]);
        let levels: Vec<f64> =
            begins.iter().zip(ends).map(|(from, to)| median(&mut series[*from..to].to_vec())).collect();
        let steps = levels.windows(2).map(|w| (w[1] - w[0]).abs()).enumerate();
        match steps.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, step)| *step < least) {
            Some((i, _)) => drop(changes.remove(i)),
            None => return changes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: f64 = 0.02;

    fn noise(draws: &mut Draws, n: usize, spread: f64, phi: f64) -> Vec<f64> {
        let mut last = draws.normal();
        let mut next = |_| {
            last = phi * last + (1.0 - phi * phi).sqrt() * draws.normal();
            spread * last
        };
        (0..n).map(&mut next).collect()
    }

    #[test]
    fn a_step_is_bracketed_and_a_spike_is_none() {
        let mut series = noise(&mut Draws::of(Seed(1)), 40, 0.01, 0.0);
        series[25..].iter_mut().for_each(|x| *x -= 0.05);
        let found = changes(&series, LEAST, Seed(2));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].before < 25 && 25 <= found[0].after && found[0].after - found[0].before <= 3, "{found:?}");
        let mut spiked = noise(&mut Draws::of(Seed(3)), 40, 0.01, 0.0);
        spiked[11] += 0.3;
        assert_eq!(changes(&spiked, LEAST, Seed(2)), []);
        assert_eq!(changes(&series[20..27], LEAST, Seed(2)), [], "too few runs");
    }

    #[test]
    fn a_step_that_is_smaller_than_what_counts_is_none() {
        let mut series = noise(&mut Draws::of(Seed(1)), 60, 0.001, 0.0);
        series[30..].iter_mut().for_each(|x| *x += 0.01);
        assert_eq!(changes(&series, LEAST, Seed(1)), []);
        assert_eq!(changes(&series, 0.005, Seed(1)).len(), 1);
    }

    #[test]
    fn calm_series_have_no_change_even_where_values_resemble_their_neighbours() {
        for (spread, phi) in [(0.03, 0.0), (0.03, 0.5)] {
            let mut draws = Draws::of(Seed(9));
            let calm: Vec<Vec<f64>> = (0..25).map(|_| noise(&mut draws, 24, spread, phi)).collect();
            let alarms =
                calm.iter().enumerate().filter(|(i, s)| !changes(s, LEAST, Seed(*i as u64)).is_empty()).count();
            assert!(alarms <= 1, "{alarms} of 25 with φ {phi}");
        }
    }
}
