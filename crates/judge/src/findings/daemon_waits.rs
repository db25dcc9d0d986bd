//! Behind InnoDB's memcached plugin stands a daemon with threads, statistics and connections of its own, and locks
//! around them that no instrument of the server names. What its threads sleep for, and InnoDB's locks do not cover, is
//! found by what is left: operations take longer with more users, every get costs more context switches than before,
//! and the explain run sees no queue inside InnoDB. Where CPUs are idle and all its threads are busy it is no lock:
//! then there are too few of them. What is left over is more than waiting (users stand in line for threads that work),
//! so that its size makes nothing sure; another number of threads does. memcached itself, asked by the same client, is
//! the ceiling of what such a daemon does with nothing behind it.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene};
use super::frame::next::{self, Change};
use super::frame::rivals::REST;
use super::frame::signature::{self, FULL, NOT_FULL, RISES, Signature};
use super::transaction_per_get::{FEW_CPUS, by_plugin};
use crate::frame::account::{Part, per_operation_of, wait_share};
use crate::frame::metrics::{SERVER_SYSTEM, SERVER_USER};
use crate::frame::{CellEvidence, account, waits};
use crate::stats::{Interval, average};
use model::plan::served::CACHE;
use model::units::round3;
use model::{Share, Users, Value};

const THREADS: &str = "memcached.threads";
const YIELDS: &str = "memcached.conn_yields";
/// The share of a thread's time: one that is on a CPU so long has no time to wait.
const BUSY: Share = FULL;
/// The share of an operation's time from which on InnoDB's locks are where its threads wait.
const INSIDE: Share = Share(0.30);
const WORD: &str = "door_threads";

pub const CAUSE: Cause = Cause {
    id: "daemon_waits",
    symptom: || "operations of users of InnoDB's memcached plugin take longer with more users".into(),
    necessary: || {
        format!(
            "switches per operation rise by × {RISES} or more, or threads of the daemon are {BUSY} busy and the CPUs less than \
             {NOT_FULL}; and an explain run sees less than {INSIDE} of an operation's time in locks of the server"
        )
    },
    test: || {
        format!("what is in no term of the account (CPU, waiting for one, locks) covers {SUFFICIENT} of the growth")
    },
    intervention: || {
        format!("`settings.{WORD}` closes {CLOSES} of the growth: half of them, or twice as many where all are busy")
    },
    source: include_str!("daemon_waits.rs"),
    indicator: Some(|run| account::per_operation(run, "server.switches.voluntary")),
    within: &[REST],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| by_plugin(s.high)).map(|s| case(scene, s)).collect()
}

fn case(scene: &Scene, s: &Signature) -> Case {
    let mut case = s.case("", &[]);
    let threads = threads(s.high);
    let of_thread = threads.and_then(|threads| Some(cpus_used(s.high)? / threads));
    let all_busy = of_thread.is_some_and(|busy| busy >= BUSY.0);
    case.cost = cost(s);
    case.necessary = necessary(s, all_busy, || seen(scene, s, threads, of_thread));
    if scene.evidence.record.host.cpus.len() < FEW_CPUS {
        case.unseen = Some("So few CPUs let hardly two of its threads meet at a lock.".into());
    }
    let many = s.high.cell.server.settings.get(WORD).and_then(Value::count);
    let other = many.map(|n| if all_busy { n * 2 } else { (n / 2).max(1) });
    case.next_experiment = next::experiment(s.high, CAUSE.id, other.and_then(|n| Change::setting(s.high, WORD, n)));
    case
}

fn necessary(s: &Signature, all_busy: bool, seen: impl Fn() -> String) -> Necessary {
    let Some(switches) = s.switches else {
        return Necessary::NotMeasured("the kernel does not count the server's context switches".into());
    };
    let too_few = all_busy && s.busy < NOT_FULL.0;
    if switches < RISES && !too_few {
        return Necessary::Contradicted;
    }
    match waits::of_daemon(s.high) {
        Err(why) => Necessary::NotMeasured(why),
        Ok(_) if inside(s.high) >= INSIDE.0 => Necessary::Contradicted,
        Ok(_) => Necessary::Present(seen()),
    }
}

/// What the daemon and the kernel count, and memcached beside it.
fn seen(scene: &Scene, s: &Signature, threads: Option<f64>, of_thread: Option<f64>) -> String {
    let yields = per_operation_of(s.high, YIELDS).map(|n| format!("; it lets a connection wait {} times", round3(n)));
    let threads = threads.zip(of_thread).map(|(n, busy)| {
        let all = if busy >= BUSY.0 { ": too few of them, rather than a lock" } else { "" };
        format!(" Each of the daemon's {n} threads is on a CPU {} of the time{all}.", Share(busy))
    });
    let beside = itself(scene, s.high).map(|(cell, us)| {
        let ours = cpu_us(s.high).map_or(String::new(), |us| format!(" (here {} µs)", round3(us)));
        format!(" memcached itself takes {} µs of CPU for an operation ({}){ours}.", round3(us), cell.cell.id)
    });
    format!(
        "Its threads wait outside of InnoDB, whose locks have {} of an operation ({}{}).{}{}",
        Share(inside(s.high)),
        s.row(),
        yields.unwrap_or_default(),
        threads.unwrap_or_default(),
        beside.unwrap_or_default()
    )
}

/// The share of an operation of the explain run that passes in locks.
fn inside(cell: &CellEvidence) -> f64 {
    wait_share(cell, waits::is_lock).unwrap_or(0.0)
}

fn threads(cell: &CellEvidence) -> Option<f64> {
    let each = cell.runs.iter().flat_map(|run| &run.phases).map(|p| Some(p.counters.get(THREADS)?.end));
    each.collect::<Option<Vec<f64>>>().filter(|n| n.iter().all(|n| *n > 0.0)).map(|n| average(&n))
}

fn cpus_used(cell: &CellEvidence) -> Option<f64> {
    let each = cell.runs.iter().map(|run| Some(run.rates(&[SERVER_USER, SERVER_SYSTEM])? / 1e9));
    each.collect::<Option<Vec<f64>>>().map(|each| average(&each))
}

fn cpu_us(cell: &CellEvidence) -> Option<f64> {
    Some((per_operation_of(cell, SERVER_USER)? + per_operation_of(cell, SERVER_SYSTEM)?) / 1e3)
}

/// memcached, asked the same by as many.
fn itself<'a>(scene: &Scene<'a>, cell: &CellEvidence) -> Option<(&'a CellEvidence<'a>, f64)> {
    let Users(users) = cell.cell.load.users;
    let same = |other: &&CellEvidence| {
        let is_cache = other.runs.first().and_then(|r| r.instance).is_some_and(|i| i.kind == CACHE);
        let (a, b) = (&other.cell, &cell.cell);
        is_cache && a.workload == b.workload && a.parameters == b.parameters && a.load.users.0 == users
    };
    scene.cells().find(same).and_then(|other| Some((other, cpu_us(other)?)))
}

/// The part of the growth that none of the terms covers.
fn cost(s: &Signature) -> Option<Cost> {
    let parts: Vec<Part> = s.top.parts.keys().copied().collect();
    let covered = account::share_of_growth(s.high, s.low, &parts)?;
    let left = |covered: f64| (1.0 - covered).clamp(0.0, 1.0);
    let share = Interval { value: left(covered.value), low: left(covered.high), high: left(covered.low) };
    let (value, low, high) = (Share(share.value), Share(share.low), Share(share.high));
    let sentence = format!("{value} of the growth is in no term of the account ({low} to {high}).");
    Some(Cost { share, open: account::open(s.high), sentence })
}
