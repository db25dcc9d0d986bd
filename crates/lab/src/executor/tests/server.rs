//! A real server for the executor's tests, one thread per conversation: it answers as each request asks it to, also
//! badly.

use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

/// How a request wants to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Manner {
    Whole,
    /// One byte at a time.
    Dribbled,
    /// Half of the answer, then a hang-up.
    Halved,
    /// Silence, with the connection open.
    Stalled,
    /// The answer, then a hang-up.
    Farewell,
}

const MANNERS: [Manner; 5] = [Manner::Whole, Manner::Dribbled, Manner::Halved, Manner::Stalled, Manner::Farewell];

/// Length of the payload, length of the answer, manner.
const HEADER: usize = 9;

/// Threads of this server do little; thousands of them are to fit.
const STACK: usize = 64 * 1024;

/// Appends a request with a payload that the server checks.
pub fn request(out: &mut Vec<u8>, payload: usize, answer: usize, manner: Manner) {
    out.extend_from_slice(&(payload as u32).to_le_bytes());
    out.extend_from_slice(&(answer as u32).to_le_bytes());
    out.push(manner as u8);
    out.extend((0..payload).map(byte));
}

/// What stands at a place of every payload and every answer.
pub fn byte(place: usize) -> u8 {
    (place * 31 % 251) as u8
}

/// A listening server; its threads end with the test's process.
pub struct Server {
    folder: tempfile::TempDir,
}

impl Server {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder for a socket");
        let listener = UnixListener::bind(folder.path().join("s")).expect("a socket");
        std::thread::spawn(move || {
            listener.incoming().for_each(|stream| attend(stream.expect("a conversation")));
        });
        Self { folder }
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The same server on loopback: its port.
    pub fn on_tcp() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            listener.incoming().for_each(|stream| attend(stream.expect("a conversation")));
        });
        port
    }
}

fn attend(stream: impl Read + Write + Send + 'static) {
    let talk = move || {
        // The client going away in the middle is what half of the tests are about.
        let _ = converse(stream);
    };
    std::thread::Builder::new().stack_size(STACK).spawn(talk).expect("a thread");
}

fn converse(mut stream: impl Read + Write) -> io::Result<()> {
    loop {
        let mut header = [0; HEADER];
        stream.read_exact(&mut header)?;
        let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes")) as usize;
        let mut payload = vec![0; number(0)];
        stream.read_exact(&mut payload)?;
        assert!(payload.iter().enumerate().all(|(place, b)| *b == byte(place)), "a request arrived damaged");
        let answer: Vec<u8> = (0..number(4)).map(byte).collect();
        match MANNERS[header[8] as usize] {
            Manner::Whole => stream.write_all(&answer)?,
            Manner::Dribbled => answer.chunks(1).try_for_each(|b| {
                std::thread::yield_now();
                stream.write_all(b)
            })?,
            Manner::Halved => return stream.write_all(&answer[..answer.len() / 2]),
            Manner::Stalled => {}
            Manner::Farewell => return stream.write_all(&answer),
        }
    }
}
