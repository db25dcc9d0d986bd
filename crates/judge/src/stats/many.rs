//! Many comparisons at once: of twenty that are true to nothing, one is significant at 5 %. The correction of Benjamini
//! and Hochberg (1995) keeps the share of wrong ones among those that are claimed. Claims are made below a level so low
//! (`decide::CLAIM`) that one for the probability of a single wrong one would change none of them.

/// Probabilities adjusted so that claiming all below a level is wrong in at most that share of what is claimed: by
/// rank, and what comes before is no larger than what follows.
pub fn benjamini_hochberg(chances: &[f64]) -> Vec<f64> {
    let n = chances.len() as f64;
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|a, b| chances[*a].total_cmp(&chances[*b]));
    let mut adjusted = vec![1.0; chances.len()];
    let mut least = 1.0_f64;
    for (rank, place) in order.into_iter().enumerate().rev() {
        least = least.min(chances[place] * n / (rank as f64 + 1.0));
        adjusted[place] = least;
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
    fn adjusted_probabilities_are_those_of_scipy() {
        // scipy.stats.false_discovery_control(p)
        let golden = [0.1057142857142857, 0.04, 0.084, 0.084, 0.084, 0.1, 0.01, 0.216, 0.216, 0.216];
        near(&benjamini_hochberg(&CHANCES), &golden);
    }

    proptest! {
        #[test]
        fn a_correction_keeps_the_order_and_never_makes_surer(chances in prop::collection::vec(0.0..=1.0_f64, 1..30)) {
            let adjusted = benjamini_hochberg(&chances);
            for (i, chance) in chances.iter().enumerate() {
                prop_assert!(*chance <= adjusted[i] + 1e-15 && adjusted[i] <= 1.0);
                for (j, other) in chances.iter().enumerate() {
                    prop_assert!(chance > other || adjusted[i] <= adjusted[j]);
                }
            }
        }
    }
}
