//! Which resource limits a cell, one label with its numbers: client, IO, CPU, locks, latency, or unknown, in the order
//! in which one hides the next. Where client and server share CPUs the label says so, because the same server with CPUs
//! of its own would go further. On few CPUs locks have few holders at once, and "serial" stays unlikely by
//! construction.

use super::evidence::{CellEvidence, RunEvidence};
use super::metrics::{CLIENT_PROCESS, SERVER_SYSTEM, SERVER_USER, SERVER_VOLUNTARY};
use super::regime::{Regime, regime};
use crate::stats::average;
use model::judgement::Bound;
use model::units::round3;
use model::{Share, Status, Verdict};

/// The share of the CPUs that the server may use.
const CPU_BOUND: Share = Share(0.90);
/// Below it, with many users, the server waits for something that is not CPU.
const NOT_CPU_BOUND: Share = Share(0.80);
/// A server thread gives up its CPU once per request to wait for the next; more than twice means that it waits within.
const WAITS_WITHIN: f64 = 2.0;
/// Users per CPU from which a server that is not waiting within would be busy.
const CROWD: u32 = 2;

struct Use {
    server: f64,
    client: f64,
    cpus: f64,
    shared: bool,
    switches: Option<f64>,
}

pub fn of(cell: &CellEvidence, verdicts: &[Verdict]) -> Option<Bound> {
    let first = cell.runs.first()?;
    let of_check = |id: &str| verdicts.iter().find(|v| v.check == id);
    if let Some(client) = verdicts.iter().find(|v| v.is_of_client() && v.verdict == Status::Fail) {
        return Some(Bound { evidence: client.evidence.clone(), ..bound("client-bound", client.sentence.clone()) });
    }
    if cell.runs.iter().filter_map(regime).any(|r| r.regime == Regime::IoBound) {
        let io = of_check("regime_was_cached");
        let sentence = io.map_or(String::new(), |v| v.sentence.clone());
        return Some(Bound { evidence: io.map_or(Vec::new(), |v| v.evidence.clone()), ..bound("io-bound", sentence) });
    }
    let Some(used) = used(cell) else {
        return Some(bound("unknown", "The server's CPU time was not measured.".into()));
    };
    // Counters first, then the files they stand in.
    let counters = [SERVER_USER, SERVER_SYSTEM, CLIENT_PROCESS, SERVER_VOLUNTARY];
    let counters = counters.into_iter().filter(|c| first.growth(c).is_some()).map(String::from);
    let evidence = counters.chain(cell.runs.iter().map(RunEvidence::path)).collect();
    Some(Bound { evidence, ..label(&used, first.users()) })
}

fn label(used: &Use, users: u32) -> Bound {
    let (what, busy) =
        if used.shared { ("Client and server", used.server + used.client) } else { ("The server", used.server) };
    let busy = Share(busy / used.cpus);
    let split = if used.shared {
        format!(" (server {}, client {})", round3(used.server), round3(used.client))
    } else {
        String::new()
    };
    let facts = format!("{what} used {busy} of {} CPUs{split} with {users} users", used.cpus);
    let sharing =
        if used.shared { "; they share these CPUs, and on its own the server would have all of them" } else { "" };
    let waits = used.switches.is_some_and(|s| s > WAITS_WITHIN);
    if busy.0 >= CPU_BOUND.0 {
        return bound("cpu-bound", format!("{facts}{sharing}."));
    }
    if users <= used.cpus as u32 {
        return bound(
            "latency-bound",
            format!("{facts}: each user waits for its own answer, and there are no more users than CPUs."),
        );
    }
    if busy.0 < NOT_CPU_BOUND.0 && f64::from(users) >= used.cpus * f64::from(CROWD) && waits {
        let switches = round3(used.switches.unwrap_or_default());
        return bound(
            "lock/serial-bound",
            format!(
                "{facts}, while its threads gave up their CPU {switches} times per statement: they wait within the server."
            ),
        );
    }
    bound("unknown", format!("{facts}: neither the CPUs nor a wait that is measured here explains the rate."))
}

fn bound(label: &str, sentence: String) -> Bound {
    Bound { label: label.into(), sentence, evidence: Vec::new() }
}

/// CPUs used on average over the repetitions.
fn used(cell: &CellEvidence) -> Option<Use> {
    let mean = |of: &dyn Fn(&RunEvidence) -> Option<f64>| {
        cell.runs.iter().map(of).collect::<Option<Vec<f64>>>().map(|v| average(&v))
    };
    let first = cell.runs.first()?;
    Some(Use {
        server: mean(&|r| Some(r.rates(&[SERVER_USER, SERVER_SYSTEM])? / 1e9))?,
        client: mean(&|r| Some(r.rate(CLIENT_PROCESS)? / 1e9)).unwrap_or(0.0),
        cpus: first.server_cpus().len().max(1) as f64,
        shared: first.is_co_located(),
        switches: mean(&|r| Some(r.rate(SERVER_VOLUNTARY)? / r.qps())),
    })
}
