//! One page: a drawing per line, its points with their intervals, its levels, and a band where it changed. Each point
//! says its record and value when it is pointed at; one that failed a check is hollow.

use super::{levels, with_unit};
use crate::compared::difference;
use crate::formats::utc;
use crate::page::in_text;
use model::Status;
use model::compared::Difference;
use model::history::{History, Line, Member, Point};
use std::fmt::Write;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 180.0;
/// For what is written beside and below.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 22.0;
/// Letters of a date.
const DAY: usize = 10;
/// Differences of a change that are told, and those that are told unasked.
const TOLD: usize = 40;
const FEW: usize = 6;
/// Room above and below the highest and lowest interval.
const ROOM: f64 = 0.05;

const STYLE: &str = "
:root{color-scheme:light dark;--ink:#1c2430;--faint:#8a94a3;--line:#2f6fb0;--bad:#c0392b;--good:#2e8b57;--paper:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--faint:#7b8594;--line:#7ab0e6;--bad:#ec7063;--good:#6fcf97;--paper:#14181f}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:940px;margin:24px auto;padding:0 16px}
h1{font-size:22px}h2{font-size:16px;margin:28px 0 4px}p{margin:2px 0}svg{width:100%;min-width:640px;height:auto}
.scroll{overflow-x:auto}details{font-size:13px}details ul{margin:2px 0 6px;padding-left:20px;overflow-wrap:anywhere}h2,p{overflow-wrap:anywhere}.marks{color:var(--faint);font-size:13px}
text{font:11px system-ui,sans-serif;fill:var(--faint)}
.axis{stroke:var(--faint);stroke-width:.5}.interval{stroke:var(--line);opacity:.5}
.point{fill:var(--line)}.point.warn{fill:var(--paper);stroke:var(--line);stroke-width:2}
.point.fail{fill:var(--paper);stroke:var(--faint);stroke-dasharray:2 2}
.level{stroke:var(--ink);stroke-width:1.5}.change{opacity:.18}.change.worse{fill:var(--bad)}.change.better{fill:var(--good)}
.anew{stroke:var(--faint);stroke-dasharray:4 3}.worse{color:var(--bad)}.better{color:var(--good)}.anew-told{color:var(--faint)}
";

const MARKS: &str = "A point is a record with its 95 % interval: hollow where a check warned, dashed where one failed, and then part of no \
                     level. A line is a level; a band lies where it changed, a dashed line where something else begins.";

pub fn page(history: &History) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>assay history</title><style>{STYLE}</style></head><body>\n\
         <h1>{} records, oldest first</h1>\n<p class=\"marks\">{MARKS}</p>\n",
        history.records.len()
    );
    history.lines.iter().for_each(|line| section(&mut html, history, line));
    html + "</body></html>\n"
}

fn section(html: &mut String, history: &History, line: &Line) {
    let put = "writing to a String cannot fail";
    let unit = if line.unit.is_empty() { String::new() } else { format!(" ({})", in_text(&line.unit)) };
    writeln!(html, "<h2>{} · {}{unit}</h2>", in_text(&line.cell), in_text(&line.metric)).expect(put);
    for change in &line.changes {
        let class = if change.better { "better" } else { "worse" };
        writeln!(html, "<p class=\"{class}\">{}</p>", in_text(&change.sentence)).expect(put);
        beside(html, &change.beside).expect(put);
    }
    for anew in &line.breaks {
        let name = &history.records[line.points[anew.at].record].name;
        writeln!(html, "<p class=\"anew-told\">From {} on: {}.</p>", in_text(name), in_text(&anew.why)).expect(put);
    }
    drawing(html, history, line).expect(put);
}

/// What else differs between the two records of a change: a change of level is that of one of these, or of what nobody
/// wrote down.
fn beside(html: &mut String, all: &[Difference]) -> std::fmt::Result {
    if all.is_empty() {
        return Ok(());
    }
    let told: Vec<String> =
        all.iter().take(TOLD).map(|one| format!("<li>{}</li>", in_text(&difference(one, 0)))).collect();
    let more = all.len().saturating_sub(TOLD);
    let more = if more > 0 { format!("<li>and {more} more</li>") } else { String::new() };
    let open = if all.len() <= FEW { " open" } else { "" };
    let n = all.len();
    let things = if n == 1 { "thing differs" } else { "things differ" };
    writeln!(
        html,
        "<details{open}><summary>{n} other {things} between the two</summary><ul>{}{more}</ul></details>",
        told.concat()
    )
}

/// Where a line's points come to lie.
struct Scale {
    low: f64,
    high: f64,
    points: usize,
}

impl Scale {
    fn of(line: &Line) -> Self {
        let ends =
            |p: &Point| [p.estimate.low.unwrap_or(p.estimate.value), p.estimate.high.unwrap_or(p.estimate.value)];
        let all: Vec<f64> = line.points.iter().flat_map(ends).collect();
        let (low, high) = all.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(*x), high.max(*x)));
        let room = ROOM * (high - low).max(high * ROOM);
        Self { low: (low - room).max(0.0), high: high + room, points: line.points.len() }
    }
    /// A single point stands in the middle.
    fn x(&self, point: usize) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (point as f64 + 0.5) / self.points as f64
    }
    fn y(&self, value: f64) -> f64 {
        TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / (self.high - self.low)
    }
}

fn drawing(html: &mut String, history: &History, line: &Line) -> std::fmt::Result {
    let scale = Scale::of(line);
    let (bottom, name) = (HEIGHT - BOTTOM, |i: usize| &history.records[line.points[i].record].name);
    writeln!(
        html,
        "<div class=\"scroll\">\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        in_text(&line.cell)
    )?;
    for value in [scale.low, (scale.low + scale.high) / 2.0, scale.high] {
        let y = scale.y(value);
        writeln!(html, "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>", WIDTH - RIGHT)?;
        let shown = in_text(&crate::figures::three(value));
        writeln!(html, "<text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{shown}</text>", LEFT - 6.0, y + 4.0)?;
    }
    for change in &line.changes {
        let (from, to) = (scale.x(change.before), scale.x(change.after));
        let class = if change.better { "better" } else { "worse" };
        let (width, height) = (to - from, bottom - TOP);
        writeln!(
            html,
            "<rect class=\"change {class}\" x=\"{from:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{height}\"/>"
        )?;
    }
    for anew in &line.breaks {
        let x = (scale.x(anew.at - 1) + scale.x(anew.at)) / 2.0;
        writeln!(html, "<line class=\"anew\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>")?;
    }
    for (from, to, level) in levels(line) {
        let (from, to, y) = (scale.x(from) - 4.0, scale.x(to) + 4.0, scale.y(level));
        writeln!(html, "<line class=\"level\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>")?;
    }
    for (i, point) in line.points.iter().enumerate() {
        mark(html, &scale, i, point, &history.records[point.record], &line.unit)?;
    }
    let day =
        |i: usize| utc(history.records[line.points[i].record].started_unix_ms).chars().take(DAY).collect::<String>();
    let end = |i: usize| in_text(&format!("{}, {}", name(i), day(i)));
    let (first, last) = (end(0), end(line.points.len() - 1));
    writeln!(html, "<text x=\"{LEFT}\" y=\"{:.0}\">{first}</text>", HEIGHT - 6.0)?;
    writeln!(
        html,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{last}</text></svg>\n</div>",
        WIDTH - RIGHT,
        HEIGHT - 6.0
    )
}

fn mark(html: &mut String, scale: &Scale, i: usize, point: &Point, member: &Member, unit: &str) -> std::fmt::Result {
    let (x, estimate) = (scale.x(i), &point.estimate);
    if let (Some(low), Some(high)) = (estimate.low, estimate.high) {
        let (low, high) = (scale.y(low), scale.y(high));
        writeln!(html, "<line class=\"interval\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\"/>")?;
    }
    let class = match point.status {
        Status::NotApplicable | Status::Pass | Status::NotEvaluable => "point",
        Status::Warn => "point warn",
        Status::Fail => "point fail",
    };
    let (value, n, status) = (with_unit(estimate.value, unit), estimate.n, point.status.word());
    let (day, made) = (utc(member.started_unix_ms), [&member.builds[..], &member.servers].concat().join(", "));
    let told = format!("{}: {value}, n={n}, {status}\n{day}\n{made}", member.name);
    let y = scale.y(estimate.value);
    writeln!(
        html,
        "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
        in_text(&told)
    )
}
