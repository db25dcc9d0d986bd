//! The check `commits_were_durable`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::Nanos;
use model::record::Record;
use model::record::around::Syncs;
use model::record::run::RunRecord;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

const CHECK: &str = "commits_were_durable";

/// A server that is to have each commit on the disk, and users who write once in 1 ms each.
fn writing(syncs: f64, least: u64, spoil: impl Fn(&mut RunRecord)) -> Record {
    let mut record = all_runs(|run| {
        counter(run, "status.Com_update", 8_000.0);
        counter(run, "status.Handler_update", 8_000.0);
        counter(run, "db.data_fsyncs", syncs);
        run.around.as_mut().unwrap().syncs = Some(Syncs { least: Nanos(least), in_memory: false });
        spoil(run);
    });
    let variables = &mut record.instances[0].variables;
    variables.insert("innodb_flush_log_at_trx_commit".into(), "1".into());
    record
}

#[test]
fn commits_that_were_not_waited_for_are_named() {
    assert_eq!(status(&record(), CHECK), NotApplicable, "nothing was written");
    assert_eq!(status(&writing(8_000.0, 100_000, |_| ()), CHECK), Pass);
    let once_a_second = verdict(&writing(3.0, 100_000, |_| ()), CHECK);
    assert_eq!(once_a_second.verdict, Fail);
    assert!(once_a_second.sentence.contains("8000 transactions"), "{}", once_a_second.sentence);
    let swallowed = verdict(&writing(8_000.0, 2_000_000, |_| ()), CHECK);
    assert_eq!(swallowed.verdict, Fail, "eight thousand syncs of 2 ms are no second");
    assert!(swallowed.sentence.contains("do not reach the disk"), "{}", swallowed.sentence);
    assert_eq!(status(&writing(8_000.0, 800, |_| ()), CHECK), Warn, "no disk");
    let memory = |run: &mut RunRecord| run.around.as_mut().unwrap().syncs.as_mut().unwrap().in_memory = true;
    assert_eq!(status(&writing(8_000.0, 100_000, memory), CHECK), Warn);
}

#[test]
fn durability_that_nobody_claims_or_counts_is_not_judged() {
    let mut relaxed = writing(3.0, 100_000, |_| ());
    relaxed.instances[0].variables.insert("innodb_flush_log_at_trx_commit".into(), "2".into());
    assert_eq!(status(&relaxed, CHECK), NotApplicable);
    let mut through = writing(3.0, 100_000, |_| ());
    through.instances[0].variables.insert("innodb_flush_method".into(), "O_DSYNC".into());
    assert_eq!(status(&through, CHECK), NotEvaluable);
    let mut never = writing(3.0, 100_000, |_| ());
    never.instances[0].variables.insert("innodb_flush_method".into(), "nosync".into());
    assert_eq!(status(&never, CHECK), Fail);
    assert_eq!(status(&writing(8_000.0, 1, |run| forget(run, "db.data_fsyncs")), CHECK), NotEvaluable);
    let in_vain = writing(3.0, 100_000, |run| counter(run, "status.Handler_update", 0.0));
    assert_eq!(status(&in_vain, CHECK), NotApplicable, "updates that find no row");
    let unknown = writing(8_000.0, 1, |run| run.around.as_mut().unwrap().syncs = None);
    assert_eq!(status(&unknown, CHECK), Pass, "the disk was not asked, and the first law holds");
}
