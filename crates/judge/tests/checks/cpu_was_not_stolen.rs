//! The check `cpu_was_not_stolen`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn time_that_other_machines_took_is_told() {
    let stolen = |seconds: f64| all_runs(move |r| counter(r, "host.cpu.steal", seconds * 1e9));
    assert_eq!(status(&stolen(0.01), "cpu_was_not_stolen"), Pass);
    assert_eq!(status(&stolen(0.06), "cpu_was_not_stolen"), Warn);
    assert_eq!(status(&stolen(0.2), "cpu_was_not_stolen"), Fail);
    let short = all_runs(|r| counter(r, "host.cpu.total", 1e7));
    assert_eq!(status(&short, "cpu_was_not_stolen"), NotEvaluable);
}
