//! What a plan promises: every cell once in every block, the same plan from the same input, nothing silently dropped,
//! and a table that a human can check. Small plans are golden; the rest are properties.

mod vocabulary;

use insta::assert_snapshot;
use model::experiment::Experiment;
use model::functions::Spent;
use model::host::{Host, InstalledBuild};
use model::load::{Phase, Transport};
use model::plan::{Cell, Plan, table};
use model::protocol::Protocol;
use model::units::{Bytes, Nanos};
use model::value::Value;
use model::words::WorkloadWords;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use vocabulary::{small_host, two_sockets, words};

const SEED_0: &str = include_str!("../../../experiments/read-only-charsets.toml");

fn experiment(text: &str, scale: Option<&str>) -> Experiment {
    Experiment::parse("test", text, scale, &[], &words()).unwrap_or_else(|p| panic!("{p:#?}"))
}

fn plan(text: &str, host: &Host) -> Plan {
    Plan::of(&experiment(text, None), host, &words()).unwrap_or_else(|p| panic!("{p:#?}"))
}

fn plan_of(text: &str) -> Plan {
    plan(text, &small_host())
}

fn refused(text: &str, host: &Host) -> String {
    Plan::of(&experiment(text, None), host, &words())
        .expect_err("nothing can run")
        .iter()
        .map(|p| format!("{p}\n"))
        .collect()
}

#[test]
fn an_axis_of_engines_has_the_one_that_a_postgresql_keeps_its_tables_in() {
    let mut host = small_host();
    let postgres = |build: &mut InstalledBuild| {
        (build.kind, build.engines) = ("postgresql".into(), vec!["heap".into()]);
    };
    host.builds.iter_mut().filter(|build| build.name == "distribution").for_each(postgres);
    let text = SMALL.replace("cpus = [\"all\", \"2 sockets\"]", "engine = [\"innodb\", \"rocksdb\"]");
    let mut words = words();
    words.workloads.iter_mut().for_each(|workload| workload.protocols = &[Protocol::MySql, Protocol::PostgreSql]);
    let experiment = Experiment::parse("test", &text, None, &[], &words).unwrap_or_else(|p| panic!("{p:#?}"));
    let plan = Plan::of(&experiment, &host, &words).unwrap_or_else(|p| panic!("{p:#?}"));
    let engines = plan.axes.iter().find(|axis| axis.key == "engine").unwrap();
    assert_eq!(engines.values, [Value::Text("heap".into())]);
    assert!(plan.cells.iter().all(|cell| cell.axes["engine"] == engines.values[0]), "{plan:#?}");
}

const SMALL: &str = r#"question = "Does the range matter?"
[axes]
workload = ["oltp.point_selects", "oltp.distinct_ranges"]
range_size = [10, 100]
settings.buffer_pool = ["64 MiB", "1 GiB"]
cpus = ["all", "2 sockets"]
[server]
native = { sort_buffer_size = 262144 }
[workload.oltp]
rows = 1_000
[load]
users = 4
warm_up = "1s"
measure = "2s"
[repeat]
repetitions = 2
seed = 7
"#;

#[test]
fn a_rate_is_an_axis_and_one_that_its_run_does_not_live_to_see_is_warned_of() {
    let open =
        "question = \"?\"\n[axes]\nrate = [1000, \"1000, 5000 by 30s\"]\n[workload.oltp.mixed]\n[load]\nusers = 4\n";
    let short = plan(&format!("{open}warm_up = \"1s\"\nmeasure = \"9s\"\n"), &small_host());
    let rates: Vec<_> = short.cells.iter().map(|c| c.load.arrivals.as_ref().unwrap().to_string()).collect();
    assert_eq!(rates[..2], ["1000/s, at random (Poisson)", "1000/s, 5000/s by 30 s, at random (Poisson)"]);
    assert_eq!(short.warnings, ["A rate changes until 30 s after the start, but its run ends after 10 s."]);
    assert!(plan(&format!("{open}measure = \"40s\"\n"), &small_host()).warnings.is_empty());
}

#[test]
fn data_that_outgrow_the_pool_are_told_before_they_are_loaded_unless_the_pool_is_the_question() {
    let text = |axes: &str, server: &str| {
        format!(
            "question = \"?\"\n[axes]\n{axes}\nusers = [1, 2]\n[server]\n{server}\n[workload.oltp.mixed]\nrows = 1_000_000\n"
        )
    };
    let pool = |size: &str| plan_of(&text("", &format!("settings.buffer_pool = \"{size}\""))).warnings;
    let [small] = &pool("64 MiB")[..] else { panic!("one warning for all cells that it is true of") };
    assert!(
        small.starts_with("The data of oltp.mixed take about 229 MiB, 358 % of a buffer_pool of 64 MiB"),
        "{small}"
    );
    assert_eq!(pool("1 GiB"), [] as [&str; 0]);
    let asked = plan_of(&text("settings.buffer_pool = [\"64 MiB\", \"1 GiB\"]", ""));
    assert_eq!(asked.warnings, [] as [&str; 0]);
}

#[test]
fn a_server_offers_every_transport_that_some_of_its_users_take() {
    let text = |axes: &str, server: &str, load: &str| {
        format!("question = \"?\"\n{axes}[server]\n{server}[workload.oltp.mixed]\n[load]\nusers = 4\n{load}")
    };
    let all = plan(&text("[axes]\ntransport = [\"unix\", \"tcp\", \"tls\"]\n", "", ""), &small_host());
    let by: Vec<_> = all.cells.iter().filter(|c| c.repeats.is_none()).map(|c| c.load.transport.unwrap()).collect();
    assert_eq!(by, Transport::ALL);
    assert!(all.cells.iter().all(|c| c.server.tcp && c.server.settings["tls"] == Value::Flag(true)));
    let unix = plan(&text("", "", ""), &small_host());
    assert!(unix.cells.iter().all(|c| !c.server.tcp && c.server.settings["tls"] == Value::Flag(false)));
    assert_eq!(unix.cells[0].load.transport, None);
    let without = text("", "settings.tls = false\n", "transport = \"tls\"\n");
    assert!(refused(&without, &small_host()).contains("settings.tls keeps the server from offering it"));
    let found = plan(&text("", "on = \"mysql://root@h/s?tls=required\"\n", ""), &small_host());
    assert_eq!((found.cells[0].load.transport, found.cells[0].server.tcp), (None, false));
}

#[test]
fn a_plan_is_readable_as_a_table() {
    assert_snapshot!(table(&plan(SMALL, &small_host())));
}

const GROUPS: &str = r#"question = "What do readers lose to writers?"
[axes]
groups.readers.users = [1, 32]
range_size = [10, 100]
[[groups]]
name = "readers"
workload = "oltp.point_selects"
[[groups]]
name = "writers"
workload = "oltp.mixed"
parameters = { rows = 1_000 }
rate = 500
users = 16
[load]
measure = "1s"
[repeat]
repetitions = 2
"#;

#[test]
fn groups_are_planned_each_with_its_own_work_and_counted_together() {
    let plan = plan(GROUPS, &small_host());
    assert_snapshot!(table(&plan));
    let last = &plan.cells[3];
    assert_eq!((last.workload.as_str(), last.load.users.0), ("oltp.point_selects + oltp.mixed", 48));
    assert!(last.parameters.is_empty(), "parameters are each group's own");
    let [readers, writers] = last.groups.as_slice() else { panic!("{:?}", last.groups) };
    assert_eq!((readers.users.0, writers.users.0), (32, 16));
    assert_eq!(readers.work.parameters["rows"], Value::Count(10_000));
    assert!(!readers.work.parameters.contains_key("range_size"));
    assert_eq!(
        (&writers.work.parameters["rows"], &writers.work.parameters["range_size"]),
        (&1_000.into(), &100.into())
    );
    assert_eq!(plan.cost.rows, 11_000, "two datasets, because their rows differ");
    let shared = plan_of(&GROUPS.replace("parameters = { rows = 1_000 }\n", ""));
    assert_eq!(shared.cost.rows, 10_000, "one dataset, because nothing differs");
}

#[test]
fn groups_that_differ_by_a_zero_are_warned_of_and_their_users_add_up() {
    let slip = GROUPS.replace("range_size = [10, 100]\n", "").replace("rows = 1_000", "range_size = 10");
    let slip = slip.replace("oltp.point_selects", "oltp.simple_ranges");
    assert_snapshot!(plan_of(&slip).warnings.join("\n"));
    let crowd = format!("{}\n[server.settings]\nmax_connections = 4_096\n", slip.replace("[1, 32]", "[1, 4_090]"));
    assert_snapshot!("users_of_all_groups_are_more_than_the_server_admits", {
        let skipped = plan_of(&crowd).skipped;
        skipped.iter().map(|s| format!("{:?}: {}", s.axes, s.reason)).collect::<Vec<_>>().join("\n")
    });
}

#[test]
fn an_axis_multiplies_only_the_workloads_that_have_it() {
    let plan = plan(SMALL, &two_sockets());
    let points = plan.cells.iter().filter(|c| c.workload == "oltp.point_selects" && c.repeats.is_none());
    assert!(points.clone().all(|c| !c.axes.contains_key("range_size") && !c.parameters.contains_key("range_size")));
    assert_eq!(points.count(), 2 * 2);
    assert_eq!(
        plan.cells.iter().filter(|c| c.workload == "oltp.distinct_ranges" && c.repeats.is_none()).count(),
        2 * 2 * 2
    );
    assert_eq!(plan.skipped, []);
}

#[test]
fn profile_runs_come_after_the_numbers_with_the_same_work_once_sampled_and_once_not() {
    let text = "question = \"?\"\n[axes]\nusers = [1, 2]\n[workload.oltp.mixed]\n[repeat]\nprofiles = 4\nprofile_pairs = true\n";
    let plan = plan(text, &small_host());
    let (beside, others): (Vec<_>, Vec<_>) = plan.runs.iter().partition(|r| r.is_beside());
    // Two cells and the A/A arm, which is profiled as well: what equal cells differ by is what counts.
    assert_eq!((others.len(), beside.len()), (9, 24));
    assert!(beside.iter().all(|b| others.iter().all(|o| o.block < b.block)));
    let mut first_is_bare = Vec::new();
    for pair in beside.chunks(2) {
        let [a, b] = [&pair[0], &pair[1]];
        assert_eq!((&a.cell, a.block, a.seed), (&b.cell, b.block, b.seed), "neighbours that do the same");
        let bare = if a.profile == Some(0) { a } else { b };
        assert!(bare.id.0.contains("-bare-") && [a.profile, b.profile].contains(&Some(99)));
        first_is_bare.push(a.profile == Some(0));
    }
    assert!(first_is_bare.contains(&true) && first_is_bare.contains(&false), "in either order");
}

#[test]
fn runs_in_which_waits_are_sampled_come_behind_all_other_profiles() {
    let text =
        "question = \"?\"\n[axes]\nusers = [1, 2]\n[workload.oltp.mixed]\n[repeat]\nprofiles = 1\nprofile_waits = 2\n";
    let plan = plan(text, &small_host());
    let (waits, others): (Vec<_>, Vec<_>) = plan.runs.iter().partition(|r| r.spent == Spent::Waiting);
    assert_eq!((waits.len(), others.len()), (6, 12), "two cells and the A/A arm");
    assert!(waits.iter().all(|w| w.is_beside() && w.id.0.contains("-waits-") && w.profile == Some(99)));
    assert!(waits.iter().all(|w| others.iter().all(|o| o.block < w.block)));
}

#[test]
fn explain_runs_come_after_all_others_once_per_cell() {
    let text = "question = \"?\"\n[axes]\nusers = [1, 2]\n[workload.oltp.mixed]\n[repeat]\nexplain = true\n";
    let plan = plan(text, &small_host());
    let (explained, others): (Vec<_>, Vec<_>) = plan.runs.iter().partition(|r| r.explain);
    assert_eq!(explained.iter().map(|r| r.id.to_string()).collect::<Vec<_>>(), ["c001-explain", "c002-explain"]);
    // Two cells and the A/A arm, three times; that arm has nothing of its own to explain.
    assert_eq!(others.len(), 9);
    assert!(explained.iter().all(|e| others.iter().all(|o| o.block < e.block)));
}

#[test]
fn every_default_is_filled_in_and_the_nearest_word_wins() {
    let plan = plan(
        "question = \"?\"\n[axes]\nprofile = [\"durable\", \"default\"]\n[server.settings]\nbinlog = true\n[workload.oltp]\nrows = 50\ntables = 2\n[workload.oltp.mixed]\nrows = 60\n[load]\nusers = 1\n",
        &small_host(),
    );
    assert_eq!(plan.cells[0].parameters["rows"], Value::Count(60));
    assert_eq!(plan.cells[0].parameters["tables"], Value::Count(2));
    assert_eq!(plan.cells[0].parameters["range_size"], Value::Count(100));
    let with_default = model::settings::ALL.iter().filter(|w| w.default.is_some()).count();
    assert_eq!(plan.cells[0].server.settings.len(), with_default);
    assert_eq!(plan.cells[0].server.settings["binlog"], Value::Flag(true));
    assert_eq!(plan.cells[1].server.settings.len(), model::settings::PLUMBING.len() + 1);
    assert_eq!(plan.cells[0].server.build, "distribution");
}

#[test]
fn seed_0s_missing_zero_is_warned_of_before_anything_runs() {
    let slip = "question = \"?\"\n[axes]\nworkload = [\"oltp.mixed\", \"oltp.distinct_ranges\", \"oltp.point_selects\", \"oltp.simple_ranges\"]\n[workload.oltp.distinct_ranges]\nrange_size = 10\n[load]\nusers = 1\n";
    assert_snapshot!(plan(slip, &small_host()).warnings.join("\n"));
    assert_eq!(plan(&slip.replace("size = 10", "size = 55"), &small_host()).warnings, [] as [&str; 0]);
}

#[test]
fn seed_0_itself_has_no_near_miss_because_the_range_is_an_axis() {
    let plan = Plan::of(&experiment(SEED_0, None), &two_sockets(), &words()).unwrap();
    assert_eq!(plan.warnings, [] as [&str; 0]);
    assert_eq!(plan.cells.len(), 9 * 4 * 11 * 2 + 1);
}

#[test]
fn seed_0_at_smoke_ends_within_two_minutes_and_at_laptop_within_half_an_hour() {
    let cost = |scale| Plan::of(&experiment(SEED_0, Some(scale)), &small_host(), &words()).unwrap().cost;
    assert!(cost("smoke").time <= Nanos::from_secs(120), "{}", cost("smoke").time);
    assert!(cost("laptop").time <= Nanos::from_secs(1800), "{}", cost("laptop").time);
    assert_eq!(cost("smoke").rows, 2 * 40_000);
}

#[test]
fn what_cannot_run_here_is_put_aside_with_its_reason() {
    let text = "question = \"?\"\n[axes]\nbuild = [\"distribution\", \"mysql-8.0.33\"]\nengine = [\"innodb\", \"rocksdb\"]\ncpus = [\"1 socket\", \"2 sockets\"]\nusers = [1, 5_000]\n[server.settings]\nmax_connections = 4_096\n[workload.oltp.mixed]\n";
    let plan = plan(text, &small_host());
    assert_eq!(plan.cells.iter().filter(|c| c.repeats.is_none()).count(), 1);
    let told: Vec<_> = plan.skipped.iter().map(|s| format!("{:?}: {}", s.axes, s.reason)).collect();
    assert_snapshot!(told.join("\n"));
}

#[test]
fn the_load_may_have_cpus_for_each_rank_and_a_server_memory_of_its_nodes() {
    let text = "question = \"?\"\n[axes]\nload_cpus = [[\"4\", \"6-7\"], \"half\"]\nmemory = [\"interleave\", \"node 1\"]\nusers = [1]\n[workload.oltp.mixed]\n[repeat]\naa = false\n";
    let plan = plan(text, &Host { nodes: vec![0], ..two_sockets() });
    let asked = |cell: &Cell| (cell.server.load_cpus.clone().unwrap(), cell.server.memory.clone().unwrap());
    let cells: Vec<_> = plan.cells.iter().map(asked).collect();
    let interleaved = |cpus: &str| (cpus.to_string(), "interleave".to_string());
    assert_eq!(cells, [interleaved("4 | 6-7"), interleaved("half")]);
    assert_eq!(plan.skipped.len(), 1, "{:?}", plan.skipped);
    assert!(plan.skipped[0].reason.contains("by \"node 1\": the host has NUMA node 0; "), "{:?}", plan.skipped);
}

#[test]
fn a_private_server_takes_the_users_of_the_plan_and_all_levels_share_it() {
    let levels = |users: &str| format!("question = \"?\"\n[axes]\nusers = [{users}]\n[workload.oltp.mixed]\n");
    let admitted = |users: &str| {
        let plan = plan(&levels(users), &small_host());
        let of = |cell: &Cell| cell.server.settings["max_connections"].clone();
        plan.cells.iter().map(of).collect::<Vec<_>>()
    };
    assert!(admitted("1, 400").iter().all(|limit| *limit == Value::Count(4_096)));
    assert!(admitted("1, 10_000").iter().all(|limit| *limit == Value::Count(10_240)));
    let host = Host { open_files: 1_500, ..small_host() };
    let told = refused(&levels("1_000"), &host);
    assert!(told.contains("need 2024 open files for 1000 users, and a process here may have 1500"), "{told}");
    assert_eq!(plan(&levels("1, 1_000"), &host).skipped.len(), 1, "the level that fits is run");
}

#[test]
fn more_users_than_there_may_be_threads_are_refused_where_each_is_to_have_one() {
    let asking = |io: &str, users: u32| {
        format!("question = \"?\"\n[workload.oltp.mixed]\n[load]\nusers = {users}\nio = \"{io}\"\n")
    };
    let host = Host { threads: 500, ..small_host() };
    let told = refused(&asking("blocking", 1_000), &host);
    assert!(told.contains("needs 1032 threads for 1000 users, and a process here may have 500"), "{told}");
    assert_eq!(plan(&asking("blocking", 400), &host).cells.len(), 1);
    assert_eq!(plan(&asking("auto", 1_000), &host).cells.len(), 1, "others share threads");
}

#[test]
fn a_plan_without_a_runnable_cell_is_refused() {
    let one =
        |server: &str| format!("question = \"?\"\n[server]\n{server}\n[workload.oltp.mixed]\n[load]\nusers = 1\n");
    let servers = ["build = \"mysql-8.0.33\"", "build = \"memcached\"", "engine = \"rocksdb\"", "cpus = \"4 sockets\""];
    assert_snapshot!(servers.map(|server| refused(&one(server), &small_host())).concat());
}

#[test]
fn a_cluster_can_be_an_axis_and_its_users_come_over_sockets() {
    let both =
        "question = \"?\"\n[axes]\ntopology = [\"single\", \"galera:3\"]\n[workload.oltp.mixed]\n[load]\nusers = 1\n";
    let both = plan(both, &small_host());
    let nodes = both.cells.iter().filter(|c| c.repeats.is_none()).map(|c| c.server.topology.nodes());
    assert_eq!(nodes.collect::<Vec<_>>(), [1, 3]);
    let alone = serde_json::to_string(&both.cells[0].server).unwrap();
    assert!(!alone.contains("topology"), "a single server is written as ever: {alone}");
    let tls = "question = \"?\"\n[server]\ntopology = \"galera:3\"\n[workload.oltp.mixed]\n[load]\nusers = 1\ntransport = \"tls\"\n";
    let told = refused(tls, &small_host());
    assert!(told.contains("users of galera:3 come over the sockets of its nodes"), "{told}");
}

#[test]
fn axes_that_multiply_beyond_measure_are_refused() {
    let users: Vec<_> = (1..=101).collect();
    let text =
        format!("question = \"?\"\n[axes]\nusers = {users:?}\n[workload.oltp.mixed]\n[repeat]\nrepetitions = 1_000\n");
    assert_eq!(
        refused(&text, &small_host()),
        "axes: the axes multiply to 101000 runs, more than 100000\n    split the question, or take fewer values\n"
    );
}

#[test]
fn a_server_that_was_there_before_is_named_by_its_address_and_left_alone() {
    let plan = plan(
        "question = \"?\"\n[server]\non = \"mysql://me@db1:3306/test\"\nsettings = { redo = \"1 GiB\" }\n[workload.oltp.mixed]\n[load]\nusers = 1\n",
        &Host::default(),
    );
    let server = &plan.cells[0].server;
    assert_eq!((server.build.as_str(), server.settings.len(), server.native.len()), ("db1:3306", 0, 0));
    assert_eq!(plan.warnings.len(), 1);
}

#[test]
fn a_plan_larger_than_its_host_says_so_before_it_starts() {
    let text = "question = \"?\"\n[server.settings]\nbuffer_pool = \"16 GiB\"\nredo = \"1 GiB\"\n[workload.oltp.mixed]\nrows = 10_000_000\n[load]\nusers = 1\n";
    let cramped = Host { disk_free: Bytes(1 << 30), ..small_host() };
    assert_snapshot!(plan(text, &cramped).warnings.join("\n"));
    assert_eq!(plan(text, &Host { disk_free: Bytes(1 << 40), ..two_sockets() }).warnings, [] as [&str; 0]);
}

#[test]
fn a_disturbance_and_its_placebos_are_an_axis() {
    let plan = plan(
        "question = \"?\"\n[axes]\nphases.open.disturb = [\"open_snapshot\", \"none\"]\n[workload.linkbench]\nmaxid1 = 10\n[load]\nusers = 1\n[[phases]]\nname = \"before\"\nmeasure = \"1s\"\n[[phases]]\nname = \"open\"\nmeasure = \"1s\"\n",
        &small_host(),
    );
    fn name(phase: &Phase) -> Option<&str> {
        phase.disturb.as_ref().map(|d| d.name.as_str())
    }
    let disturbed: Vec<_> = plan.cells[..2].iter().map(|c| (name(&c.phases[0]), name(&c.phases[1]))).collect();
    assert_eq!(disturbed, [(None, Some("open_snapshot")), (None, None)]);
}

#[test]
fn a_cell_says_in_which_protocols_its_users_ask() {
    let mut words = words();
    let of_both: &[Protocol] = &[Protocol::MySql, Protocol::PostgreSql];
    for (name, protocols) in [("kv.handlersocket", &[Protocol::HandlerSocket][..]), ("lua.script", of_both)] {
        words.workloads.push(WorkloadWords { name: name.into(), protocols, ..words.workloads[0].clone() });
    }
    let asked = |lines: &str| {
        let text = format!("question = \"?\"\n{lines}");
        let experiment = Experiment::parse("test", &text, None, &[], &words).unwrap_or_else(|p| panic!("{p:#?}"));
        let plan = Plan::of(&experiment, &small_host(), &words).unwrap_or_else(|p| panic!("{p:#?}"));
        plan.cells.into_iter().map(|cell| cell.protocols.into_iter().collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let group = |name: &str, workload: &str| {
        format!("[[groups]]\nname = \"{name}\"\nworkload = \"{workload}\"\nusers = 1\n[groups.parameters]\nrows = 10\n")
    };
    let users = "[load]\nusers = 1\nmeasure = \"1s\"\n";
    let axis = format!("[axes]\nworkload = [\"oltp.mixed\", \"kv.handlersocket\"]\n{users}");
    assert_eq!(asked(&axis)[..2], [[Protocol::MySql], [Protocol::HandlerSocket]]);
    let groups = group("one", "oltp.mixed") + &group("two", "kv.handlersocket") + "[load]\nmeasure = \"1s\"\n";
    assert_eq!(asked(&groups), [[Protocol::MySql, Protocol::HandlerSocket]]);
    let script = |on: &str| asked(&format!("[server]\non = \"{on}\"\n[workload.lua.script]\n{users}"));
    assert_eq!(script("postgres://me@localhost/test"), [[Protocol::PostgreSql]], "as the DSN says");
    assert_eq!(script("mysql://me@localhost/test"), [[Protocol::MySql]]);
}

#[test]
fn the_hash_follows_the_runs_and_not_the_words() {
    let base = plan(SMALL, &small_host());
    let reworded = plan(&SMALL.replace("Does the range matter?", "And now?"), &small_host());
    let reseeded = plan(&SMALL.replace("seed = 7", "seed = 8"), &small_host());
    assert_eq!(base.hash(), "ce94386154d721832ae0ce1f51a06506", "records of earlier versions are resumed");
    assert_eq!(base.hash(), reworded.hash());
    assert_ne!(base.hash(), reseeded.hash());
    let read_back: Plan = serde_json::from_str(&serde_json::to_string(&base).unwrap()).unwrap();
    assert_eq!((read_back.hash(), &read_back), (base.hash(), &base));
}

proptest! {
    #[test]
    fn every_block_holds_every_cell_once_and_servers_change_no_more_than_they_must(
        users in proptest::collection::btree_set(1..500_i64, 1..5),
        pools in proptest::collection::btree_set(1..9_i64, 1..4),
        ranges in proptest::collection::btree_set(1..500_i64, 1..4),
        repetitions in 1..5_u32,
        seed in 0..1_000_u32,
    ) {
        let pools: Vec<_> = pools.iter().map(|p| p << 26).collect();
        let text = format!(
            "question = \"?\"\n[axes]\nworkload = [\"oltp.mixed\", \"oltp.point_selects\"]\nusers = {users:?}\nsettings.buffer_pool = {pools:?}\nrange_size = {ranges:?}\n[repeat]\nrepetitions = {repetitions}\nseed = {seed}\n",
        ).replace('{', "[").replace('}', "]");
        let experiment = experiment(&text, None);
        let plan = Plan::of(&experiment, &small_host(), &words()).unwrap();
        prop_assert_eq!(&plan, &Plan::of(&experiment, &small_host(), &words()).unwrap());

        let cells: BTreeSet<_> = plan.cells.iter().map(|c| c.id.clone()).collect();
        prop_assert_eq!(cells.len(), users.len() * pools.len() * (ranges.len() + 1) + 1);
        let mut blocks: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        for run in &plan.runs {
            blocks.entry(run.block).or_default().push(run.cell.clone());
        }
        prop_assert_eq!(blocks.len(), repetitions as usize);
        for block in blocks.values() {
            prop_assert_eq!(block.len(), cells.len());
            prop_assert_eq!(&block.iter().cloned().collect::<BTreeSet<_>>(), &cells);
            let servers: Vec<_> = block.iter().map(|id| &plan.cell(id).server).collect();
            let changes = servers.windows(2).filter(|w| w[0] != w[1]).count();
            prop_assert_eq!(changes + 1, pools.len());
        }
        let seeds: BTreeSet<_> = plan.runs.iter().map(|r| r.seed).collect();
        prop_assert_eq!(seeds.len(), plan.runs.len());
        prop_assert!(plan.runs.windows(2).all(|w| w[0].block <= w[1].block));
        let twin = plan.cells.last().unwrap();
        let twin_of = plan.cell(twin.repeats.as_ref().unwrap());
        prop_assert_eq!((&twin.server, &twin.parameters, &twin.load), (&twin_of.server, &twin_of.parameters, &twin_of.load));
        prop_assert!(plan.cost.disk > Bytes(0));
    }
}

#[test]
fn a_plan_of_a_search_says_the_most_that_it_may_take() {
    let text = "question = \"How much does it bear?\"\n[axes]\nworkload = [\"oltp.point_selects\", \"oltp.mixed\"]\n\
        [workload.oltp]\n[load]\nusers = 64\nwarm_up = \"1s\"\nmeasure = \"4s\"\n\
        search = { for = \"rate\", keep = \"p99 < 5ms\", from = 500, to = 50_000, runs = 20 }\n";
    let plan = plan(text, &small_host());
    assert_snapshot!(table(&plan));
    assert_eq!(plan.runs.len(), 3 * 20);
    let seeds: BTreeSet<_> = plan.cells.iter().map(|c| c.search.as_ref().unwrap().seed).collect();
    assert_eq!(seeds.len(), 3, "each search has its own seed, and so has its A/A arm");
}

#[test]
fn searches_on_one_server_take_turns_and_each_server_is_met_once() {
    let text = "question = \"?\"\n[axes]\nsettings.buffer_pool = [\"64 MiB\", \"1 GiB\"]\nrange_size = [10, 100]\n\
        [workload.oltp.mixed]\n[load]\nsearch = { for = \"users\", from = 1, to = 64 }\n[repeat]\naa = false\n";
    let plan = plan(text, &small_host());
    let servers: Vec<_> = plan.runs.iter().map(|r| &plan.cell(&r.cell).server).collect();
    assert_eq!(servers.windows(2).filter(|w| w[0] != w[1]).count(), 1);
    for turn in plan.runs.chunks(2) {
        assert!(turn[0].block == turn[1].block && turn[0].cell != turn[1].cell, "{turn:?}");
    }
}
