//! Change points by energy distances (Matteson and James 2014, E-divisive, with exponent 1): where the two sides of a
//! cut differ most as distributions, whatever their shape; real when few permutations of the segment differ as much.
//! Each side of a real cut is looked at again.

use crate::stats::draws::Draws;

/// What decides whether a cut is real.
pub struct Test {
    pub permutations: usize,
    /// The share of permutations that may differ as much.
    pub chance: f64,
    /// By how much the distance of a cut is larger for values that resemble their neighbours; 1 for independent ones.
    pub alike: f64,
}

/// Cuts, as the index of the first value after each, ascending. No segment is shorter than `shortest`.
pub fn cuts(series: &[f64], shortest: usize, test: &Test, draws: &mut Draws) -> Vec<usize> {
    let Some((place, distance)) = strongest(series, shortest).filter(|(_, distance)| *distance > 0.0) else {
        return Vec::new();
    };
    let mut permuted = series.to_vec();
    let as_far = |_: &usize| {
        draws.shuffle(&mut permuted);
        strongest(&permuted, shortest).is_some_and(|(_, other)| other * test.alike >= distance)
    };
    let as_far = (0..test.permutations).filter(as_far).count();
    // The series itself is one of its permutations.
    if (as_far + 1) as f64 / (test.permutations + 1) as f64 > test.chance {
        return Vec::new();
    }
    let mut found = cuts(&series[..place], shortest, test, draws);
    found.push(place);
    found.extend(cuts(&series[place..], shortest, test, draws).into_iter().map(|cut| place + cut));
    found
}

/// The cut whose sides differ most, with nm/(n + m) times their energy distance; `None` for a series too short to be
/// cut.
pub fn strongest(series: &[f64], shortest: usize) -> Option<(usize, f64)> {
    let n = series.len();
    if n < 2 * shortest {
        return None;
    }
    let from = |i: usize, others: &[f64]| others.iter().map(|x| (x - series[i]).abs()).sum::<f64>();
    // Sums of distances between pairs: within the left side, within the right one, and between them.
    let (mut left, mut between) = (0.0, 0.0);
    let mut right: f64 = (0..n).map(|i| from(i, &series[i + 1..])).sum();
    let mut best: Option<(usize, f64)> = None;
    for moved in 0..n - shortest {
        let (to_left, to_right) = (from(moved, &series[..moved]), from(moved, &series[moved + 1..]));
        (left, right, between) = (left + to_left, right - to_right, between + to_right - to_left);
        let place = moved + 1;
        if place < shortest {
            continue;
        }
        let (a, b) = (place as f64, (n - place) as f64);
        let energy = 2.0 * between / (a * b) - 2.0 * left / (a * a) - 2.0 * right / (b * b);
        let distance = a * b / (a + b) * energy;
        if best.is_none_or(|(_, most)| distance > most) {
            best = Some((place, distance));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::draws::Draws;
    use model::seed::Seed;

    #[test]
    fn the_distance_is_that_of_its_definition() {
        let series: [f64; 7] = [1.0, 2.5, 1.5, 4.0, 5.5, 5.0, 4.5];
        let mean = |a: &[f64], b: &[f64]| {
            a.iter().map(|x| b.iter().map(|y| (x - y).abs()).sum::<f64>()).sum::<f64>() / (a.len() * b.len()) as f64
        };
        let of = |cut: usize| {
            let (a, b) = series.split_at(cut);
            let (n, m) = (a.len() as f64, b.len() as f64);
            n * m / (n + m) * (2.0 * mean(a, b) - mean(a, a) - mean(b, b))
        };
        let (place, distance) = strongest(&series, 2).unwrap();
        let most = (2..=5).map(of).fold(0.0, f64::max);
        assert_eq!(place, 3);
        assert!((distance - most).abs() < 1e-12, "{distance} {most}");
        assert_eq!(strongest(&series[..3], 2), None);
    }

    #[test]
    fn the_strongest_cut_is_where_scipys_energy_distance_is_largest() {
        // max over k in 2..=n-2 of k*(n-k)/n * scipy.stats.energy_distance(x[:k], x[k:])**2, SciPy 1.17.1
        let series = [1.0, 2.5, 1.5, 4.0, 5.5, 5.0, 4.5, 0.5, 1.25, 3.0, 2.75];
        for (n, golden) in [(7, 8.357142857142858), (11, 3.454545454545455)] {
            let (place, distance) = strongest(&series[..n], 2).unwrap();
            assert!(place == 3 && (distance - golden).abs() < 1e-12, "{n}: {place} {distance}");
        }
    }

    #[test]
    fn two_steps_are_found_and_calm_is_left_alone() {
        let mut draws = Draws::of(Seed(4));
        let level = |i: usize| if (20..35).contains(&i) { 103.0 } else { 100.0 };
        let stepped: Vec<f64> = (0..50).map(|i| level(i) + 0.5 * draws.normal()).collect();
        let calm: Vec<f64> = (0..50).map(|_| draws.normal()).collect();
        let test = Test { permutations: 199, chance: 0.01, alike: 1.0 };
        assert_eq!(cuts(&stepped, 4, &test, &mut draws), [20, 35]);
        assert_eq!(cuts(&calm, 4, &test, &mut draws), [0; 0]);
    }
}
