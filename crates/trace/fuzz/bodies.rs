//! What each fuzz target does with its bytes: a body passes when it returns. Whatever the bytes, a reader gives items,
//! tells what is lost, or says what the file is not; and items that were read can be masked, written and read again.

use model::Nanos;
use trace::conversation::Conversation;
use trace::packets::Packets;
use trace::slow_log::SlowLog;
use trace::sql::digest::digest_in;
use trace::sql::{literal, secrets, token::Dialect};
use trace::{Item, Mask, Reader, SessionId, Sieve, Writer};

/// One conversation: the first byte says how it begins, then pieces of a side each, behind two bytes of who and how
/// long.
pub fn conversation(data: &[u8]) {
    let Some((flags, mut rest)) = data.split_first() else { return };
    let session = SessionId(1);
    let mut conversation =
        if flags & 1 == 0 { Conversation::new(session, "h") } else { Conversation::joined(session, "h") };
    let (mut items, mut at) = (Vec::new(), 0);
    while let Some(([who, long], after)) = rest.split_first_chunk() {
        let long = usize::from(u16::from_le_bytes([*long, who >> 2]));
        let (piece, after) = after.split_at(long.min(after.len()));
        (rest, at) = (after, at + 1);
        let heard = match who & 3 {
            0 => conversation.server(Nanos(at), piece, &mut items),
            3 => {
                conversation.gap(Nanos(at), "bytes are missing", &mut items);
                Ok(())
            }
            _ => conversation.client(Nanos(at), piece, &mut items),
        };
        if heard.is_err() {
            break;
        }
    }
    conversation.close(Nanos(at), &mut items);
    again(items);
}

pub fn packets(data: &[u8]) {
    if let Ok(packets) = Packets::new(data, 3306) {
        again(packets.map_while(Result::ok).collect());
    }
}

pub fn slow_log(data: &[u8]) {
    again(SlowLog::new(data).map_while(Result::ok).collect());
}

/// The inside of a block of a trace, which no sum protects here; and the same bytes as a whole file.
pub fn statements(data: &[u8]) {
    let read = |file: &[u8]| Reader::new(file).ok().map(|all| all.map_while(Result::ok).collect::<Vec<Item>>());
    read(data);
    let Some((count, body)) = data.split_first() else { return };
    let packed = zstd::bulk::compress(body, 1).expect("a vector takes what it is given");
    let counts = [packed.len() as u32, body.len() as u32, u32::from(*count)].map(u32::to_le_bytes).concat();
    let sum = xxhash_rust::xxh3::xxh3_64(&[&counts[..], &packed].concat());
    let head = [&b"assay-trace\n"[..], &trace::VERSION.to_le_bytes(), &[0xF5, 0xA7, 0x8B, 0xC1], &counts].concat();
    let file = [&head[..], &sum.to_le_bytes(), &packed].concat();
    again(read(&file).expect("it has a trace's head"));
}

/// Whatever is made of a statement's text: its digest in every dialect, without its passwords, masked, written out.
pub fn digest(data: &[u8]) {
    for quoting in 0..4 {
        let dialect = Dialect { ansi_quotes: quoting & 1 == 1, no_backslash_escapes: quoting & 2 == 2 };
        digest_in(data, dialect);
    }
    let hidden = secrets::hidden(data);
    secrets::parameters(data);
    let masked = mask().sql(&hidden);
    let mut literals = Vec::new();
    literal::quote(&mut literals, &masked);
    digest_in(&literals, Dialect::default());
}

fn mask() -> Mask {
    Mask::new(b"a key of sixteen bytes and more").expect("it is long enough")
}

/// What was read is masked, written, and is then what is read.
fn again(items: Vec<Item>) {
    let sieve = Sieve::new(Some(mask()));
    let items: Vec<Item> = items.into_iter().map(|item| sieve.item(item)).collect();
    let mut writer = Writer::new(Vec::new()).expect("a vector takes what it is given");
    for item in items.clone() {
        match item {
            Item::Statement(statement) => writer.statement(statement),
            Item::Lost(lost) => writer.lost(lost),
        }
        .expect("a vector takes what it is given");
    }
    let (file, _) = writer.finish().expect("a vector takes what it is given");
    let read: Vec<Item> = Reader::new(&file[..]).expect("it has a head").map_while(Result::ok).collect();
    // A NaN among its values is not equal to itself.
    assert!(read == items || format!("{read:?}") == format!("{items:?}"), "{read:?}\n{items:?}");
}
