//! A small healthy record for tests to spoil: cells from axes, three repetitions of one second each, all counters in
//! place. It is built from what a server of that speed would show, so that every check passes until a test takes
//! something away.
#![allow(dead_code)] // each test file uses its part

pub mod levels;
pub mod states;

use model::errors::Errors;
use model::estimate::Comparison;
use model::experiment::Axis;
use model::functions::Spent;
use model::histogram::Histogram;
use model::host::{Host, Version};
use model::judgement::Judgement;
use model::load::{Io, Load, Phase, PhaseKind, Until};
use model::plan::{Cell, CellId, Cost, Plan, PlannedRun, RunId, Server};
use model::protocol::Protocol;
use model::record::answer::{Answered, DatasetRecord, InstanceRecord, SessionAnswer, StatementPlan, TableAnswer};
use model::record::around::{Around, Pulse};
use model::record::canary::{Canary, CanaryPoint};
use model::record::gaps::Gaps;
use model::record::run::{Ending, Ends, GroupRecord, PhaseRecord, RunRecord, WholeRun};
use model::record::series::Series;
use model::record::start::{Prepared, StartingState};
use model::record::tally::{Interval, OperationTally, StatementTally, Tally};
use model::record::way::{Trips, Way};
use model::record::{Details, Record};
use model::seed::Seed;
use model::units::{Bytes, Nanos, Share, Users};
use model::value::Value;
use model::verdict::{Status, Verdict};
use std::collections::BTreeMap;

pub const REPETITIONS: u32 = 3;
pub const QPS: f64 = 20_000.0;
const SECOND: f64 = 1e9;
/// When a phase begins.
const BEGIN: Nanos = Nanos::from_secs(1);

pub struct NoDetails;

impl Details for NoDetails {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        Vec::new()
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
}

pub fn judge(record: &Record) -> Judgement {
    judge::judge(record, &NoDetails)
}

/// Cells side by side on their rates.
pub fn rates(judgement: &Judgement) -> Vec<&Comparison> {
    judgement.comparisons.iter().filter(|c| c.is_of_a_rate()).collect()
}

/// The worst verdict of a check, wherever it was given; the first of equals.
pub fn verdict(record: &Record, check: &str) -> Verdict {
    let judgement = judge(record);
    let all = judgement.verdicts.iter().chain(judgement.cells.iter().flat_map(|c| &c.verdicts));
    let worst = all.filter(|v| v.check == check).reduce(|worst, v| if v.verdict > worst.verdict { v } else { worst });
    worst.unwrap_or_else(|| panic!("no verdict of {check}")).clone()
}

pub fn status(record: &Record, check: &str) -> Status {
    verdict(record, check).verdict
}

/// Two charsets at one and eight users.
pub fn record() -> Record {
    experiment(&[("charset", &["latin1".into(), "utf8mb4-generic".into()]), ("users", &[1.into(), 8.into()])])
}

pub fn experiment(axes: &[(&str, &[Value])]) -> Record {
    let mut combinations: Vec<BTreeMap<String, Value>> = vec![BTreeMap::new()];
    for (key, values) in axes {
        let with = |c: &BTreeMap<String, Value>, v: &Value| {
            c.clone().into_iter().chain([((*key).to_string(), v.clone())]).collect()
        };
        combinations =
            combinations.iter().flat_map(|c| values.iter().map(|v| with(c, v)).collect::<Vec<_>>()).collect();
    }
    let cells: Vec<Cell> = combinations.into_iter().enumerate().map(|(i, axes)| cell(i, axes)).collect();
    let axes = axes.iter().map(|(key, values)| Axis { key: (*key).into(), values: values.to_vec() }).collect();
    let runs: Vec<RunRecord> = (1..=REPETITIONS).flat_map(|n| cells.iter().map(move |c| run(c, n))).collect();
    let planned = |r: &RunRecord| PlannedRun {
        id: r.id.clone(),
        cell: r.cell.clone(),
        repetition: r.repetition,
        block: r.block,
        seed: r.seed,
        explain: false,
        profile: None,
        spent: Spent::OnCpu,
    };
    let plan = Plan {
        schema: 1,
        name: "small".into(),
        question: "Does it hold?".into(),
        scale: None,
        sets: Vec::new(),
        seed: Seed(1),
        axes,
        intervention: None,
        runs: runs.iter().map(planned).collect(),
        cells,
        skipped: Vec::new(),
        cost: Cost::default(),
        warnings: Vec::new(),
        limits: BTreeMap::new(),
        until: None,
        interleaved: false,
    };
    let host = Host {
        cpus: vec![0, 1, 2, 3],
        sockets: [(0, vec![0, 1, 2, 3])].into(),
        nodes: vec![0],
        memory: Bytes(8 << 30),
        clock_source: Some("tsc".into()),
        clock_step: Some(Nanos(10)),
        clock_cost: Some(Nanos(25)),
        ..Host::default()
    };
    Record {
        experiment: String::new(),
        plan,
        host,
        canary: Some(canary()),
        events: Vec::new(),
        instances: vec![instance("i1")],
        datasets: vec![dataset()],
        runs,
        states: states::healthy(),
    }
}

fn cell(index: usize, axes: BTreeMap<String, Value>) -> Cell {
    let text = |key: &str, default: &str| axes.get(key).and_then(Value::text).unwrap_or(default).to_string();
    let users = axes.get("users").and_then(Value::count).unwrap_or(8);
    let mut parameters: BTreeMap<String, Value> =
        [("charset".to_string(), Value::from("latin1")), ("range_size".to_string(), 100.into())].into();
    for (key, value) in &axes {
        if parameters.contains_key(key) {
            parameters.insert(key.clone(), value.clone());
        }
    }
    Cell {
        id: CellId(format!("c{:03}", index + 1)),
        repeats: None,
        server: Server {
            build: text("build", "mariadb-10.11"),
            on: None,
            topology: Default::default(),
            engine: "innodb".into(),
            profile: "durable".into(),
            settings: BTreeMap::new(),
            native: BTreeMap::new(),
            tcp: false,
            cpus: None,
            load_cpus: None,
            memory: None,
        },
        workload: text("workload", "oltp.point_selects"),
        protocols: [Protocol::MySql].into(),
        parameters,
        load: Load {
            transport: Some(model::load::Transport::Unix),
            users: Users(users as u32),
            arrivals: None,
            pause: None,
            io: Io::Auto,
            deadline: Nanos::from_secs(10),
            reconnect_every: None,
            errors: Errors::default(),
            drain: None,
            sampling: true,
        },
        search: None,
        groups: Vec::new(),
        phases: vec![Phase::new("measure", PhaseKind::Measure, Until::Time(Nanos::from_secs(1)))],
        axes,
    }
}

/// Repetitions differ by half a per cent.
fn run(cell: &Cell, repetition: u32) -> RunRecord {
    let rate = QPS * (1.0 + 0.005 * (f64::from(repetition) - 2.0));
    let mut run = RunRecord {
        schema: 1,
        id: RunId(format!("{}-{repetition}", cell.id)),
        cell: cell.id.clone(),
        repetition,
        block: repetition,
        position: 0,
        seed: Seed(1),
        trial: None,
        explain: None,
        profile: None,
        ending: Ending::Done,
        started_unix_ms: 0,
        ended_unix_ms: 2_000,
        instance: Some("i1".into()),
        dataset: Some("d1".into()),
        more_datasets: Vec::new(),
        io: "epoll".into(),
        workers: 2,
        load_cpus: vec![2, 3],
        session: session(),
        more_sessions: Default::default(),
        start: Some(start()),
        states: Some(states::quiet()),
        around: Some(around()),
        phases: vec![PhaseRecord {
            name: "measure".into(),
            kind: PhaseKind::Measure,
            disturb: None,
            disturbance: None,
            settled: None,
            from: BEGIN,
            to: Nanos(BEGIN.0 + 1_000_000_000),
            groups: [(
                "users".to_string(),
                GroupRecord { users: cell.load.users.0, workload: cell.workload.clone(), tally: Tally::default() },
            )]
            .into(),
            counters: BTreeMap::new(),
        }],
        ranks: Vec::new(),
        audits: Vec::new(),
        whole: WholeRun::default(),
    };
    set_rate(&mut run, rate);
    run
}

/// Makes all of a run's tallies and counters those of a server that answers so many statements per second.
pub fn set_rate(run: &mut RunRecord, qps: f64) {
    let phase = &mut run.phases[0];
    let group = phase.groups.get_mut("users").unwrap();
    let latency = Nanos((f64::from(group.users) * SECOND / qps) as u64);
    let calls = qps.round() as u64;
    let mut histogram = Histogram::new();
    histogram.record_many(latency, calls);
    let operation = OperationTally { done: calls, latency: histogram.clone(), ..OperationTally::default() };
    let statement =
        StatementTally { calls, rows: calls, bytes: 200 * calls, service: histogram, ..StatementTally::default() };
    group.tally.operations = [("point_selects".to_string(), operation)].into();
    group.tally.gaps = Some(Gaps::default());
    group.tally.statements = [("point_selects".to_string(), statement)].into();
    phase.counters = [
        ("client.cpu.user", 0.3 * SECOND),
        ("client.cpu.system", 0.3 * SECOND),
        ("client.cpu.process", 0.65 * SECOND),
        ("client.cpu.busiest_worker", 0.31 * SECOND),
        ("client.runqueue.wait", 0.001 * SECOND),
        ("server.cpu.user", 1.2 * SECOND),
        ("server.cpu.system", 0.4 * SECOND),
        ("server.stops", 0.0),
        ("server.stopped", 0.0),
        ("server.throttled", 0.0),
        ("client.throttled", 0.0),
        ("server.switches.voluntary", qps),
        ("server.switches.involuntary", 0.0),
        ("host.cpu.total", 4.0 * SECOND),
        ("host.cpu.idle", 1.74 * SECOND),
        ("host.cpu.iowait", 0.0),
        ("host.cpu.steal", 0.0),
        ("db.page_reads", 0.0),
        ("db.selects", qps),
        ("db.handler_reads", qps),
        ("db.redo_written", 0.0),
        ("db.history_list_length", 0.0),
        ("host.clock.monotonic", SECOND),
        ("host.clock.raw", SECOND),
        ("host.swap.in", 0.0),
        ("server.faults.major", 0.0),
        ("host.disk.read_bytes", 0.0),
        ("host.disk.write_bytes", 1e6),
        ("server.io.read_bytes", 0.0),
        ("server.io.write_bytes", 1e6),
        ("sampler.cpu", 0.002 * SECOND),
        ("sampler.statements", 3.0),
    ]
    .into_iter()
    .map(|(name, delta)| (name.to_string(), ends(delta)))
    .collect();
    let questions = calls + 500;
    // What a server counts goes on from run to run.
    let read = Ends { begin: 1e9 * f64::from(run.position), end: 1e9 * f64::from(run.position) + qps, ..ends(0.0) };
    let mut timers = Histogram::new();
    timers.record_many(Nanos(60_000), 100);
    run.whole = WholeRun {
        questions,
        warnings: Some(0),
        timer_error: Some(timers),
        counters: [
            ("status.Questions", questions as f64 + 10.0),
            ("sampler.statements", 10.0),
            ("status.Com_commit", 0.0),
        ]
        .into_iter()
        .map(|(name, delta)| (name.to_string(), ends(delta)))
        .chain([("status.Handler_read_key".to_string(), read)])
        .collect(),
        ..WholeRun::default()
    };
}

pub fn ends(delta: f64) -> Ends {
    Ends { begin: 1_000.0, end: 1_000.0 + delta, begin_at: BEGIN, end_at: Nanos(BEGIN.0 + 1_000_000_000) }
}

pub fn counter(run: &mut RunRecord, name: &str, delta: f64) {
    run.phases[0].counters.insert(name.into(), ends(delta));
}

/// As if it had not been measured.
pub fn forget(run: &mut RunRecord, name: &str) {
    run.phases[0].counters.remove(name);
}

pub fn tally(run: &mut RunRecord) -> &mut Tally {
    &mut run.phases[0].groups.get_mut("users").unwrap().tally
}

pub fn operation(run: &mut RunRecord) -> &mut OperationTally {
    tally(run).operations.get_mut("point_selects").unwrap()
}

pub fn statement(run: &mut RunRecord) -> &mut StatementTally {
    tally(run).statements.get_mut("point_selects").unwrap()
}

/// Every run of one cell.
pub fn of_cell<'a>(record: &'a mut Record, cell: &'a str) -> impl Iterator<Item = &'a mut RunRecord> {
    record.runs.iter_mut().filter(move |r| r.cell.0 == cell)
}

pub fn instance(key: &str) -> InstanceRecord {
    InstanceRecord {
        key: key.into(),
        wanted: cell(0, BTreeMap::new()).server,
        kind: "mariadb".into(),
        version: Version(10, 11, 19),
        version_text: "10.11.19-MariaDB".into(),
        version_comment: String::new(),
        binary_sha256: None,
        build_id: None,
        source_commit: None,
        option_file: String::new(),
        variables: [("innodb_buffer_pool_size", "1073741824"), ("sync_binlog", "0"), ("port", "3306")]
            .into_iter()
            .map(|(k, v)| (k.to_string(), v.to_string()))
            .collect(),
        engines: vec!["InnoDB".into()],
        cpus: vec![0, 1],
        place: None,
        complaints: Vec::new(),
        not_applicable: Vec::new(),
        start_time: Nanos::from_secs(1),
    }
}

fn dataset() -> DatasetRecord {
    let table = TableAnswer {
        name: "sbtest1".into(),
        submitted: "CREATE TABLE sbtest1 (id INTEGER NOT NULL, k INTEGER NULL, PRIMARY KEY (id)) ENGINE=innodb".into(),
        created: "CREATE TABLE `sbtest1` (\n  `id` int(11) NOT NULL,\n  `k` int(11) DEFAULT NULL,\n  PRIMARY KEY (`id`)\n) ENGINE=InnoDB DEFAULT CHARSET=latin1".into(),
        warnings: Vec::new(),
        rows: 10_000,
        rows_wanted: 10_000,
        bytes: Bytes(4 << 20),
    };
    DatasetRecord {
        key: "d1".into(),
        instance: "i1".into(),
        schema: "assay".into(),
        family: "oltp".into(),
        parameters: BTreeMap::new(),
        tables: vec![table],
        load_time: None,
        snapshot: None,
        rows: 10_000,
        rows_checked: 100,
        rows_wrong: 0,
    }
}

fn canary() -> Canary {
    let point = |users, qps| CanaryPoint { users, qps, client_cpu_us: 2.0, latency_us_p50: 10.0 };
    Canary {
        machine: "small".into(),
        io: "epoll".into(),
        points: vec![point(1, 60_000.0), point(64, 400_000.0)],
        unix_ms: 0,
        others: None,
        reaches: Vec::new(),
        choice: None,
    }
}

pub fn start() -> StartingState {
    StartingState {
        datasets: [("oltp_1".to_string(), "ab".to_string())].into(),
        prepared: Prepared::Snapshot,
        runs_before: 0,
        aged: false,
        restored: None,
        bytes: Bytes(4 << 20),
        leaf_pages: Some(200),
        history: Some(0),
        checkpoint_age: Some(Bytes(0)),
        pool_pages: Some((250, 8_000)),
    }
}

/// A healthy record, spoilt.
pub fn spoilt(spoil: impl FnOnce(&mut Record)) -> Record {
    let mut record = record();
    spoil(&mut record);
    record
}

/// The same with every run spoilt.
pub fn all_runs(spoil: impl Fn(&mut RunRecord)) -> Record {
    spoilt(|r| r.runs.iter_mut().for_each(spoil))
}

/// How the one statement was carried out, and what it answered.
pub fn session() -> SessionAnswer {
    let plan = StatementPlan {
        statement: "point_selects".into(),
        sql: "SELECT c FROM sbtest1 WHERE id=7".into(),
        explain: EXPLAIN.into(),
        handlers: [("Handler_read_key".to_string(), 1)].into(),
        rows: 1,
        other_explains: Vec::new(),
        answers: vec![Answered { asked: "a1".into(), answer: "b1".into() }],
    };
    SessionAnswer {
        transport: "unix plain".into(),
        plans: vec![plan],
        plans_after: Some(BTreeMap::new()),
        ..SessionAnswer::default()
    }
}

pub const EXPLAIN: &str =
    r#"{"query_block": {"table": {"table_name": "sbtest1", "access_type": "const", "key": "PRIMARY", "rows": 1}}}"#;

/// With a floor of so many microseconds at both ends.
pub fn way(micros: u64) -> Way {
    let [quarter, median, p95] = [micros, micros + 5, 2 * micros].map(|us| Nanos(us * 1_000));
    let trips = Trips { requests: 200, quarter, median, p95, connect: Nanos::from_millis(2) };
    Way { request: "SELECT 1".into(), before: Some(trips), after: Some(trips), failed: None }
}

pub fn around() -> Around {
    let pulse = Pulse { integer_per_s: 1e9, memory_bytes_per_s: 8e9 };
    Around { pulses: Some([pulse, pulse]), disk_free: Some(Share(0.5)), way: Some(way(40)), ..Around::default() }
}
