//! What a judge might say of the made-up record: estimates, verdicts of every status, comparisons, claims. It stands
//! for the real judge only as data to draw.

use crate::record::{noise, rate};
use model::estimate::{Comparison, Estimate, Outcome, Overall};
use model::finding::{Finding, Rival, Rung};
use model::health::{Health, Reason, Standing};
use model::judgement::{Account, Bound, CellJudgement, Claim, ErrorCount, Errors, Judgement, Made, Term};
use model::plan::{Cell, Plan};
use model::record::Record;
use model::record::explain::{Executed, Explain, Wait};
use model::record::run::{Ending, RunRecord};
use model::units::{Nanos, round3};
use model::value::Value;
use model::verdict::{Status, Verdict};
use std::collections::BTreeMap;

pub fn of(record: &Record) -> Judgement {
    let cells: Vec<CellJudgement> = record.plan.cells.iter().map(|c| cell(record, c)).collect();
    Judgement {
        verdicts: vec![verdict("effective_parameters", Status::Pass, "The server's variables are the same in every cell", "0 differ", "0", "")],
        comparisons: comparisons(&record.plan, &cells),
        overall: overall(&comparisons(&record.plan, &cells)),
        findings: vec![Finding {
            name: "collation_cost".into(),
            rung: Rung::DoseResponse,
            sentence: "The loss on ordered_ranges grows with the rows sorted per statement; comparing them under utf8mb4_unicode_ci explains 83 % of it.".into(),
            share: Some(0.83),
            share_interval: Some((0.79, 0.87)),
            rival: Some(Rival {
                name: "server CPU".into(),
                share: 0.12,
                undecided: false,
                sentence: "The best other explanation, server CPU, covers 12 % of the same time.".into(),
            }),
            evidence: vec!["runs/c034-1/run.json#phases.0".into()],
            next_experiment: Some("question = \"Is it the collation?\"\n\n[axes]\ncharset = [\"utf8mb4-generic\", \"utf8mb4-unicode\"]\n".into()),
            next_file: Some("next/collation_cost.toml".into()),
        }],
        claims: claims(),
        health: health(&cells),
        searches: Vec::new(),
        curves: Vec::new(),
        plans: Vec::new(),
        forecasts: Vec::new(),
        functions: Vec::new(),
        function_diffs: Vec::new(),
        made_of: BTreeMap::from([(
            "server_cpu_us_per_statement".into(),
            Made { how: "growth of the counters ÷ statements".into(), counters: vec!["server.cpu.user".into(), "server.cpu.system".into()] },
        )]),
        not_measured: vec![
            "utf8mb4-0900: mariadb 10.11 has no collation utf8mb4_0900_ai_ci".into(),
            "1 socket against 2: this host has one socket".into(),
        ],
        cells,
    }
}

fn health(cells: &[CellJudgement]) -> Health {
    let failed: Vec<_> = cells.iter().filter(|c| c.status == Status::Fail).map(|c| c.id.clone()).collect();
    let (numbers, struck) = (cells.len() as u32, failed.len() as u32);
    let stand = numbers - struck;
    Health {
        sentence: format!(
            "{stand} of {numbers} numbers stand; {struck} are struck because other processes used the CPU."
        ),
        numbers,
        stand,
        unchecked: 0,
        reasons: vec![Reason {
            standing: Standing::Struck,
            because: "other processes used the CPU".into(),
            numbers: struck,
            cells: failed,
            advice: "stop who else runs here, and run again".into(),
        }],
    }
}

fn claims() -> Vec<Claim> {
    let claim = |status, sentence: &str, evidence: &[&str]| Claim {
        is_answer: status == Status::Warn,
        status,
        sentence: sentence.into(),
        evidence: evidence.iter().map(|e| (*e).into()).collect(),
    };
    vec![
        claim(
            Status::Warn,
            "utf8mb4-unicode costs 41 % of the throughput of latin1 on oltp.ordered_ranges with 100 rows, and nothing that can be told from noise on oltp.point_selects.",
            &["c042", "c046", "c012"],
        ),
        claim(
            Status::Fail,
            "Rates of oltp.point_selects at 64 users say more about the client than about the server: assay itself used 94 % of a CPU.",
            &["client_had_headroom"],
        ),
        claim(
            Status::NotEvaluable,
            "Whether oltp.distinct_ranges scales to 64 users under utf8mb4-unicode is not known: the server refused the load.",
            &["c108"],
        ),
        claim(
            Status::Pass,
            "Two runs of the same cell differ by 0.4 %, so differences above 2 % are real on this machine.",
            &["c001", "c109"],
        ),
    ]
}

fn verdict(check: &str, status: Status, sentence: &str, measured: &str, limit: &str, advice: &str) -> Verdict {
    Verdict {
        check: check.into(),
        verdict: status,
        sentence: sentence.into(),
        measured: measured.into(),
        limit: limit.into(),
        advice: advice.into(),
        evidence: Vec::new(),
        quarantined: false,
        phases: Vec::new(),
        open_in: Vec::new(),
    }
}

fn cell(record: &Record, cell: &Cell) -> CellJudgement {
    let runs: Vec<&RunRecord> = record.runs.iter().filter(|r| r.cell == cell.id).collect();
    let done: Vec<&RunRecord> = runs.iter().copied().filter(|r| r.is_done()).collect();
    let values: Vec<f64> = done.iter().map(|r| rate(cell) * (1.0 + 0.012 * noise(&r.id.0))).collect();
    let no_number = done.is_empty().then(|| runs.first().map_or_else(String::new, |r| reason(&r.ending)));
    let verdicts = if done.is_empty() { Vec::new() } else { verdicts(cell, &runs) };
    CellJudgement {
        id: cell.id.clone(),
        axes: cell.axes.clone(),
        workload: cell.workload.clone(),
        metrics: if done.is_empty() { BTreeMap::new() } else { metrics(cell, &values) },
        operations: BTreeMap::new(),
        statements: statements(&done),
        groups: BTreeMap::new(),
        phases: Vec::new(),
        repetitions: BTreeMap::from([("qps".into(), values)]),
        runs: runs.iter().map(|r| r.id.0.clone()).collect(),
        status: verdicts.iter().map(|v| v.verdict).max().unwrap_or(Status::NotEvaluable),
        verdicts,
        bound: Some(Bound {
            label: if cell.load.users.0 > 1 { "cpu-bound".into() } else { "latency-bound".into() },
            sentence: "The server used 96 % of its CPUs while statements waited 0.3 µs for a lock.".into(),
            evidence: vec!["server.cpu.user".into(), "server.cpu.system".into()],
        }),
        account: (cell.id.0 == "c001").then(account),
        explain: (cell.id.0 == "c001").then(explain),
        no_number,
        errors: (cell.id.0 == "c002").then(errors),
    }
}

fn account() -> Account {
    let term = |name: &str, us, from: &[&str]| Term {
        name: name.into(),
        us,
        from: from.iter().map(|f| (*f).into()).collect(),
    };
    Account {
        operation_us: 48.0,
        terms: vec![
            term("client and way", 21.0, &["foreground.statement_time"]),
            term("server CPU", 25.5, &["foreground.cpu"]),
            term("waiting for a CPU", 1.0, &["foreground.runqueue.wait"]),
        ],
        rest_us: 0.5,
        growth: None,
        sentence: "An operation takes 48 µs: server CPU 53.1 %, client and way 43.8 %, waiting for a CPU 2.08 %."
            .into(),
    }
}

fn errors() -> Errors {
    let deadlocks =
        ErrorCount { number: 1213, error: "1213 (deadlock)".into(), retried: 118, failed: 0, message: None };
    let message = Some("connection lost: the server closed the connection".to_string());
    let lost = ErrorCount { number: 0, error: "lost connection".into(), retried: 0, failed: 2, message };
    let message = Some("error 1048 (23000): Column 'c' cannot be null".to_string());
    let refused = ErrorCount { number: 1048, error: "1048".into(), retried: 0, failed: 1, message };
    Errors {
        by_number: vec![deadlocks, lost, refused],
        reconnects: 2,
        connect_us_p50: Some(312.0),
        connect_us_p99: Some(398.0),
        ..Errors::default()
    }
}

fn explain() -> Explain {
    let wait = |event: &str, count, millis| Wait { event: event.into(), count, time: Nanos::from_millis(millis) };
    Explain {
        waits: vec![
            wait("wait/synch/mutex/mysys/THR_LOCK_heap", 48_210, 3_120),
            wait("wait/synch/rwlock/innodb/index_tree_rw_lock", 912_004, 207),
        ],
        stages: vec![wait("stage/sql/Sending data", 61_000, 8_040)],
        executed: vec![Executed {
            statement: "simple_ranges".into(),
            plan: "Index Scan using sbtest1_pkey on sbtest1 (actual time=0.009..0.041 rows=100 loops=1)\n  Buffers: shared hit=5"
                .into(),
        }],
    }
}

fn reason(ending: &Ending) -> String {
    match ending {
        Ending::Done => String::new(),
        Ending::Failed { reason } => format!("failed: {reason}"),
        Ending::Skipped { reason } => format!("skipped: {reason}"),
    }
}

fn estimate(value: f64, half: f64, n: usize, unit: &str) -> Estimate {
    let known = n > 1;
    Estimate {
        value,
        low: known.then_some(value * (1.0 - half)),
        high: known.then_some(value * (1.0 + half)),
        n: n as u32,
        unit: unit.into(),
    }
}

fn metrics(cell: &Cell, values: &[f64]) -> BTreeMap<String, Estimate> {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    let half = 0.009 + 0.008 * noise(&cell.id.0).abs();
    let wait_us = f64::from(cell.load.users.0) / mean * 1e6;
    let client = 4.2 + 0.002 * cell.axes.get("range_size").and_then(Value::number).unwrap_or(1.0) * 10.0;
    let rows = [
        ("qps", mean, half, "statements/s"),
        ("ops_per_s", mean, half, "operations/s"),
        ("latency_us_p50", wait_us * 0.82, half, "µs"),
        ("latency_us_p95", wait_us * 1.9, half * 2.0, "µs"),
        ("latency_us_p99", wait_us * 2.9, half * 3.0, "µs"),
        ("latency_us_p99.9", wait_us * 6.5, half * 6.0, "µs"),
        ("client_cpu_us_per_statement", client, half, "µs"),
        ("server_cpu_us_per_statement", f64::from(cell.load.users.0).min(1.9) / mean * 1e6 * 0.85, half, "µs"),
        ("server_switches_per_statement", 2.05, half, "switches"),
        ("errors_per_op", 0.0, 0.0, "errors/operation"),
    ];
    rows.into_iter().map(|(name, value, half, unit)| (name.to_string(), estimate(value, half, n, unit))).collect()
}

fn statements(done: &[&RunRecord]) -> BTreeMap<String, BTreeMap<String, Estimate>> {
    let Some(run) = done.first() else { return BTreeMap::new() };
    let tally = run.measured().next().map(model::record::run::PhaseRecord::tally).unwrap_or_default();
    let of = |t: &model::record::tally::StatementTally| {
        let p = |percent| t.service.percentile(percent).unwrap_or_default().micros();
        BTreeMap::from([
            ("calls_per_s".to_string(), estimate(t.calls as f64 / 3.0, 0.01, done.len(), "statements/s")),
            ("rows_per_call".to_string(), estimate(t.rows as f64 / t.calls.max(1) as f64, 0.0, done.len(), "rows")),
            ("latency_us_p50".to_string(), estimate(p(50.0), 0.012, done.len(), "µs")),
            ("latency_us_p99".to_string(), estimate(p(99.0), 0.03, done.len(), "µs")),
        ])
    };
    tally.statements.iter().map(|(name, t)| (name.clone(), of(t))).collect()
}

fn verdicts(cell: &Cell, runs: &[&RunRecord]) -> Vec<Verdict> {
    let many = cell.load.users.0 == 64;
    let head = if cell.workload == "oltp.point_selects" && many {
        verdict(
            "client_had_headroom",
            Status::Fail,
            "assay's load threads used 94 % of a CPU, so the rate is the client's own limit.",
            "94 %",
            "80 %",
            "Give the load more CPUs (load_cpus) or fewer users.",
        )
    } else {
        verdict("client_had_headroom", Status::Pass, "assay's load threads had CPU to spare.", "31 %", "80 %", "")
    };
    let spread = 0.8 + 3.4 * noise(&cell.id.0).abs();
    let noisy = if spread > 3.5 { Status::Warn } else { Status::Pass };
    let text = format!("{} %", round3(spread));
    let failed = runs.iter().filter(|r| !r.is_done()).count();
    let mut all = vec![
        head,
        verdict(
            "noise",
            noisy,
            &format!("Repetitions spread over {text} of their mean."),
            &text,
            "3.5 %",
            if noisy == Status::Warn { "Measure longer, or repeat more often." } else { "" },
        ),
        verdict(
            "no_failed_operations",
            if failed > 0 { Status::Warn } else { Status::Pass },
            &format!("{failed} of {} runs ended early.", runs.len()),
            &failed.to_string(),
            "0",
            if failed > 0 { "See the run's reason." } else { "" },
        ),
        verdict(
            "counts_agree",
            Status::Pass,
            "The server counted as many questions as assay sent.",
            "0 differ",
            "0",
            "",
        ),
        verdict("littles_law", Status::Pass, "Users equal rate times latency within 0.6 %.", "0.6 %", "5 %", ""),
        verdict("schema_as_declared", Status::Pass, "SHOW CREATE TABLE says what was submitted.", "0 differ", "0", ""),
        verdict(
            "network_had_room",
            Status::NotApplicable,
            "Users come over a Unix socket: no network is between them and the server.",
            "",
            "",
            "",
        ),
        verdict("regime", Status::Pass, "All reads came from the buffer pool.", "0 reads", "0.01 per statement", ""),
        if noise(&format!("{}steal", cell.id)) > 0.85 {
            verdict(
                "steal",
                Status::NotEvaluable,
                "The sampler was late at both ends of the phase, so stolen time is not known.",
                "",
                "1 %",
                "Repeat the run.",
            )
        } else {
            verdict("steal", Status::Pass, "The hypervisor took 0.1 % of the CPU time.", "0.1 %", "1 %", "")
        },
        verdict(
            "samples_for_percentile",
            Status::Pass,
            "Every printed percentile has ten operations beyond it.",
            "41",
            "10",
            "",
        ),
    ];
    for v in &mut all {
        v.evidence = vec![format!("runs/{}/run.json#phases.0", runs[0].id)];
    }
    all
}

/// As if the workloads were tests of one suite: the rate is the same, and what an operation costs is not.
fn overall(comparisons: &[Comparison]) -> Vec<Overall> {
    let of = |group: Option<&str>, metric: &str, value: f64, outcome: Outcome| Overall {
        group: group.map(Into::into),
        tests: if group.is_some() { 4 } else { 11 },
        of: if group.is_some() { 4 } else { 12 },
        comparison: Comparison {
            metric: metric.into(),
            ratio: estimate(value, 0.004, 3, "ratio"),
            outcome,
            sentence: format!("utf8mb4-unicode has {value} times the {metric} of latin1 over 11 of 12 tests."),
            ..comparisons[0].clone()
        },
    };
    vec![
        of(None, "qps", 0.998, Outcome::Equivalent),
        of(None, "server_cpu_us_per_op", 1.021, Outcome::Worse),
        of(Some("write"), "qps", 0.952, Outcome::Worse),
        of(Some("write"), "server_cpu_us_per_op", 1.063, Outcome::Worse),
    ]
}

fn comparisons(plan: &Plan, cells: &[CellJudgement]) -> Vec<Comparison> {
    let latin1 = Value::from("latin1");
    let without = |c: &CellJudgement| {
        c.axes.iter().filter(|(k, _)| *k != "charset").map(|(k, v)| (k.clone(), v.clone())).collect::<BTreeMap<_, _>>()
    };
    let real = |c: &&CellJudgement| plan.cell(&c.id).repeats.is_none();
    let mut all = Vec::new();
    for candidate in cells.iter().filter(real).filter(|c| c.axes["charset"] != latin1) {
        let base = cells.iter().filter(real).find(|b| b.axes["charset"] == latin1 && without(b) == without(candidate));
        let (Some(base), Some(theirs)) = (base, candidate.metrics.get("qps")) else { continue };
        let Some(ours) = base.metrics.get("qps") else { continue };
        let ratio = theirs.value / ours.value;
        let refused = base.status == Status::Fail || candidate.status == Status::Fail;
        let outcome = if refused {
            Outcome::Refused
        } else if ratio < 0.98 {
            Outcome::Worse
        } else {
            Outcome::Equivalent
        };
        all.push(Comparison {
            more: None,
            metric: "qps".into(),
            base: base.id.0.clone(),
            candidate: candidate.id.0.clone(),
            axis: "charset".into(),
            phase: None,
            ratio: estimate(ratio, 0.012, 3, "ratio"),
            outcome,
            sentence: format!("{} reaches {} times the qps of latin1.", candidate.axes["charset"], round3(ratio)),
        });
    }
    all
}
