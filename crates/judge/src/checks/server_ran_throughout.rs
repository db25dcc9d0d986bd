//! A server that is stopped by a signal or a debugger, or frozen with its control group, and one whose CPU quota is
//! spent, stands still while its work waits. Its own counters know nothing of it, and the host's CPUs look idle. The
//! lab looks 25 times a second whether the server stands still, and reads how long control groups held server and load
//! back.
//!
//! A stop in the warm-up, or at the edge of the window, warns.
//!
//! A load that is stopped asks nothing meanwhile, and is looked at in the same way.
//!
//! A server seen standing still for more than 1 % of the window fails, and one that was seen so at all warns: no
//! server stops itself. Of time that a quota took, per CPU, 10 % of the window fails and 1 % warns, the load's as the
//! server's.

use crate::frame::applies::Absence;
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight, graded};
use model::{Nanos, Share, Status};

pub const CHECK: Check = Check {
    id: "server_ran_throughout",
    claim: || format!("nothing stopped the server for {STOPPED} of the window, and no quota held it back"),
    source: include_str!("server_ran_throughout.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[STOPPED, THROTTLED_WARN, THROTTLED_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "find who stops it (a debugger, `kill -STOP`, a freezer, a backup of the machine), take the quota away \
             (`cpu.max`, `cpu.cfs_quota_us`, `docker --cpus`), or give fewer CPUs instead of a share of them",
    look: Look::Run(look),
};

const STOPPED: Limit =
    Limit::share("stopped", 0.01, "of the window; the slowest hundredth of all answers is then the stop's")
        .convention();
const THROTTLED_WARN: Limit =
    Limit::share("throttled_warn", 0.01, "of the window; periods are 100 ms, so that a percentile is made of them")
        .convention();
const THROTTLED_FAIL: Limit =
    Limit::share("throttled_fail", 0.10, "of the window: the rate is the quota's").convention();

const STOPS: &str = "server.stops";
const STOOD: &str = "server.stopped";
const OWN_STOPS: &str = "client.stops";
const OWN_STOOD: &str = "client.stopped";
const HELD_BACK: [(&str, &str); 2] = [("the server", "server.throttled"), ("the load", "client.throttled")];

fn absent(run: &RunEvidence) -> Absence {
    let is_read = run.growth(STOPS).is_some() || HELD_BACK.iter().any(|(_, name)| run.growth(name).is_some());
    (!is_read).then(|| "Nobody looked whether the server stood still.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let window = run.seconds();
    let nanos = |name: &str| run.growth(name).map(|grown| Nanos(grown.delta.max(0.0) as u64));
    let share = |time: Nanos| Share(time.seconds() / window);
    let (most, warn, fail) =
        (run.limits.share(&STOPPED), run.limits.share(&THROTTLED_WARN), run.limits.share(&THROTTLED_FAIL));
    let limit = format!("{most} standing still; {fail} held back by a quota, warns at {warn}");
    let stood = nanos(STOOD).unwrap_or_default();
    let stops = run.growth(STOPS).map_or(0.0, |grown| grown.delta);
    let (mut status, mut told) = (Status::Pass, Vec::new());
    if stops > 0.0 || stood.0 > 0 {
        status = if share(stood).0 > most.0 { Status::Fail } else { Status::Warn };
        let long = match stood.0 {
            0 => ", each time too shortly to be timed".into(),
            _ => format!(" for {stood} ({} of the window)", share(stood)),
        };
        told.push(format!(
            "the server stood still {}{long}, stopped by a signal or a debugger or frozen with its control group",
            times(stops)
        ));
    }
    let beside = beside(run, stops);
    if beside > 0.0 {
        status = status.max(Status::Warn);
        told.push(format!(
            "the server stood still {} just before what is measured, or at its very edge, where readings wait for it",
            times(beside)
        ));
    }
    if let Some(own) = nanos(OWN_STOOD).filter(|own| own.0 > 0) {
        status = status.max(if share(own).0 > most.0 { Status::Fail } else { Status::Warn });
        let stops = run.growth(OWN_STOPS).map_or(0.0, |grown| grown.delta);
        told.push(format!(
            "the load stood still {} for {own} ({} of the window) and asked nothing meanwhile, though it waited for no CPU: it was stopped by a signal or a debugger, or the machine was paused",
            times(stops),
            share(own)
        ));
    }
    for (who, name) in HELD_BACK {
        let held_back = nanos(name).unwrap_or_default();
        let graded = graded(share(held_back).0, warn.0, fail.0);
        if graded > Status::Pass {
            told.push(format!(
                "{who} was kept from its CPUs for {held_back} ({} of the window, over all CPUs) because the quota of its control group was spent",
                share(held_back)
            ));
        }
        status = status.max(graded);
    }
    let measured = format!("{stood} standing still");
    let sentence = match told.is_empty() {
        true => "The server ran throughout: it was not stopped, and no quota held it or the load back.".to_string(),
        false => {
            let all = told.join("; ");
            format!("{}{}: that time is in the latencies.", all[..1].to_uppercase(), &all[1..])
        }
    };
    Ok(Seen::new(status, measured, limit, sentence))
}

/// Stops of the whole run that no phase which measures has seen. While the server stands still it is not read, so that
/// a phase may begin with its users and have its first reading behind the stop.
fn beside(run: &RunEvidence, seen: f64) -> f64 {
    let on_purpose = run.run.phases.iter().any(|phase| phase.disturbance.is_some());
    let whole = run.grown(&run.run.whole.counters, STOPS).filter(|_| !on_purpose && run.group.is_none());
    whole.map_or(0.0, |whole| whole.delta - seen).max(0.0)
}

fn times(stops: f64) -> String {
    match stops as u64 {
        0 | 1 => "once".into(),
        n => format!("{n} times"),
    }
}
