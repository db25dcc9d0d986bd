//! A run's server and data, as the run needs them: the live instance goes on serving runs that only read; a run that
//! writes begins on a fresh copy of its data, and so does whoever comes after it. Data are loaded once, kept cold and
//! restored each time, so that the first run begins as the last one does.

use super::Provision;
use super::needs::RunNeeds;
use crate::backends::up::Up;
use crate::backends::{Files, of_server};
use crate::notebook::reporter::Reporter;
use crate::servers::process::instance::key;
use crate::trouble::Unready;
use std::time::Duration;

impl Provision<'_> {
    /// Makes sure that the cell's server is up and its data lie in it as the run needs them.
    pub fn prepare(&mut self, needs: &RunNeeds<'_>, reporter: &mut Reporter<'_>) -> Result<(), Unready> {
        let servers = of_server(&needs.cell.server);
        match servers.files().filter(|_| needs.cell.server.on.is_none()) {
            Some(files) => self.with_files(files, needs, reporter)?,
            None => self.by_filling(needs, reporter)?,
        }
        if let Some(reason) = self.up().unsupported(&needs.datasets) {
            return Err(Unready::Skip(reason.clone()));
        }
        self.open(needs)
    }

    /// Whether the live instance will do.
    fn serves(&mut self, needs: &RunNeeds<'_>, reporter: &Reporter<'_>) -> bool {
        let will_do = |up: &Up| {
            let holds = needs.datasets.iter().all(|need| up.datasets.contains_key(&need.name));
            let fresh = needs.datasets.is_empty() || up.is_fresh(needs.writes);
            up.key == key(&needs.cell.server) && holds && fresh
        };
        self.up.as_ref().is_some_and(will_do) && self.died(Duration::ZERO, reporter).is_none()
    }

    /// On a server whose data directory can be kept.
    fn with_files(
        &mut self,
        files: &dyn Files,
        needs: &RunNeeds<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Unready> {
        if self.serves(needs, reporter) {
            return Ok(());
        }
        if needs.datasets.is_empty() {
            return self.instance(needs.cell, None, reporter);
        }
        if self.store.keeps() {
            return self.on_a_copy(files, needs, reporter);
        }
        self.by_filling(needs, reporter)
    }

    /// What a run cannot go on with is loaded again: into another instance, or, in a server that is not ours, where it
    /// lies.
    fn by_filling(&mut self, needs: &RunNeeds<'_>, reporter: &mut Reporter<'_>) -> Result<(), Unready> {
        let is_used = |up: &&mut Up| up.key == key(&needs.cell.server) && !up.is_fresh(needs.writes);
        match self.up.as_mut().filter(is_used) {
            Some(_) if needs.cell.server.on.is_none() => self.take_down(reporter),
            Some(up) => {
                // A writer went over them, or begins where others have been: they are looked at again, and loaded
                // where the lab may.
                (up.aged, up.runs) = (false, 0);
                up.datasets.clear();
            }
            None => {}
        }
        self.instance(needs.cell, None, reporter)?;
        let servers = of_server(&needs.cell.server);
        let (run, writes, datasets) = (needs.run, needs.writes, &needs.datasets);
        self.filling(run, writes, reporter, |filling| servers.fill(filling, datasets))
    }
}
