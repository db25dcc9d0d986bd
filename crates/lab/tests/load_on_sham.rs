//! The load against the sham server: whole runs through the very path that real servers are driven by, on both ways of
//! talking to the kernel.

use lab::backends::access::{Access, LoadPlan, UserGroup};
use lab::backends::endpoint::SqlEndpoint;
use lab::load::{Outcome, Witness, drive};
use lab::servers::sham::Sham;
use model::errors::Errors;
use model::load::{Arrivals, Io, Phase, PhaseKind, Process, Until};
use model::rate::Rate;
use model::record::tally::Tally;
use model::seed::Seed;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(Default)]
struct Notes {
    intervals: Vec<(usize, Nanos, Nanos, Tally)>,
    /// By group: how many intervals, and operations done in them.
    user_groups: BTreeMap<usize, (u32, u64)>,
    begun: Vec<usize>,
    ended: Vec<usize>,
    workers: usize,
}

impl Witness for Notes {
    fn workers(&mut self, threads: &[i32]) {
        self.workers = threads.len();
    }
    fn phase_begins(&mut self, phase: usize, _: Nanos) {
        self.begun.push(phase);
    }
    fn phase_ends(&mut self, phase: usize, _: Nanos) {
        self.ended.push(phase);
    }
    fn interval(&mut self, user_group: usize, phase: usize, from: Nanos, to: Nanos, tally: Tally) {
        let (intervals, done) = self.user_groups.entry(user_group).or_default();
        (*intervals, *done) = (*intervals + 1, *done + tally.done());
        self.intervals.push((phase, from, to, tally));
    }
    fn progress(&mut self, _: f64) {}
}

fn phase(name: &str, kind: PhaseKind, until: Until) -> Phase {
    Phase::new(name, kind, until)
}

/// Drives the noop workload; each test has a sham of its own.
fn run(io: Io, users: u32, phases: Vec<Phase>) -> (Outcome, Notes) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let _sham = Sham::start(&socket, &[]).unwrap();
    drive_all(LoadPlan { user_groups: vec![user_group(&socket, users)], io, phases, workers: 1, cpus: Vec::new() })
}

fn user_group(socket: &Path, users: u32) -> UserGroup {
    UserGroup {
        workload: workload::Workloads::built_in().by_name("noop").unwrap(),
        parameters: Arc::default(),
        seed: Seed(7),
        users,
        arrivals: None,
        pause: None,
        deadline: Nanos::from_secs(10),
        reconnect_every: None,
        errors: Errors::default(),
        access: Access {
            setup: vec!["SET NAMES latin1".into()],
            ..Access::to(SqlEndpoint::root(socket.to_path_buf()))
        },
        outlasts: false,
    }
}

fn drive_all(load_plan: LoadPlan) -> (Outcome, Notes) {
    let mut notes = Notes::default();
    let outcome = drive(&load_plan, &AtomicBool::new(false), &mut notes).unwrap();
    (outcome, notes)
}

fn time(millis: u64) -> Until {
    Until::Time(Nanos::from_millis(millis))
}

#[test]
fn every_statement_is_counted_once_and_in_its_phase() {
    for io in [Io::IoUring, Io::Epoll, Io::Blocking] {
        for users in [1, 16, 300] {
            let phases =
                vec![phase("warm-up", PhaseKind::WarmUp, time(100)), phase("measure", PhaseKind::Measure, time(300))];
            let (outcome, notes) = run(io, users, phases);
            assert_eq!(outcome.failure, None);
            assert_eq!((notes.begun, notes.ended), (vec![0, 1], vec![0, 1]));
            let measured = notes.intervals.iter().filter(|i| i.0 == 1).fold(Tally::default(), |mut all, i| {
                all.merge(&i.3);
                all
            });
            assert!(measured.done() > 0 && measured.failed() == 0);
            // One operation is one statement, and everybody also said one SET NAMES and one goodbye.
            let statements = outcome.whole.statements_answered();
            assert_eq!(outcome.whole.done(), statements);
            assert_eq!(outcome.questions, statements + 2 * u64::from(users));
            assert_eq!(outcome.rows, statements);
        }
    }
}

#[test]
fn a_closed_load_obeys_littles_law() {
    let off = || {
        let (_, notes) = run(Io::Auto, 32, vec![phase("measure", PhaseKind::Measure, time(500))]);
        let (mut seconds, mut tally) = (0.0, Tally::default());
        for (_, from, to, part) in &notes.intervals {
            seconds += (to.0 - from.0) as f64 / 1e9;
            tally.merge(part);
        }
        (tally.operations["noop"].latency.sum().seconds() / seconds / 32.0 - 1.0).abs()
    };
    // A machine that stops all of us for a moment can only break the law, so one run that keeps it is the proof.
    assert!((0..4).any(|_| off() < 0.05), "32 users were not 32 in flight");
}

#[test]
fn crews_are_counted_apart_wherever_their_users_sit() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let _sham = Sham::start(&socket, &[]).unwrap();
    // Two of the groups have fewer users than there are workers, so that some workers have nobody of them.
    for workers in [1, 3] {
        let arrivals = Some(Arrivals { rate: Rate::steady(2_000.0), process: Process::Constant });
        let open = UserGroup { arrivals, ..user_group(&socket, 2) };
        let load_plan = LoadPlan {
            user_groups: vec![user_group(&socket, 5), open, user_group(&socket, 1)],
            io: Io::Auto,
            phases: vec![
                phase("time", PhaseKind::Measure, time(200)),
                phase("count", PhaseKind::Measure, Until::Count(500)),
            ],
            workers,
            cpus: Vec::new(),
        };
        let (outcome, notes) = drive_all(load_plan);
        assert_eq!((outcome.failure.clone(), outcome.workers), (None, workers));
        let [readers, open, alone] = [0, 1, 2].map(|user_group| notes.user_groups[&user_group]);
        assert!(
            readers.0 == open.0 && open.0 == alone.0,
            "each worker tells of every user_group: {:?}",
            notes.user_groups
        );
        let arrivals =
            notes.intervals.iter().filter_map(|i| i.3.arrivals).fold((0, 0), |(d, b), a| (d + a.due, b + a.begun));
        assert!((1..=arrivals.0 + 2).contains(&arrivals.1), "{arrivals:?} due and begun");
        assert!(open.1.abs_diff(arrivals.1) <= 4, "its operations are those that arrived");
        assert!(readers.1 > 0 && alone.1 > 0, "{:?}", notes.user_groups);
        let statements = outcome.whole.statements_answered();
        assert_eq!(outcome.questions, statements + 2 * 8, "nothing is lost between them");
        let counted = notes.intervals.iter().filter(|i| i.0 == 1).map(|i| i.3.done()).sum::<u64>();
        assert!(counted.abs_diff(500) <= 8, "a count is of all user_groups: {counted}");
    }
}

#[test]
fn a_phase_by_count_ends_with_its_last_operation() {
    let phases = vec![
        phase("count", PhaseKind::Measure, Until::Count(1_000)),
        phase("again", PhaseKind::Measure, Until::Count(777)),
        phase("time", PhaseKind::Measure, time(50)),
    ];
    let (outcome, notes) = run(Io::Auto, 8, phases);
    assert_eq!(outcome.failure, None);
    let done = |p: usize| notes.intervals.iter().filter(|i| i.0 == p).map(|i| i.3.done()).sum::<u64>();
    assert_eq!(done(0) + done(1), 1_777);
    assert!(done(2) > 0);
    // An operation that ends in the instant between the count and its cut may be noted one phase late, never lost.
    assert!(done(0) + 8 >= 1_000 && done(0) <= 1_000);
}

#[test]
fn a_server_that_hangs_up_fails_the_run_and_keeps_what_was_counted() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let sham = Sham::start(&socket, &[]).unwrap();
    let user_group = UserGroup {
        workload: workload::Workloads::built_in().by_name("noop").unwrap(),
        parameters: Arc::default(),
        seed: Seed(7),
        users: 4,
        arrivals: None,
        pause: None,
        deadline: Nanos::from_secs(10),
        reconnect_every: None,
        errors: Errors::default(),
        access: Access::to(SqlEndpoint::root(socket)),
        outlasts: false,
    };
    let load_plan = LoadPlan {
        user_groups: vec![user_group],
        io: Io::Auto,
        phases: vec![phase("measure", PhaseKind::Measure, Until::Time(Nanos::from_secs(60)))],
        workers: 1,
        cpus: Vec::new(),
    };
    let mut notes = Notes::default();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        drop(sham);
    });
    let outcome = drive(&load_plan, &AtomicBool::new(false), &mut notes).unwrap();
    killer.join().unwrap();
    let failure = outcome.failure.expect("a dead server fails the run");
    assert!(failure.contains("gave up: connection lost"), "{failure}");
    assert!(outcome.whole.done() > 0);
}
