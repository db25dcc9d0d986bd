//! Phases that have work of their own: a run then goes through stages, each with its workload and users. What is done
//! and by whom is said either for all phases or by each of them, so that no reader has to look up what a phase without
//! a word does.

use super::reading::Reading;

impl Reading<'_> {
    /// Whether phases say for themselves what is done.
    pub(super) fn is_staged(&self) -> bool {
        self.list("phases").iter().any(|phase| self.said(&format!("{phase}.workload")))
    }

    /// Whether every phase says how many users do it.
    pub(super) fn phases_have_users(&self) -> bool {
        let phases = self.list("phases");
        !phases.is_empty() && phases.iter().all(|phase| self.said(&format!("{phase}.users")))
    }

    pub(super) fn check_stages(&mut self) {
        let phases = self.list("phases");
        let own = |key: &str| phases.iter().map(|p| format!("{p}.{key}")).find(|path| self.said(path));
        let (workload, users) = (own("workload"), own("users"));
        for path in workload.iter().chain(&users) {
            if !self.list("groups").is_empty() {
                self.problem(path, "a phase of its own kind, and there are groups", "leave out one of them");
            }
            if self.sought().is_some() {
                self.problem(path, "a phase of its own kind, and a level is looked for", "leave out one of them");
            }
        }
        if workload.is_some() && self.said("axes.workload") {
            let mend = "leave out one of them";
            self.problem("axes.workload", "an axis over the workload of all phases, and they have their own", mend);
        }
        for phase in &phases {
            let says = self.said(&format!("{phase}.workload"));
            if workload.is_some() && !says {
                self.problem(phase, "a phase without a workload, and others have one", "add workload = \"...\"");
            }
            let below = format!("{phase}.parameters.");
            let parameter = self.entries.iter().map(|e| e.path.clone()).find(|path| path.starts_with(&below));
            if let (Some(path), false) = (parameter, says) {
                let mend = "write them in a section as [workload.NAME], or name the workload here";
                self.problem(&path, "parameters of a phase without a workload", mend);
            }
        }
    }
}
