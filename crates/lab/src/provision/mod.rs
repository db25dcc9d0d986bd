//! Makes an instance and a dataset be there: started, found or restored, loaded, and kept for the next time. It owns
//! instances and snapshots; what it needs of a plan, and who is told, it is lent. Nothing here knows what a run
//! measures.

pub mod instance;
pub mod kept;
pub mod needs;
pub mod prepare;
pub mod snapshots;

use crate::backends::needs::DatasetNeed;
use crate::backends::up::Up;
use crate::backends::{Filling, loading, of_up, of_work};
use crate::notebook::reporter::Reporter;
use crate::os::process::Guard;
use crate::servers::process::folders::{Folders, private_folder};
use crate::trouble::{Trouble, Unready};
use model::{Host, PlannedRun};
use needs::RunNeeds;
use snapshots::{Store, StoredSnapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;
use workload::session::Fault;

/// The instance that is up, one at a time, and the snapshots that are held for those to come.
pub struct Provision<'a> {
    host: &'a Host,
    folders: Folders,
    guard: Guard,
    up: Option<Up>,
    store: Store,
    /// Snapshots that are used, and the names of those that were made here.
    held: BTreeMap<String, Rc<StoredSnapshot>>,
    made: BTreeSet<String>,
    /// Digests of binaries by path.
    binaries: BTreeMap<String, String>,
    /// Servers that would not start and data that would not load, so that they are not tried again for each of their
    /// runs.
    refused: BTreeMap<String, String>,
}

impl<'a> Provision<'a> {
    pub fn new(host: &'a Host, guard: Guard) -> Result<Self, Trouble> {
        let folders = Folders::from_environment()?;
        private_folder(&folders.home)?;
        let store = Store::of(&folders)?;
        Ok(Self {
            host,
            folders,
            guard,
            up: None,
            store,
            held: BTreeMap::new(),
            made: BTreeSet::new(),
            binaries: BTreeMap::new(),
            refused: BTreeMap::new(),
        })
    }

    pub fn folders(&self) -> &Folders {
        &self.folders
    }

    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The instance that a run was prepared on.
    pub fn up(&self) -> &Up {
        self.up.as_ref().expect("an instance is up before it is used")
    }

    /// The same, where it may have ended meanwhile.
    pub fn still_up(&self) -> Option<&Up> {
        self.up.as_ref()
    }

    /// From here on its data are used.
    pub(crate) fn begin_use(&mut self, needs: &[DatasetNeed], writes: bool) -> Result<(), Fault> {
        let up = self.up.as_mut().expect("an instance is up before its users come");
        up.runs += 1;
        up.aged |= writes;
        of_up(up).begin_use(up, needs, writes)
    }

    /// Says how the instance ended when it ended by itself; news of it may take as long as `patience`.
    pub fn died(&mut self, patience: Duration, reporter: &Reporter<'_>) -> Option<String> {
        let died = self.up.as_mut()?.died(patience, reporter);
        self.forget_the_dead();
        died
    }

    /// Takes everything down, and makes room for whoever comes next.
    pub fn close(&mut self, reporter: &mut Reporter<'_>) {
        self.take_down(reporter);
        // What cannot be swept now is swept by whoever comes next.
        let _ = self.folders.sweep();
        self.held.clear();
        // What cannot make room now makes room next time.
        let _ = self.shrink(reporter);
    }

    fn forget_the_dead(&mut self) {
        self.up.take_if(|up| up.is_gone);
    }

    /// Does something with data of the instance that is up.
    fn filling<T>(
        &mut self,
        run: &PlannedRun,
        writes: bool,
        reporter: &mut Reporter<'_>,
        fill: impl FnOnce(&mut Filling<'_, '_>) -> Result<T, Unready>,
    ) -> Result<T, Unready> {
        let sessions = loading::sessions(self.host.cpus.len());
        let up = self.up.as_mut().expect("an instance is up before its data are");
        let filled = fill(&mut Filling { up, run, writes, sessions, reporter });
        self.forget_the_dead();
        filled
    }

    /// Opens what the users of a run come by.
    fn open(&mut self, needs: &RunNeeds<'_>) -> Result<(), Unready> {
        let up = self.up.as_mut().expect("an instance is up before its endpoints are opened");
        let works = needs.cell.works();
        works.iter().try_for_each(|work| {
            let backend = of_work(needs.workloads, work, &needs.cell.server);
            backend.open(up, needs.workloads, needs.cell, work, &needs.datasets)
        })
    }
}
