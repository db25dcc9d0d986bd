//! MongoDB's protocol as its servers and those that imitate them speak it since 3.6: a message (OP_MSG) is a header and
//! one BSON document, a command one way and its reply the other.
//!
//! Requests are appended to a buffer; a reply lies where it arrived and is read field by field. The codec is our own:
//! the `bson` crate builds a map of owned values for each document, and brings a dozen crates to do it. Not here: the
//! opcodes before OP_MSG, compression, documents that follow the first section (the loader sends arrays instead), and
//! messages without an answer.

pub mod login;
mod read;
mod write;

pub use crate::reader::Malformed;
pub use read::{Document, Fields, Value};
pub use write::{Name, Writer};

/// The opcode.
const OP_MSG: i32 = 2013;
/// Length, number, number of what is answered, opcode; flags.
const HEADER_BYTES: usize = 20;
/// A checksum follows the sections.
const CHECKSUM_PRESENT: u32 = 1;
const CHECKSUM_BYTES: usize = 4;
/// The most that servers send, as `maxMessageSizeBytes` says.
const MOST_BYTES: usize = 48_000_000;

/// Appends one request.
#[inline]
pub fn request(out: &mut Vec<u8>, number: i32, command: impl FnOnce(&mut Writer<'_>)) {
    let begin = out.len();
    for word in [0, number, 0, OP_MSG, 0] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    // The one section: a document.
    out.push(0);
    let mut writer = Writer::new(out);
    command(&mut writer);
    writer.end();
    let length = i32::try_from(out.len() - begin).expect("a command is far below two gigabytes");
    out[begin..begin + 4].copy_from_slice(&length.to_le_bytes());
}

/// A reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard<'a> {
    /// The number of the request.
    pub answers: i32,
    pub body: Document<'a>,
    /// Bytes that it took.
    pub consumed: usize,
}

/// The next reply; `None` when more bytes must come.
#[inline]
pub fn hear(bytes: &[u8]) -> Result<Option<Heard<'_>>, Malformed> {
    let Some(length) = word(bytes, 0) else { return Ok(None) };
    let length = usize::try_from(length).map_err(|_| Malformed("a message of negative length"))?;
    if !(HEADER_BYTES + 1..=MOST_BYTES).contains(&length) {
        return Err(Malformed("a message of a length that none has"));
    }
    let Some(message) = bytes.get(..length) else { return Ok(None) };
    let number = |place| word(message, place).expect("a message has a header");
    if number(3) != OP_MSG {
        return Err(Malformed("an answer of another opcode than OP_MSG"));
    }
    let checksum = if number(4) as u32 & CHECKSUM_PRESENT == 0 { 0 } else { CHECKSUM_BYTES };
    let sections = message[HEADER_BYTES..].len().checked_sub(checksum).map(|end| &message[HEADER_BYTES..][..end]);
    let Some([0, document @ ..]) = sections else {
        return Err(Malformed("an answer that does not begin with its document"));
    };
    Ok(Some(Heard { answers: number(2), body: Document::parse(document)?, consumed: length }))
}

/// One of the numbers that a message or a document begins with.
#[inline]
fn word(bytes: &[u8], place: usize) -> Option<i32> {
    let bytes = bytes.get(4 * place..4 * place + 4)?;
    Some(i32::from_le_bytes(bytes.try_into().expect("four bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("digits");
        digits.chunks(2).map(byte).collect()
    }

    #[test]
    fn documents_are_the_bytes_of_the_specification() {
        let mut hello = Vec::new();
        let mut writer = Writer::new(&mut hello);
        writer.text("hello", "world");
        writer.end();
        assert_eq!(hello, hex("16000000 02 68656c6c6f00 06000000 776f726c6400 00"));

        let mut nested = Vec::new();
        let mut writer = Writer::new(&mut nested);
        let mut array = writer.array("BSON");
        array.text(0, "awesome");
        array.double(1, 5.05);
        array.int32(2, 1986);
        array.end();
        writer.end();
        let golden = "31000000 04 42534f4e00 26000000 02 3000 08000000 617765736f6d6500
                      01 3100 3333333333331440 10 3200 c2070000 00 00";
        assert_eq!(nested, hex(golden));
        let document = Document::parse(&nested).unwrap();
        let Ok(Some(Value::Array(array))) = document.get("BSON") else { panic!("an array") };
        let values: Vec<_> = array.fields().map(|field| field.unwrap().1).collect();
        assert_eq!(values, [Value::Text("awesome"), Value::Double(5.05), Value::Int32(1986)]);
    }

    #[test]
    fn a_message_is_heard_with_its_last_byte_and_not_before() {
        let mut out = b"before".to_vec();
        request(&mut out, 7, |command| {
            command.int32("ping", 1);
            command.bytes("id", &[1, 2, 3]);
            command.int64("n", -5);
            command.boolean("new", false);
            command.text("$db", "linkdb");
        });
        let mut reply = out.split_off(6);
        let golden = "51000000 07000000 00000000 dd070000 00000000 00 3c000000 10 70696e6700 01000000
                      05 696400 03000000 00 010203 12 6e00 fbffffffffffffff 08 6e657700 00
                      02 24646200 07000000 6c696e6b646200 00";
        assert_eq!(reply, hex(golden));
        for end in 0..reply.len() {
            assert_eq!(hear(&reply[..end]), Ok(None));
        }
        reply[8] = 7;
        let heard = hear(&reply).unwrap().unwrap();
        assert_eq!((heard.answers, heard.consumed), (7, reply.len()));
        assert_eq!(heard.body.get("n"), Ok(Some(Value::Int64(-5))));
        assert_eq!(heard.body.get("id"), Ok(Some(Value::Bytes(&[1, 2, 3]))));
        assert_eq!(heard.body.get("absent"), Ok(None));
    }

    #[test]
    fn what_no_server_sends_is_malformed() {
        let mut message = Vec::new();
        request(&mut message, 1, |command| command.text("a", "b"));
        let with = |at: usize, byte: u8| {
            let mut bytes = message.clone();
            bytes[at] = byte;
            hear(&bytes).map(|heard| heard.map(|h| h.body.fields().all(|field| field.is_ok())))
        };
        assert_eq!(with(0, message.len() as u8), Ok(Some(true)));
        // A length without a header, another opcode, another section, a document longer than its message.
        assert!(with(0, 3).is_err() && with(3, 0x7f).is_err());
        assert!(with(12, 1).is_err() && with(20, 1).is_err() && with(21, 99).is_err());
        // A text whose length is not its own.
        assert_eq!(with(28, 9), Ok(Some(false)));
    }
}
