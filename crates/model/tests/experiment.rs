//! What an author sees when the experiment is wrong, and that what is right is understood: golden messages for a human
//! to read, and a property against every kind of broken file.

mod vocabulary;

use insta::assert_snapshot;
use model::errors::Errors;
use model::experiment::Experiment;
use model::load::{Arrivals, Distribution, Pause, PhaseKind, Process, Until};
use model::rate::Rate;
use model::units::{Nanos, Users};
use model::value::Value;
use proptest::prelude::*;
use std::collections::BTreeMap;
use vocabulary::words;

const SEED_0: &str = include_str!("../../../experiments/read-only-charsets.toml");

fn problems(text: &str) -> String {
    problems_with(text, None, &[])
}

fn problems_with(text: &str, scale: Option<&str>, sets: &[(&str, &str)]) -> String {
    let sets: Vec<_> = sets.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let found = Experiment::parse("test", text, scale, &sets, &words()).expect_err("the file is wrong");
    found.iter().map(|p| format!("{p}\n")).collect()
}

fn good(text: &str) -> Experiment {
    Experiment::parse("test", text, None, &[], &words()).unwrap_or_else(|p| panic!("{p:#?}"))
}

#[test]
fn every_mistake_of_a_file_is_told_at_once() {
    assert_snapshot!(problems(
        r#"quesiton = "What does it cost?"
users = 4

[axes]
engin      = ["innodb", "rocksdb"]
range_size = []
charset    = ["latin1", "utf8mb4-genric", "latin1"]
settings.bufer_pool = ["1 GiB"]
workload   = ["oltp.mixed", "oltp.distinct", "oltp"]

[server]
build       = "mariadb-10.12"
profile     = "durabel"
buffer_pool = "1 GiB"
cpus        = "both"
settings    = { redo = "64 parsecs", doublewrite = "on", flush_at_commit = 3 }
on          = "mysql://root:secret@localhost/test"

[workload.oltp]
rnage_size = 10
rows       = 0
tables     = "8"

[workload.oltp.mixd]
rows = 5

[load]
users   = 0
measure = 40
warm_up = "40 fortnights"
think   = 1
rate    = "1000, 5000 on 30s"

[[phases]]
name    = "before"
disturb = "open_snapshots"
[[phases]]
measure = "0s"
count   = 5

[repeat]
repetitions = 2.5

[scale.smoke]
"workload.oltp.rwos" = 5
"phases.befor.measure" = "1s"
"axes.users" = 8
"#
    ));
}

#[test]
fn what_is_missing_is_told_where_it_would_stand() {
    assert_snapshot!(problems(
        "[workload.linkbench]\n[load]\narrivals = \"poisson\"\n[[phases]]\nname = \"w\"\nwarm_up = \"1s\"\n"
    ));
}

#[test]
fn errors_of_the_server_are_named_by_number_or_word() {
    let errors = |load: &str| {
        let text = format!("question = \"?\"\n[workload.oltp.mixed]\n[load]\nusers = 1\n{load}\n");
        Experiment::parse("test", &text, None, &[], &words()).map(|experiment| experiment.load.errors)
    };
    assert_eq!(errors("").unwrap(), Errors::default());
    let said = errors(
        "[load.errors]\nretry = { deadlock = 10, 1205 = 0, 1062 = 3 }\nback_off = \"1ms\"\nstop = [1146, \"time_out\"]",
    );
    let retry = [(1213, 10), (1205, 0), (1062, 3), (1020, 1_000)].into();
    assert_eq!(said.unwrap(), Errors { retry, back_off: Nanos::from_millis(1), stop: [1146, 1].into() });
    let wrong = "[load.errors]\nretry = { deadlok = 1, 12 = 5, 1213 = 1, deadlock = 2 }\nstop = [\"dedlock\", true]\nback_of = \"1ms\"";
    let found = errors(wrong).unwrap_err();
    assert_snapshot!(found.iter().map(|p| format!("{p}\n")).collect::<String>());
}

#[test]
fn contradictions_are_told_with_the_way_out() {
    assert_snapshot!(problems(
        r#"question = "?"
[axes]
users = [1, 2]
range_size = [10, 100]
maxid1 = [100]
"phases.open.disturb" = ["open_snapshot", "none"]
settings.redo = ["64 MiB"]
[server]
on = "mysql://root@localhost/test"
[workload.oltp.mixed]
range_size = 10
[load]
users = 4
measure = "1s"
[[phases]]
name = "before"
measure = "1s"
[[phases]]
name = "before"
count = 10
measure = "1s"
"#
    ));
}

#[test]
fn a_load_that_contradicts_itself_is_told_with_the_way_out() {
    let load = |lines: &str| {
        problems(&format!("question = \"?\"\n[workload.oltp.mixed]\n[load]\nusers = 4\nmeasure = \"1s\"\n{lines}\n"))
    };
    assert_snapshot!(
        [
            load("rate = \"1000\""),
            load("rate = \"1000, 5000\""),
            load("rate = [{ at = \"0s\", rate = 1000 }]"),
            load("rate = [1000, 2000]"),
            load("rate = 1000\nthink = \"1ms\"\npace = \"10ms\""),
            load("think_distribution = \"gaussian\""),
            load("think = { default = \"1ms\", transactoin = \"2ms\", order_status = \"2ms\" }\nrate = 5"),
            load("think = \"0s\"\n[axes]\nrate = [1000, \"1000, 5000 at 30s, 1 by 20s\"]"),
        ]
        .join("\n")
    );
}

#[test]
fn a_load_is_understood_in_each_of_its_forms() {
    let load =
        |lines: &str| good(&format!("question = \"?\"\n[workload.oltp.mixed]\n[load]\nusers = 4\n{lines}\n")).load;
    let arrivals = load("rate = \"1000, 5000 at 30s\"\narrivals = \"constant\"").arrivals.unwrap();
    assert_eq!(arrivals, Arrivals { rate: Rate::parse("1000, 5000 at 30s").unwrap(), process: Process::Constant });
    assert_eq!(load("rate = 1000").arrivals.unwrap().process, Process::Poisson);
    assert_eq!(load("").pause, None);
    assert_eq!(load("pace = \"100ms\"").pause, Some(Pause::Pace { every: Nanos::from_millis(100) }));
    let thinking = |distribution, by_operation| {
        let (mean, keying) = (Nanos::from_millis(10), BTreeMap::new());
        Some(Pause::Think { mean, distribution, by_operation, keying })
    };
    let think = |distribution| thinking(distribution, BTreeMap::new());
    assert_eq!(load("think = \"10ms\"").pause, think(Distribution::Constant));
    assert_eq!(load("think = \"10ms\"\nthink_distribution = \"exponential\"").pause, think(Distribution::Exponential));
    let own = thinking(Distribution::Constant, BTreeMap::from([("transaction".into(), Nanos::from_millis(5))]));
    assert_eq!(load("think = { default = \"10ms\", transaction = \"5ms\" }").pause, own);
    assert_eq!(own.unwrap().to_string(), "5 ms after transaction, 10 ms after any other operation");
    let keyed = load("think = \"10ms\"\nkeying = { transaction = \"18s\" }").pause.unwrap();
    assert_eq!(keyed.to_string(), "10 ms after each operation, 18 s to key in transaction");
    assert_eq!(keyed.after("transaction"), Some(Nanos::from_millis(18_010)));
    assert_eq!(
        load("keying = { transaction = \"1s\" }").pause.unwrap().after("transaction"),
        Some(Nanos::from_secs(1))
    );
}

/// Readers beside writers, one of them closed and one open.
const GROUPS: &str = r#"
question = "What do readers lose to writers?"
[axes]
groups.readers.users = [1, 32]
range_size = [10, 100]
[workload.oltp]
rows = 5_000
[[groups]]
name = "readers"
workload = "oltp.point_selects"
think = { point_selects = "1ms" }
[[groups]]
name = "writers"
workload = "oltp.mixed"
parameters = { rows = 1_000, prepared = false }
rate = 500
arrivals = "constant"
users = 16
[load]
measure = "1s"
[scale.smoke]
"groups.writers.rate" = 50
"groups.*.users" = 2
"#;

#[test]
fn groups_are_understood_and_a_scale_reaches_one_or_all() {
    let experiment = good(GROUPS);
    let [readers, writers] = experiment.groups.as_slice() else { panic!("{:?}", experiment.groups) };
    assert_eq!((readers.name.as_str(), readers.users, &readers.arrivals), ("readers", Users(1), &None));
    assert_eq!(readers.pause.as_ref().unwrap().after("point_selects"), Some(Nanos::from_millis(1)));
    assert_eq!(writers.arrivals, Some(Arrivals { rate: Rate::steady(500.0), process: Process::Constant }));
    assert_eq!(writers.work.parameters["rows"], Value::Count(1_000));
    assert_eq!((experiment.load.users, &experiment.load.arrivals), (Users(17), &None));
    let smoke = Experiment::parse("test", GROUPS, Some("smoke"), &[], &words()).unwrap();
    assert_eq!(smoke.groups[1].arrivals.as_ref().unwrap().rate, Rate::steady(50.0));
    assert_eq!(smoke.groups[1].users, Users(2), "every group that says its users, and no other");
}

/// Readers beside writers in one of several phases, behind a rest.
const PHASES_WITH_GROUPS: &str = r#"
question = "What do readers lose to writers?"
[workload.oltp]
rows = 5_000
[[phases]]
name = "write"
workload = "oltp.mixed"
users = 2
count = 100
[[phases]]
name = "rest"
settle = "1m"
[[phases]]
name = "beside"
measure = "10s"
[[phases.groups]]
name = "readers"
workload = "oltp.point_selects"
users = 4
[[phases.groups]]
name = "writers"
workload = "oltp.mixed"
parameters = { rows = 1_000 }
rate = 500
arrivals = "constant"
users = 16
[scale.smoke]
"phases.beside.groups.writers.rate" = 50
"phases.*.groups.*.users" = 3
"phases.*.users" = 1
"phases.rest.settle" = "2s"
"#;

#[test]
fn groups_of_a_phase_are_understood_and_a_scale_reaches_one_or_all() {
    let experiment = good(PHASES_WITH_GROUPS);
    let [write, rest, beside] = experiment.phases.as_slice() else { panic!("{:?}", experiment.phases) };
    assert_eq!((write.users, write.groups.len(), rest.rest()), (Some(Users(2)), 0, Some(Nanos::from_secs(60))));
    let [readers, writers] = beside.groups.as_slice() else { panic!("{:?}", beside.groups) };
    assert_eq!((readers.name.as_str(), readers.users, &readers.arrivals), ("readers", Users(4), &None));
    assert_eq!(writers.arrivals, Some(Arrivals { rate: Rate::steady(500.0), process: Process::Constant }));
    assert_eq!(writers.work.parameters["rows"], Value::Count(1_000));
    assert_eq!(experiment.load.users, Users(20), "the most that are there at a time");
    let smoke = Experiment::parse("test", PHASES_WITH_GROUPS, Some("smoke"), &[], &words()).unwrap();
    let groups = &smoke.phases[2].groups;
    assert_eq!(groups[1].arrivals.as_ref().unwrap().rate, Rate::steady(50.0));
    assert_eq!((groups[0].users, groups[1].users, smoke.phases[0].users), (Users(3), Users(3), Some(Users(1))));
    assert_eq!(smoke.phases[1].rest(), Some(Nanos::from_secs(2)));
}

#[test]
fn groups_of_phases_that_contradict_themselves_are_told_with_the_way_out() {
    assert_snapshot!(problems(
        r#"question = "?"
[[phases]]
name = "rest"
settle = "1m"
users = 2
[[phases]]
name = "beside"
measure = "10s"
workload = "oltp.mixed"
users = 3
[[phases.groups]]
name = "readers"
workload = "oltp.point_selects"
colour = "red"
[[phases.groups]]
name = "readers"
workload = "oltp.mixed"
users = 1
arrivals = "constant"
parameters = { rows = 0 }
[[phases]]
name = "alone"
measure = "10s"
groups = 3
[scale.smoke]
"phases.beside.groups.writers.rate" = 50
"phases.*.groups.waiters.rate" = 50
"#
    ));
}

#[test]
fn groups_that_contradict_themselves_are_told_with_the_way_out() {
    assert_snapshot!(problems(
        r#"question = "?"
[axes]
users = [1, 2]
workload = ["oltp.mixed"]
groups.reders.users = [1, 2]
groups.readers.users = [1, 2]
groups.readers.range_size = [10, 100]
groups.readers.colour = ["red"]
groups.writers.range_size = [10, 100]
[load]
users = 4
rate = 5
think = { default = "1ms" }
[[groups]]
name = "readers"
workload = "oltp.point_selects"
users = 4
rate = 5
pace = "1s"
parameters = { range_size = 10, rows = 0 }
[[groups]]
name = "writers"
workload = "oltp.mixd"
arrivals = "poisson"
parameters = { range_size = 10 }
[[groups]]
name = "writers"
workload = "oltp.mixed"
users = 2
parameters = { range_size = 10 }
[[groups]]
users = 2
workload = "linkbench"
[scale.smoke]
"groups.reader.users" = 2
groups.readers.parameters.rows = 10
"#
    ));
}

#[test]
fn mistakes_of_syntax_carry_their_line_and_do_not_hide_the_others() {
    assert_snapshot!(
        "words_without_quotes",
        problems(
            "question = What does it cost?\n[axes]\nusers = [1, 0]\n[server]\nprofile = 'durable\nprofile = \"x\"\n"
        )
    );
    assert_snapshot!(
        "brackets_that_do_not_close",
        problems("question = \"?\"\n[axes]\nusers = [1, 2\n[load]\nusers = 4\n")
    );
}

#[test]
fn an_unknown_scale_or_override_is_a_mistake_too() {
    let file = format!("{SEED_0}\n[scale.huge]\n\"load.mesure\" = \"1s\"\n");
    assert_snapshot!(problems_with(
        &file,
        Some("smok"),
        &[("axes.users", "[1, 1]"), ("load.users", "8"), ("load.measure", "soon"), ("range_size", "5")]
    ));
}

#[test]
fn seed_0_is_understood_at_every_scale_and_an_override_comes_last() {
    for scale in [None, Some("study"), Some("smoke"), Some("laptop")] {
        let experiment =
            Experiment::parse("read-only-charsets", SEED_0, scale, &[], &words()).unwrap_or_else(|p| panic!("{p:#?}"));
        assert_eq!(experiment.scale.as_deref(), scale.filter(|s| *s != "study"));
        assert!(experiment.repeat.aa);
    }
    let sets = [
        ("load.measure".to_string(), "2s".to_string()),
        ("axes.users".into(), "[3]".into()),
        ("workload.oltp.mixed.prepared".into(), "false".into()),
    ];
    let experiment = Experiment::parse("read-only-charsets", SEED_0, Some("smoke"), &sets, &words()).unwrap();
    let keys: Vec<_> = experiment.axes.iter().map(|a| a.key.as_str()).collect();
    assert_eq!(keys, ["workload", "range_size", "charset", "users", "cpus"]);
    assert_eq!(experiment.axes[3].values, [Value::Count(3)]);
    assert_eq!(experiment.phases[1].until, Until::Time(Nanos::from_secs(2)));
    assert_eq!(experiment.workloads["oltp"]["rows"], Value::Count(5_000));
    assert_eq!(experiment.workloads["oltp.mixed"]["prepared"], Value::Flag(false));
    assert_eq!(experiment.server.settings["redo"], Value::Count(96 << 20));
}

#[test]
fn who_says_which_server_it_is_has_said_it_whatever_the_file_says() {
    const TWO: &str = "question = \"Which?\"\n[axes]\nbuild = [\"mariadb-10.11\", \"mysql-8.0.33\"]\n[workload.oltp.point_selects]\n[load]\nusers = 1\n";
    let on = |key: &str, value: &str| {
        let sets = [(key.to_string(), value.to_string())];
        Experiment::parse("test", TWO, None, &sets, &words()).unwrap_or_else(|p| panic!("{p:#?}"))
    };
    let one = on("server.build", "\"mysql-8.0.33\"");
    assert!(one.axes.iter().all(|a| a.key != "build"));
    assert_eq!(one.server.build, "mysql-8.0.33");
    assert_eq!(on("server.on", "\"mysql://me@there\"").server.build, "distribution");
}

/// The shape of seed 2: three phases in one run, a disturbance with its placebos as an axis, engines compared.
const SEED_2: &str = r#"
question = "What does a transaction left open cost?"
[axes]
engine = ["innodb", "rocksdb"]
phases.open.disturb = ["open_snapshot", "idle_connection", "none"]
[workload.linkbench]
maxid1 = 20_000_001
[load]
users = 20
[[phases]]
name = "before"
measure = "1h"
[[phases]]
name = "open"
measure = "1h"
[[phases]]
name = "after"
measure = "1h"
[scale.smoke]
"workload.linkbench.maxid1" = 1_000_001
"phases.*.measure" = "40s"
phases.after.measure = "20s"
"#;

#[test]
fn a_scale_reaches_all_phases_or_one_by_name() {
    let experiment = Experiment::parse("test", SEED_2, Some("smoke"), &[], &words()).unwrap();
    let ends: Vec<_> = experiment.phases.iter().map(|p| p.until).collect();
    assert_eq!(ends, [40, 40, 20].map(|s| Until::Time(Nanos::from_secs(s))));
    assert_eq!(experiment.load.users, Users(20));
}

#[test]
fn steps_by_count_are_repeated_for_iterations() {
    let experiment = good(
        "question = \"?\"\n[workload.oltp.mixed]\n[load]\nusers = 2\n[repeat]\niterations = 2\n[[phases]]\nname = \"fill\"\ncount = 8_000_000\nkind = \"warm_up\"\n[[phases]]\nname = \"read\"\nmeasure = \"1s\"\n",
    );
    let names: Vec<_> = experiment.phases.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["fill.1", "read.1", "fill.2", "read.2"]);
    assert_eq!((experiment.phases[2].kind, experiment.phases[2].until), (PhaseKind::WarmUp, Until::Count(8_000_000)));
    assert!(!experiment.repeat.aa, "nothing is compared");
}

proptest! {
    #[test]
    fn no_mutation_of_a_file_makes_the_parser_panic(
        which in 0..3_usize,
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0..6_usize, "[\\[\\]{}=\",.#\\n a-z0-9_*:é-]{0,4}"), 1..6),
        scale in prop::option::of("smoke|laptop|study|x"),
    ) {
        let mut text: Vec<char> = [SEED_0, SEED_2, GROUPS][which].chars().collect();
        for (at, delete, insert) in cuts {
            let at = at.index(text.len() + 1).min(text.len());
            let to = (at + delete).min(text.len());
            text.splice(at..to, insert.chars());
        }
        let text: String = text.into_iter().collect();
        if let Ok(experiment) = Experiment::parse("mutant", &text, scale.as_deref(), &[], &words()) {
            let _ = model::plan::Plan::of(&experiment, &vocabulary::small_host(), &words());
        }
    }

    #[test]
    fn every_problem_of_a_file_has_its_line(
        at in any::<prop::sample::Index>(),
        insert in "[a-z=\\[\\]\"]{1,5}",
    ) {
        let at = at.index(SEED_0.len());
        prop_assume!(SEED_0.is_char_boundary(at));
        let text = format!("{}{insert}{}", &SEED_0[..at], &SEED_0[at..]);
        if let Err(problems) = Experiment::parse("mutant", &text, None, &[], &words()) {
            let lines = text.lines().count() + 1;
            prop_assert!(problems.iter().all(|p| p.line.is_some_and(|l| (1..=lines).contains(&l))), "{problems:#?}");
        }
    }
}

#[test]
fn a_search_that_cannot_be_carried_out_is_told_with_the_way_out() {
    let search = |lines: &str| problems(&format!("question = \"?\"\n[workload.oltp.mixed]\n[load]\n{lines}\n"));
    assert_snapshot!(
        [
            search("users = 4\nsearch = \"rate\""),
            search("users = 4\nsearch = { for = \"rate\" }"),
            search("users = 4\nsearch = { for = \"rte\", keep = \"p99 of 5ms\", from = 5000, to = 500, runs = 2 }"),
            search("search = { for = \"rate\", keep = \"p99 < 5ms\", from = 5, to = 500, withn = 0.1 }\nrate = 100"),
            search("users = 4\nsearch = { for = \"users\", keep = \"p99 < 5ms\", from = 0.5, to = 500 }\n[repeat]\nrepetitions = 3"),
        ]
        .join("\n")
    );
}

#[test]
fn a_limit_of_a_check_is_set_by_its_name() {
    let with = |limits: &str| format!("question = \"?\"\n[workload.oltp.mixed]\n[load]\nusers = 1\n[limits]\n{limits}");
    assert_eq!(good(&with("others_fail = 0.1")).limits, [("others_fail".to_string(), 0.1)].into());
    let told = problems(&with("other_fail = 0.1"));
    assert!(told.contains("no check has a limit `other_fail`") && told.contains("others_fail"), "{told}");
    assert!(problems(&with("others_fail = 10")).contains("others_fail"), "a share is at most one");
}

#[test]
fn a_search_is_understood_and_its_load_begins_at_the_lowest_level() {
    let search = |lines: &str| good(&format!("question = \"?\"\n[workload.oltp.mixed]\n[load]\n{lines}\n"));
    let rate = search("users = 64\nsearch = { for = \"rate\", keep = \"p99 < 5ms\", from = 500, to = 50_000 }");
    let sought = rate.search.as_ref().unwrap();
    assert_eq!(sought.to_string(), "the highest rate with p99 < 5 ms, 500/s to 50000/s, within 5 %, at most 24 runs");
    assert_eq!(rate.load.arrivals.unwrap().rate, Rate::steady(500.0));
    assert_eq!(rate.repeat.repetitions, 24);
    let users = search("search = { for = \"users\", from = 2, to = 1024, runs = 40, within = 0.1 }\nthink = \"1ms\"");
    assert_eq!(
        users.search.unwrap().to_string(),
        "the users at peak throughput, 2 users to 1024 users, within 10 %, at most 40 runs"
    );
    assert_eq!((users.load.users, users.load.arrivals), (Users(2), None));
}
