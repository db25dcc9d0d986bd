//! The moment as OpenMetrics text, for a monitor that asks now and then: how far the lab is, what the run under way
//! does in its last second, what is about to fail, and each run that is over. Names begin with `assay_lab_`. What
//! stands and what is struck is not known before a record is judged; that is `assay report --as openmetrics`.

use crate::formats::labelled;
use model::live::{LiveLane, Moment};
use std::fmt::Write;

const PUT: &str = "writing to a String cannot fail";
const MICROS: f64 = 1e6;

pub fn openmetrics(experiment: &str, moment: &Moment) -> String {
    let mut text = String::new();
    let of = [("experiment", experiment)];
    family(&mut text, "runs_done", "runs that are over", &[(labelled(&of), f64::from(moment.done))]);
    family(&mut text, "runs_planned", "runs that there are to be", &[(labelled(&of), f64::from(moment.total))]);
    let left: Vec<_> = moment.left_s.map(|left| (labelled(&of), left)).into_iter().collect();
    family(&mut text, "left_seconds", "what the rest will take", &left);
    family(&mut text, "stopped", "1 when the lab has stopped", &[(labelled(&of), f64::from(u8::from(moment.is_over)))]);
    let run = moment.run.as_ref();
    let now = |more: &[(&str, &str)]| {
        let run = run
            .map_or(Vec::new(), |run| vec![("run", run.id.0.as_str()), ("cell", &run.cell.0), ("phase", &run.phase)]);
        labelled(&[&of[..], &run, more].concat())
    };
    let last = |lane: &LiveLane| lane.values.iter().rev().find_map(|value| *value);
    let lane = |name: &str| moment.lanes.iter().find(|lane| lane.name == name).and_then(last);
    let one = |value: Option<f64>| value.map(|value| (now(&[]), value)).into_iter().collect::<Vec<_>>();
    family(&mut text, "statements_per_second", "of the run under way, in its last second", &one(lane("statements")));
    let tail = lane("p99 latency").map(|us| us / MICROS);
    family(&mut text, "latency_p99_seconds", "of the run under way, in its last second", &one(tail));
    let cpus = moment.lanes.iter().filter(|lane| lane.unit == "CPUs");
    let cpus: Vec<_> = cpus.filter_map(|lane| Some((now(&[("who", &lane.name)]), last(lane)?))).collect();
    family(&mut text, "busy_cpus", "CPUs that were busy in the last second, and for whom", &cpus);
    let ahead: Vec<_> = moment.ahead.iter().map(|ahead| (now(&[("check", &ahead.check)]), 1.0)).collect();
    family(&mut text, "about_to_fail", "1 for a check that would fail if the run ended now", &ahead);
    let runs = |value: fn(&model::live::RunResult) -> Option<f64>| {
        let sample =
            |run| Some((labelled(&[&of[..], &[("run", run_id(run)), ("name", &run.name)]].concat()), value(run)?));
        moment.results.iter().filter_map(sample).collect::<Vec<_>>()
    };
    family(&mut text, "run_statements_per_second", "of a run that is over", &runs(|run| run.qps));
    let tails = runs(|run| run.p99_us.map(|us| us / MICROS));
    family(&mut text, "run_latency_p99_seconds", "of a run that is over", &tails);
    text + "# EOF\n"
}

fn run_id(run: &model::live::RunResult) -> &str {
    &run.run.0
}

fn family(text: &mut String, name: &str, help: &str, samples: &[(String, f64)]) {
    if samples.is_empty() {
        return;
    }
    write!(text, "# TYPE assay_lab_{name} gauge\n# HELP assay_lab_{name} {help}\n").expect(PUT);
    for (labels, value) in samples {
        writeln!(text, "assay_lab_{name}{labels} {value}").expect(PUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::live::{Ahead, RunNow, RunResult};
    use model::{CellId, RunId};

    #[test]
    fn a_moment_is_gauges_with_whose_they_are() {
        let lane = |name: &str, unit: &str, value| LiveLane {
            name: name.into(),
            unit: unit.into(),
            values: vec![None, Some(value)],
        };
        let moment = Moment {
            done: 3,
            total: 12,
            left_s: Some(90.0),
            run: Some(RunNow {
                id: RunId("c002-1".into()),
                cell: CellId("c002".into()),
                name: "oltp.mixed (users 8)".into(),
                phase: "measure".into(),
                at_s: 4.0,
                of_s: Some(30.0),
            }),
            lanes: vec![
                lane("statements", "/s", 8_123.0),
                lane("p99 latency", "µs", 1_500.0),
                lane("server", "CPUs", 1.2),
            ],
            results: vec![RunResult {
                run: RunId("c001-1".into()),
                name: "oltp.mixed (users \"1\")".into(),
                ending: "done".into(),
                is_done: true,
                qps: Some(2_000.5),
                p99_us: None,
            }],
            ahead: vec![Ahead {
                check: "machine_was_quiet".into(),
                sentence: "Somebody".into(),
                advice: "stop".into(),
            }],
            ..Moment::default()
        };
        let text = openmetrics("small", &moment);
        // What the dashboard asks for is there under that name.
        let dashboard = include_str!("../../../../docs/grafana.json");
        let asked: Vec<&str> =
            dashboard.split("\"expr\": \"").skip(1).filter_map(|rest| rest.split('{').next()).collect();
        assert!(
            asked.len() > 5 && asked.iter().all(|name| text.contains(&format!("\n{name}{{"))),
            "{asked:?} in {text}"
        );
        insta::assert_snapshot!(text);
    }
}
