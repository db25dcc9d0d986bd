//! The plan as text for a terminal: every run in order with its seed and its place on each axis, then what it costs,
//! what cannot be run here, and what deserves a look. Facts that all cells share are said once, above.

use super::cost::{LOAD_ROWS_PER_SECOND, RUN_OVERHEAD};
use super::cpus::counted;
use super::{Cell, Plan, Skipped};
use crate::experiment::keys::KEYS;
use crate::load::{Group, Phase, PhaseKind, Until};
use crate::precision::Precision;
use crate::settings;
use crate::units::{Bytes, Nanos};
use crate::value::Value;
use crate::words::Kind;
use std::collections::BTreeMap;
use std::fmt::Write;

pub fn table(plan: &Plan) -> String {
    let mut text = format!(
        "{}{}, seed {}\n",
        plan.name,
        plan.scale.as_ref().map_or(String::new(), |s| format!(" at scale {s}")),
        plan.seed.0
    );
    let _ = writeln!(text, "{}\n", plan.question);
    text += &shared(plan);
    text += &columns(rows(plan));
    text += &totals(plan);
    for skipped in &plan.skipped {
        let _ = writeln!(text, "{}", not_here(skipped));
    }
    for warning in &plan.warnings {
        let _ = writeln!(text, "look at this: {warning}");
    }
    text
}

/// What cannot be run here, why, and what mends it.
pub fn not_here(skipped: &Skipped) -> String {
    let axes: Vec<_> = skipped.axes.iter().map(|(key, value)| format!("{key} = {}", axis_text(key, value))).collect();
    let colon = if axes.is_empty() { "" } else { ": " };
    format!("not here: {}{colon}{}", axes.join(", "), skipped.reason)
}

/// An axis value as a reader wants it: sizes with their unit.
pub fn axis_text(key: &str, value: &Value) -> String {
    let kind = key.strip_prefix("settings.").and_then(settings::by_name).map(|p| p.kind);
    match (kind, value) {
        (Some(Kind::Size), Value::Count(bytes)) => Bytes(bytes.unsigned_abs()).to_string(),
        (_, value) => value.to_string(),
    }
}

/// What every cell has in common, for keys that are no axis.
fn shared(plan: &Plan) -> String {
    let Some(first) = plan.cells.first() else { return String::new() };
    let common = first.parameters.iter().filter(|(k, v)| plan.cells.iter().all(|c| c.parameters.get(*k) == Some(v)));
    let common: BTreeMap<String, Value> = common.map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut lines = Vec::new();
    let mut say = |key: &str, value: &dyn Fn(&Cell) -> String| {
        let common = value(first);
        if plan.axes.iter().all(|a| a.key != key) && plan.cells.iter().all(|c| value(c) == common) && !common.is_empty()
        {
            lines.push(format!("{key}: {common}\n"));
        }
    };
    say("workload", &|c| c.workload.clone());
    let of = |section: &'static str| KEYS.iter().filter(move |k| k.section == section && k.is_told_alone());
    of("server").for_each(|key| say(key.name, &|c| c.asked(key).map_or(String::new(), |value| key.shown(&value))));
    say("settings", &|c| listed(&c.server.settings, plan));
    say("native", &|c| listed(&c.server.native, plan));
    say("parameters", &|_| parameters(&common, plan));
    let sought = first.search.as_ref().map_or("", |s| s.goal.axis());
    if sought != "users" {
        say("users", &|c| c.load.users.0.to_string());
    }
    if sought == "rate" {
        say("arrivals", &|c| c.load.arrivals.as_ref().map_or(String::new(), |a| a.process.to_string()));
    } else if plan.axes.iter().all(|a| a.key != "rate") {
        say("arrivals", &|c| c.load.arrivals.as_ref().map_or(String::new(), ToString::to_string));
    }
    say("search", &|c| c.search.as_ref().map_or(String::new(), ToString::to_string));
    for group in &first.groups {
        let name = &group.name;
        say(&format!("group {name}"), &|c| {
            c.groups.iter().find(|g| g.name == *name).map_or(String::new(), |g| group_text(g, plan))
        });
    }
    say("pause", &|c| c.load.pause.as_ref().map_or(String::new(), ToString::to_string));
    for key in of("load") {
        let said = |c: &Cell| c.asked(key).filter(|value| key.default.is_none_or(|default| default.value() != *value));
        say(key.name, &|c| said(c).map_or(String::new(), |value| key.shown(&value)));
    }
    say("phases", &|c| c.phases.iter().map(phase).collect::<Vec<_>>().join(", "));
    lines.concat() + &own_parameters(plan, &common) + "\n"
}

/// What a group does, but for what an axis says of it.
fn group_text(group: &Group, plan: &Plan) -> String {
    let fixed = |key: &str| plan.axes.iter().all(|a| a.key != format!("groups.{}.{key}", group.name));
    let own = group.work.parameters.iter().filter(|(name, _)| fixed(name)).map(|(n, v)| (n.clone(), v.clone()));
    let parts = [
        Some(group.work.workload.clone()),
        fixed("users").then(|| group.users.to_string()),
        group.arrivals.as_ref().filter(|_| fixed("rate")).map(ToString::to_string),
        group.pause.as_ref().map(ToString::to_string),
        Some(parameters(&own.collect(), plan)).filter(|p| !p.is_empty()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Parameters that are neither an axis nor common to all cells, by workload.
fn own_parameters(plan: &Plan, common: &BTreeMap<String, Value>) -> String {
    let mut by_workload = BTreeMap::new();
    for cell in &plan.cells {
        let own = cell.parameters.iter().filter(|(k, _)| !common.contains_key(*k));
        by_workload
            .entry(&cell.workload)
            .or_insert_with(|| parameters(&own.map(|(k, v)| (k.clone(), v.clone())).collect(), plan));
    }
    by_workload
        .into_iter()
        .filter(|(_, own)| !own.is_empty())
        .map(|(workload, own)| format!("{workload}: {own}\n"))
        .collect()
}

fn parameters(values: &BTreeMap<String, Value>, plan: &Plan) -> String {
    let fixed = values.iter().filter(|(name, _)| plan.axes.iter().all(|a| a.key != **name));
    fixed.map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}

fn listed(values: &BTreeMap<String, Value>, plan: &Plan) -> String {
    let is_axis = |name: &str| plan.axes.iter().any(|a| a.key.ends_with(&format!(".{name}")));
    let fixed = values.iter().filter(|(name, _)| !is_axis(name));
    fixed
        .map(|(name, value)| format!("{name} {}", axis_text(&format!("settings.{name}"), value)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn phase(phase: &Phase) -> String {
    let end = match phase.until {
        Until::Time(time) => time.to_string(),
        Until::Count(count) => format!("{count} operations"),
        Until::Rest(most) => return format!("{} until the server is at rest, at most {most}", phase.name),
    };
    let kind = match phase.kind {
        PhaseKind::Measure => "",
        PhaseKind::WarmUp => " (not measured)",
    };
    let disturb = phase.disturb.as_ref().map_or(String::new(), |d| format!(" with {d}"));
    let work = phase.work.as_ref().map_or(String::new(), |w| format!(" of {}", w.workload));
    let users = phase.users.map_or(String::new(), |u| format!(" by {u}"));
    let group = |g: &Group| {
        let rate = g.arrivals.as_ref().map(|arrivals| format!(" at {arrivals}"));
        format!("{}: {} by {}{}", g.name, g.work.workload, g.users, rate.unwrap_or_default())
    };
    let groups: Vec<String> = phase.groups.iter().map(group).collect();
    let groups = if groups.is_empty() { String::new() } else { format!(" of {}", groups.join(" beside ")) };
    format!("{} {end}{work}{users}{groups}{kind}{disturb}", phase.name)
}

fn rows(plan: &Plan) -> Vec<Vec<String>> {
    let searches = plan.searches();
    let [run, block] = if searches { ["first run", "runs"] } else { ["run", "block"] };
    let mut heading = vec!["#".to_string(), run.into(), block.into()];
    heading.extend(plan.axes.iter().map(|a| a.key.clone()));
    heading.extend(["seed".into(), String::new()]);
    let cells: BTreeMap<_, _> = plan.cells.iter().map(|c| (&c.id, c)).collect();
    let row = |(i, run): (usize, &super::PlannedRun)| {
        let cell = cells[&run.cell];
        let block =
            cell.search.as_ref().map_or_else(|| run.block.to_string(), |search| format!("at most {}", search.runs));
        let mut row = vec![(i + 1).to_string(), run.id.to_string(), block];
        row.extend(plan.axes.iter().map(|a| cell.axes.get(&a.key).map_or("–".into(), |v| axis_text(&a.key, v))));
        row.extend([
            run.seed.0.to_string(),
            match &cell.repeats {
                _ if run.explain => "explain".into(),
                _ if run.profile == Some(0) => "pair of a profile".into(),
                _ if run.profile.is_some() && run.spent.is_on_cpu() => "profile".into(),
                _ if run.profile.is_some() => "profile of waits".into(),
                Some(twin) => format!("A/A of {twin}"),
                None => String::new(),
            },
        ]);
        row
    };
    // Which levels the runs of a search take is not known before: one line tells them all.
    let told = plan.runs.iter().filter(|run| !searches || run.repetition == 1);
    std::iter::once(heading).chain(told.enumerate().map(row)).collect()
}

/// Columns of equal width, two blanks between them.
fn columns(rows: Vec<Vec<String>>) -> String {
    let width = |column: usize| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

fn totals(plan: &Plan) -> String {
    let twins = plan.cells.iter().filter(|c| c.repeats.is_some()).count();
    let cells = counted(plan.cells.len() - twins, "cell");
    let aa = if twins == 0 { "" } else { " and one again as an A/A arm" };
    let blocks = plan.runs.iter().filter(|r| !r.is_beside()).map(|r| r.block).max().unwrap_or(0) as usize;
    let (runs, most) = (counted(plan.runs.len(), "run"), if plan.is_at_most() { "at most " } else { "" });
    let blocks = if plan.searches() { "each a search".into() } else { counted(blocks, "block") };
    let mut text = format!("\n{cells}{aa}, {blocks}: {most}{runs}\n");
    let _ = writeln!(
        text,
        "time: {most}about {} (with {RUN_OVERHEAD} around each run{})",
        about(plan.cost.time),
        loading(plan.cost.rows)
    );
    if let Some(until) = &plan.until {
        let _ = writeln!(text, "repetitions: {until}, whole blocks, {} at least", Precision::FEWEST);
    }
    if plan.interleaved {
        let _ =
            writeln!(text, "turns: {} servers are up at once, and each test goes round all of them", plan.cells.len());
    }
    let _ = writeln!(text, "disk: about {}", plan.cost.disk);
    text
}

fn loading(rows: u64) -> String {
    if rows == 0 { String::new() } else { format!(", {rows} rows to load at {LOAD_ROWS_PER_SECOND} a second") }
}

/// Days where hours would be many.
fn about(time: Nanos) -> String {
    const DAY: u64 = 24 * 3600;
    if time < Nanos::from_secs(2 * DAY) {
        time.to_string()
    } else {
        format!("{} days", crate::units::round3(time.seconds() / DAY as f64))
    }
}
