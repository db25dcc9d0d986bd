//! What a client took for committed must lie in the data, and what lies there must fit together. A TPC-C study once ran
//! for weeks on a schema in which every New-Order was rolled back: all consistency conditions of the specification
//! held, since nothing ever happened, the server committed more than before, and only the count of orders would have
//! told. So a workload says which sums of its tables must agree with what its users counted, and which shares its own
//! rules demand; the lab asks the idle data before and after each run, and this check evaluates the laws without
//! knowing the workload.
//!
//! Each law has its severity. Sums must agree to the last one, save what operations with an unknown end (a session that
//! broke) may have moved. Shares must lie in their bounds unless chance explains them with 1 in 1,000, and are looked
//! at from a number on that the law says: below it they are named as undecided and not as held. A law whose question
//! had no answer is not evaluable.

use crate::frame::applies::Absence;
use crate::frame::{Applies, Check, Doubts, Look, RunEvidence, Seen, Sight};
use crate::stats::binomial::cdf;
use model::record::audit::{Audit, Law, Rule, Severity, Term};
use model::{Histogram, Nanos, Share, Status};
use std::cmp::Ordering;

pub const CHECK: Check = Check {
    id: "data_obeyed_its_laws",
    claim: || "the data hold what the users counted, and fit together".into(),
    source: include_str!("data_obeyed_its_laws.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "read the statement errors of the run and the table that the sentence names; a rate whose work is not in the data is no rate",
    look: Look::Run(look),
};

/// In each tail: what chance alone does less often than this is a breach.
const CHANCE: f64 = 0.0005;
/// Broken laws that a sentence tells in full.
const TOLD: usize = 3;

/// What became of one law.
enum Outcome {
    Held,
    /// With what was seen instead.
    Broken(String),
    Open(String),
    /// Too few cases.
    Undecided,
}

fn absent(run: &RunEvidence) -> Absence {
    let states_none = run.run.audits.iter().all(|audit| audit.laws.is_empty());
    states_none.then(|| "This workload states no laws of its data.".into())
}

fn look(run: &RunEvidence) -> Sight {
    let laws: Vec<(&Law, Outcome)> =
        run.run.audits.iter().flat_map(|audit| audit.laws.iter().map(|law| (law, outcome(law, audit, run)))).collect();
    let limit = "every law of the workload";
    let held = laws.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Held)).count();
    let undecided: Vec<&Law> =
        laws.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Undecided)).map(|(law, _)| *law).collect();
    let mut broken: Vec<(&Law, &String)> = laws
        .iter()
        .filter_map(|(law, outcome)| match outcome {
            Outcome::Broken(seen) => Some((*law, seen)),
            Outcome::Held | Outcome::Open(_) | Outcome::Undecided => None,
        })
        .collect();
    broken.sort_by_key(|(law, _)| (law.severity != Severity::Fail, law.code.clone()));
    let open = laws.iter().find_map(|(law, outcome)| match outcome {
        Outcome::Open(why) => Some(format!("of the law \"{}\", {why}", law.claim)),
        Outcome::Held | Outcome::Broken(_) | Outcome::Undecided => None,
    });
    let measured = format!("{} of {} laws broken", broken.len(), laws.len());
    let Some((worst, _)) = broken.first() else {
        return match open {
            Some(why) => Err(why),
            None => {
                let few = match undecided.as_slice() {
                    [] => String::new(),
                    [one] => format!(" Too few transactions tell whether {}.", one.claim),
                    [one, others @ ..] => {
                        format!(" Too few transactions tell whether {}, and {} more.", one.claim, others.len())
                    }
                };
                let sentence = format!("All {held} laws of the data held.{few}");
                Ok(Seen::new(Status::Pass, measured, limit, sentence))
            }
        };
    };
    let status = match worst.severity {
        Severity::Fail => Status::Fail,
        Severity::Warn => Status::Warn,
    };
    let told = broken
        .iter()
        .take(TOLD)
        .map(|(law, seen)| format!("The law \"{}\" is broken: {seen}. {}", law.claim, law.broken));
    let more = match broken.len().saturating_sub(TOLD) {
        0 => String::new(),
        1 => " One more law is broken.".into(),
        n => format!(" {n} more laws are broken."),
    };
    let sentence = format!("{}{more}", told.collect::<Vec<_>>().join(" "));
    Ok(Seen::new(status, measured, limit, sentence))
}

fn outcome(law: &Law, audit: &Audit, run: &RunEvidence) -> Outcome {
    let outcome = match &law.rule {
        Rule::Equal { left, right, apart } => equal(audit, left, right, *apart, 0.0),
        Rule::Nearly { left, right, apart, short } => equal(audit, left, right, *apart, *short),
        Rule::Share { part, whole, low, high, enough } => share(audit, part, whole, (*low, *high), *enough),
        Rule::Within { operation, percent, micros } => Ok(within(run, operation, *percent, *micros)),
    };
    outcome.unwrap_or_else(Outcome::Open)
}

/// Whether both sides are equal; a share of the right may be missing on the left.
fn equal(audit: &Audit, left: &[Term], right: &[Term], apart: i64, short: f64) -> Result<Outcome, String> {
    let (one, other) = (audit.sum(left)?, audit.sum(right)?);
    let may = apart.saturating_mul(i64::try_from(audit.uncertain).unwrap_or(i64::MAX));
    let missing = if one < other { (short * other as f64).max(0.0) as u64 } else { 0 };
    if one.abs_diff(other) <= may.unsigned_abs().saturating_add(missing) {
        return Ok(Outcome::Held);
    }
    Ok(Outcome::Broken(match right {
        [] => format!("{} is {one}, where {other} is right", named(left)),
        right => format!("{} is {one}, and {}, which should be as much, is {other}", named(left), named(right)),
    }))
}

/// What a side of a law is called.
fn named(terms: &[Term]) -> String {
    terms.iter().map(Term::to_string).collect::<Vec<_>>().join(" + ").replace("+ −", "− ")
}

fn share(
    audit: &Audit,
    part: &[Term],
    whole: &[Term],
    (low, high): (f64, f64),
    enough: i64,
) -> Result<Outcome, String> {
    let (k, n) = (audit.sum(part)?, audit.sum(whole)?);
    if n < enough.max(1) {
        return Ok(Outcome::Undecided);
    }
    let (k, n) = (u64::try_from(k).unwrap_or(0), n.unsigned_abs());
    let (k, seen) = (k.min(n), Share(k as f64 / n as f64));
    let by_chance = match (seen.0.partial_cmp(&low), seen.0.partial_cmp(&high)) {
        (Some(Ordering::Less), _) => cdf(k, n, low),
        (_, Some(Ordering::Greater)) => 1.0 - if k == 0 { 0.0 } else { cdf(k - 1, n, high) },
        _ => 1.0,
    };
    if by_chance >= CHANCE {
        return Ok(Outcome::Held);
    }
    Ok(Outcome::Broken(format!("it is {seen} of {n}")))
}

fn within(run: &RunEvidence, operation: &str, percent: f64, micros: u64) -> Outcome {
    let mut latency = Histogram::new();
    run.operations().filter(|(name, _)| *name == operation).for_each(|(_, o)| latency.merge(&o.latency));
    let limit = Nanos(micros * 1_000);
    match latency.percentile(percent) {
        Some(seen) if seen > limit => {
            Outcome::Broken(format!("{percent} % of `{operation}` took up to {seen}, and the limit is {limit}"))
        }
        Some(_) => Outcome::Held,
        None => Outcome::Undecided,
    }
}
