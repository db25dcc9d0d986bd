//! A metric over records in the forms that people read: a table for a terminal, and one page that opens offline, with a
//! drawing per line. Drawn as static SVG, since there is nothing to choose; nothing is computed here but where ink
//! goes.

mod page;
mod text;

pub use page::page;
pub use text::text;

use crate::figures::three;
use model::history::Line;

/// Middle of ascending or unordered values; lines have a point at least.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Stretches of points with one level, and that level.
fn levels(line: &Line) -> Vec<(usize, usize, f64)> {
    let changes = line.changes.iter().map(|c| (c.before, c.after));
    let mut cuts: Vec<(usize, usize)> = changes.chain(line.breaks.iter().map(|b| (b.at - 1, b.at))).collect();
    cuts.sort_unstable();
    let begins = [0].into_iter().chain(cuts.iter().map(|(_, after)| *after));
    let ends = cuts.iter().map(|(before, _)| *before).chain([line.points.len() - 1]);
    let level = |from: usize, to: usize| median(line.points[from..=to].iter().map(|p| p.estimate.value).collect());
    begins.zip(ends).map(|(from, to)| (from, to, level(from, to))).collect()
}

/// `20500 statements/s`.
fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", three(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::compared::Difference;
    use model::estimate::Estimate;
    use model::history::{Break, Change, HISTORY_SCHEMA, History, Member, Point};
    use model::verdict::Status;

    /// Ten records, a fall after the fifth, a failed check in the eighth.
    fn history() -> History {
        let estimate = |value: f64| Estimate {
            value,
            low: Some(value * 0.98),
            high: Some(value * 1.02),
            n: 5,
            unit: "statements/s".into(),
        };
        let member = |i: u64| Member {
            name: format!("night-{i}<b>"),
            started_unix_ms: 1_700_000_000_000 + i * 86_400_000,
            machine: "2 × CPU".into(),
            builds: vec!["mariadb-10.11".into()],
            servers: vec!["10.11.6-MariaDB (0123456789ab)".into()],
        };
        let point = |record: usize| Point {
            record,
            estimate: estimate(if record < 5 { 20_000.0 } else { 18_000.0 }),
            status: if record == 7 { Status::Fail } else { Status::Pass },
        };
        let change = Change {
            before: 4,
            after: 5,
            ratio: Estimate { unit: "ratio".into(), ..estimate(0.9) },
            better: false,
            sentence: "qps fell by 10 % between night-4 and night-5 (ratio 0.9, 0.88 to 0.92).".into(),
            beside: vec![Difference {
                key: "host.kernel".into(),
                base: "6.1".into(),
                candidate: "6.2<b>".into(),
                work: false,
                pairs: 1,
            }],
        };
        let line = Line {
            workload: "oltp.mixed".into(),
            cell: "oltp.mixed (users 8)".into(),
            metric: "qps".into(),
            unit: "statements/s".into(),
            points: (0..10).map(point).collect(),
            changes: vec![change],
            breaks: vec![Break { at: 9, why: "another machine: 2 × CPU → 4 × CPU".into() }],
        };
        History { schema: HISTORY_SCHEMA, records: (0..10).map(member).collect(), lines: vec![line] }
    }

    #[test]
    fn a_line_says_its_levels_its_change_and_where_it_begins_anew() {
        insta::assert_snapshot!(text(&history()));
    }

    #[test]
    fn the_page_draws_every_point_and_hides_no_mark_up_of_a_name() {
        let page = page(&history());
        assert_eq!(page.matches("<circle").count(), 10);
        assert_eq!(page.matches(r#"class="point fail""#).count(), 1);
        assert_eq!(page.matches(r#"class="change worse""#).count(), 1);
        assert_eq!(page.matches(r#"class="level""#).count(), 3);
        assert!(page.contains("night-4&lt;b&gt;") && !page.contains("night-4<b>"));
        assert!(!page.contains("http"), "it opens offline");
    }
}
