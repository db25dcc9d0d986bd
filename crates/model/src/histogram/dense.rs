//! Hot path: the buckets of a histogram that is being recorded, one counter each, laid out as in an HdrHistogram of
//! three digits: even steps of `LOWEST` at first, and half as many buckets for each doubling after that. Ours because
//! counting is all that the load does with it: an index from the leading bits and an increment, where the crate keeps
//! books that nobody reads. Pages of counters that never counted are never touched.

use super::{HIGHEST, LEADING_BITS, LOWEST};

/// Buckets of one doubling.
const HALF: usize = 1 << (LEADING_BITS - 1);
const BUCKETS: usize = index(HIGHEST) + 1;

#[derive(Debug)]
pub(super) struct Dense {
    counts: Box<[u64]>,
    /// Counters below the first and from the end on are zero.
    first: usize,
    end: usize,
}

impl Dense {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; BUCKETS].into(), first: BUCKETS, end: 0 }
    }

    #[inline]
    pub(super) fn record(&mut self, value: u64, count: u64) {
        self.add(index(value), count);
    }

    /// To the bucket at that place; what lies beyond the last is counted there.
    #[inline]
    pub(super) fn add(&mut self, place: usize, count: u64) {
        let index = place.min(BUCKETS - 1);
        self.counts[index] += count;
        (self.first, self.end) = (self.first.min(index), self.end.max(index + 1));
    }

    pub(super) fn clear(&mut self) {
        self.counts.get_mut(self.first..self.end).unwrap_or_default().fill(0);
        (self.first, self.end) = (BUCKETS, 0);
    }

    pub(super) fn total(&self) -> u64 {
        self.places().map(|(_, count)| count).sum()
    }

    /// Place and count of each bucket that has one, ascending.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let counted = |index: &usize| self.counts[*index] > 0;
        (self.first..self.end).filter(counted).map(|index| (index, self.counts[index]))
    }
}

/// Twice `HALF` even steps, then `HALF` buckets per doubling.
#[inline]
pub(super) const fn index(value: u64) -> usize {
    let steps = value / LOWEST;
    let doublings = (u64::BITS - (steps | (2 * HALF as u64 - 1)).leading_zeros()) - LEADING_BITS;
    doublings as usize * HALF + (steps >> doublings) as usize
}

/// The lowest value of a bucket.
pub(super) fn lowest(index: usize) -> u64 {
    let doublings = (index / HALF).saturating_sub(1);
    ((index - doublings * HALF) as u64 * LOWEST) << doublings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bucket_begins_where_the_one_before_ends() {
        for bucket in 1..BUCKETS {
            assert_eq!((index(lowest(bucket)), index(lowest(bucket) - 1)), (bucket, bucket - 1));
            assert_eq!(lowest(bucket) - lowest(bucket - 1), super::super::width(lowest(bucket - 1)));
        }
    }
}
