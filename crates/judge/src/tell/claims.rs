//! The report's opening, generated so that prose and evidence cannot diverge: what was found out (what a search ended
//! at, what was done to a server, what each axis costs, how it scales), then what was measured and whether it holds,
//! the worst first. The largest effects are picked from many comparisons and say from how many; cells that failed a
//! check take no part. Where nothing was found out, the opening says what stands in the way.

use super::reasons;
use crate::compare::comparisons::MARGIN;
use crate::curves::{scaling, until};
use crate::frame::evidence::Evidence;
use crate::frame::naming::{self, counted as number_of};
use crate::stats::FEWEST;
use model::judgement::{Against, Claim};
use model::plan::axis_text;
use model::units::rounded;
use model::{
    CellJudgement, Comparison, Ending, Estimate, EventKind, Finding, Health, Outcome, Overall, PhaseJudgement, Plan,
    PlannedRun, Rung, SearchJudgement, Share, Standing, Status, Value, Verdict,
};
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
    overall: &[Overall],
    findings: &[Finding],
    health: &Health,
) -> Vec<Claim> {
    let aa_warns = verdicts.iter().any(|v| v.check == "aa_pairs_agree" && v.verdict == Status::Warn);
    let status = if aa_warns { Status::Warn } else { Status::Pass };
    let mut answers: Vec<Claim> = evidence.cells.iter().filter_map(|c| c.search.as_ref()).map(of_search).collect();
    // What was done to a server is what such an experiment asks, or what became of its steps over iterations; its axes
    // tell arms apart. Phases that only follow each other are tests, and what is asked is the axis between them.
    let (asked, beside) =
        if asks_of_phases(cells) { (phases(cells, status), Vec::new()) } else { (Vec::new(), phases(cells, status)) };
    let too_few = of_too_few(cells, comparisons, status);
    answers.extend(asked.into_iter().filter(|_| too_few.is_none()));
    let (of_tests, undecided): (Vec<Claim>, Vec<Claim>) =
        overall.iter().map(|o| over_tests(o, status)).partition(|claim| claim.is_answer);
    answers.extend(of_tests);
    let axes = evidence.record.plan.in_order_of_interest();
    // The largest effect of each axis comes before the second of any, and what was decided before how many comparisons
    // were not.
    let (told, summaries): (Vec<_>, Vec<_>) =
        axes.into_iter().map(|axis| effects(axis, comparisons, cells, status)).unzip();
    let mut told: Vec<(usize, Claim)> = told.into_iter().flat_map(|of_axis| of_axis.into_iter().enumerate()).collect();
    told.sort_by_key(|(rank, _)| *rank);
    answers.extend(told.into_iter().map(|(_, claim)| claim));
    // Where no rate tells, what a cause has done does.
    answers.extend(findings.iter().filter(|_| answers.is_empty()).filter_map(symptom).collect::<Vec<_>>());
    answers.extend(scaling::claims(cells, status));
    let decided = answers.len();
    // An axis that makes no difference, or of which nobody can tell, is an answer as well.
    let (open, mut summaries): (Vec<Claim>, Vec<Claim>) =
        summaries.into_iter().flatten().partition(|claim| claim.is_answer);
    answers.extend(open.into_iter().filter(|_| too_few.is_none()));
    answers.extend(too_few);
    summaries.extend(undecided.into_iter().chain(beside));
    answers.extend(alone(evidence, cells).filter(|_| answers.is_empty()));
    if answers.is_empty() {
        answers.push(unanswered(cells, verdicts, health));
    }
    answers.splice(decided..decided, missing(&evidence.record.plan));
    answers.iter_mut().for_each(|claim| claim.is_answer = true);
    let mut others = vec![measured(evidence, cells), valid(health)];
    others.extend(verdicts.iter().filter(|v| v.counts_as() >= Status::Warn).map(of_experiment));
    others.append(&mut summaries);
    others.sort_by_key(|claim| std::cmp::Reverse(claim.status));
    answers.into_iter().chain(others).collect()
}

/// All tests at once. The rate's interval is an answer even where it decides nothing: it is narrower than that of any
/// test. A group's tests are one where their rate has changed.
fn over_tests(overall: &Overall, status: Status) -> Claim {
    let of = &overall.comparison;
    let evidence = vec![of.base.clone(), of.candidate.clone()];
    let of_all = overall.group.is_none();
    let is_answer = match of.outcome {
        Outcome::Better | Outcome::Worse => of_all || of.is_of_a_rate(),
        Outcome::Equivalent => of_all,
        Outcome::Undecided => of_all && of.is_of_a_rate() && of.ratio.low.is_some(),
        Outcome::Refused => false,
    };
    Claim { is_answer, status, sentence: of.sentence.clone(), evidence }
}

/// What was seen of a cause that explains it: its finding's first sentence.
fn symptom(finding: &Finding) -> Option<Claim> {
    let explains = finding.rung >= Rung::QuantitativelySufficient;
    let symptom = finding.sentence.split_inclusive(". ").next().filter(|_| explains)?;
    let evidence = finding.evidence.clone();
    Some(Claim { is_answer: true, status: Status::Pass, sentence: symptom.trim_end().into(), evidence })
}

/// Comparisons that were asked for and could not be made, because one value of their axis is all that could be run.
fn missing(plan: &Plan) -> impl Iterator<Item = Claim> {
    plan.axes.iter().filter(|axis| axis.values.len() > 1).filter_map(|axis| {
        let left: Vec<&Value> = plan.cells.iter().filter_map(|cell| cell.axes.get(&axis.key)).collect();
        let only = left.first().filter(|first| left.iter().all(|value| value == *first))?;
        let why = plan.skipped.iter().find(|skipped| skipped.axes.contains_key(&axis.key))?;
        let only = naming::value(&axis.key, only);
        let sentence = format!(
            "Nothing was compared over {}: of its values only {only} could be run, because {}.",
            axis.key, why.reason
        );
        Some(Claim { is_answer: true, status: Status::NotEvaluable, sentence, evidence: Vec::new() })
    })
}

/// The number itself, where there is one only; its A/A twin is no second. Tests that follow each other have none.
fn alone(evidence: &Evidence, cells: &[CellJudgement]) -> Option<Claim> {
    let mut own = evidence.cells.iter().zip(cells).filter(|(cell, _)| cell.cell.repeats.is_none());
    let (Some((_, cell)), None) = (own.next(), own.next()) else { return None };
    if cell.phases.len() > 1 {
        return tests(cell);
    }
    let rate = cell.metrics.get("qps").filter(|_| cell.no_number.is_none() && cell.struck(None).is_none())?;
    let tail =
        cell.metrics.get("latency_us_p99").map_or(String::new(), |p99| format!(", p99 {} µs", rounded(p99.value)));
    let sentence = format!("{} reaches {} QPS{}{tail}.", cell.workload, rounded(rate.value), half(rate));
    Some(Claim { is_answer: true, status: Status::Pass, sentence, evidence: vec![cell.id.to_string()] })
}

/// How far apart the rates of a cell's tests are.
fn tests(cell: &CellJudgement) -> Option<Claim> {
    let rate = |phase: &PhaseJudgement| Some((phase.part.metrics.get("qps")?.value, phase.name.clone()));
    let mut rates: Vec<(f64, String)> =
        cell.phases.iter().filter(|phase| cell.struck(Some(&phase.name)).is_none()).filter_map(rate).collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ([(least, slowest), .., (most, fastest)], count) = (&rates[..], rates.len()) else { return None };
    let [least, most] = [least, most].map(|qps| rounded(*qps));
    let sentence = format!("{count} tests were measured, from {least} QPS ({slowest}) to {most} QPS ({fastest}).");
    Some(Claim { is_answer: true, status: Status::Pass, sentence, evidence: vec![cell.id.to_string()] })
}

/// ` ± 1.2 %, n=3`.
fn half(rate: &Estimate) -> String {
    match (rate.low, rate.high) {
        (Some(low), Some(high)) => format!(" ± {}, n={}", Share((high - low) / 2.0 / rate.value), rate.n),
        (None | Some(_), _) => format!(", n={}", rate.n),
    }
}

/// What stands in the way of an answer: what is wrong with the experiment, or with the most of its numbers.
fn unanswered(cells: &[CellJudgement], verdicts: &[Verdict], health: &Health) -> Claim {
    let failed = verdicts.iter().find(|v| v.counts_as() == Status::Fail);
    let struck = || struck(cells, health).filter(|_| health.stand == 0);
    let (why, evidence) = match failed.or_else(struck) {
        Some(verdict) => (verdict.sentence.clone(), vec![verdict.check.clone()]),
        None if health.stand == 0 => ("No number was measured.".into(), Vec::new()),
        None => ("No two numbers that are to be compared both stand.".into(), Vec::new()),
    };
    let status = if health.stand == 0 || failed.is_some() { Status::Fail } else { Status::NotEvaluable };
    Claim { is_answer: true, status, sentence: format!("There is no answer yet. {why}"), evidence }
}

/// What a check says of the most frequent reason.
fn struck<'a>(cells: &'a [CellJudgement], health: &Health) -> Option<&'a Verdict> {
    let reason = health.reasons.iter().find(|r| r.standing != Standing::Missing)?;
    let of = |cell: &&CellJudgement| reason.cells.contains(&cell.id);
    let failed = cells.iter().filter(of).flat_map(|cell| &cell.verdicts).filter(|v| v.counts_as() == Status::Fail);
    failed.into_iter().find(|verdict| reasons::of(&verdict.check) == reason.because)
}

fn measured(evidence: &Evidence, cells: &[CellJudgement]) -> Claim {
    let with_number = cells.iter().filter(|c| c.no_number.is_none()).count();
    // A search that is over leaves runs of its plan unmade.
    let made: BTreeSet<_> = evidence.record.runs.iter().map(|r| &r.id).collect();
    let over: BTreeSet<_> = evidence.cells.iter().filter(|c| c.search_is_over()).map(|c| &c.cell.id).collect();
    // And so do repetitions that were enough.
    let stopped = until::stopped(evidence.record);
    let is_wanted = |run: &PlannedRun| !over.contains(&run.cell) && (stopped.is_none() || run.is_beside());
    let planned = evidence.record.plan.runs.iter().filter(|r| made.contains(&r.id) || is_wanted(r)).count();
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
    let of = number_of(cells.len(), "cell");
    let stopped = stopped.map_or(String::new(), |why| format!(" It ended because {why}.")) + &repeated(evidence);
    let sentence = match others.is_empty() && with_number == cells.len() {
        true => format!("{of} measured in {}.{stopped}", number_of(done, "run")),
        false => format!("{with_number} of {of} measured, in {done} of {planned} runs{}.{stopped}", others.concat()),
    };
    Claim { is_answer: false, status, sentence, evidence: Vec::new() }
}

/// What was carried out again, which a reader must know who counts runs.
fn repeated(evidence: &Evidence) -> String {
    match evidence.record.events.iter().filter(|event| event.kind == EventKind::RunRepeated).count() {
        0 => String::new(),
        1 => " One run was carried out again, because a neighbour had spoilt it.".into(),
        n => format!(" Runs were carried out again {n} times, because a neighbour had spoilt them."),
    }
}

/// A warning is a detail of a number, and not its status.
fn valid(health: &Health) -> Claim {
    let status = match health.reasons.iter().map(|r| r.standing).min() {
        Some(Standing::Struck) => Status::Fail,
        Some(Standing::LowerBound) => Status::Warn,
        Some(Standing::Missing) => Status::NotEvaluable,
        None if health.unchecked > 0 || health.numbers == 0 => Status::NotEvaluable,
        None => Status::Pass,
    };
    let cells = health.reasons.iter().filter(|r| r.standing != Standing::Missing).flat_map(|r| &r.cells);
    let evidence = cells.map(ToString::to_string).collect();
    Claim { is_answer: false, status, sentence: health.sentence.clone(), evidence }
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

/// Something was done to the server in a phase, or phases come again.
fn asks_of_phases(cells: &[CellJudgement]) -> bool {
    cells.iter().flat_map(|cell| &cell.phases).any(|phase| phase.disturb.is_some() || phase.iteration.is_some())
}

/// Phases against the ones that they follow from, where both stand.
fn against_others(cells: &[CellJudgement]) -> impl Iterator<Item = (&CellJudgement, &Against)> {
    let sound = cells.iter().filter(|c| c.no_number.is_none());
    let holds = |cell: &CellJudgement, phase: &str| cell.struck(Some(phase)).is_none();
    let all = sound.flat_map(|c| c.phases.iter().filter_map(move |p| Some((c, p, p.against.as_ref()?))));
    all.filter(move |(c, p, against)| holds(c, &p.name) && holds(c, &against.phase)).map(|(c, _, a)| (c, a))
}

/// The phases that changed most against the ones that they follow from, and what became of the others.
fn phases(cells: &[CellJudgement], status: Status) -> Vec<Claim> {
    let mut all: Vec<(&CellJudgement, &Against)> = against_others(cells).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let size = |(_, against): &(&CellJudgement, &Against)| against.ratios["qps"].value.ln().abs();
    all.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let decided = all.iter().filter(|(_, a)| matches!(a.outcome, Outcome::Better | Outcome::Worse));
    let claim = |(cell, against): &(&CellJudgement, &Against)| {
        let varied = cell.axes.iter().filter(|(key, value)| cells.iter().any(|c| c.axes.get(*key) != Some(value)));
        let axes: Vec<String> = varied.map(|(key, value)| naming::value(key, value)).collect();
        let place = if axes.is_empty() { cell.workload.clone() } else { axes.join(", ") };
        // What is done in a phase is said once.
        let unsaid = |sentence: String, axis: &String| sentence.replacen(&format!(" ({axis})"), "", 1);
        let sentence = axes.iter().fold(against.sentence.clone(), unsaid);
        Claim {
            is_answer: false,
            status,
            sentence: format!("{place}: {sentence}"),
            evidence: vec![cell.id.to_string()],
        }
    };
    let told: Vec<Claim> = decided.take(PHASES).map(claim).collect();
    let outcomes = counted(all.iter().map(|(_, against)| against.outcome));
    let summary = format!("{} phases against the one that each follows from: {outcomes}.", all.len());
    told.into_iter().chain([Claim { is_answer: false, status, sentence: summary, evidence: Vec::new() }]).collect()
}

/// `2 better, 1 the same`.
fn counted(outcomes: impl Iterator<Item = Outcome> + Clone) -> String {
    let words = [
        (Outcome::Better, "better"),
        (Outcome::Worse, "worse"),
        (Outcome::Equivalent, "the same"),
        (Outcome::Undecided, "undecided"),
        (Outcome::Refused, "not counted"),
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
    let of_axis: Vec<&Comparison> = comparisons.iter().filter(|c| c.axis == axis && c.is_of_a_rate()).collect();
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
        let work = |c: &Comparison| (workloads.get(&c.candidate).copied(), c.phase.clone());
        if told.len() < EFFECTS && told.iter().all(|t| work(t) != work(comparison)) {
            told.push(comparison);
        }
    }
    let claim = |c: &&Comparison| Claim {
        is_answer: true,
        status,
        sentence: c.sentence.clone(),
        evidence: vec![c.base.clone(), c.candidate.clone()],
    };
    // Where nothing was compared nothing has passed.
    let none = of_axis.iter().all(|c| c.outcome == Outcome::Refused);
    let summary = Claim {
        // Of tests that follow each other two say little: how many changed is an answer as well.
        is_answer: !none && (told.is_empty() || (of_axis.iter().any(|c| c.phase.is_some()) && !asks_of_phases(cells))),
        status: if none { status.max(Status::NotEvaluable) } else { status },
        sentence: summary(axis, &of_axis, cells),
        evidence: Vec::new(),
    };
    (told.iter().map(claim).collect(), Some(summary))
}

/// That nothing is decided, once for all that was compared: none of it has the repetitions of an interval.
fn of_too_few(cells: &[CellJudgement], comparisons: &[Comparison], status: Status) -> Option<Claim> {
    let between = comparisons.iter().filter(|c| c.is_of_a_rate()).map(|c| (c.outcome, &c.ratio));
    let all = between.chain(against_others(cells).map(|(_, against)| (against.outcome, &against.ratios["qps"])));
    let open: Vec<(Outcome, &Estimate)> = all.filter(|(outcome, _)| *outcome != Outcome::Refused).collect();
    let most = open.iter().map(|(_, ratio)| ratio.n).max().filter(|n| (*n as usize) < FEWEST)?;
    let compared = number_of(open.len(), "comparison");
    let of = number_of(most as usize, "repetition");
    let sentence = format!(
        "Nothing is decided, in {compared} of {of} each: {FEWEST} are the fewest for an interval (`repeat.repetitions`)."
    );
    open.iter().all(|(outcome, _)| *outcome == Outcome::Undecided).then(|| Claim {
        is_answer: true,
        status,
        sentence,
        evidence: Vec::new(),
    })
}

/// What became of all comparisons of an axis.
fn summary(axis: &str, of_axis: &[&Comparison], cells: &[CellJudgement]) -> String {
    let base = cells.iter().find(|c| c.id.to_string() == of_axis[0].base).and_then(|c| c.axes.get(axis));
    let base = base.map_or_else(|| "its first value".into(), |value| axis_text(axis, value));
    let (axis, count) = (axis.rsplit('.').next().unwrap_or(axis), of_axis.len());
    let of = |outcome: Outcome| of_axis.iter().filter(|c| c.outcome == outcome).count();
    let compared = number_of(count, "comparison");
    if of(Outcome::Equivalent) == count {
        return format!("{axis} makes no difference beyond {MARGIN} against {base}, in {compared}.");
    }
    if of(Outcome::Refused) == count {
        let which = if count == 1 { "The one comparison".into() } else { format!("None of {count} comparisons") };
        let counts = if count == 1 { "does not count: in it" } else { "counts: in each" };
        return format!("{which} with {axis} {base} {counts} a number is struck, or the work differs.");
    }
    if of(Outcome::Undecided) == count {
        let whether = format!("Whether {axis} makes a difference against {base} is undecided");
        return format!("{whether}: {compared}, each within its noise{}.", reach(of_axis));
    }
    format!("{compared} with {axis} {base}: {}{}.", counted(of_axis.iter().map(|c| c.outcome)), reach(of_axis))
}

/// How large a difference must be to be told where it was not, of the undecided comparisons the one in the middle.
fn reach(of_axis: &[&Comparison]) -> String {
    let undecided = of_axis.iter().filter(|c| c.outcome == Outcome::Undecided);
    let mut halves: Vec<f64> = undecided.filter_map(|c| Some((c.ratio.high? / c.ratio.low?).sqrt() - 1.0)).collect();
    halves.retain(|half| half.is_finite());
    halves.sort_by(f64::total_cmp);
    match halves.get(halves.len() / 2) {
        Some(half) => format!("; a difference below about {:.0} % cannot be told here", (100.0 * half).max(1.0)),
        None => String::new(),
    }
}
