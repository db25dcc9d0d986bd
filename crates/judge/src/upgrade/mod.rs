//! What an upgrade changes for the statements of a trace: which fail, which answer otherwise, which are slower or
//! faster and by how much of all time, and what was seen of the cause. Replays of one block are neighbours in time, so
//! ratios are taken block by block; all statements are decided together (`compare::decide`), and a difference is
//! claimed only where every block shows it.

mod causes;
mod hearing;
mod replays;

pub use hearing::Hearing;

use crate::compare::decide;
use crate::stats::ratio;
use hearing::{OfDigest, TimeOf, Times, pairs};
use model::units::Share;
use model::upgrade::{Change, Kind, Observed, Run, UPGRADE_SCHEMA, Upgrade, Which};
use model::{Estimate, Outcome};

/// Smaller differences of a statement's time are not claimed: the same build twice differs by as much for a few.
const FLOOR: Share = Share(0.05);
/// So many executions of a replay make its mean as sure as the others', which may then lend it what they know.
const LENDS: f64 = 20.0;
/// A statement slower by less than this part of all time is no reason for anything.
const LEAST_COST: f64 = 0.0005;

pub fn judge(observed: &Observed, hearing: &Hearing) -> Upgrade {
    let runs = hearing.runs;
    let total = total(hearing);
    let decided = decisions(hearing);
    let mut changes: Vec<Change> = (0..observed.digests.len())
        .filter_map(|digest| change(observed, hearing, digest, decided[digest].as_ref(), total))
        .collect();
    let time_of = |which: Which| {
        let all = |at: usize| hearing.of.iter().map(|of| of.times[at].sum).sum::<f64>();
        runs.iter().enumerate().filter(move |(_, run)| run.which == which).map(move |(at, _)| all(at)).sum::<f64>()
    };
    let more = (time_of(Which::To) - time_of(Which::From)) / 1e9 / blocks(runs).max(1) as f64;
    if let Some(locks) = replays::lock_waits(observed, runs, more) {
        let slower =
            changes.iter_mut().filter(|c| c.kind == Kind::Slower && observed.digests[c.digest as usize].writes);
        slower.for_each(|change| change.findings.push(locks.clone()));
    }
    changes.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.cost.abs().total_cmp(&a.cost.abs())));
    let (from, to) = (observed.from.build.clone(), observed.to.build.clone());
    let mut upgrade = Upgrade {
        schema: UPGRADE_SCHEMA,
        from,
        to,
        sentence: String::new(),
        struck: replays::struck(observed),
        notes: replays::notes(observed),
        statements: observed.statements,
        digests: observed.digests.len() as u32,
        blocks: blocks(runs),
        time: estimate(&pairs(runs, |at| Some(hearing.of.iter().map(|of| of.times[at].sum).sum()))),
        server_cpu: estimate(&pairs(runs, |at| observed.replays[at].server_cpu.map(|cpu| cpu.0 as f64))),
        changes,
    };
    if blocks(runs) < crate::stats::FEWEST as u32 {
        upgrade.notes.push(format!(
            "Times are not judged: that takes {} pairs of replays, and there are {}.",
            crate::stats::FEWEST,
            blocks(runs)
        ));
    }
    upgrade.sentence = sentence(&upgrade);
    upgrade
}

fn blocks(runs: &[Run]) -> u32 {
    runs.iter().filter(|run| run.which == Which::To).count() as u32
}

/// Nanoseconds of all statements in one replay of the old build.
fn total(hearing: &Hearing) -> f64 {
    let from: Vec<usize> = (0..hearing.runs.len()).filter(|at| hearing.runs[*at].which == Which::From).collect();
    let sum: f64 = hearing.of.iter().flat_map(|of| from.iter().map(|at| of.times[*at].sum)).sum();
    sum / from.len().max(1) as f64
}

/// to ÷ from.
fn estimate(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let interval = ratio::paired(pairs)?.interval();
    Some(Estimate {
        value: interval.value,
        low: Some(interval.low),
        high: Some(interval.high),
        n: pairs.len() as u32,
        unit: "ratio".into(),
    })
}

struct Decided {
    outcome: Outcome,
    chance: f64,
    time: Estimate,
}

/// What is compared of a statement's times: the mean, which is what it costs, and the geometric mean, which a few
/// executions that something else held up hardly move.
const METRICS: [(&str, TimeOf); 2] = [("mean", Times::mean), ("typical", Times::typical)];

/// The surer of its two decisions, for each digest whose times can be compared.
fn decisions(hearing: &Hearing) -> Vec<Option<Decided>> {
    let (mut of, mut asked) = (Vec::new(), Vec::new());
    for (digest, own) in hearing.of.iter().enumerate() {
        let executions = own.times.iter().map(|times| times.executions).sum::<u64>() as f64;
        let lends = executions >= LENDS * own.times.len() as f64;
        for (metric, times) in METRICS {
            let pairs = own.pairs(hearing.runs, times);
            // The decision is one on speed, of which more is better.
            let speeds: Vec<(f64, f64)> = pairs.iter().map(|(from, to)| (*to, *from)).collect();
            if let Some(ratio) = ratio::paired(&speeds) {
                asked.push(decide::Asked { metric, ratio, floor: FLOOR, lends });
                of.push((digest, pairs));
            }
        }
    }
    let mut decided: Vec<Option<Decided>> = hearing.of.iter().map(|_| None).collect();
    for ((digest, pairs), decision) in of.into_iter().zip(decide::of(&asked)) {
        let one = decided_of(&pairs, &decision);
        let known = &mut decided[digest];
        if known.as_ref().is_none_or(|known| one.chance < known.chance) {
            *known = Some(one);
        }
    }
    decided
}

fn decided_of(pairs: &[(f64, f64)], decision: &decide::Decision) -> Decided {
    let outcome = match decision.outcome {
        Outcome::Better if !pairs.iter().all(|(from, to)| to < from) => Outcome::Undecided,
        Outcome::Worse if !pairs.iter().all(|(from, to)| to > from) => Outcome::Undecided,
        other => other,
    };
    let interval = decision.interval;
    let time = Estimate {
        value: 1.0 / interval.value,
        low: Some(1.0 / interval.high),
        high: Some(1.0 / interval.low),
        n: pairs.len() as u32,
        unit: "ratio".into(),
    };
    Decided { outcome, chance: decision.chance, time }
}

/// What there is to say of one digest.
fn change(
    observed: &Observed,
    hearing: &Hearing,
    digest: usize,
    decided: Option<&Decided>,
    total: f64,
) -> Option<Change> {
    let (of, own) = (&hearing.of[digest], &observed.digests[digest]);
    let mean = |which: Which| {
        let all = hearing.runs.iter().zip(&of.times).filter(|(run, _)| run.which == which).map(|(_, times)| times);
        let (n, sum) = all.fold((0, 0.0), |(n, sum), times| (n + times.executions, sum + times.sum));
        if n == 0 { 0.0 } else { sum / n as f64 / 1e3 }
    };
    let us = [mean(Which::From), mean(Which::To)];
    let per_replay = own.executions as f64;
    let cost = if us[0] > 0.0 && us[1] > 0.0 { (us[1] - us[0]) * 1e3 * per_replay / total.max(1.0) } else { 0.0 };
    let outcome = decided.map_or(Outcome::Undecided, |decided| decided.outcome);
    let time_causes = causes::of_time(observed, digest);
    let kind = if of.failures() > of.unstable {
        Kind::Fails
    } else if of.differs() {
        Kind::AnswersDifferently
    } else if outcome == Outcome::Worse && cost >= LEAST_COST {
        Kind::Slower
    } else if outcome == Outcome::Better && -cost >= LEAST_COST {
        Kind::Faster
    } else if time_causes.plans.is_some() {
        Kind::OtherPlan
    } else if of.warns > of.unstable {
        Kind::Warns
    } else {
        return None;
    };
    let mut findings = if kind == Kind::Fails { errors(observed, digest) } else { Vec::new() };
    match kind {
        Kind::Fails | Kind::Warns => findings.extend(causes::of_answer(observed, digest)),
        Kind::AnswersDifferently => {
            findings.push(answers(of));
            findings.extend(causes::of_answer(observed, digest));
        }
        Kind::Slower | Kind::Faster | Kind::OtherPlan => findings.extend(time_causes.sentences.iter().cloned()),
    }
    if kind == Kind::AnswersDifferently && outcome == Outcome::Worse {
        findings.push("it is slower, too".into());
        findings.extend(time_causes.sentences.iter().filter(|cause| !cause.starts_with("schema")).cloned());
    }
    findings.dedup();
    Some(Change {
        digest: digest as u32,
        text: own.text.clone(),
        executions: own.executions,
        kind,
        time: decided.map(|decided| decided.time.clone()),
        outcome,
        us,
        cost,
        differing: of.differing + of.failures(),
        compared: of.compared + of.failures(),
        findings,
        plans: time_causes.plans,
    })
}

/// The errors of the new build, in its own words.
fn errors(observed: &Observed, digest: usize) -> Vec<String> {
    let of_to = observed.replays.iter().filter(|replay| replay.run.which == Which::To);
    let errors = of_to.flat_map(|replay| &replay.errors).filter(|error| error.digest == digest as u32);
    let mut told: Vec<String> = errors.map(|error| error.text.clone()).collect();
    told.sort();
    told.dedup_by_key(|text| text.split(':').next().unwrap_or_default().to_string());
    told
}

fn answers(of: &OfDigest) -> String {
    let parts = [
        (of.in_count, "in how many rows"),
        (of.in_rows, "in the rows themselves"),
        (of.in_affected, "in the rows changed"),
    ];
    let told: Vec<String> = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    format!("{} of {} executions differ: {}", of.differing, of.compared, told.join(", "))
}

/// The first line: what a reader wants to know.
fn sentence(upgrade: &Upgrade) -> String {
    let of = |kind: Kind| upgrade.changes.iter().filter(move |change| change.kind == kind);
    let count = |kind: Kind| of(kind).count();
    let cost = |kind: Kind| of(kind).map(|change| change.cost).sum::<f64>() * 100.0;
    let (slower, faster) = (count(Kind::Slower), count(Kind::Faster));
    let (differ, fail) = (count(Kind::AnswersDifferently), count(Kind::Fails));
    let verb = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut parts = Vec::new();
    if slower > 0 {
        let text = verb(slower, "is slower", "are slower");
        parts.push(format!(
            "{text} and {} {:.1} % of the time",
            if slower == 1 { "costs" } else { "cost" },
            cost(Kind::Slower)
        ));
    }
    if differ > 0 {
        parts.push(verb(differ, "answers differently", "answer differently"));
    }
    if fail > 0 {
        parts.push(verb(fail, "fails", "fail"));
    }
    if faster > 0 {
        parts.push(format!(
            "{} and {:.1} % of the time is saved",
            verb(faster, "is faster", "are faster"),
            -cost(Kind::Faster)
        ));
    }
    let all = format!("Of {} statements on {}", upgrade.digests, upgrade.to);
    if parts.is_empty() {
        let times = if upgrade.blocks < crate::stats::FEWEST as u32 { "" } else { ", none is slower or faster" };
        return format!("{all}, none fails and none answers differently{times}.");
    }
    format!("{all}, {}.", parts.join("; "))
}
