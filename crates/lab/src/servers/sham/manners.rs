//! How the sham misbehaves, each way one that real servers and networks have: what is said at the start holds until it
//! ends, so that a test knows how often it happened. What it heard is counted, so that a client's words can be held
//! against it.

use rustix::net::{SendFlags, send};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use wire::mysql::err::ErrPacket;
use wire::mysql::{Capabilities, packet, server::Answer};

/// Well behaved unless something is said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manners {
    /// Who comes while so many are connected is refused with error 1040.
    pub room: Option<usize>,
    pub greeting: Option<Greets>,
    /// At every so many-th execute, over all sessions, this instead of the answer.
    pub misdeed: Option<(u64, Misdeed)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greets {
    /// Takes connections and says nothing.
    Nobody,
    /// Hangs up on everybody who comes after so many.
    First(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misdeed {
    /// Refuses with this error.
    Refuse(u16),
    /// The columns and the row, and then this error in place of the end.
    RefuseMidway(u16),
    /// Half of the answer, and the end of the connection.
    HangUpMidway,
    /// An answer whose column count is no number.
    Garble,
    /// No answer, ever; the connection stays.
    KeepSilent,
}

/// What the sham heard, over all sessions; executes where it has a misdeed in mind.
#[derive(Debug, Default)]
pub struct Heard {
    pub connects: AtomicU64,
    pub goodbyes: AtomicU64,
    pub prepares: AtomicU64,
    pub executes: AtomicU64,
    pub rollbacks: AtomicU64,
}

impl Heard {
    pub(super) fn one(counter: &AtomicU64) -> u64 {
        counter.fetch_add(1, SeqCst) + 1
    }
}

impl Misdeed {
    /// Does it instead of sending the answer `canned`. An error is the end of the connection.
    pub(super) fn act(self, socket: &OwnedFd, canned: &[u8], capabilities: Capabilities) -> io::Result<()> {
        let say = |bytes: &[u8]| send(socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT).map(|_| ());
        let refusal = |sequence, number| {
            let mut out = Vec::new();
            Answer::new(&mut out, capabilities, sequence).err(&ErrPacket {
                number,
                sqlstate: *b"HY000",
                message: b"the sham misbehaves",
            });
            out
        };
        match self {
            Self::Refuse(number) => say(&refusal(1, number))?,
            Self::RefuseMidway(number) => {
                let (end, sequence) = last_packet(canned);
                say(&[&canned[..end], &refusal(sequence, number)].concat())?;
            }
            Self::HangUpMidway => {
                say(&canned[..canned.len() / 2])?;
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            Self::Garble => {
                let mut out = Vec::new();
                // 0xFF opens an error, which has a number behind it; this one has nothing.
                packet::write(&mut out, 1, |out| out.push(0xFF));
                say(&out)?;
            }
            Self::KeepSilent => {}
        }
        Ok(())
    }
}

/// Where the last packet of an answer begins, and its sequence number.
fn last_packet(answer: &[u8]) -> (usize, u8) {
    let mut rest = answer;
    let mut last = (0, 1);
    while let Ok((packet, after)) = packet::split(rest) {
        last = (answer.len() - rest.len(), packet.sequence);
        rest = after;
    }
    last
}
