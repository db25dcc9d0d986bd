//! The executor against a real server in this process: each truth over io_uring, over epoll, and, where it is about
//! lines, over a blocking socket too. Where the kernel refuses io_uring, epoll alone is held to them.

mod server;

use super::{Executor, Handle, Line, block_on};
use crate::os::address::Address;
use crate::os::clock;
use model::Nanos;
use model::load::Io;
use server::{Manner, Server, byte, request};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

/// Longer than any test runs.
const PATIENT: Nanos = Nanos::from_secs(600);
const LONG: usize = 1_000_000;

fn executors() -> Vec<Executor> {
    let by_ring = Executor::new(Io::IoUring);
    let by_epoll = Executor::new(Io::Epoll).expect("epoll is always there");
    let by_threads = Executor::new(Io::Blocking).expect("sockets block everywhere");
    by_ring.into_iter().chain([by_epoll, by_threads]).collect()
}

/// Runs one task to its end on each executor.
fn on_each<F: Future<Output = ()> + 'static>(task: impl Fn(Handle) -> F) {
    for mut executor in executors() {
        let ended = Rc::new(Cell::new(false));
        let (life, end) = (task(executor.handle()), Rc::clone(&ended));
        executor.handle().spawn(Box::pin(async move {
            life.await;
            end.set(true);
        }));
        executor.run(|| false).expect("the executor runs");
        assert!(ended.get());
    }
}

/// Holds one conversation over each kind of line.
fn over_each<F: Future<Output = ()> + 'static>(conversation: fn(Line) -> F) {
    let server = Server::start();
    let endpoint = Address::Unix(server.socket());
    on_each(|handle| {
        let endpoint = endpoint.clone();
        async move { conversation(handle.connect(&endpoint, PATIENT).await.expect("a line")).await }
    });
    let socket = UnixStream::connect(server.socket()).expect("a socket");
    block_on(conversation(Line::blocking(socket.into())));
}

async fn ask(line: &mut Line, payload: usize, answer: usize, manner: Manner) -> io::Result<()> {
    request(line.outgoing(), payload, answer, manner);
    line.exchange().await?;
    let mut read = 0;
    loop {
        assert!(line.incoming().iter().enumerate().all(|(n, b)| *b == byte(read + n)), "an answer arrived damaged");
        read += line.incoming().len();
        line.consume(line.incoming().len());
        if read >= answer {
            assert_eq!(read, answer);
            return Ok(());
        }
        line.receive().await?;
    }
}

/// Leaves an exchange that the server will never answer in flight.
async fn begin_what_is_never_answered(line: &mut Line) {
    request(line.outgoing(), 0, 1, Manner::Stalled);
    let mut exchange = pin!(line.exchange());
    poll_fn(|cx| {
        assert!(exchange.as_mut().poll(cx).is_pending());
        Poll::Ready(())
    })
    .await;
}

#[test]
fn an_exchange_brings_its_answer() {
    over_each(|mut line| async move {
        for answer in 1..200 {
            ask(&mut line, 22, answer, Manner::Whole).await.unwrap();
        }
    });
}

#[test]
fn answers_that_dribble_are_read_to_their_end() {
    over_each(|mut line| async move {
        ask(&mut line, 22, 5_000, Manner::Dribbled).await.unwrap();
        ask(&mut line, 22, 3, Manner::Whole).await.unwrap();
    });
}

#[test]
fn long_answers_arrive_whole_also_when_nothing_is_consumed_meanwhile() {
    over_each(|mut line| async move {
        ask(&mut line, 22, LONG, Manner::Whole).await.unwrap();
        request(line.outgoing(), 0, LONG, Manner::Whole);
        line.exchange().await.unwrap();
        while line.incoming().len() < LONG {
            line.receive().await.unwrap();
        }
        assert!(line.incoming().iter().enumerate().all(|(n, b)| *b == byte(n)));
        line.consume(LONG);
        ask(&mut line, 22, 150, Manner::Whole).await.unwrap();
    });
}

#[test]
fn a_half_consumed_answer_keeps_its_rest() {
    over_each(|mut line| async move {
        request(line.outgoing(), 0, 1_500, Manner::Whole);
        request(line.outgoing(), 0, 1_500, Manner::Whole);
        line.exchange().await.unwrap();
        for _ in 0..2 {
            while line.incoming().len() < 1_500 {
                line.receive().await.unwrap();
            }
            assert!(line.incoming()[..1_500].iter().enumerate().all(|(n, b)| *b == byte(n)));
            line.consume(1_500);
        }
        assert!(line.incoming().is_empty());
    });
}

#[test]
fn long_requests_leave_whole() {
    over_each(|mut line| async move {
        for _ in 0..3 {
            ask(&mut line, LONG, 150, Manner::Whole).await.unwrap();
        }
    });
}

#[test]
fn what_is_sent_before_its_exchange_is_sent_once() {
    over_each(|mut line| async move {
        for payload in [22, LONG] {
            for _ in 0..2 {
                request(line.outgoing(), payload, 150, Manner::Whole);
                line.send_now();
                line.exchange().await.unwrap();
                assert_eq!(line.incoming().len(), 150);
                line.consume(150);
            }
        }
    });
}

#[test]
fn a_request_may_leave_before_its_exchange() {
    let folder = tempfile::tempdir().expect("a folder for a socket");
    let (path, heard) = (folder.path().join("s"), Rc::new(Cell::new(0)));
    let listener = UnixListener::bind(&path).expect("a socket");
    on_each(|handle| {
        let (endpoint, listener, heard) =
            (Address::Unix(path.clone()), listener.try_clone().unwrap(), Rc::clone(&heard));
        async move {
            let mut line = handle.connect(&endpoint, PATIENT).await.expect("a line");
            let (mut far, _) = listener.accept().expect("a conversation");
            line.outgoing().extend_from_slice(b"asked");
            line.send_now();
            // Were it not on its way, this would wait for ever.
            let mut request = [0; 5];
            far.set_read_timeout(Some(Duration::from_secs(60))).expect("a bound");
            far.read_exact(&mut request).expect("the request is there");
            far.write_all(b"answered").expect("somebody listens");
            line.exchange().await.unwrap();
            assert_eq!((&request, line.incoming()), (b"asked", &b"answered"[..]));
            heard.set(heard.get() + 1);
        }
    });
    assert_eq!(heard.get(), executors().len());
}

#[test]
fn a_hang_up_in_the_middle_is_an_unexpected_end_and_ends_the_line() {
    over_each(|mut line| async move {
        assert_eq!(ask(&mut line, 22, 4_000, Manner::Halved).await.unwrap_err().kind(), ErrorKind::UnexpectedEof);
        assert_eq!(line.exchange().await.unwrap_err().kind(), ErrorKind::NotConnected);
    });
}

#[test]
fn asking_a_server_that_is_gone_is_an_error_and_no_signal() {
    over_each(|mut line| async move {
        ask(&mut line, 22, 10, Manner::Farewell).await.unwrap();
        // The hang-up may be under way still: then it is met while waiting for the answer.
        let kind = ask(&mut line, LONG, 10, Manner::Whole).await.unwrap_err().kind();
        assert!(
            [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset, ErrorKind::UnexpectedEof].contains(&kind),
            "{kind}"
        );
    });
}

#[test]
fn a_hang_up_on_an_idle_line_is_met_by_the_next_exchange() {
    let server = Server::start();
    let endpoint = Address::Unix(server.socket());
    on_each(|handle| {
        let endpoint = endpoint.clone();
        async move {
            let mut line = handle.connect(&endpoint, PATIENT).await.unwrap();
            ask(&mut line, 22, 10, Manner::Farewell).await.unwrap();
            handle.sleep_until(Nanos(clock::now().0 + 20_000_000)).await;
            assert!(ask(&mut line, 22, 10, Manner::Whole).await.is_err());
        }
    });
}

#[test]
fn lines_dropped_in_flight_leave_the_others_sound() {
    let server = Server::start();
    let endpoint = Address::Unix(server.socket());
    on_each(|handle| {
        let endpoint = endpoint.clone();
        async move {
            let mut witness = handle.connect(&endpoint, PATIENT).await.unwrap();
            for round in 0..200 {
                let mut line = handle.connect(&endpoint, PATIENT).await.unwrap();
                begin_what_is_never_answered(&mut line).await;
                if round % 2 == 0 {
                    // Let the kernel have it first; else it is dropped before it was even submitted.
                    ask(&mut witness, 22, 150, Manner::Whole).await.unwrap();
                }
                drop(line);
                ask(&mut witness, 22, 3_000, Manner::Whole).await.unwrap();
            }
        }
    });
}

#[test]
fn a_line_whose_exchange_was_broken_off_says_so_and_is_dead() {
    let server = Server::start();
    let endpoint = Address::Unix(server.socket());
    on_each(|handle| {
        let endpoint = endpoint.clone();
        async move {
            let mut line = handle.connect(&endpoint, PATIENT).await.unwrap();
            begin_what_is_never_answered(&mut line).await;
            assert!(line.incoming().is_empty());
            assert_eq!(ask(&mut line, 22, 150, Manner::Whole).await.unwrap_err().kind(), ErrorKind::NotConnected);
        }
    });
}

#[test]
fn a_line_may_outlive_its_executor_with_an_exchange_in_flight() {
    let server = Server::start();
    let endpoint = Address::Unix(server.socket());
    let kept = Rc::new(RefCell::new(Vec::new()));
    on_each(|handle| {
        let (endpoint, kept) = (endpoint.clone(), Rc::clone(&kept));
        async move {
            let mut line = handle.connect(&endpoint, PATIENT).await.unwrap();
            begin_what_is_never_answered(&mut line).await;
            kept.borrow_mut().push(line);
        }
    });
    kept.borrow_mut().clear();
}

#[test]
fn a_stalled_server_meets_the_deadline() {
    let server = Server::start();
    let endpoint = Address::Unix(server.socket());
    on_each(|handle| {
        let endpoint = endpoint.clone();
        async move {
            let mut line = handle.connect(&endpoint, Nanos::from_millis(30)).await.unwrap();
            ask(&mut line, 22, 150, Manner::Whole).await.unwrap();
            assert_eq!(ask(&mut line, 22, 150, Manner::Stalled).await.unwrap_err().kind(), ErrorKind::TimedOut);
            assert_eq!(line.receive().await.unwrap_err().kind(), ErrorKind::NotConnected);
        }
    });
    let socket = UnixStream::connect(server.socket()).unwrap();
    socket.set_read_timeout(Some(std::time::Duration::from_millis(30))).unwrap();
    let mut line = Line::blocking(socket.into());
    assert_eq!(block_on(ask(&mut line, 22, 150, Manner::Stalled)).unwrap_err().kind(), ErrorKind::TimedOut);
}

#[test]
fn tcp_lines_work_and_refusals_are_errors() {
    let port = Server::on_tcp();
    let nobody = Server::start();
    let missing = Address::Unix(nobody.folder().join("nobody"));
    on_each(|handle| {
        let missing = missing.clone();
        async move {
            let endpoint = Address::Tcp { host: "127.0.0.1".into(), port };
            let mut line = handle.connect(&endpoint, PATIENT).await.unwrap();
            ask(&mut line, LONG, LONG, Manner::Whole).await.unwrap();
            // Port 1 of loopback is nobody's.
            let closed = Address::Tcp { host: "127.0.0.1".into(), port: 1 };
            let refused = handle.connect(&closed, PATIENT).await.err().map(|e| e.kind());
            assert_eq!(refused, Some(ErrorKind::ConnectionRefused));
            assert_eq!(handle.connect(&missing, PATIENT).await.err().map(|e| e.kind()), Some(ErrorKind::NotFound));
        }
    });
}

#[test]
fn two_thousand_users_are_served_at_once() {
    const USERS: u64 = 2_000;
    let (soft, hard) =
        (rustix::process::Resource::Nofile, rustix::process::getrlimit(rustix::process::Resource::Nofile));
    rustix::process::setrlimit(soft, rustix::process::Rlimit { current: hard.maximum, maximum: hard.maximum }).unwrap();
    let server = Server::start();
    for mut executor in executors() {
        let handle = executor.handle();
        let (gate, answers) = (Rc::new(handle.gate()), Rc::new(Cell::new(0)));
        let connected = Rc::new(Cell::new(0));
        for user in 0..USERS {
            let (endpoint, handle) = (Address::Unix(server.socket()), handle.clone());
            let (gate, answers, connected) = (Rc::clone(&gate), Rc::clone(&answers), Rc::clone(&connected));
            let life = async move {
                let mut line = handle.connect(&endpoint, PATIENT).await.unwrap();
                connected.set(connected.get() + 1);
                if connected.get() == USERS {
                    gate.open()
                } else {
                    gate.pass().await
                }
                for n in 0..5 {
                    ask(&mut line, 22, 100 + (user as usize * 7 + n) % 3_000, Manner::Whole).await.unwrap();
                    answers.set(answers.get() + 1);
                }
            };
            executor.handle().spawn(Box::pin(life));
        }
        executor.run(|| false).unwrap();
        assert_eq!(answers.get(), USERS * 5);
    }
}

#[test]
fn sleepers_wake_in_the_order_of_their_moments_and_never_early() {
    for mut executor in executors() {
        let handle = executor.handle();
        let woken = Rc::new(RefCell::new(Vec::new()));
        let begin = clock::now().0;
        for step in [5, 1, 4, 2, 3, 0u64] {
            let (handle, woken) = (handle.clone(), Rc::clone(&woken));
            executor.handle().spawn(Box::pin(async move {
                let moment = Nanos(begin + step * 3_000_000);
                handle.sleep_until(moment).await;
                assert!(clock::now() >= moment);
                woken.borrow_mut().push(step);
            }));
        }
        executor.run(|| false).unwrap();
        assert_eq!(*woken.borrow(), [0, 1, 2, 3, 4, 5]);
        assert!(handle.timer_error().count() <= 6);
    }
}

#[test]
fn a_gate_admits_one_at_a_time_in_order_and_opens_for_all() {
    for mut executor in executors() {
        let handle = executor.handle();
        let (gate, passed) = (Rc::new(handle.gate()), Rc::new(RefCell::new(Vec::new())));
        for name in 0..5 {
            let (gate, passed) = (Rc::clone(&gate), Rc::clone(&passed));
            executor.handle().spawn(Box::pin(async move {
                gate.pass().await;
                passed.borrow_mut().push(name);
            }));
        }
        let seen = Rc::clone(&passed);
        executor.handle().spawn(Box::pin(async move {
            for n in 1..=2 {
                assert!(gate.admit());
                handle.sleep_until(Nanos(clock::now().0 + 1_000_000)).await;
                assert_eq!(seen.borrow().len(), n);
            }
            gate.open();
            assert!(!gate.admit());
        }));
        executor.run(|| false).unwrap();
        assert_eq!(*passed.borrow(), [0, 1, 2, 3, 4]);
    }
}

#[test]
fn tasks_may_be_spawned_by_tasks() {
    let sum = Rc::new(Cell::new(0));
    let total = Rc::clone(&sum);
    on_each(|handle| {
        let total = Rc::clone(&total);
        async move {
            for n in 1..=10 {
                let total = Rc::clone(&total);
                handle.spawn(Box::pin(async move { total.set(total.get() + n) }));
            }
        }
    });
    assert_eq!(sum.get(), 55 * executors().len());
}

#[test]
fn a_stop_ends_sleeps_early_and_drops_who_waits_for_a_stalled_server() {
    let server = Server::start();
    for mut executor in executors() {
        let handle = executor.handle();
        let (stop, woken) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
        let (endpoint, early) = (Address::Unix(server.socket()), Rc::clone(&woken));
        let sleeper = handle.clone();
        executor.handle().spawn(Box::pin(async move {
            sleeper.sleep_until(Nanos(clock::now().0 + PATIENT.0)).await;
            early.set(true);
        }));
        let order = Rc::clone(&stop);
        executor.handle().spawn(Box::pin(async move {
            let mut line = handle.connect(&endpoint, PATIENT).await.unwrap();
            order.set(true);
            let _ = ask(&mut line, 22, 150, Manner::Stalled).await;
            unreachable!("a stalled server answers nobody");
        }));
        executor.run(|| stop.get()).unwrap();
        assert!(woken.get());
    }
}

#[test]
fn auto_takes_what_the_kernel_grants() {
    let granted = if Executor::new(Io::IoUring).is_ok() { Io::IoUring } else { Io::Epoll };
    assert_eq!(Executor::new(Io::Auto).unwrap().handle().io(), granted);
}

#[test]
fn who_gives_way_misses_no_answer_and_no_moment() {
    let server = Server::start();
    let endpoint = Address::Unix(server.socket());
    on_each(|handle| {
        let endpoint = endpoint.clone();
        async move {
            handle.share_cpu();
            let mut line = handle.connect(&endpoint, PATIENT).await.expect("a line");
            for answer in 1..100 {
                ask(&mut line, 22, answer, Manner::Whole).await.unwrap();
            }
            let moment = Nanos(clock::now().0 + 1_000_000);
            handle.sleep_until(moment).await;
            assert!(clock::now() >= moment);
        }
    });
}
