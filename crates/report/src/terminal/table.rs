//! The main comparison, chosen by the shape of the experiment: cells against the first value of the axis that is asked
//! about, phases against the one that they follow from, or the numbers themselves where nothing is compared. The rows
//! that say most come first, and those that do not count come last; what does not fit is counted.

use super::text::{Line, Look};
use super::{rate, ratio};
use crate::axes;
use crate::figures::{three, with_interval};
use crate::markdown::HEADLINES;
use model::estimate::Comparison;
use model::experiment::keys::{USERS, WORKLOAD};
use model::plan::axis_text;
use model::{CellJudgement, Judgement, Outcome, Plan, Record};

/// A head, a row and the line that counts the others.
const LEAST: usize = 3;
/// Letters shown of a value on an axis: the rest of them tell nobody more.
const LONGEST: usize = 28;
/// Letters that are left of a name where numbers need the room: fewer tell two names apart no more.
const SHORTEST: usize = 8;
/// Between two columns.
const GAP: &str = "  ";

/// Behind a number, and what they mean.
const MARKS: [(&str, &str); 4] =
    [(" ✗", "✗ struck"), (" ≥", "≥ at least"), (" ?", "? undecided"), (" =", "= the same")];

struct Table {
    head: Vec<String>,
    rows: Vec<Row>,
    /// The columns of words, which stand left; numbers stand right.
    words: usize,
}

struct Row {
    fields: Vec<String>,
    /// Larger ones come first.
    weight: f64,
    is_struck: bool,
}

pub fn of(record: &Record, judgement: &Judgement, width: usize, room: usize) -> Vec<Line> {
    let plan = &record.plan;
    let table = compared(plan, judgement).or_else(|| phases(plan, judgement)).or_else(|| measured(plan, judgement));
    match table {
        Some(table) if room >= LEAST => table.lines(width, room),
        Some(_) | None => Vec::new(),
    }
}

/// The axis that the experiment asks about, among those whose cells are compared.
fn main_axis<'a>(plan: &'a Plan, judgement: &Judgement) -> Option<&'a str> {
    let is_compared = |axis: &&str| judgement.comparisons.iter().any(|c| c.axis == **axis && c.is_of_a_rate());
    plan.in_order_of_interest().into_iter().find(is_compared)
}

fn compared(plan: &Plan, judgement: &Judgement) -> Option<Table> {
    let main = main_axis(plan, judgement)?;
    let cell = |id: &str| judgement.cells.iter().find(|c| c.id.to_string() == id);
    let all: Vec<(&Comparison, &CellJudgement)> = judgement
        .comparisons
        .iter()
        .filter(|c| c.axis == main && c.is_of_a_rate())
        .filter_map(|c| Some((c, cell(&c.candidate)?)))
        .collect();
    let others = others(plan, all.iter().map(|(_, cell)| *cell), Some(main));
    let has_phases = all.iter().any(|(c, _)| c.phase.is_some());
    let base = all.first().and_then(|(c, _)| cell(&c.base)?.axes.get(main));
    let base = base.map_or("the first".into(), |value| shortened(&axis_text(main, value)));
    let mut head: Vec<String> = others.iter().map(|key| last(key)).collect();
    head.extend(has_phases.then(|| "phase".to_string()));
    head.push(last(main));
    let words = head.len();
    head.extend([metric(&all[0].0.metric), format!("÷ {base}")]);
    let row = |(comparison, cell): &(&Comparison, &CellJudgement)| {
        let mut fields = values(cell, &others);
        fields.extend(has_phases.then(|| comparison.phase.clone().unwrap_or_default()));
        fields.push(cell.axes.get(main).map_or("–".into(), |value| shortened(&axis_text(main, value))));
        fields.push(number(judgement, cell, comparison));
        fields.push(ratio(&comparison.ratio, comparison.outcome));
        Row { fields, weight: weight(comparison), is_struck: comparison.outcome == Outcome::Refused }
    };
    Some(Table { head, rows: all.iter().map(row).collect(), words })
}

/// The value of the comparison's metric, in its phase where it is of one.
fn number(judgement: &Judgement, cell: &CellJudgement, comparison: &Comparison) -> String {
    let metric = comparison.metric.as_str();
    match &comparison.phase {
        Some(phase) => {
            let part = cell.phases.iter().find(|p| p.name == *phase);
            part.and_then(|p| p.part.metrics.get(metric)).map_or("–".into(), |e| three(e.value))
        }
        None => cell.metrics.get(metric).map_or("–".into(), |e| rate(judgement, cell, e)),
    }
}

/// What was decided before what was not, and the larger difference first.
fn weight(comparison: &Comparison) -> f64 {
    let size = comparison.ratio.value.ln().abs();
    let decided = match comparison.outcome {
        Outcome::Better | Outcome::Worse => 2.0,
        Outcome::Equivalent => 1.0,
        Outcome::Undecided => 0.5,
        Outcome::Refused => 0.0,
    };
    decided * 1e6 + if size.is_finite() { size.min(1e5) } else { 0.0 }
}

fn phases(plan: &Plan, judgement: &Judgement) -> Option<Table> {
    let cells = || judgement.cells.iter().filter(|c| c.phases.iter().any(|p| p.against.is_some()));
    let others = others(plan, cells(), None);
    let mut rows = Vec::new();
    for cell in cells() {
        for phase in &cell.phases {
            let is_struck = cell.struck(Some(&phase.name)).is_some();
            let mut fields = values(cell, &others);
            let disturb = phase.disturb.as_ref().map_or(String::new(), |d| format!(" ({d})"));
            fields.push(format!("{}{disturb}", phase.name));
            let mark = if is_struck { " ✗" } else { "" };
            fields.push(phase.part.metrics.get("qps").map_or("–".into(), |e| format!("{}{mark}", three(e.value))));
            fields.push(phase.against.as_ref().map_or(String::new(), |against| {
                let outcome = if is_struck { Outcome::Refused } else { against.outcome };
                against.ratios.get("qps").map_or("–".into(), |e| ratio(e, outcome))
            }));
            // Phases are read in their order.
            rows.push(Row { fields, weight: 0.0, is_struck: false });
        }
    }
    let mut bases = cells().flat_map(|c| &c.phases).filter_map(|p| p.against.as_ref()).map(|against| &against.phase);
    let first = bases.next()?;
    let base = if bases.all(|base| base == first) { first } else { "the same before" };
    let mut head: Vec<String> = others.iter().map(|key| last(key)).collect();
    head.push("phase".into());
    let words = head.len();
    head.extend(["QPS".to_string(), format!("÷ {base}")]);
    Some(Table { head, rows, words })
}

/// The numbers of each cell.
fn measured(plan: &Plan, judgement: &Judgement) -> Option<Table> {
    let has = |metric: &&str| judgement.cells.iter().any(|c| c.metrics.contains_key(*metric));
    let main = HEADLINES.into_iter().find(has)?;
    let cells: Vec<&CellJudgement> = judgement.cells.iter().filter(|c| c.metrics.contains_key(main)).collect();
    let mut others = others(plan, cells.iter().copied(), None);
    if others.is_empty() {
        others.push(WORKLOAD);
    }
    if judgement.cells.iter().any(|c| c.axes.contains_key(USERS)) && !others.contains(&USERS) {
        others.push(USERS);
    }
    let row = |cell: &&CellJudgement| {
        let mut fields = values(cell, &others);
        let value = &cell.metrics[main];
        let half = with_interval(value).split_once(" ± ").map_or("–".into(), |(_, half)| format!("± {half}"));
        fields.extend([rate(judgement, cell, value), half]);
        let tail = |name: &str| cell.metrics.get(name).map_or("–".into(), |e| three(e.value));
        fields.extend(["latency_us_p50", "latency_us_p99"].map(tail));
        Row { fields, weight: 0.0, is_struck: cell.struck(None).is_some() }
    };
    let mut head: Vec<String> = others.iter().map(|key| last(key)).collect();
    let words = head.len();
    head.extend([&metric(main), "", "p50 µs", "p99 µs"].map(String::from));
    (!cells.is_empty()).then(|| Table { head, rows: cells.iter().map(row).collect(), words })
}

/// The axes beside the main one on which these cells really differ.
fn others<'a, 'c>(
    plan: &'a Plan,
    cells: impl Iterator<Item = &'c CellJudgement> + Clone,
    main: Option<&str>,
) -> Vec<&'a str> {
    let varied = axes::varied(plan).into_iter().map(|axis| axis.key.as_str()).filter(|key| Some(*key) != main);
    let differs = |key: &&str| {
        let mut values = cells.clone().map(|c| c.axes.get(*key));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    varied.filter(differs).collect()
}

fn values(cell: &CellJudgement, keys: &[&str]) -> Vec<String> {
    let value = |key: &&str| match cell.axes.get(*key) {
        Some(value) => shortened(&axis_text(key, value)),
        None if *key == WORKLOAD => cell.workload.clone(),
        None => "–".into(),
    };
    keys.iter().map(value).collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}

fn last(key: &str) -> String {
    key.rsplit('.').next().unwrap_or(key).replace('_', " ")
}

fn metric(name: &str) -> String {
    match name {
        "qps" => "QPS".into(),
        other => other.replace('_', " "),
    }
}

impl Table {
    fn lines(mut self, width: usize, room: usize) -> Vec<Line> {
        self.rows.sort_by(|a, b| a.is_struck.cmp(&b.is_struck).then(b.weight.total_cmp(&a.weight)));
        let note = self.note();
        let all = self.rows.len();
        let notes = usize::from(note.is_some());
        let fits = if 1 + all + notes <= room { all } else { room.saturating_sub(2).max(1) };
        let left = &self.rows[fits..];
        let counted = (!left.is_empty()).then(|| {
            let struck = left.iter().filter(|row| row.is_struck).count();
            let struck = if struck > 0 { format!(", {struck} of them struck") } else { String::new() };
            format!("and {} more rows{struck} (--all)", left.len())
        });
        let foot: Vec<String> = counted.into_iter().chain(note).collect();
        self.rows.truncate(fits);
        self.keep_room_for_marks();
        self.shorten_words(width);
        let widths = self.widths();
        let mut lines = vec![Line::plain(self.line(&self.head, &widths, width)).look(Look::Dim)];
        for row in &self.rows {
            let look = if row.is_struck { Look::Struck } else { Look::Plain };
            lines.push(Line::plain(self.line(&row.fields, &widths, width)).look(look));
        }
        if !foot.is_empty() {
            lines.push(Line::plain(shorter(&foot.join("   "), width)).look(Look::Dim));
        }
        lines
    }

    /// What the marks mean, where there are any.
    fn note(&self) -> Option<String> {
        let has = |mark: &str| self.rows.iter().flat_map(|r| &r.fields).any(|field| field.ends_with(mark));
        let told: Vec<&str> = MARKS.into_iter().filter(|(mark, _)| has(mark)).map(|(_, told)| told).collect();
        (!told.is_empty()).then(|| told.join("  "))
    }

    /// Digits stand below digits, with a mark behind them or without.
    fn keep_room_for_marks(&mut self) {
        let is_marked = |field: &str| MARKS.iter().any(|(mark, _)| field.ends_with(mark));
        for column in self.words..self.head.len() {
            if self.rows.iter().any(|row| is_marked(&row.fields[column])) {
                let bare = self.rows.iter_mut().map(|row| &mut row.fields[column]).filter(|field| !is_marked(field));
                bare.for_each(|field| field.push_str("  "));
            }
        }
    }

    /// Numbers are what the table is for: where the line is too narrow, words are shortened, the longest first.
    fn shorten_words(&mut self, width: usize) {
        loop {
            let widths = self.widths();
            let longest = (0..self.words).max_by_key(|column| widths[*column]);
            let Some(column) = longest.filter(|column| widths[*column] > SHORTEST) else { return };
            if widths.iter().map(|w| w + GAP.len()).sum::<usize>() <= width + GAP.len() {
                return;
            }
            for fields in self.rows.iter_mut().map(|row| &mut row.fields).chain([&mut self.head]) {
                fields[column] = shorter(&fields[column], widths[column] - 1);
            }
        }
    }

    fn widths(&self) -> Vec<usize> {
        let fields = |i: usize| self.rows.iter().map(move |r| &r.fields[i]).chain([&self.head[i]]);
        (0..self.head.len()).map(|i| fields(i).map(|f| f.chars().count()).max().unwrap_or(0)).collect()
    }

    fn line(&self, fields: &[String], widths: &[usize], width: usize) -> String {
        let columns = fields.iter().zip(widths).enumerate().map(|(i, (field, &w))| {
            if i < self.words && !is_number(self, i) { format!("{field:<w$}") } else { format!("{field:>w$}") }
        });
        shorter(columns.collect::<Vec<_>>().join(GAP).trim_end(), width)
    }
}

/// Whether a column of values holds nothing but numbers.
fn is_number(table: &Table, column: usize) -> bool {
    table.rows.iter().all(|row| row.fields[column].parse::<f64>().is_ok())
}

fn shorter(line: &str, width: usize) -> String {
    match line.char_indices().nth(width) {
        Some(_) => line.chars().take(width.saturating_sub(1)).collect::<String>() + "…",
        None => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_line_is_too_narrow_its_words_are_shortened_and_its_numbers_stay_whole() {
        let fields = |all: [&str; 4]| all.map(String::from).to_vec();
        let row = Row {
            fields: fields(["oltp.distinct_ranges", "utf8mb4-unicode", "9 830", "0.48 (0.39–0.57)"]),
            weight: 0.0,
            is_struck: false,
        };
        let mut table = Table { head: fields(["workload", "charset", "QPS", "÷ latin1"]), rows: vec![row], words: 2 };
        table.shorten_words(52);
        let widths = table.widths();
        let line = table.line(&table.rows[0].fields, &widths, 52);
        assert_eq!(line, "oltp.distinc…  utf8mb4-uni…  9 830  0.48 (0.39–0.57)");
    }
}
