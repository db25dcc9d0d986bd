//! The check `mix_follows_its_parts`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::record::tally::StatementTally;
use model::value::Value;
use model::verdict::Status::{NotApplicable, Pass, Warn};

/// Ranges alone at 20,000 per second, points alone at 40,000, and a mix of one of each that does `rate` operations per
/// second.
fn mixed(rate: f64) -> Record {
    let workloads: [Value; 3] = ["oltp.mixed".into(), "oltp.simple_ranges".into(), "oltp.point_selects".into()];
    let mut record = experiment(&[("workload", &workloads)]);
    for (cell, rate, name) in [("c002", 20_000.0, "simple_ranges"), ("c003", 40_000.0, "point_selects")] {
        for run in of_cell(&mut record, cell) {
            set_rate(run, rate);
            let statement = tally(run).statements.remove("point_selects").unwrap();
            tally(run).statements.insert(name.into(), statement);
        }
    }
    for run in of_cell(&mut record, "c001") {
        set_rate(run, rate);
        let points: StatementTally = statement(run).clone();
        tally(run).statements.insert("simple_ranges".into(), points);
    }
    record
}

#[test]
fn a_mix_is_as_fast_as_its_parts_one_after_the_other() {
    // 1 / (1/20000 + 1/40000) = 13,333 operations per second.
    let good = verdict(&mixed(13_333.0), "mix_follows_its_parts");
    assert_eq!(good.verdict, Pass, "{}", good.sentence);
    assert!(good.sentence.contains("`simple_ranges` is asked at 66.7 % of the highest rate"), "{}", good.sentence);
    assert_eq!(status(&mixed(8_000.0), "mix_follows_its_parts"), Warn);
    assert_eq!(status(&mixed(30_000.0), "mix_follows_its_parts"), Warn);
    assert_eq!(status(&record(), "mix_follows_its_parts"), NotApplicable, "no mix");
}
