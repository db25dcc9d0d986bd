//! Messages around and beyond the 16 MB that one packet holds, written and read back.

use wire::mysql::packet::{self, HEADER_BYTES, Joiner, MAX_PAYLOAD};
use wire::mysql::server::Answer;
use wire::mysql::{Asked, Capabilities, Column, ColumnType, OkPacket, Reply, Row, Step, Visitor, command};

fn lengths() -> impl Iterator<Item = usize> {
    [MAX_PAYLOAD, 2 * MAX_PAYLOAD].into_iter().flat_map(|edge| [edge - 1, edge, edge + 1])
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

#[test]
fn a_message_of_any_length_is_split_and_joined_again() {
    for length in lengths() {
        let message = pattern(length);
        let mut out = b"before".to_vec();
        let next = packet::write(&mut out, 254, |out| out.extend_from_slice(&message));
        let (mut rest, mut joiner, mut sequence) = (&out[6..], Joiner::default(), 254_u8);
        let whole = loop {
            let (packet, after) = packet::split(rest).expect("whole packets");
            assert_eq!(packet.sequence, sequence);
            sequence = sequence.wrapping_add(1);
            rest = after;
            if !joiner.concerns(packet.payload) {
                break packet.payload.to_vec();
            }
            if let Some(whole) = joiner.add(packet.payload).expect("a length that servers send") {
                break whole;
            }
        };
        assert!(whole == message, "{length} bytes differ after the round trip");
        assert_eq!((rest, sequence), (&b""[..], next));
        assert_eq!(out.len(), 6 + length + HEADER_BYTES * (length / MAX_PAYLOAD + 1));
    }
}

#[test]
fn a_long_statement_counts_its_packets() {
    let sql = vec![b' '; MAX_PAYLOAD - 1];
    assert_eq!(command::query(&mut Vec::new(), &sql[1..]), 1);
    assert_eq!(command::query(&mut Vec::new(), &sql), 2);
}

struct Longest(Vec<u8>);

impl Visitor for Longest {
    fn row(&mut self, row: Row<'_>) {
        let Row::Text(row) = row else { panic!("a text row") };
        self.0 = row.cells().next().expect("a cell").expect("a sound cell").expect("not NULL").to_vec();
    }
}

#[test]
fn a_long_row_is_read_in_any_pieces_and_in_every_dialect() {
    let columns = [Column::plain("c", ColumnType::signed(ColumnType::LONG_BLOB))];
    for length in lengths() {
        // The cell's own length takes four bytes below 2^24, and nine from there on.
        let cell = pattern(length - if length <= MAX_PAYLOAD + 1 { 4 } else { 9 });
        for capabilities in [Capabilities::WANTED, Capabilities::PROTOCOL_41] {
            let mut out = Vec::new();
            Answer::new(&mut out, capabilities, 1).text_rows(&columns, &[&[Some(&cell)]], &OkPacket::default());
            let (mut reply, mut longest) = (Reply::new(capabilities), Longest(Vec::new()));
            reply.begin(Asked::Text, 1);
            let (mut start, mut end) = (0, 1);
            let summary = loop {
                match reply.feed(&out[start..end], &mut longest).expect("a sound reply") {
                    Step::Incomplete { consumed, missing } => {
                        start += consumed;
                        end = out.len().min(end + missing.max(1_000_003));
                    }
                    Step::Done { summary, .. } => break summary,
                    step => panic!("{step:?}"),
                }
            };
            assert!(longest.0 == cell, "a row of {length} bytes differs");
            assert_eq!((summary.rows, summary.bytes), (1, out.len() as u64));
        }
    }
}
