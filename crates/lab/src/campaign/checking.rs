//! What can be refused before a record is begun, so that nothing is left behind: a server that is not there, a disk
//! without room for the plan's data, ranks that lack the CPUs which are named for them or are to take turns.

use crate::backends::of_server;
use crate::execution::ranks::misplaced;
use crate::ranks::peers::Peers;
use crate::servers::process::folders::{Folders, free_bytes, private_folder};
use crate::trouble::Trouble;
use model::{Cell, Host, Plan, Server, Users};
use std::collections::BTreeMap;

/// Room that a data disk must keep free beyond the plan, because a full disk takes others down with it.
const SPARE_DISK: u64 = 1 << 30;

/// What this plan wants, with the other ranks that drive its loads.
pub fn check(plan: &Plan, host: &Host, peers: Option<&Peers>) -> Result<(), Trouble> {
    if let Some((what, mend)) = plan.cells.iter().find_map(|cell| misplaced(&cell.server, host, peers)) {
        return Err(Trouble::new(what).mend(mend));
    }
    if plan.interleaved && peers.is_some() {
        let what = "repeat.interleave has the load go from server to server, and ranks are one load on one server";
        return Err(Trouble::new(what).mend("leave interleave out, or start one process"));
    }
    let named = |cell: &Cell| Some((cell.server.on.clone()?, cell.server.clone()));
    let named: BTreeMap<String, Server> = plan.cells.iter().filter_map(named).collect();
    named.iter().try_for_each(|(dsn, server)| of_server(server).check(dsn, most_users(plan, dsn)))?;
    check_disk(plan)
}

/// The most users that a server named by that DSN is to take at a time; a search finds out by itself how many that are.
fn most_users(plan: &Plan, dsn: &str) -> Users {
    let there = plan.cells.iter().filter(|cell| cell.server.on.as_deref() == Some(dsn) && cell.search.is_none());
    there.map(Cell::most_users).max().unwrap_or(Users(0))
}

fn check_disk(plan: &Plan) -> Result<(), Trouble> {
    let folders = Folders::from_environment()?;
    private_folder(&folders.home)?;
    let (free, needed) = (free_bytes(&folders.home)?, plan.cost.disk);
    if free.0 < needed.0.saturating_add(SPARE_DISK) {
        let what = format!("the plan needs about {needed} at {} and {free} are free there", folders.home.display());
        let mend = "free some space, set ASSAY_HOME to a folder on a larger disk, or choose a smaller scale";
        return Err(Trouble::new(what).mend(mend));
    }
    Ok(())
}
