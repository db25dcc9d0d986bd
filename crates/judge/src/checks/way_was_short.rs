//! A proxy, a delayed network or a slow tunnel between users and server is in every statement, and no counter of the
//! server knows of it. So the cheapest request of the users' own protocol is asked just before each run and just after
//! it, over a session opened as theirs are, 200 times one after the other (or for 0.4 s): the floor of the way. Of
//! those the lower quartile counts, because a busy CPU lengthens the slower ones first and what stands in the way all
//! of them.
//!
//! A floor that is higher than the lowest of the record (of the same build and transport) by more than 100 µs and 10 %
//! of the run's mean statement fails, whichever end of a run or which repetition it was: numbers of two ways are not
//! one number. More than 5 % warns. So does a second in which all sessions of the server waited for requests while
//! users waited for answers: for 60 % of it, and three times as much as usual in the runs of this cell. So does a
//! floor that is the same everywhere but above 250 µs to a server on this host and more than 20 % of a statement: no
//! socket of this host takes that long. Between hosts a constant floor is the network's own, and is told. A session
//! that takes more than 1 s to open warns: names are resolved slowly, by the client or by the server.

use crate::frame::applies::Absence;
use crate::frame::idle;
use crate::frame::statement_time::mean;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use model::record::run::RunRecord;
use model::record::way::{Trips, Way};
use model::units::round3;
use model::{Nanos, Share, Status};

pub const CHECK: Check = Check {
    id: "way_was_short",
    claim: || {
        format!(
            "the way to the server stayed as it was to within {WAY_MOVED_FAIL} of a statement, and nothing stands on it"
        )
    },
    source: include_str!("way_was_short.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[WAY_MOVED_WARN, WAY_MOVED_FAIL, WAY_NOISE, WAY_HERE, WAY_SHARE, WAY_IDLE, WAY_IDLE_TIMES, WAY_CONNECT],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "look for what stands between: a proxy, a tunnel, a delayed network (`tc qdisc show`), a pool of \
             connections; come by the server's own socket, and repeat",
    look: Look::Run(look),
};

const WAY_MOVED_WARN: Limit =
    Limit::share("way_moved_warn", 0.05, "of the mean statement; half of what is struck").convention();
const WAY_MOVED_FAIL: Limit = Limit::share(
    "way_moved_fail",
    0.10,
    "of the mean statement; differences that are claimed begin below it, and this one would be the way's",
)
.convention();
const WAY_NOISE: Limit = Limit::seconds(
    "way_noise",
    0.0001,
    "by which a lower quartile of 200 round trips moves by itself: CPUs that sleep deeper, a server that still purges",
)
.convention();
const WAY_HERE: Limit = Limit::seconds(
    "way_here",
    0.00025,
    "to a server on this host; sockets, TLS in it, take 20 to 80 µs, and a CPU that sleeps some tens more",
)
.convention();
const WAY_SHARE: Limit =
    Limit::share("way_share", 0.20, "of the mean statement; a fifth of the time is then not the server's").convention();
const WAY_IDLE: Limit =
    Limit::share("way_idle", 0.60, "of a second in which no session had a request; it answers in the rest of it")
        .convention();
const WAY_IDLE_TIMES: Limit = Limit::number(
    "way_idle_times",
    3.0,
    "as much as usual in the cell; seconds of healthy servers at full load are idle for 2 %, and for 32 % at most",
)
.convention();
const WAY_CONNECT: Limit = Limit::seconds(
    "way_connect",
    1.0,
    "to open one session; a login takes milliseconds, and resolvers give up a question after whole seconds",
)
.convention();

fn way(run: &RunRecord) -> Option<&Way> {
    run.around.as_ref()?.way.as_ref()
}

fn trips(run: &RunRecord) -> impl Iterator<Item = Trips> {
    way(run).into_iter().flat_map(|way| [way.before, way.after]).flatten()
}

fn absent(run: &RunEvidence) -> Absence {
    way(run.run).is_none().then(|| "The cheapest request of its users was not asked around this run.".into())
}

/// The lowest floor of all runs that take the same way to the same build.
fn lowest(run: &RunEvidence) -> Option<(Nanos, String)> {
    let build = |other: &RunRecord| {
        let cell = run.record.plan.cells.iter().find(|cell| cell.id == other.cell);
        cell.map(|cell| (&cell.server.build, &cell.server.on))
    };
    let alike = run
        .record
        .runs
        .iter()
        .filter(|other| other.session.transport == run.run.session.transport && build(other) == build(run.run));
    alike.flat_map(|other| trips(other).map(|t| (t.quarter, other.id.to_string()))).min()
}

fn look(run: &RunEvidence) -> Sight {
    let way = way(run.run).ok_or("nobody asked")?;
    if let (None, _) | (_, None) = (way.before, way.after) {
        let why = way.failed.as_deref().unwrap_or("it was not asked at both ends");
        return Err(format!("`{}` was not answered around run {}: {why}", way.request, run.run.id));
    }
    let statement = mean(run).ok_or("no statement was answered")?;
    let floor = trips(run.run).max_by_key(|t| t.quarter).ok_or("nobody asked")?;
    let (least, at) = lowest(run).ok_or("nobody asked")?;
    let more = Nanos(floor.quarter.0.saturating_sub(least.0));
    let seconds = |limit: &Limit| Nanos((run.limits.of(limit) * 1e9) as u64);
    let [warn, fail, most] = [&WAY_MOVED_WARN, &WAY_MOVED_FAIL, &WAY_SHARE].map(|limit| run.limits.share(limit));
    let of = |time: Nanos| Share((time.0 as f64 / statement.0.max(1) as f64).min(1.0));
    let limit = format!("{fail} of a statement more than the lowest; warns at {warn}");
    let measured = format!("{} there and back", floor.quarter);
    let seen = |status, sentence: String| Ok(Seen::new(status, measured.clone(), limit.clone(), sentence));
    let (request, spent) = (&way.request, of(floor.quarter));
    if more > seconds(&WAY_NOISE) && of(more).0 > warn.0 {
        let end = if way.before.is_some_and(|t| t.quarter == floor.quarter) { "before" } else { "after" };
        let sentence = format!(
            "The way to the server changed: just {end} run {} each request spent {} on it (`{request}`), and {least} \
             around run {at}; something came to stand between, e.g. a proxy or a delayed network, and of the mean \
             statement's {statement} it is {}.",
            run.run.id,
            floor.quarter,
            of(more)
        );
        return seen(graded(of(more).0, warn.0, fail.0), sentence);
    }
    if run.is_on_this_host() && floor.quarter > seconds(&WAY_HERE) && spent.0 > most.0 {
        let sentence = format!(
            "Each request spends {} on the way to a server on this host before it does anything (`{request}`): \
             something stands between, e.g. a proxy or a delayed network; of the mean statement's {statement} that \
             is {spent}.",
            floor.quarter
        );
        return seen(Status::Warn, sentence);
    }
    if floor.connect > seconds(&WAY_CONNECT) {
        let sentence = format!(
            "Opening a session takes {}, though a request takes {}: names are resolved slowly, by the client or by \
             the server (`skip_name_resolve`).",
            floor.connect, floor.quarter
        );
        return seen(Status::Warn, sentence);
    }
    if let Some(sentence) = in_between(run) {
        return seen(Status::Warn, sentence);
    }
    let sentence = format!(
        "The cheapest request (`{request}`) takes {} there and back, {spent} of the mean statement's {statement}.",
        floor.quarter
    );
    seen(Status::Pass, sentence)
}

/// A way that was long for a while, of which the floor at both ends knows nothing.
fn in_between(run: &RunEvidence) -> Option<String> {
    if run.groups().iter().any(|(group, _)| group.is_scheduled()) {
        return None;
    }
    let idle = idle::longest(run, run.limits.share(&WAY_IDLE), run.limits.of(&WAY_IDLE_TIMES))?;
    (idle.lost > run.limits.of(&WAY_MOVED_WARN) * run.seconds()).then(|| {
        format!(
            "From {} s to {} s of run {} all sessions of the server waited for requests for {} of the time ({} in the \
             best of this cell's runs), though its users waited for answers and the load could run: something on the \
             way between them held both back for a while, e.g. a proxy or a network.",
            round3(idle.from.seconds()),
            round3(idle.to.seconds()),
            run.run.id,
            idle.share,
            idle.usual
        )
    })
}
