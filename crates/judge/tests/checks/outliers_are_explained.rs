//! The check `outliers_are_explained`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{NotApplicable, Pass, Warn};

/// Eight cells, so that distances are known.
fn many() -> model::record::Record {
    experiment(&[("users", &[1, 2, 3, 4, 5, 6, 7, 8].map(Into::into))])
}

#[test]
fn a_run_far_from_its_cells_others_is_named() {
    assert_eq!(status(&many(), "outliers_are_explained"), Pass);
    let mut odd = many();
    of_cell(&mut odd, "c005").filter(|r| r.repetition == 1).for_each(|r| set_rate(r, 0.8 * QPS));
    let verdict = verdict(&odd, "outliers_are_explained");
    assert_eq!(verdict.verdict, Warn);
    assert!(
        verdict.sentence.contains("(run c005-1) is an outlier, 20 % below its cell's median"),
        "{}",
        verdict.sentence
    );
    assert_eq!(status(&experiment(&[]), "outliers_are_explained"), NotApplicable);
}

#[test]
fn runs_of_a_fixed_rate_that_spread_by_nothing_have_no_outlier_within_what_is_claimed() {
    let off = |by: f64| {
        let mut record = many();
        for run in &mut record.runs {
            let quantum = f64::from(run.repetition) - 2.0;
            set_rate(run, QPS * (1.0 + 1e-4 * quantum));
        }
        of_cell(&mut record, "c005").filter(|r| r.repetition == 1).for_each(|r| set_rate(r, (1.0 - by) * QPS));
        status(&record, "outliers_are_explained")
    };
    assert_eq!((off(0.01), off(0.03)), (Pass, Warn));
}
