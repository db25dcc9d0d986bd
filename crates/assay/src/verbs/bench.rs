//! `assay bench`: one workload at a few levels of users, without a file. The arguments become an experiment and go the
//! way of `assay run`, so that a quick number has the same checks and the same record as a study's. Each call measures
//! anew: its record lies in a fresh folder, and is never resumed.

use super::{Verb, run};
use crate::arguments::{flag, many, needed, option, said};
use crate::exit::{self, Exit};
use crate::out;
use crate::question;
use clap::{Arg, ArgMatches, Command};
use model::{Judgement, Standing};
use std::fmt::Write;
use std::path::PathBuf;

/// The workload that only the sham server answers.
pub const OF_SHAM: &str = "noop";

pub const VERB: Verb = Verb { name: "bench", command, run: bench };

fn command(command: Command) -> Command {
    command.about("Measure one workload, without a file").args([
        needed("workload", "WORKLOAD", "As oltp.point_selects"),
        option("users", "N,N", "Levels of users, one line each").default_value("1"),
        option("for", "TIME", "How long each level is measured, after a second of warm-up").default_value("10s"),
        option("on", "BUILD|DSN", "A build, or a server: mysql://root@localhost/schema?socket=PATH"),
        many("set", "KEY=VALUE", "A parameter of the workload, as rows=1000, or any key of an experiment"),
        Arg::new("io")
            .long("io")
            .value_name("BACKEND")
            .value_parser(["auto", "blocking", "io_uring", "epoll"])
            .default_value("auto"),
        option("out", "DIR", "The record's folder [default: a fresh one among the temporary files]"),
        flag("json", "Print each level as a cell of report.json"),
    ])
}

fn bench(matches: &ArgMatches) -> Result<Exit, Exit> {
    let text = |name: &str| said(matches, name);
    let workload = text("workload");
    let on = matches.get_one::<String>("on").map(String::as_str);
    needs_sham(workload, on)?;
    let composed = compose(workload, text("users"), text("for"), text("io")).map_err(exit::refused)?;
    let mut sets = question::sets(matches)?;
    for (key, _) in sets.iter_mut().filter(|(key, _)| !key.contains('.')) {
        *key = format!("workload.{workload}.{key}");
    }
    sets.extend(on.map(question::server));
    let question = question::resolve("bench", "assay bench", &composed, None, sets)?;
    let folder = matches.get_one::<String>("out").map_or_else(fresh_folder, PathBuf::from);
    run::go(&question, &folder, |_, judgement| {
        if matches.get_flag("json") {
            run::print_cells(judgement);
        } else {
            out!("{}", lines(judgement).trim_end());
            eprintln!("{} The record: {}", judgement.health.sentence, folder.display());
        }
    })
}

/// Refuses the workload that measures assay itself, where it would meet a server that assay starts.
pub fn needs_sham(workload: &str, on: Option<&str>) -> Result<(), Exit> {
    if workload == OF_SHAM && !on.is_some_and(|on| on.contains("://")) {
        let why = "noop measures assay itself on a sham server, and a server that assay starts has no table for it";
        return Err(exit::refused(format!("{why}\n    take oltp.point_selects, which asks the same of a table")));
    }
    Ok(())
}

/// The experiment that the arguments mean.
fn compose(workload: &str, users: &str, measure: &str, io: &str) -> Result<String, String> {
    let levels: Result<Vec<u32>, _> = users.split(',').map(|n| n.trim().parse()).collect();
    let levels = levels.map_err(|_| format!("--users {users}: write numbers with commas, as --users 1,4,16"))?;
    Ok(format!(
        "question = {:?}\n\n[axes]\nworkload = [{workload:?}]\nusers = {levels:?}\n\n\
         [load]\nwarm_up = \"1s\"\nmeasure = {measure:?}\nio = {io:?}\n\n[repeat]\nrepetitions = 1\naa = false\n",
        format!("What does this server give {workload}?")
    ))
}

fn fresh_folder() -> PathBuf {
    std::env::temp_dir().join(format!("assay-bench-{}-{}", std::process::id(), lab::notebook::unix_ms()))
}

/// What stands in a column: its head, the metric, digits after the point.
const COLUMNS: &[(&str, &str, usize)] = &[
    ("QPS", "qps", 0),
    ("p50 µs", "latency_us_p50", 0),
    ("p99 µs", "latency_us_p99", 0),
    ("p99.9 µs", "latency_us_p99.9", 0),
    ("client µs/stmt", "client_cpu_us_per_statement", 2),
    ("server µs/stmt", "server_cpu_us_per_statement", 2),
];

/// One line per level and nothing else; why a number does not stand is at the end of its line.
fn lines(judgement: &Judgement) -> String {
    let mut out = format!("{:>6}", "users");
    for (head, ..) in COLUMNS {
        let _ = write!(out, "  {head:>width$}", width = width(head));
    }
    out.push('\n');
    for cell in &judgement.cells {
        let _ = write!(out, "{:>6}", cell.axes.get("users").map_or_else(String::new, ToString::to_string));
        if let Some(reason) = &cell.no_number {
            let _ = writeln!(out, "  {reason}");
            continue;
        }
        for (head, metric, digits) in COLUMNS {
            let value = cell.metrics.get(*metric).map_or_else(|| "–".into(), |e| format!("{:.digits$}", e.value));
            let _ = write!(out, "  {value:>width$}", width = width(head));
        }
        if let Some(reason) = judgement.health.of(&cell.id) {
            let what = if reason.standing == Standing::LowerBound { "at least" } else { "struck" };
            let _ = write!(out, "  {what}: {}", reason.because);
        }
        out.push('\n');
    }
    out
}

fn width(head: &str) -> usize {
    head.chars().count().max(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::estimate::Estimate;
    use model::plan::CellId;
    use model::value::Value;
    use model::{CellJudgement, Health, Reason, Status};
    use std::collections::BTreeMap;

    #[test]
    fn the_arguments_become_an_experiment() {
        insta::assert_snapshot!(compose("oltp.point_selects", "1, 64", "10s", "epoll").unwrap());
        assert!(compose("noop", "1;2", "10s", "auto").unwrap_err().contains("--users 1,4,16"));
    }

    fn cell(users: i64, metrics: &[(&str, f64)], no_number: Option<&str>) -> CellJudgement {
        let estimate = |value| Estimate { value, low: None, high: None, n: 1, unit: String::new() };
        CellJudgement {
            id: CellId(format!("c{users:03}")),
            axes: BTreeMap::from([("users".to_string(), Value::Count(users))]),
            workload: "oltp.point_selects".into(),
            metrics: metrics.iter().map(|(name, value)| (name.to_string(), estimate(*value))).collect(),
            operations: BTreeMap::new(),
            statements: BTreeMap::new(),
            groups: BTreeMap::new(),
            phases: Vec::new(),
            repetitions: BTreeMap::new(),
            runs: Vec::new(),
            status: Status::Pass,
            verdicts: Vec::new(),
            bound: None,
            account: None,
            explain: None,
            no_number: no_number.map(Into::into),
            errors: None,
        }
    }

    #[test]
    fn a_level_is_a_line_and_says_at_its_end_why_it_does_not_stand() {
        let metrics = |qps| {
            [
                ("qps", qps),
                ("latency_us_p50", 81.2),
                ("latency_us_p99", 204.9),
                ("latency_us_p99.9", 1530.0),
                ("client_cpu_us_per_statement", 3.217),
            ]
        };
        let cells = vec![
            cell(1, &metrics(12_345.6), None),
            cell(64, &metrics(80_000.0), None),
            cell(2000, &[], Some("too many connections")),
        ];
        let reason = Reason {
            standing: Standing::Struck,
            because: "other processes used the CPU".into(),
            numbers: 1,
            cells: vec![cells[1].id.clone()],
            advice: String::new(),
        };
        let judgement = Judgement {
            cells,
            verdicts: Vec::new(),
            comparisons: Vec::new(),
            overall: Vec::new(),
            findings: Vec::new(),
            claims: Vec::new(),
            searches: Vec::new(),
            functions: Vec::new(),
            function_diffs: Vec::new(),
            curves: Vec::new(),
            plans: Vec::new(),
            forecasts: Vec::new(),
            not_measured: Vec::new(),
            made_of: BTreeMap::new(),
            health: Health { reasons: vec![reason], ..Health::default() },
        };
        insta::assert_snapshot!(lines(&judgement));
    }
}
