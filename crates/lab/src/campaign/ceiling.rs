//! The canary: the `noop` workload against the sham server gives what this machine's load can reach at most and costs
//! at least. It is measured once per machine and build, kept in the lab's home, and goes into every record: a real
//! server's rate near this ceiling says more about the client than about the server. A ceiling measured while others
//! used the CPUs is too low, and would make quiet runs look client-bound: it is measured again before long, an old one
//! too, and of the last two the better counts at each level. Beside it lies what each way to the kernel reaches with
//! few users (`reach.rs`).

use super::level::Level;
use super::{canary_file, reach};
use crate::backends::access::{Access, UserGroup};
use crate::backends::endpoint::SqlEndpoint;
use crate::notebook::unix_ms;
use crate::os::placement::{Placement, place};
use crate::os::procfs;
use crate::servers::process::folders::Folders;
use crate::servers::sham::Sham;
use crate::trouble::Trouble;
use model::host::Host;
use model::load::{Io, Threads, Waiting};
use model::plan::Server;
use model::record::canary::{Canary, Reach, SHAM};
use model::units::{Nanos, Share};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use workload::round_trip::RoundTrip;

/// The levels of the seeds, thinned: rates between them are interpolated.
const USERS: &[u32] = &[1, 2, 4, 8, 16, 64, 256, 1024];

/// Long enough for tens of thousands of statements at every level.
const MEASURE: Nanos = Nanos::from_millis(250);
const WARM_UP: Nanos = Nanos::from_millis(50);

/// Each level is measured by one thread and by one per CPU, as loads are carried out, and the better is kept: a ceiling
/// is what the machine can do when nobody disturbs it.
const ROUNDS: [Threads; 2] = [Threads::One, Threads::PerCpu];

/// A disturbed measurement is repeated, and not so often that a busy machine does little else.
const DISTURBED: Duration = Duration::from_secs(10 * 60);
/// As much as check `machine_was_quiet` allows during a run.
const OTHERS: Share = Share(0.05);

/// The ceiling that counts, measured if need be; `say` is told before that.
pub fn find(folders: &Folders, host: &Host, stop: &AtomicBool, say: &mut dyn FnMut(&str)) -> Result<Canary, Trouble> {
    let before = canary_file::read(folders);
    if let Some(before) = before.as_ref().filter(|before| !before.points.is_empty() && is_fresh(before, unix_ms())) {
        return Ok(before.clone());
    }
    say(match before {
        None => "measuring what this machine's load can do at most (once per machine and build)",
        Some(_) => "measuring what this machine's load can do at most (once more: it was disturbed, or is a day old)",
    });
    let canary = better(before, measure(folders, host, stop)?);
    if !stop.load(Relaxed) {
        canary_file::keep(folders, &canary)?;
    }
    Ok(canary)
}

fn is_fresh(canary: &Canary, now: u64) -> bool {
    let quiet = canary.others.is_some_and(|others| others.0 <= OTHERS.0);
    let good_for = if quiet { canary_file::STALE } else { DISTURBED };
    u128::from(now.saturating_sub(canary.unix_ms)) < good_for.as_millis()
}

/// The new ceiling, with those levels of the old one that were better. It passes as undisturbed when either was.
fn better(old: Option<Canary>, mut new: Canary) -> Canary {
    let Some(old) = old.filter(|old| old.io == new.io) else { return new };
    for point in &mut new.points {
        let before = old.points.iter().find(|o| o.users == point.users && o.qps > point.qps);
        *point = before.copied().unwrap_or(*point);
    }
    let least = |a: Share, b: Share| if a.0 < b.0 { a } else { b };
    // What real servers reach is measured when one is up.
    new.reaches.extend(old.reaches.into_iter().filter(|reach| reach.server != SHAM));
    new.others = old.others.zip(new.others).map(|(a, b)| least(a, b)).or(new.others);
    new
}

fn measure(folders: &Folders, host: &Host, stop: &AtomicBool) -> Result<Canary, Trouble> {
    let room = folders.claim_socket()?;
    let socket = room.folder().join("s");
    // Placed as a server under test would be, so that sharing costs the canary what it costs the measured.
    let placement = place(&Server::default(), host);
    let begun = CpuTimes::read();
    let reaches = sham_reaches(&socket, &place(&Server::default(), host), &reach::LEVELS, stop)?;
    let mut canary = Canary { reaches, ..canary_file::empty() };
    let _sham = Sham::start(&socket, &placement.server)
        .map_err(|e| Trouble::new("the sham server cannot listen").because(e))?;
    let workload = workload::Workloads::built_in().planned("noop");
    let user_group = &UserGroup::asking(workload, Arc::default(), Access::to(SqlEndpoint::root(socket)));
    for threads in ROUNDS {
        for (at, users) in USERS.iter().enumerate() {
            let waiting = Waiting { io: Io::Auto, threads };
            let level = Level { user_group, waiting, users: *users, warm_up: WARM_UP, measure: MEASURE };
            let (point, io) = level.reached(&placement, stop)?;
            canary.io = io;
            match (canary.points.get_mut(at), point) {
                (Some(kept), Some(new)) if new.qps > kept.qps => *kept = new,
                (None, Some(new)) => canary.points.push(new),
                (Some(_) | None, _) => {}
            }
        }
    }
    canary.others = begun.zip(CpuTimes::read()).map(|(begun, ended)| ended.others_since(&begun));
    Ok(canary)
}

/// What each way reaches with a sham server that has a thread for each session.
fn sham_reaches(
    socket: &Path,
    placement: &Placement,
    levels: &[u32],
    stop: &AtomicBool,
) -> Result<Vec<Reach>, Trouble> {
    let _sham = Sham::start_threaded(socket, &placement.server)
        .map_err(|e| Trouble::new("the sham server cannot listen").because(e))?;
    let user_group =
        UserGroup::asking(Arc::new(RoundTrip), Arc::default(), Access::to(SqlEndpoint::root(socket.to_path_buf())));
    reach::measure(SHAM, &user_group, placement, levels, stop)
}

/// CPU time of the machine and of this process, the sham server among it, in nanoseconds.
struct CpuTimes {
    all: u64,
    busy: u64,
    own: u64,
}

impl CpuTimes {
    fn read() -> Option<Self> {
        let [user, system, idle, iowait, irq, steal] = procfs::cpu(&std::fs::read_to_string("/proc/stat").ok()?)?;
        let busy = procfs::ticks_to_nanos(user + system + irq + steal);
        let own = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let own = own.tv_sec as u64 * 1_000_000_000 + own.tv_nsec as u64;
        Some(Self { all: busy + procfs::ticks_to_nanos(idle + iowait), busy, own })
    }
    fn others_since(&self, begun: &Self) -> Share {
        let others = (self.busy - begun.busy).saturating_sub(self.own - begun.own);
        Share(others as f64 / (self.all - begun.all).max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::canary::CanaryPoint;

    fn canary(unix_ms: u64, others: Option<f64>, rates: &[f64]) -> Canary {
        let point =
            |(i, qps): (usize, &f64)| CanaryPoint { users: 1 << i, qps: *qps, client_cpu_us: 1.0, latency_us_p50: 1.0 };
        let points = rates.iter().enumerate().map(point).collect();
        Canary {
            machine: "m".into(),
            io: "epoll".into(),
            points,
            unix_ms,
            others: others.map(Share),
            reaches: Vec::new(),
            choice: None,
        }
    }

    #[test]
    fn a_disturbed_ceiling_is_soon_measured_again_and_a_quiet_one_after_a_day() {
        let (minute, hour) = (60_000, 3_600_000);
        let fresh = |others, age| is_fresh(&canary(100 * hour, others, &[]), 100 * hour + age);
        assert!(fresh(Some(0.01), 20 * hour) && !fresh(Some(0.01), 25 * hour));
        assert!(fresh(Some(0.4), 5 * minute) && !fresh(Some(0.4), 11 * minute));
        assert!(!fresh(None, 11 * minute), "of a ceiling from before nothing is known");
    }

    #[test]
    fn of_two_ceilings_the_better_counts_at_each_level() {
        let both = better(Some(canary(1, Some(0.01), &[10.0, 20.0])), canary(2, Some(0.3), &[12.0, 15.0]));
        let rates: Vec<f64> = both.points.iter().map(|p| p.qps).collect();
        assert_eq!((rates, both.unix_ms, both.others), (vec![12.0, 20.0], 2, Some(Share(0.01))));
    }
}
