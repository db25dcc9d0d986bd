//! A latency histogram of three significant digits. It is merged and never averaged: a percentile of a run is the
//! percentile of all its operations, whichever worker or second they belong to. Its buckets are those of an
//! HdrHistogram. While it is being recorded every bucket has a counter; read back it is a packed list of those that
//! counted, because a record has ten thousand of them. On disk it is a text of `step:count` pairs (step from the last
//! bucket's lowest value), which every language reads.

mod dense;
mod packed;
mod text;

use crate::units::Nanos;
use dense::{Dense, index, lowest};
use packed::Packed;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::ControlFlow;

/// One hour in nanoseconds: longer answers are counted in the last bucket.
const HIGHEST: u64 = 3_600_000_000_000;
/// Below this the clock itself is the noise; it saves a fifth of the memory.
const LOWEST: u64 = 64;
/// Values of one bucket agree in this many leading bits: 11 bits are three decimal digits.
const LEADING_BITS: u32 = 11;

/// Counts of durations in nanoseconds.
#[derive(Debug)]
pub struct Histogram(Form);

#[derive(Debug)]
enum Form {
    /// Being recorded: room for 216 KiB, a count is an index away.
    Dense(Dense),
    /// Only what counted.
    Sparse(Packed),
}

impl Default for Histogram {
    /// Empty and small; the first recording makes room.
    fn default() -> Self {
        Self(Form::Sparse(Packed::default()))
    }
}

impl Histogram {
    /// Empty, with room for every value: recording into it allocates nothing.
    pub fn new() -> Self {
        Self(Form::Dense(Dense::new()))
    }
    /// Allocates nothing in a histogram made by `new`.
    #[inline]
    pub fn record(&mut self, value: Nanos) {
        self.record_many(value, 1);
    }
    #[inline]
    pub fn record_many(&mut self, value: Nanos, count: u64) {
        match &mut self.0 {
            Form::Dense(dense) => dense.record(value.0, count),
            Form::Sparse(_) => self.thicken().record(value.0, count),
        }
    }
    #[cold]
    fn thicken(&mut self) -> &mut Dense {
        let mut dense = Dense::new();
        self.each_place(|place, count| dense.add(place, count));
        self.0 = Form::Dense(dense);
        match &mut self.0 {
            Form::Dense(dense) => dense,
            Form::Sparse(_) => unreachable!("just made dense"),
        }
    }
    pub fn merge(&mut self, other: &Self) {
        match (&mut self.0, &other.0) {
            (Form::Dense(mine), _) => other.each_place(|place, count| mine.add(place, count)),
            (Form::Sparse(mine), _) if mine.total() == 0 => *self = other.clone(),
            (Form::Sparse(mine), _) => *mine = Packed::of(merged(mine.places(), other.places())),
        }
    }
    /// Keeps the room.
    pub fn clear(&mut self) {
        match &mut self.0 {
            Form::Dense(dense) => dense.clear(),
            Form::Sparse(packed) => *packed = Packed::default(),
        }
    }
    pub fn count(&self) -> u64 {
        match &self.0 {
            Form::Dense(dense) => dense.total(),
            Form::Sparse(packed) => packed.total(),
        }
    }
    /// `None` without a value: an empty histogram has no percentile.
    pub fn percentile(&self, percent: f64) -> Option<Nanos> {
        self.percentiles([percent]).map(|[value]| value)
    }
    /// Several, ascending, for one walk through the buckets.
    pub fn percentiles<const N: usize>(&self, percents: [f64; N]) -> Option<[Nanos; N]> {
        let total = self.count();
        let wanted = percents.map(|percent| ((percent / 100.0 * total as f64).ceil() as u64).clamp(1, total.max(1)));
        debug_assert!(wanted.is_sorted());
        let (mut seen, mut found, mut values) = (0, 0, [Nanos::default(); N]);
        let walk = self.until(|place, count| {
            seen += count;
            while found < N && seen >= wanted[found] {
                values[found] = highest(place);
                found += 1;
            }
            if found == N { ControlFlow::Break(values) } else { ControlFlow::Continue(()) }
        });
        walk.break_value()
    }
    /// How many are of at least that length, to the histogram's precision.
    pub fn count_from(&self, length: Nanos) -> u64 {
        let mut sum = 0;
        self.each(|value, count| sum += if value >= length.0 { count } else { 0 });
        sum
    }
    pub fn max(&self) -> Option<Nanos> {
        let mut last = None;
        self.each_place(|place, _| last = Some(place));
        last.map(highest)
    }
    pub fn mean(&self) -> Option<Nanos> {
        match self.count() {
            0 => None,
            count => Some(Nanos(self.sum().0 / count)),
        }
    }
    /// The sum of all values, to the histogram's precision.
    pub fn sum(&self) -> Nanos {
        let mut sum = 0;
        self.each(|value, count| sum += (value + width(value) / 2) * count);
        Nanos(sum)
    }
    /// The sum of all squared values in seconds², to the histogram's precision: what the length of an operation that a
    /// moment happens to fall into depends on.
    pub fn sum_of_squares(&self) -> f64 {
        let mut sum = 0.0;
        self.each(|value, count| sum += Nanos(value + width(value) / 2).seconds().powi(2) * count as f64);
        sum
    }
    /// Recorded buckets: their lowest value, and how many.
    pub fn buckets(&self) -> impl Iterator<Item = (Nanos, u64)> + '_ {
        self.places().map(|(place, count)| (Nanos(lowest(place)), count))
    }
    fn each(&self, mut take: impl FnMut(u64, u64)) {
        self.each_place(|place, count| take(lowest(place), count));
    }
    fn each_place(&self, mut take: impl FnMut(usize, u64)) {
        let _ = self.until(|place, count| {
            take(place, count);
            ControlFlow::<()>::Continue(())
        });
    }
    /// Whoever adds up a thousand runs walks through a hundred million buckets: each form by a loop of its own.
    fn until<B>(&self, mut take: impl FnMut(usize, u64) -> ControlFlow<B>) -> ControlFlow<B> {
        match &self.0 {
            Form::Dense(dense) => dense.places().try_for_each(|(place, count)| take(place, count)),
            Form::Sparse(packed) => packed.places().try_for_each(|(place, count)| take(place, count)),
        }
    }
    fn places(&self) -> Box<dyn Iterator<Item = (usize, u64)> + '_> {
        match &self.0 {
            Form::Dense(dense) => Box::new(dense.places()),
            Form::Sparse(packed) => Box::new(packed.places()),
        }
    }
    fn to_text(&self) -> String {
        use std::fmt::Write;
        let mut text = String::new();
        let mut last = 0;
        for (Nanos(value), count) in self.buckets() {
            let step = value - last;
            let written = if count == 1 { write!(text, "{step} ") } else { write!(text, "{step}:{count} ") };
            written.expect("writing to a String cannot fail");
            last = value;
        }
        text.pop();
        text
    }
    fn from_text(text: &str) -> Option<Self> {
        let mut pairs = text::Pairs::of(text);
        let packed = Packed::of(pairs.by_ref().map(|(value, count)| (index(value), count)));
        (!pairs.broken).then_some(Self(Form::Sparse(packed)))
    }
}

/// How many values share a bucket with this one.
fn width(value: u64) -> u64 {
    1 << (u64::BITS - value.leading_zeros()).saturating_sub(LEADING_BITS).max(LOWEST.trailing_zeros())
}

/// The highest value of a bucket.
fn highest(place: usize) -> Nanos {
    let value = lowest(place);
    Nanos(value + width(value) - 1)
}

/// Two ascending lists as one.
fn merged(
    mine: impl Iterator<Item = (usize, u64)>,
    theirs: impl Iterator<Item = (usize, u64)>,
) -> impl Iterator<Item = (usize, u64)> {
    let (mut mine, mut theirs) = (mine.peekable(), theirs.peekable());
    std::iter::from_fn(move || match (mine.peek(), theirs.peek()) {
        (Some((a, _)), Some((b, _))) if a > b => theirs.next(),
        (Some(_), _) => mine.next(),
        (None, _) => theirs.next(),
    })
}

impl Clone for Histogram {
    /// A copy is the short list: it is taken to be read, merged and written, by somebody whom all the counters would
    /// only delay.
    fn clone(&self) -> Self {
        Self(Form::Sparse(match &self.0 {
            Form::Dense(dense) => Packed::of(dense.places()),
            Form::Sparse(packed) => packed.clone(),
        }))
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.places().eq(other.places())
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}
impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        Self::from_text(&text).ok_or_else(|| serde::de::Error::custom("a histogram is `step:count` pairs"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Histogram {
        let mut h = Histogram::new();
        values.iter().for_each(|v| h.record(Nanos(*v)));
        h
    }

    proptest! {
        #[test]
        fn merging_parts_equals_the_whole_in_either_form(
            a in proptest::collection::vec(1u64..10_000_000_000, 0..100),
            b in proptest::collection::vec(1u64..10_000_000_000, 0..100),
        ) {
            let whole = of(&[a.clone(), b.clone()].concat());
            let sparse = |h: &Histogram| Histogram::from_text(&h.to_text()).unwrap();
            for (mut left, right) in [
                (of(&a), of(&b)),
                (sparse(&of(&a)), of(&b)),
                (of(&a), sparse(&of(&b))),
                (sparse(&of(&a)), sparse(&of(&b))),
            ] {
                left.merge(&right);
                prop_assert_eq!(&left, &whole);
                prop_assert_eq!(left.percentile(99.0), whole.percentile(99.0));
                prop_assert_eq!(left.sum(), whole.sum());
            }
        }

        #[test]
        fn a_percentile_is_a_recorded_value_within_a_thousandth(mut values in proptest::collection::vec(1u64..10_000_000_000, 1..200)) {
            let h = of(&values);
            values.sort_unstable();
            for percent in [1.0, 50.0, 90.0, 99.9, 100.0] {
                let rank = ((percent / 100.0 * values.len() as f64).ceil() as usize).clamp(1, values.len());
                let (exact, given) = (values[rank - 1], h.percentile(percent).unwrap().0);
                prop_assert!(given >= exact && given - exact <= (exact / 1000).max(LOWEST));
            }
        }
    }

    #[test]
    fn an_empty_histogram_has_no_percentile() {
        assert_eq!((Histogram::default().percentile(50.0), Histogram::new().max()), (None, None));
    }
}
