//! A number is true of what was in force while it was made. A server's settings can be changed while it runs, an index
//! dropped, a log switched on, a limit set on its process, and nothing in the numbers says so: they are only other
//! numbers. So just before the users of every run come and just after they have left, the lab reads all global
//! variables, the session of a user, the tables with their keys, triggers and the engine's own numbers, privileges,
//! plugins, instruments, open transactions, who else is connected, what the processes may use, and how the kernel is
//! set. What was true at the start must be true at the end; and what the processes may use and what the clock shows,
//! which is read once a second while users are at work, in between. Of the kernel's knobs and the limits of control
//! groups it is known who was written to meanwhile, though not by whom.
//!
//! A difference in anything that can change work, plan, bytes or durability fails, and that is every difference but a
//! few that are known to be harmless: names, addresses, languages, sessions of others. Those warn, and so do more than
//! sixteen statements of an account that is not the load's, where the server counts them by account. What a disturbance
//! of the run did on purpose, what a statement of the run's own users changed by name (a script may create tables in
//! its events), and rows of a workload that writes, are no differences.

use crate::frame::applies::{Absence, states};
use crate::frame::naming::counted;
use crate::frame::own_changes::from_outside;
use crate::frame::states::{Difference, End, Weight, between, unasked, weight, writes};
use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight, strangers};
use model::Status;
use model::record::state::Facet;

pub const CHECK: Check = Check {
    id: "held_throughout",
    claim: || "what was true of the server, its data and its surroundings when a run began was true at its end".into(),
    source: include_str!("held_throughout.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "find out who changed it (the general log, the history of a shell, a configuration manager), put it back, and run again",
    look: Look::Run(look),
};

/// Differences that a sentence names; the rest is counted.
pub(super) const NAMED: usize = 3;

fn absent(run: &RunEvidence) -> Absence {
    states(run)
}

fn look(run: &RunEvidence) -> Sight {
    let id = &run.run.id;
    let begin = run.state(End::Begin).ok_or(format!("what held when run {id} began was not recorded"))?;
    let over = run.state(End::Over).ok_or(format!("what held when run {id} was over was not recorded"))?;
    let mut found = from_outside(unasked(between(&begin, &over), run), run);
    if writes(run) {
        found.retain(|d| !matches!(d.facet, Facet::Rows | Facet::Written));
    }
    // What somebody put back before the end.
    let mut within = unasked(run.otherwise_meanwhile(), run);
    within.retain(|d| !found.iter().any(|known| known.facet == d.facet && known.key == d.key));
    found.extend(within.iter().cloned());
    // Where it is known what was written, that says more than how often.
    let keys: Vec<String> = found.iter().filter(|d| d.facet == Facet::Kernel).map(|d| d.key.clone()).collect();
    found.retain(|d| d.facet != Facet::KernelWrites || !keys.contains(&d.key));
    found.sort_by_key(|d| (weight(d), !within.contains(d)));
    let facts: usize = begin.values().map(|state| state.facts.len()).sum();
    let held = || format!("All {facts} facts that were read when the run began were true at its end.");
    let sentence = |d: &Difference| {
        let (was, is) = d.values();
        if d.facet == Facet::KernelWrites {
            let times = counted(is.parse().unwrap_or_default(), "time");
            return format!("somebody wrote to `{}` while the users of {id} were at work, {times}", d.key);
        }
        if within.contains(d) {
            return format!("{} {was} when {id} began and {is} while its users were at work", d.was());
        }
        let who = (d.facet == Facet::Transactions).then(|| strangers::holders(run)).flatten();
        let who = who.map_or(String::new(), |who| format!(" ({who})"));
        format!("{} {was} at the start of {id} and {is} at its end{who}", d.was())
    };
    let states = run.run.states.iter().flat_map(|states| &states.meanwhile);
    let meanwhile = states.filter(|(facet, _)| within.iter().any(|d| d.facet == *facet));
    let meanwhile = meanwhile.map(|(_, name)| format!("states/{name}.json"));
    let mut seen = told(&found, held, sentence).at(meanwhile.chain(paths(run)).collect());
    if let Some(senders) = strangers::senders(run) {
        let before = if seen.status == Status::Pass { String::new() } else { format!("{} ", seen.sentence) };
        seen = Seen { status: seen.status.max(Status::Warn), sentence: format!("{before}{senders}"), ..seen };
    }
    Ok(seen)
}

/// The verdict on differences of which each has its sentence.
pub(super) fn told(found: &[Difference], held: impl Fn() -> String, sentence: impl Fn(&Difference) -> String) -> Seen {
    let limit = "no difference";
    let Some(first) = found.first() else { return Seen::new(Status::Pass, "0 differences", limit, held()) };
    let status = match weight(first) {
        Weight::Strikes => Status::Fail,
        Weight::Warns => Status::Warn,
    };
    let named: Vec<String> = found.iter().take(NAMED).map(&sentence).collect();
    let more = found.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" ({more} more differ)") } else { String::new() };
    let end = if status == Status::Fail { "; the number is struck." } else { "." };
    let measured = format!("{} differences", found.len());
    Seen::new(status, measured, limit, capital(&format!("{}{more}{end}", named.join("; "))))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// The files of what held.
pub(super) fn paths(run: &RunEvidence) -> Vec<String> {
    let names = run.run.states.iter().flat_map(|states| states.begin.iter().chain(&states.end));
    let mut paths: Vec<String> = names
        .filter(|(facet, name)| {
            let both = run.run.states.as_ref().map(|s| (s.begin.get(facet), s.end.get(facet)));
            facet.is_to_hold() && both.is_some_and(|(a, b)| a != b) && !name.is_empty()
        })
        .map(|(_, name)| format!("states/{name}.json"))
        .collect();
    paths.dedup();
    paths
}
