//! The log of histograms, read back by HdrHistogram's own crate: every count is in the bucket it was measured in.

use super::Judged;
use base64ct::Encoding;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use model::record::tally::{Interval, OperationTally, Tally};
use model::{Details, Nanos, RunId, Series};
use report::formats::{self, Handed};
use std::collections::BTreeMap;

/// By tag: everything that the log has of it, added up by the crate.
pub fn merged(text: &str) -> BTreeMap<String, Histogram<u64>> {
    let mut merged: BTreeMap<String, Histogram<u64>> = BTreeMap::new();
    let mut deserializer = Deserializer::new();
    for entry in IntervalLogIterator::new(text.as_bytes()) {
        let LogEntry::Interval(interval) = entry.expect("each line is one of the log's") else { continue };
        let tag = interval.tag().expect("each line has a tag").as_str().to_string();
        let bytes = base64ct::Base64::decode_vec(interval.encoded_histogram()).expect("base64");
        let histogram: Histogram<u64> = deserializer.deserialize(&mut bytes.as_slice()).expect("a V2 histogram");
        merged.entry(tag).and_modify(|all| *all += &histogram).or_insert(histogram);
    }
    merged
}

/// By bucket that counted: its lowest value, and how many.
pub fn counts(histogram: &Histogram<u64>) -> Vec<(u64, u64)> {
    let lowest = |value| histogram.lowest_equivalent(value);
    histogram.iter_recorded().map(|v| (lowest(v.value_iterated_to()), v.count_at_value())).collect()
}

#[test]
fn hdrhistogram_reads_the_same_counts_and_percentiles_from_the_log() {
    let judged = Judged::clean();
    let read = merged(&judged.text("hdrhistogram"));
    let mut ours: BTreeMap<String, model::Histogram> = BTreeMap::new();
    for run in judged.record.runs.iter().filter(|run| run.is_done()) {
        for interval in judged.details.intervals(&run.id) {
            for (name, operation) in &interval.tally.operations {
                ours.entry(format!("{}:{name}", run.cell)).or_default().merge(&operation.latency);
            }
        }
    }
    ours.retain(|tag, _| judged.record.plan.cells.iter().any(|c| c.repeats.is_none() && tag.starts_with(&c.id.0)));
    assert_eq!(read.keys().collect::<Vec<_>>(), ours.keys().collect::<Vec<_>>());
    assert!(!read.is_empty());
    for (tag, theirs) in &read {
        let ours = &ours[tag];
        assert_eq!(theirs.len(), ours.count(), "{tag}");
        for percent in [0.1, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0] {
            let Nanos(value) = ours.percentile(percent).expect("it has values");
            assert_eq!(theirs.value_at_quantile(percent / 100.0), value, "{tag} p{percent}");
        }
        assert_eq!(
            counts(theirs),
            ours.buckets().map(|(Nanos(value), count)| (value, count)).collect::<Vec<_>>(),
            "{tag}"
        );
    }
}

/// One second of one operation in every run.
struct OneSecond(model::Histogram);

impl Details for OneSecond {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        let operation = OperationTally { done: self.0.count(), latency: self.0.clone(), ..OperationTally::default() };
        let operations = BTreeMap::from([("extremes".to_string(), operation)]);
        let tally = Tally { operations, ..Tally::default() };
        let (from, to) = (Nanos(0), Nanos::from_secs(1));
        vec![Interval { from, to, phase: "measure".into(), group: "users".into(), tally }]
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
}

#[test]
fn hdrhistogram_finds_the_extremes_of_what_can_be_measured_in_their_buckets() {
    let Judged { mut record, judgement, attributes, .. } = Judged::clean();
    let run = record.runs.iter().find(|run| run.is_done()).expect("one was done").clone();
    record.runs = vec![run];
    let mut latency = model::Histogram::new();
    for nanos in [1, 63, 64, 131_071, 131_072, 131_200, 1_000_000_007, 3_600_000_000_000, u64::MAX] {
        latency.record_many(Nanos(nanos), nanos % 1000 + 1);
    }
    latency.record_many(Nanos(5_000_000), 1 << 60);
    let details = OneSecond(latency);
    let (record, judgement, attributes) = (&record, &judgement, &attributes);
    let handed = Handed { record, judgement, details: &details, attributes, cell: None };
    let read = merged(&formats::of("hdrhistogram", &handed).expect("a log"));
    let theirs = read.values().next().expect("it was logged");
    let ours: Vec<(u64, u64)> = details.0.buckets().map(|(Nanos(value), count)| (value, count)).collect();
    assert_eq!(counts(theirs), ours);
}
