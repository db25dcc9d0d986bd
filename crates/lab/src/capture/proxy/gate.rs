//! Hot path: which commands of a client pass. It follows the client's packets by their lengths, looks at the first
//! bytes of each command, and stops those that a trace cannot hold: replication, and local files.

use trace::sql::token::{Dialect, tokens};
use wire::mysql::packet::{HEADER_BYTES, MAX_PAYLOAD};

/// So much of a command is looked at.
const LOOKED_AT: usize = 96;

#[derive(Default)]
pub struct Gate {
    /// Bytes of the packet that are still to come.
    left: usize,
    /// The packet that ended was a full one, so the next goes on with the same command.
    continues: bool,
    /// The command that is passing was refused: its bytes are swallowed.
    swallows: bool,
    /// The beginning of a command, where it came in pieces.
    held: Vec<u8>,
}

/// What a client asked that does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Replication,
    LocalFile,
}

impl Refused {
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Replication => {
                "assay's capturing proxy does not pass replication: connect replicas to the server itself"
            }
            Self::LocalFile => {
                "assay's capturing proxy does not pass LOAD DATA LOCAL INFILE: load from the server's own files, or \
                 connect to the server itself"
            }
        }
    }
}

impl Gate {
    /// Appends to `out` what of the client's bytes passes; what was refused.
    #[inline]
    pub fn pass(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Option<Refused> {
        let mut refused = None;
        while !bytes.is_empty() {
            if self.left > 0 {
                let (now, rest) = bytes.split_at(self.left.min(bytes.len()));
                if !self.swallows {
                    out.extend_from_slice(now);
                }
                self.left -= now.len();
                bytes = rest;
                continue;
            }
            // The head of a packet, and of a command as much as decides.
            let wanted = self.wanted();
            let (now, rest) = bytes.split_at(wanted.saturating_sub(self.held.len()).min(bytes.len()));
            self.held.extend_from_slice(now);
            bytes = rest;
            if self.held.len() < self.wanted() {
                continue;
            }
            refused = self.begin(out).or(refused);
        }
        refused
    }

    /// Bytes of a packet that must be there before it may pass.
    fn wanted(&self) -> usize {
        match self.held.first_chunk::<HEADER_BYTES>() {
            Some([a, b, c, _]) if !self.continues => {
                HEADER_BYTES + (u32::from_le_bytes([*a, *b, *c, 0]) as usize).min(LOOKED_AT)
            }
            Some(_) | None => HEADER_BYTES,
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) -> Option<Refused> {
        let [a, b, c, sequence] = *self.held.first_chunk::<HEADER_BYTES>().expect("that much is wanted");
        let long = u32::from_le_bytes([a, b, c, 0]) as usize;
        let seen = self.held.len() - HEADER_BYTES;
        let is_command = !self.continues && sequence == 0;
        let refused = if is_command { refused(&self.held[HEADER_BYTES..]) } else { None };
        if !self.continues {
            self.swallows = refused.is_some();
        }
        if !self.swallows {
            out.extend_from_slice(&self.held);
        }
        self.held.clear();
        self.left = long - seen;
        self.continues = long == MAX_PAYLOAD;
        refused
    }
}

fn refused(command: &[u8]) -> Option<Refused> {
    match command.split_first()? {
        // COM_BINLOG_DUMP, COM_TABLE_DUMP, COM_REGISTER_SLAVE, COM_BINLOG_DUMP_GTID.
        (0x12 | 0x13 | 0x15 | 0x1E, _) => Some(Refused::Replication),
        (0x03, text) if text.iter().any(|byte| byte.eq_ignore_ascii_case(&b'l')) => {
            let mut words = tokens(text, Dialect::default());
            let loads = words.next().is_some_and(|word| word.is("LOAD"));
            (loads && words.take(4).any(|word| word.is("LOCAL"))).then_some(Refused::LocalFile)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
        let [a, b, c, _] = (payload.len() as u32).to_le_bytes();
        [&[a, b, c, sequence], payload].concat()
    }

    #[test]
    fn commands_pass_as_they_are_and_refused_ones_do_not_however_they_arrive() {
        let all = [
            packet(0, b"\x03SELECT 'load local'"),
            packet(0, b"\x03LOAD DATA /* c */ LOCAL INFILE 'x' INTO TABLE t"),
            packet(0, &[&b"\x03SELECT "[..], &[b'1'; 300]].concat()),
            packet(0, b"\x12\0\0\0\0"),
            packet(3, b"\x12 not a command"),
            packet(0, b"\x01"),
        ];
        let passing = [&all[0][..], &all[2], &all[4], &all[5]].concat();
        for step in 1..60 {
            let (mut gate, mut out, mut refused) = (Gate::default(), Vec::new(), Vec::new());
            for piece in all.concat().chunks(step) {
                refused.extend(gate.pass(piece, &mut out));
            }
            assert_eq!(out, passing, "in pieces of {step}");
            assert_eq!(refused, [Refused::LocalFile, Refused::Replication]);
        }
    }
}
