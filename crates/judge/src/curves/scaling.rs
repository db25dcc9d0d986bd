//! How the rate grows with the users, one curve per combination of everything else: in words for the curve that grows
//! most and the one that grows least. No model is fitted: on few CPUs the curve bends before a model has anything to
//! hold on to.

use crate::compare::comparisons::MARGIN;
use model::experiment::keys::{USERS, WORKLOAD};
use model::judgement::Claim;
use model::units::{round3, rounded};
use model::{CellJudgement, Share, Status, Users, Value};
use std::collections::BTreeMap;

/// The values on all axes but users and workload.
type Others<'a> = Vec<(&'a String, &'a Value)>;

/// One workload with one value on every axis but `users`.
struct Curve<'a> {
    place: String,
    /// Ascending in users.
    points: Vec<Point<'a>>,
}

struct Point<'a> {
    users: Users,
    qps: f64,
    cell: &'a CellJudgement,
}

pub fn claims(cells: &[CellJudgement], status: Status) -> Vec<Claim> {
    let mut curves: Vec<Curve> = curves(cells).into_iter().filter(|c| c.points.len() > 1).collect();
    curves.sort_by(|a, b| b.growth().total_cmp(&a.growth()));
    let claim = |curve: &Curve, first: String| Claim {
        is_answer: true,
        status,
        sentence: format!("{first}{}", curve.sentence()),
        evidence: curve.points.iter().map(|p| p.cell.id.to_string()).collect(),
    };
    match curves.as_slice() {
        [] | [_] | [_, _] => curves.iter().map(|c| claim(c, String::new())).collect(),
        [most, .., least] => {
            let first = |which| format!("Of {} curves over users, the one that grows {which}: ", curves.len());
            vec![claim(most, first("most")), claim(least, first("least"))]
        }
    }
}

fn curves(cells: &[CellJudgement]) -> Vec<Curve<'_>> {
    let mut curves: BTreeMap<(&str, Others), Vec<Point>> = BTreeMap::new();
    for cell in cells.iter().filter(|c| c.no_number.is_none() && c.status != Status::Fail) {
        let users = cell.axes.get(USERS).and_then(Value::count).and_then(|n| u32::try_from(n).ok());
        let qps = cell.metrics.get("qps").map(|e| e.value).filter(|q| *q > 0.0);
        let (Some(users), Some(qps)) = (users, qps) else { continue };
        let others: Others = cell.axes.iter().filter(|(key, _)| *key != USERS && *key != WORKLOAD).collect();
        curves.entry((&cell.workload, others)).or_default().push(Point { users: Users(users), qps, cell });
    }
    curves.into_iter().map(|((workload, others), points)| curve(workload, &others, points)).collect()
}

fn curve<'a>(workload: &str, others: &Others<'_>, mut points: Vec<Point<'a>>) -> Curve<'a> {
    // The second arm of an A/A pair has the same place.
    points.sort_by_key(|p| p.users);
    points.dedup_by_key(|p| p.users);
    let others: Vec<String> = others.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let place = if others.is_empty() { workload.into() } else { format!("{workload} ({})", others.join(", ")) };
    Curve { place, points }
}

impl<'a> Curve<'a> {
    fn first(&self) -> &Point<'a> {
        &self.points[0]
    }
    fn last(&self) -> &Point<'a> {
        &self.points[self.points.len() - 1]
    }
    fn peak(&self) -> &Point<'a> {
        self.points.iter().max_by(|a, b| a.qps.total_cmp(&b.qps)).expect("a curve has points")
    }
    fn growth(&self) -> f64 {
        self.peak().qps / self.first().qps
    }
    fn sentence(&self) -> String {
        let (first, peak, last, place) = (self.first(), self.peak(), self.last(), &self.place);
        let loss = Share(1.0 - last.qps / peak.qps);
        let after = if loss.0 > MARGIN.0 { format!(", and is {loss} lower at {}", last.users) } else { String::new() };
        if self.growth() <= 1.0 + MARGIN.0 {
            return format!(
                "{place} gains nothing from more users: {} QPS at {}{after}.",
                rounded(first.qps),
                first.users
            );
        }
        let (growth, from, to) = (round3(self.growth()), rounded(first.qps), rounded(peak.qps));
        format!("{place} grows {growth}-fold from {} to {} ({from} to {to} QPS){after}.", first.users.0, peak.users)
    }
}
