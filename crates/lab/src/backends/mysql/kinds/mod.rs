//! The server families of this protocol, described as files and commands; pure.

pub mod galera;
pub mod mariadb;
pub mod mysql;
pub mod option_file;

use crate::executor::direct::unix;
use crate::servers::Kind;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

pub const ALL: &[&'static dyn Kind] = &[&mariadb::MariaDb, &mysql::MySql];

/// What every version of these kinds begins its greeting with.
const PROTOCOL_VERSION: u8 = 10;
/// A server that is there greets within that.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a server speaks first behind this socket, with a packet that begins with the protocol's version.
fn greets(socket: &Path) -> bool {
    let Ok(mut stream) = unix(socket, PATIENCE).map(UnixStream::from) else { return false };
    let mut head = [0; 5];
    stream.read_exact(&mut head).is_ok() && head[4] == PROTOCOL_VERSION
}
