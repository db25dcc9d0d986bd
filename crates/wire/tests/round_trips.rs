//! What this crate writes it reads back the same: packets, greetings, commands, and whole replies of the sham server.

use proptest::collection::vec;
use proptest::prelude::*;
use wire::mysql::execute::{Types, execute};
use wire::mysql::handshake::{Greeting, Response, write_ssl_request};
use wire::mysql::packet;
use wire::mysql::reader::Reader;
use wire::mysql::server::{Answer, Command};
use wire::mysql::{
    Asked, Capabilities, Cell, Column, ColumnType, DateTime, Definition, OkPacket, Param, Reply, Row, Status, Step,
    Time, Visitor, command, writer,
};

/// A cell that owns its bytes, with the type of column that it fits.
#[derive(Clone, Debug)]
enum Value {
    Null,
    Number(ColumnType, i64),
    Double(f64),
    Float(f32),
    Bytes(Vec<u8>),
    DateTime(DateTime),
    Time(Time),
}

impl Value {
    fn column_type(&self) -> ColumnType {
        match self {
            Value::Null => ColumnType::signed(ColumnType::VAR_STRING),
            Value::Number(column_type, _) => *column_type,
            Value::Double(_) => ColumnType::signed(ColumnType::DOUBLE),
            Value::Float(_) => ColumnType::signed(ColumnType::FLOAT),
            Value::Bytes(_) => ColumnType::signed(ColumnType::BLOB),
            Value::DateTime(_) => ColumnType::signed(ColumnType::DATETIME),
            Value::Time(_) => ColumnType::signed(ColumnType::TIME),
        }
    }

    fn cell(&self) -> Cell<'_> {
        match self {
            Value::Null => Cell::Null,
            Value::Number(ColumnType { unsigned: true, .. }, n) => Cell::U64(n.cast_unsigned()),
            Value::Number(_, n) => Cell::I64(*n),
            Value::Double(x) => Cell::F64(*x),
            Value::Float(x) => Cell::F32(*x),
            Value::Bytes(bytes) => Cell::Bytes(bytes),
            Value::DateTime(value) => Cell::DateTime(*value),
            Value::Time(value) => Cell::Time(*value),
        }
    }
}

fn value() -> impl Strategy<Value = Value> {
    let number = |code, unsigned| ColumnType { code, unsigned };
    let clock = (0..24_u8, 0..60_u8, 0..60_u8, 0..1_000_000_u32);
    prop_oneof![
        Just(Value::Null),
        any::<i8>().prop_map(move |n| Value::Number(number(ColumnType::TINY, false), n.into())),
        any::<u16>().prop_map(move |n| Value::Number(number(ColumnType::SHORT, true), n.into())),
        any::<i32>().prop_map(move |n| Value::Number(number(ColumnType::LONG, false), n.into())),
        any::<u32>().prop_map(move |n| Value::Number(number(ColumnType::INT24, true), n.into())),
        any::<i64>().prop_map(move |n| Value::Number(number(ColumnType::LONGLONG, false), n)),
        any::<i64>().prop_map(move |n| Value::Number(number(ColumnType::LONGLONG, true), n)),
        (-1e9..1e9).prop_map(Value::Double),
        (-1e9..1e9_f32).prop_map(Value::Float),
        vec(any::<u8>(), 0..300).prop_map(Value::Bytes),
        (0..9999_u16, 1..13_u8, 1..32_u8, clock.clone()).prop_map(
            |(year, month, day, (hour, minute, second, micros))| {
                Value::DateTime(DateTime { year, month, day, hour, minute, second, micros })
            }
        ),
        (any::<bool>(), any::<u32>(), clock).prop_map(|(negative, days, (hours, minutes, seconds, micros))| {
            Value::Time(Time { negative, days, hours, minutes, seconds, micros })
        }),
    ]
}

fn dialect() -> impl Strategy<Value = Capabilities> {
    (any::<bool>(), any::<bool>()).prop_map(|(eof, cache)| {
        let mut capabilities = Capabilities::WANTED;
        if eof {
            capabilities = capabilities.without(Capabilities::DEPRECATE_EOF);
        }
        if cache {
            capabilities = capabilities.without(Capabilities::CACHE_METADATA);
        }
        capabilities
    })
}

fn end() -> impl Strategy<Value = OkPacket> {
    any::<u16>().prop_map(|warnings| OkPacket { warnings, status: Status::AUTOCOMMIT, ..OkPacket::default() })
}

/// Checks rows against what was written, as they come.
struct Expect<'a> {
    types: &'a [ColumnType],
    rows: std::slice::Iter<'a, Vec<Value>>,
    names: usize,
}

impl Visitor for Expect<'_> {
    fn column(&mut self, index: usize, definition: Definition<'_>) {
        let column = definition.parse().expect("our own definition");
        assert_eq!((column.name, column.column_type()), (&b"name"[..], self.types[index]));
        self.names += 1;
    }

    fn row(&mut self, row: Row<'_>) {
        let expected = self.rows.next().expect("no more rows than were written");
        match row {
            Row::Binary(row) => {
                let found: Result<Vec<_>, _> = row.cells(self.types).expect("a sound row").collect();
                let expected: Vec<_> = expected.iter().map(Value::cell).collect();
                assert_eq!(found.expect("sound cells"), expected);
            }
            Row::Text(row) => {
                let found: Result<Vec<_>, _> = row.cells().collect();
                assert_eq!(found.expect("sound cells"), expected.iter().map(as_text).collect::<Vec<_>>());
            }
        }
    }
}

fn as_text(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Bytes(bytes) => Some(bytes),
        Value::Null | Value::Number(..) | Value::Double(_) | Value::Float(_) | Value::DateTime(_) | Value::Time(_) => {
            None
        }
    }
}

/// A table of `rows`, each value of the type of its column in the first row, or NULL.
fn table() -> impl Strategy<Value = Vec<Vec<Value>>> {
    vec((value(), vec(any::<bool>(), 4)), 1..20).prop_map(|columns| {
        let row = |at: usize| {
            columns.iter().map(|(value, nulls)| if nulls[at] { Value::Null } else { value.clone() }).collect()
        };
        let first = columns.iter().map(|(value, _)| value.clone()).collect();
        std::iter::once(first).chain((0..4).map(row)).collect()
    })
}

proptest! {
    #[test]
    fn a_length_encoded_number_is_read_as_written(n in prop_oneof![any::<u64>(), 0..70_000_u64, 0xFF_FFF0..0x100_0010_u64]) {
        let mut out = Vec::new();
        writer::lenenc(&mut out, n);
        let mut reader = Reader::new(&out);
        prop_assert_eq!(reader.lenenc(), Ok(n));
        prop_assert!(reader.is_empty());
        for cut in 0..out.len() {
            prop_assert!(Reader::new(&out[..cut]).lenenc().is_err());
        }
    }

    #[test]
    fn a_table_is_read_as_the_sham_wrote_it(
        rows in table(), capabilities in dialect(), definitions in any::<bool>(), text in any::<bool>(), end in end(), piece in 1..200_usize,
    ) {
        let types: Vec<_> = rows[0].iter().map(Value::column_type).collect();
        let columns: Vec<_> = types.iter().map(|column_type| Column::plain("name", *column_type)).collect();
        let mut out = Vec::new();
        let mut answer = Answer::new(&mut out, capabilities, 1);
        if text {
            let cells: Vec<Vec<_>> = rows.iter().map(|row| row.iter().map(as_text).collect()).collect();
            answer.text_rows(&columns, &cells.iter().map(Vec::as_slice).collect::<Vec<_>>(), &end);
        } else {
            let cells: Vec<Vec<_>> = rows.iter().map(|row| row.iter().map(Value::cell).collect()).collect();
            answer.binary_rows(&columns, definitions, &cells.iter().map(Vec::as_slice).collect::<Vec<_>>(), &end);
        }
        let mut reply = Reply::new(capabilities);
        reply.begin(if text { Asked::Text } else { Asked::Execute }, 1);
        let mut expect = Expect { types: &types, rows: rows.iter(), names: 0 };
        let (mut start, mut stop) = (0, 0);
        let summary = loop {
            stop = out.len().min(stop + piece);
            match reply.feed(&out[start..stop], &mut expect).expect("our own reply") {
                Step::Incomplete { consumed, .. } => start += consumed,
                Step::Done { summary, .. } => break summary,
                step => panic!("{step:?}"),
            }
        };
        prop_assert_eq!((summary.rows, summary.columns), (rows.len() as u64, types.len() as u32));
        prop_assert_eq!((summary.warnings, summary.status), (end.warnings.into(), end.status));
        prop_assert_eq!(summary.bytes, out.len() as u64);
        let left_out = !text && !definitions && capabilities.has(Capabilities::CACHE_METADATA);
        prop_assert_eq!(expect.names, if left_out { 0 } else { types.len() });
    }

    #[test]
    fn a_prepare_reply_is_read_as_the_sham_wrote_it(
        parameters in 0..4_usize, columns in 0..4_usize, statement in any::<u32>(), capabilities in dialect(),
    ) {
        let column = Column::plain("name", ColumnType::signed(ColumnType::LONG));
        let mut out = Vec::new();
        Answer::new(&mut out, capabilities, 1).prepared(statement, &vec![column; parameters], &vec![column; columns]);
        let mut reply = Reply::new(capabilities);
        reply.begin(Asked::Prepare, 1);
        let step = reply.feed(&out, &mut ());
        let Ok(Step::Done { consumed, summary }) = step else { panic!("{step:?}") };
        let prepared = summary.prepared.expect("a statement");
        prop_assert_eq!(consumed, out.len());
        prop_assert_eq!((prepared.statement, usize::from(prepared.parameters), usize::from(prepared.columns)), (statement, parameters, columns));
    }

    #[test]
    fn a_command_is_read_as_the_client_wrote_it(argument in "[a-z ]{0,40}", statement in any::<u32>()) {
        let text = argument.as_bytes();
        let mut out = Vec::new();
        command::query(&mut out, text);
        command::prepare(&mut out, text);
        command::init_db(&mut out, &argument);
        execute(&mut out, statement, [Param::Null, Param::Bytes(text)].into_iter(), Types::Bound);
        command::close(&mut out, statement);
        command::reset_statement(&mut out, statement);
        command::reset_connection(&mut out);
        command::ping(&mut out);
        command::quit(&mut out);
        let values = [&[0b01, 0, text.len() as u8], text].concat();
        let expected = [
            Command::Query(text), Command::Prepare(text), Command::InitDb(text), Command::Execute { statement, rest: &values },
            Command::Close(statement), Command::Reset(statement), Command::ResetConnection, Command::Ping, Command::Quit,
        ];
        let mut rest = out.as_slice();
        for command in expected {
            let (packet, after) = packet::split(rest).expect("a whole packet");
            prop_assert_eq!((packet.sequence, Command::parse(packet.payload)), (0, Ok(command)));
            rest = after;
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn a_greeting_and_its_response_are_read_as_written(
        capabilities in any::<u64>(), scramble in any::<[u8; 20]>(), auth in vec(any::<u8>(), 0..200), user in "[a-z]{1,20}",
        connection_id in any::<u32>(), collation in any::<u8>(),
    ) {
        let needed = Capabilities::PROTOCOL_41 | Capabilities::SECURE_CONNECTION | Capabilities::SSL;
        let sent = Capabilities(capabilities) | needed;
        // Where a server says that it is MySQL, what MariaDB keeps in its high bits is filler.
        let high = if sent.has(Capabilities::LONG_PASSWORD) { 0 } else { u64::MAX << 32 };
        let capabilities = sent & Capabilities(high | u64::from(u32::MAX));
        let plugin: &[u8] = if capabilities.has(Capabilities::PLUGIN_AUTH) { b"mysql_native_password" } else { b"" };
        let database: &[u8] = if capabilities.has(Capabilities::CONNECT_WITH_DB) { b"schema" } else { b"" };
        let status = Status::AUTOCOMMIT;
        let greeting = Greeting { raw_version: b"5.5.5-10.11.19-MariaDB", connection_id, scramble, capabilities, collation, status, plugin };
        let mut out = Vec::new();
        Greeting { capabilities: sent, ..greeting }.write(&mut out);
        prop_assert_eq!(Greeting::parse(&out), Ok(greeting));
        prop_assert_eq!(greeting.version(), "10.11.19-MariaDB");

        let response = Response { capabilities, collation, user: user.as_bytes(), auth: &auth, database, plugin, attributes: &[] };
        let mut out = Vec::new();
        response.write(&mut out);
        prop_assert_eq!(Response::parse(&out), Ok(response));

        let mut request = Vec::new();
        write_ssl_request(&mut request, capabilities, collation);
        prop_assert_eq!(&request, &out[..32], "a request for TLS is the start of the response");
    }
}
