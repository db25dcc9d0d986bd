//! What explains the numbers, in the Markdown report: findings as the page shows them, and where the time of an operation went.
//! A reader of a pull request has no page, and must see as much of why a finding is believed.

use model::judgement::Judgement;
use model::units::Share;
use std::fmt::Write;

/// Cells whose time is accounted for are told one by one up to here; `report.json` has them all.
const ACCOUNTS: usize = 8;

/// Where the time of an operation went.
pub fn accounts(judgement: &Judgement) -> String {
    let accounted: Vec<_> = judgement.cells.iter().filter_map(|c| Some((c, c.account.as_ref()?))).collect();
    if accounted.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n## Where the time went\n\n");
    for (cell, account) in accounted.iter().take(ACCOUNTS) {
        let _ = writeln!(text, "- {}: {}", cell.id, account.sentence);
    }
    if accounted.len() > ACCOUNTS {
        let _ = writeln!(text, "- and so on for {} more cells (`report.json`)", accounted.len() - ACCOUNTS);
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
