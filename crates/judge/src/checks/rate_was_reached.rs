//! Readers beside writers are measured at a rate of writes, and their numbers mean that rate: where the writers fell
//! short of it, the readers had an easier life than the experiment says, and nothing is to be compared with them. The
//! field calls it an SLA failure. So of each group that has a rate beside other groups, the operations that were done
//! are held against those that were due; what was in flight when the phase ended, one for each user, is forgiven.
//!
//! A group that is short of its rate says what kept it: operations that failed; the CPUs, of the client or of the
//! server, busy for 90 % of the time; or its users, who were in operations for as much of it, with the statement in
//! which they were most. A rate that all users of an experiment have together is the question of `latency_was_honest`.

use crate::frame::applies::Absence;
use crate::frame::check::worst_of;
use crate::frame::metrics::{CLIENT_PROCESS, SERVER_SYSTEM, SERVER_USER};
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight};
use model::units::{Nanos, round3};
use model::{ArrivalTally, Group, Share, Status, Users};

pub const CHECK: Check = Check {
    id: "rate_was_reached",
    claim: || format!("each group that has a rate beside other groups reached it, within {SHORT}"),
    source: include_str!("rate_was_reached.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[SHORT],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "ask for a lower rate, give the group more users, or take away what the sentence says",
    look: Look::Run(look),
};

const SHORT: Limit =
    Limit::share("rate_short", 0.01, "of the operations due; who publishes the insert benchmark allows no more")
        .convention();

/// Users who are in operations for so much of their time, or CPUs that are busy for so much of it, have no more to
/// give.
const BUSY: Share = Share(0.9);

fn absent(run: &RunEvidence) -> Absence {
    let groups = run.groups();
    let is_asked = groups.len() > 1 && groups.iter().any(|(group, _)| group.arrivals.is_some());
    (!is_asked).then(|| "No group has a rate beside another one.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let asked = run.groups().into_iter().filter(|(group, _)| group.arrivals.is_some());
    worst_of(asked.map(|(group, share)| (group.name.clone(), of_group(run, &group, &share))).collect())
}

fn of_group(run: &RunEvidence, group: &Group, share: &RunEvidence) -> Sight {
    let arrivals: Option<Vec<ArrivalTally>> = share.tallies().map(|t| t.arrivals).collect();
    let due: u64 = arrivals.ok_or("arrivals were not counted")?.iter().map(|a| a.due).sum();
    if due == 0 {
        return Err("no operation was due".into());
    }
    let done: u64 = share.operations().map(|(_, o)| o.done + o.rolled_back).sum();
    let in_flight = u64::from(share.users()) * share.phases.len() as u64;
    let missing = due.saturating_sub(done);
    let most = run.limits.share(&SHORT);
    let (short, seconds) = (Share(missing as f64 / due as f64), share.seconds());
    let (asked, reached) = (round3(due as f64 / seconds), round3(done as f64 / seconds));
    let limit = format!("{most} short");
    if missing.saturating_sub(in_flight) as f64 <= most.0 * due as f64 {
        let sentence = format!("`{}` did {reached} of the {asked} operations/s that were due.", group.name);
        return Ok(Seen::new(Status::Pass, format!("{short} short"), limit, sentence));
    }
    let sentence = format!(
        "SLA failure: `{}` did {reached} operations/s where {asked} were due, {short} short. {}",
        group.name,
        what_limited(run, share, missing)
    );
    Ok(Seen::new(Status::Fail, format!("{short} short"), limit, sentence))
}

/// What kept the group from its rate, the nearest cause first.
fn what_limited(run: &RunEvidence, share: &RunEvidence, missing: u64) -> String {
    let failed: u64 = share.operations().flat_map(|(_, o)| o.failed.values()).sum();
    if failed * 2 >= missing {
        return format!("{failed} of its operations failed.");
    }
    let taken = |o: &model::OperationTally| o.service.as_ref().unwrap_or(&o.latency).sum().0;
    let spent: u64 = share.operations().map(|(_, o)| taken(o)).sum();
    let (users, done) = (share.users(), share.done().max(1));
    let busy = Share((spent as f64 / 1e9 / share.seconds() / f64::from(users.max(1))).min(1.0));
    let each = Nanos(spent / done);
    let by_users = (busy.0 >= BUSY.0).then(|| {
        let most = round3(f64::from(users) / each.seconds());
        let users = Users(users);
        let dearest = dearest(share, spent).unwrap_or_default();
        format!("Its {users} had no time left: an operation takes {each} in the mean{dearest}, so that they do {most}/s at most.")
    });
    let by_cpu = cpus(run);
    let told: Vec<String> = by_users.into_iter().chain(by_cpu).collect();
    if told.is_empty() {
        return format!(
            "Its users were in operations for {busy} of the time, and no CPU was full: it came and went in waves."
        );
    }
    told.join(" ")
}

/// The statement in which its operations were longest.
fn dearest(share: &RunEvidence, spent: u64) -> Option<String> {
    let all = share.statements().map(|(name, statement)| (name, statement.service.sum().0));
    let (name, time) = all.max_by_key(|(_, time)| *time).filter(|(_, time)| *time > 0)?;
    Some(format!(", {} of it in `{name}`", Share((time as f64 / spent.max(1) as f64).min(1.0))))
}

/// Which CPUs were full.
fn cpus(run: &RunEvidence) -> Option<String> {
    let server = run.rates(&[SERVER_USER, SERVER_SYSTEM]).map(|busy| busy / 1e9);
    let client = run.rate(CLIENT_PROCESS).map(|busy| busy / 1e9);
    let has = run.server_cpus().len().max(1) as f64;
    let (who, busy, cpus) = match (run.is_co_located(), server, client) {
        (true, Some(server), Some(client)) => ("Server and client", server + client, has),
        (false, _, Some(client)) if client >= BUSY.0 * run.load_cpus().len().max(1) as f64 => {
            ("The client", client, run.load_cpus().len().max(1) as f64)
        }
        (_, Some(server), _) => ("The server", server, has),
        (_, None, _) => return None,
    };
    let share = Share(busy / cpus);
    (share.0 >= BUSY.0).then(|| format!("{who} used {share} of {cpus} CPUs."))
}
