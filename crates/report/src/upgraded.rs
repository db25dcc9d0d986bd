//! What an upgrade changes, for a terminal (one screen) and as Markdown (all of it). It draws what the judge says, and
//! computes nothing.

use model::Estimate;
use model::upgrade::{Change, Kind, Upgrade};

/// Changes that fit on the first screen; the report has all.
const SHOWN: usize = 6;
/// Findings told of each there, and notes below all.
const FINDINGS: usize = 2;
const NOTES: usize = 3;
/// Letters of a statement, of a finding and of a note in a line.
const LONG: usize = 96;

/// At most 25 lines, of which the first is the answer.
pub fn text(upgrade: &Upgrade) -> String {
    let mut lines = vec![upgrade.sentence.clone()];
    lines.extend(upgrade.struck.iter().map(|why| format!("Not to be believed: {why}")));
    lines.extend(overall(upgrade));
    // What says nothing about answers or times waits in the report.
    let told = upgrade.changes.iter().filter(|change| change.kind < Kind::Faster);
    let told: Vec<&Change> = told.collect();
    for change in told.iter().take(SHOWN) {
        lines.push(format!("{:>7}  {}", word(change.kind), cut(&change.text, LONG)));
        let what = of_time(change).into_iter().chain(change.findings.iter().take(FINDINGS).cloned());
        lines.extend(what.take(FINDINGS).map(|what| format!("         {}", cut(&what, LONG))));
    }
    let more = upgrade.changes.len() - told.len().min(SHOWN);
    if more > 0 {
        lines.push(format!("{more} more are in the report."));
    }
    lines.extend(upgrade.notes.iter().take(NOTES).map(|note| cut(note, 2 * LONG)));
    lines.join("\n") + "\n"
}

fn overall(upgrade: &Upgrade) -> Option<String> {
    let of = |what: &str, ratio: &Option<Estimate>| ratio.as_ref().map(|ratio| format!("{what} × {}", told(ratio)));
    let parts = [of("the statements' time", &upgrade.time), of("the server's CPU time", &upgrade.server_cpu)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let how = format!("{} pairs of replays, {} statements each", upgrade.blocks, upgrade.statements);
    (!parts.is_empty()).then(|| format!("{} against {}: {} ({how}).", upgrade.to, upgrade.from, parts.join(", ")))
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Fails => "fails",
        Kind::AnswersDifferently => "differs",
        Kind::Slower => "slower",
        Kind::Faster => "faster",
        Kind::OtherPlan => "plan",
        Kind::Warns => "warns",
    }
}

/// `1.21 (1.18 to 1.24)`.
fn told(ratio: &Estimate) -> String {
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("{:.2} ({low:.2} to {high:.2})", ratio.value),
        (None | Some(_), _) => format!("{:.2}", ratio.value),
    }
}

fn of_time(change: &Change) -> Option<String> {
    let ratio = change.time.as_ref().filter(|_| matches!(change.kind, Kind::Slower | Kind::Faster))?;
    let [from, to] = change.us;
    Some(format!(
        "× {}, {from:.0} → {to:.0} µs, {} times: {:+.1} % of all time",
        told(ratio),
        change.executions,
        change.cost * 100.0
    ))
}

fn cut(text: &str, long: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= long { line } else { line.chars().take(long - 1).chain(['…']).collect() }
}

pub fn markdown(upgrade: &Upgrade) -> String {
    let mut text = format!("# From {} to {}\n\n{}\n", upgrade.from, upgrade.to, upgrade.sentence);
    for why in &upgrade.struck {
        text += &format!("\n**Not to be believed:** {why}\n");
    }
    if let Some(overall) = overall(upgrade) {
        text += &format!("\n{overall}\n");
    }
    for kind in [Kind::Fails, Kind::AnswersDifferently, Kind::Slower, Kind::Faster, Kind::OtherPlan, Kind::Warns] {
        let own: Vec<&Change> = upgrade.changes.iter().filter(|change| change.kind == kind).collect();
        if own.is_empty() {
            continue;
        }
        text += &format!("\n## {} ({})\n", head(kind), own.len());
        own.iter().for_each(|change| text += &of_change(change));
    }
    if !upgrade.notes.is_empty() {
        text += "\n## Notes\n\n";
        upgrade.notes.iter().for_each(|note| text += &format!("- {note}\n"));
    }
    text
}

fn head(kind: Kind) -> &'static str {
    match kind {
        Kind::Fails => "They fail",
        Kind::AnswersDifferently => "They answer differently",
        Kind::Slower => "They are slower",
        Kind::Faster => "They are faster",
        Kind::OtherPlan => "Planned otherwise, and neither slower nor faster for it",
        Kind::Warns => "They warn where they did not",
    }
}

fn of_change(change: &Change) -> String {
    let mut text = format!("\n```sql\n{}\n```\n\n", change.text);
    text += &format!("- {} executions in a replay", change.executions);
    match of_time(change) {
        Some(time) => text += &format!("; {time}\n"),
        None => text += "\n",
    }
    change.findings.iter().for_each(|finding| text += &format!("- {finding}\n"));
    if let Some([before, after]) = &change.plans {
        text += &format!("\n| plan before | plan after |\n|---|---|\n| {} | {} |\n", cell(before), cell(after));
    }
    text
}

fn cell(plan: &str) -> String {
    plan.replace('|', "\\|").replace('\n', "<br>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Outcome;
    use model::upgrade::UPGRADE_SCHEMA;

    fn ratio(value: f64) -> Estimate {
        Estimate { value, low: Some(value - 0.02), high: Some(value + 0.02), n: 5, unit: "ratio".into() }
    }

    fn change(kind: Kind, text: &str, findings: &[&str]) -> Change {
        Change {
            digest: 0,
            text: text.into(),
            executions: 1200,
            kind,
            time: Some(ratio(3.5)),
            outcome: Outcome::Worse,
            us: [120.0, 420.0],
            cost: 0.11,
            differing: 0,
            compared: 1200,
            findings: findings.iter().map(ToString::to_string).collect(),
            plans: (kind == Kind::Slower).then(|| ["t ref by k".into(), "t ALL\nfilesort".into()]),
        }
    }

    fn upgrade() -> Upgrade {
        Upgrade {
            schema: UPGRADE_SCHEMA,
            from: "mysql-8.0.36".into(),
            to: "mysql-8.4.3".into(),
            sentence: "Of 412 statements on mysql-8.4.3, 1 is slower and costs 11.0 % of the time; 1 fails.".into(),
            struck: Vec::new(),
            notes: vec!["3 statements had a cursor: their rows are fetched at once.".into()],
            statements: 50_000,
            digests: 412,
            blocks: 5,
            time: Some(ratio(1.12)),
            server_cpu: Some(ratio(1.1)),
            changes: vec![
                change(Kind::Fails, "SELECT a, b FROM t GROUP BY a", &["error 1055: not in GROUP BY"]),
                change(Kind::Slower, "SELECT c FROM t WHERE k = ?", &["plan: t ALL, and was t ref by k"]),
                change(Kind::OtherPlan, "SELECT 1 FROM u", &[]),
            ],
        }
    }

    #[test]
    fn a_screen_begins_with_the_answer_and_names_what_is_worst_first() {
        insta::assert_snapshot!(text(&upgrade()));
    }

    #[test]
    fn the_report_has_all_of_it() {
        insta::assert_snapshot!(markdown(&upgrade()));
    }

    #[test]
    fn a_screen_is_no_longer_than_twenty_five_lines() {
        let many = (0..100).map(|_| change(Kind::Slower, &"SELECT x ".repeat(40), &["one", "two", "three"])).collect();
        let upgrade =
            Upgrade { changes: many, notes: vec!["a note".into(); 9], struck: vec!["one".into()], ..upgrade() };
        assert!(text(&upgrade).lines().count() <= 25, "{}", text(&upgrade));
    }
}
