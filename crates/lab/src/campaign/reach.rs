//! What each way to the kernel reaches with few users: a thread for each that blocks, io_uring, epoll. Which is best
//! depends on the kernel, on the CPUs and on how the server waits, so it is measured and not known: with a sham server
//! that has a thread for each session, and with the private server under test, each by its cheapest request.
//! `io = "auto"` goes by it (`model::record::canary`), and a check holds runs against it.

use super::ceiling;
use super::level::Level;
use crate::backends::access::Access;
use crate::execution::groups::load_plans;
use crate::notebook::reporter::Reporter;
use crate::os::placement::{Placement, place};
use crate::provision::Provision;
use crate::provision::needs::RunNeeds;
use crate::servers::process::folders::{Folders, private_folder};
use crate::trouble::{Halt, Trouble};
use model::host::Host;
use model::load::Io;
use model::plan::{Cell, Plan};
use model::record::canary::{Canary, Reach, SHAM};
use model::record::event::EventKind;
use model::units::Nanos;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use workload::Workload;
use workload::round_trip::RoundTrip;

/// From the few with which threads reach most to the many with which batches do, on every machine seen so far.
pub(super) const LEVELS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// A thousand requests at one user, and seven levels of three ways, twice, in four seconds.
const MEASURE: Nanos = Nanos::from_millis(80);
const WARM_UP: Nanos = Nanos::from_millis(20);

/// The ways take turns, and the better of a level's measurements counts: a neighbour of the machine only takes.
const ROUNDS: usize = 2;

/// The levels that tell of this many users.
pub(super) fn levels(most: u32) -> &'static [u32] {
    let enough = LEVELS.iter().position(|level| *level >= most).map_or(LEVELS.len(), |at| at + 1);
    &LEVELS[..enough]
}

/// Chooses for a record, whose first server is up: by what the ways reach with it, if assay started it and it speaks
/// SQL, and else by what they reach with the sham. What a build's server reaches is kept beside the machine's ceiling.
pub(super) fn choose(
    canary: &mut Canary,
    plan: &Plan,
    needs: &RunNeeds<'_>,
    provision: &Provision<'_>,
    host: &Host,
    reporter: &mut Reporter<'_>,
) -> Result<(), Halt> {
    let asks = |cell: &&Cell| cell.load.io == Io::Auto;
    let users = plan.cells.iter().filter(asks).map(|cell| cell.most_users().0).max();
    let levels = levels(users.unwrap_or(1));
    let server = &needs.cell.server;
    let build = server.build.as_str();
    let user_groups = load_plans(provision.up(), host, needs, Io::Auto);
    let access = user_groups.first().map(|(_, load_plan)| &load_plan.user_groups[0].access);
    let known = canary.reach(build, Io::Blocking).map_or(0, |reach| reach.points.len()) >= levels.len();
    if let Some(access) = access.filter(|access| server.on.is_none() && access.beside.is_none() && !known) {
        reporter.say(&format!("measuring how users are best to wait for the answers of {build} (once per build)"));
        match measure(build, access, &place(server, host), levels, reporter.stop) {
            Ok(reaches) => {
                canary.reaches.retain(|reach| reach.server != build);
                canary.reaches.extend(reaches);
                ceiling::keep(provision.folders(), canary)?;
            }
            Err(trouble) => reporter.note(EventKind::Note, None, format!("the ways were not measured: {trouble}"))?,
        }
    }
    canary.choice = canary.choose(build).or_else(|| canary.choose(SHAM));
    Ok(())
}

/// The way for the users of a script, on whichever server: by the sham, whose reaches at these levels are measured
/// where they are not known.
pub fn for_script(users: u32, stop: &AtomicBool) -> Result<Io, Trouble> {
    if users > LEVELS[LEVELS.len() - 1] {
        return Ok(Io::Auto);
    }
    let folders = Folders::from_environment()?;
    private_folder(&folders.home)?;
    let canary = ceiling::with_sham(&folders, levels(users), stop)?;
    Ok(canary.choose(SHAM).map_or(Io::Auto, |choice| choice.for_users(users)))
}

/// The reaches of every way that the kernel grants.
pub(super) fn measure(
    server: &str,
    access: &Access,
    placement: &Placement,
    levels: &[u32],
    stop: &AtomicBool,
) -> Result<Vec<Reach>, Trouble> {
    let ring = io_uring::IoUring::new(2).is_ok();
    let ways = [Io::Blocking, Io::IoUring, Io::Epoll].into_iter().filter(|io| ring || *io != Io::IoUring);
    let mut reaches: Vec<Reach> = ways.map(|io| Reach { server: server.into(), io, points: Vec::new() }).collect();
    let workload: Arc<dyn Workload> = Arc::new(RoundTrip);
    for _ in 0..ROUNDS {
        for users in levels {
            for reach in &mut reaches {
                if stop.load(Relaxed) {
                    return Ok(Vec::new());
                }
                let io = reach.io;
                let level =
                    Level { access, workload: &workload, io, users: *users, warm_up: WARM_UP, measure: MEASURE };
                let Some(new) = level.reached(placement, stop)?.0 else { continue };
                match reach.points.iter_mut().find(|point| point.users == *users) {
                    Some(kept) if kept.qps >= new.qps => {}
                    Some(kept) => *kept = new,
                    None => reach.points.push(new),
                }
            }
        }
    }
    Ok(reaches)
}
