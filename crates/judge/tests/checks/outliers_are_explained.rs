//! The check `outliers_are_explained`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{NotEvaluable, Pass, Warn};

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
    assert!(verdict.sentence.starts_with("Run c005-1 is an outlier: -20 %"), "{}", verdict.sentence);
    assert_eq!(status(&experiment(&[]), "outliers_are_explained"), NotEvaluable);
}
