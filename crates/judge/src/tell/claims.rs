//! The report's opening, generated so that prose and evidence cannot diverge: what was found out (what a search ended
//! at, what was done to a server, what each axis costs, how it scales), then what was measured and whether it holds,
//! the worst first. The largest effects are picked from many comparisons and say from how many; cells that failed a
//! check take no part.

use crate::curves::scaling;
use crate::frame::evidence::Evidence;
use model::experiment::keys::WORKLOAD;
use model::judgement::{Against, Claim};
use model::{CellJudgement, Comparison, Ending, Outcome, SearchJudgement, Status, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// Effects told per axis, beside the count of the others.
const EFFECTS: usize = 2;
/// Phases told over all cells: a decline and a recovery under two engines.
const PHASES: usize = 4;

pub fn all(
    evidence: &Evidence,
    cells: &[CellJudgement],
    verdicts: &[Verdict],
    comparisons: &[Comparison],
) -> Vec<Claim> {
    let aa_warns = verdicts.iter().any(|v| v.check == "aa_pairs_agree" && v.verdict == Status::Warn);
    let status = if aa_warns { Status::Warn } else { Status::Pass };
    let mut answers: Vec<Claim> = evidence.cells.iter().filter_map(|c| c.search.as_ref()).map(of_search).collect();
    // What was done to a server is what such an experiment asks; its axes tell arms apart.
    answers.extend(phases(cells, status));
    let mut axes: Vec<&str> = evidence.record.plan.axes.iter().map(|axis| axis.key.as_str()).collect();
    // Different work has different rates, which is seldom what an experiment asks that has other axes, too.
    axes.sort_by_key(|axis| *axis == WORKLOAD);
    // The largest effect of each axis comes before the second of any, and what was decided before how many comparisons
    // were not.
    let (told, summaries): (Vec<_>, Vec<_>) =
        axes.into_iter().map(|axis| effects(axis, comparisons, cells, status)).unzip();
    let mut told: Vec<(usize, Claim)> = told.into_iter().flat_map(|of_axis| of_axis.into_iter().enumerate()).collect();
    told.sort_by_key(|(rank, _)| *rank);
    answers.extend(told.into_iter().map(|(_, claim)| claim));
    answers.extend(scaling::claims(cells, status));
    answers.iter_mut().for_each(|claim| claim.is_answer = true);
    let mut health = vec![measured(evidence, cells), valid(cells)];
    health.extend(verdicts.iter().filter(|v| v.counts_as() >= Status::Warn).map(of_experiment));
    health.extend(summaries.into_iter().flatten());
    health.sort_by_key(|claim| std::cmp::Reverse(claim.status));
    answers.into_iter().chain(health).collect()
}

fn measured(evidence: &Evidence, cells: &[CellJudgement]) -> Claim {
    let with_number = cells.iter().filter(|c| c.no_number.is_none()).count();
    // A search that is over leaves runs of its plan unmade.
    let made: BTreeSet<_> = evidence.record.runs.iter().map(|r| &r.id).collect();
    let over: BTreeSet<_> = evidence.cells.iter().filter(|c| c.search_is_over()).map(|c| &c.cell.id).collect();
    let wanted = evidence.record.plan.runs.iter().filter(|r| made.contains(&r.id) || !over.contains(&r.cell));
    let planned = wanted.count();
    let count = |of: fn(&Ending) -> bool| evidence.record.runs.iter().filter(|r| of(&r.ending)).count();
    let done = count(|e| matches!(e, Ending::Done));
    let failed = count(|e| matches!(e, Ending::Failed { .. }));
    let skipped = count(|e| matches!(e, Ending::Skipped { .. }));
    let open = planned.saturating_sub(done + failed + skipped);
    let others: Vec<String> = [(failed, "failed"), (skipped, "skipped"), (open, "not carried out")]
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!(", {n} {what}"))
        .collect();
    let status = if failed > 0 {
        Status::Fail
    } else if open > 0 {
        Status::Warn
    } else {
        Status::Pass
    };
    let sentence = format!(
        "{with_number} of {} cells have a number, from {done} of {planned} runs{}.",
        cells.len(),
        others.concat()
    );
    Claim { is_answer: false, status, sentence, evidence: Vec::new() }
}

fn valid(cells: &[CellJudgement]) -> Claim {
    let judged: Vec<&CellJudgement> = cells.iter().filter(|c| c.no_number.is_none()).collect();
    let of = |status: Status| judged.iter().filter(|c| c.status == status).count();
    // Where phases do different work, those that hold stand without the others.
    let (failed, in_part): (Vec<&CellJudgement>, Vec<&CellJudgement>) =
        judged.iter().copied().filter(|c| c.status == Status::Fail).partition(|c| c.struck(None).is_some());
    let status = judged.iter().map(|c| c.status).max().unwrap_or(Status::NotEvaluable);
    let mut sentence = format!("{} of {} numbers hold every check", of(Status::Pass), judged.len());
    let others = [(Status::NotEvaluable, "could not be checked in full"), (Status::Warn, "hold with a warning")];
    for (status, what) in others.into_iter().filter(|(s, _)| of(*s) > 0) {
        sentence.push_str(&format!(", {} {what}{}", of(status), most_frequent(&judged, status)));
    }
    if !failed.is_empty() {
        let most = most_frequent(&failed, Status::Fail);
        sentence.push_str(&format!(", {} are struck and left out of everything below{most}", failed.len()));
    }
    if !in_part.is_empty() {
        let all = || in_part.iter().flat_map(|cell| &cell.phases);
        let struck = all().filter(|phase| !phase.struck.is_empty()).count();
        let (most, cells) = (most_frequent(&in_part, Status::Fail), in_part.len());
        sentence.push_str(&format!(", {cells} have phases that are struck, {struck} of {}{most}", all().count()));
    }
    sentence.push('.');
    Claim { is_answer: false, status, sentence, evidence: failed.iter().map(|c| c.id.to_string()).collect() }
}

/// ` (mostly percentiles_have_samples)`: the check behind most verdicts of that status.
fn most_frequent(cells: &[&CellJudgement], status: Status) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for verdict in
        cells.iter().filter(|c| c.status == status).flat_map(|c| &c.verdicts).filter(|v| v.counts_as() == status)
    {
        *counts.entry(&verdict.check).or_default() += 1;
    }
    let only = if counts.len() > 1 { "mostly " } else { "" };
    counts.into_iter().max_by_key(|(_, n)| *n).map_or(String::new(), |(check, _)| format!(" ({only}{check})"))
}

fn of_search(search: &SearchJudgement) -> Claim {
    Claim {
        is_answer: false,
        status: search.status,
        sentence: search.sentence.clone(),
        evidence: vec![search.cell.to_string()],
    }
}

fn of_experiment(verdict: &Verdict) -> Claim {
    let evidence = std::iter::once(verdict.check.clone()).chain(verdict.evidence.iter().cloned());
    Claim {
        is_answer: false,
        status: verdict.verdict,
        sentence: verdict.sentence.clone(),
        evidence: evidence.collect(),
    }
}

/// The phases that changed most against the ones that they follow from, and what became of the others.
fn phases(cells: &[CellJudgement], status: Status) -> Vec<Claim> {
    let sound = cells.iter().filter(|c| c.no_number.is_none());
    let holds = |cell: &CellJudgement, phase: &str| cell.struck(Some(phase)).is_none();
    let all = sound.flat_map(|c| c.phases.iter().filter_map(move |p| Some((c, p, p.against.as_ref()?))));
    let all = all.filter(|(c, p, against)| holds(c, &p.name) && holds(c, &against.phase)).map(|(c, _, a)| (c, a));
    let mut all: Vec<(&CellJudgement, &Against)> = all.collect();
    if all.is_empty() {
        return Vec::new();
    }
    let size = |(_, against): &(&CellJudgement, &Against)| against.ratios["qps"].value.ln().abs();
    all.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let decided = all.iter().filter(|(_, a)| matches!(a.outcome, Outcome::Better | Outcome::Worse));
    let claim = |(cell, against): &(&CellJudgement, &Against)| {
        let axes: Vec<String> = cell.axes.iter().map(|(key, value)| format!("{key} {value}")).collect();
        let place = if axes.is_empty() { cell.workload.clone() } else { axes.join(", ") };
        Claim {
            is_answer: false,
            status,
            sentence: format!("{place}: {}", against.sentence),
            evidence: vec![cell.id.to_string()],
        }
    };
    let told: Vec<Claim> = decided.take(PHASES).map(claim).collect();
    let outcomes = counted(all.iter().map(|(_, against)| against.outcome));
    let summary = format!("{} phases against the one that each follows from: {outcomes}.", all.len());
    told.into_iter().chain([Claim { is_answer: false, status, sentence: summary, evidence: Vec::new() }]).collect()
}

/// `2 better, 1 equivalent`.
fn counted(outcomes: impl Iterator<Item = Outcome> + Clone) -> String {
    let words = [
        (Outcome::Better, "better"),
        (Outcome::Worse, "worse"),
        (Outcome::Equivalent, "equivalent"),
        (Outcome::Undecided, "undecided"),
        (Outcome::Refused, "refused"),
    ];
    let count = |outcome: Outcome| outcomes.clone().filter(|o| *o == outcome).count();
    let counted = words.into_iter().filter(|(o, _)| count(*o) > 0).map(|(o, what)| format!("{} {what}", count(o)));
    counted.collect::<Vec<String>>().join(", ")
}

/// The largest decided effects of one axis, one per workload, and what became of all comparisons.
fn effects(
    axis: &str,
    comparisons: &[Comparison],
    cells: &[CellJudgement],
    status: Status,
) -> (Vec<Claim>, Option<Claim>) {
    let of_axis: Vec<&Comparison> = comparisons.iter().filter(|c| c.axis == axis).collect();
    if of_axis.is_empty() {
        return (Vec::new(), None);
    }
    let workloads: BTreeMap<String, &str> = cells.iter().map(|c| (c.id.to_string(), c.workload.as_str())).collect();
    let mut decided: Vec<&Comparison> =
        of_axis.iter().copied().filter(|c| matches!(c.outcome, Outcome::Better | Outcome::Worse)).collect();
    let size = |c: &Comparison| c.ratio.value.ln().abs();
    decided.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut told: Vec<&Comparison> = Vec::new();
    for comparison in decided {
        let workload = workloads.get(&comparison.candidate);
        if told.len() < EFFECTS && told.iter().all(|t| workloads.get(&t.candidate) != workload) {
            told.push(comparison);
        }
    }
    let outcomes = counted(of_axis.iter().map(|c| c.outcome));
    let summary = format!("`{axis}` against its first value, {} comparisons: {outcomes}.", of_axis.len());
    let claim = |c: &&Comparison| Claim {
        is_answer: true,
        status,
        sentence: c.sentence.clone(),
        evidence: vec![c.base.clone(), c.candidate.clone()],
    };
    // Where nothing was compared nothing has passed.
    let none = of_axis.iter().all(|c| c.outcome == Outcome::Refused);
    let status = if none { status.max(Status::NotEvaluable) } else { status };
    let summary = Claim { is_answer: false, status, sentence: summary, evidence: Vec::new() };
    (told.iter().map(claim).collect(), Some(summary))
}
