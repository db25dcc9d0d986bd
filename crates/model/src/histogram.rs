//! A latency histogram of three significant digits. It is merged and never averaged: a percentile of a run is the
//! percentile of all its operations, whichever worker or second they belong to. On disk it is a text of
//! `index:count` pairs over HdrHistogram's own bucket values (`low-value:count`, ascending), which every language reads.

use crate::units::Nanos;
use hdrhistogram::Histogram as Hdr;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One hour in nanoseconds: longer answers are counted in the last bucket, and their true maximum is kept beside it.
const HIGHEST: u64 = 3_600_000_000_000;
/// Below this the clock itself is the noise; it saves a fifth of the memory.
const LOWEST: u64 = 64;
const DIGITS: u8 = 3;

/// Counts of durations in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram(Hdr<u64>);

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    pub fn new() -> Self {
        Self(Hdr::new_with_bounds(LOWEST, HIGHEST, DIGITS).expect("constant bounds are valid"))
    }
    /// Allocates nothing.
    #[inline]
    pub fn record(&mut self, value: Nanos) {
        self.0.saturating_record(value.0);
    }
    pub fn record_many(&mut self, value: Nanos, count: u64) {
        self.0.saturating_record_n(value.0, count);
    }
    pub fn merge(&mut self, other: &Self) {
        self.0.add(&other.0).expect("all histograms have the same bounds");
    }
    pub fn clear(&mut self) {
        self.0.reset();
    }
    pub fn count(&self) -> u64 {
        self.0.len()
    }
    /// `None` without a value: an empty histogram has no percentile.
    pub fn percentile(&self, percent: f64) -> Option<Nanos> {
        (!self.0.is_empty()).then(|| Nanos(self.0.value_at_quantile(percent / 100.0)))
    }
    pub fn max(&self) -> Option<Nanos> {
        (!self.0.is_empty()).then(|| Nanos(self.0.max()))
    }
    pub fn mean(&self) -> Option<Nanos> {
        (!self.0.is_empty()).then(|| Nanos(self.0.mean().round() as u64))
    }
    /// The sum of all values, to the histogram's precision.
    pub fn sum(&self) -> Nanos {
        Nanos(self.0.iter_recorded().map(|b| self.0.median_equivalent(b.value_iterated_to()) * b.count_at_value()).sum())
    }
    /// Recorded buckets: a value in the bucket, and how many.
    pub fn buckets(&self) -> impl Iterator<Item = (Nanos, u64)> + '_ {
        self.0.iter_recorded().map(|b| (Nanos(self.0.lowest_equivalent(b.value_iterated_to())), b.count_at_value()))
    }
    fn to_text(&self) -> String {
        use std::fmt::Write;
        let mut text = String::new();
        let mut last = 0;
        for (value, count) in self.buckets() {
            let _ = if count == 1 { write!(text, "{} ", value.0 - last) } else { write!(text, "{}:{count} ", value.0 - last) };
            last = value.0;
        }
        text.pop();
        text
    }
    fn from_text(text: &str) -> Option<Self> {
        let mut histogram = Self::new();
        let mut value = 0_u64;
        for pair in text.split_ascii_whitespace() {
            let (step, count) = pair.split_once(':').unwrap_or((pair, "1"));
            value = value.checked_add(step.parse().ok()?)?;
            histogram.record_many(Nanos(value), count.parse().ok()?);
        }
        Some(histogram)
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

    proptest! {
        #[test]
        fn merging_parts_equals_the_whole_and_survives_the_disk(values in proptest::collection::vec(1u64..10_000_000_000, 1..200)) {
            let mut whole = Histogram::new();
            let mut parts = [Histogram::new(), Histogram::new()];
            for (i, v) in values.iter().enumerate() {
                whole.record(Nanos(*v));
                parts[i % 2].record(Nanos(*v));
            }
            let (a, b) = parts.split_at_mut(1);
            a[0].merge(&b[0]);
            prop_assert_eq!(a[0].to_text(), whole.to_text());
            let back = Histogram::from_text(&whole.to_text()).unwrap();
            prop_assert_eq!(back.count(), whole.count());
            for p in [50.0, 99.0] {
                let (x, y) = (whole.percentile(p).unwrap().0 as f64, back.percentile(p).unwrap().0 as f64);
                prop_assert!((x / y - 1.0).abs() < 0.002 || x < 1024.0);
            }
        }
    }
}
