//! What a cell's cluster cannot be made of: which servers, engines and transports a topology goes with.

use super::Cell;
use crate::host::{InstalledBuild, Version};
use crate::load::Transport;

/// The first MariaDB that speaks to version 4 of Galera's library.
const GALERA_4: Version = Version(10, 4, 0);

/// What a cell's cluster cannot be made of: the keys that it is about, the reason, the mend.
pub(super) fn refused(cell: &Cell, build: &InstalledBuild) -> Option<(&'static [&'static str], String, &'static str)> {
    let (server, topology) = (&cell.server, cell.server.topology);
    if topology.is_single() {
        return None;
    }
    if build.kind != "mariadb" {
        let reason = format!("build `{}` is {}, and {topology} is made of MariaDB servers", build.name, build.kind);
        return Some((&["topology", "build"], reason, "name a build of MariaDB, or leave out the topology"));
    }
    if build.version < GALERA_4 {
        let reason = format!("{topology} needs MariaDB {GALERA_4}, and build `{}` is {}", build.name, build.version);
        return Some((&["topology", "build"], reason, "name a later build, or leave out the topology"));
    }
    if !server.engine.eq_ignore_ascii_case("innodb") {
        let reason = format!("{topology} replicates InnoDB and not {}", server.engine);
        return Some((&["topology", "engine"], reason, "take innodb, or leave out the topology"));
    }
    match cell.load.transport {
        Some(Transport::Tcp | Transport::Tls) => {
            let reason = format!("users of {topology} come over the sockets of its nodes");
            Some((&["topology", "transport"], reason, "leave out the transport, or the topology"))
        }
        Some(Transport::Unix) | None => None,
    }
}
