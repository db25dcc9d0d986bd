//! The check `regime_was_cached`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::units::Bytes;
use model::verdict::Status::{NotEvaluable, Pass, Warn};

#[test]
fn a_run_that_reads_from_disk_is_in_another_regime() {
    let reading = |pages: f64, stalled: f64| {
        all_runs(move |r| {
            counter(r, "db.page_reads", pages);
            counter(r, "host.pressure.io_some", stalled * 1e9);
        })
    };
    assert_eq!(status(&reading(10.0, 0.0), "regime_was_cached"), Pass);
    let mixed = verdict(&reading(2_000.0, 0.0), "regime_was_cached");
    assert_eq!(mixed.verdict, Warn);
    assert!(mixed.sentence.contains("The load was mixed"), "{}", mixed.sentence);
    let waiting = reading(100.0, 0.5);
    let told = verdict(&waiting, "regime_was_cached").sentence;
    assert!(told.contains("The load was mixed"), "its data fit, so it waits for what is written: {told}");
    let outgrown = |mut record: Record| {
        record.datasets[0].tables[0].bytes = Bytes(1 << 30);
        record
    };
    for bound in [reading(2_000.0, 0.5), outgrown(waiting)] {
        assert_eq!(judge(&bound).cells[0].bound.as_ref().unwrap().label, "io-bound");
    }
    assert_eq!(status(&outgrown(record()), "regime_was_cached"), Warn, "barely fits");
    assert_eq!(status(&spoilt(|r| states::say(r, "innodb_buffer_pool_size", None)), "regime_was_cached"), NotEvaluable);
    // Fewer than two statements a second, so that the pages per statement are many.
    let begun = |pages: f64| {
        all_runs(move |r| {
            set_rate(r, 1.5);
            counter(r, "db.page_reads", pages);
        })
    };
    assert_eq!(status(&begun(1.0), "regime_was_cached"), Pass, "a page for each session that begins");
    assert_eq!(status(&begun(200.0), "regime_was_cached"), Warn);
}
