//! After its first exchanges, a worker's executor allocates nothing: counted by an allocator that stands in for the
//! system's in this test alone, on the worker's thread.

mod counting;

use counting::COUNT;
use lab::backends::endpoint::Address;
use lab::executor::{Executor, Gate, Handle};
use lab::os::clock;
use model::load::Io;
use model::units::Nanos;
use std::cell::Cell;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::rc::Rc;

const USERS: u64 = 8;
const EXCHANGES: u64 = 1_000;
/// Lists of who is ready, waits, or sleeps grow when more come together by chance than ever before, and never shrink.
const LISTS: u64 = 8;
/// Exchanges of all users.
const WARM: u64 = EXCHANGES * USERS / 4;
const LATE: u64 = EXCHANGES * (USERS - 1);

/// Answers each byte with ten thousand, more than a buffer begins with.
fn serve(listener: &UnixListener) {
    for conversation in listener.incoming() {
        let mut conversation = conversation.unwrap();
        std::thread::spawn(move || {
            let mut request = [0; 1];
            while conversation.read_exact(&mut request).is_ok() && conversation.write_all(&[9; 10_000]).is_ok() {}
        });
    }
}

#[test]
fn exchanges_sleeps_and_gates_allocate_nothing_after_warm_up() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || serve(&listener));
    // Where calls block, users have an executor each, and only who waits for a tenth of a second and longer allocates.
    for io in [Io::Auto, Io::Epoll] {
        let mut executor = Executor::new(io).unwrap();
        let handle = executor.handle();
        let course = Rc::new(Course { gate: handle.gate(), begun: Cell::new(0), counts: Cell::new((0, 0)) });
        for _ in 0..USERS {
            handle.spawn(Box::pin(user(handle.clone(), Address::Unix(socket.clone()), Rc::clone(&course))));
        }
        let (porter, open) = (handle.clone(), Rc::clone(&course));
        handle.spawn(Box::pin(async move {
            while open.begun.get() < EXCHANGES * USERS {
                porter.sleep_until(Nanos(clock::now().0 + 100_000)).await;
                open.gate.open();
            }
        }));
        executor.run(|| false).unwrap();
        let (warm, late) = course.counts.get();
        assert!(warm > 0, "the allocator counts");
        assert!(late - warm <= LISTS, "{:?}: {} allocations", handle.io(), late - warm);
    }
}

/// What the users share.
struct Course {
    gate: Gate,
    begun: Cell<u64>,
    /// Allocations when all were warm, and when nobody had ended yet.
    counts: Cell<(u64, u64)>,
}

async fn user(handle: Handle, endpoint: Address, course: Rc<Course>) {
    let mut line = handle.connect(&endpoint, Nanos::from_secs(60)).await.unwrap();
    for n in 0..EXCHANGES {
        line.outgoing().push(7);
        line.exchange().await.unwrap();
        while line.incoming().len() < 10_000 {
            line.receive().await.unwrap();
        }
        line.consume(10_000);
        if n % 50 == 49 {
            course.gate.pass().await;
        }
        course.begun.set(course.begun.get() + 1);
        let (warm, late) = course.counts.get();
        match course.begun.get() {
            WARM => course.counts.set((COUNT.get(), late)),
            LATE => course.counts.set((warm, COUNT.get())),
            _ => {}
        }
    }
}
