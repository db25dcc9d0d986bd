//! The runs of each search for `report.md`: one row per level, in order, with how many runs there held the limit.

use model::search::Goal;
use model::units::round3;
use model::{Judgement, Nanos, SearchJudgement, TrialJudgement};
use std::fmt::Write;

pub fn of(judgement: &Judgement) -> String {
    if judgement.searches.is_empty() {
        return String::new();
    }
    "\n## Searches\n".to_string() + &judgement.searches.iter().map(one).collect::<String>()
}

fn one(judged: &SearchJudgement) -> String {
    let mut text = format!("\n{}: {}\n\n{}\n\n", judged.cell, judged.search, judged.sentence);
    text += match judged.search.goal {
        Goal::Rate { .. } => "| rate | runs | held | percentile |\n|--:|--:|--:|--:|\n",
        Goal::Users => "| users | runs | operations/s |\n|--:|--:|--:|\n",
    };
    let mut levels: Vec<f64> = judged.trials.iter().map(|t| t.level).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    for level in levels {
        let here: Vec<&TrialJudgement> = judged.trials.iter().filter(|t| t.level == level).collect();
        let held = here.iter().filter(|t| !t.over).count();
        let (name, runs) = (round3(level), here.len());
        let _ = match judged.search.goal {
            Goal::Rate { .. } => writeln!(text, "| {name} | {runs} | {held} | {} |", range(&here, micros)),
            Goal::Users => writeln!(text, "| {name} | {runs} | {} |", range(&here, round3)),
        };
    }
    text
}

fn micros(us: f64) -> String {
    Nanos((us * 1e3) as u64).to_string()
}

/// From the least to the most; a run that was ended early had no more to say.
fn range(trials: &[&TrialJudgement], shown: fn(f64) -> String) -> String {
    let whole: Vec<f64> = trials.iter().filter(|t| t.cut.is_none()).filter_map(|t| t.value).collect();
    let (least, most) = whole.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
    match whole.len() {
        0 => "ended early".into(),
        1 => shown(most),
        _ => format!("{} to {}", shown(least), shown(most)),
    }
}
