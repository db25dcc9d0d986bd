//! Ports of loopback for servers of ours.

use crate::trouble::Trouble;
use std::net::TcpListener;

pub const LOOPBACK: &str = "127.0.0.1";

/// A port of loopback that is free now. It is let go before the server takes it; who comes in between makes the start
/// fail.
pub fn free_port() -> Result<u16, Trouble> {
    let found = TcpListener::bind((LOOPBACK, 0)).and_then(|listener| listener.local_addr());
    found.map(|address| address.port()).map_err(|e| Trouble::new("no port of 127.0.0.1 is free").because(e))
}
