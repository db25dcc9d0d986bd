//! PostgreSQL changes no row in place: an update writes it once more. Where its page has room for that and no indexed
//! column changes, the new version stays in the page and no index hears of it: the update is HOT (a heap-only tuple).
//! Where the page is full, the version goes to another one, and every index of the table gets an entry for it, which
//! vacuum has to take away again. TPC-C delivers an order when its pages are long full: ten lines and the order itself
//! leave their page. Whether the date was NULL or had a DEFAULT makes no difference here: the DEFAULT, InnoDB's remedy,
//! is the placebo. The remedy is room in the pages (`fillfactor`), which makes the table that much larger.
//!
//! Other rows of the same transactions (stock, customers) leave their pages in both arms; what an order takes more is
//! counted as the difference. And orders must arrive and be delivered: cells whose data broke their laws take no part.

use super::frame::deliveries::{DEFAULT, LINES, Lane, NULL, SWITCH, delivered, lanes, mean_of};
use super::frame::finding::{CLOSES, Case, Cause, Cost, Necessary, Place, SUFFICIENT, Scene, Time, Trial};
use crate::compare::comparisons::{MARGIN, ratio};
use crate::frame::evidence::{CellEvidence, RunEvidence};
use crate::stats::{average, mean};
use model::Share;
use model::plan::served::HEAP;
use model::units::round3;

const ROOM: &str = "null+room";

const UPDATED: &str = "postgres.tup_updated";
const HOT: &str = "postgres.hot_updates";
const LOG: &str = "postgres.wal_bytes";

/// The rows with room that a delivery updates: the lines, and their order.
const ROWS: f64 = LINES + 1.0;
/// Fewer per order are not those rows; three of the eleven were seen to find room that a transaction before left.
const EXTRA: f64 = 0.5 * ROWS;
/// The placebo may move so many: a quarter of what the cause does, since runs of seconds scatter.
const STILL: f64 = 0.25 * ROWS;

pub const CAUSE: Cause = Cause {
    id: "non_hot_updates",
    symptom: || {
        format!(
            "in PostgreSQL a delivered order takes at least {EXTRA} updates more that leave their page (not HOT) where pages are full \
             than where they keep room; where nobody counts them, throughput is at least {MARGIN} lower"
        )
    },
    necessary: || {
        format!("updates and HOT updates are counted (`{UPDATED}`, `{HOT}`), and orders arrive and are delivered")
    },
    test: || format!("the {ROWS} rows that a delivery updates cover {SUFFICIENT} of what an order takes more"),
    intervention: || {
        format!(
            "room in the pages (`{SWITCH}` = {ROOM}) keeps {CLOSES} of those rows in their pages, and the placebo ({DEFAULT}, which \
             helps InnoDB) changes nothing"
        )
    },
    source: include_str!("non_hot_updates.rs"),
    indicator: None,
    within: &[],
    look,
};

fn look(scene: &Scene) -> Vec<Case> {
    lanes(scene, |engine| engine == HEAP).iter().filter_map(|lane| case(lane, scene)).collect()
}

/// The share of a run's updates that left their page; the server tells both counts at once, and late.
fn leaving(run: &RunEvidence) -> Option<f64> {
    let updated = run.growth(UPDATED)?.delta;
    (updated > 0.0).then_some(1.0 - run.growth(HOT)?.delta / updated)
}

fn case(lane: &Lane, scene: &Scene) -> Option<Case> {
    let (full, roomy) = (lane.with(NULL)?, lane.with(ROOM)?);
    let extra = differences(full, roomy);
    let hold = [roomy, full].iter().all(|c| !scene.struck.contains(&c.cell.id));
    let slower = ratio(roomy, full).filter(|r| hold && r.high.is_some_and(|high| high < 1.0 - MARGIN.0));
    let is_symptom = if extra.is_empty() { slower.is_some() } else { average(&extra) >= EXTRA };
    if !is_symptom {
        return None;
    }
    let left = |cell: &CellEvidence| {
        let each: Vec<f64> = cell.runs.iter().filter_map(leaving).collect();
        if each.is_empty() { "an unknown share".to_string() } else { Share(average(&each)).to_string() }
    };
    let log =
        |cell| mean_of(cell, |run| run.rate(LOG)).map_or("unknown".into(), |bytes| round3(bytes / 1_024.0).to_string());
    let rate = match slower {
        Some(ratio) => format!("; throughput is {:.2} of the other", ratio.value),
        None => "; throughput does not show it here".into(),
    };
    let symptom = format!(
        "With full pages{} {} of an order's {} updates leave their page, with room in the pages {} ({} and {} KiB of log for each order \
         delivered){rate}.",
        lane.place,
        left(full),
        mean_of(full, |run| run.rate(UPDATED)).map_or("unknown".into(), |n| round3(n).to_string()),
        left(roomy),
        log(full),
        log(roomy),
    );
    Some(Case {
        place: Place { cell: full.cell.id.clone(), time: Time::Loss(roomy.cell.id.clone()) },
        cost: cost(&extra),
        trial: trial(lane, full, &extra),
        evidence: [full, roomy].map(|c| c.cell.id.to_string()).to_vec(),
        ..Case::of(full, symptom, necessary(full, &extra))
    })
}

/// How many of an order's updates leave their page in the one and not in the other, by block.
fn differences(one: &CellEvidence, other: &CellEvidence) -> Vec<f64> {
    let updated = |cell| mean_of(cell, |run| run.rate(UPDATED));
    let Some((updates, others)) = updated(one).zip(updated(other)) else { return Vec::new() };
    let of_block = |block| other.runs.iter().find(|run| run.run.block == block).and_then(leaving);
    let each = |run: &RunEvidence| Some((leaving(run)? - of_block(run.run.block)?) * (updates + others) / 2.0);
    one.runs.iter().filter_map(each).collect()
}

fn necessary(full: &CellEvidence, extra: &[f64]) -> Necessary {
    if full.runs.iter().map(delivered).sum::<f64>() == 0.0 {
        return Necessary::Contradicted;
    }
    if extra.is_empty() {
        return Necessary::NotMeasured("HOT updates were not counted".into());
    }
    let seen = "Each version of a row that leaves its page gets an entry in every index of its table.";
    Necessary::Present(seen.into())
}

fn cost(extra: &[f64]) -> Option<Cost> {
    let more = mean::plain(extra).filter(|more| more.low > 0.0)?;
    let share = mean::plain(&extra.iter().map(|more| (ROWS / more).min(1.0)).collect::<Vec<_>>())?;
    let sentence = format!(
        "A delivery updates {ROWS} rows, which account for {} of the {} updates that leave their page more.",
        Share(share.value),
        round3(more.value)
    );
    Some(Cost { share, open: Share(0.0), sentence })
}

/// Room, and the DEFAULT.
fn trial(lane: &Lane, full: &CellEvidence, extra: &[f64]) -> Option<Trial> {
    let closed = mean::plain(&extra.iter().map(|more| more / ROWS).collect::<Vec<_>>())?;
    let moved = mean::plain(&differences(full, lane.with(DEFAULT)?))?;
    let control_held = moved.low.abs().max(moved.high.abs()) <= STILL;
    let sentence = format!(
        "Room keeps {} of those rows in their pages ({} to {}); the placebo, a DEFAULT, {} ({} of an order's updates).",
        Share(closed.value.min(1.0)),
        Share(closed.low),
        Share(closed.high.min(1.0)),
        if control_held { "changes nothing" } else { "changes something, too" },
        round3(moved.value),
    );
    Some(Trial { closed, control_held, is_gone: closed.low > 0.0, sentence })
}
