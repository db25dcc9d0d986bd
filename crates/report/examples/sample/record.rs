//! A made-up record: what seed 0 would leave behind on a small machine. Rates follow a plain model (a cost per
//! statement, shared CPUs, a collation that makes sorting dearer), noise comes from the seed, so it is the same each
//! time.

use model::errors::Errors;
use model::experiment::Axis;
use model::functions::Spent;
use model::host::{Host, InstalledBuild, Version};
use model::load::{Io, Load, Phase, PhaseKind, Transport, Until};
use model::plan::{Cell, CellId, Cost, PLAN_SCHEMA, Plan, PlannedRun, RunId, Server, Skipped};
use model::protocol::Protocol;
use model::record::answer::{DatasetRecord, InstanceRecord, SessionAnswer, StatementPlan, TableAnswer};
use model::record::canary::{Canary, CanaryPoint};
use model::record::counters;
use model::record::event::{Event, EventKind};
use model::record::run::{Ending, Ends, GroupRecord, PhaseRecord, RunRecord, WholeRun};
use model::record::series::{Metric, Series, Shape, Unit};
use model::record::tally::{Interval, OperationTally, StatementTally, Tally};
use model::record::{Details, RECORD_SCHEMA, Record};
use model::seed::Seed;
use model::units::{Bytes, Nanos, Users};
use model::value::Value;
use std::collections::BTreeMap;

/// 2026-11-21 10:00 UTC.
const BEGIN: u64 = 1_795_255_200_000;
const SECONDS: u64 = 3;
/// One run after another, with a pause for connecting and settling.
const RUN_MS: u64 = SECONDS * 1000 + 1600;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Two workloads, two charsets, two user levels: small enough for a golden file.
    #[allow(dead_code, reason = "each of the example and the tests uses one of the two")]
    Golden,
    #[allow(dead_code, reason = "each of the example and the tests uses one of the two")]
    Study,
}

pub fn of(size: Size) -> (Record, Shown) {
    let plan = plan(size);
    let runs: Vec<RunRecord> = plan.runs.iter().enumerate().map(|(i, r)| run(&plan, r, i as u64)).collect();
    let events = events(&runs);
    let shown = Shown { plan: plan.clone() };
    let charsets: Vec<&Value> = plan.axes[2].values.iter().collect();
    let record = Record {
        experiment: EXPERIMENT.to_string(),
        host: host(),
        canary: Some(canary()),
        events,
        instances: vec![instance()],
        datasets: charsets.iter().filter_map(|c| c.text()).filter(|c| *c != "utf8mb4-0900").map(dataset).collect(),
        states: Default::default(),
        runs,
        plan,
    };
    (record, shown)
}

const EXPERIMENT: &str = r#"question = "What do charset, collation and range size cost on read-only work, as users grow?"

[axes]
workload   = ["oltp.mixed", "oltp.point_selects", "oltp.simple_ranges", "oltp.ordered_ranges", "oltp.distinct_ranges"]
range_size = [10, 100]
charset    = ["latin1", "utf8mb4-generic", "utf8mb4-unicode", "utf8mb4-0900"]
users      = [1, 4, 16, 64]

[server]
build   = "distribution"
profile = "durable"

[repeat]
repetitions = 3
"#;

fn plan(size: Size) -> Plan {
    let golden = size == Size::Golden;
    let texts = |all: &[&str]| all.iter().map(|s| Value::from(*s)).collect::<Vec<_>>();
    let counts = |all: &[i64]| all.iter().map(|n| Value::from(*n)).collect::<Vec<_>>();
    let workloads: &[&str] =
        &["oltp.mixed", "oltp.point_selects", "oltp.simple_ranges", "oltp.ordered_ranges", "oltp.distinct_ranges"];
    let axes = vec![
        Axis { key: "workload".into(), values: texts(if golden { &workloads[1..3] } else { workloads }) },
        Axis { key: "range_size".into(), values: counts(&[10, 100]) },
        Axis {
            key: "charset".into(),
            values: texts(if golden {
                &["latin1", "utf8mb4-unicode"]
            } else {
                &["latin1", "utf8mb4-generic", "utf8mb4-unicode", "utf8mb4-0900"]
            }),
        },
        Axis { key: "users".into(), values: counts(if golden { &[1, 16] } else { &[1, 4, 16, 64] }) },
    ];
    let cells = cells(&axes);
    let repetitions = if golden { 2 } else { 3 };
    Plan {
        schema: PLAN_SCHEMA,
        name: "read-only-charsets".into(),
        question: "What do charset, collation and range size cost on read-only work, as users grow?".into(),
        scale: Some("smoke".into()),
        sets: vec!["load.measure=20s".into(), "axes.users=[1, 16]".into(), "server.build=\"mariadb-10.11\"".into()],
        seed: Seed(20_171_119),
        runs: (1..=repetitions).flat_map(|block| block_of(&cells, block)).collect(),
        skipped: vec![Skipped {
            axes: BTreeMap::from([("charset".into(), "utf8mb4-0900".into())]),
            reason: "mariadb 10.11 has no collation utf8mb4_0900_ai_ci".into(),
        }],
        cells,
        axes,
        intervention: None,
        cost: Cost { time: Nanos::from_secs(240), disk: Bytes(1 << 30), rows: 300_000 },
        warnings: Vec::new(),
        limits: BTreeMap::new(),
        until: None,
        interleaved: false,
    }
}

fn cells(axes: &[Axis]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for workload in &axes[0].values {
        let ranges: Vec<Option<&Value>> = if workload.text() == Some("oltp.point_selects") {
            vec![None]
        } else {
            axes[1].values.iter().map(Some).collect()
        };
        for range in ranges {
            for charset in axes[2].values.iter().filter(|c| c.text() != Some("utf8mb4-0900")) {
                for users in &axes[3].values {
                    let mut at = BTreeMap::from([
                        ("workload".to_string(), workload.clone()),
                        ("charset".into(), charset.clone()),
                        ("users".into(), users.clone()),
                    ]);
                    at.extend(range.map(|r| ("range_size".to_string(), r.clone())));
                    cells.push(cell(format!("c{:03}", cells.len() + 1), at));
                }
            }
        }
    }
    // The second arm of an A/A pair, as every experiment that compares has one.
    let mut again = cells[0].clone();
    again.id = CellId(format!("c{:03}", cells.len() + 1));
    again.repeats = Some(cells[0].id.clone());
    cells.push(again);
    cells
}

fn cell(id: String, axes: BTreeMap<String, Value>) -> Cell {
    Cell {
        id: CellId(id),
        repeats: None,
        server: server(),
        workload: axes["workload"].to_string(),
        protocols: [Protocol::MySql].into(),
        parameters: axes
            .iter()
            .filter(|(k, _)| *k == "range_size" || *k == "charset")
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
        load: Load {
            transport: Some(Transport::Unix),
            users: Users(axes["users"].count().unwrap_or(1) as u32),
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
        phases: vec![Phase::new("measure", PhaseKind::Measure, Until::Time(Nanos::from_secs(SECONDS)))],
        axes,
    }
}

fn server() -> Server {
    Server {
        build: "distribution".into(),
        on: None,
        topology: Default::default(),
        engine: "innodb".into(),
        profile: "durable".into(),
        settings: BTreeMap::from([("buffer_pool".into(), Value::from(1 << 30)), ("binlog".into(), Value::from(false))]),
        native: BTreeMap::new(),
        tcp: false,
        cpus: None,
        load_cpus: None,
        memory: None,
    }
}

/// Every cell once, in an order drawn from the seed.
fn block_of(cells: &[Cell], block: u32) -> Vec<PlannedRun> {
    let seed = Seed(20_171_119).nth(u64::from(block));
    let mut runs: Vec<PlannedRun> = cells
        .iter()
        .map(|c| PlannedRun {
            id: RunId(format!("{}-{block}", c.id)),
            cell: c.id.clone(),
            repetition: block,
            block,
            seed: seed.child(&c.id.0),
            explain: false,
            profile: None,
            spent: Spent::OnCpu,
        })
        .collect();
    runs.sort_by_key(|r| r.seed);
    runs
}

/// A number between -1 and 1 that belongs to that name.
pub fn noise(name: &str) -> f64 {
    (Seed(7).child(name).0 % 2001) as f64 / 1000.0 - 1.0
}

/// Statements per second that the model gives a cell, before noise.
pub fn rate(cell: &Cell) -> f64 {
    let users = f64::from(cell.load.users.0);
    let range = cell.axes.get("range_size").and_then(Value::number).unwrap_or(1.0);
    let dearer = match cell.axes["charset"].text() {
        Some("utf8mb4-generic") => 1.35,
        Some("utf8mb4-unicode") => 2.1,
        Some(_) | None => 1.0,
    };
    let (cost_us, waits) = match cell.workload.as_str() {
        "oltp.mixed" => (60.0 + range * 0.35 * (1.0 + (dearer - 1.0) * 0.6), 0.0),
        "oltp.simple_ranges" => (58.0 + range * 0.35 * (1.0 + (dearer - 1.0) * 0.1), 0.0),
        "oltp.ordered_ranges" => (62.0 + range * 0.6 * dearer, 0.0),
        "oltp.distinct_ranges" => (95.0 + range * 0.75 * dearer, 0.018),
        _ => (42.0, 0.0),
    };
    let busy = users.min(1.9);
    busy * 1e6 / cost_us / (1.0 + 0.05 * users.log2()) / (1.0 + waits * users)
}

/// Quantiles that a histogram is made of.
const STEPS: u64 = 1000;

fn latency(cell: &Cell, rate: f64, count: u64, name: &str) -> model::histogram::Histogram {
    let mut histogram = model::histogram::Histogram::new();
    let middle = f64::from(cell.load.users.0) / rate * 1e9 * 0.82;
    for step in 0..STEPS {
        let q = (step as f64 + 0.5) / STEPS as f64;
        let spread = (q / (1.0 - q)).ln() * 0.28 + noise(&format!("{name}{step}")) * 0.02;
        histogram.record_many(Nanos((middle * spread.exp()) as u64), count * (step + 1) / STEPS - count * step / STEPS);
    }
    histogram.record_many(Nanos((middle * 14.0) as u64), 1 + count / 9000);
    histogram
}

fn tally(cell: &Cell, rate: f64, seconds: f64, name: &str) -> Tally {
    let calls = (rate * seconds) as u64;
    let operation =
        OperationTally { done: calls, latency: latency(cell, rate, calls, name), ..OperationTally::default() };
    let rows = cell.axes.get("range_size").and_then(Value::count).unwrap_or(1) as u64;
    let statement = |share: u64, rows: u64| StatementTally {
        calls: calls / share,
        rows: calls / share * rows,
        bytes: calls / share * rows * 190,
        service: latency(cell, rate, calls / share, name),
        ..StatementTally::default()
    };
    let short = cell.workload.trim_start_matches("oltp.");
    let statements = if short == "mixed" {
        BTreeMap::from([
            ("point_selects".to_string(), statement(2, 1)),
            ("distinct_ranges".to_string(), statement(2, rows)),
        ])
    } else {
        BTreeMap::from([(short.to_string(), statement(1, rows))])
    };
    Tally { operations: BTreeMap::from([(cell.workload.clone(), operation)]), statements, ..Tally::default() }
}

fn run(plan: &Plan, planned: &PlannedRun, position: u64) -> RunRecord {
    let cell = plan.cell(&planned.cell);
    let started = BEGIN + 9_000 + position * RUN_MS;
    let ending = ending(cell, planned);
    let done = ending == Ending::Done;
    let rate = rate(cell) * (1.0 + 0.012 * noise(&planned.id.0));
    let counters = BTreeMap::from([(
        "client.cpu.process".to_string(),
        Ends { begin: 0.0, end: 1e9, begin_at: Nanos(0), end_at: Nanos::from_secs(SECONDS) },
    )]);
    let group = GroupRecord {
        users: cell.load.users.0,
        workload: cell.workload.clone(),
        tally: tally(cell, rate, SECONDS as f64, &planned.id.0),
    };
    let phase = PhaseRecord {
        name: "measure".into(),
        kind: PhaseKind::Measure,
        disturb: None,
        disturbance: None,
        settled: None,
        from: Nanos(0),
        to: Nanos::from_secs(SECONDS),
        groups: BTreeMap::from([("users".into(), group)]),
        counters,
    };
    RunRecord {
        schema: RECORD_SCHEMA,
        id: planned.id.clone(),
        cell: cell.id.clone(),
        repetition: planned.repetition,
        block: planned.block,
        position: position as u32 + 1,
        seed: planned.seed,
        trial: None,
        explain: None,
        profile: None,
        ending,
        started_unix_ms: started,
        ended_unix_ms: started + if done { SECONDS * 1000 + 200 } else { 400 },
        instance: Some("i-4f1c".into()),
        dataset: Some(format!("d-{}", cell.axes["charset"])),
        more_datasets: Vec::new(),
        io: "io_uring".into(),
        workers: 1,
        load_cpus: vec![0, 1],
        session: session(cell),
        more_sessions: Default::default(),
        states: None,
        start: None,
        around: None,
        phases: if done { vec![phase] } else { Vec::new() },
        ranks: Vec::new(),
        audits: Vec::new(),
        whole: WholeRun::default(),
    }
}

/// One cell is refused by the server in all its runs, one loses a single repetition.
fn ending(cell: &Cell, planned: &PlannedRun) -> Ending {
    let distinct =
        cell.workload == "oltp.distinct_ranges" && cell.axes.get("range_size").and_then(Value::count) == Some(100);
    let unicode = cell.axes["charset"].text() == Some("utf8mb4-unicode");
    match (distinct && unicode, cell.load.users.0, planned.repetition) {
        (true, 64, _) => Ending::Failed {
            reason: "the server closed 64 of 64 sessions: error 1114 (HY000): The table '/tmp/#sql-temptable' is full"
                .into(),
        },
        (true, 16, _) => Ending::Skipped {
            reason: "the temporary table of distinct_ranges does not fit the server's tmp_memory_table_size".into(),
        },
        (true, 4, 2) => Ending::Failed { reason: "lost connection during measure".into() },
        _ => Ending::Done,
    }
}

fn session(cell: &Cell) -> SessionAnswer {
    let short = cell.workload.trim_start_matches("oltp.");
    let names = if short == "mixed" { vec!["point_selects", "distinct_ranges"] } else { vec![short] };
    let collation = match cell.axes["charset"].text() {
        Some("utf8mb4-generic") => "utf8mb4_general_ci",
        Some("utf8mb4-unicode") => "utf8mb4_unicode_ci",
        Some(_) | None => "latin1_swedish_ci",
    };
    SessionAnswer {
        variables: BTreeMap::from([
            ("collation_connection".into(), collation.into()),
            ("transaction_isolation".into(), "REPEATABLE-READ".into()),
            ("autocommit".into(), "ON".into()),
        ]),
        transport: "unix plain".into(),
        tls: None,
        authentication: "mysql_native_password".into(),
        compression: "off, offered by the server".into(),
        plans: names
            .iter()
            .map(|name| statement_plan(name, cell.axes.get("range_size").and_then(Value::count).unwrap_or(1)))
            .collect(),
        plans_after: None,
    }
}

fn statement_plan(name: &str, range: i64) -> StatementPlan {
    let (sql, extra) = match name {
        "point_selects" => ("SELECT c FROM sbtest3 WHERE id=4987".to_string(), ""),
        "simple_ranges" => (format!("SELECT c FROM sbtest3 WHERE id BETWEEN 4987 AND {}", 4986 + range), ""),
        "ordered_ranges" => (
            format!("SELECT c FROM sbtest3 WHERE id BETWEEN 4987 AND {} ORDER BY c", 4986 + range),
            ",\n    \"filesort\": {\"sort_key\": \"sbtest3.c\"}",
        ),
        _ => (
            format!("SELECT DISTINCT c FROM sbtest3 WHERE id BETWEEN 4987 AND {} ORDER BY c", 4986 + range),
            ",\n    \"filesort\": {\"sort_key\": \"sbtest3.c\", \"temporary_table\": {}}",
        ),
    };
    StatementPlan {
        statement: name.into(),
        sql,
        explain: format!(
            "{{\n  \"query_block\": {{\n    \"select_id\": 1,\n    \"table\": {{\"table_name\": \"sbtest3\", \"access_type\": \"range\", \"key\": \"PRIMARY\", \"rows\": {range}}}{extra}\n  }}\n}}"
        ),
        handlers: BTreeMap::from([("Handler_read_key".into(), 1), ("Handler_read_next".into(), range)]),
        rows: range as u64,
        other_explains: Vec::new(),
        answers: Vec::new(),
    }
}

fn host() -> Host {
    Host {
        cpus: vec![0, 1],
        sockets: BTreeMap::from([(0, vec![0, 1])]),
        nodes: Vec::new(),
        cpu_model: "Intel Xeon (Sapphire Rapids)".into(),
        memory: Bytes(24 << 30),
        disk_free: Bytes(60 << 30),
        kernel: "6.1.0-18-amd64".into(),
        distribution: "Debian GNU/Linux 12".into(),
        virtualization: Some("kvm".into()),
        clock_source: Some("tsc".into()),
        clock_step: Some(Nanos(10)),
        clock_cost: Some(Nanos(25)),
        open_files: 1_048_576,
        io_uring: true,
        threads: 0,
        facts: BTreeMap::from([
            ("transparent huge pages".into(), "madvise".into()),
            ("swappiness".into(), "60".into()),
        ]),
        builds: vec![InstalledBuild {
            name: "distribution".into(),
            kind: "mariadb".into(),
            version: Version(10, 11, 6),
            binary: "/usr/sbin/mariadbd".into(),
            basedir: "/usr".into(),
            engines: vec!["innodb".into()],
        }],
        assay: "0.1.0 release (sample)".into(),
    }
}

fn canary() -> Canary {
    let point = |users, qps, client_cpu_us, latency_us_p50| CanaryPoint { users, qps, client_cpu_us, latency_us_p50 };
    Canary {
        machine: "Intel Xeon, 2 CPUs".into(),
        io: "io_uring".into(),
        points: vec![point(1, 98_000.0, 4.1, 9.6), point(16, 410_000.0, 2.3, 36.0), point(64, 452_000.0, 2.2, 138.0)],
        unix_ms: BEGIN,
        others: None,
        reaches: Vec::new(),
        choice: None,
    }
}

fn instance() -> InstanceRecord {
    let variables = [
        "innodb_buffer_pool_size=1073741824",
        "innodb_flush_log_at_trx_commit=1",
        "max_connections=4096",
        "sort_buffer_size=2097152",
        "tmp_memory_table_size=16777216",
        "version=10.11.6-MariaDB",
    ];
    InstanceRecord {
        key: "i-4f1c".into(),
        wanted: server(),
        kind: "mariadb".into(),
        version: Version(10, 11, 6),
        version_text: "10.11.6-MariaDB-0+deb12u1".into(),
        version_comment: "Debian 12".into(),
        binary_sha256: Some("9d2f6b1c".repeat(8)),
        build_id: Some("5be1c07a".repeat(5)),
        source_commit: None,
        option_file: "[mysqld]\ndatadir = data\nsocket = mysql.sock\nskip-networking\ninnodb_buffer_pool_size = 1G\ninnodb_flush_log_at_trx_commit = 1\nskip-log-bin\nmax_connections = 4096\n".into(),
        variables: variables.iter().filter_map(|v| v.split_once('=')).map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        engines: vec!["innodb".into(), "aria".into()],
        cpus: vec![0, 1],
        place: None,
        complaints: Vec::new(),
        not_applicable: Vec::new(),
        start_time: Nanos::from_millis(1_840),
    }
}

fn dataset(charset: &str) -> DatasetRecord {
    let table = |n: u32| TableAnswer {
        name: format!("sbtest{n}"),
        submitted: format!(
            "CREATE TABLE sbtest{n} (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', KEY k_{n} (k))"
        ),
        created: format!(
            "CREATE TABLE `sbtest{n}` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  `k` int(11) NOT NULL DEFAULT 0,\n  `c` char(120) NOT NULL DEFAULT '',\n  `pad` char(60) NOT NULL DEFAULT '',\n  PRIMARY KEY (`id`),\n  KEY `k_{n}` (`k`)\n) ENGINE=InnoDB DEFAULT CHARSET={}",
            charset.split('-').next().unwrap_or(charset)
        ),
        warnings: Vec::new(),
        rows: 10_000,
        rows_wanted: 10_000,
        bytes: Bytes(2_637_824),
    };
    DatasetRecord {
        key: format!("d-{charset}"),
        instance: "i-4f1c".into(),
        schema: format!("oltp_{}", charset.replace('-', "_")),
        family: "oltp".into(),
        parameters: BTreeMap::from([
            ("charset".into(), charset.into()),
            ("rows".into(), Value::from(10_000)),
            ("tables".into(), Value::from(2)),
        ]),
        tables: vec![table(1), table(2)],
        snapshot: None,
        load_time: Some(Nanos::from_millis(910)),
        rows: 20_000,
        rows_checked: 400,
        rows_wrong: 0,
    }
}

fn events(runs: &[RunRecord]) -> Vec<Event> {
    let event =
        |unix_ms, kind, run: Option<&RunId>, text: &str| Event { unix_ms, kind, run: run.cloned(), text: text.into() };
    let mut events = vec![
        event(BEGIN, EventKind::LabStarted, None, "The lab began"),
        event(
            BEGIN + 200,
            EventKind::InstanceStarting,
            None,
            "Starting distribution (mariadb 10.11.6) with profile durable",
        ),
        event(BEGIN + 2_040, EventKind::InstanceReady, None, "i-4f1c is ready after 1.84 s"),
        event(BEGIN + 2_100, EventKind::DatasetLoading, None, "Loading 60 000 rows"),
        event(BEGIN + 6_000, EventKind::DatasetReady, None, "3 datasets are ready, 1 200 rows checked"),
    ];
    for run in runs {
        match &run.ending {
            Ending::Done => {}
            Ending::Failed { reason } => {
                events.push(event(run.ended_unix_ms, EventKind::RunFailed, Some(&run.id), reason))
            }
            Ending::Skipped { reason } => {
                events.push(event(run.ended_unix_ms, EventKind::RunSkipped, Some(&run.id), reason))
            }
        }
    }
    events.push(event(
        runs.last().map_or(BEGIN, |r| r.ended_unix_ms),
        EventKind::LabStopped,
        None,
        "All runs are over",
    ));
    events
}

/// What lies per second in the record, made when asked for.
pub struct Shown {
    plan: Plan,
}

impl Details for Shown {
    fn intervals(&self, run: &RunId) -> Vec<Interval> {
        let Some((planned, cell)) = self.find(run) else { return Vec::new() };
        let interval = |second: u64| {
            let name = format!("{run}.{second}");
            let tally = tally(cell, rate(cell) * (1.0 + 0.012 * noise(&run.0) + 0.02 * noise(&name)), 1.0, &name);
            Interval {
                from: Nanos::from_secs(second),
                to: Nanos::from_secs(second + 1),
                phase: "measure".into(),
                group: "users".into(),
                tally,
            }
        };
        if ending(cell, planned) == Ending::Done { (0..SECONDS).map(interval).collect() } else { Vec::new() }
    }

    fn series(&self, run: &RunId, metrics: &[&str]) -> Vec<Series> {
        let Some((_, cell)) = self.find(run) else { return Vec::new() };
        let client = (0.12 + 0.3 * rate(cell) / 40_000.0) * 1e9;
        let all = (f64::from(cell.load.users.0)).min(1.93) * 1e9;
        let growth = |name: &str| match name {
            "client.cpu.process" => Some(client),
            "server.cpu.user" => Some((all - client) * 0.8),
            "server.cpu.system" => Some((all - client) * 0.2),
            "host.cpu.user" => Some(all * 0.82),
            "host.cpu.system" => Some(all * 0.2),
            "host.cpu.irq" => Some(0.02e9),
            _ => None,
        };
        let level = |name: &str| match name {
            "db.history_list_length" => Some(10.0),
            "db.checkpoint_age" => Some(250.0),
            _ => None,
        };
        let series = |name: &&str| {
            if let Some(step) = level(name) {
                let metric = counters::named(name)?.metric();
                let readings = (0..=SECONDS).map(|s| (Nanos::from_secs(s), step * s as f64)).collect();
                return Some(Series { metric, readings });
            }
            let per_second = growth(name)?;
            let readings = (0..=SECONDS).map(|s| (Nanos::from_secs(s), per_second * s as f64)).collect();
            Some(Series { metric: Metric { name: (*name).into(), unit: Unit::Nanos, shape: Shape::Counter }, readings })
        };
        metrics.iter().filter_map(series).collect()
    }
}

impl Shown {
    fn find(&self, run: &RunId) -> Option<(&PlannedRun, &Cell)> {
        let planned = self.plan.runs.iter().find(|r| r.id == *run)?;
        Some((planned, self.plan.cell(&planned.cell)))
    }
}
