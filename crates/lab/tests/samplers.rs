//! Sampling on this machine: real sources, a real thread, a real page; once beside a session that plays a quiet server,
//! so that what is missing and what is not can be chosen, and once on the MariaDB that is installed here.

use lab::backends::endpoint::SqlEndpoint;
use lab::backends::kinds;
use lab::backends::mysql::control::Control;
use lab::backends::samplers::{SamplerNeeds, sources};
use lab::execution::sampling::{Sampling, between};
use lab::notebook::{Notebook, read};
use lab::os::clock;
use lab::os::process::Guard;
use lab::samplers::Workers;
use lab::samplers::{self, Ask};
use lab::servers::catalogue;
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, Wish};
use model::plan::{Plan, RunId, Server};
use model::record::Details;
use model::record::series::Shape;
use model::record::state::Facet;
use model::seed::Seed;
use model::units::Nanos;
use std::time::Duration;

/// Nobody asks these labs to stop.
static GO: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// A server whose Questions are the statements that it was asked, as a real one counts them: before it answers.
struct Quiet(u32);

impl Ask for Quiet {
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        self.0 += 1;
        let row = |cells: &[&str]| cells.iter().map(|c| Some(c.to_string())).collect::<Vec<_>>();
        match sql.split(' ').next() {
            Some("SHOW") => Ok(vec![row(&["Questions", &self.0.to_string()]), row(&["Threads_running", "1"])]),
            _ => Err("1109 Unknown table 'INNODB_METRICS' in information_schema".into()),
        }
    }
}

#[test]
fn both_ends_of_a_phase_and_the_seconds_between_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(folder.path(), &Plan::blank("sampling", Seed(1)), "").unwrap();
    let run = RunId("c001-1".into());
    let pages = notebook.begin_run(&run).unwrap();
    let workers = Workers::default();
    let (mine, busy) = (workers.clone(), std::process::id());
    let sampling = Sampling::begin(
        move || {
            sources(
                Some(Box::new(Quiet(0))),
                Some(samplers::Process::of(busy)),
                &mine,
                "memory",
                SamplerNeeds::default(),
            )
        },
        pages.series,
    );

    let before = sampling.mark().wait();
    // The one worker of this load is this very thread.
    let thread: u32 =
        std::fs::read_link("/proc/thread-self").unwrap().file_name().unwrap().to_str().unwrap().parse().unwrap();
    workers.set(vec![thread]);
    let start = clock::now();
    sampling.start(start, true);
    let begin = sampling.mark().wait();
    std::thread::sleep(Duration::from_millis(1_700));
    let spin = std::iter::repeat_with(|| clock::now().0 & 1).take(20_000_000).sum::<u64>();
    assert!(spin > 0);
    let end = sampling.mark().wait();
    let sampled = sampling.finish();
    let complaints = sampled.missing;
    sampled.written.unwrap();

    let phase = between(&begin, &end, start);
    // A quiet server's questions are the sampler's own, to the last one.
    assert_eq!(phase["status.Questions"].delta(), phase["sampler.statements"].delta());
    assert!(phase["status.Questions"].delta() >= 3.0);
    let used = phase["client.cpu.user"].delta() + phase["client.cpu.system"].delta();
    assert!(used > 0.0 && phase["client.cpu.busiest_worker"].delta() <= phase["client.cpu.process"].delta());
    for name in ["server.cpu.user", "server.runqueue.wait", "server.io.write_bytes", "host.cpu.total", "host.cpu.steal"]
    {
        assert!(phase.contains_key(name), "{name}");
    }
    assert!(phase["host.cpu.total"].seconds() > 1.7);
    assert!(!between(&before, &end, start).contains_key("client.cpu.user"), "there was no worker at the first mark");
    // Of the process that stands for the server's, and of the load's threads.
    for (facet, fact) in [(Facet::Process, "nice"), (Facet::Client, "scheduling policy of the load's threads")] {
        let states: Vec<_> = sampled.states.iter().filter(|state| state.facet == facet).collect();
        assert!(matches!(states[..], [state] if state.facts.contains_key(fact)), "{facet:?}: {states:?}");
    }
    let [metrics, innodb, users] = &complaints[..] else { panic!("{complaints:?}") };
    assert!(
        metrics.starts_with("db.tmp_tables, ") && metrics.ends_with("no counter of this server says it"),
        "{metrics}"
    );
    assert_eq!(innodb, "innodb metrics not available: 1109 Unknown table 'INNODB_METRICS' in information_schema");
    assert!(users.starts_with("users' threads not available: "), "{users}");

    let (_, details) = read(folder.path()).unwrap();
    let series = details.series(&run, &["status.Questions", "status.Threads_running"]);
    assert_eq!(series.iter().map(|s| s.metric.shape).collect::<Vec<_>>(), [Shape::Counter, Shape::Gauge]);
    for one in &series {
        // Two marks, and at least the seconds at 0.5 and 1.5.
        assert!(one.readings.len() >= 4, "{:?}", one.readings);
        assert!(one.readings.is_sorted_by_key(|(at, _)| *at));
    }
    assert!(
        series[1].readings.iter().all(|(_, running)| *running == 1.0),
        "what did not change is read back all the same"
    );
}

#[test]
fn a_real_server_counts_what_a_session_sent_to_the_last_question() {
    const SENT: u32 = 123;
    let folder = tempfile::tempdir().unwrap();
    let folders = Folders { home: folder.path().join("home"), runtime: folder.path().to_path_buf() };
    let server = Server {
        build: "distribution".into(),
        on: None,
        topology: Default::default(),
        engine: "innodb".into(),
        profile: "default".into(),
        settings: [("redo".to_string(), (16 << 20).into())].into(),
        native: Default::default(),
        tcp: false,
        cpus: None,
        load_cpus: None,
        memory: None,
    };
    let (build, guard) = (catalogue::find("distribution").unwrap(), Guard::program(env!("CARGO_BIN_EXE_lab-guard")));
    let wish = Wish {
        folders: &folders,
        guard: &guard,
        kind: kinds::of(&build),
        build: &build,
        server: &server,
        cpus: &[],
        tcp: None,
        stop: &GO,
    };
    let instance = Instance::provision(&wish).unwrap();
    let endpoint = SqlEndpoint::root(instance.socket().to_path_buf());
    let notebook =
        Notebook::open_or_create(&folder.path().join("record"), &Plan::blank("sampling", Seed(1)), "").unwrap();
    let (pid, theirs) = (instance.pid(), endpoint.clone());
    let sources = move || {
        sources(
            Some(Box::new(Control::connect(&theirs).unwrap())),
            Some(samplers::Process::of(pid)),
            &Workers::default(),
            "innodb",
            SamplerNeeds::default(),
        )
    };
    let sampling = Sampling::begin(sources, notebook.begin_run(&RunId("c001-1".into())).unwrap().series);

    let mut user = Control::connect(&endpoint).unwrap();
    let begin = sampling.mark().wait();
    sampling.start(clock::now(), true);
    for _ in 0..SENT {
        user.execute("DO 1").unwrap();
    }
    let end = sampling.mark().wait();
    let sampled = sampling.finish();
    let complaints = sampled.missing;
    sampled.written.unwrap();

    let window = between(&begin, &end, Nanos(0));
    let questions = window["status.Questions"].delta() - window["sampler.statements"].delta();
    assert_eq!(questions, f64::from(SENT));
    assert!(
        window.contains_key("innodb.buffer_pool_reads") && window.contains_key("status.Innodb_buffer_pool_pages_dirty")
    );
    assert!(window["server.threads"].end > 5.0 && window["server.memory.resident"].end > 1e7);
    assert!(window["db.rows_read"].delta() >= 0.0 && window["db.handler_reads"].delta() >= 0.0);
    // This server's latches count nothing, and it lists counters that never move.
    assert!(!window.contains_key("db.rwlock_sx_waits") && !window.contains_key("status.Handler_external_lock"));
    let [dead, missing, users] = &complaints[..] else { panic!("{complaints:?}") };
    assert!(dead.contains("lists and does not count status.Handler_external_lock"), "{dead}");
    assert!(missing.contains("db.rwlock_sx_waits not available"), "{missing}");
    assert_eq!(users, "users' threads not available: performance_schema is off, or times no statement");
}
