//! A column that is NULL when its row is inserted and gets a value later makes the row longer. InnoDB then deletes the
//! row and inserts it again in its page: each such row descends the tree once more, about every second time with the
//! lock of the whole index (shared-exclusive since MySQL 5.7, exclusive before), because the page has little room left;
//! and where it has none, the page splits. TPC-C does this to every line of every order (`ol_delivery_d`), which is why
//! it once scaled worse on two sockets than on one. A column that has a date as its DEFAULT keeps its room, and the
//! update happens in place. The placebo is the other column that begins as NULL, the carrier: a TINYINT that costs next
//! to nothing.
//!
//! What an order costs of the lock is seen on any host, a busy one too, since it is counted and not timed. The queue at
//! the lock is not: on few CPUs too few users are at it at once. Splits are counted for the whole server; the leaves of
//! the lines' own tree tell theirs. And no splits are good news only where orders arrive: cells whose data broke their
//! laws take no part.

use super::frame::deliveries::{self, DEFAULT, LINES, Lane, NULL, SWITCH, audited, delivered};
use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, Place, SUFFICIENT, Scene, Time, Trial};
use crate::compare::comparisons::{MARGIN, ratio};
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::stats::{average, mean};
use model::Share;
use model::plan::served::HEAP;
use model::units::round3;
use std::collections::BTreeMap;

const PLACEBO: &str = "default+carrier";

const ACQUISITIONS: &str = "index_lock.acquisitions";
const LOCK_TIME: &str = "index_lock.time";
const SPLITS: &str = "db.page_splits";
const REORGANISATIONS: &str = "innodb.index_page_reorg_attempts";
const LEAF_PAGES: &str = "order_line_leaf_pages";

/// What one delivered line costs: a second descent, and at every second line the lock for a change of shape, which
/// MariaDB's instrument counts twice. Measured per order of ten lines, NULL against DEFAULT: 22 and 2 on MariaDB 10.11,
/// and 14.5 more on MySQL 8.0.
const PER_LINE_MARIADB: f64 = 2.0;
const PER_LINE_MYSQL: f64 = 1.5;
/// Fewer additional acquisitions per order are not those of ten lines.
const EXTRA: f64 = 0.5 * PER_LINE_MARIADB * LINES;
/// The placebo may move so many acquisitions per order: a quarter of what the cause does, since runs of seconds
/// scatter.
const STILL: f64 = 0.25 * PER_LINE_MARIADB * LINES;
/// Fewer CPUs of the server do not bring enough users to a lock at once for it to be the limit.
const ENOUGH_CPUS: usize = 8;

pub const CAUSE: Cause = Cause {
    id: "page_splits",
    symptom: || {
        format!(
            "a delivered order takes at least {EXTRA} index-lock acquisitions more where `ol_delivery_d` begins as NULL than where it \
             has a DEFAULT; where nobody counts them, throughput is at least {MARGIN} lower"
        )
    },
    necessary: || {
        format!(
            "columns inserted as NULL and updated later (`{SWITCH}` = {NULL}), index locks counted (`{ACQUISITIONS}`), and orders \
             that arrive and are delivered"
        )
    },
    test: || {
        format!(
            "{PER_LINE_MYSQL} acquisitions for each of {LINES} lines ({PER_LINE_MARIADB} on MariaDB) cover {SUFFICIENT} of what a delivered order \
             takes more"
        )
    },
    intervention: || {
        format!(
            "`{SWITCH}` = {DEFAULT} closes {CLOSES} of the reorganisations per delivered order, and the placebo ({PLACEBO}) changes \
             nothing more"
        )
    },
    source: include_str!("page_splits.rs"),
    indicator: None,
    within: &[],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    // PostgreSQL writes a new version of a row whatever its columns hold.
    deliveries::lanes(scene, |engine| engine != HEAP).iter().filter_map(|lane| case(lane, scene)).collect()
}

fn case(lane: &Lane, scene: &Scene) -> Option<Case> {
    let growing = lane.with(NULL)?;
    let fixed = lane.with(DEFAULT)?;
    let place = &lane.place;
    let extra = by_block(growing, ACQUISITIONS)
        .into_iter()
        .filter_map(|(block, more)| Some(more - by_block(fixed, ACQUISITIONS).get(&block)?))
        .collect::<Vec<_>>();
    let hold = [fixed, growing].iter().all(|c| !scene.struck.contains(&c.cell.id));
    let slower = ratio(fixed, growing).filter(|r| hold && r.high.is_some_and(|high| high < 1.0 - MARGIN.0));
    let is_symptom = if extra.is_empty() { slower.is_some() } else { average(&extra) >= EXTRA };
    if !is_symptom {
        return None;
    }
    let told = |cell, name: &str| each(cell, name).map_or("unknown".to_string(), |n| round3(n).to_string());
    let leaves = |cell, what| leaf_pages(cell).map_or(String::new(), |n| format!(" ({}{what})", round3(n)));
    let symptom = format!(
        "With NULL in `ol_delivery_d`{place} a delivered order comes to {} index-lock acquisitions, {} reorganisations of pages and {} page \
         splits{}, and with a DEFAULT to {}, {} and {}{}{}.",
        told(growing, ACQUISITIONS),
        told(growing, REORGANISATIONS),
        told(growing, SPLITS),
        leaves(growing, " new leaf pages of its lines"),
        told(fixed, ACQUISITIONS),
        told(fixed, REORGANISATIONS),
        told(fixed, SPLITS),
        leaves(fixed, ""),
        slower.map_or(String::new(), |r| format!("; throughput is {:.2} of the other", r.value)),
    );
    Some(Case {
        place: Place { cell: growing.cell.id.clone(), time: Time::Loss(fixed.cell.id.clone()) },
        symptom,
        necessary: necessary(growing, &extra),
        cost: cost(per_line(growing), &extra),
        trial: trial(lane, growing, fixed),
        unseen: unseen(growing),
        evidence: [growing, fixed].map(|c| c.cell.id.to_string()).to_vec(),
        next_experiment: None,
    })
}

fn necessary(growing: &CellEvidence, extra: &[f64]) -> Necessary {
    if growing.runs.iter().map(delivered).sum::<f64>() == 0.0 {
        return Necessary::Contradicted;
    }
    if extra.is_empty() {
        return Necessary::NotMeasured(
            "index locks were not counted (`settings.engine_counters` with performance_schema)".into(),
        );
    }
    let waited = each(growing, LOCK_TIME)
        .map_or(String::new(), |ns| format!(" Taking the lock took {} µs of each.", round3(ns / 1e3)));
    Necessary::Present(format!(
        "The column is inserted as NULL and gets its date on delivery: each of an order's lines grows.{waited}"
    ))
}

/// The DEFAULT, and the placebo.
fn trial(lane: &Lane, growing: &CellEvidence, fixed: &CellEvidence) -> Option<Trial> {
    let (before, after) = (by_block(growing, REORGANISATIONS), by_block(fixed, REORGANISATIONS));
    let closed = before.iter().filter_map(|(block, before)| Some((before - after.get(block)?) / before));
    let closed = mean::plain(&closed.filter(|c| c.is_finite()).collect::<Vec<_>>())?;
    let placebo = lane.with(PLACEBO)?;
    let moved = (each(placebo, ACQUISITIONS)? - each(fixed, ACQUISITIONS)?).abs();
    let control_held = moved <= STILL;
    let held = if control_held { "changed nothing" } else { "changed something, too" };
    let sentence = format!(
        "The DEFAULT takes away {} of the reorganisations ({} to {}); the placebo, a DEFAULT for the carrier as well, {held} ({} \
         acquisitions per order).",
        Share(closed.value),
        Share(closed.low),
        Share(closed.high),
        round3(moved)
    );
    Some(Trial { closed, control_held, is_gone: closed.low > 0.0, sentence })
}

/// As this server's instrument counts.
fn per_line(cell: &CellEvidence) -> f64 {
    let text = cell.runs.first().and_then(|run| run.instance).map_or("", |instance| &instance.version_text);
    if text.contains("MariaDB") { PER_LINE_MARIADB } else { PER_LINE_MYSQL }
}

fn cost(per_line: f64, extra: &[f64]) -> Option<Cost> {
    if extra.iter().any(|more| *more <= 0.0) {
        return None;
    }
    let shares: Vec<f64> = extra.iter().map(|more| (per_line * LINES / more).min(1.0)).collect();
    let share = mean::plain(&shares)?;
    let sentence = format!(
        "Of the {} acquisitions that an order takes more, {} are what the growth of its {LINES} lines predicts ({per_line} each).",
        round3(average(extra)),
        Share(share.value)
    );
    Some(Cost { share, open: Share(0.0), sentence })
}

fn unseen(cell: &CellEvidence) -> Option<String> {
    let cpus = cell.runs.first()?.server_cpus().len();
    (cpus < ENOUGH_CPUS).then(|| {
        format!("The server's {cpus} CPUs cannot show the queue at the lock, and with it the loss of throughput: it takes {ENOUGH_CPUS}.")
    })
}

/// A counter per delivered order, by block.
fn by_block(cell: &CellEvidence, counter: &str) -> BTreeMap<u32, f64> {
    deliveries::by_block(cell, |run| run.rate(counter))
}

fn each(cell: &CellEvidence, counter: &str) -> Option<f64> {
    deliveries::mean_of(cell, |run| run.rate(counter))
}

/// Growth of the lines' leaves per delivered order, over whole runs.
fn leaf_pages(cell: &CellEvidence) -> Option<f64> {
    let of = |run: &RunEvidence| {
        let audit = run.run.audits.first()?;
        let answer = audit.answer(LEAF_PAGES)?;
        Some((answer.after? - answer.before?) as f64 / audited(run)?)
    };
    let values: Option<Vec<f64>> = cell.runs.iter().map(of).collect();
    values.filter(|v| !v.is_empty()).map(|v| average(&v))
}
