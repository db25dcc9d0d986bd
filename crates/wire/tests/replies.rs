//! What real servers sent, read: every recorded reply in every dialect, whole, in pieces, and cut short.

mod recorded;

use recorded::{Dice, Transcript, dialects, exchange, exchanges, replay};
use wire::mysql::execute::{Types, execute};
use wire::mysql::{Asked, Capabilities, Malformed, Param, Reply, Step};

/// Replays a file up to and including `name`, as types are learnt on the way; gives the lines of `name` alone.
fn lines(file: &str, capabilities: Capabilities, name: &str) -> Vec<String> {
    let mut transcript = Transcript::default();
    for exchange in exchanges(file).iter().skip(1) {
        transcript.lines.clear();
        replay(exchange, capabilities, &mut transcript, || usize::MAX / 2);
        if exchange.name == name {
            return transcript.lines;
        }
    }
    panic!("{file} holds no {name}");
}

fn rows(file: &str, capabilities: Capabilities, name: &str) -> Vec<String> {
    let lines = lines(file, capabilities, name).into_iter();
    lines.filter_map(|line| line.strip_prefix("row: ").map(str::to_owned)).collect()
}

fn last(file: &str, capabilities: Capabilities, name: &str) -> String {
    lines(file, capabilities, name).pop().expect("an end")
}

#[test]
fn text_rows_hold_what_was_inserted() {
    for (file, capabilities) in dialects() {
        let long = "v".repeat(200);
        assert_eq!(
            rows(file, capabilities, "text_kinds"),
            [
                "-1 | 255 | -2 | -3 | -4 | 4000000000 | -5 | 18446744073709551615 | 1.5 | -2.25 | 12345.67891 | 2024 | 2024-02-29 | \
                 2024-02-29 12:34:56.789012 | 2001-01-01 00:00:01 | -25:01:02.003 | char | varchar | \\x00\\xff | \\x01U | y | p,q | NULL".to_owned(),
                format!(
                    "127 | 0 | 32767 | 8388607 | 2147483647 | 0 | 9223372036854775807 | 0 | 0 | 1e300 | -1.00000 | 1901 | 1000-01-01 | \
                     2024-02-29 00:00:00.000000 | NULL | 00:00:00.000 |  | {long} |  | \\x00\\x00 | x |  | 7"
                ),
            ],
            "{file}"
        );
    }
}

#[test]
fn binary_rows_hold_what_was_inserted() {
    for (file, capabilities) in dialects() {
        let found = rows(file, capabilities, "execute_kinds");
        assert_eq!(
            found[0],
            format!(
                "I64(-1) | U64(255) | I64(-2) | I64(-3) | I64(-4) | U64(4000000000) | I64(-5) | U64(18446744073709551615) | F32(1.5) | F64(-2.25) | \
                 12345.67891 | U64(2024) | DateTime(DateTime {{ year: 2024, month: 2, day: 29, hour: 0, minute: 0, second: 0, micros: 0 }}) | \
                 DateTime(DateTime {{ year: 2024, month: 2, day: 29, hour: 12, minute: 34, second: 56, micros: 789012 }}) | \
                 DateTime(DateTime {{ year: 2001, month: 1, day: 1, hour: 0, minute: 0, second: 1, micros: 0 }}) | \
                 Time(Time {{ negative: true, days: 1, hours: 1, minutes: 1, seconds: 2, micros: 3000 }}) | \
                 char | varchar | \\x00\\xff | \\x01U | y | p,q | Null"
            ),
            "{file}"
        );
        assert!(found[1].starts_with(
            "I64(127) | U64(0) | I64(32767) | I64(8388607) | I64(2147483647) | U64(0) | I64(9223372036854775807)"
        ));
        assert!(found[1].ends_with("| \\x00\\x00 | x |  | I64(7)"), "{}", found[1]);
    }
}

#[test]
fn parameters_of_every_type_come_back_as_sent() {
    for (file, capabilities) in dialects() {
        let found = rows(file, capabilities, "execute_echo");
        assert_eq!(found, ["I64(-7) | U64(18446744073709551615) | F64(0.1) | gr\\xc3\\xbcn | Null"], "{file}");
    }
}

#[test]
fn an_execute_is_written_as_a_server_understood_it() {
    for (file, capabilities) in dialects() {
        let mut transcript = Transcript::default();
        replay(&exchange(file, "prepare_echo"), capabilities, &mut transcript, || usize::MAX / 2);
        let sent = exchange(file, "execute_echo").sent();
        let statement = u32::from_le_bytes([sent[5], sent[6], sent[7], sent[8]]);
        assert!(transcript.lines.last().expect("an end").contains(&format!("statement: {statement},")), "{file}");
        let text = "grün".as_bytes();
        let params = [Param::I64(-7), Param::U64(u64::MAX), Param::F64(0.1), Param::Bytes(text), Param::Null];
        let mut out = Vec::new();
        execute(&mut out, statement, params.into_iter(), Types::Sent);
        assert_eq!(out, sent, "{file}");
    }
}

#[test]
fn a_point_select_finds_its_row_whether_definitions_are_sent_or_known() {
    for (file, capabilities) in dialects() {
        let sent = |name| lines(file, capabilities, name).iter().any(|line| line.starts_with("column"));
        let cached = capabilities.has(Capabilities::CACHE_METADATA);
        assert_eq!(sent("execute_point_again"), !cached, "{file}");
        assert!(rows(file, capabilities, "execute_point_first")[0].starts_with("bbcdefghi-bbcd"), "{file}");
        assert!(rows(file, capabilities, "execute_point_again")[0].starts_with("cbcdefghi-cbcd"), "{file}");
        assert_eq!(rows(file, capabilities, "execute_point_none").len(), 0, "{file}");
    }
}

#[test]
fn results_of_a_procedure_are_one_reply() {
    for (file, capabilities) in dialects() {
        assert_eq!(rows(file, capabilities, "text_two_results"), ["1", "2 | three"], "{file}");
        assert_eq!(rows(file, capabilities, "execute_two_results"), ["I64(1)", "I64(2) | three"], "{file}");
        let parts = lines(file, capabilities, "text_two_results").into_iter();
        let parts: Vec<String> =
            parts.filter(|line| line.starts_with("result set") || line.starts_with("ok")).collect();
        assert_eq!(parts, ["result set of 1", "result set of 2", "ok of 0"], "{file}");
        let end = last(file, capabilities, "text_two_results");
        assert!(end.contains("results: 3, columns: 2, rows: 2"), "{file}: {end}");
    }
}

#[test]
fn summaries_carry_what_the_server_counted() {
    for (file, capabilities) in dialects() {
        let insert = last(file, capabilities, "text_insert");
        assert!(insert.contains("affected: 2") && !insert.contains("last_insert_id: 0"), "{file}: {insert}");
        assert!(last(file, capabilities, "text_warning").contains("warnings: 2"), "{file}");
        assert!(last(file, capabilities, "text_begin").contains("status: Status(3)"), "{file}");
        assert!(last(file, capabilities, "text_rollback").contains("status: Status(2)"), "{file}");
        let prepared = last(file, capabilities, "prepare_echo");
        assert!(prepared.contains("columns: 5, parameters: 5"), "{file}: {prepared}");
    }
}

#[test]
fn errors_carry_number_state_and_message() {
    for (file, capabilities) in dialects() {
        for (name, expected) in [
            ("text_error", "error 1064 (42000): You have an error in your SQL syntax"),
            ("prepare_error", "error 1064 (42000): You have an error in your SQL syntax"),
            ("execute_unknown_statement", "error 1243 (HY000): Unknown prepared statement handler"),
            ("text_error_after_rows", "rows: 1, affected: 0, last_insert_id: 0, warnings: 0, status: Status(10), "),
            ("text_error_after_rows", "error 1644 (45000): too late"),
        ] {
            let end = last(file, capabilities, name);
            assert!(end.contains(expected), "{file} {name}: {end}");
        }
    }
}

#[test]
fn bytes_counted_are_the_bytes_received() {
    for (file, capabilities) in dialects() {
        for exchange in exchanges(file).iter().skip(1) {
            let end = last(file, capabilities, exchange.name);
            assert!(end.contains(&format!("bytes: {},", exchange.received().len())), "{file} {}: {end}", exchange.name);
        }
    }
}

#[test]
fn a_reply_reads_the_same_in_any_pieces() {
    let mut dice = Dice(1);
    for (file, capabilities) in dialects() {
        let (mut whole, mut single, mut mixed) = (Transcript::default(), Transcript::default(), Transcript::default());
        for exchange in exchanges(file).iter().skip(1) {
            replay(exchange, capabilities, &mut whole, || usize::MAX / 2);
            replay(exchange, capabilities, &mut single, || 1);
            replay(exchange, capabilities, &mut mixed, || dice.below(60));
        }
        assert_eq!(whole.lines, single.lines, "{file}");
        assert_eq!(whole.lines, mixed.lines, "{file}");
    }
}

#[test]
fn every_prefix_of_a_reply_is_incomplete() {
    for (file, capabilities) in dialects() {
        for exchange in exchanges(file).iter().skip(1).filter(|exchange| exchange.name != "local_infile") {
            let bytes = exchange.received();
            for cut in 0..bytes.len() {
                let mut reply = Reply::new(capabilities);
                reply.begin(exchange.asked(), 1);
                let step = reply.feed(&bytes[..cut], &mut ());
                let Ok(Step::Incomplete { consumed, missing }) = step else {
                    panic!("{file} {} cut at {cut}: {step:?}", exchange.name)
                };
                assert!(consumed <= cut && cut + missing <= bytes.len(), "{file} {} cut at {cut}", exchange.name);
            }
        }
    }
}

#[test]
fn a_reply_ends_where_the_next_one_begins() {
    let mut reply = Reply::new(dialects().next().expect("a dialect").1);
    let ok = exchange("mariadb-10.11.19/modern", "ping").received();
    reply.begin(Asked::Text, 1);
    let two = [ok.clone(), ok.clone()].concat();
    let step = reply.feed(&two, &mut ());
    assert!(matches!(step, Ok(Step::Done { consumed, .. }) if consumed == ok.len()));
    assert!(reply.feed(&ok, &mut ()).is_err(), "nothing was asked");
}

#[test]
fn a_reply_to_another_command_is_out_of_sequence() {
    let mut reply = Reply::new(Capabilities::WANTED);
    let ok = exchange("mariadb-10.11.19/modern", "ping").received();
    reply.begin(Asked::Text, 2);
    assert_eq!(reply.feed(&ok, &mut ()), Err(Malformed("a packet is out of sequence")));
}

#[test]
fn a_server_that_hung_up_while_idle_is_an_error_by_number() {
    let mut reply = Reply::new(Capabilities::WANTED);
    let unasked = exchange("mysql-8.0.33/login", "idle_too_long").received();
    reply.begin(Asked::Execute, 1);
    let Ok(Step::Failed { error, .. }) = reply.feed(&unasked, &mut ()) else { panic!("an error must end it") };
    assert_eq!((error.number, &error.sqlstate), (4031, b"HY000"));
}
