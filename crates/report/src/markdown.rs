//! `report.md`: the report for a terminal, a review or a mail; also what the page shows without JavaScript. Claims
//! first, then one table per workload, then only those checks that did not pass. Three digits, units in the caption.

use crate::figures::{three, with_interval};
use crate::{axes, costs, explained, phases, plans, repeat, searches};
use model::errors;
use model::experiment::Axis;
use model::plan::{self};
use model::record::explain::Executed;
use model::{
    CellJudgement, DatasetRecord, ErrorCount, Estimate, InstanceRecord, Judgement, Nanos, Plan, Record, Status, Value,
    Verdict,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The metric of the tables: the first of these that any cell has.
pub const HEADLINES: [&str; 5] = ["knee_rate", "qps", "ops_per_s", "tps", "nopm"];

/// What a group's users are told beside it.
const TAIL: &str = "latency_us_p99";

/// Waits told per cell; the page has more.
const WAITS: usize = 10;

pub fn of(record: &Record, judgement: &Judgement) -> String {
    let parts = [
        heading(record),
        verdict(judgement),
        numbers(&record.plan, judgement),
        costs::of(&record.plan, judgement),
        phases::of(&record.plan, judgement),
        plans::of(judgement),
        errors(&record.plan, judgement),
        explained::findings(judgement),
        explained::forecasts(judgement),
        explained::accounts(&record.plan, judgement),
        waits(&record.plan, judgement),
        searches::of(judgement),
        checks(&record.plan, judgement),
        provenance(record),
        repeat(&record.plan),
    ];
    parts.concat()
}

fn heading(record: &Record) -> String {
    let plan = &record.plan;
    let scale = plan.scale.as_ref().map_or(String::new(), |s| format!("scale {s}, "));
    format!(
        "# {}\n\n{}\n\n{scale}{} cells, {} runs, seed {}.\n",
        plan.name,
        plan.question,
        plan.cells.len(),
        record.runs.len(),
        plan.seed.0
    )
}

fn verdict(judgement: &Judgement) -> String {
    let mut text = String::from("\n## Verdict\n\n");
    for claim in &judgement.claims {
        let _ = writeln!(text, "- **{}** {}", claim.status.word(), claim.sentence);
    }
    let count = |status| verdicts(judgement).filter(|(_, v)| v.verdict == status).count();
    let counts =
        [Status::Pass, Status::Warn, Status::Fail, Status::NotEvaluable].map(|s| format!("{} {}", count(s), s.word()));
    let absent = match count(Status::NotApplicable) {
        0 => String::new(),
        n => format!("; {n} {}", Status::NotApplicable.word()),
    };
    let _ = writeln!(text, "\nChecks: {}{absent}.", counts.join(", "));
    if !judgement.not_measured.is_empty() {
        text += "\nNot measured:\n\n";
    }
    for sentence in &judgement.not_measured {
        let _ = writeln!(text, "- {sentence}");
    }
    text
}

fn verdicts(judgement: &Judgement) -> impl Iterator<Item = (Option<&CellJudgement>, &Verdict)> {
    let of_cells = judgement.cells.iter().flat_map(|c| c.verdicts.iter().map(move |v| (Some(c), v)));
    judgement.verdicts.iter().map(|v| (None, v)).chain(of_cells)
}

fn numbers(plan: &Plan, judgement: &Judgement) -> String {
    let Some(metric) = HEADLINES.into_iter().find(|m| judgement.cells.iter().any(|c| c.metrics.contains_key(*m)))
    else {
        return String::from("\n## Numbers\n\nNo cell has a number.\n");
    };
    let unit = judgement.cells.iter().find_map(|c| c.metrics.get(metric)).map_or("", |e| e.unit.as_str());
    let mut workloads: Vec<&str> = Vec::new();
    for cell in &judgement.cells {
        if !workloads.contains(&cell.workload.as_str()) {
            workloads.push(&cell.workload);
        }
    }
    let mut text = format!(
        "\n## Numbers\n\n{metric} ({unit}), ± half of the 95 % interval; ~~struck~~: a check failed; without ±: too few repetitions for an interval; ≥: the client was in the way, and it is a lower bound.\n"
    );
    for workload in workloads {
        let cells: Vec<_> = judgement.cells.iter().filter(|c| c.workload == workload).collect();
        let _ = write!(text, "\n### {workload}\n\n{}", table(plan, &cells, Figure { group: None, metric }));
        text += &groups(plan, &cells, metric);
    }
    text
}

/// The same of each group apart, with the latency that its users met.
fn groups(plan: &Plan, cells: &[&CellJudgement], metric: &str) -> String {
    let mut text = String::new();
    for (name, group) in cells.iter().find(|c| !c.groups.is_empty()).iter().flat_map(|c| &c.groups) {
        for metric in [metric, TAIL] {
            let unit = group.metrics.get(metric).map_or("", |e| e.unit.as_str());
            let table = table(plan, cells, Figure { group: Some(name), metric });
            let _ = write!(text, "\n{name} ({}), {metric} ({unit})\n\n{table}", group.workload);
        }
    }
    text
}

/// What is told of a cell in a table.
#[derive(Clone, Copy)]
struct Figure<'a> {
    group: Option<&'a str>,
    metric: &'a str,
}

impl Figure<'_> {
    fn of<'c>(&self, cell: &'c CellJudgement) -> Option<&'c Estimate> {
        let metrics = match self.group {
            Some(group) => &cell.groups.get(group)?.metrics,
            None => &cell.metrics,
        };
        metrics.get(self.metric)
    }
}

/// Rows by every axis that varies but `x`, which goes across.
fn table(plan: &Plan, cells: &[&CellJudgement], figure: Figure) -> String {
    let x = axes::x(plan);
    let applies = |a: &&Axis| {
        a.key != "workload" && x.is_none_or(|x| x.key != a.key) && cells.iter().any(|c| c.axes.contains_key(&a.key))
    };
    let down: Vec<&Axis> = axes::varied(plan).into_iter().filter(applies).collect();
    let across: Vec<Option<&Value>> = x.map_or(vec![None], |x| x.values.iter().map(Some).collect());
    let mut rows: BTreeMap<Vec<usize>, Vec<&CellJudgement>> = BTreeMap::new();
    for cell in cells {
        let place = |a: &&Axis| a.values.iter().position(|v| cell.axes.get(&a.key) == Some(v)).unwrap_or(usize::MAX);
        rows.entry(down.iter().map(place).collect()).or_default().push(cell);
    }
    let corner = x.map_or(String::new(), |x| x.key.clone());
    let heads = down
        .iter()
        .map(|a| a.key.clone())
        .chain(across.iter().map(|v| format!("{corner} {}", v.map_or(String::new(), axes::text))));
    let mut text = format!(
        "| {} |\n|{}{}\n",
        heads.collect::<Vec<_>>().join(" | "),
        "---|".repeat(down.len()),
        "--:|".repeat(across.len())
    );
    for cells in rows.values() {
        let names = down.iter().map(|a| axes::shown(cells[0].axes.get(&a.key)));
        let at = |v: &Option<&Value>| cells.iter().find(|c| x.is_none_or(|x| c.axes.get(&x.key) == *v));
        let values = across.iter().map(|v| at(v).map_or(String::new(), |c| number(c, figure)));
        let _ = writeln!(text, "| {} |", names.chain(values).collect::<Vec<_>>().join(" | "));
    }
    text
}

fn number(cell: &CellJudgement, figure: Figure) -> String {
    let least = if cell.is_lower_bound() && HEADLINES.contains(&figure.metric) { "≥ " } else { "" };
    match (figure.of(cell), &cell.no_number) {
        (Some(estimate), _) if cell.status == Status::Fail => format!("~~{}~~", with_interval(estimate)),
        (Some(estimate), _) => format!("{least}{}", with_interval(estimate)),
        (None, Some(reason)) => format!("none: {reason}").replace('|', "\\|"),
        (None, None) => "–".to_string(),
    }
}

/// What went wrong and how often; silent about cells in which nothing did.
fn errors(plan: &Plan, judgement: &Judgement) -> String {
    let mut text = String::new();
    for (cell, errors) in judgement.cells.iter().filter_map(|c| Some((c, c.errors.as_ref()?))) {
        let counted = |count: u64, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let mut parts: Vec<String> = Vec::new();
        for e in &errors.by_number {
            let counts = [counted(e.retried, "tried again"), counted(e.failed, "failed")];
            let counts: Vec<_> = counts.into_iter().flatten().collect();
            parts.push(format!("{}: {}", counts.join(", "), told(e)));
        }
        parts.extend(counted(errors.reconnects, "sessions broke and were opened again"));
        parts.extend(counted(errors.renewed, "sessions were opened anew as asked"));
        if let (Some(p50), Some(p99)) = (errors.connect_us_p50, errors.connect_us_p99) {
            parts.push(format!("opening one took {} µs (p50), {} µs (p99)", three(p50), three(p99)));
        }
        let _ = writeln!(text, "- {} ({}): {}", cell.id, axes::label(plan, cell), parts.join("; "));
    }
    if text.is_empty() { text } else { format!("\n## Errors and retries\n\n{text}") }
}

/// A server's own message begins with the number or the state; the client's does not.
fn told(e: &ErrorCount) -> String {
    match e.message.as_deref().and_then(|message| message.lines().next()) {
        Some(message) if errors::is_named_in(message, e.number) => message.to_string(),
        Some(message) => format!("{} ({message})", e.error),
        None => e.error.clone(),
    }
}

/// Where the server waited longest, by cell, where its instruments were on.
fn waits(plan: &Plan, judgement: &Judgement) -> String {
    let mut text = String::new();
    for cell in &judgement.cells {
        let Some(explain) = &cell.explain else { continue };
        if text.is_empty() {
            text += "\n## Waits\n\nOf explain runs, whose instruments cost time themselves: none of them is in any number above.\n";
        }
        let _ = write!(
            text,
            "\n{} ({})\n\n| wait | ms | times | µs each |\n|---|--:|--:|--:|\n",
            cell.id,
            axes::label(plan, cell)
        );
        for wait in explain.waits.iter().take(WAITS) {
            let each = wait.time.micros() / wait.count as f64;
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                wait.event,
                three(wait.time.micros() / 1e3),
                wait.count,
                three(each)
            );
        }
        for Executed { statement, plan } in &explain.executed {
            let _ = write!(text, "\n`{statement}`, carried out once:\n\n```\n{plan}\n```\n");
        }
    }
    text
}

fn checks(plan: &Plan, judgement: &Judgement) -> String {
    let mut open: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (cell, v) in verdicts(judgement).filter(|(_, v)| v.verdict.is_open()) {
        open.entry((std::cmp::Reverse(v.verdict), v.check.as_str())).or_default().push((cell, v));
    }
    let mut text = String::from("\n## Checks that did not pass\n\n");
    if open.is_empty() {
        text += "None.\n";
    }
    for ((status, check), places) in open {
        let (cell, first) = places[0];
        let place = cell.map_or("the experiment".to_string(), |c| format!("{} ({})", c.id, axes::label(plan, c)));
        let more = if places.len() > 1 { format!(" and {} more", places.len() - 1) } else { String::new() };
        let _ =
            writeln!(text, "- **{}** `{check}` at {place}{more}: {} {}", status.0.word(), first.sentence, first.advice);
    }
    text
}

fn provenance(record: &Record) -> String {
    let host = &record.host;
    let mut text = format!(
        "\n## Provenance\n\n- host: {}, {} CPUs, {} memory, {}, kernel {}{}\n- assay: {}\n",
        host.cpu_model,
        host.cpus.len(),
        host.memory,
        host.distribution,
        host.kernel,
        host.virtualization.as_ref().map_or(String::new(), |v| format!(", under {v}")),
        host.assay
    );
    for i in &record.instances {
        let _ = writeln!(
            text,
            "- instance {}: {} {} ({}), engine {}, profile {}: {}",
            i.key,
            i.wanted.build,
            i.version,
            i.version_comment,
            i.wanted.engine,
            i.wanted.profile,
            settings(i)
        );
    }
    for d in &record.datasets {
        let _ = writeln!(
            text,
            "- dataset {}: {} tables, {} rows, {} of {} checked rows wrong{}",
            d.key,
            d.tables.len(),
            d.rows,
            d.rows_wrong,
            d.rows_checked,
            preparation(d)
        );
    }
    text += &restores(record);
    if let Some(canary) = &record.canary {
        let best = canary.points.iter().max_by(|a, b| a.qps.total_cmp(&b.qps));
        let ceiling = best.map_or(String::new(), |p| format!("{} statements/s at {} users", three(p.qps), p.users));
        let _ = writeln!(text, "- canary ({}): this machine's load reaches at most {ceiling}", canary.io);
        if let Some(choice) = &canary.choice {
            let _ = writeln!(text, "- users wait for answers: {choice}");
        }
    }
    let spent: u64 = record.runs.iter().map(|r| r.ended_unix_ms.saturating_sub(r.started_unix_ms)).sum();
    let _ = writeln!(text, "- {} runs took {}", record.runs.len(), Nanos::from_millis(spent));
    text
}

/// What was asked for, in the lab's words and the server's, and what this version has no use for.
fn settings(instance: &InstanceRecord) -> String {
    let wanted = &instance.wanted;
    let words = wanted.settings.iter().map(|(k, v)| format!("{k} {}", plan::axis_text(&format!("settings.{k}"), v)));
    let native = wanted.native.iter().map(|(k, v)| format!("{k}={v}"));
    let mut text = words.chain(native).collect::<Vec<_>>().join(", ");
    if !instance.not_applicable.is_empty() {
        text += &format!("; not applicable: {}", instance.not_applicable.join("; "));
    }
    text
}

/// What its load took, and what keeping it took.
fn preparation(dataset: &DatasetRecord) -> String {
    let load = dataset.load_time.map_or(String::new(), |time| format!("; loaded in {time}"));
    let kept = dataset.snapshot.as_ref().map_or(String::new(), |s| {
        let whose = if s.reused { ", by an earlier lab" } else { "" };
        format!("; kept as snapshot {} ({}) in {}{whose}", s.key, s.bytes, s.time)
    });
    format!("{load}{kept}")
}

/// How often data were restored, and how long that took.
fn restores(record: &Record) -> String {
    let starts = record.runs.iter().filter_map(|r| r.start.as_ref());
    // Runs that only read share one restore, the one before the first of them.
    let restored = starts.filter(|s| s.runs_before == 0).filter_map(|s| s.restored.as_ref());
    let mut times: Vec<(Nanos, &str)> = restored.map(|r| (r.time, r.manner.as_str())).collect();
    times.sort();
    match (times.first(), times.last()) {
        (Some((least, manner)), Some((most, _))) if times.len() > 1 => {
            format!("- {} restores by {manner}, {least} to {most} each\n", times.len())
        }
        (Some((time, manner)), _) => format!("- one restore by {manner}, {time}\n"),
        (None, _) => String::new(),
    }
}

fn repeat(plan: &Plan) -> String {
    format!(
        "\n## Repeat it\n\nThe record holds the experiment as it was written. Measure again, or draw this report again:\n\n    {}\n    assay report RECORD\n",
        repeat::command(plan)
    )
}
