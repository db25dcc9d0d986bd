//! A saturated client measures itself. Above the limit, latency grows in our own run queue and the server looks slower
//! than it is; the first to suffer are the fastest servers, so it hides improvements. Three signs are read: how near
//! the rate is to what this machine's load can do at most (the canary: the same load against a server that answers at
//! once), how busy the workers were, and how long they waited for a CPU.
//!
//! On CPUs of its own the load warns at 75 % of them, 90 % of its busiest worker, 5 % of the latency spent in run
//! queues or 50 % of the canary's rate; it fails at 95 % (90 % while the server is 20 % idle), 98 %, 20 % or 80 %.
//! A run at 105 % of the canary shows that the canary was disturbed: it limits nothing then, and warns. A canary is a
//! sign only where it kept the load busy: with few users it waits for round trips, and a run comes near its rate while
//! the load has most of its time left. Nor is what workers wait for a CPU where half of the load's CPUs was idle: they
//! wait until it is awake, and not for somebody on it. Beside a server whose CPUs are full neither is a sign: it
//! answers as much as it can, latency is users over that rate (Little's law), and who waits here has not to wait there.
//! Where client and server share CPUs, a busy CPU says nothing about who is short of it: there the client warns
//! when it uses more than 50 % of their CPU time, only the canary can fail it, and every number is one of both
//! together. That holds for a server that was found on this host, too; where its process is not known, as behind
//! loopback, it is taken to have used all that the client left. Where several ranks drove the load, each is looked at
//! by itself: one busy worker of one rank is enough, and it is named.

use crate::frame::applies::Applies;
use crate::frame::check::{Check, Doubts, Look, Need, Seen, Sight, graded};
use crate::frame::evidence::RunEvidence;
use crate::frame::limits::Limit;
use crate::frame::metrics::{CLIENT_SYSTEM, CLIENT_USER, SERVER_SYSTEM, SERVER_USER};
use crate::frame::ranks::{busiest, leaders_share, used_beside_the_leader, worst};
use model::record::canary::{cpus_at, qps_at};
use model::units::{Share, round3};
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "client_had_headroom",
    claim: || {
        format!(
            "the load used less than {} of its CPUs and of its busiest worker less than {}, and stayed below {} of the canary's rate",
            CLIENT_CPU_FAIL, WORKER_FAIL, CANARY_FAIL
        )
    },
    source: include_str!("client_had_headroom.rs"),
    applies: Applies::Always,
    needs: &[Need::Counter(CLIENT_USER), Need::Counter(CLIENT_SYSTEM)],
    limits: &[
        CLIENT_CPU_WARN,
        CLIENT_CPU_FAIL,
        CLIENT_CPU_BESIDE_IDLE,
        SERVER_IDLE,
        SERVER_FULL,
        WORKER_WARN,
        WORKER_FAIL,
        CLIENT_WAIT_WARN,
        CLIENT_WAIT_FAIL,
        CLIENT_IDLE,
        CANARY_WARN,
        CANARY_FAIL,
        CANARY_BUSY,
        CANARY_BEATEN,
        CLIENT_SPLIT,
    ],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "give the load more CPUs (`load_cpus`) or another machine, or ask with fewer users; as it is, the number is a lower bound for the server",
    look: Look::Run(look),
};

const CLIENT_CPU_WARN: Limit =
    Limit::share("client_cpu_warn", 0.75, "a request waits three service times for a worker there").law();
const CLIENT_CPU_FAIL: Limit =
    Limit::share("client_cpu_fail", 0.95, "a request waits nineteen service times for a worker there").law();
const CLIENT_CPU_BESIDE_IDLE: Limit =
    Limit::share("client_cpu_beside_idle", 0.90, "while the server waits, a client this busy is what it waits for")
        .convention();
const SERVER_IDLE: Limit =
    Limit::share("server_idle", 0.20, "of the server's CPUs; it had room, so something else limits").convention();
const SERVER_FULL: Limit =
    Limit::share("server_full", 0.95, "of the server's CPUs; who answers all the time is kept waiting by nobody")
        .convention();
const WORKER_WARN: Limit =
    Limit::share("worker_warn", 0.90, "a single worker has no one to share with, and so may come nearer to its end")
        .convention();
const WORKER_FAIL: Limit = Limit::share("worker_fail", 0.98, "what is left is less than the reading resolves").law();
const CLIENT_WAIT_WARN: Limit =
    Limit::share("client_wait_warn", 0.05, "of the mean latency, waiting for a CPU of the client").convention();
const CLIENT_WAIT_FAIL: Limit =
    Limit::share("client_wait_fail", 0.20, "a fifth of the latency is then the client's own").convention();
const CLIENT_IDLE: Limit =
    Limit::share("client_idle", 0.50, "of the load's CPUs, used by nobody: whoever is ready finds one free")
        .convention();
const CANARY_WARN: Limit = Limit::share(
    "canary_warn",
    0.50,
    "the canary's requests are the smallest there are; half its rate with larger answers is near",
)
.convention();
const CANARY_FAIL: Limit =
    Limit::share("canary_fail", 0.80, "beyond it the load's own cost bends the curve").convention();
const CANARY_BUSY: Limit = Limit::share(
    "canary_busy",
    0.40,
    "of the machine's CPUs; who answers the canary at once takes about as much, and less was waiting",
)
.convention();
const CANARY_BEATEN: Limit =
    Limit::share("canary_beaten", 1.05, "a run may reach the canary's rate within noise, and no more").convention();
const CLIENT_SPLIT: Limit =
    Limit::share("client_split", 0.50, "of the CPU time on shared CPUs; the client then costs more than the server")
        .law();

/// One sign: what it is, how much, its limits.
struct Sign {
    what: &'static str,
    value: f64,
    warn: Share,
    fail: Share,
}

impl Sign {
    fn status(&self) -> Status {
        graded(self.value, self.warn.0, self.fail.0)
    }
    fn text(&self) -> String {
        format!("{} {}", Share(self.value), self.what)
    }
}

fn look(run: &RunEvidence) -> Sight {
    let used = run.rates(&[CLIENT_USER, CLIENT_SYSTEM]).ok_or("the reading's window is empty")? / 1e9
        + used_beside_the_leader(run);
    let [warn, fail] = [&CANARY_WARN, &CANARY_FAIL].map(|l| run.limits.share(l));
    let ceiling = ceiling(run).map(|most| Sign {
        what: "of the canary's rate",
        value: run.qps() * leaders_share(run) / most,
        warn,
        fail,
    });
    // The canary is no ceiling when this run went above it.
    let disturbed = ceiling.as_ref().filter(|c| c.value > run.limits.of(&CANARY_BEATEN)).map(Sign::text);
    let usable = ceiling.filter(|_| disturbed.is_none());
    let mut seen = if run.is_co_located() {
        if run.record.canary.is_none() {
            return Err("client and server share CPUs, and there is no canary".into());
        }
        co_located(run, used, usable)
    } else {
        apart(run, used, usable)
    };
    if let Some((rank, value)) = worst(run, busiest) {
        let [warn, fail] = [&WORKER_WARN, &WORKER_FAIL].map(|l| run.limits.share(l));
        let sign = Sign { what: "of its busiest worker used", value, warn, fail };
        if sign.status() > seen.status {
            let sentence = format!("{} was a limit of its own: {}.", rank.name(), sign.text());
            seen = Seen::new(sign.status(), sign.text(), format!("{fail}; warns at {warn}"), sentence);
        }
    }
    if let Some(rate) = disturbed {
        seen.status = seen.status.max(Status::Warn);
        seen.sentence.push_str(&format!(" The rate is {rate}, so the canary was disturbed when it was measured."));
    }
    Ok(seen)
}

/// Whether a run says more about the client than about the server.
pub(crate) fn is_client_bound(run: &RunEvidence) -> bool {
    look(run).is_ok_and(|seen| seen.status == Status::Fail)
}

fn apart(run: &RunEvidence, used: f64, ceiling: Option<Sign>) -> Seen {
    let cpus = run.load_cpus().len().max(1) as f64;
    let server = run.rates(&[SERVER_USER, SERVER_SYSTEM]).map(|r| r / 1e9 / run.server_cpus().len().max(1) as f64);
    let idle = server.is_some_and(|busy| 1.0 - busy >= run.limits.of(&SERVER_IDLE));
    let full = server.is_some_and(|busy| busy >= run.limits.of(&SERVER_FULL));
    let busy = if idle { &CLIENT_CPU_BESIDE_IDLE } else { &CLIENT_CPU_FAIL };
    let sign = |what, value, warn: &Limit, fail: &Limit| Sign {
        what,
        value,
        warn: run.limits.share(warn),
        fail: run.limits.share(fail),
    };
    let busiest = run.rate("client.cpu.busiest_worker").map(|r| r / 1e9);
    let signs: Vec<Sign> = [
        Some(sign("of the load's CPUs used", used / cpus, &CLIENT_CPU_WARN, busy)),
        busiest.map(|value| sign("of its busiest worker used", value, &WORKER_WARN, &WORKER_FAIL)),
        waiting(run)
            .filter(|_| !full && spare(run).is_none_or(|spare| spare < run.limits.of(&CLIENT_IDLE)))
            .map(|value| sign("of the latency spent waiting for a CPU", value, &CLIENT_WAIT_WARN, &CLIENT_WAIT_FAIL)),
        ceiling.filter(|_| !full),
    ]
    .into_iter()
    .flatten()
    .collect();
    let near = |s: &Sign| s.value / s.fail.0;
    let worst = signs.iter().max_by(|a, b| a.status().cmp(&b.status()).then(near(a).total_cmp(&near(b))));
    let worst = worst.expect("the load's CPUs are always known");
    let first = match worst.status() {
        Status::Fail => "The client was the limit",
        Status::Warn => "The load is near its end",
        Status::NotApplicable | Status::Pass | Status::NotEvaluable => "The load had room",
    };
    let limit = format!("{}; warns at {}", worst.fail, worst.warn);
    let sentence = format!("{first}: {}.", signs.iter().map(Sign::text).collect::<Vec<_>>().join(", "));
    Seen::new(worst.status(), worst.text(), limit, sentence)
}

fn co_located(run: &RunEvidence, used: f64, ceiling: Option<Sign>) -> Seen {
    let cpus = run.server_cpus().len();
    let server = run.rates(&[SERVER_USER, SERVER_SYSTEM]).map(|r| r / 1e9);
    // Where the server's part is not known, it is at most what the client left.
    let split = used / server.map_or(cpus as f64, |server| used + server);
    let theirs = server.map_or("the server's part was not measured".to_string(), |server| {
        format!("the server {}, so {} of the CPU time was the client's", round3(server), Share(split))
    });
    let near = ceiling.as_ref().map_or(String::new(), |s| format!("; the rate is {}", s.text()));
    let sentence = format!("Client and server share {cpus} CPUs: the client used {}, {theirs}{near}.", round3(used));
    let most = run.limits.share(&CLIENT_SPLIT);
    let by_split = if split > most.0 { Status::Warn } else { Status::Pass };
    let status = ceiling.as_ref().map_or(Status::Pass, Sign::status).max(by_split);
    let limit = format!("{most} of the CPU time; {} of the canary's rate", run.limits.share(&CANARY_FAIL));
    Seen::new(status, format!("{} of the CPU time", Share(split)), limit, sentence)
}

/// Share of an average statement's latency that a worker spent runnable and not running: once for each statement, or,
/// where a worker has many users, once for all of them that wait meanwhile, whichever is more.
fn waiting(run: &RunEvidence) -> Option<f64> {
    let waited = run.rate("client.runqueue.wait")?;
    let per_statement = waited / run.qps();
    let together = waited / 1e9 / f64::from(run.run.workers.min(run.users()).max(1));
    let (sum, count) = run
        .statements()
        .filter_map(|(_, s)| Some((s.service.mean()?.0 as f64 * s.calls as f64, s.calls)))
        .fold((0.0, 0), |(a, b), (x, n)| (a + x, b + n));
    (count > 0 && per_statement.is_finite()).then(|| (per_statement / (sum / count as f64)).max(together))
}

/// The share of the load's CPUs that nobody used, at least: of what was idle it has what the other CPUs had not.
fn spare(run: &RunEvidence) -> Option<f64> {
    let (load, all) = (run.load_cpus().len().max(1) as f64, run.record.host.cpus.len() as f64);
    let others = all - load - run.rates(&[SERVER_USER, SERVER_SYSTEM]).map_or(0.0, |ns| ns / 1e9);
    let idle = run.rates(&["host.cpu.idle", "host.cpu.iowait"])? / run.rate("host.cpu.total")? * all;
    Some((idle - others.max(0.0)) / load)
}

/// Statements per second that this load can reach with so many users; `None` where it was never kept busy by so few.
fn ceiling(run: &RunEvidence) -> Option<f64> {
    let points = &run.record.canary.as_ref()?.points;
    let busy = cpus_at(points, run.users())? / run.record.host.cpus.len().max(1) as f64;
    qps_at(points, run.users()).filter(|_| busy >= run.limits.of(&CANARY_BUSY))
}
