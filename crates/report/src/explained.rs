//! What explains the numbers, in the Markdown report: findings as the page shows them, and where the time of an
//! operation went. A reader of a pull request has no page, and must see as much of why a finding is believed.

use crate::axes;
use model::units::round3;
use model::{Forecast, Judgement, Plan, Share};
use std::fmt::Write;

/// Cells whose time is accounted for are told one by one up to here; `report.json` has them all.
const ACCOUNTS: usize = 8;

/// Where the time of an operation went.
pub fn accounts(plan: &Plan, judgement: &Judgement) -> String {
    let accounted: Vec<_> = judgement.cells.iter().filter_map(|c| Some((c, c.account.as_ref()?))).collect();
    if accounted.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n## Where the time went\n\n");
    for (cell, account) in accounted.iter().take(ACCOUNTS) {
        let _ = writeln!(text, "- {} ({}): {}", cell.id, axes::label(plan, cell), account.sentence);
    }
    if accounted.len() > ACCOUNTS {
        let _ = writeln!(text, "- and so on for {} more cells (`report.json`)", accounted.len() - ACCOUNTS);
    }
    text
}

/// So many points of the phase that is foretold are told, the last among them.
const POINTS: usize = 5;

/// What arithmetic expects beside what was measured, at some moments of the phase that it is about; the page draws all.
pub fn forecasts(judgement: &Judgement) -> String {
    let mut text = String::new();
    for forecast in &judgement.forecasts {
        if text.is_empty() {
            text += "\n## Forecast\n";
        }
        let Forecast { cell, expected, measured, per_expected, runs, .. } = forecast;
        let scale = match per_expected {
            Some(scale) if *scale < 1.0 => format!("; {} expected for each one measured", round3(1.0 / scale)),
            Some(scale) => format!("; {} measured for each one expected", round3(*scale)),
            None => String::new(),
        };
        let _ = write!(
            text,
            "\n{cell}, mean of {runs} runs{scale}\n\n| phase | from s | {measured} | {expected} |\n|---|--:|--:|--:|\n"
        );
        for phase in forecast.phases.iter().filter(|p| p.disturb.is_some()) {
            let step = phase.points.len().div_ceil(POINTS).max(1);
            let mut points: Vec<_> = phase.points.iter().rev().step_by(step).collect();
            points.reverse();
            for point in points {
                let expected = point.expected.map_or("–".into(), round3);
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {expected} |",
                    phase.name,
                    round3(point.at_s),
                    round3(point.measured)
                );
            }
        }
    }
    text
}

/// Each with its rung, what else would explain it, and the command that would raise or refute it.
pub fn findings(judgement: &Judgement) -> String {
    let mut text = String::new();
    if !judgement.findings.is_empty() {
        text += "\n## Findings\n\n";
    }
    for f in &judgement.findings {
        let rung = f.rung.words();
        let share = f.share.map_or(String::new(), |share| format!(", explains {}", Share(share)));
        let _ = writeln!(text, "- {} (**{rung}**{share}): {}", f.name, f.sentence);
        if let Some(rival) = &f.rival {
            let _ = writeln!(text, "  {}", rival.sentence);
        }
        if !f.evidence.is_empty() {
            let _ = writeln!(text, "  Evidence: {}.", f.evidence.join(", "));
        }
        if let Some(file) = &f.next_file {
            let _ = writeln!(text, "  This would raise or refute it: `assay run RECORD/{file}`");
        }
        if let Some(next) = &f.next_experiment {
            let indented: String = next.lines().map(|l| format!("{}\n", format!("      {l}").trim_end())).collect();
            let _ = write!(text, "\n  The next experiment, as a file:\n\n{indented}\n");
        }
    }
    text
}
