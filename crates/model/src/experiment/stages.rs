//! Phases that have work of their own: a run then goes through stages, each with its workload and users. What is done
//! and by whom is said either for all phases or by each of them, so that no reader has to look up what a phase without
//! a word does.

use super::keys;
use super::reading::Reading;

impl Reading<'_> {
    /// Whether phases say for themselves what is done.
    pub(super) fn is_staged(&self) -> bool {
        self.list("phases").iter().any(|phase| self.said(&format!("{phase}.workload")) || self.has_groups(phase))
    }

    /// Whether users of this phase do different things.
    fn has_groups(&self, phase: &str) -> bool {
        !self.list(&groups_of(phase)).is_empty()
    }

    /// Entries that may name a workload: groups, phases, and the groups of phases.
    pub(super) fn naming_workloads(&self) -> Vec<String> {
        let phases = self.list("phases");
        let of_phases = phases.iter().flat_map(|phase| self.list(&groups_of(phase))).collect::<Vec<_>>();
        self.list("groups").into_iter().chain(phases).chain(of_phases).collect()
    }

    /// Whether the server is brought to rest in this phase, and nobody works.
    fn is_rest(&self, phase: &str) -> bool {
        self.said(&format!("{phase}.settle"))
    }

    /// Whether every phase says how many users do it.
    pub(super) fn phases_have_users(&self) -> bool {
        let phases = self.list("phases");
        let says =
            |phase: &String| self.said(&format!("{phase}.users")) || self.has_groups(phase) || self.is_rest(phase);
        !phases.is_empty() && phases.iter().all(says)
    }

    pub(super) fn check_stages(&mut self) {
        let phases = self.list("phases");
        let own = |key: &str| phases.iter().map(|p| format!("{p}.{key}")).find(|path| self.said(path));
        let groups = phases.iter().find(|phase| self.has_groups(phase)).map(|phase| groups_of(phase));
        let (workload, users) = (own("workload").or_else(|| groups.clone()), own("users"));
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
        if let Some(first) = phases.first().filter(|phase| self.is_rest(phase)) {
            let mend = "leave it out: the lab brings each server to rest before its users come";
            self.problem(&format!("{first}.settle"), "nobody has worked yet whose traces are to settle", mend);
        }
        for phase in &phases {
            if self.is_rest(phase) {
                self.check_rest(phase);
                continue;
            }
            let says = self.said(&format!("{phase}.workload"));
            if self.has_groups(phase) {
                self.check_groups_of(phase);
                continue;
            }
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

    /// A phase of rest has a name and an end, and is for every iteration or for one.
    fn check_rest(&mut self, phase: &str) {
        let below = format!("{phase}.");
        let is_its_own = |key: &str| keys::ends().chain(["name", "once"]).any(|own| own == key);
        let key =
            |path: &str| path.strip_prefix(&below).and_then(|rest| rest.split(['.', '[']).next()).map(str::to_string);
        let others =
            self.entries.iter().map(|e| e.path.clone()).filter(|path| key(path).is_some_and(|k| !is_its_own(&k)));
        if let Some(path) = others.reduce(|first, _| first) {
            self.problem(&path, "said of a phase in which nobody works", "leave it out, or give it a phase of its own");
        }
    }

    /// What the groups of a phase must say, and what the phase then may not.
    fn check_groups_of(&mut self, phase: &str) {
        for key in ["workload", "users", "parameters"] {
            let (path, below) = (format!("{phase}.{key}"), format!("{phase}.{key}."));
            let said =
                self.entries.iter().map(|e| e.path.clone()).find(|said| *said == path || said.starts_with(&below));
            if let Some(path) = said {
                let mend = format!("give each of its groups its `{key}`, and leave this out");
                self.problem(&path, "said for all users of a phase, and it has groups", mend);
            }
        }
        self.check_group_list(&groups_of(phase), false);
    }
}

/// The list of a phase's groups.
pub(super) fn groups_of(phase: &str) -> String {
    format!("{phase}.groups")
}
