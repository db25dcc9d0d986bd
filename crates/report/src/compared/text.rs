//! For a terminal: columns as wide as what they hold, then whose change a moved ratio is, and what else differs.

use super::{Broken, HEADS, cells, difference, pairs, stands_on, summary};
use model::compared::Compared;

pub fn text(compared: &Compared, broken: &Broken) -> String {
    let rows: Vec<[String; 6]> = compared.rows.iter().enumerate().map(|(i, row)| cells(row, broken.get(&i))).collect();
    let heads = HEADS.map(str::to_string);
    let width = |i: usize| rows.iter().chain([&heads]).map(|row| row[i].chars().count()).max().unwrap_or(0);
    let line = |row: &[String; 6]| {
        let padded = row.iter().enumerate().map(|(i, cell)| {
            let space = " ".repeat(width(i) - cell.chars().count());
            // Numbers to the right.
            if i == 2 || i == 3 { space + cell } else { cell.clone() + &space }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let mut text = format!("base       {}\ncandidate  {}\n\n", compared.base, compared.candidate);
    text.extend(stands_on(compared).map(|told| format!("{told}\n\n")));
    text += &line(&heads);
    text.extend(rows.iter().map(line));
    if !compared.moved.is_empty() {
        text += "\nWhich side moved:\n";
    }
    text.extend(compared.moved.iter().map(|moved| format!("  {}\n", moved.sentence)));
    if !compared.differences.is_empty() {
        text += "\nWhat else differs:\n";
    }
    let pairs = pairs(compared);
    text.extend(compared.differences.iter().map(|d| format!("  {}\n", difference(d, pairs))));
    text.extend(compared.unmatched.iter().map(|cell| format!("Without a counterpart: {cell}.\n")));
    text + "\n" + &summary(compared, broken) + "\n"
}
