//! Whoever measures takes part, and how much of it ends up in the number is seen only by not measuring: an experiment
//! may have an axis `sampling`, which runs the same cells with and without readings once a second. What they differ by
//! is the bias of the instrument. Where both are equivalent it is part of no number; where they are not, or nobody can
//! say, the difference is told.
//!
//! It warns and never fails: the bias is the same for all cells that were sampled, and a ratio of two of them does not
//! have it.

use crate::compare::comparisons::{MARGIN, floor, numbers, of_runs, ratio};
use crate::compare::decide;
use crate::frame::naming::counted;
use crate::frame::{Applies, Check, Doubts, Evidence, Look, Pair, Pairs, Seen, Sight, graded, pairs};
use model::{Outcome, Share};

pub const CHECK: Check = Check {
    id: "observer_moved_nothing",
    claim: || format!("cells have the same rate within {MARGIN} whether or not the server is read once a second"),
    source: include_str!("observer_moved_nothing.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "take the difference for the bias of the instrument, or measure with `sampling = false`; more repetitions decide what is undecided",
    look: Look::Pairs(Pairs { of, none: "The experiment has no axis `sampling`.", look }),
};

/// The axis.
const SAMPLING: &str = "sampling";

fn of<'a>(evidence: &'a Evidence<'a>) -> Vec<Pair<'a>> {
    pairs::all(evidence).into_iter().filter(|pair| pair.axis == SAMPLING).collect()
}

fn look(evidence: &Evidence, pairs: &[Pair]) -> Sight {
    let sides: Vec<&Pair> = pairs.iter().filter(|pair| of_runs(pair.base, pair.candidate).is_some()).collect();
    let ratios: Vec<_> = sides.iter().filter_map(|pair| of_runs(pair.base, pair.candidate)).collect();
    if ratios.is_empty() {
        return Err("no pair of cells has enough repetitions for an interval".into());
    }
    let decisions = decide::all(&ratios, floor(evidence));
    let unlike: Vec<_> =
        sides.iter().zip(&decisions).filter(|(_, d)| d.outcome != Outcome::Equivalent).map(|(pair, _)| pair).collect();
    let off = |decision: &decide::Decision| (decision.interval.value - 1.0).abs();
    let most = Share(decisions.iter().map(off).fold(0.0, f64::max));
    let sentence = match unlike.first() {
        None => format!(
            "With readings once a second and without, the rate is the same within {MARGIN}, over {} of cells.",
            counted(sides.len(), "pair")
        ),
        Some(pair) => {
            let numbers = ratio(pair.base, pair.candidate).map_or(String::new(), |r| format!(" ({})", numbers(&r)));
            let told = |value: &str| format!("{SAMPLING} {value}");
            let value = |cell: &crate::frame::evidence::CellEvidence| told(&cell.cell.axes[SAMPLING].to_string());
            format!(
                "Reading the counters may change the rate: {} not known to be the same, as {} with {} against {}{numbers}.",
                match sides.len() {
                    1 => "the two cells are".to_string(),
                    n => format!("{} of {n} pairs of cells are", unlike.len()),
                },
                pair.candidate.cell.id,
                value(pair.candidate),
                value(pair.base)
            )
        }
    };
    let cells = unlike.iter().flat_map(|pair| [pair.base, pair.candidate]).map(|cell| cell.cell.id.to_string());
    let status = graded(unlike.len() as f64, 0.0, f64::INFINITY);
    Ok(Seen::new(status, format!("{most} apart"), MARGIN.to_string(), sentence).at(cells.collect()))
}
