//! What becomes of a load when the server misbehaves, each way on the sham, which misbehaves a known number of times:
//! what must be counted, what the session and its user do next, and in which words a run ends that cannot go on.

use lab::backends::access::{Access, LoadPlan, UserGroup};
use lab::backends::endpoint::SqlEndpoint;
use lab::load::failure::Cause;
use lab::load::{Outcome, Witness, drive};
use lab::servers::sham::{Greets, Heard, Manners, Misdeed, Sham};
use model::errors::{Errors, LOST_CONNECTION, MALFORMED_ANSWER, TIME_OUT};
use model::load::{Io, Phase, PhaseKind, Until};
use model::record::tally::{OperationTally, Tally};
use model::seed::Seed;
use model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

struct Nobody;

impl Witness for Nobody {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, _: usize, _: Nanos, _: Nanos, _: Tally) {}
    fn progress(&mut self, _: f64) {}
}

/// Users of a workload until so many operations ended, whatever became of them.
fn user_group(name: &str, users: u32, operations: u64) -> LoadPlan {
    let workload = workload::Workloads::built_in().by_name(name).unwrap();
    let user_group = UserGroup {
        parameters: Arc::new(workload.words().defaults()),
        workload,
        seed: Seed(7),
        users,
        arrivals: None,
        pause: None,
        // A machine that is busy for longer would be taken for a stalled server.
        deadline: Nanos::from_secs(20),
        reconnect_every: None,
        errors: Errors::default(),
        access: at(SqlEndpoint::root("unset".into())),
        outlasts: false,
    };
    let (name, until) = ("measure", Until::Count(operations));
    LoadPlan {
        user_groups: vec![user_group],
        io: Io::Auto,
        phases: vec![Phase::new(name, PhaseKind::Measure, until)],
        workers: 1,
        cpus: Vec::new(),
    }
}

/// Where each session says something first.
fn at(endpoint: SqlEndpoint) -> Access {
    Access { setup: vec!["SET NAMES latin1".into()], ..Access::to(endpoint) }
}

/// The same users, changed.
fn but(load_plan: &LoadPlan, change: impl Fn(UserGroup) -> UserGroup) -> LoadPlan {
    LoadPlan { user_groups: load_plan.user_groups.iter().cloned().map(change).collect(), ..load_plan.clone() }
}

/// Carries a load out against a sham of these manners, by each way of talking to the kernel, and looks at what came of
/// it.
fn each_way(manners: Manners, load_plan: &LoadPlan, look: impl Fn(&Outcome, &Heard)) {
    for io in [Io::IoUring, Io::Epoll, Io::Blocking] {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let sham = Sham::start_with(&socket, &[], manners).unwrap();
        let there =
            but(load_plan, |user_group| UserGroup { access: at(SqlEndpoint::root(socket.clone())), ..user_group });
        let outcome = drive(&LoadPlan { io, ..there }, &AtomicBool::new(false), &mut Nobody).unwrap();
        look(&outcome, sham.heard());
    }
}

fn every(times: u64, misdeed: Misdeed) -> Manners {
    Manners { misdeed: Some((times, misdeed)), ..Manners::default() }
}

fn operation(outcome: &Outcome) -> &OperationTally {
    outcome.whole.operations.values().next().expect("there is one kind of operation")
}

fn heard(counter: &AtomicU64) -> u64 {
    counter.load(SeqCst)
}

fn one(number: u32, count: u64) -> BTreeMap<u32, u64> {
    [(number, count)].into()
}

#[test]
fn a_deadlock_is_rolled_back_and_the_operation_done_again() {
    // A transaction is sixteen executes, and the sixteenth of each try is refused.
    each_way(every(17, Misdeed::Refuse(1213)), &user_group("oltp.mixed", 1, 100), |outcome, sham| {
        assert_eq!(outcome.failure, None);
        let operation = operation(outcome);
        let retried = operation.retried[&1213];
        assert_eq!((operation.done, operation.failed.len(), operation.retried.len()), (100, 0, 1));
        assert_eq!(heard(&sham.rollbacks), retried, "a rollback before every retry");
        assert_eq!((outcome.whole.rollbacks, outcome.whole.reconnects), (retried, 0));
    });
}

#[test]
fn an_operation_that_ran_out_of_retries_has_failed_by_its_error() {
    let errors = Errors { retry: [(1213, 3)].into(), back_off: Nanos(1_000), ..Errors::default() };
    each_way(
        every(1, Misdeed::Refuse(1213)),
        &but(&user_group("noop", 2, 10), |user_group| UserGroup { errors: errors.clone(), ..user_group }),
        |outcome, sham| {
            assert_eq!(outcome.failure, None);
            let operation = operation(outcome);
            assert_eq!((operation.done, &operation.failed, &operation.retried), (0, &one(1213, 10), &one(1213, 30)));
            assert!(operation.messages[&1213].contains("the sham misbehaves"));
            assert_eq!(heard(&sham.executes), 40);
        },
    );
}

#[test]
fn an_error_that_nobody_named_fails_the_operation_and_the_user_goes_on() {
    each_way(every(2, Misdeed::Refuse(1062)), &user_group("noop", 1, 100), |outcome, _| {
        assert_eq!(outcome.failure, None);
        let operation = operation(outcome);
        assert_eq!((operation.done, &operation.failed, operation.retried.len()), (50, &one(1062, 50), 0));
    });
}

#[test]
fn an_error_at_which_the_run_shall_end_ends_it() {
    let errors = Errors { stop: [1146].into(), ..Errors::default() };
    each_way(
        every(10, Misdeed::Refuse(1146)),
        &but(&user_group("noop", 1, 100), |user_group| UserGroup { errors: errors.clone(), ..user_group }),
        |outcome, _| {
            let failure = outcome.failure.as_deref().unwrap();
            assert_eq!(failure, "the experiment ends at this error: error 1146 (HY000): the sham misbehaves");
            assert_eq!((operation(outcome).done, &operation(outcome).failed), (9, &one(1146, 1)));
        },
    );
}

#[test]
fn an_error_in_the_middle_of_a_result_leaves_the_session_whole() {
    each_way(every(2, Misdeed::RefuseMidway(1317)), &user_group("noop", 1, 100), |outcome, sham| {
        assert_eq!((outcome.failure.as_deref(), &operation(outcome).failed), (None, &one(1317, 50)));
        assert_eq!((outcome.whole.connects, heard(&sham.connects), heard(&sham.goodbyes)), (1, 1, 1));
        assert_eq!(outcome.rows, 50, "rows of a result that has no end are nobody's");
    });
}

#[test]
fn a_connection_dropped_in_the_middle_of_a_result_is_opened_and_prepared_again() {
    each_way(every(2, Misdeed::HangUpMidway), &user_group("noop", 1, 100), |outcome, sham| {
        assert_eq!((outcome.failure.as_deref(), &operation(outcome).failed), (None, &one(LOST_CONNECTION, 50)));
        assert_eq!((outcome.whole.connects, outcome.whole.reconnects), (51, 50));
        assert_eq!((heard(&sham.connects), heard(&sham.prepares)), (51, 51));
    });
}

#[test]
fn an_operation_that_lost_its_connection_is_done_again_where_that_is_wanted() {
    let errors = Errors { retry: [(LOST_CONNECTION, 1)].into(), ..Errors::default() };
    each_way(
        every(2, Misdeed::HangUpMidway),
        &but(&user_group("noop", 1, 100), |user_group| UserGroup { errors: errors.clone(), ..user_group }),
        |outcome, _| {
            let operation = operation(outcome);
            assert_eq!((operation.done, operation.failed.len()), (100, 0));
            assert_eq!(operation.retried[&LOST_CONNECTION], outcome.whole.reconnects);
        },
    );
}

#[test]
fn a_malformed_answer_is_refused_with_what_was_expected() {
    each_way(every(2, Misdeed::Garble), &user_group("noop", 1, 10), |outcome, sham| {
        assert_eq!((outcome.failure.as_deref(), &operation(outcome).failed), (None, &one(MALFORMED_ANSWER, 5)));
        assert_eq!(operation(outcome).messages[&MALFORMED_ANSWER], "malformed answer: it ends before its last field");
        assert_eq!((heard(&sham.connects), outcome.whole.reconnects), (6, 5), "nothing more is read from it");
    });
}

#[test]
fn an_answer_that_does_not_come_fails_its_operation_and_the_session_is_opened_again() {
    let patient =
        but(&user_group("noop", 2, 100), |user_group| UserGroup { deadline: Nanos::from_millis(500), ..user_group });
    each_way(every(30, Misdeed::KeepSilent), &patient, |outcome, _| {
        let failed = operation(outcome).failed[&TIME_OUT];
        assert_eq!(outcome.failure, None);
        assert!((1..=4).contains(&failed) && operation(outcome).done + failed == 100, "{failed} met the deadline");
        assert_eq!(outcome.whole.reconnects, failed);
    });
}

#[test]
fn a_server_that_lets_users_in_and_answers_nobody_has_stalled() {
    let patient =
        but(&user_group("noop", 3, 1_000), |user_group| UserGroup { deadline: Nanos::from_millis(300), ..user_group });
    each_way(every(1, Misdeed::KeepSilent), &patient, |outcome, _| {
        let failure = outcome.failure.as_deref().unwrap();
        assert!(failure.starts_with("the server has stalled: "), "{failure}");
        assert_eq!((outcome.cause, operation(outcome).done), (Cause::Stalled, 0));
        assert!(operation(outcome).failed[&TIME_OUT] >= 3, "each waited once, and one again");
    });
}

#[test]
fn a_server_that_answers_nobody_and_lets_nobody_in_has_stalled() {
    for io in [Io::IoUring, Io::Epoll, Io::Blocking] {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        let sham = Sham::start(&socket, &[]).unwrap();
        let (deadline, endpoint) = (Nanos::from_millis(300), SqlEndpoint::root(socket));
        let endless = but(&user_group("noop", 3, u64::MAX), |user_group| UserGroup {
            deadline,
            access: at(endpoint.clone()),
            ..user_group
        });
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(200));
                sham.be_silent_until(Nanos(lab::os::clock::now().0 + Nanos::from_secs(60).0));
            });
            drive(&LoadPlan { io, ..endless }, &AtomicBool::new(false), &mut Nobody).unwrap()
        });
        let failure = outcome.failure.unwrap();
        assert!(failure.starts_with("the server has stalled: user ") && failure.contains("300 ms"), "{failure}");
        assert_eq!(outcome.cause, Cause::Stalled);
        assert!(operation(&Outcome { whole: outcome.whole.clone(), ..Outcome::default() }).failed[&TIME_OUT] >= 1);
    }
}

#[test]
fn a_server_without_room_is_told_with_how_many_users_it_took() {
    let room = Manners { room: Some(5), ..Manners::default() };
    each_way(room, &user_group("noop", 8, 1_000), |outcome, _| {
        let failure = outcome.failure.as_deref().unwrap();
        assert!(failure.contains("of 8 was refused with ") && failure.contains("error 1040 (08004)"), "{failure}");
        assert_eq!(outcome.cause, Cause::Full);
    });
}

#[test]
fn a_server_that_greets_nobody_is_waited_for_until_the_deadline() {
    let silent = Manners { greeting: Some(Greets::Nobody), ..Manners::default() };
    each_way(
        silent,
        &but(&user_group("noop", 2, 10), |user_group| UserGroup { deadline: Nanos::from_millis(100), ..user_group }),
        |outcome, _| {
            let failure = outcome.failure.as_deref().unwrap();
            assert!(failure.starts_with("the server did not let user "), "{failure}");
            assert!(failure.ends_with(" in within the deadline of 100 ms"), "{failure}");
        },
    );
}

#[test]
fn connections_that_are_refused_end_the_run_before_it_began() {
    let first = Manners { greeting: Some(Greets::First(3)), ..Manners::default() };
    each_way(first, &user_group("noop", 8, 1_000), |outcome, _| {
        let failure = outcome.failure.as_deref().unwrap();
        assert!(failure.contains(" could not connect: connection lost: "), "{failure}");
        assert_eq!((outcome.phases.len(), outcome.whole.operations.len()), (0, 0));
    });
    let nobody = but(&user_group("noop", 2, 10), |user_group| UserGroup {
        access: at(SqlEndpoint::root("/nowhere/at/all".into())),
        ..user_group
    });
    let outcome = drive(&nobody, &AtomicBool::new(false), &mut Nobody).unwrap();
    assert!(outcome.failure.unwrap().contains(" could not connect: connection lost: No such file"));
}

#[test]
fn a_new_session_every_so_often_is_said_goodbye_to_and_counted_apart() {
    let manners = Manners { misdeed: Some((u64::MAX, Misdeed::KeepSilent)), ..Manners::default() };
    each_way(
        manners,
        &but(&user_group("noop", 2, 1_000), |user_group| UserGroup { reconnect_every: Some(10), ..user_group }),
        |outcome, sham| {
            assert_eq!((outcome.failure.as_deref(), operation(outcome).done), (None, 1_000));
            let connects = outcome.whole.connects;
            assert!((101..=102).contains(&connects), "{connects} sessions of ten operations each, the last ones begun");
            assert_eq!((outcome.whole.reconnects, outcome.whole.connect_time.as_ref().unwrap().count()), (0, connects));
            assert_eq!(
                (heard(&sham.connects), heard(&sham.goodbyes), heard(&sham.prepares)),
                (connects, connects, connects)
            );
            // What the server counts as Questions: each execute, and of each session its SET NAMES and its goodbye.
            assert_eq!(outcome.questions, heard(&sham.executes) + 2 * connects);
        },
    );
}
