//! A server whose CPUs are full and whose operations cost what they always cost has reached its capacity: more users
//! only wait. That is a limit and no defect, and the one explanation of a curve's top that all others must beat. What
//! users wait for is a CPU, which the kernel times for each thread of the server; where client and server share CPUs,
//! the client's waiting is seen as time outside the server.

use super::frame::finding::{Case, Cause, SUFFICIENT, Scene};
use super::frame::next::{self, Change};
use super::frame::signature::{self, FLAT, FULL, Signature};
use crate::frame::account::Part;

pub const CAUSE: Cause = Cause {
    id: "cpu_capacity",
    symptom: || "operations take longer with more users".into(),
    necessary: || {
        format!("at least {FULL} of the CPUs are busy, and CPU and switches per operation stay within × {FLAT}")
    },
    test: || format!("waiting for a CPU covers {SUFFICIENT} of the growth"),
    intervention: || "more CPUs (`cpus`); fewer operations are what other findings offer".into(),
    source: include_str!("cpu_capacity.rs"),
    indicator: None,
    within: &["waiting for a CPU", "client and way", "server CPU"],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| fits(s)).map(case).collect()
}

fn fits(s: &Signature) -> bool {
    s.is_full() && s.cpu <= FLAT && s.switches.is_none_or(|x| x <= FLAT)
}

fn case(s: &Signature) -> Case {
    let shared = s.high.runs.iter().any(|run| run.is_co_located());
    let parts: &[Part] = if shared { &[Part::RunQueue, Part::Outside] } else { &[Part::RunQueue] };
    let mut case = s.case("The CPUs are full and operations cost what they did: a limit, and no defect", parts);
    let all = |from: &String| Change { axis: "cpus".into(), from: from.as_str().into(), to: "all".into() };
    let more = s.high.cell.server.cpus.as_ref().filter(|from| *from != "all").map(all);
    case.next_experiment = next::experiment(s.high, CAUSE.id, more);
    case
}
