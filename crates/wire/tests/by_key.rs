//! The key endpoints against what real servers said: requests are written as a client by hand would, and answers are
//! understood the same in one piece and byte by byte.

mod recorded;

use recorded::{BY_KEY, Exchange, exchange, exchanges};
use wire::handlersocket;
use wire::memcached::{Asked, Dialect, Said};

type Ask<'a> = &'a dyn Fn(&mut Vec<u8>) -> Asked;
type Write<'a> = &'a dyn Fn(&mut Vec<u8>);

const MEMCACHED: [(&str, Dialect); 7] = [
    ("memcached-1.6.18/text", Dialect::Text),
    ("memcached-1.6.18/binary", Dialect::Binary),
    ("memcached-1.6.18/meta", Dialect::Meta),
    ("mysql-8.0.33/memcached-text", Dialect::Text),
    ("mysql-8.0.33/memcached-binary", Dialect::Binary),
    ("mysql-5.6.14/memcached-text", Dialect::Text),
    ("mysql-5.6.14/memcached-binary", Dialect::Binary),
];

/// Everything that a server said, fed in pieces of `piece` bytes.
fn told(dialect: Dialect, exchange: &Exchange, piece: usize) -> Vec<String> {
    let (mut pending, mut told) = (Vec::new(), Vec::new());
    for piece in exchange.received().chunks(piece) {
        pending.extend_from_slice(piece);
        while let Some(heard) = dialect.hear(&pending).expect(exchange.name) {
            told.push(shown(&heard.said));
            pending.drain(..heard.consumed);
        }
    }
    assert_eq!(pending, [], "{} {}", exchange.file, exchange.name);
    told
}

fn shown(said: &Said<'_>) -> String {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    match said {
        Said::Value { key, value } => format!("{} = {}", text(key), text(value)),
        Said::Stat { name, value } => format!("{}: {}", text(name), text(value)),
        Said::Version(version) => format!("version {}", text(version)),
        Said::Refused(why) => format!("refused: {}", text(why)),
        Said::Miss | Said::End | Said::Done | Said::NotDone => format!("{said:?}"),
    }
}

fn says(file: &str, dialect: Dialect, name: &str) -> Vec<String> {
    told(dialect, &exchange(file, name), usize::MAX)
}

#[test]
fn an_answer_is_understood_the_same_byte_by_byte() {
    for (file, dialect) in MEMCACHED {
        for exchange in exchanges(file) {
            assert_eq!(told(dialect, &exchange, 1), told(dialect, &exchange, usize::MAX), "{file} {}", exchange.name);
        }
    }
}

#[test]
fn every_dialect_of_every_server_tells_the_same_of_the_same_keys() {
    let many = ["1 = one", "2 = two", "3 = ", "4 = four\\tand\\\\n", "End"];
    for (file, dialect) in MEMCACHED {
        let says = |name| says(file, dialect, name);
        let alone = dialect != Dialect::Text;
        assert_eq!(says("get_many"), many, "{file}");
        assert_eq!(says("get"), if alone { vec!["7 = seven"] } else { vec!["7 = seven", "End"] }, "{file}");
        assert_eq!(says("get_miss"), [if alone { "Miss" } else { "End" }], "{file}");
        assert_eq!((says("set"), says("add_there")), (vec!["Done".into()], vec!["NotDone".into()]), "{file}");
        assert!(says("unknown")[0].starts_with("refused: "), "{file}");
    }
}

#[test]
fn requests_are_written_as_by_hand_and_closed_by_their_answers() {
    for (file, dialect) in MEMCACHED {
        let sent = |name| exchange(file, name).sent();
        let written = |write: Ask<'_>| {
            let mut out = Vec::new();
            let asked = write(&mut out);
            (out, asked)
        };
        let all: [(&str, Ask<'_>); 4] = [
            ("get", &|out| dialect.get(out, [7_u64].into_iter())),
            ("get_miss", &|out| dialect.get(out, [99_u64].into_iter())),
            ("get_many", &|out| dialect.get(out, [1_u64, 2, 3, 99, 4].into_iter())),
            ("set", &|out| dialect.set(out, 7_u64, b"seven")),
        ];
        for (name, write) in all {
            let (out, asked) = written(write);
            assert_eq!(without_opaque(dialect, out), without_opaque(dialect, sent(name)), "{file} {name}");
            let received = exchange(file, name).received();
            let (mut at, mut closed) = (0, false);
            while let Some(heard) = dialect.hear(&received[at..]).unwrap() {
                assert!(!closed, "{file} {name}");
                closed = dialect.closes(asked, &heard.said).unwrap();
                at += heard.consumed;
            }
            assert!(closed, "{file} {name}");
        }
    }
}

/// A number that a client may give each binary message and gets back; ours are all zero.
fn without_opaque(dialect: Dialect, mut bytes: Vec<u8>) -> Vec<u8> {
    let mut at = 0;
    while dialect == Dialect::Binary && at < bytes.len() {
        bytes[at + 12..at + 16].fill(0);
        at += 24 + u32::from_be_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
    }
    bytes
}

#[test]
fn what_the_plugin_hides_is_in_the_bytes() {
    for (file, selected) in
        [("mysql-8.0.33/memcached-text", "test/kv"), ("mysql-5.6.14/memcached-text", "test/demo_test")]
    {
        let says = |name| says(file, Dialect::Text, name);
        assert_eq!(says("unmapped"), ["End"], "a container that is not there looks like a miss");
        assert_eq!(says("prefixed"), ["@@kv.1 = one", "End"]);
        assert_eq!(says("select"), [&format!("@@kv = {selected}"), "End"]);
        assert_eq!(says("set_too_long_for_its_column"), ["Done"]);
        assert_eq!(says("get_truncated")[0].len(), "9 = ".len() + 200, "300 bytes were acknowledged");
        assert_eq!(says("meta"), ["refused: ERROR"]);
    }
}

#[test]
fn handlersocket_is_written_and_understood() {
    let read = "mariadb-10.11.19/handlersocket";
    let write = "mariadb-10.11.19/handlersocket-write";
    let requests: [(&str, &str, Write<'_>); 6] = [
        (read, "auth", &|out| handlersocket::authenticate(out, "rd")),
        (read, "open", &|out| handlersocket::open_index(out, 0, "test", "kv", "PRIMARY", "id,v")),
        (read, "find", &|out| handlersocket::find(out, 0, &[1])),
        (read, "find_many", &|out| handlersocket::find(out, 0, &[1, 2, 99, 4])),
        (write, "update", &|out| handlersocket::update(out, 0, 8, &[b"8", b"ocho"])),
        (write, "update_miss", &|out| handlersocket::update(out, 0, 98, &[b"98", b"x"])),
    ];
    for (file, name, write) in requests {
        let (exchange, mut out) = (exchange(file, name), Vec::new());
        write(&mut out);
        let by_hand = exchange.sent();
        // By hand the list's own first key stood before it twice, and the limit was its own.
        let by_hand = if name == "find_many" { by_hand.replacen(b"\t5\t0\t@", b"\t4\t0\t@") } else { by_hand };
        assert_eq!(out.escape_ascii().to_string(), by_hand.escape_ascii().to_string(), "{name}");
    }
    let rows = |file, name| -> Vec<String> {
        let bytes = exchange(file, name).received();
        let line = handlersocket::hear(&bytes).unwrap().expect("a whole line");
        assert_eq!(handlersocket::hear(&bytes[..line.consumed - 1]), Ok(None));
        let mut room = Vec::new();
        let mut plain = |field| {
            let field = handlersocket::unescaped(field, &mut room).unwrap();
            field.map_or("NULL".into(), |bytes| bytes.escape_ascii().to_string())
        };
        line.fields().map(&mut plain).collect()
    };
    assert_eq!(rows(read, "find"), ["1", "one"]);
    assert_eq!(rows(read, "find_miss"), [] as [&str; 0]);
    assert_eq!(rows(read, "find_empty"), ["3", ""]);
    assert_eq!(rows(read, "find_escaped"), ["4", "a\\tb\\nc\\\\"]);
    assert_eq!(rows(read, "find_null"), ["5", "NULL"]);
    assert_eq!(rows(read, "find_many"), ["1", "one", "2", "two", "4", "a\\tb\\nc\\\\"]);
    assert_eq!((rows(write, "update"), rows(write, "update_miss")), (vec!["1".into()], vec!["0".into()]));
    for (name, why) in [("unauth", "unauth"), ("unknown_id", "stmtnum"), ("no_table", "open_table"), ("garbage", "cmd")]
    {
        let bytes = exchange(read, name).received();
        assert_eq!(handlersocket::hear(&bytes).unwrap().unwrap().refusal(), Some(why.as_bytes()), "{name}");
    }
}

#[test]
fn every_recording_by_key_is_read_by_a_test() {
    let read: Vec<_> = MEMCACHED.iter().map(|(file, _)| *file).collect();
    let others = BY_KEY.iter().map(|(file, _)| *file).filter(|file| !read.contains(file));
    assert!(others.into_iter().all(|file| file.contains("handlersocket")));
}

trait Replaced {
    fn replacen(&self, from: &[u8], to: &[u8]) -> Vec<u8>;
}

impl Replaced for Vec<u8> {
    fn replacen(&self, from: &[u8], to: &[u8]) -> Vec<u8> {
        let at = self.windows(from.len()).position(|window| window == from).expect("it is there");
        [&self[..at], to, &self[at + from.len()..]].concat()
    }
}
