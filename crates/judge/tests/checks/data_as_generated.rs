//! The check `data_as_generated`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotEvaluable};

#[test]
fn one_wrong_row_fails_the_data() {
    assert_eq!(status(&spoilt(|r| r.datasets[0].rows_wrong = 1), "data_as_generated"), Fail);
    assert_eq!(status(&spoilt(|r| r.datasets[0].rows_checked = 0), "data_as_generated"), NotEvaluable);
}
