//! One user of the canary for a given number of operations on io_uring, to be counted by callgrind
//! (`bench/instructions.sh`): the whole hot path (draw, encode, send, receive, decode, check, tally), and nothing else
//! on its thread. Two counts are subtracted there, so that connecting and leaving do not enter. The sham
//! (`examples/sham.rs`) is a process of its own, because callgrind does not know the call by which epoll waits in
//! nanoseconds.
//!
//!     instructions SOCKET OPERATIONS

use lab::backends::access::{Access, LoadPlan, UserGroup};
use lab::backends::endpoint::SqlEndpoint;
use lab::load::{Witness, drive};
use model::errors::Errors;
use model::load::{Io, Phase, PhaseKind, Until};
use model::record::tally::Tally;
use model::seed::Seed;
use model::units::Nanos;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Under callgrind everything takes fifty times as long.
const DEADLINE: Nanos = Nanos::from_secs(600);

#[derive(Default)]
struct Done(u64);

impl Witness for Done {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, _: usize, _: Nanos, _: Nanos, tally: Tally) {
        self.0 += tally.operations.values().map(|o| o.done).sum::<u64>();
    }
    fn progress(&mut self, _: f64) {}
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [socket, operations] = &arguments[..] else { return Err("instructions SOCKET OPERATIONS".into()) };
    let operations: u64 = operations.parse()?;
    let user_group = UserGroup {
        workload: workload::Workloads::built_in().by_name("noop").ok_or("the canary's workload is gone")?,
        parameters: Arc::default(),
        seed: Seed(1),
        users: 1,
        arrivals: None,
        pause: None,
        deadline: DEADLINE,
        reconnect_every: None,
        errors: Errors::default(),
        access: Access::to(SqlEndpoint::root(socket.into())),
        outlasts: false,
    };
    let load_plan = LoadPlan {
        user_groups: vec![user_group],
        io: Io::IoUring,
        phases: vec![Phase::new("counted", PhaseKind::Measure, Until::Count(operations))],
        workers: 1,
        cpus: Vec::new(),
    };
    let mut done = Done::default();
    let outcome = drive(&load_plan, &AtomicBool::new(false), &mut done)?;
    assert_eq!((outcome.failure, done.0), (None, operations));
    println!("{operations}");
    Ok(())
}
