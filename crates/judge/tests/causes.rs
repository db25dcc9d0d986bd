//! The generic causes and the ladder on records made to show them: what a server with this illness would count. Each
//! rung from constructed evidence, the next experiment as the cell it came from, and what an intervention's record
//! makes of a finding.

mod bench;

use bench::*;
use judge::findings::frame::next::{self, Change};
use judge::frame::evidence::Evidence;
use model::experiment::Axis;
use model::experiment::Experiment;
use model::experiment::keys::{KEYS, Key, Scope};
use model::finding::{Finding, Rung};
use model::intervention::Intervention;
use model::load::{Arrivals, Distribution, Io, Pause, Phase, PhaseKind, Process, Transport, Until};
use model::plan::{Cell, Plan};
use model::protocol::Protocol;
use model::rate::Rate;
use model::record::Record;
use model::topology::Topology;
use model::units::{Bytes, Nanos, Users};
use model::value::Value;
use model::words::{Footprint, Parameter, Words, WorkloadWords, data, work};

const MIB: i64 = 1 << 20;
const POOL: &str = "settings.buffer_pool";
const PLACEBO: &str = "native.join_buffer_size";

fn found(record: &Record, name: &str) -> Option<Finding> {
    let mut all = judge(record).findings.into_iter().filter(|f| f.name == name);
    let one = all.next();
    assert!(all.next().is_none(), "two of {name}");
    one
}

/// What a run counts, per operation.
struct Counts {
    /// Microseconds: an operation, and of it on a CPU of the server, in data files, in the server's statement.
    operation: f64,
    cpu: f64,
    files: f64,
    inside: f64,
    /// Pages read.
    reads: f64,
}

const IN_MEMORY: Counts = Counts { operation: 100.0, cpu: 60.0, files: 0.0, inside: 65.0, reads: 0.0 };
const FROM_DISK: Counts = Counts { operation: 1_000.0, cpu: 80.0, files: 880.0, inside: 970.0, reads: 1.0 };

fn count(record: &mut Record, of: impl Fn(&Cell) -> Counts) {
    let cells = record.plan.cells.clone();
    for run in &mut record.runs {
        let cell = cells.iter().find(|c| c.id == run.cell).unwrap();
        let Counts { operation, cpu, files, inside, reads } = of(cell);
        let wobble = 1.0 + 0.002 * f64::from(run.repetition);
        let qps = f64::from(cell.load.users.0) * 1e6 / (operation * wobble);
        set_rate(run, qps);
        for (name, per_operation) in [
            ("foreground.statements", 1.0),
            ("foreground.statement_time", inside * 1e3),
            ("foreground.cpu", cpu * 1e3),
            ("foreground.runqueue.wait", 0.0),
            ("foreground.file_calls", reads),
            ("foreground.file_time", files * 1e3),
            ("foreground.data_time", files * 1e3),
            ("db.page_reads", reads),
            ("server.cpu.user", cpu * 1e3),
            ("server.cpu.system", 0.0),
        ] {
            counter(run, name, per_operation * qps);
        }
        // Nobody else was there: the host's CPUs were used by the server and the client.
        counter(run, "host.cpu.idle", 4.0e9 - cpu * 1e3 * qps - 0.66e9);
    }
}

/// More data than the pool holds.
fn large(record: &mut Record) {
    record.datasets[0].tables[0].bytes = Bytes(2 << 30);
    bench::states::say(record, "join_buffer_size", Some("262144"));
    record.host.memory = Bytes(8 << 30);
    for cell in &mut record.plan.cells {
        let pool = cell.axes.get(POOL).cloned().unwrap_or(Value::from(1024 * MIB));
        cell.server.settings.insert("buffer_pool".into(), pool);
    }
}

fn reading() -> Record {
    let mut record = experiment(&[("users", &[1.into()])]);
    large(&mut record);
    count(&mut record, |_| FROM_DISK);
    record
}

#[test]
fn an_unchanged_healthy_record_has_no_findings() {
    assert_eq!(judge(&record()).findings, []);
    let mut healthy = experiment(&[("users", &[1.into(), 8.into()])]);
    count(&mut healthy, |_| IN_MEMORY);
    assert_eq!(judge(&healthy).findings, []);
}

#[test]
fn the_account_of_an_operation_covers_it_once() {
    let mut record = experiment(&[("users", &[1.into(), 8.into()])]);
    count(&mut record, |c| if c.load.users.0 == 1 { IN_MEMORY } else { FROM_DISK });
    let cells = judge(&record).cells;
    let account = cells[0].account.as_ref().unwrap();
    let share = |name: &str| account.terms.iter().find(|t| t.name == name).unwrap().us / account.operation_us;
    assert!((share("client and way") - 0.35).abs() < 0.01 && (share("server CPU") - 0.6).abs() < 0.01, "{account:?}");
    assert!((account.rest_us / account.operation_us - 0.05).abs() < 0.01, "{account:?}");
    let growth = cells[1].account.as_ref().unwrap().growth.as_ref().unwrap();
    assert_eq!((growth.since.0.as_str(), growth.terms[0].0.as_str()), ("c001", "files"));
    assert!((growth.terms[0].1 / growth.operation_us - 880.0 / 900.0).abs() < 0.02, "{growth:?}");
}

#[test]
fn reads_that_take_most_of_the_time_are_sufficient_and_a_cold_cache_is_not_them() {
    let sure = found(&reading(), "reads_from_disk").unwrap();
    assert_eq!(sure.rung, Rung::QuantitativelySufficient, "{}", sure.sentence);
    assert!((sure.share.unwrap() - 0.88).abs() < 0.01, "{sure:?}");
    assert!(sure.rival.is_some_and(|r| !r.undecided && r.name == "server CPU"));
    let mut cold = reading();
    cold.datasets[0].tables[0].bytes = Bytes(1 << 20);
    assert_eq!(found(&cold, "reads_from_disk"), None);
    let mut untimed = reading();
    for run in &mut untimed.runs {
        run.phases[0].counters.retain(|name, _| !name.starts_with("foreground"));
    }
    assert_eq!(found(&untimed, "reads_from_disk").unwrap().rung, Rung::ConsistentWith);
}

#[test]
fn two_explanations_of_the_same_size_are_undecided() {
    let mut record = reading();
    count(&mut record, |_| Counts { operation: 1_000.0, cpu: 480.0, files: 500.0, inside: 990.0, reads: 1.0 });
    let found = found(&record, "reads_from_disk").unwrap();
    assert_eq!(found.rung, Rung::ConsistentWith);
    let rival = found.rival.unwrap();
    assert!(
        rival.undecided && rival.sentence.starts_with("Undecided between reads_from_disk and server CPU"),
        "{rival:?}"
    );
}

#[test]
fn an_account_that_does_not_close_is_not_sufficient() {
    let mut record = reading();
    // Files and CPU together more than the operation: something is counted twice.
    count(&mut record, |_| Counts { operation: 1_000.0, cpu: 400.0, files: 880.0, inside: 990.0, reads: 1.0 });
    assert_eq!(found(&record, "reads_from_disk").unwrap().rung, Rung::ConsistentWith);
}

#[test]
fn a_dose_that_moves_with_the_time_at_the_same_rate_is_a_response() {
    let pools: Vec<Value> = [64, 128, 256, 512, 1024].iter().map(|mib| (mib * MIB).into()).collect();
    let mut record = experiment(&[(POOL, &pools)]);
    large(&mut record);
    let reads = |c: &Cell| (11.0 - (c.axes[POOL].number().unwrap() / MIB as f64).log2()) / 5.0;
    let load = |cell: &mut Cell, open: bool| {
        cell.load.arrivals = open.then(|| model::load::Arrivals {
            rate: model::rate::Rate::parse("1000, 1000 at 1s").unwrap(),
            process: model::load::Process::Constant,
        });
    };
    for open in [true, false] {
        record.plan.cells.iter_mut().for_each(|c| load(c, open));
        count(&mut record, |c| Counts {
            operation: 400.0 + 500.0 * reads(c),
            cpu: 390.0,
            files: 500.0 * reads(c),
            inside: 395.0 + 500.0 * reads(c),
            reads: reads(c),
        });
        // Two of the five have as much CPU as reads, and none has 70 % of them.
        let found = found(&record, "reads_from_disk").unwrap();
        let moves = found.sentence.contains("moves with the time of an operation (rank correlation 1.00)");
        assert_eq!(moves, open, "a closed load moves everything with the rate: {}", found.sentence);
    }
}

/// The intervention's record: the pool larger, the placebo doubled.
fn intervened(cured: Counts, placebo: f64) -> Record {
    let axes: [(&str, &[Value]); 2] = [
        (POOL, &[Value::from(1024 * MIB), Value::from(4096 * MIB)]),
        (PLACEBO, &[Value::from(262_144), Value::from(524_288)]),
    ];
    let mut record = experiment(&axes);
    large(&mut record);
    record.plan.intervention = Some(Intervention {
        of: "small".into(),
        finding: "reads_from_disk".into(),
        removes: POOL.into(),
        placebo: PLACEBO.into(),
    });
    count(&mut record, |c| {
        let Counts { operation, cpu, files, inside, reads } =
            if c.axes[POOL].count() == Some(4096 * MIB) { Counts { ..cured } } else { FROM_DISK };
        let times = if c.axes[PLACEBO].count() == Some(524_288) { placebo } else { 1.0 };
        Counts { operation: operation * times, cpu: cpu * times, files: files * times, inside: inside * times, reads }
    });
    record
}

#[test]
fn an_intervention_confirms_what_it_cures_and_refutes_what_it_does_not() {
    let confirmed = found(&intervened(IN_MEMORY, 1.0), "reads_from_disk").unwrap();
    assert_eq!(confirmed.rung, Rung::ConfirmedByIntervention, "{}", confirmed.sentence);
    assert!(confirmed.sentence.contains("`settings.buffer_pool = 4 GiB`"), "{}", confirmed.sentence);
    assert_eq!((confirmed.rival, confirmed.next_experiment), (None, None), "nothing is left to ask");
    let refuted = found(&intervened(FROM_DISK, 1.0), "reads_from_disk").unwrap();
    assert_eq!(refuted.rung, Rung::Unexplained, "{}", refuted.sentence);
    assert!(refuted.sentence.contains("That is not the cause."), "{}", refuted.sentence);
}

#[test]
fn a_placebo_that_works_as_well_and_an_indicator_that_stays_confirm_nothing() {
    let placebo = found(&intervened(IN_MEMORY, 0.5), "reads_from_disk").unwrap();
    assert!(placebo.rung < Rung::ConfirmedByIntervention, "{}", placebo.sentence);
    assert!(placebo.sentence.contains("changes the time as well"), "{}", placebo.sentence);
    let stays = found(&intervened(Counts { reads: 1.0, ..IN_MEMORY }, 1.0), "reads_from_disk").unwrap();
    assert!(stays.rung < Rung::ConfirmedByIntervention, "{}", stays.sentence);
}

#[test]
fn a_placebo_whose_effect_nobody_knows_confirms_nothing() {
    // Of three blocks one is slower with it, one faster, one as before.
    let mut record = intervened(IN_MEMORY, 1.0);
    let mut runs = Vec::new();
    for (repetition, times) in [(1, 0.5), (2, 1.0), (3, 1.5)] {
        let mut block = intervened(IN_MEMORY, times);
        block.runs.retain(|run| run.repetition == repetition);
        runs.append(&mut block.runs);
    }
    record.runs = runs;
    record.plan.limits.insert("spread_fail".into(), 9.0);
    let noisy = found(&record, "reads_from_disk").unwrap();
    assert!(noisy.rung < Rung::ConfirmedByIntervention, "{}", noisy.sentence);
    assert!(noisy.sentence.contains("may change as much, for all these repetitions say"), "{}", noisy.sentence);
}

#[test]
fn an_intervention_against_what_is_not_there_says_so() {
    let mut record = intervened(IN_MEMORY, 1.0);
    count(&mut record, |_| IN_MEMORY);
    let absent = found(&record, "reads_from_disk").unwrap();
    assert_eq!(absent.rung, Rung::Unexplained);
    assert!(absent.sentence.contains("is not there"), "{}", absent.sentence);
}

const PARAMETERS: &[Parameter] = &[data("charset", "").text("latin1"), work("range_size", "").count(100, [1, 1_000])];

fn words() -> Words {
    let workload = WorkloadWords {
        name: "oltp.point_selects".into(),
        why: "",
        writes: false,
        protocols: &[Protocol::MySql],
        parameters: Parameter::ours(PARAMETERS),
        operations: &["point_selects"],
        footprint: |_| Footprint::default(),
        grows: None,
    };
    Words { workloads: vec![workload], ..Words::default() }
}

/// What the experiment that is proposed plans.
fn planned(record: &Record, text: &str) -> Plan {
    let experiment = Experiment::parse("next", text, None, &[], &words()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let mut host = record.host.clone();
    host.builds = vec![model::host::InstalledBuild {
        name: record.plan.cells[0].server.build.clone(),
        kind: "mariadb".into(),
        version: model::host::Version(10, 11, 19),
        binary: String::new(),
        basedir: String::new(),
        engines: vec!["InnoDB".into(), "rocksdb".into()],
    }];
    Plan::of(&experiment, &host, &words()).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

#[test]
fn the_placebo_is_of_the_subsystem_on_which_the_change_acts() {
    let placebo_of = |record: &Record| found(record, "reads_from_disk").unwrap().next_experiment.unwrap();
    let unknown = placebo_of(&reading());
    assert!(unknown.contains("placebo = \"native.join_buffer_size\""), "{unknown}");
    let mut record = reading();
    bench::states::say(&mut record, "innodb_sort_buffer_size", Some("1048576"));
    let of_innodb = placebo_of(&record);
    assert!(of_innodb.contains("placebo = \"native.innodb_sort_buffer_size\""), "{of_innodb}");
    assert!(of_innodb.contains("native.innodb_sort_buffer_size = [1048576, 2097152]"), "{of_innodb}");
}

#[test]
fn the_next_experiments_arm_as_it_was_is_the_cell() {
    let record = reading();
    let text = found(&record, "reads_from_disk").unwrap().next_experiment.unwrap();
    let plan = planned(&record, &text);
    let asked = plan.intervention.as_ref().unwrap();
    assert_eq!((asked.removes.as_str(), asked.placebo.as_str()), (POOL, PLACEBO));
    assert_eq!(plan.axes[1], Axis { key: POOL.into(), values: vec![(1024 * MIB).into(), (3072 * MIB).into()] });
    let (then, now) = (&record.plan.cells[0], &plan.cells[0]);
    assert_eq!((&now.workload, &now.parameters, &now.load), (&then.workload, &then.parameters, &then.load));
    assert_eq!(now.phases.len(), 1);
    assert_eq!(now.phases[0].until, then.phases[0].until);
    assert_eq!(now.server.settings["buffer_pool"], then.server.settings["buffer_pool"]);
}

/// Another value of one key of all cells; `None` of what a proposal cannot say, and so is none.
fn with_another(key: &str) -> Option<Record> {
    let mut record = reading();
    for cell in &mut record.plan.cells {
        let (load, server) = (&mut cell.load, &mut cell.server);
        match key {
            "build" => server.build = "another".into(),
            "engine" => server.engine = "rocksdb".into(),
            "profile" => server.profile = "default".into(),
            "topology" => server.topology = Topology::Galera { nodes: 3 },
            "cpus" => server.cpus = Some("0-1".into()),
            "memory" => server.memory = Some("node 0".into()),
            "load_cpus" => server.load_cpus = Some("2-3".into()),
            "users" => load.users = Users(load.users.0 + 3),
            "rate" | "arrivals" => {
                let rate = if key == "rate" { "250, 500 at 30s, 800.5 by 60s" } else { "250.5" };
                load.arrivals = Some(Arrivals { rate: Rate::parse(rate).unwrap(), process: Process::Constant })
            }
            "think" | "think_distribution" => {
                let (mean, distribution) = (Nanos::from_millis(5), Distribution::Exponential);
                let (by_operation, keying) = Default::default();
                load.pause = Some(Pause::Think { mean, distribution, by_operation, keying });
            }
            "pace" => load.pause = Some(Pause::Pace { every: Nanos::from_millis(5) }),
            "transport" => load.transport = Some(Transport::Tcp),
            "io" => load.io = Io::Epoll,
            "deadline" => load.deadline = Nanos::from_secs(7),
            "reconnect_every" => load.reconnect_every = Some(5),
            "drain" => load.drain = Some(Nanos::from_secs(9)),
            "sampling" => load.sampling = false,
            "warm_up" | "measure" => {
                let phase = |name, kind, n| Phase::new(name, kind, Until::Time(Nanos::from_secs(n)));
                cell.phases = vec![phase("warm-up", PhaseKind::WarmUp, 2), phase("measure", PhaseKind::Measure, 3)];
            }
            "errors.back_off" => load.errors.back_off = Nanos::from_millis(20),
            "errors.stop" => load.errors.stop = [1040, 1999].into(),
            "on" => return None,
            search if search.starts_with("search.") => return None,
            other => panic!("how does a cell have another `{other}`, and does a proposal say it?"),
        }
    }
    Some(record)
}

#[test]
fn a_proposal_says_again_whatever_a_server_and_a_load_may_say() {
    let of_cells = |key: &&Key| ["server", "load"].contains(&key.section) && key.scope == Scope::Cell;
    let keys = KEYS.iter().filter(of_cells);
    for (key, record) in keys.filter_map(|key| Some((key.name, with_another(key.name)?))) {
        let evidence = Evidence::of(&record, &NoDetails);
        let cell = &evidence.cells[0];
        let larger = Change::setting(cell, "buffer_pool", 3072 * MIB);
        let text = next::experiment(cell, "reads_from_disk", larger).unwrap_or_else(|| panic!("no proposal: {key}"));
        let (then, now) = (&record.plan.cells[0], &planned(&record, &text).cells[0]);
        assert_eq!((&now.load, &now.phases), (&then.load, &then.phases), "{key}: {text}");
        let server = |cell: &Cell| {
            let keys = KEYS.iter().filter(|key| key.section == "server");
            keys.map(|key| cell.asked(key)).collect::<Vec<_>>()
        };
        assert_eq!(server(now), server(then), "{key}: {text}");
    }
}
