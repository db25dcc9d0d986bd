//! What a ratio with its noise is called: better, worse, equivalent, or undecided with the repetitions that would
//! decide. One rule for the comparisons inside a record and for two records side by side. All ratios of one table are
//! decided together: those of one metric lend each other what they know of noise (`stats::prior`; a tail is noisier
//! than a rate, and the two know nothing of each other), and the more of them there are the surer each must be. By how
//! much two that are the same were seen to differ is a floor under claims; it never widens what counts as equivalent.

use crate::stats::prior::Prior;
use crate::stats::ratio::Ratio;
use crate::stats::{CONFIDENCE, Interval, many, student};
use model::{Outcome, Share};
use std::collections::{BTreeMap, BTreeSet};

/// Differences smaller than this are nobody's reason to change a server.
pub const MARGIN: Share = Share(0.02);
/// A difference is claimed below this probability, corrected for the number of comparisons (Benjamini and Hochberg):
/// intervals are printed at 95 %, but a judge that cries wolf in one of twenty unchanged experiments is not listened
/// to. With this, it is under one in a hundred (docs/statistics.md).
pub const CLAIM: f64 = 0.0025;
/// No further repetitions are advised than these.
const MOST_MORE: usize = 200;

#[derive(Clone, Debug)]
pub struct Decision {
    pub outcome: Outcome,
    /// Knowing what the others know of its noise.
    pub interval: Interval,
    /// The chance of a difference as large where there is none, corrected.
    pub chance: f64,
    /// Within it the two are equivalent.
    pub margin: Share,
    /// Repetitions of both that would probably decide it; `None` where it is decided, or more than are worth it.
    pub more: Option<u32>,
}

impl Decision {
    /// By another interval of the same ratio: of two that disagree the wider one is told, and what it does not bear out
    /// is not claimed.
    pub fn widen(&mut self, other: Option<Interval>) {
        let Some(other) = other else { return };
        self.interval.low = self.interval.low.min(other.low);
        self.interval.high = self.interval.high.max(other.high);
        let (low, high, margin) = (self.interval.low, self.interval.high, self.margin.0);
        let borne_out = match self.outcome {
            Outcome::Better => low > 1.0,
            Outcome::Worse => high < 1.0,
            Outcome::Equivalent => low >= 1.0 / (1.0 + margin) && high <= 1.0 + margin,
            Outcome::Undecided | Outcome::Refused => true,
        };
        if !borne_out {
            // Nobody knows how many, and one more changes both.
            (self.outcome, self.more) = (Outcome::Undecided, Some(1));
        }
    }
}

/// A ratio that is to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'m> {
    pub metric: &'m str,
    pub ratio: Ratio,
    /// By how much two that are the same were seen to differ on this metric.
    pub floor: Share,
    /// Whether its noise is like that of the others of its metric.
    pub lends: bool,
}

/// The decision on each ratio of one table, all of one metric. More is better.
pub fn all(ratios: &[Ratio], floor: Share) -> Vec<Decision> {
    of(&ratios.iter().map(|ratio| Asked { metric: "", ratio: *ratio, floor, lends: true }).collect::<Vec<_>>())
}

/// The same of several metrics.
pub fn of(asked: &[Asked]) -> Vec<Decision> {
    let metrics: BTreeSet<&str> = asked.iter().map(|a| a.metric).collect();
    let prior = |metric: &str| {
        let lenders = asked.iter().filter(|a| a.lends && a.metric == metric);
        Some((metric.to_string(), Prior::of(&lenders.map(|a| a.ratio).collect::<Vec<_>>())?))
    };
    let priors: BTreeMap<String, Prior> = metrics.into_iter().filter_map(prior).collect();
    let knowing = |asked: &Asked| match priors.get(asked.metric).filter(|_| asked.lends) {
        Some(prior) => asked.ratio.knowing(prior),
        None => asked.ratio,
    };
    let ratios: Vec<Ratio> = asked.iter().map(knowing).collect();
    let chances = many::benjamini_hochberg(&ratios.iter().map(Ratio::chance).collect::<Vec<_>>());
    let floors = asked.iter().map(|a| a.floor);
    ratios.iter().zip(chances).zip(floors).map(|((ratio, chance), floor)| one(ratio, chance, floor)).collect()
}

fn one(ratio: &Ratio, chance: f64, floor: Share) -> Decision {
    let margin = MARGIN;
    let interval = ratio.interval();
    let beyond_floor = ratio.log.abs() > floor.0.ln_1p();
    // Where twins differ by more than the margin, nobody can see that two are within it.
    let is_fine = floor.0 <= margin.0;
    let outcome = if is_fine && ratio.chance_of_differing(margin.0) <= (1.0 - CONFIDENCE) / 2.0 {
        Outcome::Equivalent
    } else if chance <= CLAIM && beyond_floor && ratio.log > 0.0 {
        Outcome::Better
    } else if chance <= CLAIM && beyond_floor {
        Outcome::Worse
    } else {
        Outcome::Undecided
    };
    let more = if outcome == Outcome::Undecided { more(ratio, is_fine.then_some(margin), beyond_floor) } else { None };
    Decision { outcome, interval, chance, margin, more }
}

/// More of a cost is worse.
pub fn of_cost(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Better => Outcome::Worse,
        Outcome::Worse => Outcome::Better,
        Outcome::Equivalent | Outcome::Undecided | Outcome::Refused => outcome,
    }
}

/// Further repetitions until the ratio, if it stays where it is, would be claimed or be equivalent.
fn more(ratio: &Ratio, margin: Option<Share>, beyond_floor: bool) -> Option<u32> {
    let size = ratio.log.abs();
    let room = margin.map_or(f64::NEG_INFINITY, |margin| margin.0.ln_1p() - size);
    let enough = |n: usize| {
        let error = (ratio.variance / n as f64).sqrt();
        let freedom = ratio.freedom + (n - ratio.n) as f64;
        let reaches = |p: f64, room: f64| student::quantile(1.0 - p / 2.0, freedom) * error <= room;
        beyond_floor && reaches(CLAIM, size) || reaches(1.0 - CONFIDENCE, room)
    };
    (1..=MOST_MORE).find(|more| enough(ratio.n + more)).map(|more| more as u32)
}

/// The repetitions that an undecided comparison lacks, as the end of a sentence.
pub fn told(more: Option<u32>) -> String {
    told_of(more, "repetition", "repetitions")
}

/// The same of what is repeated, one and several of it.
pub fn told_of(more: Option<u32>, one: &str, several: &str) -> String {
    match more {
        Some(1) => format!("1 more {one} would probably decide"),
        Some(more) => format!("{more} more {several} would probably decide"),
        None => format!("more than {MOST_MORE} further {several} would be needed at this noise"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(log: f64, spread: f64, n: usize) -> Ratio {
        Ratio { log, variance: spread * spread, freedom: n as f64 - 1.0, n }
    }

    fn outcome(log: f64, spread: f64, n: usize, floor: f64) -> Outcome {
        all(&[ratio(log, spread, n)], Share(floor))[0].outcome
    }

    #[test]
    fn a_ratio_is_called_by_its_interval_and_the_margin() {
        assert_eq!(outcome(0.10, 0.01, 5, 0.0), Outcome::Better);
        assert_eq!(outcome(-0.10, 0.01, 5, 0.0), Outcome::Worse);
        assert_eq!(outcome(0.001, 0.005, 5, 0.0), Outcome::Equivalent);
        assert_eq!(outcome(0.03, 0.04, 5, 0.0), Outcome::Undecided);
        // Twins that differ by a tenth make a tenth mean nothing.
        assert_eq!(outcome(-0.09, 0.01, 5, 0.10), Outcome::Undecided);
    }

    #[test]
    fn twins_that_differ_make_nothing_equivalent() {
        assert_eq!(outcome(0.001, 0.005, 5, 0.019), Outcome::Equivalent);
        assert_eq!(outcome(0.001, 0.005, 5, 0.10), Outcome::Undecided, "a tenth is seen where nothing is");
        assert_eq!(outcome(0.05, 0.01, 5, 0.10), Outcome::Undecided, "and 5 % are not within 2 %");
    }

    #[test]
    fn a_tail_lends_a_rate_none_of_its_noise() {
        let calm = [0.004, 0.006, 0.005, 0.004, 0.005];
        let asked =
            |metric, spread: f64| Asked { metric, ratio: ratio(0.0, spread, 3), floor: Share(0.0), lends: true };
        let rates = || calm.iter().map(|spread| asked("qps", *spread));
        let tails = calm.iter().map(|spread| asked("p99", 40.0 * spread));
        let alone = of(&rates().collect::<Vec<_>>());
        let among = of(&rates().chain(tails).collect::<Vec<_>>());
        assert!(alone.iter().zip(&among).all(|(a, b)| a.interval == b.interval));
        assert!(among[5].interval.high > 1.2, "{:?}", among[5].interval);
    }

    #[test]
    fn the_repetitions_advised_decide_and_one_fewer_does_not() {
        let undecided = ratio(0.05, 0.04, 4);
        let more = all(&[undecided], Share(0.0))[0].more.unwrap();
        let with = |n: usize| outcome(0.05, 0.04, 4 + n, 0.0);
        assert_eq!((with(more as usize), with(more as usize - 1)), (Outcome::Better, Outcome::Undecided));
        assert_eq!(all(&[ratio(0.0201, 0.5, 4)], Share(0.0))[0].more, None);
    }

    #[test]
    fn a_wider_interval_takes_back_what_it_does_not_bear_out() {
        let widened = |log: f64, low: f64, high: f64| {
            let mut decision = all(&[ratio(log, 0.005, 8)], Share(0.0)).remove(0);
            decision.widen(Some(Interval { value: log.exp(), low, high }));
            (decision.outcome, decision.interval.low <= low && decision.interval.high >= high)
        };
        assert_eq!(widened(0.10, 1.05, 1.2), (Outcome::Better, true));
        assert_eq!(widened(0.10, 0.99, 1.2), (Outcome::Undecided, true));
        assert_eq!(widened(0.0, 0.99, 1.01), (Outcome::Equivalent, true));
        assert_eq!(widened(0.0, 0.97, 1.01), (Outcome::Undecided, true));
    }

    #[test]
    fn one_ratio_among_many_must_be_surer() {
        let clear = ratio(0.10, 0.0205, 4);
        assert_eq!(all(&[clear], Share(0.0))[0].outcome, Outcome::Better);
        // Too few to lend each other anything.
        let among = all(&[clear, ratio(0.0, 0.05, 4), ratio(0.01, 0.05, 4)], Share(0.0));
        assert_eq!(among[0].outcome, Outcome::Undecided, "{among:?}");
    }
}
