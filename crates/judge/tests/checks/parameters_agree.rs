//! The check `parameters_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::Record;
use model::record::start::Prepared;
use model::value::Value;
use model::verdict::Status::{Fail, NotApplicable, Pass, Warn};

#[test]
fn a_missing_zero_between_workloads_is_found_named_and_refused() {
    let workloads: [Value; 2] = ["oltp.simple_ranges".into(), "oltp.distinct_ranges".into()];
    let mut record = experiment(&[("workload", &workloads), ("charset", &["latin1".into(), "utf8mb4-generic".into()])]);
    assert_eq!(status(&record, "parameters_agree"), Pass);
    for cell in record.plan.cells.iter_mut().filter(|c| c.workload == "oltp.distinct_ranges") {
        cell.parameters.insert("range_size".into(), 10.into());
    }
    let verdict = verdict(&record, "parameters_agree");
    assert_eq!(verdict.verdict, Fail);
    for words in [
        "`range_size` is 100 in oltp.simple_ranges, latin1 (c001) but 10 in oltp.distinct_ranges, latin1 (c003)",
        "exactly one zero",
    ] {
        assert!(verdict.sentence.contains(words), "{}", verdict.sentence);
    }
    let judgement = judge(&record);
    for comparison in &judgement.comparisons {
        let refused = comparison.outcome == model::estimate::Outcome::Refused;
        assert_eq!(refused, comparison.axis == "workload", "{}", comparison.sentence);
    }
}

#[test]
fn effective_variables_that_differ_warn_unless_the_axis_implies_them() {
    let with_second_instance = |key: &str, value: &str| {
        spoilt(|r| {
            let mut other = instance("i2");
            other.variables.insert(key.into(), value.into());
            r.instances.push(other);
            for run in r.runs.iter_mut().filter(|r| r.cell.0 == "c003" || r.cell.0 == "c004") {
                run.instance = Some("i2".into());
            }
        })
    };
    let verdict = verdict(&with_second_instance("sync_binlog", "1"), "parameters_agree");
    assert_eq!(verdict.verdict, Fail, "what a commit is worth is other work");
    assert!(verdict.sentence.contains("`variable.sync_binlog` is 0"), "{}", verdict.sentence);
    let mut two = with_second_instance("table_open_cache", "1");
    assert_eq!(status(&two, "parameters_agree"), Warn);
    two.instances[0].variables.insert("table_open_cache".into(), "0".into());
    two.instances[1].variables.insert("back_log".into(), "80".into());
    two.instances[1].variables.insert("net_retry_count".into(), "9".into());
    let told = crate::bench::verdict(&two, "parameters_agree");
    assert!(told.sentence.ends_with("3 keys differ beside `charset`: `variable.back_log`, `variable.net_retry_count` and 1 more; the evidence has their values."), "{}", told.sentence);
    assert_eq!(told.evidence[2], "variable.table_open_cache: 0 (c001), 1 (c003)");
    assert_eq!(
        status(&with_second_instance("collation_server", "utf8mb4_general_ci"), "parameters_agree"),
        Pass,
        "implied by charset"
    );
    assert_eq!(status(&with_second_instance("port", "3307"), "parameters_agree"), Pass, "a name, not a setting");
    assert_eq!(status(&with_second_instance("server_uid", "Ir0k"), "parameters_agree"), Pass, "a name as well");
}

#[test]
fn the_way_of_waiting_follows_from_the_number_of_users_and_from_nothing_else() {
    for (axis, values, expected) in
        [("users", [1.into(), 8.into()], Pass), ("charset", ["latin1".into(), "utf8mb4-generic".into()], Warn)]
    {
        let mut record = experiment(&[(axis, &values)]);
        record.runs.iter_mut().filter(|run| run.cell.0 == "c001").for_each(|run| run.io = "blocking".into());
        assert_eq!(status(&record, "parameters_agree"), expected, "{axis}");
    }
}

#[test]
fn an_axis_over_a_servers_variable_is_one_over_its_sessions() {
    let mut record = experiment(&[("native.join_buffer_size", &[262_144.into(), 524_288.into()])]);
    for run in &mut record.runs {
        let value = if run.cell.0 == "c001" { "262144" } else { "524288" };
        run.session.variables.insert("join_buffer_size".into(), value.into());
    }
    assert_eq!(status(&record, "parameters_agree"), Pass);
}

#[test]
fn servers_of_another_sql_are_compared_and_what_both_have_is_told() {
    let mut record = experiment(&[("build", &["distribution".into(), "postgresql".into()])]);
    let mut other = instance("i2");
    other.kind = "postgresql".into();
    record.instances.push(other);
    record.plan.cells[1].parameters.insert("charset".into(), "utf8-default".into());
    record.plan.cells[0].parameters.insert("charset".into(), "latin1".into());
    for run in &mut record.runs {
        let is_other = run.cell.0 == "c002";
        let said: &[(&str, &str)] = match is_other {
            true => &[("default_transaction_isolation", "read committed"), ("TimeZone", "GMT")],
            false => &[("tx_isolation", "REPEATABLE-READ"), ("autocommit", "ON"), ("character_set_client", "latin1")],
        };
        run.session.variables = said.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        if is_other {
            run.instance = Some("i2".into());
        }
    }
    let told = verdict(&record, "parameters_agree");
    assert_eq!(told.verdict, Warn, "{}", told.sentence);
    let evidence = told.evidence.join("; ");
    assert!(evidence.contains("charset: latin1 (c001), utf8-default (c002)"), "{evidence}");
    assert!(
        evidence.contains("session.transaction_isolation: REPEATABLE-READ (c001), READ-COMMITTED (c002)"),
        "{evidence}"
    );
    assert!(!evidence.contains("autocommit") && !evidence.contains("character_set"), "{evidence}");
    assert!(judge(&record).comparisons.iter().all(|c| c.outcome != model::estimate::Outcome::Refused));
}

#[test]
fn another_isolation_is_other_work() {
    let spoilt = spoilt(|r| {
        of_cell(r, "c003")
            .for_each(|r| drop(r.session.variables.insert("transaction_isolation".into(), "SERIALIZABLE".into())))
    });
    assert_eq!(status(&spoilt, "parameters_agree"), Fail);
    assert_eq!(status(&experiment(&[]), "parameters_agree"), NotApplicable);
}

#[test]
fn cells_whose_data_were_prepared_otherwise_are_not_compared() {
    let other = |r: &mut Record| {
        let last = r.runs.last().unwrap().cell.clone();
        for run in r.runs.iter_mut().filter(|run| run.cell == last) {
            run.start.as_mut().unwrap().prepared = Prepared::Loaded;
        }
    };
    let verdict = verdict(&spoilt(other), "parameters_agree");
    assert_eq!(verdict.verdict, Fail, "{}", verdict.sentence);
    assert!(verdict.sentence.contains("`data` is restored from a snapshot in"), "{}", verdict.sentence);
}

/// Two builds that were asked for the same by `native`, with what their servers say of it.
fn two_builds(asked: &[(&str, i64)], said: [&[(&str, &str)]; 2]) -> Record {
    let mut record = experiment(&[("build", &["mysql-5.7".into(), "mariadb-10.11".into()])]);
    for cell in &mut record.plan.cells {
        cell.server.native.extend(asked.iter().map(|(name, value)| (name.to_string(), Value::Count(*value))));
    }
    record.instances.push(instance("i2"));
    for (instance, said) in record.instances.iter_mut().zip(said) {
        instance.variables.extend(said.iter().map(|(name, value)| (name.to_string(), value.to_string())));
    }
    record.runs.iter_mut().filter(|run| run.cell.0 == "c002").for_each(|run| run.instance = Some("i2".into()));
    record
}

#[test]
fn a_variable_that_one_build_ignores_is_found_with_the_redo_that_it_does_not_give() {
    const SIZE: (&str, &str) = ("innodb_log_file_size", "67108864");
    let asked = [("innodb_log_file_size", 64 << 20), ("innodb_log_files_in_group", 4)];
    let record = two_builds(&asked, [&[SIZE, ("innodb_log_files_in_group", "4")], &[SIZE]]);
    let ignored = verdict(&record, "parameters_agree");
    assert_eq!(ignored.verdict, Warn);
    for words in ["`native.innodb_log_files_in_group` is 4 in", "but (absent) in", "`redo_capacity` is 256 MiB in"] {
        assert!(ignored.sentence.contains(words), "{}", ignored.sentence);
    }
}

#[test]
fn a_variable_that_is_equal_and_comes_to_another_redo_is_found() {
    const SIZE: (&str, &str) = ("innodb_log_file_size", "67108864");
    let asked = [("innodb_log_file_size", 64 << 20)];
    let files = ("innodb_log_files_in_group", "2");
    let record = two_builds(&asked, [&[SIZE, files], &[SIZE]]);
    let equal = verdict(&record, "parameters_agree");
    assert_eq!(equal.verdict, Warn);
    assert!(equal.sentence.contains("`redo_capacity` is 128 MiB in"), "{}", equal.sentence);
    assert!(!equal.sentence.contains("native."), "{}", equal.sentence);
    let capacity = ("innodb_redo_log_capacity", "67108864");
    assert_eq!(status(&two_builds(&asked, [&[SIZE, capacity], &[SIZE]]), "parameters_agree"), Pass, "the same redo");
}
