//! What is written is what is read, whatever happens in between: a kill at any byte, a second lab, a changed
//! experiment.

use lab::notebook::{Folder, Notebook, read};
use model::functions::Spent;
use model::host::Host;
use model::load::Load;
use model::plan::{Cell, CellId, Cost, Plan, PlannedRun, RunId, Server};
use model::protocol::Protocol;
use model::record::event::EventKind;
use model::record::run::{Ending, RunRecord};
use model::record::series::{Line, Metric, Sample, Shape, Unit};
use model::record::tally::{Interval, Tally};
use model::record::{Details, RECORD_SCHEMA};
use model::seed::Seed;
use model::units::{Nanos, Users};
use model::value::Value;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use tempfile::tempdir;

fn plan(runs: u32, rows: i64) -> Plan {
    let server = Server {
        build: "distribution".into(),
        engine: "innodb".into(),
        profile: "durable".into(),
        ..Server::default()
    };
    let cell = Cell {
        id: CellId("c001".into()),
        axes: Default::default(),
        repeats: None,
        server,
        workload: "oltp.mixed".into(),
        protocols: [Protocol::MySql].into(),
        parameters: [("rows".to_string(), Value::Count(rows))].into(),
        load: Load::closed(Users(1), Nanos::from_secs(1)),
        search: None,
        groups: Vec::new(),
        phases: vec![],
    };
    let run = |n| PlannedRun {
        id: id(n),
        cell: cell.id.clone(),
        repetition: n,
        block: n,
        seed: Seed(u64::from(n)),
        explain: false,
        profile: None,
        spent: Spent::OnCpu,
    };
    Plan {
        question: "Is it kept?".into(),
        runs: (1..=runs).map(run).collect(),
        cells: vec![cell],
        ..Plan::blank("test", Seed(1))
    }
}

fn id(n: u32) -> RunId {
    RunId(format!("c001-{n}"))
}

fn run(n: u32, position: u32) -> RunRecord {
    RunRecord {
        schema: RECORD_SCHEMA,
        id: id(n),
        cell: CellId("c001".into()),
        repetition: n,
        block: n,
        position,
        seed: Seed(u64::from(n)),
        trial: None,
        explain: None,
        profile: None,
        ending: Ending::Failed { reason: "it was a test".into() },
        started_unix_ms: 1,
        ended_unix_ms: 2,
        instance: None,
        dataset: None,
        more_datasets: Vec::new(),
        io: "epoll".into(),
        workers: 1,
        load_cpus: vec![0],
        session: Default::default(),
        more_sessions: Default::default(),
        states: None,
        start: None,
        around: None,
        phases: vec![],
        ranks: Vec::new(),
        audits: Vec::new(),
        whole: Default::default(),
    }
}

fn interval(second: u64, commits: u64) -> Interval {
    let tally = Tally { commits, ..Tally::default() };
    let (from, to) = (Nanos::from_secs(second), Nanos::from_secs(second + 1));
    Interval { from, to, phase: "measure".into(), group: "users".into(), tally }
}

fn metric(name: &str) -> Metric {
    Metric { name: name.into(), unit: Unit::Count, shape: Shape::Counter }
}

#[test]
fn a_run_that_has_an_ending_is_not_repeated_and_one_without_is() {
    let place = tempdir().unwrap();
    let mut notebook = Notebook::open_or_create(place.path(), &plan(3, 10), "question = 1").unwrap();
    notebook.host(&Host { cpu_model: "test".into(), ..Host::default() }).unwrap();
    notebook.begin_run(&id(2)).unwrap().intervals.finish().unwrap();
    notebook.end_run(&run(2, 0)).unwrap();
    let mut pages = notebook.begin_run(&id(1)).unwrap();
    pages.intervals.append(&interval(0, 7)).unwrap();
    drop((pages, notebook));

    let mut notebook = Notebook::open_or_create(place.path(), &plan(3, 10), "question = 1").unwrap();
    assert_eq!(notebook.finished().iter().collect::<Vec<_>>(), [&id(2)]);
    assert!(place.path().join("runs/c001-1.interrupted-1/intervals.jsonl").exists());
    let pages = notebook.begin_run(&id(1)).unwrap();
    pages.intervals.finish().unwrap();
    notebook.end_run(&run(1, 1)).unwrap();

    let (record, _) = read(place.path()).unwrap();
    assert_eq!(record.runs, [run(2, 0), run(1, 1)]);
    assert_eq!((record.experiment.as_str(), record.plan), ("question = 1", plan(3, 10)));
    assert_eq!(record.host.cpu_model, "test");
    let told: Vec<_> = record.events.iter().map(|e| (e.kind, e.run.as_ref())).collect();
    assert_eq!(told, [(EventKind::RunInterrupted, Some(&id(1)))]);
    assert!(Folder::new(place.path()).intervals(&id(1)).is_empty(), "the interrupted attempt is not part of the run");
}

#[test]
fn a_run_that_is_over_and_made_again_keeps_what_it_was_and_why() {
    let place = tempdir().unwrap();
    let mut notebook = Notebook::open_or_create(place.path(), &plan(2, 10), "question = 1").unwrap();
    for n in [1, 2] {
        notebook.end_run(&run(n, n - 1)).unwrap();
    }
    notebook.repeat(&id(1), "somebody else used the CPUs").unwrap();
    drop(notebook);
    // A lab that is killed here goes on with it.
    let mut notebook = Notebook::open_or_create(place.path(), &plan(2, 10), "question = 1").unwrap();
    assert_eq!(notebook.finished().iter().collect::<Vec<_>>(), [&id(2)]);
    assert_eq!(notebook.carried_out(), 2, "no two runs have one place in the order");
    notebook.end_run(&run(1, 2)).unwrap();
    assert!(place.path().join("runs/c001-1.again-1/run.json").exists());
    let (record, _) = read(place.path()).unwrap();
    assert_eq!(record.runs, [run(2, 1), run(1, 2)], "what was set aside is no part of the record");
    let told: Vec<_> = record.events.iter().map(|e| (e.kind, e.run.as_ref(), e.text.as_str())).collect();
    assert_eq!(told, [(EventKind::RunRepeated, Some(&id(1)), "somebody else used the CPUs")]);
}

#[test]
fn a_plan_of_before_protocols_were_written_down_goes_on_and_asks_each_server_in_its_own() {
    let of_before = |on: Option<&str>| {
        let mut plan = plan(1, 10);
        plan.cells[0].protocols.clear();
        plan.cells[0].server.on = on.map(str::to_string);
        plan
    };
    for (on, protocol) in [(None, Protocol::MySql), (Some("memcached://127.0.0.1:1"), Protocol::Memcached)] {
        let place = tempdir().unwrap();
        Notebook::open_or_create(place.path(), &of_before(on), "question = 1").unwrap();
        let mut now = of_before(on);
        now.cells[0].protocols = [protocol].into();
        Notebook::open_or_create(place.path(), &now, "question = 1").expect("the plan is the same");
        assert_eq!(read(place.path()).unwrap().0.plan, now);
    }
}

#[test]
fn another_plan_needs_another_folder_but_a_new_estimate_of_its_cost_or_other_words_for_it_do_not() {
    let place = tempdir().unwrap();
    drop(Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap());
    let dearer = Plan { cost: Cost { rows: 5, ..Cost::default() }, ..plan(1, 10) };
    drop(Notebook::open_or_create(place.path(), &dearer, "").unwrap());
    let in_other_words = Plan { sets: vec!["workload.noop.rows=10".into()], ..plan(1, 10) };
    drop(Notebook::open_or_create(place.path(), &in_other_words, "").unwrap());
    let told = Notebook::open_or_create(place.path(), &plan(1, 100), "").unwrap_err().to_string();
    assert!(told.contains("cells[0].parameters.rows: 10 there, 100 here") && told.contains("--out"), "{told}");
}

#[test]
fn a_record_has_one_writer() {
    let place = tempdir().unwrap();
    let first = Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap();
    let told = Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap_err().to_string();
    assert!(told.contains(&format!("another assay (process {})", std::process::id())), "{told}");
    drop(first);
    Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap();
}

#[test]
fn a_folder_of_other_things_is_left_alone() {
    let place = tempdir().unwrap();
    std::fs::write(place.path().join("thesis.tex"), "").unwrap();
    let told = Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap_err().to_string();
    assert!(told.contains("holds thesis.tex and is not a record"), "{told}");
    assert!(read(place.path()).unwrap_err().to_string().contains("is not a record"));
}

#[test]
fn a_host_that_changed_under_a_record_is_told() {
    let place = tempdir().unwrap();
    let notebook = Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap();
    notebook.host(&Host { kernel: "6.1".into(), ..Host::default() }).unwrap();
    notebook.host(&Host { kernel: "6.2".into(), ..Host::default() }).unwrap();
    let (record, _) = read(place.path()).unwrap();
    assert_eq!(record.host.kernel, "6.1");
    assert!(record.events[0].text.contains("kernel: \"6.1\" there, \"6.2\" here"), "{:?}", record.events);
}

#[test]
fn damage_inside_a_page_is_told_and_what_came_before_is_kept() {
    let place = tempdir().unwrap();
    let notebook = Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap();
    let mut pages = notebook.begin_run(&id(1)).unwrap();
    (0..3).for_each(|second| pages.intervals.append(&interval(second, second)).unwrap());
    let path = place.path().join("runs/c001-1/intervals.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines[1] = "{\"from\":";
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let folder = Folder::new(place.path());
    assert_eq!(folder.intervals(&id(1)), [interval(0, 0)]);
    assert!(folder.damage()[0].contains("is damaged at line 2"), "{:?}", folder.damage());
}

fn written(place: &Path, commits: &[u64]) -> PathBuf {
    let notebook = Notebook::open_or_create(place, &plan(1, 10), "").unwrap();
    let mut pages = notebook.begin_run(&id(1)).unwrap();
    commits.iter().enumerate().for_each(|(second, n)| pages.intervals.append(&interval(second as u64, *n)).unwrap());
    pages.intervals.finish().unwrap();
    place.join("runs/c001-1/intervals.jsonl")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_page_cut_at_any_byte_reads_up_to_its_last_whole_line(commits in proptest::collection::vec(0u64..1000, 1..5), cut in 0.0..1.0) {
        let place = tempdir().unwrap();
        let path = written(place.path(), &commits);
        let bytes = std::fs::read(&path).unwrap();
        let cut = (cut * bytes.len() as f64) as usize;
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let folder = Folder::new(place.path());
        let found = folder.intervals(&id(1));
        // A line whose newline alone is missing is whole.
        let ends = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i);
        prop_assert_eq!(found.len(), ends.filter(|end| *end <= cut).count());
        prop_assert!(found.iter().zip(&commits).all(|(i, c)| i.tally.commits == *c));
        prop_assert!(folder.damage().is_empty());
    }

    #[test]
    fn a_story_goes_on_after_a_torn_line(cut in 0.0..1.0) {
        let place = tempdir().unwrap();
        let tell = |text: &str| {
            let notebook = Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap();
            notebook.note(EventKind::Note, None, text).unwrap();
        };
        tell("first");
        let path = place.path().join("notes.jsonl");
        let bytes = std::fs::read(&path).unwrap();
        // Up to the last brace: a line that lacks its newline alone is whole.
        let cut = (cut * (bytes.len() - 2) as f64) as usize;
        std::fs::write(&path, [&bytes[..], &bytes[..cut]].concat()).unwrap();
        tell("second");
        let (record, _) = read(place.path()).unwrap();
        prop_assert_eq!(record.events.iter().map(|e| e.text.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    }

    #[test]
    fn series_are_read_as_they_were_sampled(values in proptest::collection::vec((any::<f64>(), 0u8..3), 1..20)) {
        let place = tempdir().unwrap();
        let notebook = Notebook::open_or_create(place.path(), &plan(1, 10), "").unwrap();
        let mut page = notebook.begin_run(&id(1)).unwrap().series;
        page.append(&Line::Source { source: "s".into(), metrics: vec![metric("a"), metric("b")] }).unwrap();
        let mut last = 0.0;
        let mut expected = vec![];
        for (second, (value, changed)) in values.iter().enumerate() {
            let value = if value.is_finite() { *value } else { 0.0 };
            let at = Nanos::from_secs(second as u64);
            if *changed > 0 || second == 0 {
                last = value;
            }
            expected.push((at, last));
            let changed = if *changed > 0 || second == 0 { vec![(1, last)] } else { vec![] };
            page.append(&Line::Sample(Sample { source: "s".into(), at, changed })).unwrap();
        }
        let found = Folder::new(place.path()).series(&id(1), &["b", "c"]);
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(&found[0].readings, &expected);
    }
}
