//! Which functions bear the cost of a finding, where its cell was profiled. A cause says by its counters that it is at
//! work; a profile says independently what the CPU did. Functions stand in a data file (`functions.txt`), by finding
//! and kind of server, because servers rename them more often than a cause changes. Nothing of the ladder rests on it:
//! a cause whose cost is waiting has no function on a CPU, and is seen where waits were sampled.

use super::cause::{Case, Cause, Scene, Time};
use crate::compare::functions::Profiled;
use crate::frame::evidence::{CellEvidence, RunEvidence};
use model::functions::{Spent, is_one};
use model::record::profile::NAMELESS;
use model::units::{Share, round3};

const FUNCTIONS: &str = include_str!("../functions.txt");
/// Functions that a sentence names.
const NAMED: usize = 3;
/// Less of an operation's CPU time bears nothing.
const LEAST: Share = Share(0.005);
/// Where more of the samples are in functions without a name, those that are looked for may be among them.
const UNNAMED: Share = Share(0.1);

/// The functions of a finding on that kind of server.
pub fn functions(finding: &str, kind: &str) -> Vec<&'static str> {
    let lines = FUNCTIONS.lines().filter(|line| !line.starts_with('#'));
    let of = |line: &'static str| {
        let mut words = line.split_whitespace();
        let is_it = words.next() == Some(finding) && words.next()?.split(',').any(|known| known == kind);
        is_it.then_some(words)
    };
    lines.filter_map(of).flatten().collect()
}

/// What the profiles of the cell say of it; nothing where there is none, or no function is known.
pub fn sentence(scene: &Scene, cause: &Cause, case: &Case) -> Option<String> {
    let cell = scene.cell(&case.place.cell);
    let kind = &cell.runs.iter().find_map(|run| run.instance)?.kind;
    let patterns = functions(cause.id, kind);
    if patterns.is_empty() {
        return None;
    }
    let base = match &case.place.time {
        Time::Loss(base) => Some(scene.cell(base)),
        Time::Operation | Time::Turn | Time::Growth => None,
    };
    let named: Vec<String> = Spent::ALL.iter().filter_map(|spent| named(cell, base, *spent, &patterns)).collect();
    if named.is_empty() { profiled(cell, Spent::OnCpu).map(|here| not_there(&here)) } else { Some(named.join(" ")) }
}

/// The functions that a profile names, with their part of an operation.
fn named(cell: &CellEvidence, base: Option<&CellEvidence>, spent: Spent, patterns: &[&str]) -> Option<String> {
    let here = profiled(cell, spent)?;
    let (us, named) = here.in_functions(|name| is_one(name, patterns));
    let all = here.operation();
    let share = Share(us / all);
    if share.0 < LEAST.0 {
        return None;
    }
    let base = base.and_then(|base| profiled(base, spent));
    let against = base.map_or(String::new(), |base| {
        format!(", against {} µs in {}", round3(base.in_functions(|name| is_one(name, patterns)).0), base.cell())
    });
    let names: Vec<String> = named.into_iter().take(NAMED).map(|(name, _)| format!("`{name}`")).collect();
    let (what, of) = match spent {
        Spent::OnCpu => ("The profile names", "the CPU time"),
        Spent::Waiting => ("Threads wait in", "the waiting"),
    };
    Some(format!(
        "{what} {}: {share} of {of} of an operation ({} of {} µs, {} runs){against}.",
        names.join(", "),
        round3(us),
        round3(all),
        here.count(),
    ))
}

/// What is said where no function of it is in the profile, or none that has a name.
fn not_there(here: &Profiled) -> String {
    let (runs, unnamed) = (here.count(), here.not_named());
    if unnamed.0 <= UNNAMED.0 {
        return format!("Its functions are not in the profile ({runs} runs), where it would be seen on the CPU.");
    }
    let mend = here.missing().into_iter().find(|missing| missing.contains(NAMELESS));
    let mend = mend.map_or(String::new(), |mend| format!(": {mend}"));
    format!(
        "Whether its functions are in the profile ({runs} runs) cannot be said: {unnamed} of the samples are in functions \
         without a name{mend}."
    )
}

/// The profile of a cell that has one.
pub fn profiled(cell: &CellEvidence, spent: Spent) -> Option<Profiled> {
    let RunEvidence { record, details, .. } = cell.runs.first()?;
    Profiled::of(record, *details, &cell.cell.id, spent).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::ALL;

    #[test]
    fn every_finding_of_the_file_is_one_and_every_line_has_functions() {
        for line in FUNCTIONS.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(ALL.iter().any(|cause| cause.id == words[0]) && words.len() > 2, "{line}");
            for kind in words[1].split(',') {
                assert!(["mariadb", "mysql"].contains(&kind), "{line}");
            }
        }
    }

    #[test]
    fn functions_are_those_of_the_kind_of_server() {
        assert!(functions("implicit_time_condition", "mysql").is_empty());
        assert!(functions("implicit_time_condition", "mariadb").contains(&"localtime_r"));
    }
}
