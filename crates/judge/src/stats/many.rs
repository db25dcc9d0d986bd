//! Many comparisons at once: of twenty that are true to nothing, one is significant at 5 %. The correction of Benjamini and
//! Hochberg (1995) keeps the share of wrong ones among those that are claimed; the one of Holm (1979) keeps the
//! probability of a single wrong one, for sentences that stand alone at the top of a report.

/// Probabilities adjusted so that claiming all below a level is wrong in at most that share of what is claimed.
pub fn benjamini_hochberg(chances: &[f64]) -> Vec<f64> {
    let n = chances.len() as f64;
    stepped(chances, true, |chance, rank| chance * n / (rank as f64 + 1.0))
}

/// Probabilities adjusted so that claiming all below a level is wrong anywhere with at most that probability.
pub fn holm(chances: &[f64]) -> Vec<f64> {
    let n = chances.len() as f64;
    stepped(chances, false, |chance, rank| chance * (n - rank as f64))
}

/// Adjusts by rank, and makes what follows no smaller than what came before, seen from the largest or the smallest.
fn stepped(chances: &[f64], from_largest: bool, adjust: impl Fn(f64, usize) -> f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let ranks: Vec<(usize, usize)> = order.into_iter().enumerate().collect();
    let mut adjusted = vec![1.0; chances.len()];
    if from_largest {
        let mut least = 1.0_f64;
        for (rank, place) in ranks.into_iter().rev() {
            least = least.min(adjust(chances[place], rank));
            adjusted[place] = least;
        }
    } else {
        let mut most = 0.0_f64;
        for (rank, place) in ranks {
            most = most.max(adjust(chances[place], rank)).min(1.0);
            adjusted[place] = most;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CHANCES: [f64; 10] = [0.074, 0.008, 0.039, 0.041, 0.042, 0.06, 0.001, 0.205, 0.212, 0.216];

    fn near(a: &[f64], b: &[f64]) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?}");
    }

    #[test]
    fn adjusted_probabilities_are_those_of_scipy_and_r() {
        // scipy.stats.false_discovery_control(p)
        let golden = [0.1057142857142857, 0.04, 0.084, 0.084, 0.084, 0.1, 0.01, 0.216, 0.216, 0.216];
        near(&benjamini_hochberg(&CHANCES), &golden);
        // p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") of R, from its manual's formula
        near(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
    }

    proptest! {
        #[test]
        fn a_correction_keeps_the_order_and_never_makes_surer(chances in prop::collection::vec(0.0..=1.0_f64, 1..30)) {
            let (hochberg, holm) = (benjamini_hochberg(&chances), holm(&chances));
            for (i, chance) in chances.iter().enumerate() {
                prop_assert!(*chance <= hochberg[i] + 1e-15 && hochberg[i] <= holm[i] + 1e-15 && holm[i] <= 1.0);
                for (j, other) in chances.iter().enumerate() {
                    prop_assert!(chance > other || hochberg[i] <= hochberg[j] && holm[i] <= holm[j]);
                }
            }
        }
    }
}
