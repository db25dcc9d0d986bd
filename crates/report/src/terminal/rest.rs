//! What one screen leaves out: every sentence that the record opens with, what else would explain a finding and what
//! would decide, and each verdict on each cell, the worst first.

use super::Style;
use super::text::{Line, Paint};
use crate::axes;
use model::{Judgement, Record, Verdict};
use std::cmp::Reverse;
use std::collections::BTreeMap;

pub fn rest(record: &Record, judgement: &Judgement, style: Style) -> String {
    let mut lines: Vec<Line> = Vec::new();
    let mut say = |label: &str, text: &str| lines.extend(Line::block(label, text, style.width(), usize::MAX));
    for claim in judgement.claims.iter().filter(|claim| !claim.is_answer) {
        say("", &format!("{}: {}", claim.status.word(), claim.sentence));
    }
    for finding in &judgement.findings {
        finding.rival.iter().for_each(|rival| say("", &rival.sentence));
        finding.next_file.iter().for_each(|file| say("next", &format!("assay run RECORD/{file}")));
    }
    judgement.not_measured.iter().for_each(|sentence| say("", &format!("not measured: {sentence}")));
    let on_cells = judgement.cells.iter().flat_map(|cell| {
        let place = format!("{}, {}", cell.id, axes::label(&record.plan, cell));
        cell.verdicts.iter().map(move |v| (place.clone(), v))
    });
    let on_all = judgement.verdicts.iter().map(|v| ("the experiment".to_string(), v));
    let mut by_check: BTreeMap<_, Vec<(String, &Verdict)>> = BTreeMap::new();
    for (place, verdict) in on_all.chain(on_cells) {
        by_check.entry((Reverse(verdict.verdict), &verdict.check)).or_default().push((place, verdict));
    }
    for ((Reverse(status), check), found) in by_check {
        say("", &format!("{}: {check}", status.word()));
        for (place, verdict) in &found {
            say("", &format!("  {place}: {}", verdict.sentence));
        }
        found
            .iter()
            .map(|(_, v)| &v.advice)
            .find(|advice| !advice.is_empty())
            .iter()
            .for_each(|advice| say("do", advice));
    }
    let paint = Paint(style.colour);
    lines.iter().map(|line| paint.line(line) + "\n").collect()
}
