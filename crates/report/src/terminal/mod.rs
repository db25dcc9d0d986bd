//! One screen for a terminal: the answer, the comparison that shows it, what explains it, how many numbers stand and
//! what to do about the others, and where the report is. It is never longer than [`LINES`]; whatever does not fit is
//! counted and printed on demand, because a reader acts on what is on the screen.

mod rest;
mod table;
mod text;

use crate::figures::three;
use model::{Finding, Judgement, Outcome, Record, Share, Standing, Status};
use text::{Line, Paint};

pub use rest::rest;

/// A terminal of 24 lines shows it with its prompt.
pub const LINES: usize = 25;
/// Sentences that answer.
const ANSWERS: usize = 3;
/// Lines that the answer may take, so that the table keeps its place.
const OF_ANSWER: usize = 7;
/// Findings told, and the lines of each.
const FINDINGS: usize = 2;
const OF_FINDING: usize = 3;
/// A share below this explains nothing, and is not told.
const HARDLY: f64 = 0.01;
/// Lines of what does not count, and of what to do about it.
const OF_HEALTH: usize = 3;
const OF_ADVICE: usize = 2;
/// A line longer than this is hard to read, however wide the terminal is.
const WIDEST: usize = 120;
/// Below this no table has a meaning.
const NARROWEST: usize = 40;

/// What the terminal can do.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub width: usize,
    pub colour: bool,
    /// Everything, instead of what fits on a screen.
    pub all: bool,
}

impl Style {
    fn width(self) -> usize {
        self.width.clamp(NARROWEST, WIDEST)
    }
}

/// The screen; `report` is where the page lies, where there is one.
pub fn screen(record: &Record, judgement: &Judgement, report: Option<&str>, style: Style) -> String {
    let answer = answer(judgement, style);
    let mut below = Vec::new();
    below.extend(findings(&judgement.findings, style));
    below.extend(health(judgement, style));
    below.extend(report.map(|place| Line::labelled("report", place)));
    let blank = |lines: &[Line]| usize::from(!lines.is_empty());
    let taken = answer.len() + blank(&answer) + below.len() + blank(&below);
    let room = if style.all { usize::MAX } else { LINES.saturating_sub(taken) };
    let table = table::of(record, judgement, style.width(), room);
    let parts = [answer, table, below].into_iter().filter(|part| !part.is_empty());
    let paint = Paint(style.colour);
    let parts: Vec<String> = parts.map(|part| part.iter().map(|line| paint.line(line) + "\n").collect()).collect();
    parts.join("\n")
}

fn answer(judgement: &Judgement, style: Style) -> Vec<Line> {
    let most = if style.all { usize::MAX } else { OF_ANSWER };
    let count = if style.all { usize::MAX } else { ANSWERS };
    let mut lines = Vec::new();
    for claim in judgement.claims.iter().filter(|claim| claim.is_answer).take(count) {
        let told = text::wrapped(&claim.sentence, style.width());
        // A sentence that would be cut is left out, unless it is the first.
        if !lines.is_empty() && lines.len() + told.len() > most {
            break;
        }
        let look = if claim.status == Status::Fail { text::Look::Bad } else { text::Look::Strong };
        lines.extend(text::cut(told, most).into_iter().map(|line| Line::plain(line).look(look)));
    }
    lines
}

/// What was found and how sure it is.
fn findings(findings: &[Finding], style: Style) -> Vec<Line> {
    let most = if style.all { usize::MAX } else { OF_FINDING };
    let shown = if style.all { findings.len() } else { FINDINGS };
    let mut lines = Vec::new();
    for finding in findings.iter().take(shown) {
        let share = finding.share.filter(|share| *share >= HARDLY);
        let share = share.map_or(String::new(), |share| format!(", explains {}", Share(share)));
        let name = finding.name.replace('_', " ");
        let told = format!("{name} ({}{share}): {}", finding.rung.words(), finding.sentence);
        lines.extend(Line::block("found", &told, style.width(), most));
    }
    if findings.len() > shown {
        lines.push(Line::labelled("", &format!("and {} more (--all)", findings.len() - shown)));
    }
    lines
}

/// What does not count, and the one thing to do about it.
fn health(judgement: &Judgement, style: Style) -> Vec<Line> {
    let [sentence, advice] = [OF_HEALTH, OF_ADVICE].map(|most| if style.all { usize::MAX } else { most });
    let health = &judgement.health;
    let look = match health.reasons.iter().map(|r| r.standing).min() {
        Some(Standing::Struck) => text::Look::Bad,
        Some(Standing::LowerBound | Standing::Missing) => text::Look::Doubtful,
        None => text::Look::Good,
    };
    let mut lines: Vec<Line> = Line::block("counts", &health.sentence, style.width(), sentence);
    lines.iter_mut().for_each(|line| line.look = look);
    if let Some(todo) = todo(judgement) {
        lines.extend(Line::block("do", &todo, style.width(), advice));
    }
    lines
}

/// What is wrong with the experiment comes before what was wrong with the machine: no further run mends it.
fn todo(judgement: &Judgement) -> Option<String> {
    let failed = judgement.verdicts.iter().find(|v| v.counts_as() == Status::Fail).map(|v| &v.advice);
    let most = judgement.health.reasons.iter().map(|reason| &reason.advice).find(|advice| !advice.is_empty());
    failed.into_iter().chain(most).find(|advice| !advice.is_empty()).cloned()
}

/// How a ratio is told: `0.65 (0.63–0.67)`, and what became of it.
fn ratio(ratio: &model::Estimate, outcome: Outcome) -> String {
    let value = match (ratio.low, ratio.high) {
        (Some(low), Some(high)) if outcome != Outcome::Refused => format!("{:.2} ({low:.2}–{high:.2})", ratio.value),
        (None | Some(_), _) => format!("{:.2}", ratio.value),
    };
    match outcome {
        Outcome::Better | Outcome::Worse => value,
        Outcome::Equivalent => format!("{value} ="),
        Outcome::Undecided => format!("{value} ?"),
        Outcome::Refused => format!("{value} ✗"),
    }
}

/// A rate and what became of it: `12 300 ✗`.
fn rate(judgement: &Judgement, cell: &model::CellJudgement, estimate: &model::Estimate) -> String {
    let mark = match judgement.health.of(&cell.id).map(|reason| reason.standing) {
        Some(Standing::Struck) if cell.struck(None).is_some() => " ✗",
        Some(Standing::LowerBound) => " ≥",
        Some(Standing::Struck | Standing::Missing) | None => "",
    };
    format!("{}{mark}", three(estimate.value))
}
