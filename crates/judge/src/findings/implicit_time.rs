//! A table versioned by timestamp answers each query that names no time with a condition of the server's own: the row's
//! end is the largest moment there is. That moment is a DATETIME and the column a TIMESTAMP, so older MariaDB (before
//! 11.4.1, MDEV-32148) converts the column of every row, and under `time_zone = SYSTEM` through the C library's
//! `localtime_r`, which takes one lock for the whole process. Its mark is a cost per row without a row more: point
//! selects hardly feel it, ranges do, and before there is any history. Taken away it is by a fixed offset as time zone,
//! which is converted by arithmetic, or with the whole condition, by asking for all versions of rows that have one. The
//! same change on plain tables is the placebo, and tables versioned by transaction id, whose condition is a number, are
//! a control.
//!
//! At one user this is CPU; at many it is the lock, too, which no instrument of the server shows.

use super::frame::finding::{CLOSES, Case, Cause, Necessary, Place, Scene, Time, Trial};
use crate::compare::comparisons::MARGIN;
use crate::families::versioning::{PLAIN, beside_plain, gone, steps, told};
use crate::frame::evidence::CellEvidence;
use crate::stats::{Interval, average, mean};
use model::units::round3;
use model::{Share, Users, Work};
use std::collections::BTreeMap;

const BY_TIMESTAMP: &[&str] = &["timestamp", "timestamp_partitioned"];
const BY_TRANSACTION: &str = "transaction";
const RANGES: &str = "versioned.range_queries";
const ZONE: &str = "time_zone";
const OF_SYSTEM: &str = "SYSTEM";
const PERIOD: &str = "period";
const ALL_VERSIONS: &str = "all";
/// Steps that leave history behind.
const KEEPS: &[&str] = &["versioned.update_index", "versioned.update_non_index", "versioned.delete_all"];
/// Rows looked at, up to which two steps look at as many.
const AS_MANY: f64 = 1.1;

pub const CAUSE: Cause = Cause {
    id: "implicit_time_condition",
    symptom: || {
        format!(
            "ranges of current rows take at least {MARGIN} longer on a table versioned by timestamp than on a plain one"
        )
    },
    necessary: || format!("they look at no more than {AS_MANY} times the rows (`db.handler_reads` per operation)"),
    test: || "the time that goes with a fixed offset, divided by the rows that an operation looks at".into(),
    intervention: || {
        format!(
            "`{ZONE}` = +00:00 instead of {OF_SYSTEM} in the next phase (or `{PERIOD}` = {ALL_VERSIONS}, while no row has history) closes \
             {CLOSES} of the gap to the table by transaction id (to the plain one, where there is none), and changes nothing on \
             the plain one"
        )
    },
    source: include_str!("implicit_time.rs"),
    indicator: None,
    within: &[],
    look,
};

/// What takes the conversion away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Offset,
    AllVersions,
}

/// A step under the server's time zone, its like without the conversion, and their users.
type Pair<'a> = (&'a str, &'a str, Users);

/// One moment of the study: the versioned table and the plain one, with the conversion and without.
struct Sample {
    versioned: f64,
    fixed: f64,
    plain: f64,
    plain_fixed: f64,
    /// On the table whose condition is a number.
    control: Option<f64>,
    rows: f64,
    plain_rows: f64,
}

fn look(scene: &Scene) -> Vec<Case> {
    let mut lanes: BTreeMap<(String, String), Vec<_>> = BTreeMap::new();
    for (variant, cell, plain) in beside_plain(scene, BY_TIMESTAMP) {
        lanes.entry((cell.cell.server.build.clone(), variant)).or_default().push((cell, plain));
    }
    lanes.into_iter().filter_map(|((build, variant), cells)| case(scene, &build, &variant, &cells)).collect()
}

/// Each step under the server's time zone with the next one that differs in the zone only, and where there is none, in
/// the versions that it asks for; those with most users first.
fn pairs<'a>(cell: &CellEvidence<'a>) -> (Way, Vec<Pair<'a>>) {
    let by_offset = like(&steps(cell), ZONE, |zone| zone != Some(OF_SYSTEM));
    if !by_offset.is_empty() {
        return (Way::Offset, by_offset);
    }
    let mut before = steps(cell);
    let kept = before.iter().position(|(_, work, _)| KEEPS.contains(&work.workload.as_str()));
    before.truncate(kept.unwrap_or(before.len()));
    (Way::AllVersions, like(&before, PERIOD, |period| period == Some(ALL_VERSIONS)))
}

fn like<'a>(all: &[(&'a str, &'a Work, Users)], word: &str, is_without: fn(Option<&str>) -> bool) -> Vec<Pair<'a>> {
    let is_out = |work: &Work| is_without(work.parameters.get(word).and_then(|value| value.text()));
    let others = |work: &Work| {
        let mut parameters = work.parameters.clone();
        parameters.remove(word);
        (work.workload.clone(), parameters)
    };
    let is_asked = |work: &Work| {
        let zone = work.parameters.get(ZONE).and_then(|zone| zone.text());
        work.workload == RANGES && zone.is_none_or(|zone| zone == OF_SYSTEM) && !is_out(work)
    };
    let asked = all.iter().enumerate().filter(|(_, (_, work, _))| is_asked(work));
    let with_like = asked.filter_map(|(at, (name, work, users))| {
        let is_like =
            |other: &&(&str, &Work, Users)| other.2 == *users && others(other.1) == others(work) && is_out(other.1);
        all[at..].iter().find(is_like).map(|(without, ..)| (*name, *without, *users))
    });
    let mut pairs: Vec<Pair> = with_like.collect();
    pairs.sort_by_key(|(_, _, users)| std::cmp::Reverse(*users));
    pairs
}

/// The samples of all pairs with so many users, in all places.
fn samples(scene: &Scene, cells: &[(&CellEvidence, &CellEvidence)], users: Users) -> Vec<Sample> {
    let all = cells.first().map(|(cell, _)| pairs(cell).1).unwrap_or_default();
    all.into_iter().filter(|(.., own)| *own == users).flat_map(|pair| of_pair(scene, cells, pair)).collect()
}

fn of_pair(scene: &Scene, cells: &[(&CellEvidence, &CellEvidence)], (step, fixed, _): Pair) -> Vec<Sample> {
    let numbered = beside_plain(scene, &[BY_TRANSACTION]);
    let of_place = |(cell, plain): &(&CellEvidence, &CellEvidence)| -> Vec<Sample> {
        let [versioned, versioned_fixed] = [step, fixed].map(|step| told(scene, cell, step));
        let control = numbered.iter().find(|(_, _, p)| p.cell.id == plain.cell.id);
        let control = control.map(|(_, cell, _)| told(scene, cell, step)).unwrap_or_default();
        let [plain, plain_fixed] = [step, fixed].map(|step| told(scene, plain, step));
        let at = |(when, told): (&(u32, u32), &crate::families::versioning::Told)| {
            let base = plain.get(when)?;
            Some(Sample {
                versioned: told.us,
                fixed: versioned_fixed.get(when)?.us,
                plain: base.us,
                plain_fixed: plain_fixed.get(when)?.us,
                control: control.get(when).map(|told| told.us),
                rows: told.rows?,
                plain_rows: base.rows?,
            })
        };
        versioned.iter().filter_map(at).collect()
    };
    cells.iter().flat_map(of_place).collect()
}

/// The mean over samples of one of their numbers.
fn over(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> f64 {
    average(&samples.iter().map(of).collect::<Vec<_>>())
}

fn interval(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> Option<Interval> {
    mean::plain(&samples.iter().map(of).collect::<Vec<_>>())
}

fn longer(samples: &[Sample]) -> Option<Interval> {
    mean::of_logs(&samples.iter().map(|s| s.versioned / s.plain).collect::<Vec<_>>())
}

fn case(scene: &Scene, build: &str, variant: &str, cells: &[(&CellEvidence, &CellEvidence)]) -> Option<Case> {
    let (cell, plain) = cells.first()?;
    let (way, pairs) = pairs(cell);
    let most = *pairs.first()?;
    let samples_of_most = samples(scene, cells, most.2);
    let slower = longer(&samples_of_most).filter(|i| i.low > 1.0 + MARGIN.0)?;
    let more = over(&samples_of_most, |s| s.rows) / over(&samples_of_most, |s| s.plain_rows);
    let symptom = format!(
        "On {build}, a table versioned by {} takes {} times as long for `{}` at {} as a plain one ({} to {}).",
        variant.replace('_', ", "),
        round3(slower.value),
        most.0,
        most.2,
        round3(slower.low),
        round3(slower.high),
    );
    if more > AS_MANY {
        return Some(Case { place: place(cell, plain), ..Case::of(cell, symptom, Necessary::Contradicted) });
    }
    let each = over(&samples_of_most, |s| s.versioned - s.fixed) / over(&samples_of_most, |s| s.rows);
    let seen = format!(
        "It looks at as many rows (× {}), so each of them costs more: {} µs of a row go with {}.{}",
        round3(more),
        round3(each),
        match way {
            Way::Offset => "the conversion of its time",
            Way::AllVersions => "the condition",
        },
        alone(scene, cells, pairs.last().map(|pair| pair.2).filter(|users| *users != most.2)).unwrap_or_default(),
    );
    Some(Case {
        place: place(cell, plain),
        trial: trial(way, &samples_of_most, control(scene, build, most.2)),
        evidence: cells.iter().flat_map(|(c, p)| [c.cell.id.to_string(), p.cell.id.to_string()]).collect(),
        ..Case::of(cell, symptom, Necessary::Present(seen))
    })
}

fn place(cell: &CellEvidence, plain: &CellEvidence) -> Place {
    Place { cell: cell.cell.id.clone(), time: Time::Loss(plain.cell.id.clone()) }
}

/// The same with the fewest users.
fn alone(scene: &Scene, cells: &[(&CellEvidence, &CellEvidence)], users: Option<Users>) -> Option<String> {
    let few = samples(scene, cells, users?);
    let slower = longer(&few)?;
    let gap = over(&few, |s| s.versioned - s.plain);
    let gone = (gap > 0.0).then(|| over(&few, |s| s.versioned - s.fixed) / gap);
    let gone = gone.map_or(String::new(), |share| match share >= 1.0 {
        true => ", all of which goes with it".to_string(),
        false => format!(", {} of which goes with it", Share(share.max(0.0))),
    });
    Some(format!(" At {} it is {} times as long{gone}.", users?, round3(slower.value)))
}

/// How far a table versioned by transaction id moves under the same change.
fn control(scene: &Scene, build: &str, users: Users) -> Option<String> {
    let cells = beside_plain(scene, &[BY_TRANSACTION]);
    let here: Vec<_> =
        cells.iter().filter(|(_, c, _)| c.cell.server.build == build).map(|(_, c, p)| (*c, *p)).collect();
    let moved = interval(&samples(scene, &here, users), |s| 1.0 - s.fixed / s.versioned)?;
    let (low, high) = (Share(moved.low), Share(moved.high));
    Some(format!(" A table versioned by transaction id moves by {} ({low} to {high}).", Share(moved.value)))
}

/// The conversion taken away, and the same change on the plain table.
fn trial(way: Way, samples: &[Sample], control: Option<String>) -> Option<Trial> {
    // What a longer key and a condition cost that is a number is not the time's.
    let numbers: Option<Vec<f64>> = samples.iter().map(|s| s.control).collect();
    let beyond = numbers.map(|us| average(&us)).filter(|us| *us > over(samples, |s| s.plain));
    let base = beyond.unwrap_or_else(|| over(samples, |s| s.plain));
    let gap = over(samples, |s| s.versioned) - base;
    if gap <= 0.0 {
        return None;
    }
    let closed = interval(samples, |s| (s.versioned - s.fixed) / gap)?;
    let placebo = interval(samples, |s| s.plain - s.plain_fixed)?;
    let margin = MARGIN.0 * over(samples, |s| s.plain);
    let control_held = placebo.low <= margin && placebo.high >= -margin && placebo.high / gap < CLOSES.0;
    let sentence = format!(
        "{} it takes {} µs instead of {}, and {} takes {}: {}. The {PLAIN} table {} ({} to {} µs).{}",
        match way {
            Way::Offset => "Under a fixed offset instead of the system's time zone",
            Way::AllVersions => "Asked for all versions, which are as many but need no condition,",
        },
        round3(over(samples, |s| s.fixed)),
        round3(over(samples, |s| s.versioned)),
        if beyond.is_some() { "a table versioned by transaction id" } else { "the plain table" },
        round3(base),
        gone("the difference", closed),
        if control_held { "does not move with it" } else { "moves with it as well" },
        round3(-placebo.high),
        round3(-placebo.low),
        control.unwrap_or_default(),
    );
    Some(Trial { closed, control_held, is_gone: true, sentence })
}
