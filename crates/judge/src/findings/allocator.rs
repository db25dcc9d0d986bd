//! Memory that is given back to the kernel and taken again for every query costs a page fault for each page, and the
//! faults of one process share a lock of the kernel. Temporary tables and sort buffers do this. CPU per operation rises
//! with the users, much of it is the kernel's, and so do page faults. Another allocator, or one that keeps what it has,
//! tells it from a mutex: that is a matter of the process's environment, so no experiment is proposed here.

use super::frame::finding::{Case, Cause, SUFFICIENT, Scene};
use super::frame::signature::{self, MUCH_SYSTEM, RISES, Signature};
use crate::frame::account::Part;

pub const CAUSE: Cause = Cause {
    id: "allocator",
    symptom: || "operations take longer with more users".into(),
    necessary: || {
        format!(
            "CPU and page faults per operation rise by × {RISES} or more, and at least {MUCH_SYSTEM} of the CPU is the kernel's"
        )
    },
    test: || format!("CPU of the server covers {SUFFICIENT} of the growth"),
    intervention: || "another allocator (jemalloc), or `MALLOC_TRIM_THRESHOLD_` raised".into(),
    source: include_str!("allocator.rs"),
    indicator: None,
    within: &["server CPU", "waiting for a CPU"],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    signature::all(scene).iter().filter(|s| fits(s)).map(case).collect()
}

fn fits(s: &Signature) -> bool {
    s.cpu >= RISES && s.system >= MUCH_SYSTEM.0 && s.faults.is_some_and(|x| x >= RISES)
}

fn case(s: &Signature) -> Case {
    s.case("Memory comes and goes with every operation", &[Part::Cpu, Part::RunQueue])
}
