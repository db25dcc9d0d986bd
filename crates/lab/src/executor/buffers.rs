//! Hot path: the two buffers of a line. They are one boxed value, so that an operation in flight can own them: a line
//! that is dropped meanwhile leaves them with the operation, and memory that the kernel may still write is never freed
//! or reused. Buffers start small, since ten thousand users have one each, and grow with what arrives.

use rustix::io::Errno;
use rustix::net::SendFlags;
use std::os::fd::OwnedFd;

/// Holds the answer to a point select; ten thousand of them are 20 MiB.
const FIRST: usize = 2048;

/// A buffer that was filled to the brim doubles up to this: beyond it, larger reads save no more system calls worth
/// saving. An emptied buffer that had to grow beyond it for one long row shrinks back.
const STREAMING: usize = 64 * 1024;

#[derive(Default)]
pub struct Buffers {
    pub outgoing: Vec<u8>,
    /// How much of `outgoing` the kernel has taken.
    pub sent: usize,
    pub incoming: Incoming,
}

impl Buffers {
    pub fn unsent(&self) -> &[u8] {
        &self.outgoing[self.sent..]
    }

    /// Sends what is unsent, as far as the socket takes it.
    #[inline]
    pub fn send(&mut self, socket: &OwnedFd) -> rustix::io::Result<()> {
        while !self.unsent().is_empty() {
            match rustix::net::send(socket, self.unsent(), SendFlags::NOSIGNAL) {
                Ok(n) => self.sent += n,
                Err(Errno::INTR) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// The request is with the kernel and its answer has begun to arrive.
    pub fn arrived(&mut self, n: usize) {
        self.outgoing.clear();
        self.sent = 0;
        self.incoming.arrived(n);
    }
}

/// Bytes received and not yet consumed: `bytes[start..end]`.
#[derive(Default)]
pub struct Incoming {
    /// As long as its capacity, so that no byte is ever uninitialised.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The last receive filled all the space it was offered: more is likely to be there.
    pub brimful: bool,
}

impl Incoming {
    pub fn unread(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    pub fn unread_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.end]
    }

    pub fn consume(&mut self, n: usize) {
        assert!(n <= self.end - self.start, "consumed {n} bytes of {}", self.end - self.start);
        self.start += n;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Room for the next receive; never empty.
    pub fn space(&mut self) -> &mut [u8] {
        let enough = self.end == 0 && !self.brimful && self.bytes.len() == FIRST;
        if !enough {
            self.make_space();
        }
        &mut self.bytes[self.end..]
    }

    fn make_space(&mut self) {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let size = self.bytes.len();
        let wanted = match () {
            () if size < FIRST => FIRST,
            () if self.end == 0 && size > STREAMING => STREAMING,
            () if (self.brimful && size < STREAMING) || self.end > size / 2 => size * 2,
            () => return,
        };
        if wanted < size {
            self.bytes = vec![0; wanted];
        } else {
            self.bytes.reserve_exact(wanted - size);
            self.bytes.resize(wanted, 0);
        }
    }

    pub fn arrived(&mut self, n: usize) {
        self.end += n;
        self.brimful = self.end == self.bytes.len();
    }
}
