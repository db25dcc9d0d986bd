//! Writes a report of a made-up record into a folder: seed 0's matrix in miniature, with cells that failed, were
//! skipped and drew a warning. The page's tests open it, and whoever works on the page looks at it. No number in it was
//! measured.
//!
//! `cargo run -p report --example sample -- FOLDER`

mod judgement;
mod record;

use model::forecast::{Forecast, ForecastPhase, ForecastPoint};
use model::record::Record;
use model::record::disturbance::DisturbanceRecord;
use model::units::Nanos;
use record::Size;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/sample".to_string());
    let (mut record, details) = record::of(Size::Study);
    let mut judgement = judgement::of(&record);
    disturb(&mut record);
    judgement.forecasts = vec![forecast()];
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
