//! Repetitions of one cell are the same experiment, so what they differ by is what a claim cannot see below. What they
//! spread by counts as it does in a comparison: beside the other cells' runs of the same blocks, or by itself,
//! whichever is less, since what shifts a whole block shifts both sides. Of that spread and the number of runs follows
//! how large a difference between two such cells could hide in it: half the interval of their ratio. A cell in whose
//! noise a difference of 20 % hides warns; one in which half as much again hides fails. So more runs bear more noise.
//!
//! A few runs know their own spread badly (three of a machine that spreads by 3 % show 5 % once in sixteen times), so
//! both count only beyond doubt: with the spread that these runs surely have, right in 99 of 100 cases. For three runs
//! it takes a spread of 11 and 25 % as seen, for five 19 and 42 %. What is below is in the interval that is printed.
//!
//! From eight runs on, runs that fall into two groups warn: the cell has two states, and its mean is the rate of
//! neither. Fewer than three runs give a point without an interval, and no claim.

use crate::compare::comparisons::MARGIN;
use crate::frame::applies::Absence;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Limit, Look, Seen, Sight, graded, noise};
use crate::stats::modes::{self, Groups};
use crate::stats::{FEWEST, student};
use model::units::round3;
use model::{Share, Status};

pub const CHECK: Check = Check {
    id: "repetitions_agree",
    claim: || {
        format!(
            "no difference of {SPREAD_WARN} could hide in what the rates of repetitions spread by, with at least {FEWEST} of them"
        )
    },
    source: include_str!("repetitions_agree.rs"),
    applies: Applies::Cell(absent),
    needs: &[],
    limits: &[SPREAD_WARN, SPREAD_FAIL],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "measure longer or more often; if the runs fall into two groups, look for what differs between them (placement, plan, neighbours)",
    look: Look::Cell(look),
};

const SPREAD_WARN: Limit = Limit::share(
    "spread_warn",
    0.20,
    "a difference that hides in the spread beyond doubt; one as large is worth another server",
)
.convention();
const SPREAD_FAIL: Limit = Limit::share(
    "spread_fail",
    0.50,
    "a difference that hides in the spread beyond doubt; the number is then one of two digits at most",
)
.convention();

/// The standard normal distribution's quantile at 99 %.
const BEYOND_DOUBT: f64 = 2.326_347_874;

/// Why nobody asks what the repetitions of a cell say that is to be run once.
fn absent(cell: &CellEvidence) -> Absence {
    if let Some(search) = &cell.search {
        return Some(format!(
            "A search repeats where it is unsure, {} times here; its interval holds what they differ by.",
            search.trials.len()
        ));
    }
    (cell.planned_runs() == 1)
        .then(|| "The cell is run once, and shown as a point: there is nothing that it could agree with.".into())
}

fn look(cell: &CellEvidence) -> Sight {
    let rates: Vec<f64> = cell.runs.iter().map(|r| r.qps()).collect();
    let n = rates.len();
    if n < FEWEST {
        return Err(format!("n = {n}, shown as a point; {FEWEST} repetitions are the fewest for an interval"));
    }
    if rates.iter().all(|r| *r == 0.0) {
        return Err("no statement was answered".into());
    }
    let (warn, fail) = (cell.limits.share(&SPREAD_WARN), cell.limits.share(&SPREAD_FAIL));
    let spread = noise::spread(cell).ok_or("a run answered no statement")?;
    let hidden = Share(hidden(at_least(spread, n), n));
    let spread = Share(spread);
    let by_spread = graded(hidden.0, warn.0, fail.0);
    let states = modes::two(&rates).filter(|g| g.high.0 > g.low.0 * (1.0 + MARGIN.0));
    let mut sentence = match by_spread {
        Status::NotApplicable | Status::Pass | Status::NotEvaluable => format!("{n} repetitions spread by {spread}."),
        Status::Warn | Status::Fail => {
            let advice = noise::advice(cell).map_or(String::new(), |advice| format!(" {advice}"));
            format!(
                "{n} repetitions spread by {spread}: a difference of {hidden} between two such cells could hide in it.{advice}"
            )
        }
    };
    if let Some(Groups { low, high }) = states {
        let group = |(centre, runs): (f64, usize)| format!("{runs} runs around {}", round3(centre));
        sentence.push_str(&format!(" There are two states, {} and {}: the mean is neither.", group(low), group(high)));
    }
    let status = by_spread.max(if states.is_some() { Status::Warn } else { Status::Pass });
    let limit = format!("a difference of {fail} hides beyond doubt; warns at {warn}, and at two states");
    Ok(Seen::new(status, spread.to_string(), limit, sentence))
}

/// The difference between two cells of that spread, on the log scale, which lies just within the interval of a ratio of
/// `n` of their blocks (Student).
fn hidden(spread: f64, n: usize) -> f64 {
    (student::factor(n) * spread * (2.0 / n as f64).sqrt()).exp_m1()
}

/// The spread that `n` runs which show this one have at least, in 99 of 100 cases: √(ν/χ²) of it, with χ² by Wilson and
/// Hilferty (1931), which is exact to two thousandths here.
fn at_least(spread: f64, n: usize) -> f64 {
    let freedom = n as f64 - 1.0;
    let ninth = 2.0 / (9.0 * freedom);
    let chi_squared = freedom * (1.0 - ninth + BEYOND_DOUBT * ninth.sqrt()).powi(3);
    spread * (freedom / chi_squared).sqrt()
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn the_bound_is_that_of_the_chi_squared_distribution() {
        // scipy.stats.chi2.ppf(0.99, freedom)
        for (freedom, golden) in [(2.0_f64, 9.210_340), (4.0, 13.276_704), (9.0, 21.665_994)] {
            let exact = f64::sqrt(freedom / golden);
            let ours = at_least(1.0, freedom as usize + 1);
            assert!((ours / exact - 1.0).abs() < 2e-3, "{freedom}: {ours} for {exact}");
        }
    }
}
