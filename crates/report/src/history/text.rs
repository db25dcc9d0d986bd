//! For a terminal: a row per line with its first and last level, and below it every change as a sentence.

use super::{levels, with_unit};
use model::Status;
use model::history::{History, Line};

const HEADS: [&str; 5] = ["cell", "metric", "records", "level at first", "level now"];

pub fn text(history: &History) -> String {
    let rows: Vec<[String; 5]> = history.lines.iter().map(cells).collect();
    let heads = HEADS.map(str::to_string);
    let width = |i: usize| rows.iter().chain([&heads]).map(|row| row[i].chars().count()).max().unwrap_or(0);
    let padded = |row: &[String; 5]| {
        let cell = |(i, cell): (usize, &String)| cell.clone() + &" ".repeat(width(i) - cell.chars().count());
        row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let mut text = padded(&heads);
    for (line, row) in history.lines.iter().zip(&rows) {
        text += &padded(row);
        text.extend(
            line.changes
                .iter()
                .map(|c| format!("  {:<6}  {}\n", if c.better { "better" } else { "worse" }, c.sentence)),
        );
        let name = |at: usize| &history.records[line.points[at].record].name;
        text.extend(line.breaks.iter().map(|b| format!("  anew    from {} on: {}\n", name(b.at), b.why)));
    }
    text
}

fn cells(line: &Line) -> [String; 5] {
    let levels = levels(line);
    let failed = line.points.iter().filter(|p| p.status == Status::Fail).count();
    let failed = if failed > 0 { format!(" ({failed} failed)") } else { String::new() };
    [
        line.cell.clone(),
        line.metric.clone(),
        format!("{}{failed}", line.points.len()),
        with_unit(levels[0].2, &line.unit),
        with_unit(levels[levels.len() - 1].2, &line.unit),
    ]
}
