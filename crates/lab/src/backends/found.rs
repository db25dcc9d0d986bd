//! A server that was there before the lab: reached by its DSN, described like one of ours, and never started, stopped
//! or set.

use super::dsn;
use super::endpoint::{Address, SqlEndpoint};
use super::opening::OPENING_PATIENCE;
use crate::executor::direct::unix;
use crate::os::names::{self, RESOLVING};
use crate::os::waits;
use crate::servers::Build;
use crate::trouble::Trouble;
use model::host::InstalledBuild;
use model::plan::Server;
use model::record::answer::{InstanceRecord, Place};
use std::net::UdpSocket;

/// Only in schemas that the lab made; holds the name of the dataset once that is complete.
pub(crate) const MARKER: &str = "made_by_assay";

pub struct Found {
    /// `None` where the kernel does not say who answers: behind TCP, even on this host.
    pub pid: Option<u32>,
    pub place: Place,
    /// The schema that the DSN names.
    pub schema: Option<String>,
}

impl Found {
    /// The mend where a schema is somebody else's.
    pub const ROOM_OF_ITS_OWN: &str = "leave the schema out of the DSN and assay makes its own";
}

/// The server behind a DSN, and the endpoint to it outside any schema.
pub(crate) fn find(name: &str) -> Result<(Found, SqlEndpoint), Trouble> {
    behind(dsn::endpoint(name, std::env::var(dsn::PASSWORD).unwrap_or_default())?)
}

/// The same where the endpoint is known.
pub(crate) fn behind(endpoint: SqlEndpoint) -> Result<(Found, SqlEndpoint), Trouble> {
    let pid = match &endpoint.address {
        Address::Unix(path) => {
            let socket = unix(path, OPENING_PATIENCE).map_err(Trouble::at("connecting to", path))?;
            // Zero where the server lives in another namespace of processes.
            rustix::net::sockopt::socket_peercred(&socket).ok().map(|c| c.pid.as_raw_nonzero().get() as u32)
        }
        Address::Tcp { .. } => None,
    };
    let place = place_of(&endpoint.address)?;
    let found = Found { pid, place, schema: endpoint.schema.clone() };
    Ok((found, SqlEndpoint { schema: None, ..endpoint }))
}

/// By the address alone. An address is this host's if a socket may be bound to it, whichever interface has it;
/// loopback always is.
pub(crate) fn place_of(address: &Address) -> Result<Place, Trouble> {
    match address {
        Address::Unix(_) => Ok(Place::ThisHost),
        Address::Tcp { host, port } => {
            let is_ours = |ip| UdpSocket::bind((ip, 0)).is_ok();
            let what = format!("this system's resolver to tell the address of {host}");
            let found = waits::during(&what, RESOLVING, || names::addresses(host, *port, RESOLVING));
            let found = found.map_err(|e| Trouble::new(e.to_string()))?;
            let is_here = found.iter().all(|address| is_ours(address.ip()));
            Ok(if is_here { Place::ThisHost } else { Place::Elsewhere })
        }
    }
}

/// As it told of itself: nothing of its files is ours to know.
pub(crate) fn build_of(server: &Server, record: InstanceRecord) -> Build {
    let installed = InstalledBuild {
        name: server.build.clone(),
        kind: record.kind,
        version: record.version,
        binary: String::new(),
        basedir: String::new(),
        engines: record.engines,
    };
    Build { installed, launcher: Vec::new(), share: Default::default(), plugins: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_behind_a_socket_loopback_or_an_own_address_is_on_this_host() {
        let tcp = |host: &str| place_of(&Address::Tcp { host: host.into(), port: 3306 }).unwrap();
        assert_eq!(place_of(&Address::Unix("/nowhere/s".into())).unwrap(), Place::ThisHost);
        assert_eq!([tcp("127.0.0.1"), tcp("127.8.8.8"), tcp("0.0.0.0")], [Place::ThisHost; 3]);
        // Kept for documentation: no host has these.
        assert_eq!([tcp("192.0.2.7"), tcp("203.0.113.9")], [Place::Elsewhere; 2]);
        let unknown = place_of(&Address::Tcp { host: "no such host".into(), port: 3306 }).unwrap_err();
        assert!(unknown.what.starts_with("no address is known of the host no such host: "), "{unknown}");
    }
}
