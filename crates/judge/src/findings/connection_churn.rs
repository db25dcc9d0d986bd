//! A session that is opened anew pays for a thread, for the handshake and for preparing its statements, before it
//! answers one question. Latencies do not show it, because they begin when the session is there: it is missing from the
//! rate. The client times every opening, so what it costs is known exactly, as a share of the users' time.

use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, SUFFICIENT, Scene, Time, name};
use super::frame::next::{self, Change};
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::stats::{average, mean};
use model::units::{Share, round3};

/// The share of the users' time.
const WORTH: Share = Share(0.05);
/// Operations that no session reaches within a run.
const NEVER: i64 = 1_000_000_000;

pub const CAUSE: Cause = Cause {
    id: "connection_churn",
    symptom: || format!("opening sessions takes more than {WORTH} of the users' time"),
    necessary: || "sessions are opened while it is measured (`connects`, `connect_time`)".into(),
    test: || format!("openings cover {SUFFICIENT} of the users' time"),
    intervention: || format!("sessions that are kept (`reconnect_every`) close {CLOSES} of that time"),
    source: include_str!("connection_churn.rs"),
    indicator: Some(openings),
    within: &[],
    look,
};

fn openings(run: &RunEvidence) -> Option<f64> {
    let connects: u64 = run.tallies().map(|t| t.connects).sum();
    (run.done() > 0).then(|| connects as f64 / run.done() as f64)
}

/// The share of all users' time that passes in openings.
fn share(run: &RunEvidence) -> Option<f64> {
    let spent: f64 = run.tallies().filter_map(|t| Some(t.connect_time.as_ref()?.sum().seconds())).sum();
    let has = f64::from(run.users()) * run.seconds();
    (has > 0.0).then(|| spent / has)
}

fn look(scene: &Scene) -> Vec<Case> {
    scene.cells().filter_map(case).collect()
}

fn case(cell: &CellEvidence) -> Option<Case> {
    let shares = cell.runs.iter().map(share).collect::<Option<Vec<f64>>>()?;
    let value = average(&shares);
    if value < WORTH.0 {
        return None;
    }
    let opened = average(&cell.runs.iter().map(openings).collect::<Option<Vec<f64>>>()?);
    let symptom = format!("{}: users spend {} of their time opening sessions.", name(cell), Share(value));
    let seen = format!("There are {} openings per operation.", round3(opened));
    let mut case = Case::of(cell, symptom, Necessary::Present(seen));
    case.place.time = Time::Turn;
    case.cost = mean::plain(&shares).map(|share| Cost { share, open: Share(0.0), sentence: String::new() });
    let every = cell.cell.load.reconnect_every.and_then(|n| i64::try_from(n).ok());
    let kept = every.map(|n| Change { axis: "reconnect_every".into(), from: n.into(), to: NEVER.into() });
    case.next_experiment = next::experiment(cell, CAUSE.id, kept);
    Some(case)
}
