//! The check `compaction_kept_up`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::run::RunRecord;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

#[test]
fn levels_that_grow_beyond_their_targets_are_a_rate_that_was_borrowed() {
    let rocks = |spoil: &dyn Fn(&mut RunRecord)| {
        spoilt(|r| {
            r.plan.cells.iter_mut().for_each(|c| c.server.engine = "rocksdb".into());
            r.runs.iter_mut().for_each(spoil);
        })
    };
    let writing = |debt: f64, stall: f64| {
        move |r: &mut RunRecord| {
            counter(r, "db.bytes_written", 1e9);
            counter(r, "db.compaction_debt", debt);
            counter(r, "db.write_stall_us", stall);
        }
    };
    assert_eq!(status(&record(), "compaction_kept_up"), NotApplicable, "InnoDB has no levels");
    assert_eq!(status(&rocks(&writing(1e6, 0.0)), "compaction_kept_up"), Pass);
    assert_eq!(status(&rocks(&writing(5e7, 0.0)), "compaction_kept_up"), Warn);
    assert_eq!(status(&rocks(&writing(0.0, 50_000.0)), "compaction_kept_up"), Warn, "held up for 5 %");
    assert_eq!(status(&rocks(&writing(5e8, 0.0)), "compaction_kept_up"), Fail);
    assert_eq!(status(&rocks(&|_| ()), "compaction_kept_up"), NotEvaluable);
    assert!(
        judge(&rocks(&writing(5e8, 0.0))).cells[0]
            .verdicts
            .iter()
            .any(|v| v.check == "compaction_kept_up" && !v.quarantined)
    );
}
