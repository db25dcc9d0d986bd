//! Cells whose runs have several phases that measure, for the Markdown report: each phase with its rate, its tail and
//! what became of the rate of the phase that it follows from. Iterations go across, because a reader looks for what
//! changes over them.

use crate::axes;
use crate::figures::{three, with_interval};
use model::{Bytes, CellJudgement, Estimate, Judgement, PhaseJudgement, Plan, Share};
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
        if let Some(seconds) = cell.metrics.get("settle_s") {
            let _ = write!(
                text,
                "\nSeconds until the server came to rest, in the phases that are for that: {}.\n",
                with_interval(seconds)
            );
        }
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
        for (group, part) in &phase.groups {
            let number = |name: &str| part.metrics.get(name).map_or("–".into(), with_interval);
            let _ = writeln!(text, "| {name}: {group} | {} | | {} | {} | |", part.workload, number(RATE), number(TAIL));
        }
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
    text + &sizes(&cell.phases, last)
}

/// How large the tables were in each iteration, while most of its rows were current, beside the cache; nothing where
/// nobody asked.
fn sizes(phases: &[PhaseJudgement], last: u32) -> String {
    let of = |phase: &PhaseJudgement, name: &str| phase.part.metrics.get(name).map(|e| e.value);
    let current = |phase: &PhaseJudgement| of(phase, "current_rows").unwrap_or(0.0);
    let of_iteration = |n: u32| phases.iter().filter(move |p| p.iteration == Some(n) && of(p, "data_bytes").is_some());
    let fullest = |n: u32| of_iteration(n).max_by(|a, b| current(a).total_cmp(&current(b)));
    if (1..=last).all(|n| fullest(n).is_none()) {
        return String::new();
    }
    let bytes = |x: f64| Bytes(x as u64).to_string();
    let row = |name: &str, told: &dyn Fn(u32) -> Option<String>| {
        let cells: Vec<String> = (1..=last).map(|n| told(n).unwrap_or_default()).collect();
        let is_told = cells.iter().any(|cell| !cell.is_empty());
        if is_told { format!("| {name} | {} |\n", cells.join(" | ")) } else { String::new() }
    };
    let of_cache = |p: &PhaseJudgement| Some(of(p, "data_bytes")? / of(p, "cache_bytes")?);
    let reads = |n: u32| of_iteration(n).filter_map(|p| of(p, "page_reads_per_statement")).max_by(f64::total_cmp);
    let heads: Vec<String> = (1..=last).map(|n| n.to_string()).collect();
    [
        format!("\n| size | {} |\n|---|{}\n", heads.join(" | "), "--:|".repeat(heads.len())),
        row("tables, while most rows are current", &|n| of(fullest(n)?, "data_bytes").map(bytes)),
        row("history in them", &|n| of(fullest(n)?, "history_bytes").map(bytes)),
        row("tables, of the cache", &|n| of_cache(fullest(n)?).map(|share| Share(share).to_string())),
        row("pages read per statement, at most", &|n| reads(n).map(three)),
    ]
    .concat()
}

/// `0.31 (0.28–0.35) of before`.
fn ratio(phase: &PhaseJudgement) -> Option<String> {
    let against = phase.against.as_ref()?;
    let Estimate { value, low, high, .. } = against.ratios.get(RATE)?;
    let interval = low.zip(*high).map_or(String::new(), |(low, high)| format!(" ({low:.2}–{high:.2})"));
    Some(format!("{value:.2}{interval} of {}", against.phase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::judgement::Part;
    use std::collections::BTreeMap;

    fn phase(iteration: u32, metrics: &[(&str, f64)]) -> PhaseJudgement {
        let told = |(name, value): &(&str, f64)| {
            ((*name).to_string(), Estimate { value: *value, low: None, high: None, n: 1, unit: String::new() })
        };
        PhaseJudgement {
            name: format!("step.{iteration}"),
            step: "step".into(),
            iteration: Some(iteration),
            disturb: None,
            struck: Vec::new(),
            part: Part {
                workload: "versioned.insert".into(),
                metrics: metrics.iter().map(told).collect(),
                operations: BTreeMap::new(),
                statements: BTreeMap::new(),
            },
            groups: BTreeMap::new(),
            against: None,
        }
    }

    #[test]
    fn tables_are_told_while_their_rows_are_current_and_their_history_apart() {
        let of = |iteration, current, tables: u32, history: u32, reads| {
            let [tables, history] = [tables, history].map(|mib| f64::from(mib << 20));
            let sizes = [("data_bytes", tables), ("history_bytes", history), ("cache_bytes", f64::from(48 << 20))];
            phase(iteration, &[&sizes[..], &[("current_rows", current), ("page_reads_per_statement", reads)]].concat())
        };
        let phases =
            [of(1, 20.0, 20, 6, 0.0), of(1, 0.0, 24, 24, 0.0), of(2, 20.0, 44, 31, 0.046), of(2, 0.0, 60, 60, 0.01)];
        insta::assert_snapshot!(sizes(&phases, 2), @r"

        | size | 1 | 2 |
        |---|--:|--:|
        | tables, while most rows are current | 20 MiB | 44 MiB |
        | history in them | 6 MiB | 31 MiB |
        | tables, of the cache | 41.7 % | 91.7 % |
        | pages read per statement, at most | 0 | 0.046 |
        ");
        assert_eq!(sizes(&[phase(1, &[("qps", 1.0)])], 1), "");
    }
}
