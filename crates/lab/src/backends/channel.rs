//! Hot path: one conversation's bytes on a line, in the clear or under TLS: write into `outgoing`, exchange, read and
//! consume `incoming`, as on the line itself. TLS is a machine between the session's bytes and the line's, so both ways
//! of talking to the kernel carry it unchanged. In the clear nothing is allocated; under TLS the cipher's library
//! allocates once per record that is sent and once per record that is received, and frees it before the next.

use super::tls::{Tls, machine};
use crate::executor::Line;
use crate::executor::near::Part;
use model::units::Nanos;
use rustls::client::UnbufferedClientConnection;
use rustls::unbuffered::{ConnectionState, UnbufferedStatus};
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use workload::user::Memory;

/// Plain bytes in one record (RFC 8446, 5.1).
const RECORD_BYTES: usize = 1 << 14;
/// What a record adds to them: header, and for TLS 1.2 a nonce, a tag, and room to be wrong.
const RECORD_OVERHEAD_BYTES: usize = 64;
/// Plain bytes that were emptied keep so much room; one long answer does not stay in the memory of ten thousand users.
const KEPT_BYTES: usize = 64 * 1024;

pub struct Channel {
    line: Line,
    veil: Option<Box<Veil>>,
}

/// TLS and the bytes inside it.
struct Veil {
    machine: UnbufferedClientConnection,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// How much of `incoming` was consumed.
    start: usize,
    /// A request was sealed and the line has not yet answered.
    asking: bool,
}

impl Channel {
    pub fn plain(line: Line) -> Self {
        Self { line, veil: None }
    }

    /// See `Line::outgoing`.
    #[inline]
    pub fn outgoing(&mut self) -> &mut Vec<u8> {
        let sealed = self.line.outgoing();
        match &mut self.veil {
            Some(veil) => &mut veil.outgoing,
            None => sealed,
        }
    }

    #[inline]
    pub fn incoming(&self) -> &[u8] {
        match &self.veil {
            Some(veil) => &veil.incoming[veil.start..],
            None => self.line.incoming(),
        }
    }

    #[inline]
    pub fn consume(&mut self, n: usize) {
        match &mut self.veil {
            Some(veil) => veil.consume(n),
            None => self.line.consume(n),
        }
    }

    /// See `Line::poll_exchange`; what it says it received may be of TLS and so be longer than what there is to read.
    #[inline]
    pub fn poll_exchange(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let Some(veil) = &mut self.veil else { return self.line.poll_exchange(cx) };
        if !veil.outgoing.is_empty() {
            veil.seal(self.line.outgoing())?;
            veil.asking = true;
        }
        veil.poll(&mut self.line, cx)
    }

    #[inline]
    pub fn poll_receive(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match &mut self.veil {
            Some(veil) => veil.poll(&mut self.line, cx),
            None => self.line.poll_receive(cx),
        }
    }

    /// See `Line::send_now`; under TLS all goes with the exchange.
    #[inline]
    pub fn send_now(&mut self) {
        if self.veil.is_none() {
            self.line.send_now();
        }
    }

    pub async fn exchange(&mut self) -> io::Result<usize> {
        poll_fn(|cx| self.poll_exchange(cx)).await
    }

    pub async fn receive(&mut self) -> io::Result<usize> {
        poll_fn(|cx| self.poll_receive(cx)).await
    }

    /// See `Line::waits_at_most`.
    pub fn waits_at_most(&self, patience: Duration) {
        self.line.waits_at_most(patience);
    }

    /// See `Line::touches`.
    pub fn touches(&self, part: Part, memory: Memory) {
        self.line.touches(part, memory);
    }

    /// See `Line::moment`.
    #[inline]
    pub fn moment(&self) -> Nanos {
        self.line.moment()
    }

    /// See `Line::moment_of_last_piece`.
    #[inline]
    pub fn moment_of_last_piece(&self) -> Nanos {
        self.line.moment_of_last_piece()
    }

    /// Goes through the handshake with a server of that name: from here on all bytes travel inside TLS. What lies in
    /// `outgoing` is sent before it.
    pub async fn encrypt(&mut self, tls: &Tls, host: &str) -> io::Result<()> {
        let mut veil = Veil {
            machine: machine(tls, host).map_err(io::Error::other)?,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            start: 0,
            asking: false,
        };
        while veil.advance(&mut self.line)? {
            self.line.exchange().await?;
        }
        self.veil = Some(Box::new(veil));
        Ok(())
    }

    /// Version and cipher as they were agreed, `None` in the clear.
    pub fn cipher(&self) -> Option<(String, String)> {
        let machine = &self.veil.as_ref()?.machine;
        let version = machine.protocol_version()?.as_str()?.replace("TLSv1_", "TLSv1.");
        Some((version, machine.negotiated_cipher_suite()?.suite().as_str()?.to_string()))
    }
}

impl Veil {
    fn consume(&mut self, n: usize) {
        self.start += n;
        assert!(self.start <= self.incoming.len(), "what is consumed was read first");
        if self.start == self.incoming.len() {
            self.start = 0;
            self.incoming.clear();
            self.incoming.shrink_to(KEPT_BYTES);
        }
    }

    /// Exchanges until there is something to read.
    #[inline]
    fn poll(&mut self, line: &mut Line, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        loop {
            // Only the first poll of a request sets its deadline.
            let arrived = if self.asking { line.poll_exchange(cx) } else { line.poll_receive(cx) };
            let arrived = ready!(arrived)?;
            self.asking = false;
            let before = self.incoming.len();
            let heard = self.advance(line);
            // Who says why it ends the conversation, and ends it in the same breath, is heard first.
            if self.incoming.len() > before {
                return Poll::Ready(Ok(arrived));
            }
            heard?;
        }
    }

    /// Moves what was written into records of the line.
    fn seal(&mut self, sealed: &mut Vec<u8>) -> io::Result<()> {
        let UnbufferedStatus { state, .. } = self.machine.process_tls_records(&mut []);
        let Ok(ConnectionState::WriteTraffic(mut traffic)) = state else {
            return Err(io::Error::other("TLS has ended"));
        };
        let begin = sealed.len();
        let records = self.outgoing.len() / RECORD_BYTES + 1;
        sealed.resize(begin + self.outgoing.len() + records * RECORD_OVERHEAD_BYTES, 0);
        let written = traffic.encrypt(&self.outgoing, &mut sealed[begin..]).map_err(io::Error::other)?;
        sealed.truncate(begin + written);
        self.outgoing.clear();
        Ok(())
    }

    /// Takes in what has arrived and writes what TLS itself has to say; whether the handshake needs more.
    fn advance(&mut self, line: &mut Line) -> io::Result<bool> {
        // Records of TLS itself, which travel with what is sent next. Let go after the handshake: a record's room for
        // each user was 16 MiB for a thousand.
        let mut answer = Vec::new();
        let mut handshaking = None;
        while handshaking.is_none() {
            let UnbufferedStatus { mut discard, state } = self.machine.process_tls_records(line.incoming_mut());
            match state.map_err(io::Error::other)? {
                ConnectionState::ReadTraffic(mut traffic) => {
                    while let Some(record) = traffic.next_record() {
                        let record = record.map_err(io::Error::other)?;
                        discard += record.discard;
                        self.incoming.extend_from_slice(record.payload);
                    }
                }
                ConnectionState::EncodeTlsData(mut data) => {
                    let begin = answer.len();
                    answer.resize(begin + RECORD_BYTES + RECORD_OVERHEAD_BYTES, 0);
                    let written = data.encode(&mut answer[begin..]).map_err(io::Error::other)?;
                    answer.truncate(begin + written);
                }
                ConnectionState::TransmitTlsData(data) => data.done(),
                ConnectionState::WriteTraffic(_) => handshaking = Some(false),
                ConnectionState::BlockedHandshake => handshaking = Some(true),
                _ => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
            line.consume(discard);
        }
        if !answer.is_empty() {
            line.outgoing().extend_from_slice(&answer);
        }
        Ok(handshaking == Some(true))
    }
}
