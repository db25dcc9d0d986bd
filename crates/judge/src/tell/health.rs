//! How many numbers stand, and why the others do not, the most frequent reason first. A number that several checks
//! strike has one reason: one that doubts its work before one that doubts its speed, and of those the one that strikes
//! most, so that the counts add up to what was measured and the reader knows what to mend first.

use super::reasons;
use crate::checks;
use crate::frame::check::Doubts;
use model::{CellId, CellJudgement, Health, Reason, Standing, Status, Verdict};
use std::cmp::Reverse;

/// Reasons told by name; the numbers of the others are told together.
const TOLD: usize = 3;
/// As much of what a server or a host says as fits into the line.
const LONGEST: usize = 100;

/// One rate: that of a cell, or of one of its phases where several measure.
struct Number<'a> {
    cell: &'a CellId,
    is_unchecked: bool,
    /// Why it does not stand, as many as there are; each with what would mend it.
    whys: Vec<Why>,
}

#[derive(Clone, PartialEq)]
struct Why {
    standing: Standing,
    because: String,
    advice: String,
}

pub fn of(cells: &[CellJudgement]) -> Health {
    let numbers: Vec<Number> = cells.iter().flat_map(numbers).collect();
    let count = numbers.len() as u32;
    let stand = numbers.iter().filter(|n| n.whys.is_empty()).count() as u32;
    let unchecked = numbers.iter().filter(|n| n.whys.is_empty() && n.is_unchecked).count() as u32;
    let reasons = reasons(numbers);
    let sentence = sentence(count, stand, unchecked, &reasons);
    Health { sentence, numbers: count, stand, unchecked, reasons }
}

fn numbers(cell: &CellJudgement) -> Vec<Number<'_>> {
    if let Some(reason) = &cell.no_number {
        let why = Why { standing: Standing::Missing, because: shortened(reason), advice: String::new() };
        return vec![Number { cell: &cell.id, is_unchecked: false, whys: vec![why] }];
    }
    let unchecked = cell.verdicts.iter().filter(|v| !v.quarantined && v.verdict == Status::NotEvaluable);
    let of = |phase: Option<&str>| {
        let is_unchecked = unchecked.clone().any(|v| phase.is_none_or(|phase| v.speaks_of(phase)));
        Number { cell: &cell.id, is_unchecked, whys: whys(cell, phase) }
    };
    match cell.phases.as_slice() {
        [] | [_] => vec![of(None)],
        phases => phases.iter().map(|phase| of(Some(&phase.name))).collect(),
    }
}

fn whys(cell: &CellJudgement, phase: Option<&str>) -> Vec<Why> {
    let failed: Vec<&Verdict> = cell.verdicts.iter().filter(|v| v.strikes(phase)).collect();
    let is_of_client = |v: &&Verdict| v.is_of_client();
    let standing = if failed.iter().all(is_of_client) { Standing::LowerBound } else { Standing::Struck };
    // The client is a reason of its own only where nothing else is one.
    let told = failed.into_iter().filter(|v| standing == Standing::LowerBound || !is_of_client(v));
    let (work, times): (Vec<&Verdict>, Vec<&Verdict>) = told.partition(|v| doubts(v) == Doubts::Work);
    let told = if work.is_empty() { times } else { work };
    let why = |v: &Verdict| Why { standing, because: reasons::of(&v.check), advice: v.advice.clone() };
    told.into_iter().map(why).collect()
}

fn doubts(verdict: &Verdict) -> Doubts {
    checks::ALL.iter().find(|check| check.id == verdict.check).map_or(Doubts::Work, |check| check.doubts)
}

/// The reason of most numbers first, then that of most of what it leaves, until each number has one. Of equals it is
/// the one whose check a reader should doubt first, in which order the verdicts stand.
fn reasons(numbers: Vec<Number>) -> Vec<Reason> {
    let mut open: Vec<Number> = numbers.into_iter().filter(|n| !n.whys.is_empty()).collect();
    let mut reasons: Vec<Reason> = Vec::new();
    while let Some(why) = most_frequent(&open) {
        let is_its = |n: &Number| n.whys.iter().any(|w| is_same(w, &why));
        let (its, others): (Vec<Number>, Vec<Number>) = open.into_iter().partition(is_its);
        open = others;
        let mut cells: Vec<CellId> = its.iter().map(|n| n.cell.clone()).collect();
        cells.dedup();
        let Why { standing, because, advice } = why;
        reasons.push(Reason { standing, because, numbers: its.len() as u32, cells, advice });
    }
    reasons.sort_by_key(|r| (Reverse(r.numbers), r.standing));
    reasons
}

fn most_frequent(numbers: &[Number]) -> Option<Why> {
    let all = numbers.iter().flat_map(|n| &n.whys);
    let count = |why: &Why| numbers.iter().filter(|n| n.whys.iter().any(|w| is_same(w, why))).count();
    all.fold(None, |most: Option<(usize, &Why)>, why| match most {
        Some((n, most)) if n >= count(why) => Some((n, most)),
        Some(_) | None => Some((count(why), why)),
    })
    .map(|(_, why)| why.clone())
}

fn is_same(one: &Why, other: &Why) -> bool {
    (one.standing, &one.because) == (other.standing, &other.because)
}

/// `74 of 82 numbers stand; 5 are struck because other processes used the CPU; 3 are lower bounds because …`.
fn sentence(numbers: u32, stand: u32, unchecked: u32, reasons: &[Reason]) -> String {
    if numbers == 0 {
        return "Nothing was to be measured.".into();
    }
    let first = match (stand, numbers) {
        (1, 1) => "The one number stands".to_string(),
        (0, 1) => "The one number does not stand".into(),
        (0, n) => format!("None of {n} numbers stands"),
        (2, 2) => "Both numbers stand".into(),
        (all, n) if all == n => format!("All {n} numbers stand"),
        (some, n) => format!("{some} of {n} numbers {}", if some == 1 { "stands" } else { "stand" }),
    };
    let unchecked = match unchecked {
        0 => String::new(),
        1 if stand == 1 => ", though some check of it lacked evidence".into(),
        n if n == stand => ", though some check of each lacked evidence".into(),
        n => format!(", though some check of {n} of them lacked evidence"),
    };
    let mut parts = vec![format!("{first}{unchecked}")];
    parts.extend(reasons.iter().take(TOLD).map(|reason| of_reason(reason, numbers)));
    let others: u32 = reasons.iter().skip(TOLD).map(|r| r.numbers).sum();
    if others > 0 {
        let more = reasons.len() - TOLD;
        let why = if more == 1 { "another reason".into() } else { format!("{more} other reasons") };
        parts.push(format!("{others} {} for {why}", if others == 1 { "does not" } else { "do not" }));
    }
    parts.join("; ") + "."
}

fn of_reason(reason: &Reason, of: u32) -> String {
    let Reason { standing, because, numbers, .. } = reason;
    let is_one = *numbers == 1;
    let subject = match (of, *numbers) {
        (1, _) => "it".to_string(),
        (2, 2) => "both".into(),
        (of, numbers) if of == numbers => format!("all {numbers}"),
        (_, numbers) => numbers.to_string(),
    };
    match standing {
        Standing::Struck => format!("{subject} {} struck because {because}", if is_one { "is" } else { "are" }),
        Standing::LowerBound if is_one => format!("{subject} is a lower bound because {because}"),
        Standing::LowerBound => format!("{subject} are lower bounds because {because}"),
        Standing::Missing if of == 1 => format!("it is missing: {because}"),
        Standing::Missing => format!("{subject} {} missing: {because}", if is_one { "is" } else { "are" }),
    }
}

/// The first sentence of what a server or the lab said, without its end.
fn shortened(reason: &str) -> String {
    let first = reason.split(['\n', ';']).next().unwrap_or(reason).trim_end_matches('.');
    match first.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &first[..at]),
        None => first.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(standing: Standing, numbers: u32, because: &str) -> Reason {
        Reason { standing, because: because.into(), numbers, cells: Vec::new(), advice: String::new() }
    }

    #[test]
    fn the_health_of_a_record_is_one_line_with_a_denominator_that_makes_sense() {
        let told = [
            reason(Standing::Struck, 5, "other processes used the CPU"),
            reason(Standing::LowerBound, 3, "the client was the limit"),
        ];
        assert_eq!(
            sentence(82, 74, 0, &told),
            "74 of 82 numbers stand; 5 are struck because other processes used the CPU; 3 are lower bounds because \
             the client was the limit."
        );
        assert_eq!(sentence(82, 82, 0, &[]), "All 82 numbers stand.");
        assert_eq!(
            sentence(1, 0, 0, &[reason(Standing::LowerBound, 1, "the client was the limit")]),
            "The one number does not stand; it is a lower bound because the client was the limit."
        );
        assert_eq!(
            sentence(4, 3, 3, &[reason(Standing::Missing, 1, "the server has no such collation")]),
            "3 of 4 numbers stand, though some check of each lacked evidence; 1 is missing: the server has no such \
             collation."
        );
    }

    #[test]
    fn what_is_told_beyond_three_reasons_is_told_together() {
        let many: Vec<Reason> =
            [4, 3, 2, 1, 1].map(|n| reason(Standing::Struck, n, &format!("of reason {n}"))).into_iter().collect();
        assert!(
            sentence(20, 9, 0, &many).ends_with("; 2 do not for 2 other reasons."),
            "{}",
            sentence(20, 9, 0, &many)
        );
    }
}
