//! What each way to the kernel reaches with few users: a thread for each that blocks, io_uring, epoll, these two on a
//! thread per CPU or on one. Which is best depends on the kernel, on the CPUs, on how the server waits, and on what
//! waking a CPU costs just now, so it is measured and not known: with a sham server
//! that has a thread for each session, for the machine's own sake, and with the server under test, by the cheapest
//! request of its users' protocol. `io = "auto"` goes by the server's (`model::record::canary`), and a check holds runs
//! against it.

use super::canary_file;
use super::level::Level;
use crate::backends::access::{Access, UserGroup};
use crate::backends::own_sessions::ScriptEndpoints;
use crate::execution::groups::load_plans;
use crate::notebook::reporter::Reporter;
use crate::notebook::unix_ms;
use crate::os::placement::{Placement, place};
use crate::provision::Provision;
use crate::provision::needs::RunNeeds;
use crate::servers::process::folders::{Folders, private_folder};
use crate::servers::survey;
use crate::trouble::{Halt, Trouble};
use model::host::Host;
use model::load::{Io, Threads, Waiting};
use model::plan::{Plan, Server};
use model::record::canary::{Canary, CanaryPoint, Choice, Reach};
use model::record::event::EventKind;
use model::units::Nanos;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use workload::life::Life;
use workload::round_trip::RoundTrip;

/// From the few with which threads reach most to the many with which batches do, on every machine seen so far.
pub(super) const LEVELS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// What a level's rate is taken from.
struct Window {
    warm_up: Nanos,
    measure: Nanos,
    rounds: usize,
}

/// At least five hundred requests for each of the users.
const MANY: Window = Window { warm_up: Nanos::from_millis(10), measure: Nanos::from_millis(40), rounds: 6 };

/// With no more users than this a user's thread and the server's begin on one CPU and wake each other for nothing,
/// until the kernel moves them apart after some 100 ms: with one user 160,000 requests a second in the first 50 ms, and
/// 17,000 from then on. A run is long, so what follows counts.
const FEW: u32 = 4;
const SETTLED: Window = Window { warm_up: Nanos::from_millis(200), measure: Nanos::from_millis(100), rounds: 3 };

fn window(users: u32) -> &'static Window {
    if users <= FEW { &SETTLED } else { &MANY }
}

/// As long as a ceiling that others disturbed.
const STAYS_TRUE: Duration = Duration::from_secs(10 * 60);

/// So many are measured however few the plan has: one level alone decides by luck.
const LEAST_LEVELS: usize = 4;

/// The levels that tell of this many users.
fn levels(most: u32) -> &'static [u32] {
    let enough = LEVELS.iter().position(|level| *level >= most).map_or(LEVELS.len(), |at| at + 1);
    &LEVELS[..enough.max(LEAST_LEVELS)]
}

/// Chooses for a record, whose first server is up, by what the ways reach with it, which is kept beside the machine's
/// ceiling.
pub(super) fn choose(
    canary: &mut Canary,
    plan: &Plan,
    needs: &RunNeeds<'_>,
    provision: &Provision<'_>,
    host: &Host,
    reporter: &mut Reporter<'_>,
) -> Result<(), Halt> {
    let most = plan.cells.iter().map(|cell| cell.most_users().0).max().unwrap_or(1);
    let few = plan.cells.iter().any(|cell| cell.load.users.0 <= LEVELS[LEVELS.len() - 1]);
    let server = &needs.cell.server;
    let name = &named(server);
    let levels = levels(most);
    let known = known(canary, name).and_then(|reach| reach.points.last());
    let is_known = known.is_some_and(|point| levels.iter().all(|level| *level <= point.users));
    let users = load_plans(provision.up(), host, needs, Waiting::by(Io::Auto)).into_iter().next();
    let users = users.and_then(|(_, load_plan)| asking_least(&load_plan.user_groups[0]));
    if let Some(user_group) = users.filter(|_| few && !is_known) {
        reporter.say(&format!("measuring how users are best to wait for the answers of {name}"));
        match measure(name, &user_group, &place(server, host), levels, reporter.stop) {
            Ok(reaches) => {
                canary.reaches.retain(|reach| reach.server != *name);
                canary.reaches.extend(reaches);
                canary_file::keep(provision.folders(), canary)?;
            }
            Err(trouble) => reporter.note(EventKind::Note, None, format!("the ways were not measured: {trouble}"))?,
        }
    }
    // Nothing is measured twice for one record, were it in vain.
    let unknown = Choice::always(Waiting::by(Io::Auto), name);
    canary.choice = Some(canary.choose(name).unwrap_or(unknown));
    Ok(())
}

/// What was measured with that server a moment ago: what waking a CPU costs on a shared machine, which decides between
/// the ways, changes by a factor of three within minutes.
fn known<'c>(canary: &'c Canary, server: &'c str) -> Option<&'c Reach> {
    canary.of_server(server).next().filter(|reach| canary_file::is_younger(reach.unix_ms, STAYS_TRUE))
}

/// The server that the ways were measured with, and on which CPUs: those that must wake each other for each answer are
/// another distance apart.
fn named(server: &Server) -> String {
    let name = server.on.as_deref().unwrap_or(&server.build);
    let chosen = |cpus: &Option<String>| cpus.clone().unwrap_or_else(|| "the others".into());
    match (&server.cpus, &server.load_cpus) {
        (None, None) => name.into(),
        // The load shares them, as where nothing is said.
        (Some(cpus), None) if cpus == "all" => name.into(),
        (cpus, load) => format!("{name} on CPUs {}, its load on {}", chosen(cpus), chosen(load)),
    }
}

/// What `assay plan` can say of `io = "auto"` before a server is up.
pub fn expected(plan: &Plan) -> Option<String> {
    let cell = plan.cells.iter().find(|cell| cell.load.io == Io::Auto)?;
    let known = Folders::from_environment().ok().map(|folders| canary_file::read_or_empty(&folders));
    let choice = known.and_then(|canary| canary.choose(&named(&cell.server))).filter(|_| cell.server.on.is_none());
    Some(choice.map_or_else(
        || "users wait for answers in the way that reaches most, to be measured when the first server is up".into(),
        |choice| format!("users wait for answers: {choice}"),
    ))
}

/// One of these users with the least that they can ask; those of a script bring sessions of their own.
fn asking_least(user_group: &UserGroup) -> Option<UserGroup> {
    (!matches!(user_group.workload.life(), Life::Script(_))).then(|| user_group.asking_least())
}

/// The way for the users of a script at that server of MySQL's family, from what the ways reach at their level.
pub fn for_script(endpoints: &ScriptEndpoints, users: u32, stop: &AtomicBool) -> Result<Io, Trouble> {
    let Some(endpoint) = endpoints.mysql.first().filter(|_| users <= LEVELS[LEVELS.len() - 1]) else {
        return Ok(Io::Auto);
    };
    let folders = Folders::from_environment()?;
    private_folder(&folders.home)?;
    let name = endpoint.address.to_string();
    let mut canary = canary_file::read_or_empty(&folders);
    // More levels would tell more surely, and take longer than a script's user waits without a word.
    let levels = [users];
    if known(&canary, &name).is_none_or(|reach| reach.points.iter().all(|point| point.users != users)) {
        let user_group = UserGroup::asking(Arc::new(RoundTrip), Arc::default(), Access::to(endpoint.clone()));
        canary.reaches.retain(|reach| reach.server != name);
        canary.reaches.extend(measure(&name, &user_group, &survey::placement(), &levels, stop)?);
        canary_file::keep(&folders, &canary)?;
    }
    // States of Lua want a thread per CPU, whatever the waiting takes.
    Ok(canary.choose(&name).map_or(Io::Auto, |choice| choice.for_users(users).io))
}

/// The reaches of every way that the kernel grants.
pub(super) fn measure(
    server: &str,
    user_group: &UserGroup,
    placement: &Placement,
    levels: &[u32],
    stop: &AtomicBool,
) -> Result<Vec<Reach>, Trouble> {
    let ring = io_uring::IoUring::new(2).is_ok();
    let best = if ring { Io::IoUring } else { Io::Epoll };
    let mut ways = vec![Waiting::by(Io::Blocking), Waiting::by(best)];
    if !placement.apart && placement.load.len() > 1 {
        ways.push(Waiting { io: best, threads: Threads::One });
    }
    if ring {
        ways.push(Waiting::by(Io::Epoll));
    }
    let reach =
        |Waiting { io, threads }| Reach { server: server.into(), io, threads, points: Vec::new(), unix_ms: unix_ms() };
    let mut reaches: Vec<Reach> = ways.into_iter().map(reach).collect();
    // The ways take turns: what disturbs the machine meanwhile disturbs each of them.
    for round in 0..MANY.rounds {
        for users in levels.iter().filter(|users| round < window(**users).rounds) {
            let Window { warm_up, measure, .. } = *window(*users);
            for reach in &mut reaches {
                if stop.load(Relaxed) {
                    return Ok(Vec::new());
                }
                let waiting = reach.waiting();
                let level = Level { user_group, waiting, users: *users, warm_up, measure };
                reach.points.extend(level.reached(placement, stop)?.0);
            }
        }
    }
    Ok(told(reaches))
}

/// What is told of each way of all its windows: one point per level. A user alone has one thread however many there
/// may be, so that the windows of the same way count together.
fn told(mut reaches: Vec<Reach>) -> Vec<Reach> {
    let alone: Vec<(Io, CanaryPoint)> = reaches
        .iter()
        .flat_map(|reach| reach.points.iter().filter(|point| point.users == 1).map(|point| (reach.io, *point)))
        .collect();
    for reach in &mut reaches {
        reach.points.retain(|point| point.users != 1);
        reach.points.extend(alone.iter().filter(|(io, _)| *io == reach.io).map(|(_, point)| *point));
        reach.points.sort_by(|a, b| a.users.cmp(&b.users).then(a.qps.total_cmp(&b.qps)));
        reach.points = reach.points.chunk_by(|a, b| a.users == b.users).map(typical).collect();
    }
    reaches
}

/// The point of one level, of its windows by their rates. With few users a window that has not settled is ten times as
/// fast as the others, so that the middle one counts; with many the same way differs by the luck of which CPUs its
/// threads and the server's lie on, which a run has or has not, so that the mean does.
fn typical(points: &[CanaryPoint]) -> CanaryPoint {
    if points[0].users <= FEW { points[(points.len() - 1) / 2] } else { mean(points) }
}

fn mean(points: &[CanaryPoint]) -> CanaryPoint {
    let of = |figure: fn(&CanaryPoint) -> f64| points.iter().map(figure).sum::<f64>() / points.len() as f64;
    CanaryPoint {
        users: points[0].users,
        qps: of(|point| point.qps),
        client_cpu_us: of(|point| point.client_cpu_us),
        latency_us_p50: of(|point| point.latency_us_p50),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_on_other_cpus_was_measured_with_another_server() {
        let on = |cpus: Option<&str>, load: Option<&str>| {
            let [cpus, load_cpus] = [cpus, load].map(|cpus| cpus.map(String::from));
            named(&Server { build: "mariadb".into(), cpus, load_cpus, ..Server::default() })
        };
        assert_eq!(on(None, None), "mariadb");
        assert_eq!(on(Some("all"), None), "mariadb");
        assert_eq!(on(Some("0"), Some("1")), "mariadb on CPUs 0, its load on 1");
        assert_eq!(on(Some("half"), None), "mariadb on CPUs half, its load on the others");
    }

    #[test]
    fn one_window_that_did_not_settle_decides_nothing_and_a_user_alone_has_one_thread() {
        let reach = |threads, rates: &[(u32, f64)]| {
            let point = |&(users, qps)| CanaryPoint { users, qps, client_cpu_us: 1.0, latency_us_p50: 1.0 };
            let points = rates.iter().map(point).collect();
            Reach { server: "s".into(), io: Io::IoUring, threads, points, unix_ms: 0 }
        };
        let per_cpu =
            reach(Threads::PerCpu, &[(1, 160.0), (1, 17.0), (2, 30.0), (2, 90.0), (2, 31.0), (8, 50.0), (8, 70.0)]);
        let one = reach(Threads::One, &[(1, 16.0), (1, 18.0), (1, 19.0)]);
        let rates = |reach: &Reach| reach.points.iter().map(|point| (point.users, point.qps)).collect::<Vec<_>>();
        let told = told(vec![per_cpu, one]);
        assert_eq!(rates(&told[0]), [(1, 18.0), (2, 31.0), (8, 60.0)]);
        assert_eq!(rates(&told[1]), [(1, 18.0)]);
    }
}
