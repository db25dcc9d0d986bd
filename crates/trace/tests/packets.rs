//! Packet files made of recorded conversations: whole, out of order, with segments missing, joined in their middle, in
//! either form of file; what is heard is what the conversation says by itself.

#[path = "../../wire/tests/recorded/mod.rs"]
mod recorded;

use etherparse::PacketBuilder;
use recorded::{Dice, Turn, exchanges};
use trace::packets::{Packets, Unreadable};
use trace::{Ask, Item, Statement};

const FILE: &str = "mariadb-10.11.19/modern";
const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 7], 50_000);
const SERVER: ([u8; 4], u16) = ([10, 0, 0, 1], 3306);

/// One segment on its way, at a time in microseconds.
#[derive(Clone)]
struct Segment {
    at: u32,
    is_clients: bool,
    bytes: Vec<u8>,
}

fn segment(at: u32, is_clients: bool, [own, other]: [u32; 2], flags: &str, payload: &[u8]) -> Segment {
    let (from, to) = if is_clients { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
    let mut builder = PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4(from.0, to.0, 64).tcp(from.1, to.1, own, 65_535);
    if flags.contains('S') {
        builder = builder.syn();
    }
    if flags.contains('F') {
        builder = builder.fin();
    }
    if flags.contains('A') {
        builder = builder.ack(other);
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes, payload).unwrap();
    Segment { at, is_clients, bytes }
}

/// The conversation of a recorded file as segments of at most so many bytes, from its `from`th exchange on.
fn segments(from: usize, largest: usize) -> Vec<Segment> {
    let (mut all, mut sequence, mut at) = (Vec::new(), [u32::MAX - 100, 7_000], 0);
    if from == 0 {
        all.push(segment(0, true, sequence, "S", b""));
        sequence[0] = sequence[0].wrapping_add(1);
        all.push(segment(1, false, [sequence[1], sequence[0]], "SA", b""));
        sequence[1] += 1;
    }
    for turn in exchanges(FILE)[from..].iter().flat_map(|exchange| &exchange.turns) {
        let (is_clients, bytes) = match turn {
            Turn::Client(bytes) => (true, bytes),
            Turn::Server(bytes) => (false, bytes),
        };
        for piece in bytes.chunks(largest) {
            at += 10;
            let own = usize::from(!is_clients);
            all.push(segment(at, is_clients, [sequence[own], sequence[1 - own]], "A", piece));
            sequence[own] = sequence[own].wrapping_add(piece.len() as u32);
        }
    }
    all.push(segment(at + 10, true, sequence, "FA", b""));
    all.push(segment(at + 20, false, [sequence[1], sequence[0].wrapping_add(1)], "FA", b""));
    all
}

fn classic(segments: &[Segment]) -> Vec<u8> {
    let mut file = Vec::new();
    for number in [0xA1B2_C3D4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        file.extend_from_slice(&number.to_le_bytes());
    }
    for segment in segments {
        let long = segment.bytes.len() as u32;
        [1_709_208_001, segment.at, long, long].iter().for_each(|n| file.extend_from_slice(&n.to_le_bytes()));
        file.extend_from_slice(&segment.bytes);
    }
    file
}

/// pcapng, the highest byte first, in nanoseconds.
fn ng(segments: &[Segment]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut block = |kind: u32, body: &[u8]| {
        let padded = body.len().next_multiple_of(4);
        let long = (padded + 12) as u32;
        [kind, long].iter().for_each(|n| file.extend_from_slice(&n.to_be_bytes()));
        file.extend_from_slice(body);
        file.resize(file.len() + padded - body.len(), 0);
        file.extend_from_slice(&long.to_be_bytes());
    };
    block(0x0A0D_0D0A, &[&0x1A2B_3C4D_u32.to_be_bytes()[..], &[0, 1, 0, 0], &[0xFF; 8]].concat());
    block(1, &[0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 9, 0, 0, 0, 0, 0, 0, 0]);
    for segment in segments {
        let at = 1_709_208_001_000_000_000_u64 + u64::from(segment.at) * 1_000;
        let long = segment.bytes.len() as u32;
        let head = [0, (at >> 32) as u32, at as u32, long, long].map(u32::to_be_bytes).concat();
        block(6, &[&head[..], &segment.bytes].concat());
    }
    file
}

fn items(file: &[u8]) -> Vec<Item> {
    Packets::new(file, SERVER.1).unwrap().map(|item| item.unwrap()).collect()
}

fn statements(items: Vec<Item>) -> Vec<Statement> {
    let statement = |item| if let Item::Statement(statement) = item { Some(statement) } else { None };
    items.into_iter().filter_map(statement).collect()
}

/// What was asked and answered.
fn told(all: &[Statement]) -> Vec<String> {
    all.iter().map(|statement| format!("{:?} {:?}", statement.ask, statement.answer)).collect()
}

#[test]
fn a_session_is_heard_in_either_form_of_file_and_in_segments_of_any_size() {
    let whole = statements(items(&classic(&segments(0, usize::MAX))));
    assert!(matches!(whole[0].ask, Ask::Connect { .. }) && whole.last().unwrap().ask == Ask::Quit);
    assert_eq!((&*whole[0].host, whole.len() > 20), ("10.0.0.7", true));
    assert_eq!(whole[0].start.0 / 1_000_000_000, 1_709_208_001);
    assert_eq!(items(&ng(&segments(0, usize::MAX))).len(), whole.len());
    assert_eq!(statements(items(&ng(&segments(0, usize::MAX)))), whole);
    for largest in [1, 7, 100] {
        assert_eq!(told(&statements(items(&classic(&segments(0, largest))))), told(&whole), "of {largest} bytes");
    }
}

#[test]
fn segments_that_come_twice_or_early_change_nothing() {
    let whole = told(&statements(items(&classic(&segments(0, 50)))));
    let mut dice = Dice(11);
    for _ in 0..50 {
        let mut all = segments(0, 50);
        for _ in 0..20 {
            let at = 2 + dice.below(all.len() - 4);
            // Neighbours of one direction change places, as on two ways through a network.
            if all[at].is_clients == all[at + 1].is_clients && at + 1 < all.len() - 2 {
                all.swap(at, at + 1);
            }
            let again = all[at].clone();
            all.insert(at + 1, again);
        }
        assert_eq!(told(&statements(items(&classic(&all)))), whole);
    }
}

#[test]
fn what_is_missing_is_told_and_the_rest_is_heard() {
    let all = segments(0, usize::MAX);
    let whole = told(&statements(items(&classic(&all))));
    for missing in 10..all.len() - 3 {
        let mut some = all.clone();
        some.remove(missing);
        let found = items(&classic(&some));
        let lost = found.iter().filter(|item| matches!(item, Item::Lost(_))).count();
        let heard = told(&statements(found));
        assert!(lost >= 1, "segment {missing} is missing, and nothing says so");
        let is_known = |told: &String| whole.contains(told);
        let others = heard.iter().filter(|told| !is_known(told)).count();
        // An execute of what was prepared in the missing segment has no text.
        assert!(heard.len() + 4 >= whole.len() && others <= 4, "{missing}: {} of {}", heard.len(), whole.len());
    }
}

#[test]
fn a_session_whose_beginning_is_not_in_the_file_is_joined() {
    let whole = told(&statements(items(&classic(&segments(0, usize::MAX)))));
    let found = told(&statements(items(&classic(&segments(3, usize::MAX)))));
    assert!(found.len() > 10 && whole.ends_with(&found[found.len() - 3..]), "{found:#?}");
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let refusal = |file: &[u8], port| {
        let why = match Packets::new(file, port) {
            Ok(mut packets) => packets.find_map(Result::err).expect("nothing is heard"),
            Err(why) => why,
        };
        why.to_string()
    };
    assert!(refusal(b"", 3306).contains("no packet file"));
    assert!(refusal(b"# Time: 240101", 3306).contains("no packet file"));
    assert!(refusal(&classic(&segments(0, 100)), 3307).contains("with port 3307: say the server's with --port"));
    assert!(refusal(&classic(&[]), 3306).contains("none of its 0 packets"));
    let mut damaged = classic(&segments(0, 100));
    damaged[32..36].copy_from_slice(&[0xFF; 4]);
    assert!(matches!(Packets::new(&damaged[..], 3306).unwrap().next(), Some(Err(Unreadable::Damaged))));
    // Under TLS after its greeting.
    let greeting = exchanges(FILE)[0].turns.iter().find_map(|turn| match turn {
        Turn::Server(bytes) => Some(bytes.clone()),
        Turn::Client(_) => None,
    });
    let greeting = greeting.unwrap();
    let request = [&[32, 0, 0, 1, 0, 0x08, 0, 0][..], &[0; 28]].concat();
    let next = 7_001 + greeting.len() as u32;
    let tls = [
        segment(0, true, [99, 0], "S", b""),
        segment(1, false, [7_000, 100], "SA", b""),
        segment(2, false, [7_001, 100], "A", &greeting),
        segment(3, true, [100, next], "A", &request),
    ];
    assert!(refusal(&classic(&tls), 3306).contains("all of its 1 sessions are under TLS"));
}

#[test]
fn a_file_that_was_cut_anywhere_or_damaged_does_no_harm() {
    let mut dice = Dice(5);
    for whole in [classic(&segments(0, 300)), ng(&segments(0, 300))] {
        for _ in 0..500 {
            let mut file = whole[..dice.below(whole.len())].to_vec();
            for _ in 0..dice.below(4) {
                if let Some(at) = file.len().checked_sub(1) {
                    file[dice.below(at + 1)] = dice.next() as u8;
                }
            }
            if let Ok(packets) = Packets::new(&file[..], 3306) {
                packets.for_each(drop);
            }
        }
    }
}
