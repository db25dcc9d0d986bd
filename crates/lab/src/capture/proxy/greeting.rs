//! What a proxy changes of a login, and nothing else: capabilities that would hide what follows (compression), that it
//! refuses (local files), or that each side has for itself (TLS). They stand at fixed places of the greeting and of the
//! client's answer, and only their bits are changed, so that every dialect passes.

use wire::mysql::Capabilities;
use wire::mysql::packet::HEADER_BYTES;

/// Compression by zstd (MySQL 8).
const ZSTD: u32 = 1 << 26;
/// Attributes before each statement (MySQL 8): a proxy may not offer what it would have to take out again.
const ATTRIBUTES: u32 = 1 << 27;
const SSL: u32 = Capabilities::SSL.0 as u32;
const WITHHELD: u32 = Capabilities::COMPRESS.0 as u32 | Capabilities::LOCAL_FILES.0 as u32 | ZSTD | ATTRIBUTES;

/// Whether a greeting (a whole packet) offers TLS; what it offers is changed to what the proxy does.
pub fn change_greeting(packet: &mut [u8], offers_tls: bool) -> Option<bool> {
    // Behind the version: connection, first half of the scramble, zero, then the low half; six bytes on, the high one.
    let version = packet.get(HEADER_BYTES + 1..)?.iter().position(|byte| *byte == 0)?;
    let low = HEADER_BYTES + 1 + version + 1 + 4 + 8 + 1;
    let high = low + 5;
    if packet[HEADER_BYTES] != 10 || packet.len() < high + 2 {
        return None;
    }
    let bits = u32::from_le_bytes([packet[low], packet[low + 1], packet[high], packet[high + 1]]);
    let changed = bits & !WITHHELD & !SSL | if offers_tls { SSL } else { 0 };
    let [a, b, c, d] = changed.to_le_bytes();
    (packet[low], packet[low + 1], packet[high], packet[high + 1]) = (a, b, c, d);
    Some(bits & SSL != 0)
}

/// Whether a client's packet asks for TLS before it says who it is.
pub fn asks_for_tls(packet: &[u8]) -> bool {
    bits(packet).is_some_and(|bits| bits & SSL != 0) && packet.len() <= HEADER_BYTES + 32
}

/// Changes a client's answer to the greeting: what the proxy does not let through, and whether its way to the server is
/// encrypted.
pub fn change_answer(packet: &mut [u8], is_encrypted: bool) {
    if let Some(bits) = bits(packet) {
        let changed = bits & !WITHHELD & !SSL | if is_encrypted { SSL } else { 0 };
        packet[HEADER_BYTES..HEADER_BYTES + 4].copy_from_slice(&changed.to_le_bytes());
    }
}

/// The request for TLS that goes before an answer: its first 32 bytes.
pub fn request_for_tls(answer: &[u8], sequence: u8) -> Option<Vec<u8>> {
    let mut request = answer.get(..HEADER_BYTES + 32)?.to_vec();
    request[..HEADER_BYTES].copy_from_slice(&[32, 0, 0, sequence]);
    Some(request)
}

fn bits(packet: &[u8]) -> Option<u32> {
    let bytes = packet.get(HEADER_BYTES..HEADER_BYTES + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
}
