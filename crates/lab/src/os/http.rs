//! A few pages for a few readers of this host, by HTTP/1.1 over plain sockets: whole texts, and streams of events that
//! last. It reads requests and changes nothing. Each reader has a thread of its own that sleeps, and whoever does not
//! send, does not read or goes away is dropped within a bound, so that no browser holds a lab up. Why not a library:
//! docs/decisions/0013.

use crate::trouble::Trouble;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Readers at a time; a browser takes a few connections.
const MOST_READERS: usize = 32;
/// A request that is longer is none of a browser's.
const LONGEST_REQUEST: usize = 16 * 1024;
/// A request that takes longer to come, or an answer to be taken, is nobody's.
const PATIENCE: Duration = Duration::from_secs(5);

pub const HTML: &str = "text/html; charset=utf-8";
pub const JSON: &str = "application/json";
/// What Prometheus wants to be told of OpenMetrics.
pub const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What is answered.
pub enum Answer {
    Whole {
        kind: &'static str,
        text: Arc<str>,
    },
    /// The same, and what is done when the reader has it.
    Last {
        kind: &'static str,
        text: Arc<str>,
        sent: Box<dyn FnOnce() + Send>,
    },
    /// Each text is an event; none ends it. Called again and again, it waits itself.
    Events(Box<dyn FnMut() -> Option<Arc<str>> + Send>),
    /// Nothing is there, or it is not for this reader; the two are told alike.
    Missing,
}

/// What is asked for.
pub struct Request {
    /// From `/` on.
    pub path: String,
    /// What stands behind `Bearer` in the header that authorises.
    pub bearer: Option<String>,
}

/// Whoever has pages.
pub type Site = dyn Fn(&Request) -> Answer + Send + Sync;

/// Listens there.
pub fn listen(address: SocketAddr) -> Result<TcpListener, Trouble> {
    TcpListener::bind(address).map_err(|e| {
        let trouble = Trouble::new(format!("nobody can be served at {address}")).because(e);
        trouble.mend("name another port, or port 0 for any that is free")
    })
}

/// Serves until the process ends.
pub fn serve(listener: TcpListener, site: Arc<Site>) {
    let readers = Arc::new(AtomicUsize::new(0));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // Of one that was reset before it was taken, or of too many open files, nothing is to be said.
            let Ok(stream) = stream else {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            };
            if readers.load(Relaxed) >= MOST_READERS {
                continue;
            }
            readers.fetch_add(1, Relaxed);
            let (site, readers) = (Arc::clone(&site), Arc::clone(&readers));
            std::thread::spawn(move || {
                // A reader that went away is no trouble of anybody.
                let _ = converse(stream, &*site);
                readers.fetch_sub(1, Relaxed);
            });
        }
    });
}

fn converse(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let Some(request) = read(&mut stream)? else {
        return answer(&mut stream, "400 Bad Request", "text/plain", "Only GET is understood here.\n");
    };
    match site(&request) {
        Answer::Whole { kind, text } => answer(&mut stream, "200 OK", kind, &text),
        Answer::Last { kind, text, sent } => {
            answer(&mut stream, "200 OK", kind, &text)?;
            // The reader closes when it has all of it; what is still under way must not end with this process.
            stream.shutdown(Shutdown::Write)?;
            let _ = stream.read(&mut [0]);
            sent();
            Ok(())
        }
        Answer::Missing => answer(&mut stream, "404 Not Found", "text/plain", "Nothing is here.\n"),
        Answer::Events(mut next) => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n";
            stream.write_all(format!("{head}{COMMON}\r\n").as_bytes())?;
            while let Some(text) = next() {
                stream.write_all(format!("data: {text}\n\n").as_bytes())?;
            }
            Ok(())
        }
    }
}

/// The token is in the address: nobody keeps it, and no other page is told it.
const COMMON: &str = "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
                      Connection: close\r\n";

fn answer(stream: &mut TcpStream, status: &str, kind: &str, text: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{COMMON}\r\n", text.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())
}

/// `None` for what is no request that is understood here.
fn read(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    let mut part = [0; 2048];
    while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
        let n = stream.read(&mut part)?;
        if n == 0 || bytes.len() + n > LONGEST_REQUEST {
            return Ok(None);
        }
        bytes.extend_from_slice(&part[..n]);
    }
    Ok(understood(&String::from_utf8_lossy(&bytes)))
}

fn understood(text: &str) -> Option<Request> {
    let mut lines = text.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (Some("GET"), Some(path), Some(version)) = (words.next(), words.next(), words.next()) else { return None };
    if !version.starts_with("HTTP/1.") || !path.starts_with('/') {
        return None;
    }
    let headers = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(':'));
    let mut authorised = headers.filter(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    let bearer = authorised.next().and_then(|(_, value)| value.trim().strip_prefix("Bearer ")).map(str::to_string);
    Some(Request { path: path.split('?').next().unwrap_or(path).to_string(), bearer })
}

/// Whether a reader said the right word, in a time that does not depend on how much of it was right.
pub fn is_same(said: &str, right: &str) -> bool {
    let differ = said.bytes().zip(right.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    said.len() == right.len() && differ == 0
}

/// A word that nobody guesses.
pub fn token() -> Result<String, Trouble> {
    let mut bytes = [0_u8; 16];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())
        .map_err(|e| Trouble::new("the kernel gives no random numbers").because(io::Error::from(e)))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn requests_are_understood_or_refused() {
        let request = understood("GET /a/b?c HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abc\r\n\r\n").unwrap();
        assert_eq!((request.path.as_str(), request.bearer.as_deref()), ("/a/b", Some("abc")));
        for refused in
            ["POST / HTTP/1.1\r\n\r\n", "GET x HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", "\r\n\r\n", "GET / SPDY\r\n"]
        {
            assert!(understood(refused).is_none(), "{refused}");
        }
        assert!(is_same("abc", "abc") && !is_same("abd", "abc") && !is_same("ab", "abc"));
        assert_ne!(token().unwrap(), token().unwrap());
    }

    #[test]
    fn a_reader_that_never_reads_holds_nobody_up() {
        let listener = listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let long: Arc<str> = "x".repeat(1 << 20).into();
        serve(
            listener,
            Arc::new(move |request: &Request| match request.path.as_str() {
                "/whole" => Answer::Whole { kind: HTML, text: "all of it".into() },
                "/events" => {
                    let long = Arc::clone(&long);
                    Answer::Events(Box::new(move || Some(Arc::clone(&long))))
                }
                _ => Answer::Missing,
            }),
        );
        let ask = |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes()).unwrap();
            stream
        };
        let _never_reads: Vec<TcpStream> = (0..3).map(|_| ask("/events")).collect();
        let begun = Instant::now();
        let mut text = String::new();
        ask("/whole").read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK") && text.ends_with("all of it"), "{text}");
        assert!(begun.elapsed() < PATIENCE);
        let mut missing = String::new();
        ask("/else").read_to_string(&mut missing).unwrap();
        assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
        let taken = listen(address).unwrap_err().to_string();
        assert!(taken.contains("in use") && taken.contains("another port"), "{taken}");
    }
}
