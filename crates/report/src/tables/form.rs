//! A table as Markdown for a review, a blog or an issue, and as tab-separated values for a spreadsheet. Both hold the
//! same cells; a struck one is crossed out in the first and says so in the second.

use super::{Pasted, PastedCell, PastedGroup};
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Markdown,
    Tsv,
}

impl Form {
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "markdown" => Ok(Self::Markdown),
            "tsv" => Ok(Self::Tsv),
            other => {
                Err(format!("a table is written as markdown or tsv, not as {other:?}; write --as markdown or --as tsv"))
            }
        }
    }
}

/// Written out in both forms.
pub fn pasted(name: &'static str, title: String, note: String, heads: Vec<String>, groups: Vec<PastedGroup>) -> Pasted {
    let mut table = Pasted { name, title, note, heads, groups, markdown: String::new(), tsv: String::new() };
    table.markdown = markdown(&table);
    table.tsv = tsv(&table);
    table
}

fn markdown(table: &Pasted) -> String {
    let put = "writing to a String cannot fail";
    let safe = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut text = format!("{}\n", table.title);
    // Its title says that there is nothing.
    if table.groups.is_empty() {
        return text;
    }
    text.push('\n');
    let heads: Vec<String> = table.heads.iter().map(|head| safe(head)).collect();
    writeln!(text, "| {} |\n|---|{}", heads.join(" | "), "--:|".repeat(heads.len() - 1)).expect(put);
    for group in &table.groups {
        writeln!(text, "| **{}** |{}", safe(&group.name), " |".repeat(heads.len() - 1)).expect(put);
        for row in &group.rows {
            let cell =
                |cell: &PastedCell| if cell.struck { format!("~~{}~~", safe(&cell.text)) } else { safe(&cell.text) };
            writeln!(text, "| {} |", row.iter().map(cell).collect::<Vec<_>>().join(" | ")).expect(put);
        }
    }
    writeln!(text, "\n{}", table.note).expect(put);
    text
}

/// The group is a column of its own, so that a spreadsheet can sort by it.
fn tsv(table: &Pasted) -> String {
    let safe = |text: &str| text.replace(['\t', '\n'], " ");
    let heads = ["group"].into_iter().chain(table.heads.iter().map(String::as_str)).map(safe);
    let mut text = heads.collect::<Vec<_>>().join("\t") + "\n";
    for group in &table.groups {
        for row in &group.rows {
            let cell = |(at, cell): (usize, &PastedCell)| {
                let text = if at == 0 { cell.text.clone() } else { together(&cell.text) };
                safe(&if cell.struck { format!("{text} struck") } else { text })
            };
            let cells = [safe(&group.name)].into_iter().chain(row.iter().enumerate().map(cell));
            text += &(cells.collect::<Vec<_>>().join("\t") + "\n");
        }
    }
    text
}

/// A number of a spreadsheet has no thousands apart.
fn together(text: &str) -> String {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let parts: Vec<&str> = text.split(' ').collect();
    let apart = |pair: &[&str]| is_digit(pair[0].chars().last()) && is_digit(pair[1].chars().next());
    let joints = parts.windows(2).map(|pair| if apart(pair) { "" } else { " " }).chain([""]);
    parts.iter().zip(joints).flat_map(|(part, joint)| [*part, joint]).collect()
}
