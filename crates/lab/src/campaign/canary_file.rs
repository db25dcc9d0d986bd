//! Where what was measured of the load itself is kept between records, in the lab's home: for this machine and this
//! build of assay, and for a day.

use crate::notebook::unix_ms;
use crate::servers::process::folders::Folders;
use crate::servers::survey;
use crate::trouble::Trouble;
use model::record::canary::Canary;
use std::path::PathBuf;
use std::time::Duration;

/// A machine does not change its speed for good within a day.
pub(super) const STALE: Duration = Duration::from_secs(24 * 3600);

/// The ceiling kept from before, when it was measured on this machine by this build.
pub(super) fn read(folders: &Folders) -> Option<Canary> {
    let text = std::fs::read_to_string(path(folders)).ok()?;
    serde_json::from_str::<Canary>(&text).ok().filter(|c| c.machine == survey::machine())
}

/// The same, with nothing in it where nothing was measured.
pub(super) fn read_or_empty(folders: &Folders) -> Canary {
    read(folders).unwrap_or_else(empty)
}

/// Nothing measured yet.
pub(super) fn empty() -> Canary {
    Canary {
        machine: survey::machine(),
        io: String::new(),
        points: Vec::new(),
        unix_ms: unix_ms(),
        others: None,
        reaches: Vec::new(),
        choice: None,
    }
}

/// Keeps it for the next record.
pub(super) fn keep(folders: &Folders, canary: &Canary) -> Result<(), Trouble> {
    let text = serde_json::to_string_pretty(canary).expect("a canary is JSON");
    std::fs::write(path(folders), text).map_err(Trouble::at("keeping the canary in", &path(folders)))
}

/// Whether what was measured then may be taken for what is, where that stays true for so long.
pub(super) fn is_younger(then: u64, than: Duration) -> bool {
    u128::from(unix_ms().saturating_sub(then)) < than.as_millis()
}

fn path(folders: &Folders) -> PathBuf {
    folders.home.join("canary.json")
}
