//! The questions that no entry answers alone: what is missing, what contradicts, what is said twice. Asked only of a
//! file whose syntax could be read to its end; what was written wrongly is not also missing.

use super::grammar::parameter_of;
use super::keys::{self, Effect, OTHERS, WORKLOAD};
use super::reading::Reading;
use super::shape::suggestion;
use crate::errors;
use crate::value::Value;
use crate::words::{SCRIPTS, WorkloadWords};
use std::collections::BTreeSet;

impl Reading<'_> {
    pub fn whole(&mut self) {
        match self.values.get("question") {
            Some(text) if text.text().is_some_and(|t| !t.trim().is_empty()) => {}
            Some(_) => self.problem("question", "the question is empty", "say in one sentence what is to be found out"),
            // Told already, where it is misspelt.
            None if self.said("question") || self.problems.iter().any(|p| p.mend.contains("`question`")) => {}
            None => {
                self.problem("question", "the file asks no question", "begin with question = \"What does ... cost?\"")
            }
        }
        self.check_workloads();
        self.check_axes();
        if self.list("groups").is_empty() {
            self.check_load();
            self.check_search();
        } else {
            self.check_groups();
        }
        self.check_repetitions();
        self.check_errors();
        self.check_script();
        self.check_phases();
        self.check_stages();
        self.check_intervention();
    }

    /// A load that is offered comes at the rate that it was given: the noise of its rate says nothing of how many
    /// repetitions are enough.
    fn check_repetitions(&mut self) {
        let is_until = self.values.get("repeat.repetitions").is_some_and(|value| value.text().is_some());
        let is_rate = |path: &str| {
            path == "load.rate" || path == "axes.rate" || path.starts_with("groups.") && path.ends_with(".rate")
        };
        if is_until && self.entries.iter().any(|entry| is_rate(&entry.path)) {
            let mend = "write a whole number, as repetitions = 5, or leave the rate out";
            self.problem("repeat.repetitions", "repetitions until a rate is known that the load is given", mend);
        }
    }

    /// Both axes are as it was and changed, nothing else: the judge compares the four arms.
    fn check_intervention(&mut self) {
        if !self.entries.iter().any(|e| e.path.starts_with("intervention")) {
            return;
        }
        let all: Vec<_> = keys::section("intervention").collect();
        for key in &all {
            let path = format!("intervention.{key}");
            if !self.said(&path) {
                self.problem(
                    "intervention",
                    format!("`{key}` is missing"),
                    format!("an intervention names {}", all.join(", ")),
                );
            }
        }
        let mut axes = BTreeSet::new();
        for path in ["intervention.removes", "intervention.placebo"] {
            let Some(key) = self.values.get(path).map(Value::to_string) else { continue };
            let values = self.axis_named(&key).map(|a| a.values.len());
            match values {
                Some(2) => {}
                Some(n) => {
                    self.problem(path, format!("the axis `{key}` has {n} values"), "write two: as it was, and changed")
                }
                None => self.problem(
                    path,
                    format!("there is no axis `{key}`"),
                    "name an axis of two values: as it was, and changed",
                ),
            }
            if !axes.insert(key) {
                self.problem(
                    path,
                    "the placebo is what removes the cause",
                    "name another axis, which should change nothing",
                );
            }
        }
    }

    fn check_workloads(&mut self) {
        let running = self.running();
        let told = self.entries.iter().any(|e| e.path == "axes.workload" || e.path.starts_with("workload."));
        match running.len() {
            // Each group names its own, or each phase.
            _ if !self.list("groups").is_empty() || self.is_staged() => {}
            // Named, but not known: that was told where it stands.
            0 if told => {}
            0 => {
                let names = self.words.workloads.iter().map(|w| &*w.name);
                let mend = format!(
                    "write a section as [workload.{}]; {}",
                    names.clone().next().unwrap_or("NAME"),
                    suggestion("", names)
                );
                self.problem("workload", "no workload is named", mend);
            }
            1 => {}
            _ if self.said("axes.workload") => {}
            _ => self.problem(
                "workload",
                format!("several could be meant: {}", names(&running)),
                "name those that run: [axes] workload = [...]",
            ),
        }
        for words in running {
            let name = &*words.name;
            for parameter in words.parameters.iter().filter(|p| p.default.is_none()) {
                let path = format!("workload.{name}.{}", parameter.name);
                let by_family = format!("workload.{}.{}", words.family(), parameter.name);
                let said = self.said(&path) || self.said(&by_family) || self.axis_named(&parameter.name).is_some();
                if !said && !["groups", "phases"].iter().any(|list| self.all_say(list, name, &parameter.name)) {
                    self.problem(
                        &path,
                        "must be said: it has no default",
                        format!("{}: write it in [workload.{name}]", parameter.why),
                    );
                }
            }
        }
    }

    /// What the load would do for users, and users of a script do for themselves.
    fn check_script(&mut self) {
        let running = self.running();
        if running.is_empty() || running.iter().any(|words| words.family() != SCRIPTS) {
            return;
        }
        for path in ["load.reconnect_every", "axes.reconnect_every"] {
            if self.said(path) {
                let what = "users of a script open and close their sessions themselves";
                self.problem(path, what, "leave it out, and call con:reconnect() in the script");
            }
        }
        let entries = self.entries;
        if let Some(entry) = entries.iter().find(|e| e.path.starts_with("load.errors")) {
            let what = "a script says itself after which errors an event begins again";
            let mend = "leave it out, and write options = { mysql_ignore_errors = \"1213,1205\" } in [workload]";
            self.problem(&entry.path, what, mend);
        }
    }

    fn check_axes(&mut self) {
        let running = self.running();
        for key in self.axes.iter().map(|a| a.key.clone()).collect::<Vec<_>>() {
            let path = format!("axes.{key}");
            let of_server = [Effect::Server, Effect::Way].into_iter().any(|effect| keys::can_change(&key, effect));
            if of_server && self.said("server.on") {
                self.problem(
                    &path,
                    "a server that assay did not start cannot be varied",
                    "leave out server.on, or this axis",
                );
            }
            let fixed: Vec<String> = match (key.split_once('.'), keys::axis_target(&key)) {
                (_, Some(target)) => vec![target],
                (Some(("groups", _)), None) => self.check_group_axis(&key),
                (Some(("settings" | "native", _)), None) => vec![format!("server.{key}")],
                (Some(_), None) => {
                    self.check_phase_axis(&key);
                    continue;
                }
                (None, None) if key == WORKLOAD => continue,
                (None, None) => {
                    if !running.is_empty() && !running.iter().any(|w| parameter_of(w, &key).is_some()) {
                        self.problem(
                            &path,
                            format!("no workload that runs has `{key}`"),
                            format!("running: {}", names(&running)),
                        );
                    }
                    let sections = running.iter().flat_map(|w| [&*w.name, w.family()]).collect::<BTreeSet<_>>();
                    let own = self.naming_workloads().into_iter().map(|at| format!("{at}.parameters.{key}"));
                    let option = format!("workload.options.{key}");
                    sections.into_iter().map(|s| format!("workload.{s}.{key}")).chain(own).chain([option]).collect()
                }
            };
            for fixed in fixed.iter().filter(|f| self.said(f)).cloned().collect::<Vec<_>>() {
                self.problem(
                    &fixed,
                    "fixed here, and an axis as well",
                    format!("leave out one of them; a single value is written {path} = [...]"),
                );
            }
        }
    }

    fn check_phase_axis(&mut self, key: &str) {
        let name = key.trim_start_matches("phases.").trim_end_matches(".disturb");
        if self.list("phases").iter().all(|phase| self.name_of(phase).as_deref() != Some(name)) {
            self.problem(
                &format!("axes.{key}"),
                format!("there is no phase `{name}`"),
                "write phases.NAME.disturb with the name of a phase",
            );
        }
    }

    fn check_load(&mut self) {
        let sought = self.sought() == Some("users");
        if !self.said("load.users") && !self.said("axes.users") && !sought && !self.phases_have_users() {
            self.problem(
                "load.users",
                "nobody says how many users there are",
                "write users = 8 in [load], or make it an axis",
            );
        }
        if self.said("load.transport") && self.said("server.on") {
            self.problem(
                "load.transport",
                "the DSN says how its server is reached",
                "leave this out; write ?socket=/PATH or ?tls=required into server.on",
            );
        }
        for fixed in ["server.topology", "server.memory"] {
            self.refuse_of_others(fixed, "leave out server.on, or this line");
        }
        self.refuse_of_others("server.cpus", "leave this out; load_cpus says where the load runs");
        let rate = self.said("load.rate") || self.said("axes.rate") || self.sought() == Some("rate");
        self.check_rhythm("load", rate, &self.running());
    }

    fn refuse_of_others(&mut self, fixed: &str, mend: &str) {
        if self.said(fixed) && self.said("server.on") {
            self.problem(fixed, "a server that assay did not start is what it is", mend);
        }
    }

    /// When users begin, as a section says it; `rate` where they do so because operations arrive.
    pub(super) fn check_rhythm(&mut self, at: &str, rate: bool, running: &[&WorkloadWords]) {
        let key = |key: &str| format!("{at}.{key}");
        if self.said(&key("arrivals")) && !rate {
            self.problem(
                &key("arrivals"),
                "arrivals without a rate",
                "add rate = 1000 (operations per second), or leave it out for a closed load",
            );
        }
        let thinks = self.thinks(at);
        if self.said(&key("think_distribution")) && thinks.is_empty() {
            self.problem(&key("think_distribution"), "no think time is said", "add think = \"10ms\", or leave it out");
        }
        if !thinks.is_empty() && self.said(&key("pace")) {
            self.problem(
                &key("pace"),
                "both a think time and a pace",
                "keep one: `think` waits after each operation, `pace` begins one every so often",
            );
        }
        for pause in thinks.iter().take(1).chain(&[key("pace")]).filter(|_| rate) {
            if self.said(pause) {
                self.problem(
                    pause,
                    "a pause between operations that arrive at a rate",
                    "leave out one of them: under a rate, arrivals say when users begin",
                );
            }
        }
        let operations = running.iter().flat_map(|w| w.operations).copied();
        for think in &thinks {
            let (key, name) = think[at.len() + 1..].split_once('.').unwrap_or_default();
            let others = key == "think" && name == OTHERS;
            if !(name.is_empty() || others || running.is_empty()) && operations.clone().all(|o| o != name) {
                let mend = suggestion(name, operations.clone().chain([OTHERS]));
                self.problem(think, format!("no workload that runs has an operation `{name}`"), mend);
            }
        }
    }

    /// The keys that say a think time, one for all or one for each operation, or how long one is keyed in.
    fn thinks(&self, at: &str) -> Vec<String> {
        let (one, each) = (format!("{at}.think"), ["think", "keying"].map(|key| format!("{at}.{key}.")));
        let is = |path: &&String| **path == one || each.iter().any(|each| path.starts_with(each));
        self.entries.iter().map(|e| &e.path).filter(is).cloned().collect()
    }

    fn check_errors(&mut self) {
        const RETRY: &str = "load.errors.retry.";
        let retried: Vec<_> =
            self.values.keys().filter_map(|path| path.strip_prefix(RETRY)).map(String::from).collect();
        let stop = self.values.get("load.errors.stop").map(Value::to_string).unwrap_or_default();
        let mut seen: BTreeSet<_> = stop.split_whitespace().filter_map(errors::number).collect();
        for name in retried {
            if errors::number(&name).is_some_and(|number| !seen.insert(number)) {
                self.problem(
                    &format!("{RETRY}{name}"),
                    "this error is named twice, here and under another name or in `stop`",
                    "keep one of them: an error is tried again, or it ends the run",
                );
            }
        }
    }

    fn check_phases(&mut self) {
        let phases = self.list("phases");
        if !phases.is_empty() {
            for key in ["load.measure", "load.warm_up"] {
                if self.said(key) {
                    self.problem(key, "the phases are listed as well", "leave this out, or the list of [[phases]]");
                }
            }
        }
        let mut names = BTreeSet::new();
        for phase in &phases {
            let name_path = format!("{phase}.name");
            match self.values.get(&name_path).map(Value::to_string) {
                Some(name) if name.is_empty() || name.contains('.') => {
                    self.problem(&name_path, "not a name", "a phase is named by a word without dots")
                }
                Some(name) if !names.insert(name.clone()) => self.problem(
                    &name_path,
                    format!("`{name}` is the name of an earlier phase"),
                    "give each phase its own",
                ),
                Some(_) => {}
                None if self.said(&name_path) => {}
                None => self.problem(phase, "a phase without a name", "add name = \"...\""),
            }
            let ends: Vec<_> = keys::ends().filter(|end| self.said(&format!("{phase}.{end}"))).collect();
            match ends.as_slice() {
                [] => self.problem(
                    phase,
                    "a phase without an end",
                    "add measure = \"40s\", warm_up = \"10s\", count = 100_000 or settle = \"10m\"",
                ),
                [end] if *end != "count" && self.said(&format!("{phase}.kind")) => {
                    self.problem(&format!("{phase}.kind"), format!("`{end}` says the kind already"), "leave this out");
                }
                [_] => {}
                [first, ..] => self.problem(
                    &format!("{phase}.{first}"),
                    "a phase with two ends",
                    format!("keep one of {}", keys::ends().collect::<Vec<_>>().join(", ")),
                ),
            }
        }
        let measures = phases.iter().any(|p| {
            self.said(&format!("{p}.measure"))
                || (self.said(&format!("{p}.count"))
                    && self.values.get(&format!("{p}.kind")).and_then(Value::text) != Some("warm_up"))
        });
        if !phases.is_empty() && !measures {
            self.problem("phases", "no phase measures", "write measure = \"40s\" in at least one of them");
        }
    }
}

pub(super) fn names(workloads: &[&WorkloadWords]) -> String {
    workloads.iter().map(|w| &*w.name).collect::<Vec<_>>().join(", ")
}
