//! `assay judge`: verdicts and findings again, from the files alone. The exit status says whether the numbers may be
//! believed, so a script can ask without running anything.

use super::Verb;
use crate::arguments::{flag, needed, said};
use crate::exit::{self, Exit};
use crate::out;
use clap::{ArgMatches, Command};
use model::{Judgement, Share, Status, Verdict};
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub const VERB: Verb = Verb { name: "judge", command, run };

fn command(command: Command) -> Command {
    command.about("Judge a record again, from its files alone").args([
        needed("record", "RECORD", "The record's folder"),
        flag("json", "The judgement as JSON"),
        flag("all", "Show passed checks too, and those that do not apply"),
    ])
}

fn run(matches: &ArgMatches) -> Result<Exit, Exit> {
    let folder = std::path::PathBuf::from(said(matches, "record"));
    let (record, details) = lab::notebook::read(&folder).map_err(exit::refused)?;
    let judgement = judge::judge(&record, &details);
    if matches.get_flag("json") {
        out!("{}", serde_json::to_string_pretty(&judgement).expect("a judgement is JSON"));
    } else {
        show(&judgement, matches.get_flag("all"));
    }
    Ok(if judgement.failed() { Exit::CheckFailed } else { Exit::Valid })
}

/// The answers, what explains them, how far they may be believed, then what did not pass: one line per check and
/// status, or every verdict of its own with `all`.
pub fn show(judgement: &Judgement, all: bool) {
    let (answers, health): (Vec<_>, Vec<_>) = judgement.claims.iter().partition(|claim| claim.is_answer);
    for claim in answers {
        out!("{:>13}  {}", if claim.status == Status::Pass { "answer" } else { claim.status.word() }, claim.sentence);
    }
    for finding in &judgement.findings {
        let share = finding.share.map_or(String::new(), |share| format!(", explains {}", Share(share)));
        out!("{:>13}  {} ({}{share}): {}", "finding", finding.name, finding.rung.words(), finding.sentence);
        finding.rival.iter().for_each(|rival| out!("{:>13}  {}", "", rival.sentence));
        if let Some(file) = &finding.next_file {
            out!("{:>13}  → assay run RECORD/{file}", "");
        }
    }
    if judgement.claims.iter().any(|claim| claim.is_answer) {
        out!("");
    }
    for claim in health {
        out!("{:>13}  {}", claim.status.word(), claim.sentence);
    }
    let on_cells = judgement.cells.iter().flat_map(|c| c.verdicts.iter().map(move |v| (c.id.to_string(), v)));
    let on_all = judgement.verdicts.iter().map(|v| ("experiment".to_string(), v));
    let mut by_check: BTreeMap<_, Vec<(String, &Verdict)>> = BTreeMap::new();
    for (scope, verdict) in on_all.chain(on_cells).filter(|(_, v)| all || v.verdict.is_open()) {
        by_check.entry((Reverse(verdict.verdict), &verdict.check)).or_default().push((scope, verdict));
    }
    if !by_check.is_empty() {
        out!("");
    }
    for ((Reverse(status), check), found) in by_check {
        let shown = if all { found.len() } else { 1 };
        for (scope, verdict) in &found[..shown] {
            out!("{:>13}  {check} ({scope}): {}", status.word(), verdict.sentence);
        }
        if found.len() > shown {
            out!("{:>13}  and so on {} more cells (`assay judge RECORD --all` lists them)", "", found.len() - shown);
        }
        if let Some((_, verdict)) = found.first().filter(|(_, v)| status == Status::Fail && !v.advice.is_empty()) {
            out!("{:>13}  → {}", "", verdict.advice);
        }
    }
}
