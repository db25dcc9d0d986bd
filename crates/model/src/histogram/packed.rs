//! The buckets of a histogram that is read and merged: for each that counted, how many buckets further it lies than the
//! last one, and its count, both in as few bytes as they need. Neighbours and small counts are the rule, so a bucket
//! takes two bytes and not sixteen, and the histograms of a thousand runs fit in memory.

/// Seven bits of a number per byte; the eighth says that more follow.
const MORE: u8 = 0x80;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    /// The sum of all counts: asked for with every percentile.
    total: u64,
}

impl Packed {
    /// Packs buckets by their places, ascending, with their counts; those of one place are counted together.
    pub(super) fn of(places: impl Iterator<Item = (usize, u64)>) -> Self {
        let mut bytes = Vec::new();
        let (mut last, mut total, mut open) = (0, 0, None::<(usize, u64)>);
        let mut close = |(place, count): (usize, u64)| {
            push(&mut bytes, (place - last) as u64);
            push(&mut bytes, count);
            total += count;
            last = place;
        };
        for (place, count) in places {
            match &mut open {
                Some((before, counted)) if *before == place => *counted += count,
                _ => open.replace((place, count)).into_iter().for_each(&mut close),
            }
        }
        open.into_iter().for_each(&mut close);
        bytes.shrink_to_fit();
        Self { bytes, total }
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Place and count of each bucket, ascending.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (mut rest, mut place) = (&self.bytes[..], 0);
        std::iter::from_fn(move || {
            place += pull(&mut rest)? as usize;
            Some((place, pull(&mut rest)?))
        })
    }
}

fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= u64::from(MORE) {
        bytes.push(number as u8 | MORE);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull(rest: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & !MORE) << shift;
        if byte & MORE == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_packed_is_there_again(mut places in proptest::collection::vec((0usize..30_000, 1u64..1_000_000_000_000), 0..200)) {
            places.sort_unstable();
            let mut buckets = std::collections::BTreeMap::<usize, u64>::new();
            places.iter().for_each(|(place, count)| *buckets.entry(*place).or_default() += count);
            let packed = Packed::of(places.into_iter());
            prop_assert_eq!(packed.places().collect::<Vec<_>>(), buckets.into_iter().collect::<Vec<_>>());
        }
    }
}
