//! Repetitions of one cell are the same experiment, so what they differ by is what a claim cannot see below. A cell whose
//! runs spread by more than 5 % (standard deviation over mean of the statements per second) warns; where the spread
//! is above 10 % no difference of less than 20 % is claimed from it, whatever its interval. A few runs know their own spread
//! badly (three of a machine that spreads by 5 % show 10 % once in fifty times), so it fails only where it is above 10 %
//! beyond doubt: where a bound below it, right in 99 of 100 cases, still is. for three runs that takes 21 %, for five 18 %, for ten 16 %.
//! Fewer than three runs give a point without an interval, and no claim.

use crate::check::{Check, Look, Seen, Sight};
use crate::evidence::CellEvidence;
use crate::limits::{SPREAD_FAIL, SPREAD_WARN};
use crate::stats::{FEWEST, variation};
use model::units::Share;
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "repetitions_agree",
    code: "N1",
    claim: || {
        format!(
            "the rates of repetitions spread by less than {SPREAD_FAIL} beyond doubt, with at least {FEWEST} of them"
        )
    },
    source: include_str!("repetitions_agree.rs"),
    needs: &[],
    limits: &[SPREAD_WARN, SPREAD_FAIL],
    quarantined: false,
    advice: "measure longer or more often; if the runs fall into two groups, look for what differs between them (placement, plan, neighbours)",
    look: Look::Cell(look),
};

/// The standard normal distribution's quantile at 99 %.
const BEYOND_DOUBT: f64 = 2.326_347_874;

fn look(cell: &CellEvidence) -> Sight {
    let rates: Vec<f64> = cell.runs.iter().map(|r| r.qps()).collect();
    if let Some(search) = &cell.search {
        let sentence = format!(
            "A search repeats where it is unsure, {} times here; its interval holds what they differ by.",
            search.trials.len()
        );
        return Ok(Seen::new(Status::Pass, format!("{} runs", search.trials.len()), "a search", sentence));
    }
    let n = rates.len();
    if n < FEWEST {
        return Err(format!("n = {n}, shown as a point; {FEWEST} repetitions are the fewest for an interval"));
    }
    if rates.iter().all(|r| *r == 0.0) {
        return Err("no statement was answered".into());
    }
    let (warn, fail) = (cell.limits.share(&SPREAD_WARN), cell.limits.share(&SPREAD_FAIL));
    let (spread, least) = (Share(variation(&rates)), Share(at_least(variation(&rates), n)));
    let status = match spread.0 {
        _ if least.0 > fail.0 => Status::Fail,
        s if s > warn.0 => Status::Warn,
        _ => Status::Pass,
    };
    let sentence = match status {
        Status::Pass | Status::NotEvaluable => format!("{n} repetitions spread by {spread}."),
        Status::Warn | Status::Fail => {
            format!("{n} repetitions spread by {spread} (surely by {least}): differences of that size are noise here.")
        }
    };
    let limit = format!("{fail} beyond doubt; warns at {warn}");
    Ok(Seen::new(status, spread.to_string(), limit, sentence))
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
