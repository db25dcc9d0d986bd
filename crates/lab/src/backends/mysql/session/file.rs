//! A local file as the request that it is sent as: packets that every server takes, and an empty one behind them. It is
//! framed where it lies: a second copy of eight megabytes for each loader was most of the memory that this program ever
//! had.

use wire::mysql::packet::{self, HEADER_BYTES};

/// Packets of a file: under the smallest packet limit of a server.
const PACKET_BYTES: usize = 1 << 20;

/// The packets, and the sequence number that the answer starts with.
pub(crate) fn framed(mut file: Vec<u8>, sequence: u8) -> (Vec<u8>, u8) {
    let length = file.len();
    let parts = length.div_ceil(PACKET_BYTES);
    let numbered = |part: usize| sequence.wrapping_add(part as u8);
    file.resize(length + (parts + 1) * HEADER_BYTES, 0);
    // From the last to the first: each moves behind all headers up to its own, into what the next one has left.
    for part in (0..parts).rev() {
        let (from, to) = (part * PACKET_BYTES, length.min((part + 1) * PACKET_BYTES));
        let head = from + part * HEADER_BYTES;
        file.copy_within(from..to, head + HEADER_BYTES);
        file[head..head + HEADER_BYTES].copy_from_slice(&packet::header(to - from, numbered(part)));
    }
    let end = length + parts * HEADER_BYTES;
    file[end..].copy_from_slice(&packet::header(0, numbered(parts)));
    (file, numbered(parts + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_framed_as_packets_written_one_by_one() {
        for length in [0, 1, PACKET_BYTES - 1, PACKET_BYTES, PACKET_BYTES + 1, 3 * PACKET_BYTES + 7] {
            let file: Vec<u8> = (0..length).map(|n| (n * 31 % 251) as u8).collect();
            let (mut written, mut sequence) = (Vec::new(), 254);
            for part in file.chunks(PACKET_BYTES) {
                sequence = packet::write(&mut written, sequence, |out| out.extend_from_slice(part));
            }
            sequence = packet::write(&mut written, sequence, |_| {});
            assert!(framed(file, 254) == (written, sequence), "{length} bytes");
        }
    }
}
