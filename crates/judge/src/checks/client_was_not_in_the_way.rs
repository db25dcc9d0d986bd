//! With few users the way in which a client waits for its answers decides how soon the server's thread runs: the same
//! server, asked the same by two users, was seen to answer twice as many requests of threads that block as of a ring.
//! Nothing of that shows in how busy anybody was. What each way reaches with the cheapest request was measured on this
//! machine (`reaches` of the canary); the difference to the best way, per request, is in each statement of this run,
//! and its share of a statement's time is by how much the number is the client's and not the server's.

use crate::frame::applies::{Absence, Applies};
use crate::frame::check::{Check, Doubts, Look, Seen, Sight, graded};
use crate::frame::evidence::RunEvidence;
use crate::frame::limits::Limit;
use crate::frame::statement_time::mean;
use model::load::Threads;
use model::plan::{Cell, Server};
use model::record::canary::{Reach, qps_at};
use model::units::Share;

pub const CHECK: Check = Check {
    id: "client_was_not_in_the_way",
    claim: || {
        format!("no other way of waiting for answers would have made a statement shorter by {WAY_FAIL} of its time")
    },
    source: include_str!("client_was_not_in_the_way.rs"),
    applies: Applies::Run(unmeasured),
    needs: &[],
    limits: &[WAY_WARN, WAY_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "leave `io` at \"auto\", which goes by what was measured on this machine; where it is at that, measure again. As it is, the number is a lower bound for the server",
    look: Look::Run(look),
};

const WAY_WARN: Limit =
    Limit::share("way_warn", 0.10, "of the mean statement; what the ways reach was measured to within some percent")
        .convention();
const WAY_FAIL: Limit =
    Limit::share("way_fail", 0.20, "a fifth of the statement's time is then the client's own").convention();

/// The ways of waiting for the server that this record's runs were measured by, and this run's own.
fn reaches<'r>(run: &RunEvidence<'r>) -> Option<(Vec<&'r Reach>, &'r Reach)> {
    let canary = run.record.canary.as_ref()?;
    let server = &canary.choice.as_ref()?.server;
    if placement(&run.cell.server) != placement(&first(run)?.server) {
        return None;
    }
    let all: Vec<_> = canary.of_server(server).collect();
    let same: Vec<_> = all.iter().filter(|reach| reach.io.word() == run.run.io).collect();
    // On one CPU, and of one user, there is no difference.
    let threads = if run.run.workers > 1 { Threads::PerCpu } else { Threads::One };
    let own = same.iter().find(|reach| reach.threads == threads).or(same.first())?;
    let most = own.points.last()?.users;
    (run.users() <= most).then_some((all.clone(), own))
}

/// The cell whose server was up first, with which the ways were measured.
fn first<'r>(run: &RunEvidence<'r>) -> Option<&'r Cell> {
    let plan = &run.record.plan;
    plan.cells.iter().find(|cell| Some(&cell.id) == plan.runs.first().map(|run| &run.cell))
}

/// CPUs that wake each other across the machine answer later, whatever the way.
fn placement(server: &Server) -> [&Option<String>; 2] {
    [&server.cpus, &server.load_cpus]
}

fn unmeasured(run: &RunEvidence) -> Absence {
    let why = "What other ways of waiting reach was not measured for so many users on these CPUs.";
    reaches(run).is_none().then(|| why.into())
}

fn look(run: &RunEvidence) -> Sight {
    let (all, own) = reaches(run).ok_or("no other way was measured")?;
    let users = run.users();
    let rate = |reach: &Reach| qps_at(&reach.points, users).filter(|qps| *qps > 0.0);
    let here = rate(own).ok_or("the way's reach is empty")?;
    let best = all.iter().max_by(|a, b| rate(a).unwrap_or(0.0).total_cmp(&rate(b).unwrap_or(0.0)));
    let best = best.expect("the way's own is among them");
    let there = rate(best).ok_or("no way reached anything")?;
    let mean_us = mean(run).ok_or("no statement was answered")?.micros();
    // Of a closed loop: users over rate is the time that one request takes.
    let longer_us = f64::from(users) * (1.0 / here - 1.0 / there) * 1e6;
    let share = (longer_us / mean_us).clamp(0.0, 1.0);
    let [warn, fail] = [&WAY_WARN, &WAY_FAIL].map(|limit| run.limits.share(limit));
    let status = graded(share, warn.0, fail.0);
    let sentence = match best.waiting() == own.waiting() || share < warn.0 {
        true => format!(
            "With {users} users {} reaches {} of the cheapest requests per second here and no other way would shorten a statement by more than {}.",
            own.waiting(),
            whole(here),
            Share(share)
        ),
        false => format!(
            "With {users} users {} reaches {} of the cheapest requests per second here and {} {}: {longer_us:.0} of the mean statement's {mean_us:.0} µs ({}) are the client's way of waiting.",
            own.waiting(),
            whole(here),
            best.waiting(),
            whole(there),
            Share(share)
        ),
    };
    let limit = format!("{fail} of a statement's time; warns at {warn}");
    Ok(Seen::new(status, format!("{} of a statement's time", Share(share)), limit, sentence))
}

/// Rates are told to three digits.
fn whole(rate: f64) -> String {
    let unit = 10f64.powf((rate.max(1.0).log10().floor() - 2.0).max(0.0));
    format!("{:.0}", (rate / unit).round() * unit)
}
