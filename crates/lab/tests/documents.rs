//! Sessions in MongoDB's protocol against a server of a few lines: transactions are marked as drivers mark them, what
//! answers another request ends the conversation, a server that is too old opens none, and after the first answers
//! nothing is allocated.

mod counting;

use counting::COUNT;
use lab::backends::endpoint::Address;
use lab::backends::mongodb::session::{DocumentEndpoint, Opening, Session, Store};
use lab::executor::Connecting;
use lab::executor::Executor;
use model::load::Io;
use model::units::Nanos;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use wire::mongodb::{Document, Value as Read_, Writer};
use workload::session::documents::{Documents, Offers, Value};
use workload::session::{Class, Fault};

const DEADLINE: Nanos = Nanos::from_secs(60);
const CLASS: Class = Class(0);
const PING: &[(&str, Value<'static>)] = &[("ping", Value::Int32(1))];

/// A reply to the request of this number.
fn reply(number: i32, write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    wire::mongodb::request(&mut bytes, 0, write);
    bytes[8..12].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn hello(newest: i32) -> impl Fn(&mut Writer<'_>) {
    move |out| {
        out.int32("maxWireVersion", newest);
        out.double("ok", 1.0);
    }
}

/// A server of one conversation: `says` makes the reply to what was asked after the greeting; all of that is handed on
/// as names.
fn serving(
    place: &Path,
    newest: i32,
    says: impl Fn(i32) -> Vec<u8> + Send + 'static,
) -> (Address, Receiver<Vec<String>>) {
    let socket = place.join("s");
    let listener = UnixListener::bind(&socket).unwrap();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let (mut line, _) = listener.accept().unwrap();
        let mut head = [0; 4];
        for count in 0.. {
            if line.read_exact(&mut head).is_err() {
                return;
            }
            let mut rest = vec![0; i32::from_le_bytes(head) as usize - 4];
            line.read_exact(&mut rest).unwrap();
            let number = i32::from_le_bytes(rest[..4].try_into().unwrap());
            if count == 0 {
                line.write_all(&reply(number, hello(newest))).unwrap();
                continue;
            }
            let names = Document::parse(&rest[17..]).unwrap().fields().map(|field| match field.unwrap() {
                (name, Read_::Text(text)) => format!("{name} {text}"),
                (name, Read_::Boolean(truth)) => format!("{name} {truth}"),
                (name, Read_::Int64(n)) => format!("{name} {n}"),
                (name, _) => name.to_string(),
            });
            let _ = tell.send(names.collect());
            if line.write_all(&says(number)).is_err() {
                return;
            }
        }
    });
    (Address::Unix(socket), told)
}

fn converse<F: AsyncFnOnce(Result<Session<()>, Fault>) + 'static>(address: Address, offers: Offers, io: Io, user: F) {
    let mut executor = Executor::new(io).unwrap();
    let handle = executor.handle();
    let task = async move {
        let endpoint = DocumentEndpoint { store: Store::open(address.clone()), schema: "linkdb".into(), offers };
        let connect = Box::new(move || -> Connecting {
            let (handle, address) = (handle.clone(), address.clone());
            Box::pin(async move { handle.connect(&address, DEADLINE).await })
        });
        user(Session::open(Rc::new(Opening { endpoint, connect }), ()).await).await;
    };
    executor.handle().spawn(Box::pin(task));
    executor.run(|| false).unwrap();
}

fn done(number: i32) -> Vec<u8> {
    reply(number, |out| out.double("ok", 1.0))
}

#[test]
fn a_transaction_is_marked_on_its_commands_and_ended_once() {
    let place = tempfile::tempdir().unwrap();
    let (address, told) = serving(place.path(), 17, done);
    converse(address, Offers { transactions: true, parts_of_changed: true }, Io::Auto, async |session| {
        let mut session = session.unwrap();
        let session: &mut dyn Documents = &mut session;
        session.begin();
        for _ in 0..2 {
            session.start(CLASS, PING, &[]);
            session.answer().await.unwrap();
        }
        session.commit(CLASS).await.unwrap();
        session.abort(CLASS).await.unwrap();
        session.start(CLASS, PING, &[]);
        session.answer().await.unwrap();
    });
    let told: Vec<Vec<String>> = told.iter().collect();
    assert_eq!(
        told,
        [
            vec!["ping", "lsid", "txnNumber 1", "startTransaction true", "autocommit false", "$db linkdb"],
            vec!["ping", "lsid", "txnNumber 1", "autocommit false", "$db linkdb"],
            vec!["commitTransaction", "lsid", "txnNumber 1", "autocommit false", "$db admin"],
            vec!["ping", "$db linkdb"],
        ]
    );
}

#[test]
fn where_there_are_no_transactions_none_is_said() {
    let place = tempfile::tempdir().unwrap();
    let (address, told) = serving(place.path(), 17, done);
    converse(address, Offers::default(), Io::Epoll, async |session| {
        let mut session = session.unwrap();
        let session: &mut dyn Documents = &mut session;
        session.begin();
        session.start(CLASS, PING, &[]);
        session.answer().await.unwrap();
        session.commit(CLASS).await.unwrap();
    });
    assert_eq!(told.iter().collect::<Vec<_>>(), [vec!["ping", "$db linkdb"]]);
}

#[test]
fn an_answer_to_another_request_ends_the_conversation() {
    let place = tempfile::tempdir().unwrap();
    let (address, _told) = serving(place.path(), 17, |number| done(number + 1));
    converse(address, Offers::default(), Io::Auto, async |session| {
        let mut session = session.unwrap();
        let session: &mut dyn Documents = &mut session;
        session.start(CLASS, PING, &[]);
        let fault = session.answer().await.unwrap_err();
        assert!(matches!(fault, Fault::Protocol(_)) && !fault.session_survives(), "{fault}");
    });
}

#[test]
fn a_server_that_knows_no_such_messages_opens_no_session() {
    let place = tempfile::tempdir().unwrap();
    let (address, _told) = serving(place.path(), 5, done);
    converse(address, Offers::default(), Io::Auto, async |session| {
        let Err(Fault::Unopened(why)) = session.map(drop) else { panic!("it opened") };
        assert!(why.contains("MongoDB 3.6"), "{why}");
    });
}

#[test]
fn commands_allocate_nothing_after_the_first() {
    const WARM: u32 = 20;
    const COMMANDS: u32 = 200;
    let found = |number| {
        reply(number, |out| {
            let mut cursor = out.document("cursor");
            let mut batch = cursor.array("firstBatch");
            for place in 0..20 {
                let mut link = batch.document(place);
                link.int64("id1", 7);
                link.bytes("data", &[b'x'; 100]);
                link.end();
            }
            batch.end();
            cursor.int64("id", 0);
            cursor.end();
            out.double("ok", 1.0);
        })
    };
    for io in [Io::Auto, Io::Epoll] {
        let place = tempfile::tempdir().unwrap();
        let (address, _told) = serving(place.path(), 17, found);
        converse(address, Offers { transactions: true, parts_of_changed: true }, io, async |session| {
            let mut session = session.unwrap();
            let session: &mut dyn Documents = &mut session;
            let mut before = 0;
            for command in 0..WARM + COMMANDS {
                if command == WARM {
                    before = COUNT.get();
                }
                session.begin();
                let filter = [("_id", Value::Bytes(b"an id"))];
                let find = [("find", Value::Text("linktable")), ("filter", Value::Document(&filter))];
                session.start(CLASS, &find, &["id1", "data"]);
                assert_eq!(session.answer().await.unwrap().rows, 20);
                session.commit(CLASS).await.unwrap();
            }
            assert_eq!(COUNT.get() - before, 0, "allocations in {COMMANDS} commands");
        });
    }
}
