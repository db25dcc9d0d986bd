//! Several servers brought up as one Galera cluster: the first founds it alone, so that its data directory knows the
//! cluster's name and position, and ends; the others get copies of that directory; then all start, one after the other,
//! and each is waited for until it is in step. Each node is an instance like any other, with a guard, a folder and a
//! socket of its own. Loading, comparing and taking down are the lab's.

use super::control::Control;
use super::kinds::galera::{SCRIPT, SCRIPT_NAME};
use crate::backends::endpoint::SqlEndpoint;
use crate::os::copy::{allocated, allocated_whole, copy, walk};
use crate::os::process::Ended;
use crate::servers::DATA;
use crate::servers::member::{Member, NodePorts};
use crate::servers::process::folders::{Claim, free_bytes};
use crate::servers::process::instance::{Instance, STOP_PATIENCE, Wish};
use crate::trouble::Trouble;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Where packages put Galera's library; MariaDB 10.4 and later speak its version 4.
const PROVIDERS: &[&str] = &[
    "/usr/lib/galera/libgalera_smm.so",
    "/usr/lib64/galera-4/libgalera_smm.so",
    "/usr/lib/galera-4/libgalera_smm.so",
    "/usr/lib64/galera/libgalera_smm.so",
];
/// Joining takes a second or two, and a machine may be busy.
const JOIN_PATIENCE: Duration = Duration::from_secs(120);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The ring of past events that a server keeps; the copies need none of them.
const RING: &str = "galera.cache";

/// Puts data into the folder that it is given.
pub type Fill<'a> = &'a mut dyn FnMut(&Path) -> Result<(), Trouble>;

/// Galera's library on this machine.
pub fn provider() -> Option<PathBuf> {
    PROVIDERS.iter().map(PathBuf::from).find(|p| p.is_file())
}

/// All nodes, in step and holding the same data, the first one first.
pub fn provision(wish: &Wish, nodes: u32, fill: Option<Fill>) -> Result<Vec<Instance>, Trouble> {
    let provider = provider().ok_or_else(|| {
        let looked = PROVIDERS.join(", ");
        Trouble::new(format!("a cluster needs Galera's library, and it is at none of {looked}"))
            .mend("install it (apt-get install --no-install-recommends galera-4)")
    })?;
    let first = match fill {
        Some(fill) => Instance::filled(wish, fill)?,
        None => Instance::claimed(wish)?,
    };
    let shared = first.folder().join("galera");
    lay_script(&shared)?;
    let gates = gates(nodes)?;
    let member = |number| Member { number, gates: &gates, provider: &provider, shared: &shared };
    let first = found(first, wish, member(1))?;
    let rest = (2..=nodes).map(|_| twin(&first, wish)).collect::<Result<Vec<_>, _>>()?;
    let mut up = Vec::new();
    for (number, claim) in (1..).zip(std::iter::once(first).chain(rest)) {
        let whose = |trouble: Trouble| Trouble::new(format!("node {number} does not come up")).because(trouble);
        let mut node = Instance::start_as(claim, wish, Some(member(number))).map_err(whose)?;
        wait_in_step(&mut node, number, wish.stop).map_err(whose)?;
        up.push(node);
    }
    // The first ones saw a smaller cluster when they were asked.
    up.iter_mut().try_for_each(|node| wait_in_step(node, nodes, wish.stop))?;
    Ok(up)
}

/// Whether a node takes part with all it has, in a cluster of that size.
pub fn is_in_step(endpoint: &SqlEndpoint, size: u32) -> bool {
    let status = "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_local_state_comment', 'wsrep_cluster_size')";
    let told = Control::connect(endpoint).and_then(|mut control| {
        let rows = control.rows(status)?;
        control.quit();
        Ok(rows)
    });
    let values: Vec<_> = told.into_iter().flatten().filter_map(|mut row| row.pop().flatten()).collect();
    values.contains(&"Synced".to_string()) && values.contains(&size.to_string())
}

/// Starts the first node alone and ends it: from then on its data carry the cluster's name and position.
fn found(claim: Claim, wish: &Wish, member: Member) -> Result<Claim, Trouble> {
    let mut alone = Instance::start_as(claim, wish, Some(member))?;
    wait_in_step(&mut alone, 1, wish.stop)?;
    match alone.stop(STOP_PATIENCE) {
        Ended::Code(0) => {}
        ended @ (Ended::Code(_) | Ended::Signal(_)) => {
            return Err(Trouble::new(format!("the first node did not end cleanly ({ended})")));
        }
    }
    let ring = alone.data().join(RING);
    fs::remove_file(&ring).map_err(Trouble::at("removing", &ring))?;
    Ok(alone.into_claim())
}

/// Another instance on a copy of the first one's data.
fn twin(first: &Claim, wish: &Wish) -> Result<Claim, Trouble> {
    let from = first.folder().join(DATA);
    let (_, files) = walk(&from)?;
    let (needed, free) = (allocated(&files), free_bytes(&wish.folders.home)?);
    if free < needed {
        return Err(Trouble::new(format!("a node's copy of the data takes {needed} and {free} are free"))
            .mend("free some space, or take a single server"));
    }
    Instance::filled(wish, |data| copy(&from, data, &allocated_whole(&files), wish.stop).map(drop))
}

fn lay_script(shared: &Path) -> Result<(), Trouble> {
    fs::create_dir(shared).map_err(Trouble::at("making", shared))?;
    let script = shared.join(SCRIPT_NAME);
    fs::write(&script, SCRIPT).map_err(Trouble::at("writing", &script))?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).map_err(Trouble::at("permitting", &script))
}

/// Ports that are free now, all held at once so that none is given twice.
fn gates(nodes: u32) -> Result<Vec<NodePorts>, Trouble> {
    let listen = |_| TcpListener::bind(("127.0.0.1", 0));
    let held = (0..2 * nodes).map(listen).collect::<Result<Vec<_>, _>>();
    let ports = held.and_then(|held| held.iter().map(|l| Ok(l.local_addr()?.port())).collect::<Result<Vec<_>, _>>());
    let ports = ports.map_err(|e| Trouble::new("not enough ports of 127.0.0.1 are free").because(e))?;
    Ok(ports.chunks_exact(2).map(|pair| NodePorts { group: pair[0], transfer: pair[1] }).collect())
}

fn wait_in_step(node: &mut Instance, size: u32, stop: &AtomicBool) -> Result<(), Trouble> {
    let (begun, endpoint) = (Instant::now(), SqlEndpoint::root(node.socket().to_path_buf()));
    while begun.elapsed() < JOIN_PATIENCE {
        if stop.load(Relaxed) {
            return Err(Trouble::new("given up: the lab was asked to stop"));
        }
        if let Some(ended) = node.ended(LOOK_AGAIN) {
            return Err(Trouble::new(format!("it ended ({ended}); the end of its error log:\n{}", node.log_tail())));
        }
        if is_in_step(&endpoint, size) {
            return Ok(());
        }
    }
    let patience = JOIN_PATIENCE.as_secs();
    Err(Trouble::new(format!("it was not in step after {patience} s; the end of its error log:\n{}", node.log_tail())))
}
