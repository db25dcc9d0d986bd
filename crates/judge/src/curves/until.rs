//! When repetitions are enough (`model::precision`): the rate of every cell and phase has a 95 % interval that reaches
//! no further than what was asked for, or all blocks that are allowed were made. Looked at after every block it stops a
//! little too early, where a spread came out small by chance: the printed interval then holds the truth in 92 to 95 of
//! a hundred (docs/statistics.md), which is why fewer than five blocks are never enough.

use crate::stats::mean;
use model::precision::Precision;
use model::record::rates::{self, Rates};
use model::{CellId, Record, Share};

/// The reason to stop after so many whole blocks; `None` to go on.
pub fn enough(until: &Precision, rates: &Rates, blocks: u32) -> Option<String> {
    if blocks >= until.most {
        return Some(match widest(rates) {
            Some((cell, half)) if half.0 > until.within.0 => {
                format!("all {blocks} repetitions that are allowed were made; {cell} is known within {half}")
            }
            Some(_) | None => format!("all {blocks} repetitions that are allowed were made"),
        });
    }
    if blocks < Precision::FEWEST {
        return None;
    }
    if rates.is_empty() {
        return Some(format!("{blocks} repetitions gave no rate, and more would give none"));
    }
    let (_, half) = widest(rates)?;
    (half.0 <= until.within.0).then(|| format!("each rate is known within {} after {blocks} repetitions", until.within))
}

/// The cell whose rate is known worst, and how far its interval reaches; `None` where one has no interval yet.
fn widest(rates: &Rates) -> Option<(&CellId, Share)> {
    let half = |values: &[f64]| mean::of_logs(values).map(|i| (i.high / i.low).sqrt() - 1.0);
    let all: Option<Vec<_>> = rates.iter().map(|((cell, _), values)| Some((cell, Share(half(values)?)))).collect();
    all?.into_iter().max_by(|(_, a), (_, b)| a.0.total_cmp(&b.0))
}

/// Why a record has fewer repetitions than its plan allows; `None` where it is to have more, or all.
pub fn stopped(record: &Record) -> Option<String> {
    let until = record.plan.until.as_ref()?;
    let mut found = Rates::new();
    let mut runs: Vec<_> = record.runs.iter().collect();
    runs.sort_by_key(|run| run.block);
    let cells = record.plan.cells.len();
    let in_block = |block| runs.iter().filter(|run| run.block == block && !run.is_beside()).count();
    let blocks = (1..=until.most).take_while(|block| in_block(*block) == cells).count() as u32;
    runs.iter().for_each(|run| rates::add(&mut found, run));
    enough(until, &found, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNTIL: Precision = Precision { within: Share(0.02), most: 12 };

    fn rates(spread: f64, blocks: u32) -> Rates {
        let value = |i: u32| 1_000.0 * (1.0 + spread * (f64::from(i % 3) - 1.0));
        [((CellId("c001".into()), "measure".into()), (0..blocks).map(value).collect())].into()
    }

    #[test]
    fn calm_cells_are_enough_after_five_and_noisy_ones_after_all() {
        assert_eq!(enough(&UNTIL, &rates(0.001, 4), 4), None, "four tell no spread");
        let five = enough(&UNTIL, &rates(0.001, 5), 5);
        assert_eq!(five.as_deref(), Some("each rate is known within 2 % after 5 repetitions"));
        assert_eq!(enough(&UNTIL, &rates(0.3, 5), 5), None);
        let all = enough(&UNTIL, &rates(0.3, 12), 12).expect("it is bounded");
        assert!(all.starts_with("all 12 repetitions that are allowed were made; c001 is known within"), "{all}");
        assert!(enough(&UNTIL, &Rates::new(), 5).is_some_and(|why| why.contains("no rate")));
    }

    #[test]
    fn one_cell_that_is_not_known_keeps_all_of_them_going() {
        let mut both = rates(0.001, 6);
        let other: Vec<f64> = rates(0.3, 6).into_values().flatten().collect();
        both.insert((CellId("c002".into()), "measure".into()), other);
        assert_eq!(enough(&UNTIL, &both, 6), None);
    }

    proptest! {
        #[test]
        fn it_always_ends_and_never_before_the_fewest(
            values in prop::collection::vec(1.0..1e6_f64, 0..40), within in 0.001..0.5_f64, most in 5_u32..40,
        ) {
            let until = Precision { within: Share(within), most };
            let ended = (1..=most).find(|blocks| {
                let so_far: Vec<f64> = values.iter().take(*blocks as usize).copied().collect();
                let rates = [((CellId("c".into()), "m".into()), so_far)].into();
                enough(&until, &rates, *blocks).is_some()
            });
            prop_assert!(ended.is_some_and(|blocks| (Precision::FEWEST..=most).contains(&blocks)));
        }
    }
}
