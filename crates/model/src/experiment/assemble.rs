//! From checked values to the experiment: names become fields, durations become phases, and what the file leaves open
//! gets its default. Nothing can be wrong any more here.

use super::get::Get;
use super::keys::{KEYS, OTHERS};
use super::reading::Reading;
use super::search;
use super::stages::groups_of;
use super::{Experiment, NO_DISTURBANCE, Repeat};
use crate::errors;
use crate::intervention::Intervention;
use crate::load::{Arrivals, Distribution, Group, Load, Pause, Phase, PhaseKind, Process, Until, Work};
use crate::precision::Precision;
use crate::rate::Rate;
use crate::search::Search;
use crate::seed::Seed;
use crate::server::Server;
use crate::units::{Nanos, Users};
use crate::value::Value;
use std::collections::BTreeMap;

/// All but the axes and the parameters, which stay as they were read.
pub(super) fn experiment(name: &str, text: &str, scale: Option<String>, reading: &Reading<'_>) -> Experiment {
    let get = Get(&reading.values);
    let search = search::of(get);
    let groups: Vec<Group> = reading.list("groups").iter().map(|at| group(get, reading, at)).collect();
    let (server, load) = asked(get, reading, &groups, search.as_ref());
    let until = get.text("repeat.repetitions").and_then(|text| Precision::parse(&text, u32::MAX).ok());
    let compared: usize = reading.axes.iter().map(|a| a.values.len()).fold(1, usize::saturating_mul);
    Experiment {
        name: name.to_string(),
        question: get.text("question").unwrap_or_default(),
        text: text.to_string(),
        scale,
        sets: Vec::new(),
        axes: Vec::new(),
        server,
        workloads: BTreeMap::new(),
        load,
        groups,
        phases: phases(get, reading),
        intervention: intervention(get),
        repeat: Repeat {
            repetitions: match (&search, until) {
                (Some(search), _) => search.runs,
                (None, Some(until)) => until.most,
                (None, None) => u32::try_from(get.count_or_default("repeat.repetitions")).expect("bounded"),
            },
            until,
            interleave: get.flag_or_default("repeat.interleave"),
            seed: Seed(get.count_or_default("repeat.seed").unsigned_abs()),
            aa: get.0.get("repeat.aa").and_then(Value::flag).unwrap_or(compared > 1),
            explain: get.flag_or_default("repeat.explain"),
            profiles: u32::try_from(get.count_or_default("repeat.profiles")).expect("bounded"),
            profile_waits: u32::try_from(get.count_or_default("repeat.profile_waits")).expect("bounded"),
            profile_pairs: get.flag_or_default("repeat.profile_pairs"),
            profile_hz: u32::try_from(get.count_or_default("repeat.profile_hz")).expect("bounded"),
        },
        search,
        limits: get.below("limits.").into_iter().filter_map(|(name, value)| Some((name, value.number()?))).collect(),
    }
}

fn intervention(get: Get<'_>) -> Option<Intervention> {
    let of = |key: &str| get.text(&format!("intervention.{key}"));
    Some(Intervention { of: of("of")?, finding: of("finding")?, removes: of("removes")?, placebo: of("placebo")? })
}

/// Server and load as their keys say them, or the keys' defaults.
fn asked(get: Get<'_>, reading: &Reading<'_>, groups: &[Group], search: Option<&Search>) -> (Server, Load) {
    let mut server =
        Server { settings: get.below("server.settings."), native: get.below("server.native."), ..Server::default() };
    let (users, arrivals, pause) = match groups {
        [] => rhythm(get, reading, "load", "", search),
        groups => (Users(groups.iter().map(|g| g.users.0).sum()), None, None),
    };
    let mut load = Load { arrivals, pause, ..Load::closed(users, Nanos(0)) };
    for key in KEYS {
        if let Some(value) = get.said_or_default(&key.path()) {
            key.put(&value, &mut server, &mut load);
        }
    }
    // What is said of one error stands beside the defaults of the others.
    for (name, times) in get.below("load.errors.retry.") {
        let times = times.count().and_then(|n| u32::try_from(n).ok()).expect("bounded");
        load.errors.retry.insert(errors::number(&name).expect("checked"), times);
    }
    (server, load)
}

fn group(get: Get<'_>, reading: &Reading<'_>, at: &str) -> Group {
    let name = get.text(&format!("{at}.name")).expect("checked");
    let (users, arrivals, pause) = rhythm(get, reading, at, &format!("groups.{name}."), None);
    let workload = get.text(&format!("{at}.workload")).expect("checked");
    let work = Work { workload, parameters: get.below(&format!("{at}.parameters.")) };
    Group { name, work, users, arrivals, pause }
}

/// How many users begin when, as a section says it; what an axis says stands at its first value, what a search looks
/// for at its lowest.
fn rhythm(
    get: Get<'_>,
    reading: &Reading<'_>,
    at: &str,
    axis: &str,
    search: Option<&Search>,
) -> (Users, Option<Arrivals>, Option<Pause>) {
    let first = |key: &str| reading.axis_named(&format!("{axis}{key}")).and_then(|a| a.values.first()).cloned();
    let said = |key: &str| get.0.get(&format!("{at}.{key}")).cloned();
    let lowest = |sought: &str| search.filter(|s| s.goal.axis() == sought).map(|s| s.from);
    let users = said("users").or_else(|| first("users")).and_then(|n| n.count());
    let of_phase = |phase: &String| {
        let of_groups = reading.list(&groups_of(phase)).into_iter().filter_map(|at| get.count(&format!("{at}.users")));
        get.count(&format!("{phase}.users")).or_else(|| of_groups.reduce(|all, more| all + more))
    };
    let of_phases = || reading.list("phases").iter().filter_map(of_phase).max();
    let users = users.or_else(|| lowest("users").map(|n| n as i64)).or_else(of_phases).expect("checked");
    let constant = get.text(&format!("{at}.arrivals")).as_deref() == Some("constant");
    let process = if constant { Process::Constant } else { Process::Poisson };
    let rate = said("rate").or_else(|| first("rate")).and_then(|value| Rate::of(&value));
    let rate = rate.or_else(|| lowest("rate").map(Rate::steady));
    (Users(u32::try_from(users).expect("bounded")), rate.map(|rate| Arrivals { rate, process }), pause(get, at))
}

fn pause(get: Get<'_>, at: &str) -> Option<Pause> {
    let exponential = get.text(&format!("{at}.think_distribution")).as_deref() == Some("exponential");
    let distribution = if exponential { Distribution::Exponential } else { Distribution::Constant };
    let times = |key: &str| -> BTreeMap<String, Nanos> {
        let below = get.below(&format!("{at}.{key}.")).into_iter();
        below.filter_map(|(name, time)| Some((name, Nanos(time.count()?.unsigned_abs())))).collect()
    };
    let (mut by_operation, keying) = (times("think"), times("keying"));
    let others = by_operation.remove(OTHERS);
    let any = !(by_operation.is_empty() && keying.is_empty());
    let said = get.time(&format!("{at}.think")).or(others).or_else(|| any.then_some(Nanos(0)));
    let think = said.map(|mean| Pause::Think { mean, distribution, by_operation, keying });
    think.or_else(|| get.time(&format!("{at}.pace")).map(|every| Pause::Pace { every }))
}

fn phases(get: Get<'_>, reading: &Reading<'_>) -> Vec<Phase> {
    let is_once = |prefix: &String| get.0.get(&format!("{prefix}.once")).and_then(Value::flag) == Some(true);
    let listed = reading.list("phases");
    let listed: Vec<_> = listed.iter().map(|prefix| (phase(get, prefix, reading), is_once(prefix))).collect();
    let all = if listed.is_empty() { plain_phases(get).into_iter().map(|p| (p, false)).collect() } else { listed };
    let iterations = get.count_or_default("repeat.iterations");
    if iterations == 1 {
        return all.into_iter().map(|(phase, _)| phase).collect();
    }
    let numbered = |n: i64| {
        let of_iteration = all.iter().filter(move |(_, once)| n == 1 || !once);
        of_iteration.map(move |(phase, _)| Phase { name: format!("{}.{n}", phase.name), ..phase.clone() })
    };
    (1..=iterations).flat_map(numbered).collect()
}

/// `load.warm_up` and `load.measure`, the short form of the two phases that most experiments have.
fn plain_phases(get: Get<'_>) -> Vec<Phase> {
    let phase = |name: &str, kind, time| Phase::new(name, kind, Until::Time(time));
    let warm_up = get.time_or_default("load.warm_up");
    let mut phases = vec![
        phase("warm-up", PhaseKind::WarmUp, warm_up),
        phase("measure", PhaseKind::Measure, get.time_or_default("load.measure")),
    ];
    phases.retain(|p| p.until != Until::Time(Nanos(0)));
    phases
}

fn phase(get: Get<'_>, prefix: &str, reading: &Reading<'_>) -> Phase {
    let words = reading.words;
    let warms_up = get.text(&format!("{prefix}.kind")).as_deref() == Some("warm_up");
    let end = |key: &str| get.count(&format!("{prefix}.{key}")).map(i64::unsigned_abs);
    let resting = end("settle").map(|time| (PhaseKind::WarmUp, Until::Rest(Nanos(time))));
    let ending = match (end("measure"), end("warm_up"), end("count")) {
        _ if resting.is_some() => (PhaseKind::WarmUp, Until::Count(0)),
        (Some(time), _, _) => (PhaseKind::Measure, Until::Time(Nanos(time))),
        (_, Some(time), _) => (PhaseKind::WarmUp, Until::Time(Nanos(time))),
        (_, _, count) => {
            (if warms_up { PhaseKind::WarmUp } else { PhaseKind::Measure }, Until::Count(count.expect("checked")))
        }
    };
    let (kind, until) = resting.unwrap_or(ending);
    let disturb = get.text(&format!("{prefix}.disturb")).or_else(|| get.text(&format!("{prefix}.disturb.name")));
    let said = || get.below(&format!("{prefix}.disturb."));
    let disturb = disturb.filter(|d| d != NO_DISTURBANCE).map(|d| words.disturbance(&d).with(&said()));
    let users = get.count(&format!("{prefix}.users")).map(|n| Users(u32::try_from(n).expect("bounded")));
    let parameters = || get.below(&format!("{prefix}.parameters."));
    let work = get.text(&format!("{prefix}.workload")).map(|workload| Work { workload, parameters: parameters() });
    let groups = reading.list(&groups_of(prefix)).iter().map(|at| group(get, reading, at)).collect();
    Phase {
        disturb,
        work,
        users,
        groups,
        ..Phase::new(get.text(&format!("{prefix}.name")).expect("checked"), kind, until)
    }
}
