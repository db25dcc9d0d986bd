//! Repetitions of one cell are the same experiment, so what they differ by is what a claim cannot see below. A cell whose
//! runs spread by more than 5 % (standard deviation over mean of the statements per second) warns; above 10 % no
//! difference of less than 20 % is claimed from it, whatever its interval; above 40 % it fails, because then the interval
//! of three runs reaches down to zero and the number says nothing. Below that the interval itself is the honest answer: a
//! noisy number is wide and not wrong. Fewer than three runs give a point without an interval, and no claim.

use crate::check::{Check, Look, Seen, Sight, graded};
use crate::evidence::CellEvidence;
use crate::stats::{FEWEST, variation};
use model::units::Share;
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "repetitions_agree",
    code: "N1",
    claim: || format!("the rates of repetitions spread by less than {FAIL}, with at least {FEWEST} of them"),
    source: include_str!("repetitions_agree.rs"),
    needs: &[],
    advice: "measure longer or more often; if the runs fall into two groups, look for what differs between them (placement, plan, neighbours)",
    look: Look::Cell(look),
};

const WARN: Share = Share(0.05);
/// Student's t for three runs is 4.30, so the half-width reaches the mean where the spread is √3 ÷ 4.30.
const FAIL: Share = Share(0.40);

fn look(cell: &CellEvidence) -> Sight {
    let rates: Vec<f64> = cell.runs.iter().map(|r| r.qps()).collect();
    if rates.len() < FEWEST {
        return Err(format!(
            "n = {}, shown as a point; {FEWEST} repetitions are the fewest for an interval",
            rates.len()
        ));
    }
    if rates.iter().all(|r| *r == 0.0) {
        return Err("no statement was answered".into());
    }
    let spread = variation(&rates);
    let status = graded(spread, WARN.0, FAIL.0);
    let sentence = match status {
        Status::Pass | Status::NotEvaluable => format!("{} repetitions spread by {}.", rates.len(), Share(spread)),
        Status::Warn | Status::Fail => {
            format!("{} repetitions spread by {}: differences of that size are noise here.", rates.len(), Share(spread))
        }
    };
    Ok(Seen::new(status, Share(spread).to_string(), format!("{FAIL}; warns at {WARN}"), sentence))
}
