//! After warm-up, an operation allocates nothing: counted by an allocator that stands in for the system's in this
//! test alone. This is the one test file with `unsafe`: a global allocator cannot be written without it.

mod memory;

use memory::{Memory, Turns, live, parameters};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use workload::Workloads;
use workload::user::Decision;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system's allocator unchanged; counting touches a thread-local without destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn operations_allocate_nothing_after_warm_up() {
    // Of these there is one in a run, or a few.
    let rare = ["versioned.create", "versioned.moment", "insert.create_indexes"];
    let workloads = Workloads::built_in();
    for workload in workloads.iter().filter(|w| w.words().protocol().is_sql() && !rare.contains(&&*w.words().name)) {
        // A statement of half a megabyte is drawn row by row: a few show what many would.
        let turns = if workload.words().name == "oltp.bulk_insert" { 12 } else { 1000 };
        for distribution in ["uniform", "special", "gaussian", "pareto", "zipfian"] {
            for protocol in ["prepared", "text"] {
                let replaced = [
                    ("protocol", protocol.into()),
                    ("distribution", distribution.into()),
                    ("tables", 4.into()),
                    ("keys", 10_000.into()),
                ];
                let parameters = parameters(workload, &replaced);
                // Some ask for rows that this memory does not know, and are told so.
                let unexpected = Vec::with_capacity(16 * turns as usize);
                let mut memory = Memory { rows: 10_000, unexpected, ..Memory::default() };
                let at_turns = RefCell::new(Vec::with_capacity(turns as usize + 1));
                let at_turn = |_| at_turns.borrow_mut().push(COUNT.get());
                let mut seat = Turns {
                    left: turns,
                    at_turn,
                    decision: Decision::Stop,
                    ready: false,
                    done: 0,
                    renew: false,
                    numbers: &[],
                };
                live(workload, &parameters, &mut memory, &mut seat).expect("nothing refuses");
                let at_turns = at_turns.into_inner();
                assert_eq!(at_turns.len(), turns as usize + 1);
                assert!(at_turns[0] > 0, "the allocator counts");
                let name = workload.words().name;
                // Of a mix the rare transactions come late, and of gets those that are compared.
                let warm = if name.starts_with("tpcc") || name.starts_with("kv") { 500 } else { 10 };
                assert_eq!(at_turns[turns as usize] - at_turns[warm], 0, "{name}, {distribution}, {protocol}");
            }
        }
    }
}
