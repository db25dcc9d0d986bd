//! The cheapest way to cut a series into segments, when each cut has a price: exact, by PELT (Killick, Fearnhead and
//! Eckley 2012), which drops starts that can no longer win. What a segment costs is the caller's; it must not become
//! dearer by being cut, which holds of sums of squares, of absolute deviations, and of likelihoods.

/// Cuts, as the index of the first value after each, ascending. No segment is shorter than `shortest`.
pub fn cuts(n: usize, shortest: usize, price: f64, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    assert!(shortest > 0, "a segment has a value");
    if n < 2 * shortest {
        return Vec::new();
    }
    // Of the best way up to each end: its cost, and where its last segment begins.
    let mut best = vec![(f64::INFINITY, 0); n + 1];
    best[0] = (-price, 0);
    // Starts with the end from which on they cannot win any more.
    let mut starts = vec![(0, usize::MAX)];
    for end in shortest..=n {
        starts.retain(|(_, until)| end < *until);
        let through = |start: usize| best[start].0 + cost(start, end) + price;
        let far_enough = |start: usize| end - start >= shortest;
        let ways = starts.iter().filter(|(s, _)| far_enough(*s)).map(|(s, _)| (through(*s), *s));
        let (least, from) = ways.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a start wins until a better one may begin");
        for (start, until) in starts.iter_mut().filter(|(s, _)| far_enough(*s)) {
            // To cut here is better from the first end on that may follow such a cut.
            if through(*start) - price > least {
                *until = (*until).min(end + shortest);
            }
        }
        best[end] = (least, from);
        if let Some(start) = (end + 1).checked_sub(shortest).filter(|s| *s >= shortest) {
            starts.push((start, usize::MAX));
        }
    }
    let mut cuts = Vec::new();
    let mut end = best[n].1;
    while end > 0 {
        cuts.push(end);
        end = best[end].1;
    }
    cuts.reverse();
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn squares(series: &[f64]) -> impl Fn(usize, usize) -> f64 + '_ {
        |from, to| {
            let centre = series[from..to].iter().sum::<f64>() / (to - from) as f64;
            series[from..to].iter().map(|x| (x - centre).powi(2)).sum()
        }
    }

    fn price_of(cuts: &[usize], n: usize, price: f64, cost: &impl Fn(usize, usize) -> f64) -> f64 {
        let ends: Vec<usize> = [0].into_iter().chain(cuts.iter().copied()).chain([n]).collect();
        ends.windows(2).map(|w| cost(w[0], w[1])).sum::<f64>() + price * cuts.len() as f64
    }

    proptest! {
        #[test]
        fn no_way_to_cut_is_cheaper(series in prop::collection::vec(-5.0..5.0_f64, 6..12), price in 0.1..20.0_f64) {
            let (n, shortest, cost) = (series.len(), 2, squares(&series));
            let found = cuts(n, shortest, price, &cost);
            let least = (0..1_u32 << (n - 1))
                .map(|bits| (1..n).filter(|i| bits & (1 << (i - 1)) != 0).collect::<Vec<_>>())
                .filter(|c| [&[0][..], c, &[n]].concat().windows(2).all(|w| w[1] - w[0] >= shortest))
                .map(|c| price_of(&c, n, price, &cost))
                .fold(f64::INFINITY, f64::min);
            let paid = price_of(&found, n, price, &cost);
            prop_assert!((paid - least).abs() < 1e-9, "{found:?} for {paid}, {least} would do");
        }
    }

    #[test]
    fn cuts_are_those_of_ruptures_for_squares_and_for_absolute_deviations() {
        // ruptures 1.1.10: Pelt(model, min_size=4, jump=1).fit(y).predict(price), and its exact Dynp; a spike bends
        // squares alone.
        let series = [
            10.1, 9.8, 10.3, 10.0, 9.9, 10.2, 12.1, 11.8, 12.3, 12.0, 11.9, 12.2, 12.05, 9.0, 9.2, 8.9, 9.1, 9.3, 8.8,
            9.05, 15.0, 9.1, 9.0, 10.9, 11.2, 11.0, 11.1, 10.8, 11.3, 11.05,
        ];
        let deviations = |from: usize, to: usize| {
            let centre = crate::stats::median(&mut series[from..to].to_vec());
            series[from..to].iter().map(|x| (x - centre).abs()).sum::<f64>()
        };
        for price in [0.5, 1.0, 3.0, 6.0] {
            assert_eq!(cuts(30, 4, price, squares(&series)), [6, 13, 20], "l2 at {price}");
            assert_eq!(cuts(30, 4, price, deviations), [6, 13, 23], "l1 at {price}");
        }
    }

    #[test]
    fn a_step_is_cut_where_it_is() {
        let series: Vec<f64> = (0..30).map(|i| if i < 18 { 1.0 } else { 2.0 } + 0.01 * f64::from(i % 3)).collect();
        assert_eq!(cuts(30, 4, 1.0, squares(&series)), [18]);
        assert_eq!(cuts(5, 4, 1.0, squares(&series[..5])), [0; 0]);
    }
}
