//! The check `purge_kept_up`: healthy, ill, and without its evidence.

use crate::bench::states::put;
use crate::bench::*;
use model::record::run::RunRecord;
use model::record::state::Facet;
use model::units::Nanos;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

const TEN_SECONDS: Nanos = Nanos::from_millis(10_000);

fn last(r: &mut RunRecord, length: Nanos) {
    r.phases[0].to = Nanos(r.phases[0].from.0 + length.0);
}

#[test]
fn history_left_behind_is_a_rate_that_was_borrowed() {
    let writing = |history: f64| {
        move |r: &mut RunRecord| {
            tally(r).commits = 50_000;
            counter(r, "status.Com_update", 50_000.0);
            counter(r, "db.history_list_length", history);
            last(r, TEN_SECONDS);
        }
    };
    assert_eq!(status(&record(), "purge_kept_up"), NotApplicable, "nothing was written");
    assert_eq!(status(&all_runs(writing(900.0)), "purge_kept_up"), Pass, "few come and go");
    assert_eq!(status(&all_runs(writing(4_000.0)), "purge_kept_up"), Pass, "purge looks for work once in a second");
    assert_eq!(status(&all_runs(writing(7_000.0)), "purge_kept_up"), Warn);
    let borrowed = verdict(&all_runs(writing(20_000.0)), "purge_kept_up");
    assert_eq!(borrowed.verdict, Fail);
    assert!(borrowed.sentence.contains("grew by 20000 while 50000 transactions wrote (40 %)"), "{}", borrowed.sentence);
    let on_purpose = all_runs(|r| {
        writing(20_000.0)(r);
        r.phases[0].disturb = Some("open_snapshot".into());
    });
    assert_eq!(status(&on_purpose, "purge_kept_up"), Pass);
    let unknown = all_runs(|r| forget(r, "db.history_list_length"));
    assert_eq!(status(&unknown, "purge_kept_up"), NotEvaluable);
    let short = all_runs(|r| {
        writing(20_000.0)(r);
        last(r, Nanos::from_millis(500));
    });
    assert_eq!(status(&short, "purge_kept_up"), NotEvaluable, "purge had hardly begun");
}

#[test]
fn who_holds_the_history_is_named_with_user_host_and_age() {
    let mut record = all_runs(|r| {
        tally(r).commits = 50_000;
        counter(r, "status.Com_update", 50_000.0);
        counter(r, "db.history_list_length", 20_000.0);
        last(r, TEN_SECONDS);
    });
    let silent = verdict(&record, "purge_kept_up").sentence;
    assert!(!silent.contains("open for"), "{silent}");
    let open = [("app@10.0.0.5, thread 17", "412"), ("app@10.0.0.6, thread 19", "3")];
    put(&mut record, Facet::Holders, [&[], &open]);
    let told = verdict(&record, "purge_kept_up");
    assert_eq!(told.verdict, Fail);
    let who = "app@10.0.0.5, thread 17, had a transaction open for 6.87 min when c001-1 was over (and 1 more)";
    assert!(told.sentence.contains(who), "{}", told.sentence);
}

#[test]
fn in_postgresql_it_is_the_oldest_snapshot_that_keeps_vacuum_away() {
    let aged = |by: f64| {
        let mut record = all_runs(move |r| {
            tally(r).commits = 50_000;
            counter(r, "postgres.tup_updated", 60_000.0);
            counter(r, "postgres.oldest_snapshot_xids", by);
            last(r, TEN_SECONDS);
        });
        record.plan.cells.iter_mut().for_each(|cell| cell.server.engine = "heap".into());
        record
    };
    assert_eq!(status(&aged(40.0), "purge_kept_up"), Pass);
    let mut held = aged(50_000.0);
    put(&mut held, Facet::Holders, [&[], &[("app@10.0.0.5, process 17", "31")]]);
    let told = verdict(&held, "purge_kept_up");
    assert_eq!(told.verdict, Fail);
    for part in ["grew by 50000 while 50000 transactions wrote (100 %)", "vacuum may remove nothing", "process 17"] {
        assert!(told.sentence.contains(part), "{}", told.sentence);
    }
    put(&mut held, Facet::Holders, [&[], &[("the replication slot standby", "50012 transactions")]]);
    let told = verdict(&held, "purge_kept_up").sentence;
    assert!(told.contains("the replication slot standby kept what was there 50012 transactions ago when"), "{told}");
    let mut read = aged(0.0);
    read.runs.iter_mut().for_each(|r| counter(r, "postgres.tup_updated", 0.0));
    assert_eq!(status(&read, "purge_kept_up"), NotApplicable);
}
