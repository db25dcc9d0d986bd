//! What the groups of a run must say, and what then nobody else may: users, rates and pauses are each group's own, so
//! that no reader has to guess whether a number of users is that of one group or of all.

use super::grammar::parameter_of;
use super::keys::{group_axis, is_axis_of, of_each_group};
use super::reading::Reading;
use super::whole::names;
use std::collections::BTreeSet;

impl Reading<'_> {
    pub(super) fn check_groups(&mut self) {
        self.check_group_list("groups", true);
        self.refuse_what_groups_say();
    }

    /// The groups of a run, or of one of its phases; those of a run may have axes.
    pub(super) fn check_group_list(&mut self, list: &str, has_axes: bool) {
        let mut told = BTreeSet::new();
        for group in self.list(list) {
            let name_path = format!("{group}.name");
            let name = self.name_of(&group);
            match &name {
                Some(name) if name.is_empty() || name.contains('.') => {
                    self.problem(&name_path, "not a name", "a group is named by a word without dots")
                }
                Some(name) if !told.insert(name.clone()) => self.problem(
                    &name_path,
                    format!("`{name}` is the name of an earlier group"),
                    "give each group its own",
                ),
                Some(_) => {}
                None if self.said(&name_path) => {}
                None => self.problem(&group, "a group without a name", "add name = \"readers\""),
            }
            if !self.said(&format!("{group}.workload")) {
                self.problem(&group, "a group without a workload", "add workload = \"...\"");
            }
            let axis = |key: &str| format!("axes.groups.{}.{key}", name.as_deref().unwrap_or_default());
            if !(self.said(&format!("{group}.users")) || has_axes && self.said(&axis("users"))) {
                let or_axis = if has_axes { ", or make it an axis: groups.NAME.users" } else { "" };
                self.problem(&group, "a group without users", format!("add users = 8{or_axis}"));
            }
            let rate = self.said(&format!("{group}.rate")) || has_axes && self.said(&axis("rate"));
            let workload: Vec<_> = self.workload_of(&group).into_iter().collect();
            self.check_rhythm(&group, rate, &workload);
        }
    }

    fn refuse_what_groups_say(&mut self) {
        for key in of_each_group() {
            let said = self.entries.iter().map(|e| e.path.clone());
            let (path, below) = (format!("load.{key}"), format!("load.{key}."));
            if let Some(path) = said.clone().find(|p| *p == path || p.starts_with(&below)) {
                self.problem(&path, "said for all users, and there are groups", format!("give each group its `{key}`"));
            }
        }
        if self.entries.iter().any(|e| e.path.starts_with("load.search.")) {
            self.problem("load.search", "a search, and there are groups", "leave out one of them");
        }
        for key in ["users", "rate"] {
            if self.said(&format!("axes.{key}")) {
                let mend = format!("write groups.NAME.{key}, with the name of a group");
                self.problem(&format!("axes.{key}"), "an axis over all users, and there are groups", mend);
            }
        }
        if self.said("axes.workload") {
            self.problem(
                "axes.workload",
                "an axis over the workload of all users, and there are groups",
                "leave out one of them",
            );
        }
    }

    /// Whether every group (or phase) of that workload says this parameter, itself or by an axis of its own.
    pub(super) fn all_say(&self, list: &str, workload: &str, parameter: &str) -> bool {
        let mut groups =
            self.list(list).into_iter().filter(|g| self.workload_of(g).is_some_and(|w| w.name == workload));
        let says = |group: String| {
            let name = self.name_of(&group).unwrap_or_default();
            self.said(&format!("{group}.parameters.{parameter}"))
                || self.said(&format!("axes.groups.{name}.{parameter}"))
        };
        let first = groups.next();
        first.is_some_and(|group| says(group) && groups.all(says))
    }

    /// Asks an axis over something of one group, and returns the keys that would fix it.
    pub(super) fn check_group_axis(&mut self, key: &str) -> Vec<String> {
        let (path, (name, own)) = (format!("axes.{key}"), group_axis(key).expect("the grammar let it pass"));
        let Some(group) = self.list("groups").into_iter().find(|g| self.name_of(g).as_deref() == Some(name)) else {
            self.problem(
                &path,
                format!("there is no group `{name}`"),
                "write groups.NAME.KEY with the name of a group",
            );
            return Vec::new();
        };
        if is_axis_of("groups", own) {
            return vec![format!("{group}.{own}")];
        }
        match self.workload_of(&group) {
            Some(workload) if parameter_of(workload, own).is_none() => {
                self.problem(&path, format!("`{name}` has no `{own}`"), format!("it does {}", names(&[workload])));
                Vec::new()
            }
            Some(_) | None => vec![format!("{group}.parameters.{own}")],
        }
    }
}
