//! The check `percentiles_have_samples`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::histogram::Histogram;
use model::units::Nanos;
use model::verdict::Status::{NotEvaluable, Pass, Warn};

#[test]
fn a_percentile_of_few_samples_is_said_to_be_one() {
    let samples = |count: u64| {
        all_runs(move |r| {
            let mut histogram = Histogram::new();
            histogram.record_many(Nanos(400_000), count);
            operation(r).latency = histogram;
        })
    };
    assert_eq!(status(&samples(4_000), "percentiles_have_samples"), Pass, "three runs of 4,000");
    let few = verdict(&samples(100), "percentiles_have_samples");
    assert_eq!(few.verdict, Warn);
    assert!(
        few.sentence.contains("too few for p99 and p99.9. There is no upper bound at all for p99 and p99.9."),
        "{}",
        few.sentence
    );
    assert_eq!(status(&samples(0), "percentiles_have_samples"), NotEvaluable);
}
