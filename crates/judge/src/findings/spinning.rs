//! Threads that find a lock taken try again for a while before they sleep. With many of them the CPUs are full of
//! trying, and of moving the lock's cache line between them: CPU per operation rises while nobody sleeps more often and
//! the kernel is not asked. Fewer spins bring less CPU per operation, or show that the line itself is what moves.

use super::frame::finding::{Case, Cause, SUFFICIENT, Scene};
use super::frame::next::{self, Change};
use super::frame::signature::{self, FLAT, FULL, MUCH_SYSTEM, RISES, Signature};
use crate::frame::account::Part;

const SPINS: &str = "innodb_sync_spin_loops";

pub const CAUSE: Cause = Cause {
    id: "spinning",
    symptom: || "operations take longer with more users".into(),
    necessary: || {
        format!(
            "at least {FULL} of the CPUs are busy, CPU per operation rises by × {RISES} or more, switches stay within × {FLAT}, \
             and less than {MUCH_SYSTEM} of the CPU is the kernel's"
        )
    },
    test: || format!("CPU of the server covers {SUFFICIENT} of the growth"),
    intervention: || format!("`native.{SPINS}` = 0 brings CPU per operation down"),
    source: include_str!("spinning.rs"),
    indicator: None,
    within: &["server CPU", "waiting for a CPU"],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| fits(s)).map(case).collect()
}

fn fits(s: &Signature) -> bool {
    s.is_full() && s.cpu >= RISES && s.switches.is_none_or(|x| x <= FLAT) && s.system < MUCH_SYSTEM.0
}

fn case(s: &Signature) -> Case {
    let mut case = s.case(
        "The same operation costs more CPU with more users, and nobody sleeps more often",
        &[Part::Cpu, Part::RunQueue],
    );
    case.next_experiment = next::experiment(s.high, CAUSE.id, Change::variable(s.high, SPINS, |_| 0));
    case
}
