//! For a pull request: the table, and the differences folded away below it.

use super::{Broken, HEADS, cells, difference, pairs, stands_on, summary};
use model::compared::Compared;

pub fn markdown(compared: &Compared, broken: &Broken) -> String {
    let safe = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut text = format!("### {} → {}\n\n{}\n\n", compared.base, compared.candidate, summary(compared, broken));
    text.extend(stands_on(compared).map(|told| format!("{told}\n\n")));
    text += &format!("| {} |\n|---|---|--:|--:|---|---|\n", HEADS.join(" | "));
    for (i, row) in compared.rows.iter().enumerate() {
        let mut cells = cells(row, broken.get(&i)).map(|cell| safe(&cell));
        if broken.contains_key(&i) {
            cells[5] = format!("**{}**", cells[5]);
        }
        text += &format!("| {} |\n", cells.join(" | "));
    }
    if !compared.moved.is_empty() {
        text += "\nWhich side moved:\n\n";
    }
    text.extend(compared.moved.iter().map(|moved| format!("- {}\n", safe(&moved.sentence))));
    if !compared.differences.is_empty() {
        text += &format!("\n<details><summary>{} things differ besides</summary>\n\n", compared.differences.len());
        let pairs = pairs(compared);
        text.extend(
            compared.differences.iter().map(|d| format!("- `{}`\n", safe(&difference(d, pairs)).replace('`', "'"))),
        );
        text += "\n</details>\n";
    }
    if !compared.unmatched.is_empty() {
        text += &format!("\nWithout a counterpart: {}.\n", safe(&compared.unmatched.join("; ")));
    }
    text
}
