//! Arrivals cost no memory: a run of ten times as many operations allocates no more, whether users keep up or a backlog
//! grows. Counted by an allocator that stands in for the system's in this test alone; it cannot be written without
//! `unsafe`.

use lab::backends::access::{Access, LoadPlan, UserGroup};
use lab::backends::endpoint::SqlEndpoint;
use lab::load::{Witness, drive};
use lab::servers::sham::Sham;
use model::errors::Errors;
use model::load::{Arrivals, Io, Phase, PhaseKind, Process, Until};
use model::rate::Rate;
use model::record::tally::Tally;
use model::seed::Seed;
use model::units::Nanos;
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, SeqCst);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, SeqCst);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const FEW: u64 = 1_000;
const MANY: u64 = 10_000;
/// What differs between two runs of any length: seconds handed over, long gaps kept, buffers that grew.
const BESIDES: u64 = MANY / 10;

struct Deaf;

impl Witness for Deaf {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, _: usize, _: Nanos, _: Nanos, _: Tally) {}
    fn progress(&mut self, _: f64) {}
}

fn allocations(socket: &Path, rate: f64, operations: u64) -> u64 {
    let user_group = UserGroup {
        workload: workload::Workloads::built_in().by_name("noop").unwrap(),
        parameters: Arc::default(),
        seed: Seed(7),
        users: 8,
        arrivals: Some(Arrivals { rate: Rate::steady(rate), process: Process::Poisson }),
        pause: None,
        deadline: Nanos::from_secs(10),
        reconnect_every: None,
        errors: Errors::default(),
        access: Access::to(SqlEndpoint::root(socket.to_path_buf())),
        outlasts: false,
    };
    let load_plan = LoadPlan {
        user_groups: vec![user_group],
        io: Io::Auto,
        phases: vec![Phase::new("count", PhaseKind::Measure, Until::Count(operations))],
        workers: 1,
        cpus: Vec::new(),
    };
    let before = COUNT.load(SeqCst);
    let outcome = drive(&load_plan, &AtomicBool::new(false), &mut Deaf).unwrap();
    assert_eq!((outcome.failure, outcome.whole.done()), (None, operations));
    COUNT.load(SeqCst) - before
}

#[test]
fn ten_times_the_arrivals_allocate_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let _sham = Sham::start(&socket, &[]).unwrap();
    for rate in [5_000.0, 1e6] {
        let (few, many) = (allocations(&socket, rate, FEW), allocations(&socket, rate, MANY));
        assert!(few > 0, "the allocator counts");
        assert!(many < few + BESIDES, "at {rate}/s: {few} allocations for {FEW} operations, {many} for {MANY}");
    }
}
