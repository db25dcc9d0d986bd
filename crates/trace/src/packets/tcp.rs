//! One direction of a TCP connection put into its order again: what came twice is cut, what came early waits, and what
//! the other side acknowledged without its having been captured is missing.

use std::collections::BTreeMap;

/// Bytes that may wait for one that is missing; beyond, it is given up.
const MOST_WAITING: usize = 4 << 20;

#[derive(Debug, Default)]
pub struct Stream {
    /// The number of the next byte; not known before the first segment.
    next: Option<u32>,
    waiting: BTreeMap<u32, Vec<u8>>,
    held: usize,
}

/// What a segment made readable.
#[derive(Debug, PartialEq, Eq)]
pub enum Readable {
    Bytes(Vec<u8>),
    /// So many bytes were never captured.
    Missing(u32),
}

/// How far `to` is ahead of `from`; negative where it is behind. Numbers wrap.
fn ahead(from: u32, to: u32) -> i32 {
    to.wrapping_sub(from).cast_signed()
}

impl Stream {
    /// The handshake's SYN: data begin behind it.
    pub fn begin(&mut self, sequence: u32) {
        *self = Self { next: Some(sequence.wrapping_add(1)), ..Self::default() };
    }

    /// A segment that was captured: whatever it makes readable.
    pub fn segment(&mut self, sequence: u32, bytes: &[u8], out: &mut Vec<Readable>) {
        if bytes.is_empty() {
            return;
        }
        let next = *self.next.get_or_insert(sequence);
        let distance = ahead(next, sequence);
        if distance > 0 {
            self.held += bytes.len();
            let replaced = self.waiting.insert(sequence, bytes.to_vec());
            self.held -= replaced.map_or(0, |bytes| bytes.len());
            if self.held > MOST_WAITING {
                self.skip(out);
            }
            return;
        }
        self.take(distance.unsigned_abs() as usize, bytes, out);
        self.waiting_now(out);
    }

    /// The other side has everything before this byte.
    pub fn acknowledged(&mut self, until: u32, out: &mut Vec<Readable>) {
        while let Some(next) = self.next
            && ahead(next, until) > 0
        {
            match self.first_waiting() {
                Some(sequence) if ahead(sequence, until) > 0 => self.skip(out),
                Some(_) | None => {
                    out.push(Readable::Missing(until.wrapping_sub(next)));
                    self.next = Some(until);
                    self.waiting_now(out);
                }
            }
        }
    }

    /// Gives up what is missing before the first bytes that wait.
    fn skip(&mut self, out: &mut Vec<Readable>) {
        if let (Some(next), Some(sequence)) = (self.next, self.first_waiting()) {
            out.push(Readable::Missing(sequence.wrapping_sub(next)));
            self.next = Some(sequence);
            self.waiting_now(out);
        }
    }

    /// The nearest that waits, numbers wrapping.
    fn first_waiting(&self) -> Option<u32> {
        let next = self.next?;
        self.waiting.keys().copied().min_by_key(|sequence| sequence.wrapping_sub(next))
    }

    fn waiting_now(&mut self, out: &mut Vec<Readable>) {
        while let (Some(next), Some(sequence)) = (self.next, self.first_early_or_due()) {
            let bytes = self.waiting.remove(&sequence).expect("it waits");
            self.held -= bytes.len();
            self.take(ahead(next, sequence).min(0).unsigned_abs() as usize, &bytes, out);
        }
    }

    /// A waiting segment that begins no later than the next byte.
    fn first_early_or_due(&self) -> Option<u32> {
        let next = self.next?;
        self.waiting.keys().copied().find(|sequence| ahead(next, *sequence) <= 0)
    }

    /// Takes a segment whose first `known` bytes were there already.
    fn take(&mut self, known: usize, bytes: &[u8], out: &mut Vec<Readable>) {
        if let Some(new) = bytes.get(known..).filter(|new| !new.is_empty()) {
            out.push(Readable::Bytes(new.to_vec()));
            self.next = self.next.map(|next| next.wrapping_add(new.len() as u32));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(stream: &mut Stream, segments: &[(u32, &[u8])]) -> Vec<Readable> {
        let mut out = Vec::new();
        segments.iter().for_each(|(sequence, bytes)| stream.segment(*sequence, bytes, &mut out));
        out
    }

    fn text(out: &[Readable]) -> String {
        let one = |readable: &Readable| match readable {
            Readable::Bytes(bytes) => String::from_utf8(bytes.clone()).unwrap(),
            Readable::Missing(bytes) => format!("[{bytes}]"),
        };
        out.iter().map(one).collect()
    }

    #[test]
    fn segments_come_in_their_order_and_once_wherever_the_numbers_wrap() {
        for begin in [0_u32, 7, u32::MAX - 4, u32::MAX] {
            let mut stream = Stream::default();
            stream.begin(begin.wrapping_sub(1));
            let at = |n: u32| begin.wrapping_add(n);
            let out = read(
                &mut stream,
                &[(at(0), b"ab"), (at(4), b"ef"), (at(0), b"abc"), (at(2), b"cd"), (at(3), b"defg"), (at(0), b"a")],
            );
            assert_eq!(text(&out), "abcdefg", "from {begin}");
            assert!(stream.waiting.is_empty() && stream.held == 0);
        }
    }

    #[test]
    fn what_was_acknowledged_and_not_captured_is_missing() {
        let mut stream = Stream::default();
        let mut out = read(&mut stream, &[(10, b"ab"), (15, b"fg")]);
        stream.acknowledged(12, &mut out);
        assert_eq!(text(&out), "ab");
        stream.acknowledged(17, &mut out);
        assert_eq!(text(&out), "ab[3]fg");
        stream.acknowledged(20, &mut out);
        assert_eq!(text(&out), "ab[3]fg[3]");
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut stream = Stream::default();
        let block = vec![b'x'; 1 << 16];
        let mut out = read(&mut stream, &[(0, b"a")]);
        for n in 0..200 {
            stream.segment(10 + n * (1 << 16), &block, &mut out);
            assert!(stream.held <= MOST_WAITING + block.len());
        }
        assert!(out.contains(&Readable::Missing(9)));
    }
}
