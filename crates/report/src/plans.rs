//! How statements were carried out, for the Markdown report: one table for each place on the other axes, the cells of
//! one axis beside each other, bold where something differs from the first of them. Below the plan stand the rows that
//! it read and the time that it took, because a plan that only looks worse costs nothing.

use crate::figures::three;
use model::judgement::{Judgement, PlanCell, PlanRow, PlanTable};
use std::fmt::Write;

pub fn of(judgement: &Judgement) -> String {
    let mut text = String::new();
    if !judgement.plans.is_empty() {
        text += "\n## Plans\n\nEach statement as the server meant to carry it out when its phase began, of several iterations the last; **bold** differs \
                 from the first column. Then the rows that one execution alone read, the rows read per statement of the phase, and the mean \
                 time of the statement.\n";
    }
    for table in &judgement.plans {
        let place = if table.place.is_empty() { String::new() } else { format!(", {}", table.place) };
        let _ = write!(text, "\n### {}{place}\n\n{}", table.axis, rows(table));
    }
    text
}

fn rows(table: &PlanTable) -> String {
    let heads: Vec<String> = table.columns.iter().map(|c| format!("{} ({})", c.value, c.cell)).collect();
    let mut text = format!("| statement | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    let keys = table.columns.iter().map(|column| {
        let key = column.primary_key.as_deref().unwrap_or("–");
        if column.key_differs { format!("**{key}**") } else { key.to_string() }
    });
    let _ = writeln!(text, "| primary key | {} |", keys.collect::<Vec<_>>().join(" | "));
    for PlanRow { phase, statement, cells } in &table.rows {
        let told: Vec<String> = cells.iter().map(|cell| cell.as_ref().map_or("–".into(), of_cell)).collect();
        let _ = writeln!(text, "| {phase}: `{statement}` | {} |", told.join(" | "));
    }
    text
}

/// `range, PRIMARY, key length **11**, rows 100; 100 rows read (101 in the phase), 210 µs`.
fn of_cell(cell: &PlanCell) -> String {
    let part = |part: &model::judgement::PlanPart| {
        let text = match part.name.as_str() {
            "access" | "key" => part.text.clone(),
            name => format!("{name} {}", part.text),
        };
        // A bar would end the column.
        let text = text.replace('|', "\\|");
        if part.differs { format!("**{text}**") } else { text }
    };
    let plan = if cell.parts.is_empty() {
        "not explained".to_string()
    } else {
        cell.parts.iter().map(part).collect::<Vec<_>>().join(", ")
    };
    let measured = cell.measured_reads.map_or(String::new(), |reads| format!(" ({} in the phase)", three(reads)));
    let time = cell.us.as_ref().map_or(String::new(), |us| format!(", {} µs", three(us.value)));
    let rows = if cell.reads == 1 { "row" } else { "rows" };
    format!("{plan}; {} {rows} read{measured}{time}", cell.reads)
}
