//! Axes multiplied into cells, every default filled in, and what this host cannot run put aside with its reason. An
//! axis over a parameter that a workload lacks does not multiply that workload's cells. Then what the users of a cell
//! do, in which groups and stages.

use super::obstacle::{Obstacle, admit, obstacle};
use super::served;
use super::{Axis, Cell, CellId, Server, Skipped, Stage};
use crate::charset;
use crate::dsn::Dsn;
use crate::experiment::grammar::parameter_of;
use crate::experiment::keys::{self, Key, WORKLOAD, axis_target, group_axis};
use crate::experiment::{Experiment, NO_DISTURBANCE};
use crate::host::Host;
use crate::load::{Arrivals, Group, Load, Phase, Process, Transport, Until, Work};
use crate::problem::Problem;
use crate::protocol::Protocol;
use crate::rate::Rate;
use crate::search::{Goal, Search};
use crate::seed::Seed;
use crate::settings;
use crate::units::{Nanos, Users};
use crate::value::Value;
use crate::words::{Kind, Words, WorkloadWords};
use std::collections::{BTreeMap, BTreeSet};

/// A parameter of this name, where a workload has it and nobody says it, is the number of the iteration that a phase
/// belongs to.
const ITERATION: &str = "iteration";

type Axes = BTreeMap<String, Value>;

/// Cells in the order of the axes, the last axis varying fastest, and what was put aside: each as it is listed beside
/// the cells that remain, and as it is told where none remains.
pub(super) fn cells(experiment: &Experiment, host: &Host, words: &Words) -> (Vec<Cell>, Vec<(Skipped, Problem)>) {
    let mut cells = Vec::new();
    let mut skipped: Vec<(Skipped, Problem)> = Vec::new();
    let mut unfit: Vec<(Skipped, Problem)> = Vec::new();
    for cell in all(experiment, host, words) {
        match obstacle(&cell, host, words) {
            None => cells.push(cell),
            Some(Obstacle { keys, reason, mend }) => {
                let of_group = |key: &str| group_axis(key).is_some_and(|(_, own)| keys.contains(&own));
                let about = |key: &str| keys.contains(&key) || of_group(key);
                let axes: Axes = cell.axes.into_iter().filter(|(key, _)| about(key)).collect();
                let path = axes.keys().next().map_or_else(|| path_of(keys[0]), |axis| format!("axes.{axis}"));
                let skip = Skipped { axes, reason: format!("{reason}; {mend}") };
                // Two axes whose values do not all go together: the pairs that do are what was asked for.
                let list = if served::unfits(&experiment.axes, keys) { &mut unfit } else { &mut skipped };
                if list.iter().all(|(s, _)| *s != skip) {
                    let problem = experiment.problem(&path, reason, mend);
                    list.push((skip, problem));
                }
            }
        }
    }
    if cells.is_empty() {
        skipped.append(&mut unfit);
    }
    let width = cells.len().to_string().len().max(3);
    for (i, cell) in cells.iter_mut().enumerate() {
        cell.id = CellId(format!("c{:0width$}", i + 1));
    }
    (cells, skipped)
}

/// Every combination once, whether or not it can be run here.
fn all(experiment: &Experiment, host: &Host, words: &Words) -> Vec<Cell> {
    let (mut cells, mut seen) = (Vec::new(), BTreeSet::new());
    for combination in Combinations::of(&experiment.axes) {
        let workloads = workloads_of(experiment, &combination, words);
        let axes: Axes = combination.into_iter().filter(|(key, _)| workloads.iter().any(|w| applies(key, w))).collect();
        if seen.insert((label(&workloads), axes.clone())) {
            cells.push(cell(experiment, axes, &workloads, host, words));
        }
    }
    admit(experiment, &mut cells);
    cells
}

/// The A/A arm: the middle cell once more under another label, because the ends of axes are the least typical.
pub(super) fn repeat_one(cells: &mut Vec<Cell>) {
    let twin = cells[cells.len() / 2].clone();
    let width = twin.id.0.len() - 1;
    cells.push(Cell { id: CellId(format!("c{:0width$}", cells.len() + 1)), repeats: Some(twin.id.clone()), ..twin });
}

/// A seed of its own for the search of each cell.
pub(super) fn seed_searches(cells: &mut [Cell], seed: Seed) {
    for (i, search) in cells.iter_mut().enumerate().filter_map(|(i, c)| Some((i, c.search.as_mut()?))) {
        search.seed = seed.child("search").nth(i as u64);
    }
}

/// All combinations of axis values.
struct Combinations<'a> {
    axes: &'a [Axis],
    next: Option<Vec<usize>>,
}

impl<'a> Combinations<'a> {
    fn of(axes: &'a [Axis]) -> Self {
        Self { axes, next: Some(vec![0; axes.len()]) }
    }
}

impl Iterator for Combinations<'_> {
    type Item = Vec<(String, Value)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut at = self.next.take()?;
        let item = self.axes.iter().zip(&at).map(|(axis, i)| (axis.key.clone(), axis.values[*i].clone())).collect();
        for (axis, i) in self.axes.iter().zip(&mut at).rev() {
            *i += 1;
            if *i < axis.values.len() {
                self.next = Some(at);
                break;
            }
            *i = 0;
        }
        Some(item)
    }
}

fn path_of(axis: &str) -> String {
    axis_target(axis).unwrap_or_else(|| axis.to_string())
}

/// What runs in a cell: the one workload of all users, or those of the groups.
fn workloads_of<'a>(
    experiment: &Experiment,
    combination: &[(String, Value)],
    words: &'a Words,
) -> Vec<&'a WorkloadWords> {
    let chosen = combination.iter().find(|(key, _)| key == WORKLOAD).and_then(|(_, value)| value.text());
    let mut running = experiment.running(words);
    if experiment.groups.is_empty() && !experiment.is_staged() {
        running.retain(|w| chosen.is_none_or(|name| w.name == name));
        running.truncate(1);
    }
    assert!(!running.is_empty(), "a parsed experiment names known workloads");
    running
}

/// More would not be read; the plan lists the phases.
const LABELLED: usize = 3;

fn label(workloads: &[&WorkloadWords]) -> String {
    let names: Vec<_> = workloads.iter().map(|w| &*w.name).take(LABELLED).collect();
    let more = workloads.len() - names.len();
    let others = if more > 0 { format!(" + {more} more") } else { String::new() };
    names.join(" + ") + &others
}

fn applies(axis: &str, workload: &WorkloadWords) -> bool {
    keys::axis(axis).is_some() || axis.contains('.') || parameter_of(workload, axis).is_some()
}

fn cell(experiment: &Experiment, mut axes: Axes, workloads: &[&WorkloadWords], host: &Host, words: &Words) -> Cell {
    let mut load = experiment.load.clone();
    vary(&axes, "", &mut load.users, &mut load.arrivals);
    let mut server = server(experiment, &axes, &mut load);
    server.engine = served::engine_of(&server, &host.builds).to_string();
    if let Some(engine) = axes.get_mut("engine") {
        *engine = Value::Text(server.engine.clone());
    }
    let sql = served::sql_of(&server).unwrap_or(Protocol::MySql);
    let groups: Vec<Group> = experiment.groups.iter().map(|g| group(experiment, &axes, g, sql, words)).collect();
    if !groups.is_empty() {
        load.users = Users(groups.iter().map(|g| g.users.0).sum());
    }
    if server.on.is_none() && experiment.running(words).iter().any(|w| !w.protocol().is_sql()) {
        // The servers of all cells open the endpoints that they have, so that one server can take users of each.
        server.settings.entry("doors".into()).or_insert(Value::Flag(true));
    }
    let mut phases = experiment.phases.clone();
    for phase in &mut phases {
        if let Some(disturb) = axes.get(&format!("phases.{}.disturb", phase.step().0)).and_then(Value::text) {
            let named = (disturb != NO_DISTURBANCE).then(|| words.disturbance(disturb));
            phase.disturb = named.map(|d| d.with(&BTreeMap::new()));
        }
        let iteration = Value::Count(i64::from(phase.step().1.unwrap_or(1)));
        for work in phase.work.iter_mut().chain(phase.groups.iter_mut().map(|group| &mut group.work)) {
            let own = |name: &str| work.parameters.get(name).or_else(|| (name == ITERATION).then_some(&iteration));
            let parameters = parameters(experiment, &axes, words.workload(&work.workload), sql, own);
            work.parameters = parameters;
        }
    }
    let parameters = match workloads {
        [workload] if groups.is_empty() && !experiment.is_staged() => {
            parameters(experiment, &axes, workload, sql, |_| None)
        }
        _ => BTreeMap::new(),
    };
    Cell {
        id: CellId(String::new()),
        repeats: None,
        protocols: workloads.iter().map(|workload| served::spoken(workload, &server)).collect(),
        server,
        workload: label(workloads),
        parameters,
        load,
        search: experiment.search.clone(),
        groups,
        phases,
        axes,
    }
}

/// Every parameter of a workload: as `own` says it, an axis, the file, or its default.
fn parameters<'a>(
    experiment: &'a Experiment,
    axes: &'a Axes,
    workload: &WorkloadWords,
    sql: Protocol,
    own: impl Fn(&str) -> Option<&'a Value>,
) -> BTreeMap<String, Value> {
    let said = |name: &str| own(name).or_else(|| axes.get(name)).or_else(|| experiment.written(workload, name));
    let all = workload.parameters.iter();
    all.filter_map(|p| {
        let default = || Some(at_home(p.default.as_ref()?.value(), p.kind, sql));
        Some((p.name.to_string(), said(&p.name).cloned().or_else(default)?))
    })
    .collect()
}

/// A default that names a charset, as that of servers with this SQL.
fn at_home(default: Value, kind: Kind, sql: Protocol) -> Value {
    let is_charset = kind == Kind::Choice(charset::LABELS);
    let foreign = default.text().and_then(charset::by_label).filter(|c| is_charset && c.protocol != sql);
    let own = foreign.and_then(|_| charset::of(sql).next());
    own.map_or(default, |charset| Value::Text(charset.label.into()))
}

fn group(experiment: &Experiment, axes: &Axes, wish: &Group, sql: Protocol, words: &Words) -> Group {
    let workload = words.workload(&wish.work.workload);
    let prefix = format!("groups.{}.", wish.name);
    let own = |name: &str| axes.get(&format!("{prefix}{name}")).or_else(|| wish.work.parameters.get(name));
    let parameters = parameters(experiment, axes, workload, sql, own);
    let mut group = Group { work: Work { parameters, ..wish.work.clone() }, ..wish.clone() };
    vary(axes, &prefix, &mut group.users, &mut group.arrivals);
    group
}

/// Users and rate as the axes of that prefix say them.
fn vary(axes: &Axes, prefix: &str, users: &mut Users, arrivals: &mut Option<Arrivals>) {
    if let Some(count) = axes.get(&format!("{prefix}users")).and_then(Value::count) {
        *users = Users(u32::try_from(count).expect("bounded by the grammar"));
    }
    if let Some(rate) = axes.get(&format!("{prefix}rate")).and_then(Rate::of) {
        let process = arrivals.as_ref().map_or(Process::Poisson, |a| a.process);
        *arrivals = Some(Arrivals { rate, process });
    }
}

/// The server of a cell, and its load, as the axes over fixed keys say them.
fn server(experiment: &Experiment, axes: &Axes, load: &mut Load) -> Server {
    let mut server = experiment.server.clone();
    for (axis, value) in axes {
        if let Some(key) = keys::axis(axis) {
            key.put(value, &mut server, load);
        }
    }
    server.settings = profile_settings(&server.profile);
    server.tcp = comes_by(experiment, Transport::Tcp) || comes_by(experiment, Transport::Tls);
    if comes_by(experiment, Transport::Tls) {
        server.settings.insert("tls".into(), Value::Flag(true));
    }
    server.settings.extend(experiment.server.settings.clone());
    for (key, value) in axes {
        match key.split_once('.') {
            Some(("settings", name)) => server.settings.insert(name.to_string(), value.clone()),
            Some(("native", name)) => server.native.insert(name.to_string(), value.clone()),
            Some(_) | None => continue,
        };
    }
    if let Some(dsn) = &server.on {
        // Nothing is set on a server that was there before; it is called by its address.
        server.build = Dsn::parse(dsn).map_or_else(|_| dsn.clone(), |dsn| dsn.address());
        server.profile = "default".into();
        server.settings.clear();
        server.native.clear();
    }
    server
}

/// Whether users of any cell come this way: then the servers of all cells offer it, so that one server can take them
/// all.
fn comes_by(experiment: &Experiment, transport: Transport) -> bool {
    match experiment.axes.iter().find(|a| a.key == "transport") {
        Some(axis) => axis.values.iter().any(|value| value.text() == Some(transport.word())),
        None => experiment.load.transport == Some(transport),
    }
}

fn profile_settings(profile: &str) -> BTreeMap<String, Value> {
    let kept = settings::ALL.iter().filter(|p| profile == "durable" || settings::PLUMBING.contains(&p.name));
    kept.filter_map(|p| Some((p.name.to_string(), p.default?.value()))).collect()
}

/// Changes of a rate that no run lives to see; with phases by count nobody knows how long it lives.
pub(super) fn rate_warnings(cells: &[Cell]) -> BTreeSet<String> {
    let late = |(cell, group): (&Cell, Group)| {
        let times = cell.phases.iter().map(|phase| match phase.until {
            Until::Time(time) => Some(time.0),
            Until::Count(_) | Until::Rest(_) => None,
        });
        let end = Nanos(times.sum::<Option<u64>>()?);
        let last = group.arrivals?.rate.changes.last()?.when;
        (last >= end).then(|| format!("A rate changes until {last} after the start, but its run ends after {end}."))
    };
    cells.iter().flat_map(|cell| cell.groups().into_iter().map(move |group| (cell, group))).filter_map(late).collect()
}

impl Cell {
    /// The cell as one run of its search asks it.
    #[must_use]
    pub fn at(&self, level: f64) -> Self {
        let mut cell = self.clone();
        match &self.search {
            None => {}
            Some(Search { goal: Goal::Users, .. }) => cell.load.users = Users(level.round() as u32),
            Some(Search { goal: Goal::Rate { .. }, .. }) => {
                cell.load.arrivals.as_mut().expect("a search for a rate has arrivals").rate = Rate::steady(level);
            }
        }
        cell
    }

    /// Whether any of its users ask in such a protocol.
    pub fn asks_in(&self, is_it: impl Fn(Protocol) -> bool) -> bool {
        self.protocols.iter().copied().any(is_it)
    }

    /// Those of its users' protocols that are not SQL.
    pub fn past_sql(&self) -> impl Iterator<Item = Protocol> {
        self.protocols.iter().copied().filter(|protocol| !protocol.is_sql())
    }

    /// What it is asked to have for a key; `None` where nothing is asked, or no single value says it.
    pub fn asked(&self, key: &Key) -> Option<Value> {
        key.asked(&self.server, &self.load, &self.phases)
    }

    /// Who does what: the groups, or all users as the only one.
    pub fn groups(&self) -> Vec<Group> {
        if !self.groups.is_empty() {
            return self.groups.clone();
        }
        vec![Group {
            name: Group::ONLY.into(),
            work: Work { workload: self.workload.clone(), parameters: self.parameters.clone() },
            users: self.load.users,
            arrivals: self.load.arrivals.clone(),
            pause: self.load.pause.clone(),
        }]
    }

    /// The phases that the same users go through doing the same; between two stages sessions are opened anew.
    pub fn stages(&self) -> Vec<Stage> {
        let mut stages: Vec<Stage> = Vec::new();
        for (k, phase) in self.phases.iter().enumerate() {
            let groups = self.groups_in(phase);
            match stages.last_mut().filter(|stage| stage.groups == groups) {
                Some(stage) => stage.phases.end = k + 1,
                None => stages.push(Stage { phases: k..k + 1, groups }),
            }
        }
        stages
    }

    /// The most users that are there at a time, at whichever level a search may try.
    pub fn most_users(&self) -> Users {
        match &self.search {
            Some(search @ Search { goal: Goal::Users, .. }) => self.at(search.to).load.users,
            Some(_) | None => self.stages().iter().map(Stage::users).max().unwrap_or(self.load.users),
        }
    }

    /// Who does what during a phase.
    pub fn groups_in(&self, phase: &Phase) -> Vec<Group> {
        if !phase.groups.is_empty() || phase.rest().is_some() {
            return phase.groups.clone();
        }
        let mut groups = self.groups();
        if let [only] = &mut groups[..]
            && self.groups.is_empty()
        {
            only.work = phase.work.clone().unwrap_or_else(|| only.work.clone());
            only.users = phase.users.unwrap_or(only.users);
        }
        groups
    }

    /// What is done in any run of the cell, each once.
    pub fn works(&self) -> Vec<Work> {
        let mut works: Vec<Work> = Vec::new();
        for group in self.stages().into_iter().flat_map(|stage| stage.groups) {
            if !works.contains(&group.work) {
                works.push(group.work);
            }
        }
        works
    }
}
