//! The sham server as a process of its own, spinning on whatever CPU it was given, for comparisons in which two
//! programs meet the same answers from memory (`bench/run.sh`). It serves until its process is ended.
//!
//!     sham SOCKET

use lab::servers::sham::Sham;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let socket = std::env::args().nth(1).ok_or_else(|| std::io::Error::other("sham SOCKET"))?;
    let sham = Sham::start(Path::new(&socket), &[])?;
    sham.be_restless();
    loop {
        std::thread::park();
    }
}
