//! What the executor itself costs: users send a constant request of 22 bytes to a spinning server that answers each
//! with a constant 150 bytes, as in a prepared point select. Nothing is decoded, and nothing is timed per exchange, so
//! that the CPU per exchange can be held against a bare loop in C over the same server. Pin the two sides to different
//! CPUs.
//!
//!     canned serve SOCKET
//!     canned io_uring|epoll SOCKET USERS SECONDS        prints one line of JSON

use lab::backends::endpoint::Address;
use lab::executor::{Executor, Gate, Handle};
use lab::os::clock;
use model::load::Io;
use model::units::Nanos;
use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::net::{RecvFlags, SendFlags};
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::io;
use std::os::unix::net::UnixListener;
use std::rc::Rc;

const REQUEST: [u8; 22] = [7; 22];
const REPLY: [u8; 150] = [9; 150];
const DEADLINE: Nanos = Nanos::from_secs(10);

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", socket] => serve(socket),
        ["io_uring", socket, users, seconds] => measure(Io::IoUring, socket, users, seconds),
        ["epoll", socket, users, seconds] => measure(Io::Epoll, socket, users, seconds),
        _ => Err(io::Error::other("canned serve SOCKET | canned io_uring|epoll SOCKET USERS SECONDS")),
    }
}

/// What the users share; measuring starts when all are connected.
struct Course {
    gate: Gate,
    connecting: Cell<u32>,
    answers: Cell<u64>,
    over: Cell<bool>,
}

fn measure(io: Io, socket: &str, users: &str, seconds: &str) -> io::Result<()> {
    let users: u32 = users.parse().map_err(io::Error::other)?;
    let length = Nanos::from_secs(seconds.parse().map_err(io::Error::other)?);
    let mut executor = Executor::new(io)?;
    let handle = executor.handle();
    let (answers, over) = (Cell::new(0), Cell::new(false));
    let course = Rc::new(Course { gate: handle.gate(), connecting: Cell::new(users), answers, over });
    // First, so that it stands at the gate before anybody opens it.
    handle.spawn(Box::pin(keep_time(handle.clone(), Rc::clone(&course), length)));
    for _ in 0..users {
        handle.spawn(Box::pin(user(handle.clone(), socket.into(), Rc::clone(&course))));
    }
    executor.run(|| false)
}

async fn keep_time(handle: Handle, course: Rc<Course>, length: Nanos) {
    course.gate.pass().await;
    let (begin, cpu_before, answers_before) = (clock::now(), thread_cpu(), course.answers.get());
    handle.sleep_until(Nanos(begin.0 + length.0)).await;
    let (cpu, wall) = (thread_cpu() - cpu_before, clock::now().0 - begin.0);
    let exchanges = course.answers.get() - answers_before;
    let (each, rate) = (cpu as f64 / 1e3 / exchanges as f64, exchanges as f64 * 1e9 / wall as f64);
    println!(
        "{{\"io\":\"{:?}\",\"exchanges\":{exchanges},\"per_s\":{rate:.0},\"cpu_us_per_exchange\":{each:.3}}}",
        handle.io()
    );
    course.over.set(true);
}

async fn user(handle: Handle, socket: String, course: Rc<Course>) {
    let mut line = handle.connect(&Address::Unix(socket.into()), DEADLINE).await.expect("the canned server listens");
    course.connecting.set(course.connecting.get() - 1);
    match course.connecting.get() {
        0 => course.gate.open(),
        _ => course.gate.pass().await,
    }
    while !course.over.get() {
        line.outgoing().extend_from_slice(&REQUEST);
        line.exchange().await.expect("the canned server answers");
        line.consume(line.incoming().len());
        course.answers.set(course.answers.get() + 1);
    }
}

fn thread_cpu() -> u64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// Answers whatever arrives, without ever sleeping.
fn serve(socket: &str) -> io::Result<()> {
    let listener = UnixListener::bind(socket)?;
    listener.set_nonblocking(true)?;
    let poll = epoll::create(epoll::CreateFlags::empty())?;
    epoll::add(&poll, &listener, epoll::EventData::new_u64(u64::MAX), epoll::EventFlags::IN)?;
    let (mut conversations, mut events) = (Vec::new(), Vec::with_capacity(256));
    loop {
        events.clear();
        epoll::wait(&poll, spare_capacity(&mut events), Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))?;
        for event in &events {
            if event.data.u64() == u64::MAX {
                let (conversation, _) = listener.accept()?;
                epoll::add(
                    &poll,
                    &conversation,
                    epoll::EventData::new_u64(conversations.len() as u64),
                    epoll::EventFlags::IN,
                )?;
                conversations.push(Some(conversation));
                continue;
            }
            let place = &mut conversations[event.data.u64() as usize];
            let Some(conversation) = place else { continue };
            let mut request = [0; 64];
            let heard = rustix::net::recv(&*conversation, &mut request, RecvFlags::empty()).map_or(0, |(_, n)| n);
            if heard == 0 || rustix::net::send(&*conversation, &REPLY, SendFlags::NOSIGNAL).is_err() {
                *place = None;
            }
        }
    }
}
