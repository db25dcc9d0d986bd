//! What each fuzz target does with its bytes. Shared by the libFuzzer targets beside it (`make fuzz`) and by
//! `tests/mutations.rs`, which feeds them mutated recordings on every `cargo test`.
//!
//! A body passes when it returns: whatever the bytes, a parser gives a value or `Malformed`, and what it read it can
//! write again.

use wire::handlersocket;
use wire::memcached::Dialect;
use wire::mongodb::{self, Document, Value, Writer};
use wire::mysql::auth::switch::Switch;
use wire::mysql::handshake::{Greeting, Response};
use wire::mysql::packet::{self, Joiner};
use wire::mysql::server::Command;
use wire::mysql::{
    Account, Asked, BinaryRow, Capabilities, ColumnType, Definition, ErrPacket, Login, LoginStep, Malformed, OkPacket,
    Prepared, Reply, Row, Step, TextRow, Transport, Visitor,
};
use wire::postgres::message::{self, Front};
use wire::postgres::{self, Refusal};
use wire::scram::Challenge;

type Body = fn(&[u8]);

/// Every packet family, by the name of its target.
pub const ALL: [(&str, Body); 10] = [
    ("frames", frames),
    ("handlersocket", handlersocket),
    ("handshake", handshake),
    ("login", login),
    ("memcached", memcached),
    ("messages", messages),
    ("mongodb", mongodb),
    ("postgres", postgres),
    ("reply", reply),
    ("rows", rows),
];

pub fn frames(data: &[u8]) {
    let (mut rest, mut joiner) = (data, Joiner::default());
    while let Ok((packet, after)) = packet::split(rest) {
        let mut again = Vec::new();
        if joiner.concerns(packet.payload) {
            if joiner.add(packet.payload).is_err() {
                return;
            }
        } else {
            packet::write(&mut again, packet.sequence, |out| out.extend_from_slice(packet.payload));
            assert_eq!(again, rest[..again.len()]);
        }
        rest = after;
    }
}

pub fn handshake(data: &[u8]) {
    if let Ok(greeting) = Greeting::parse(data) {
        let mut again = Vec::new();
        greeting.write(&mut again);
        let read = Greeting::parse(&again).expect("what was written");
        assert_eq!(
            (read.connection_id, read.scramble, read.plugin),
            (greeting.connection_id, greeting.scramble, greeting.plugin)
        );
    }
    if let Ok(response) = Response::parse(data) {
        let mut again = Vec::new();
        response.write(&mut again);
        assert_eq!(Response::parse(&again).as_ref(), Ok(&response));
    }
    if let Ok(switch) = Switch::parse(data) {
        let mut again = Vec::new();
        switch.write(&mut again);
        assert_eq!(Switch::parse(&again), Ok(switch));
    }
}

/// The first byte chooses the transport; the rest is what the server says.
pub fn login(data: &[u8]) {
    let Some((choice, mut bytes)) = data.split_first() else { return };
    let account = Account {
        user: "user",
        password: b"password",
        database: Some("schema"),
        attributes: &[("name", "value")],
        collation: 45,
        capabilities: Capabilities::WANTED,
    };
    let transports = [Transport::UnixSocket, Transport::Tcp, Transport::Tls, Transport::TlsIfOffered];
    let transport = transports[usize::from(choice & 3)];
    let mut login = Login::new(account, transport, [7; 20]);
    let mut out = Vec::new();
    loop {
        match login.feed(bytes, &mut out) {
            Ok(LoginStep::Encrypt { consumed }) => {
                login.encrypted(&mut out);
                bytes = &bytes[consumed..];
            }
            Ok(LoginStep::Incomplete { consumed, missing }) => {
                assert!(missing > 0);
                if consumed == 0 {
                    return;
                }
                bytes = &bytes[consumed..];
            }
            Ok(LoginStep::Done { .. } | LoginStep::Denied { .. }) | Err(_) => return,
        }
    }
}

/// The packets that stand alone.
pub fn messages(data: &[u8]) {
    if let Ok(ok) = OkPacket::parse(data) {
        let mut again = Vec::new();
        ok.write(&mut again, data[0]);
        assert_eq!(OkPacket::parse(&again), Ok(ok));
    }
    if let Ok(eof) = OkPacket::parse_eof(data) {
        let mut again = Vec::new();
        eof.write_eof(&mut again);
        assert_eq!(OkPacket::parse_eof(&again), Ok(eof));
    }
    if let Ok(err) = ErrPacket::parse(data) {
        assert!(err.to_owned().to_string().starts_with("error "));
    }
    if let Ok(prepared) = Prepared::parse(data) {
        let mut again = Vec::new();
        prepared.write(&mut again);
        assert_eq!(Prepared::parse(&again), Ok(prepared));
    }
    if let Ok(column) = Definition(data).parse() {
        let mut again = Vec::new();
        column.write(&mut again);
        assert_eq!(Definition(&again).parse(), Ok(column));
    }
    // The other commands carry nothing, or whatever text they like.
    let fixed = matches!(data.first(), None | Some(0x17 | 0x19 | 0x1A));
    assert!(fixed || Command::parse(data).is_ok());
}

/// The first byte chooses the dialect; the rest is what the server says.
pub fn memcached(data: &[u8]) {
    let Some((choice, mut bytes)) = data.split_first() else { return };
    let dialect = [Dialect::Text, Dialect::Binary, Dialect::Meta][usize::from(*choice) % 3];
    while let Ok(Some(heard)) = dialect.hear(bytes) {
        assert!((1..=bytes.len()).contains(&heard.consumed));
        // It was whole with its last byte and not before.
        assert_eq!(dialect.hear(&bytes[..heard.consumed]), Ok(Some(heard)));
        assert_eq!(dialect.hear(&bytes[..heard.consumed - 1]), Ok(None));
        bytes = &bytes[heard.consumed..];
    }
}

/// What the server says; whatever can be read is written again as it was.
pub fn mongodb(data: &[u8]) {
    let mut bytes = data;
    let account = mongodb::login::Account { user: "user", password: "pencil", source: "admin" };
    let (mut said, mut is_over) = (Vec::new(), false);
    let mut login = mongodb::login::Login::new(Some(account), [7; 18], &mut said);
    while let Ok(Some(heard)) = mongodb::hear(bytes) {
        assert_eq!(mongodb::hear(&bytes[..heard.consumed]), Ok(Some(heard)));
        assert_eq!(mongodb::hear(&bytes[..heard.consumed - 1]), Ok(None));
        let mut again = Vec::new();
        let mut writer = Writer::new(&mut again);
        if copied(heard.body, &mut writer) == Some(()) {
            writer.end();
            assert_eq!(again, heard.body.bytes());
        }
        // Behind its end a login is fed nothing.
        is_over = is_over || login.feed(heard.body, &mut said) != Ok(mongodb::login::LoginStep::More);
        bytes = &bytes[heard.consumed..];
    }
}

/// `None` where the document holds what is malformed, or of a kind that nobody writes.
fn copied(document: Document<'_>, out: &mut Writer<'_>) -> Option<()> {
    for field in document.fields() {
        let (name, value) = field.ok()?;
        match value {
            Value::Double(x) => out.double(name, x),
            Value::Text(text) => out.text(name, text),
            Value::Document(inner) | Value::Array(inner) => {
                let is_array = matches!(value, Value::Array(_));
                let mut deeper = if is_array { out.array(name) } else { out.document(name) };
                copied(inner, &mut deeper)?;
                deeper.end();
            }
            Value::Bytes(bytes) => out.bytes(name, bytes),
            Value::Boolean(truth) => out.boolean(name, truth),
            Value::Null => out.null(name),
            Value::Int32(n) => out.int32(name, n),
            Value::Int64(n) => out.int64(name, n),
            Value::Other(_) => return None,
        }
    }
    Some(())
}

pub fn handlersocket(data: &[u8]) {
    let (mut bytes, mut room) = (data, Vec::new());
    while let Ok(Some(line)) = handlersocket::hear(bytes) {
        for field in line.fields() {
            let Ok(Some(plain)) = handlersocket::unescaped(field, &mut room) else { continue };
            let plain = plain.to_vec();
            let mut again = Vec::new();
            handlersocket::update(&mut again, 0, 0, &[&plain]);
            let written =
                again.strip_prefix(b"0\t=\t1\t0\t1\t0\tU\t").and_then(|w| w.strip_suffix(b"\n")).expect("one field");
            assert_eq!(handlersocket::unescaped(written, &mut room), Ok(Some(plain.as_slice())));
        }
        bytes = &bytes[line.consumed..];
    }
}

/// The first byte chooses how much is fed first; the rest is what the server says, to a login and to whoever is in.
pub fn postgres(data: &[u8]) {
    let Some((piece, bytes)) = data.split_first() else { return };
    let (mut reply, mut cells) = (postgres::Reply::default(), Cells::default());
    let (mut at, first) = (0, usize::from(*piece).min(bytes.len()));
    'reply: for end in [first, bytes.len()] {
        loop {
            match reply.feed(&bytes[at..end], &mut cells) {
                Ok(postgres::Step::Incomplete { consumed, missing }) => {
                    assert!(missing > 0);
                    at += consumed;
                    break;
                }
                Ok(postgres::Step::CopyIn { consumed }) => at += consumed,
                Ok(postgres::Step::Done { consumed, summary } | postgres::Step::Failed { consumed, summary, .. }) => {
                    assert_eq!((summary.rows, summary.bytes), (cells.rows, (at + consumed) as u64));
                    break 'reply;
                }
                Err(_) => break 'reply,
            }
        }
    }
    let account = postgres::Account { user: "user", password: b"password", database: None };
    // A nonce that no recording has: hashing a password for each mutation would take the fuzzer's time.
    let mut login = postgres::Login::new(account, postgres::Transport::TlsIfOffered, [9; 18], &mut Vec::new());
    let _ = login.feed(bytes, &mut Vec::new());
    if let Ok(Front::Whole { message, rest }) = message::split(bytes) {
        let mut again = Vec::new();
        message::write(&mut again, message.kind, |out| out.extend_from_slice(message.body));
        assert_eq!(again, bytes[..bytes.len() - rest.len()]);
        if let Ok(refusal) = Refusal::parse(message.body) {
            assert!(refusal.to_owned().to_string().starts_with("error "));
        }
    }
    if let Ok(challenge) =
        std::str::from_utf8(bytes).map_err(drop).and_then(|text| Challenge::parse(text).map_err(drop))
    {
        assert!(challenge.iterations > 0);
    }
}

#[derive(Default)]
struct Cells {
    rows: u64,
}

impl postgres::Visitor for Cells {
    fn row(&mut self, row: postgres::Row<'_>) {
        self.rows += 1;
        ends_with_error(row.cells());
    }
}

/// The first two bytes choose dialect and command; the rest is the reply, fed in two pieces.
pub fn reply(data: &[u8]) {
    let [choice, piece, bytes @ ..] = data else { return };
    let mut capabilities = Capabilities::WANTED;
    if choice & 1 == 0 {
        capabilities = capabilities.without(Capabilities::DEPRECATE_EOF);
    }
    if choice & 2 == 0 {
        capabilities = capabilities.without(Capabilities::CACHE_METADATA);
    }
    let asked = [Asked::Text, Asked::Execute, Asked::Prepare][usize::from(choice >> 2) % 3];
    let mut reply = Reply::new(capabilities);
    reply.begin(asked, 1);
    let mut all = Everything::default();
    let first = usize::from(*piece).min(bytes.len());
    let mut at = 0;
    for end in [first, bytes.len()] {
        loop {
            match reply.feed(&bytes[at..end], &mut all) {
                Ok(Step::Incomplete { consumed, missing }) => {
                    assert!(missing > 0);
                    at += consumed;
                    break;
                }
                Ok(Step::LocalInfile { consumed, .. }) => at += consumed,
                Ok(Step::Done { consumed, summary } | Step::Failed { consumed, summary, .. }) => {
                    assert_eq!((summary.rows, summary.results), (all.rows, all.results));
                    assert_eq!(summary.bytes, (at + consumed) as u64);
                    return;
                }
                Err(_) => return,
            }
        }
    }
}

/// The first byte is the number of columns, then as many types, then a row.
pub fn rows(data: &[u8]) {
    let Some((count, rest)) = data.split_first() else { return };
    let Some((types, row)) = rest.split_at_checked(usize::from(*count)) else { return };
    let types: Vec<_> = types.iter().map(|code| ColumnType { code: *code, unsigned: code & 0x10 != 0 }).collect();
    read(Row::Text(TextRow::new(row, types.len())), &types);
    read(Row::Binary(BinaryRow::new(row, types.len())), &types);
}

/// Reads every cell; an iterator over cells ends with its first error.
fn read(row: Row<'_>, types: &[ColumnType]) {
    match row {
        Row::Text(row) => ends_with_error(row.cells()),
        Row::Binary(row) => row.cells(types).map_or((), ends_with_error),
    }
}

fn ends_with_error<T>(mut cells: impl Iterator<Item = Result<T, Malformed>>) {
    if cells.any(|cell| cell.is_err()) {
        assert!(cells.next().is_none());
    }
}

#[derive(Default)]
struct Everything {
    types: Vec<ColumnType>,
    rows: u64,
    results: u32,
}

impl Visitor for Everything {
    fn result_set(&mut self, _columns: usize) {
        self.types.clear();
        self.results += 1;
    }

    fn ok(&mut self, _affected: u64) {
        self.results += 1;
    }

    fn parameter(&mut self, _index: usize, definition: Definition<'_>) {
        assert_eq!(definition.column_type().is_ok(), definition.parse().is_ok());
    }

    fn column(&mut self, _index: usize, definition: Definition<'_>) {
        self.types.extend(definition.column_type());
    }

    fn row(&mut self, row: Row<'_>) {
        self.rows += 1;
        read(row, &self.types);
    }
}
