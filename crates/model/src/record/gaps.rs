//! Times in which operations were under way at a worker and none ended, from one end to the next: what a stall of the
//! server looks like under a closed load, whose users wait it out together so that no percentile shows it. Kept by
//! powers of two with exact sums, and only from `FROM` on: what counts as a stall is told from the run's own median,
//! afterwards.

use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Gaps(BTreeMap<Nanos, Gap>);

/// Gaps of at least the key, and of less than twice as much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    pub count: u64,
    pub total: Nanos,
}

impl Gaps {
    /// About 0.13 ms: shorter ones are the scheduler's everyday, and most of all.
    pub const FROM: Nanos = Nanos(1 << 17);

    pub fn record(&mut self, gap: Nanos) {
        if gap >= Self::FROM {
            self.add(Nanos(1 << gap.0.ilog2()), Gap { count: 1, total: gap });
        }
    }
    pub fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|(from, gap)| self.add(*from, *gap));
    }
    /// Those that are certainly as long: the power of two that holds the limit itself is left out.
    pub fn longer_than(&self, limit: Nanos) -> Gap {
        self.0.range(limit..).fold(Gap::default(), |sum, (_, gap)| sum.and(*gap))
    }
    fn add(&mut self, from: Nanos, gap: Gap) {
        let sum = self.0.entry(from).or_default();
        *sum = sum.and(gap);
    }
}

impl Gap {
    fn and(self, other: Self) -> Self {
        Self { count: self.count + other.count, total: Nanos(self.total.0 + other.total.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_counts_as_longer_only_when_it_certainly_is() {
        let mut gaps = Gaps::default();
        for millis in [3, 1_000, 700] {
            gaps.record(Nanos::from_millis(millis));
        }
        gaps.record(Nanos(1_000));
        let back: Gaps = serde_json::from_str(&serde_json::to_string(&gaps).unwrap()).unwrap();
        assert_eq!(back, gaps);
        let mut twice = back.clone();
        twice.merge(&gaps);
        assert_eq!(twice.longer_than(Nanos::from_millis(10)), Gap { count: 4, total: Nanos::from_millis(3_400) });
        assert_eq!(gaps.longer_than(Nanos::from_millis(600)).count, 0, "536 ms to 1074 ms holds shorter ones too");
        assert_eq!(gaps.longer_than(Nanos(0)).count, 3, "what is below the least is not kept");
    }
}
