//! The check `held_throughout`: healthy, ill, and without its evidence.

use crate::bench::states::{change, put, see};
use crate::bench::*;
use model::record::Record;
use model::record::state::Facet;
use model::record::tally::StatementTally;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

const CHECK: &str = "held_throughout";

fn within(facet: Facet, key: &str, value: Option<&str>) -> Record {
    spoilt(|record| change(record, &["c001-3"], true, facet, key, value))
}

#[test]
fn a_setting_that_changed_during_a_run_strikes_its_number_and_is_named_with_both_values() {
    let record = within(Facet::Variables, "innodb_flush_log_at_trx_commit", Some("2"));
    let told = verdict(&record, CHECK);
    assert_eq!(told.verdict, Fail);
    assert_eq!(
        told.sentence,
        "oltp.point_selects, latin1, 1 user (run c001-3): `innodb_flush_log_at_trx_commit` was 1 at the start of c001-3 and 2 at its end; the number is struck."
    );
    assert!(told.evidence.iter().any(|path| path.starts_with("states/")), "{:?}", told.evidence);
    let others = judge(&record);
    let of_others = others.cells[1..].iter().flat_map(|c| &c.verdicts).filter(|v| v.check == CHECK);
    assert!(of_others.into_iter().all(|v| v.verdict == Pass), "the others held");
}

#[test]
fn whatever_is_not_known_to_be_harmless_strikes() {
    for (facet, key, value, name) in [
        (Facet::Variables, "a_variable_that_nobody_knows", Some("1"), "`a_variable_that_nobody_knows` was absent"),
        (Facet::UserSession, "sql_mode", Some("ANSI"), "`sql_mode` of a user's session was absent"),
        (Facet::Tables, "key `k_1` of sbtest1", None, "The key `k_1` of sbtest1 was KEY `k_1` (`k`) at the start"),
        (Facet::Tables, "trigger t of sbtest1", Some("BEFORE INSERT"), "The trigger t of sbtest1 was absent"),
        (
            Facet::TableIds,
            "sbtest1",
            Some("1071 in space 13"),
            "The engine's number of sbtest1, which changes when a table is made anew or replaced, was 1063 in space 5 at the start",
        ),
        (Facet::Process, "nice", Some("0, 19"), "`nice` of the server's process was 0 at the start"),
        (Facet::Process, "cgroup cpu.max", Some("10000 100000"), "`cgroup cpu.max` of the server's process"),
    ] {
        let told = verdict(&within(facet, key, value), CHECK);
        assert_eq!(told.verdict, Fail, "{key}");
        assert!(told.sentence.contains(name) && told.sentence.ends_with("struck."), "{}", told.sentence);
    }
    for (facet, key, value) in [
        (Facet::Variables, "general_log_file", "b.log"),
        (Facet::Variables, "port", "3307"),
        (Facet::Others, "watcher@localhost", "1"),
    ] {
        let told = verdict(&within(facet, key, Some(value)), CHECK);
        assert_eq!(told.verdict, Warn, "{key}: {}", told.sentence);
        assert!(!told.sentence.contains("struck"), "{}", told.sentence);
    }
}

#[test]
fn what_was_put_back_before_the_end_is_named_as_it_was_seen_meanwhile() {
    let seen = |facet, facts: &'static [&[(&str, &str)]]| spoilt(move |record| see(record, "c001-3", facet, facts));
    let kept = seen(Facet::Process, &[&[("nice", "0"), ("read meanwhile only", "a")]]);
    assert_eq!(status(&kept, CHECK), Pass);
    let told = verdict(&seen(Facet::Process, &[&[("nice", "0")], &[("nice", "0, 15")]]), CHECK);
    let was = "`nice` of the server's process was 0 when c001-3 began and 0, 15 while its users were at work; the number is struck.";
    assert!(told.verdict == Fail && told.sentence.ends_with(was), "{}", told.sentence);
    assert!(told.evidence.iter().any(|path| path.starts_with("states/")), "{:?}", told.evidence);
    let of_threads = [&[("nice of the load's threads", "0")][..], &[("nice of the load's threads", "19")]];
    let record = spoilt(move |record| see(record, "c001-3", Facet::Client, &of_threads));
    let told = verdict(&record, CHECK);
    assert!(told.verdict == Fail && told.sentence.contains("and 19 while its users were at work"), "{}", told.sentence);
}

#[test]
fn a_knob_that_somebody_wrote_to_meanwhile_is_named_though_it_is_what_it_was() {
    let mut record = spoilt(|record| see(record, "c001-3", Facet::KernelWrites, &[&[("vm.drop_caches", "1")]]));
    let told = verdict(&record, CHECK);
    let wrote = "Somebody wrote to `vm.drop_caches` while the users of c001-3 were at work, 1 time.";
    assert!(told.verdict == Warn && told.sentence.ends_with(wrote), "{}", told.sentence);
    change(&mut record, &["c001-3"], true, Facet::Variables, "a_variable", Some("1"));
    let told = verdict(&record, CHECK);
    assert!(
        told.verdict == Fail && told.sentence.contains("`a_variable`"),
        "what strikes comes first: {}",
        told.sentence
    );
    assert!(told.sentence.contains("`vm.drop_caches`"), "{}", told.sentence);
}

#[test]
fn of_a_long_list_only_the_words_that_changed_are_told() {
    let record = within(Facet::Variables, "optimizer_switch", Some("index_merge=off,mrr=off,semijoin=on"));
    let told = verdict(&record, CHECK).sentence;
    assert!(told.contains("was index_merge=on at the start of c001-3 and index_merge=off at its end"), "{told}");
}

#[test]
fn a_session_that_follows_its_server_is_not_told_beside_it() {
    let mut record = within(Facet::Variables, "autocommit", Some("OFF"));
    change(&mut record, &["c001-3"], true, Facet::UserSession, "autocommit", None);
    assert_eq!(verdict(&record, CHECK).measured, "1 differences");
}

#[test]
fn rows_of_a_run_that_only_reads_stay_and_estimates_may_waver() {
    let reading = |value: &str| {
        let mut record = within(Facet::Rows, "sbtest1", Some(value));
        record.runs.iter_mut().for_each(|run| run.whole.writes = Some(Default::default()));
        status(&record, CHECK)
    };
    assert_eq!((reading("9000"), reading("5000")), (Pass, Fail));
    assert_eq!(status(&within(Facet::Rows, "sbtest1", Some("5000")), CHECK), Pass, "a run that may have written");
}

#[test]
fn a_disturbance_of_the_run_itself_is_no_difference() {
    let mut record = within(Facet::Tables, "key `k_1` of sbtest1", None);
    for cell in &mut record.plan.cells {
        let name = "index_build".to_string();
        cell.phases[0].disturb = Some(model::Disturb { name, parameters: Default::default() });
    }
    assert_eq!(status(&record, CHECK), Pass);
}

#[test]
fn what_was_not_read_is_not_held() {
    let record = spoilt(|r| r.runs[0].states = None);
    assert_eq!(status(&record, CHECK), NotEvaluable);
    let record = spoilt(|r| r.runs[0].states.as_mut().unwrap().end.clear());
    assert_eq!(status(&record, CHECK), NotEvaluable);
    assert_eq!(status(&all_runs(|r| r.states = None), CHECK), NotApplicable, "a record from before");
}

#[test]
fn what_the_users_of_the_plan_change_themselves_is_no_change_from_outside() {
    let sent = |text: &str, facet, key, value: Option<&str>| {
        let mut record = within(facet, key, value);
        let statement = StatementTally { calls: 7, ..StatementTally::default() };
        record.runs.iter_mut().for_each(|run| drop(tally(run).statements.insert(text.into(), statement.clone())));
        verdict(&record, CHECK)
    };
    let own = |text: &str, facet, key, value| assert_eq!(sent(text, facet, key, value).verdict, Pass, "{text}");
    own("ALTER TABLE sbtest1 DROP INDEX k_1", Facet::Tables, "key `k_1` of sbtest1", None);
    own("CREATE TABLE IF NOT EXISTS `mine` (id INT)", Facet::Tables, "column `id` of mine", Some("int"));
    own("drop table mine", Facet::Tables, "number of tables in sbtest", Some("4"));
    own("SET GLOBAL innodb_io_capacity = ?", Facet::Variables, "innodb_io_capacity", Some("100"));
    own("TRUNCATE TABLE sbtest1", Facet::Rows, "sbtest1", Some("0"));
    let other = |text: &str, facet, key, value| assert_eq!(sent(text, facet, key, value).verdict, Fail, "{text}");
    other("CREATE TABLE mine (id INT)", Facet::Tables, "key `k_1` of sbtest1", None);
    other("SELECT k_1 FROM sbtest1", Facet::Tables, "key `k_1` of sbtest1", None);
    other("SET GLOBAL innodb_io_capacity = ?", Facet::Variables, "innodb_flush_log_at_trx_commit", Some("2"));
}

#[test]
fn a_transaction_that_somebody_left_open_is_named_with_its_age() {
    let mut record = record();
    put(&mut record, Facet::Transactions, [&[], &[("app@10.0.0.5", "1")]]);
    put(&mut record, Facet::Holders, [&[], &[("app@10.0.0.5, thread 17", "31")]]);
    let told = verdict(&record, CHECK);
    assert_eq!(told.verdict, Fail);
    let who = "app@10.0.0.5, thread 17, had a transaction open for 31 s when c001-1 was over";
    assert!(told.sentence.contains(who), "{}", told.sentence);
    put(&mut record, Facet::Transactions, [&[], &[]]);
    put(&mut record, Facet::Askers, [&[("a@b", "1")], &[("a@b", "9")]]);
    assert_eq!(status(&record, CHECK), Pass, "ages and counts are not to hold, and a few statements are nothing");
    put(&mut record, Facet::Askers, [&[("a@b", "1")], &[("a@b", "1201")]]);
    let sent = verdict(&record, CHECK);
    assert_eq!(sent.verdict, Warn);
    assert!(sent.sentence.contains("User a@b sent 1200 statements during c001-1."), "{}", sent.sentence);
}
