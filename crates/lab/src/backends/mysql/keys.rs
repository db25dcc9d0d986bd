//! The key endpoint as servers are told of them: the daemon of InnoDB's memcached plugin, HandlerSocket, memcached
//! itself. The option of the plugin is written whole here and nowhere else, because one word that it lacks (`-u root`
//! for a server that runs as root) takes the whole server down, and keeps it down at the next start.

use crate::os::address::Address;
use crate::os::ports::LOOPBACK;
use crate::servers::KeyListener;
use model::plan::served::{MYSQL, serves_since};
use model::{Protocol, Server, Value, Version};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

pub const MEMCACHED: &str = "libmemcached.so";
pub const HANDLERSOCKET: &str = "handlersocket.so";

/// Threads where nobody says how many: what memcached itself begins with.
const THREADS: i64 = 4;
/// A daemon's answer to a version takes no longer when there is a daemon.
const PATIENCE: Duration = Duration::from_secs(10);
const SWITCHES_WHAT_IS_MADE: Version = Version(5, 7, 0);
/// Sessions of the lab beside the users.
const OURS: i64 = 16;

pub fn has_memcached(version: Version) -> bool {
    serves_since(MYSQL, version, Protocol::Memcached)
}

/// Whether a server of SQL is to open its key endpoints.
pub fn are_wanted(wanted: &Server) -> bool {
    wanted.settings.get("doors").and_then(Value::flag) == Some(true)
}

/// What memcached's daemon is told, itself or as a plugin: where to listen, that nothing comes by UDP, as whom to run,
/// and how much.
pub fn daemon(listener: KeyListener, as_root: bool, wanted: &Server) -> Vec<String> {
    let count = |word: &str| wanted.settings.get(word).and_then(Value::count);
    let mut words: Vec<String> = match listener.ports {
        None => vec!["-s".into(), listener.socket.display().to_string()],
        Some([port, _]) => vec!["-p".into(), port.to_string(), "-l".into(), LOOPBACK.into()],
    };
    words.extend(["-U".into(), "0".into()]);
    if as_root {
        words.extend(["-u".into(), "root".into()]);
    }
    words.extend(["-t".into(), count("door_threads").unwrap_or(THREADS).to_string()]);
    words.extend(["-c".into(), (count("max_connections").unwrap_or(1_024) + OURS).to_string()]);
    words
}

/// Lines of an option file. `loose-`, so that the server starts while the plugin is not installed. Before 5.7 a mutex
/// that is made while its instrument is off is never seen again, so those that a get passes are switched on at the
/// start, where they are wanted.
pub fn of_mysql(listener: KeyListener, as_root: bool, version: Version, wanted: &Server) -> String {
    let mut lines = format!("loose-daemon_memcached_option=\"{}\"\n", daemon(listener, as_root, wanted).join(" "));
    for (word, line) in [("read_batch", "r"), ("write_batch", "w")] {
        if !wanted.settings.contains_key(word) {
            lines += &format!("loose-daemon_memcached_{line}_batch_size=1\n");
        }
    }
    if version < SWITCHES_WHAT_IS_MADE && wanted.settings.get("performance_schema").and_then(Value::flag) == Some(true)
    {
        lines += "performance-schema-instrument='wait/synch/mutex/innodb/%=ON'\n";
    }
    lines
}

/// The same of HandlerSocket, which is loaded at start, is of a maturity that the server refuses by itself, and makes
/// its own secrets.
pub fn of_mariadb(listener: KeyListener) -> String {
    let Some([read, write]) = listener.ports else { unreachable!("HandlerSocket comes by ports") };
    format!(
        "plugin_maturity=beta\nplugin-load-add={HANDLERSOCKET}\nloose-handlersocket_address={LOOPBACK}\n\
         loose-handlersocket_port={read}\nloose-handlersocket_port_wr={write}\nloose-handlersocket_accept_balance=1\n"
    )
}

/// Whether memcached's daemon answers there.
pub fn answers(address: &Address) -> bool {
    let asked = |stream: &mut dyn ReadWrite| {
        let mut head = [0; 8];
        stream.write_all(b"version\r\n").is_ok() && stream.read_exact(&mut head).is_ok() && head == *b"VERSION "
    };
    match address {
        Address::Unix(path) => {
            UnixStream::connect(path).is_ok_and(|mut s| s.set_read_timeout(Some(PATIENCE)).is_ok() && asked(&mut s))
        }
        Address::Tcp { host, port } => TcpStream::connect((host.as_str(), *port))
            .is_ok_and(|mut s| s.set_read_timeout(Some(PATIENCE)).is_ok() && asked(&mut s)),
    }
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}
