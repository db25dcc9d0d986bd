//! A bisect as a table of the builds that were asked, and what came of it as a sentence. For a terminal and a log.

use model::Estimate;
use model::bisection::{Bisected, Bisection};

const HEADS: [&str; 4] = ["build", "pairs", "ratio to the good end", "side"];

pub fn text(told: &Bisection) -> String {
    let last = told.builds.len().saturating_sub(1);
    let asked = |(at, build): &(usize, &Bisected)| {
        [0, last].contains(at) || !build.ratios.is_empty() || build.skipped.is_some()
    };
    let rows: Vec<[String; 4]> =
        told.builds.iter().enumerate().filter(asked).map(|(at, build)| cells(at == 0, build)).collect();
    let heads = HEADS.map(str::to_string);
    let width = |i: usize| rows.iter().chain([&heads]).map(|row| row[i].chars().count()).max().unwrap_or(0);
    let line = |row: &[String; 4]| {
        let padded = row.iter().enumerate().map(|(i, cell)| {
            let space = " ".repeat(width(i) - cell.chars().count());
            if i == 1 { space + cell } else { cell.clone() + &space }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let mut text = line(&heads);
    text.extend(rows.iter().map(line));
    if let Some(answer) = &told.answer {
        text += &format!("\n{}\n", answer.sentence());
    }
    let mut doubts: Vec<&String> = told.builds.iter().flat_map(|build| &build.doubts).collect();
    doubts.sort();
    doubts.dedup();
    if !doubts.is_empty() {
        let names: Vec<&str> = doubts.iter().map(|check| check.as_str()).collect();
        text += &format!(
            "\nChecks of how undisturbed the runs were failed in some records ({}): that noise is in the ratios, and a \
             quieter machine would need fewer pairs.\n",
            names.join(", ")
        );
    }
    text
}

fn cells(is_good_end: bool, build: &Bisected) -> [String; 4] {
    let side = match (&build.skipped, build.side) {
        _ if is_good_end => "good end".into(),
        (Some(why), _) => format!("skipped: {why}"),
        (None, Some(side)) => {
            let word = if side.is_bad { "bad" } else { "good" };
            format!("{word}, wrong by chance {:.2} %", side.error * 100.0)
        }
        (None, None) => "not told".into(),
    };
    let pairs = if build.ratios.is_empty() { String::new() } else { build.ratios.len().to_string() };
    [build.name.clone(), pairs, build.ratio.as_ref().map_or_else(String::new, ratio), side]
}

/// `0.951 (0.944 to 0.958)`.
fn ratio(ratio: &Estimate) -> String {
    match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!("{:.3} ({low:.3} to {high:.3})", ratio.value),
        (None | Some(_), _) => format!("{:.3}", ratio.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::bisection::{Answer, BISECTION_SCHEMA, Side};

    #[test]
    fn what_was_asked_stands_in_the_order_of_the_row_and_what_was_found_below() {
        let build = |name: &str| Bisected { name: name.into(), ..Bisected::default() };
        let measured = |name: &str, value: f64, is_bad: bool| Bisected {
            ratios: vec![value; 4],
            ratio: Some(Estimate {
                value,
                low: Some(value - 0.01),
                high: Some(value + 0.01),
                n: 4,
                unit: "ratio".into(),
            }),
            side: Some(Side { is_bad, error: 0.0012 }),
            doubts: vec!["machine_was_quiet".into()],
            ..build(name)
        };
        let skipped = Bisected { skipped: Some("its command ended with 125".into()), ..build("b2") };
        let builds = vec![build("b0"), build("b1"), skipped, measured("b3", 0.999, false), measured("b4", 0.95, true)];
        let sentence = "The first bad build is b4.".to_string();
        let answer = Answer::Found { first_bad: "b4".into(), or: Vec::new(), confidence: 0.99, sentence };
        insta::assert_snapshot!(text(&Bisection {
            schema: BISECTION_SCHEMA,
            experiment: "one".into(),
            metric: "qps".into(),
            limit: None,
            builds,
            answer: Some(answer),
        }));
    }
}
