//! Writes a report of a made-up record into a folder: seed 0's matrix in miniature, with cells that failed, were
//! skipped and drew a warning. The page's tests open it, and whoever works on the page looks at it. No number in it was
//! measured.
//!
//! `cargo run -p report --example sample -- FOLDER`

mod judgement;
mod profiles;
mod record;

use model::finding::{Finding, Rung};
use model::forecast::{Forecast, ForecastPhase, ForecastPoint};
use model::load::{Io, Threads};
use model::record::Record;
use model::record::canary::{CanaryPoint, Choice, Reach, Step};
use model::record::disturbance::DisturbanceRecord;
use model::units::Nanos;
use record::Size;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/sample".to_string());
    let (mut record, details) = record::of(Size::Study);
    let mut judgement = judgement::of(&record);
    disturb(&mut record);
    ways(&mut record);
    profiles::add_runs(&mut record);
    let details = profiles::WithStacks(details);
    judgement.forecasts = vec![forecast()];
    judgement.findings = vec![finding()];
    judgement.functions = profiles::tables();
    judgement.function_diffs = profiles::diffs();
    let report = report::render(&record, &judgement, &details, report::SHELL);
    std::fs::create_dir_all(&folder)?;
    for (name, text) in [("html", &report.html), ("md", &report.markdown), ("json", &report.json), ("csv", &report.csv)]
    {
        let path = Path::new(&folder).join(format!("report.{name}"));
        std::fs::write(&path, text)?;
        println!("{} ({} KB)", path.display(), text.len() / 1000);
    }
    Ok(())
}

/// In the second run the CPUs were hogged while it measured.
fn disturb(record: &mut Record) {
    let phase = &mut record.runs[1].phases[0];
    phase.disturb = Some("cpu_hog".into());
    phase.disturbance = Some(DisturbanceRecord {
        what: "cpu_hog (cpus 1)".into(),
        began: Nanos(0),
        ended: phase.to,
        sentence: "1 CPU was kept busy.".into(),
        facts: Default::default(),
        failed: None,
        asked: None,
    });
}

/// What each way of waiting for answers reaches, and what was chosen by it: few users block, each in a thread.
fn ways(record: &mut Record) {
    let Some(canary) = &mut record.canary else { return };
    let point = |(users, qps)| CanaryPoint { users, qps, client_cpu_us: 4.0, latency_us_p50: 30.0 };
    let reach = |io, rates: [f64; 4]| Reach {
        server: "mariadb-10.11".into(),
        io,
        threads: Threads::PerCpu,
        points: [1, 4, 16, 64].into_iter().zip(rates).map(point).collect(),
        unix_ms: canary.unix_ms,
    };
    canary.reaches = vec![
        reach(Io::Blocking, [31_000.0, 66_000.0, 71_000.0, 69_000.0]),
        reach(Io::IoUring, [14_000.0, 41_000.0, 76_000.0, 82_000.0]),
    ];
    let step = |up_to, io| Step { up_to, io, threads: Threads::PerCpu };
    canary.choice = Some(Choice {
        steps: vec![step(Some(4), Io::Blocking), step(None, Io::IoUring)],
        server: "mariadb-10.11".into(),
    });
}

/// What the forecast is of.
fn finding() -> Finding {
    Finding {
        name: "open_snapshot_keeps_old_versions".into(),
        rung: Rung::QuantitativelySufficient,
        sentence:
            "oltp.mixed (c001): lists read more pages while a snapshot was open, as many as its old versions foretell."
                .into(),
        share: Some(0.83),
        share_interval: None,
        rival: None,
        evidence: vec!["c001".into(), "runs/c001-1/run.json".into()],
        next_experiment: None,
        next_file: None,
    }
}

/// Three phases of ten seconds, of which the middle one is foretold.
fn forecast() -> Forecast {
    let point = |second: u32, grows: Option<f64>| ForecastPoint {
        at_s: f64::from(second),
        for_s: 1.0,
        expected: grows,
        measured: grows.unwrap_or(60.0) / 40.0 * (1.0 + 0.1 * f64::from(second % 3)),
    };
    let phase = |name: &str, disturb: Option<&str>, points: Vec<ForecastPoint>| ForecastPhase {
        name: name.into(),
        disturb: disturb.map(String::from),
        points,
    };
    Forecast {
        cell: model::plan::CellId("c001".into()),
        finding: "open_snapshot_keeps_old_versions".into(),
        expected: "stale entries expected per list".into(),
        measured: "further logical reads per list".into(),
        per_expected: Some(1.1 / 40.0),
        runs: 3,
        phases: vec![
            phase("before", None, (0..10).map(|s| point(s, Some(0.0))).collect()),
            phase("open", Some("open_snapshot"), (10..20).map(|s| point(s, Some(12.0 * f64::from(s - 9)))).collect()),
            phase("after", None, (20..30).map(|s| point(s, None)).collect()),
        ],
    }
}
