//! Conversations that were recorded between clients and real servers, overheard: what the trace says of each answer is
//! what the session's own parser says, however the bytes arrive and wherever it is joined.

#[path = "../../wire/tests/recorded/mod.rs"]
mod recorded;

use model::Nanos;
use recorded::{Dice, Exchange, Turn, dialects, exchanges};
use trace::conversation::{Conversation, Deafness};
use trace::{Ask, Item, SessionId, Statement};
use wire::mysql::{Capabilities, Reply, Step, Summary};

/// What is heard of these exchanges, in pieces of the sizes that `piece` gives.
fn heard(mut conversation: Conversation, exchanges: &[Exchange], mut piece: impl FnMut() -> usize) -> Vec<Statement> {
    let (mut out, mut at) = (Vec::new(), 0);
    for turn in exchanges.iter().flat_map(|exchange| &exchange.turns) {
        let (Turn::Client(bytes) | Turn::Server(bytes)) = turn;
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let (now, after) = rest.split_at(piece().clamp(1, rest.len()));
            (rest, at) = (after, at + 1);
            match turn {
                Turn::Client(_) => conversation.client(Nanos(at), now, &mut out).unwrap(),
                Turn::Server(_) => conversation.server(Nanos(at), now, &mut out).unwrap(),
            }
        }
    }
    let one = |item| if let Item::Statement(statement) = item { statement } else { panic!("{item:?}") };
    out.into_iter().map(one).collect()
}

/// What the session's own parser makes of the reply: its summary, and the number of the error it ended in.
fn oracle(exchange: &Exchange, capabilities: Capabilities) -> (Summary, u16) {
    let mut reply = Reply::new(capabilities);
    reply.begin(exchange.asked(), 1);
    let received = exchange.received();
    let mut rest = &received[..];
    loop {
        match reply.feed(rest, &mut ()).unwrap() {
            Step::Done { summary, .. } => return (summary, 0),
            Step::Failed { summary, error, .. } => return (summary, error.number),
            Step::LocalInfile { consumed, .. } => rest = &rest[consumed..],
            Step::Incomplete { .. } => panic!("{} does not end", exchange.name),
        }
    }
}

fn timeless(mut all: Vec<Statement>) -> Vec<Statement> {
    all.iter_mut().for_each(|statement| (statement.start, statement.took) = (Nanos(0), None));
    all
}

#[test]
fn answers_are_what_the_sessions_own_parser_says() {
    for (file, capabilities) in dialects() {
        let all = exchanges(file);
        let found = heard(Conversation::new(SessionId(1), "here"), &all, || usize::MAX);
        assert_eq!(found[0].ask, Ask::Connect { collation: 45 }, "{file}");
        let places: Vec<u64> = found.iter().map(|statement| statement.order).collect();
        assert_eq!(places, (0..found.len() as u64).collect::<Vec<_>>());
        let mut answered = found.iter().skip(1).filter(|statement| statement.answer.error.is_some());
        for exchange in all.iter().skip(1).filter(|exchange| !exchange.received().is_empty()) {
            let Some(statement) = answered.next() else { panic!("{file}: {} was not heard", exchange.name) };
            let (summary, error) = oracle(exchange, capabilities);
            let answer = &statement.answer;
            assert_eq!(answer.error, Some(error), "{file}: {}", exchange.name);
            assert_eq!(answer.rows, Some(summary.rows), "{file}: {}", exchange.name);
            if error == 0 {
                assert_eq!(answer.affected.unwrap_or(0), summary.affected, "{file}: {}", exchange.name);
                assert_eq!(answer.warnings, Some(summary.warnings), "{file}: {}", exchange.name);
                assert_eq!(answer.sums.is_some(), answer.result_sets > Some(0), "{file}: {}", exchange.name);
            }
            let begins = |name: &str| exchange.name.starts_with(name);
            if begins("prepare_") {
                assert!(matches!(statement.ask, Ask::Prepare { .. }), "{file}: {} is {statement:?}", exchange.name);
            }
            if begins("execute_") {
                let Ask::Execute(execute) = &statement.ask else { panic!("{}: {statement:?}", exchange.name) };
                let is_known = exchange.name != "execute_unknown_statement";
                assert_eq!(execute.text.is_some(), is_known, "{file}: {}: its values are read", exchange.name);
            }
        }
        assert!(answered.next().is_none(), "{file}: more was heard than was said");
    }
}

#[test]
fn pieces_of_any_size_say_the_same() {
    let mut dice = Dice(24);
    for (file, _) in dialects() {
        let all = exchanges(file);
        let whole = timeless(heard(Conversation::new(SessionId(1), ""), &all, || usize::MAX));
        for largest in [1, 3, 50, 5_000] {
            let found = heard(Conversation::new(SessionId(1), ""), &all, || 1 + dice.below(largest));
            assert_eq!(timeless(found), whole, "{file} in pieces of at most {largest}");
        }
    }
}

#[test]
fn a_conversation_that_is_joined_is_heard_from_its_next_command_on() {
    for (file, _) in dialects() {
        let all = exchanges(file);
        let whole = timeless(heard(Conversation::new(SessionId(1), ""), &all, || usize::MAX));
        for from in 1..all.len() {
            let found = timeless(heard(Conversation::joined(SessionId(1), ""), &all[from..], || usize::MAX));
            let answers = |all: &[Statement]| all.iter().map(|s| s.answer.clone()).collect::<Vec<_>>();
            let tail = &whole[whole.len() - found.len()..];
            assert_eq!(answers(&found), answers(tail), "{file} from {}", all[from].name);
        }
    }
}

#[test]
fn tls_is_told_and_nothing_is_guessed() {
    let all = exchanges("mariadb-10.11.19/modern");
    let greeting = all[0].turns.iter().find_map(|turn| if let Turn::Server(bytes) = turn { Some(bytes) } else { None });
    let mut conversation = Conversation::new(SessionId(1), "");
    let mut out = Vec::new();
    conversation.server(Nanos(1), greeting.unwrap(), &mut out).unwrap();
    let request = [&[32, 0, 0, 1, 0, 0x08, 0, 0][..], &[0; 28]].concat();
    assert_eq!(conversation.client(Nanos(2), &request, &mut out), Err(Deafness::Tls));
    conversation.client(Nanos(3), b"\x16\x03\x01 whatever", &mut out).unwrap();
    conversation.close(Nanos(4), &mut out);
    assert!(out.is_empty(), "{out:?}");
}

#[test]
fn no_bytes_are_too_strange() {
    let mut dice = Dice(7);
    let all: Vec<Vec<u8>> =
        dialects().flat_map(|(file, _)| exchanges(file)).flat_map(|e| [e.sent(), e.received()]).collect();
    for round in 0..2_000 {
        let mut conversation =
            if round % 2 == 0 { Conversation::new(SessionId(1), "") } else { Conversation::joined(SessionId(1), "") };
        let mut out = Vec::new();
        for at in 0..6 {
            let mut bytes = all[dice.below(all.len())].clone();
            if !bytes.is_empty() {
                let place = dice.below(bytes.len());
                bytes[place] = dice.next() as u8;
                bytes.truncate(1 + dice.below(bytes.len()));
            }
            let heard = match dice.below(3) {
                0 => conversation.server(Nanos(at), &bytes, &mut out),
                _ => conversation.client(Nanos(at), &bytes, &mut out),
            };
            let _ = heard;
            if dice.below(9) == 0 {
                conversation.gap(Nanos(at), "a hole", &mut out);
            }
        }
        conversation.close(Nanos(9), &mut out);
    }
}
