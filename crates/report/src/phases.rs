//! Cells whose runs have several phases that measure, for the Markdown report: each phase with its rate, its tail and what became
//! of the rate of the phase that it follows from. Iterations go across, because a reader looks for what changes over them.

use crate::axes;
use crate::markdown::{three, with_interval};
use model::estimate::Estimate;
use model::judgement::{CellJudgement, Judgement, PhaseJudgement};
use model::plan::Plan;
use std::fmt::Write;

const RATE: &str = "qps";
const TAIL: &str = "latency_us_p99";

pub fn of(plan: &Plan, judgement: &Judgement) -> String {
    let mut text = String::new();
    for cell in judgement.cells.iter().filter(|c| !c.phases.is_empty()) {
        if text.is_empty() {
            text += "\n## Phases\n\nEach phase that measures, and how many times the rate of the phase that it follows from (95 % interval); ~~struck~~: a check failed on that phase; what is above is of all phases together.\n";
        }
        let _ = write!(text, "\n### {} ({})\n\n", cell.id, axes::label(plan, cell));
        text += &if cell.phases.iter().any(|p| p.iteration.is_some_and(|n| n > 1)) {
            over_iterations(cell)
        } else {
            down(cell)
        };
        let told =
            cell.phases.iter().filter_map(|p| Some(&p.against.as_ref().filter(|_| p.iteration.is_none())?.sentence));
        let sentences: Vec<String> = told.map(|sentence| format!("- {sentence}\n")).collect();
        if !sentences.is_empty() {
            let _ = write!(text, "\n{}", sentences.concat());
        }
    }
    text
}

fn down(cell: &CellJudgement) -> String {
    let mut text = String::from("| phase | work | meanwhile | qps | p99 µs | ÷ |\n|---|---|---|--:|--:|--:|\n");
    for phase in &cell.phases {
        let number = |name: &str| phase.part.metrics.get(name).map_or("–".into(), with_interval);
        let meanwhile = phase.disturb.as_deref().unwrap_or("–");
        let (name, work) = (&phase.name, &phase.part.workload);
        let _ = writeln!(
            text,
            "| {name} | {work} | {meanwhile} | {} | {} | {} |",
            number(RATE),
            number(TAIL),
            ratio(phase).unwrap_or_default()
        );
    }
    text
}

fn over_iterations(cell: &CellJudgement) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for phase in &cell.phases {
        if !steps.contains(&phase.step.as_str()) {
            steps.push(&phase.step);
        }
    }
    let last = cell.phases.iter().filter_map(|p| p.iteration).max().unwrap_or(1);
    let heads: Vec<String> = (1..=last).map(|n| n.to_string()).collect();
    let mut text = format!("| qps | {} |\n|---|{}\n", heads.join(" | "), "--:|".repeat(heads.len()));
    for step in steps {
        let at = |n: u32| cell.phases.iter().find(|p| p.step == step && p.iteration == Some(n));
        let rate = |p: &PhaseJudgement| {
            let rate = p.part.metrics.get(RATE).map_or("–".into(), |e| three(e.value));
            if p.struck.is_empty() { rate } else { format!("~~{rate}~~") }
        };
        let cells = (1..=last).map(|n| at(n).map_or(String::new(), rate));
        let _ = writeln!(text, "| {step} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    text
}

/// `0.31 (0.28–0.35) of before`.
fn ratio(phase: &PhaseJudgement) -> Option<String> {
    let against = phase.against.as_ref()?;
    let Estimate { value, low, high, .. } = against.ratios.get(RATE)?;
    let interval = low.zip(*high).map_or(String::new(), |(low, high)| format!(" ({low:.2}–{high:.2})"));
    Some(format!("{value:.2}{interval} of {}", against.phase))
}
