//! Sessions past SQL: against memcached itself in each dialect and both ways of talking to the kernel, where it is
//! installed, and against a server of a few lines that answers wrong on purpose. A batch is answered whole, a refusal
//! ends its own request only, what nobody asked for ends the conversation, and after the first batches nothing is
//! allocated.

mod counting;
mod skipped;

use counting::COUNT;
use lab::backends::endpoint::Address;
use lab::backends::keyed::control::Control;
use lab::backends::keyed::{KeyEndpoint, KeyProtocol, Keys, Opening, Session};
use lab::backends::kinds;
use lab::executor::Connecting;
use lab::executor::Executor;
use lab::os::process::Guard;
use lab::servers::catalogue;
use lab::servers::process::folders::Folders;
use lab::servers::process::instance::{Instance, Wish};
use model::load::Io;
use model::plan::Server;
use model::units::Nanos;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use wire::memcached::Dialect;
use workload::rows::Cell;
use workload::session::key_value::KeyValue;
use workload::session::{Class, Fault, Want};

static GO: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
const GET: Class = Class(0);
const DEADLINE: Nanos = Nanos::from_secs(60);
const DIALECTS: [Dialect; 3] = [Dialect::Text, Dialect::Binary, Dialect::Meta];

fn memcached(address: Address, dialect: Dialect, container: Option<&str>) -> KeyEndpoint {
    let keys = container.map_or(Keys::All, |name| Keys::Container(name.into()));
    KeyEndpoint { address, protocol: KeyProtocol::Memcached { dialect, keys } }
}

/// Runs one user's conversation to its end.
fn converse<F: AsyncFnOnce(Result<Session<()>, Fault>) + 'static>(endpoint: &KeyEndpoint, io: Io, user: F) {
    let mut executor = Executor::new(io).unwrap();
    let (handle, endpoint) = (executor.handle(), endpoint.clone());
    let task = async move {
        let address = endpoint.address.clone();
        let connect = Box::new(move || -> Connecting {
            let (handle, address) = (handle.clone(), address.clone());
            Box::pin(async move { handle.connect(&address, DEADLINE).await })
        });
        user(Session::open(Rc::new(Opening { endpoint, connect }), ()).await).await;
    };
    executor.handle().spawn(Box::pin(task));
    executor.run(|| false).unwrap();
}

/// A cache of our own; `None`, and a word about it, where none is installed.
fn cache(place: &Path) -> Option<Instance> {
    let Ok(build) = catalogue::find("memcached") else {
        skipped::test("memcached", "apt-get install memcached");
        return None;
    };
    let folders = Folders { home: place.join("home"), runtime: place.to_path_buf() };
    let guard = Guard::program(env!("CARGO_BIN_EXE_lab-guard"));
    let server = Server { build: "memcached".into(), engine: "innodb".into(), ..Server::default() };
    let wish = Wish {
        folders: &folders,
        guard: &guard,
        kind: kinds::of(&build),
        build: &build,
        server: &server,
        cpus: &[],
        tcp: None,
        stop: &GO,
    };
    Some(Instance::provision(&wish).unwrap())
}

#[test]
fn a_cache_answers_every_dialect_in_batches_and_refuses_what_is_too_large() {
    let place = tempfile::tempdir().unwrap();
    let Some(cache) = cache(place.path()) else { return };
    let address = cache.key_listener().unwrap().address(false);
    for (dialect, io) in DIALECTS.into_iter().flat_map(|dialect| [(dialect, Io::Auto), (dialect, Io::Epoll)]) {
        converse(&memcached(address.clone(), dialect, None), io, async |session| {
            let mut session = session.unwrap();
            for key in 1..=300 {
                session.set(GET, key, format!("value of {key}").as_bytes());
            }
            let session: &mut dyn KeyValue = &mut session;
            assert_eq!(session.answers().await.unwrap().affected, 300);
            // One that is there, one that is not, and more than one receive brings.
            session.get(GET, &[7], Want::Keep);
            session.get(GET, &[999], Want::Keep);
            let many: Vec<u64> = (1..=300).chain([998]).collect();
            session.get(GET, &many, Want::Keep);
            session.get(GET, &[8], Want::Count);
            assert_eq!(session.answers().await.unwrap().rows, 1 + 300 + 1);
            let kept = session.kept();
            assert_eq!(kept.rows(), 1 + 300);
            assert_eq!((kept.cell(0, 0), kept.cell(0, 1)), (Cell::UInt(7), Cell::Bytes(b"value of 7")));
            assert_eq!((kept.cell(300, 0), kept.cell(300, 1)), (Cell::UInt(300), Cell::Bytes(b"value of 300")));
            session.set(GET, 5, &vec![b'x'; 2 << 20]);
            let refused = session.answers().await.unwrap_err();
            assert!(refused.session_survives() && refused.to_string().contains("large"), "{refused}");
            session.get(GET, &[8], Want::Count);
            assert_eq!(session.answers().await.unwrap().rows, 1, "the conversation goes on");
            session.reconnect().await.unwrap();
            session.get(GET, &[8, 9], Want::Count);
            assert_eq!(session.answers().await.unwrap().rows, 2);
        });
    }
    let mut control = Control::connect(&memcached(address, Dialect::Text, None), Duration::from_secs(60)).unwrap();
    assert!(control.stats().unwrap().iter().any(|(name, value)| name == "cmd_get" && value != "0"));
}

/// A server of one conversation that answers each request with the next of these, whatever it was.
fn answering(place: &Path, answers: &'static [&'static [u8]]) -> Address {
    let socket = place.join("s");
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || {
        let (mut line, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        for answer in answers {
            if line.read(&mut request).is_ok_and(|n| n > 0) {
                line.write_all(answer).unwrap();
            }
        }
        // What is still asked stays without an answer.
        let _ = line.read(&mut request);
    });
    Address::Unix(socket)
}

#[test]
fn a_container_that_is_not_mapped_and_a_secret_that_is_wrong_open_no_session() {
    let place = tempfile::tempdir().unwrap();
    let endpoint = memcached(answering(place.path(), &[b"END\r\n"]), Dialect::Text, Some("nowhere"));
    converse(&endpoint, Io::Auto, async |session| {
        let Err(Fault::Unopened(why)) = session.map(drop) else { panic!("it opened") };
        assert!(why.contains("no container nowhere"), "{why}");
    });
    let place = tempfile::tempdir().unwrap();
    let text = |text: &str| text.to_string();
    let (secret, schema, table, columns) = (text("no"), text("s"), text("kv"), text("id,v"));
    let endpoint = KeyEndpoint {
        address: answering(place.path(), &[b"3\t1\tunauth\n"]),
        protocol: KeyProtocol::HandlerSocket { secret, schema, table, columns },
    };
    assert!(!format!("{endpoint:?}").contains("no"), "a secret is not shown");
    converse(&endpoint, Io::Auto, async |session| {
        let Err(Fault::Unopened(why)) = session.map(drop) else { panic!("it opened") };
        assert_eq!(why, "HandlerSocket refuses its secret: unauth");
    });
}

#[test]
fn an_answer_to_something_else_ends_the_conversation() {
    let wrong: [&[&[u8]]; 4] =
        [&[b"VALUE 8 0 1\r\nx\r\nEND\r\n"], &[b"STORED\r\n"], &[b"VALUE 7 0 99999999999\r\n"], &[b"what is this\r\n"]];
    for answers in wrong {
        let place = tempfile::tempdir().unwrap();
        let endpoint = memcached(answering(place.path(), answers), Dialect::Text, None);
        converse(&endpoint, Io::Auto, async |session| {
            let mut session = session.unwrap();
            let session: &mut dyn KeyValue = &mut session;
            session.get(GET, &[7], Want::Keep);
            let fault = session.answers().await.unwrap_err();
            assert!(matches!(fault, Fault::Protocol(_)) && !fault.session_survives(), "{fault}");
        });
    }
}

#[test]
fn batches_allocate_nothing_after_the_first() {
    const WARM: u64 = 20;
    const BATCHES: u64 = 200;
    let place = tempfile::tempdir().unwrap();
    let Some(cache) = cache(place.path()) else { return };
    for (dialect, io) in DIALECTS.into_iter().flat_map(|dialect| [(dialect, Io::Auto), (dialect, Io::Epoll)]) {
        let endpoint = memcached(cache.key_listener().unwrap().address(false), dialect, None);
        converse(&endpoint, io, async |session| {
            let mut session = session.unwrap();
            let session: &mut dyn KeyValue = &mut session;
            let (keys, value): (Vec<u64>, _) = ((1..=20).collect(), [b'x'; 119]);
            let mut before = 0;
            for batch in 0..WARM + BATCHES {
                if batch == WARM {
                    before = COUNT.get();
                }
                session.set(GET, 1 + batch % 20, &value);
                session.get(GET, &keys, Want::Keep);
                session.get(GET, &keys[..1], Want::Count);
                assert_eq!(session.answers().await.unwrap().affected, 1);
            }
            assert_eq!(COUNT.get() - before, 0, "allocations in {BATCHES} batches");
        });
    }
}

#[test]
fn keys_below_a_beginning_are_set_read_and_taken_away_and_no_others() {
    let place = tempfile::tempdir().unwrap();
    let Some(cache) = cache(place.path()) else { return };
    let address = cache.key_listener().unwrap().address(false);
    let mut theirs =
        Control::connect(&memcached(address.clone(), Dialect::Text, None), Duration::from_secs(60)).unwrap();
    theirs.set(7, b"theirs");
    assert_eq!(theirs.write().unwrap(), 1);
    for dialect in DIALECTS {
        let protocol = KeyProtocol::Memcached { dialect, keys: Keys::Below("ours:".into()) };
        let endpoint = KeyEndpoint { address: address.clone(), protocol };
        let mut ours = Control::connect(&endpoint, Duration::from_secs(60)).unwrap();
        ours.set(7, b"ours");
        ours.set(8, b"too");
        assert_eq!(ours.write().unwrap(), 2);
        assert_eq!(ours.get(&[7, 8, 9]).unwrap(), [(7, b"ours".to_vec()), (8, b"too".to_vec())]);
        assert_eq!(ours.delete(&[7, 8, 9]).unwrap(), 2, "{dialect:?}");
        assert_eq!(ours.get(&[7, 8]).unwrap(), []);
        assert_eq!(theirs.get(&[7]).unwrap(), [(7, b"theirs".to_vec())]);
    }
}
