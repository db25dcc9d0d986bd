//! The load that waits for moments, on the sham server: that arrivals come as asked, that latency counts from the
//! intended start so that a stall is seen by everybody who would have come, and that overload is told and not hidden.
//! The stalls are the one thing here that takes its time: their truth is a length.

use lab::backends::access::{Access, LoadPlan, UserGroup};
use lab::backends::endpoint::SqlEndpoint;
use lab::load::{Outcome, Witness, drive};
use lab::os::clock;
use lab::servers::sham::Sham;
use model::errors::Errors;
use model::histogram::Histogram;
use model::load::{Arrivals, Distribution, Io, Pause, Phase, PhaseKind, Process, Until};
use model::rate::Rate;
use model::record::tally::{ArrivalTally, Tally};
use model::seed::Seed;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const STALL: Nanos = Nanos::from_secs(1);
/// What is reported of a stall may differ from what theory says by this much.
const HONEST: f64 = 0.05;

#[derive(Default)]
struct Sum(Tally);

impl Witness for Sum {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, _: usize, _: Nanos, _: Nanos, tally: Tally) {
        self.0.merge(&tally);
    }
    fn progress(&mut self, _: f64) {}
}

fn at(rate: &str, process: Process) -> Option<Arrivals> {
    Some(Arrivals { rate: Rate::parse(rate).unwrap(), process })
}

fn time(millis: u64) -> Until {
    Until::Time(Nanos::from_millis(millis))
}

fn user_group(users: u32) -> UserGroup {
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
        access: Access::to(SqlEndpoint::root("unset".into())),
        outlasts: false,
    }
}

fn alone(user_group: UserGroup, until: Until) -> LoadPlan {
    LoadPlan {
        user_groups: vec![user_group],
        io: Io::Auto,
        phases: vec![Phase::new("measure", PhaseKind::Measure, until)],
        workers: 1,
        cpus: Vec::new(),
    }
}

/// A machine that is shared can make any of these proofs late, and never early or on time by mistake: they run one at a
/// time, and what holds undisturbed once is true.
fn undisturbed(proof: impl Fn()) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let disturbed = |_: &u32| std::panic::catch_unwind(std::panic::AssertUnwindSafe(&proof)).is_err();
    if (0..4).take_while(disturbed).count() == 4 {
        proof();
    }
}

/// The measured phase of a run on a sham of its own, that is silent for a while when so many milliseconds have passed.
fn run(mut load_plan: LoadPlan, stall_after: Option<u64>) -> (Tally, Outcome) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let sham = Sham::start(&socket, &[]).unwrap();
    load_plan
        .user_groups
        .iter_mut()
        .for_each(|user_group| user_group.access.endpoint = SqlEndpoint::root(socket.clone()));
    let mut sum = Sum::default();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            if let Some(millis) = stall_after {
                std::thread::sleep(Duration::from_millis(millis));
                sham.be_silent_until(Nanos(clock::now().0 + STALL.0));
            }
        });
        drive(&load_plan, &AtomicBool::new(false), &mut sum).unwrap()
    });
    assert_eq!(outcome.failure, None);
    (sum.0, outcome)
}

fn latency(tally: &Tally) -> &Histogram {
    &tally.operations["noop"].latency
}

fn service(tally: &Tally) -> &Histogram {
    tally.operations["noop"].service.as_ref().expect("kept where it differs")
}

fn longer(histogram: &Histogram, than: Nanos) -> u64 {
    histogram.buckets().filter(|(value, _)| *value > than).map(|(_, count)| count).sum()
}

fn assert_near(value: Nanos, truth: f64) {
    assert!((value.seconds() / truth - 1.0).abs() <= HONEST, "{value} where {truth} s is true");
}

#[test]
fn a_stall_under_a_rate_is_felt_by_everybody_who_would_have_come() {
    undisturbed(|| {
        let length = 3.0;
        let users = 8;
        let open = UserGroup { arrivals: at("1000", Process::Constant), ..user_group(users) };
        let (tally, _) = run(alone(open, time(3_000)), Some(1_000));
        // Who comes x after the stall began waits S − x: the slowest share q of all arrivals came in its first q·T.
        let slowest = |share: f64| STALL.seconds() - share * length;
        assert_near(latency(&tally).max().unwrap(), slowest(0.0));
        assert_near(latency(&tally).percentile(99.9).unwrap(), slowest(0.001));
        // The server itself was slow to those only that it had before it.
        let stalled = longer(service(&tally), Nanos(STALL.0 / 2));
        assert!((1..=u64::from(users)).contains(&stalled), "{stalled} operations were under way");
        let arrivals = tally.arrivals.unwrap();
        assert!(arrivals.most_waiting > 900, "{arrivals:?}");
        assert!(arrivals.due - arrivals.begun <= 50, "they were all served in the end: {arrivals:?}");
    });
}

#[test]
fn a_stall_under_a_closed_load_is_a_gap_that_no_percentile_shows() {
    undisturbed(|| {
        let (tally, _) = run(alone(user_group(2), time(3_000)), Some(1_000));
        assert!(latency(&tally).percentile(99.9).unwrap().0 < STALL.0 / 2, "which is why the gap is kept");
        assert_eq!(longer(latency(&tally), Nanos(STALL.0 / 2)), 2, "each user met it once");
        let gaps = tally.gaps.as_ref().unwrap().longer_than(Nanos(STALL.0 / 2));
        assert_eq!(gaps.count, 1);
        assert_near(gaps.total, STALL.seconds());
    });
}

#[test]
fn arrivals_come_as_asked_and_all_are_begun() {
    undisturbed(|| {
        for io in [Io::Auto, Io::Epoll, Io::Blocking] {
            for workers in [1, 2] {
                let open = UserGroup { arrivals: at("2000", Process::Constant), ..user_group(16) };
                let (tally, outcome) = run(LoadPlan { io, workers, ..alone(open, time(500)) }, None);
                let ArrivalTally { due, begun, .. } = tally.arrivals.unwrap();
                // The phase is cut a moment after its end.
                assert!((1_000..1_200).contains(&due) && due.abs_diff(begun) <= 16, "{due} due, {begun} begun");
                assert!(outcome.whole.done().abs_diff(begun) <= 16);
                assert_eq!(tally.lag.unwrap().count(), begun, "each waited for its moment");
                assert!(outcome.timer_error.count() > 0);
            }
        }
    });
}

#[test]
fn an_overload_is_told_to_the_last_arrival() {
    undisturbed(|| {
        let open = UserGroup { arrivals: at("4e6", Process::Constant), ..user_group(4) };
        let (tally, outcome) = run(alone(open, time(300)), None);
        let ArrivalTally { due, begun, most_waiting } = tally.arrivals.unwrap();
        assert!(due >= 1_000_000 && begun < due / 10, "{due} due, {begun} begun");
        assert!(most_waiting.abs_diff(due - begun) <= 4, "a backlog that only grows is greatest at its end");
        assert!(outcome.whole.done() >= begun, "whoever began came to an end");
        let (response, service) = (latency(&tally).max().unwrap(), service(&tally).percentile(50.0).unwrap());
        assert!(response.0 > 10 * service.0, "{response} of waiting, {service} of service");
    });
}

#[test]
fn users_that_think_are_idle_between_operations() {
    undisturbed(|| {
        for distribution in [Distribution::Constant, Distribution::Exponential] {
            let (mean, by_operation, keying) = (Nanos::from_millis(10), BTreeMap::new(), BTreeMap::new());
            let pause = Some(Pause::Think { mean, distribution, by_operation, keying });
            let (tally, _) = run(alone(UserGroup { pause, ..user_group(20) }, time(1_000)), None);
            // Little: 20 users make at most 2000 a second; an exponential pause varies by as much as its mean.
            let spread = 5.0 * 2_000_f64.sqrt();
            assert!(
                (tally.done() as f64) < 2_000.0 + spread && tally.done() > 500,
                "{distribution:?}: {}",
                tally.done()
            );
            assert!(tally.arrivals.is_none() && tally.operations["noop"].service.is_none(), "it is a closed load");
            assert!(tally.lag.unwrap().count() > 0);
        }
    });
}

#[test]
fn users_at_a_pace_catch_up_and_count_from_their_intended_start() {
    undisturbed(|| {
        let pause = Some(Pause::Pace { every: Nanos::from_millis(20) });
        let (tally, _) = run(alone(UserGroup { pause, ..user_group(10) }, time(2_000)), Some(500));
        let ArrivalTally { due, begun, .. } = tally.arrivals.unwrap();
        assert!((1_000..1_100).contains(&due) && due.abs_diff(begun) <= 10, "{due} due, {begun} begun");
        assert_near(latency(&tally).max().unwrap(), STALL.seconds());
        // 500 intended starts lay in the stall, ten operations were under way.
        let met = longer(latency(&tally), Nanos(STALL.0 / 2));
        assert!((225..=275).contains(&met), "{met} waited for more than half of it");
        assert!(longer(service(&tally), Nanos(STALL.0 / 2)) <= 10);
    });
}

#[test]
fn a_stall_across_the_end_of_a_phase_loses_nothing() {
    undisturbed(|| {
        for io in [Io::Auto, Io::Epoll, Io::Blocking] {
            let open = alone(UserGroup { arrivals: at("1000", Process::Poisson), ..user_group(8) }, time(500));
            let again = Phase { name: "again".into(), ..open.phases[0].clone() };
            let phases = vec![open.phases[0].clone(), Phase { until: time(1_500), ..again }];
            let (tally, outcome) = run(LoadPlan { phases, io, ..open }, Some(200));
            let ArrivalTally { due, begun, .. } = tally.arrivals.unwrap();
            assert!(due.abs_diff(begun) <= 100 && begun > 1_000, "{due} due, {begun} begun");
            // One operation is one statement; everybody also said goodbye.
            assert_eq!(outcome.whole.done(), outcome.whole.statements_answered());
            assert_eq!(outcome.questions, outcome.whole.done() + 8);
        }
    });
}

#[test]
fn users_who_wait_for_a_far_arrival_leave_with_the_end_and_with_a_stop() {
    undisturbed(|| {
        let far = UserGroup { arrivals: at("0.001", Process::Poisson), ..user_group(4) };
        let far = alone(far, time(100));
        let (tally, _) = run(far.clone(), None);
        assert_eq!(tally.arrivals.unwrap(), ArrivalTally::default(), "nobody came");
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let _sham = Sham::start(&socket, &[]).unwrap();
        let endless = vec![Phase { until: time(3_600_000), ..far.phases[0].clone() }];
        let mut far = LoadPlan { phases: endless, ..far };
        far.user_groups[0].access.endpoint = SqlEndpoint::root(socket);
        let stop = AtomicBool::new(false);
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                stop.store(true, SeqCst);
            });
            drive(&far, &stop, &mut Sum::default()).unwrap()
        });
        assert!(outcome.stopped && outcome.failure.is_none(), "{:?}", outcome.failure);
    });
}
