//! A fitted law of scaling tempts to read causes out of curves: contention, coherency, a peak where nobody measured.
//! The universal scalability law fits any rising curve somehow, so its parameters are shown only where it describes the
//! curve: at least 6 numbers of users with 3 repetitions among them, no negative parameter, a peak that was measured or
//! nearly so, and levels that lie off it by no more than repetitions differ (F test for lack of fit at 1 %, or less
//! than 2 % in any case), never by more than 10 %. Curves that the client bends, that change their regime, or that a
//! pool of threads flattens usually do not pass.

use crate::curves::law::{self, LEVELS, OFF, REPEATED};
use crate::frame::applies::Absence;
use crate::frame::{Applies, Check, Doubts, Evidence, Look, Seen, Sight};
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "scaling_follows_a_law",
    claim: || {
        format!(
            "the universal scalability law describes every curve over {LEVELS} or more numbers of users, within {OFF}"
        )
    },
    source: include_str!("scaling_follows_a_law.rs"),
    applies: Applies::Experiment(absent),
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "read the curve as it was measured, and no parameters out of it; where it bends, look at what limits the cells on both sides",
    look: Look::Experiment(look),
};

fn absent(evidence: &Evidence) -> Absence {
    (!law::is_planned(evidence)).then(|| {
        format!("No curve is to have {LEVELS} numbers of users with {REPEATED} repetitions among them, as a law takes.")
    })
}

fn look(evidence: &Evidence) -> Sight {
    let curves = law::curves(evidence);
    let fitted: Vec<_> = curves.iter().filter(|c| c.is_fitted).collect();
    let (first, all) = match (fitted.first(), curves.first()) {
        (Some(first), _) => (first, fitted.len()),
        (None, Some(curve)) => return Err(curve.sentence.trim_end_matches('.').to_string()),
        (None, None) => return Err("nothing was measured with several numbers of users".into()),
    };
    let refused: Vec<_> = fitted.iter().filter(|c| c.law.is_none()).collect();
    let told = refused.first().map_or(&first.sentence, |c| &c.sentence);
    let sentence = if all == 1 {
        told.clone()
    } else {
        format!("Of {all} curves over users {} follow the universal scalability law. {told}", all - refused.len())
    };
    let status = if refused.is_empty() { Status::Pass } else { Status::Warn };
    let cells = refused.iter().flat_map(|c| &c.cells).map(ToString::to_string).collect();
    let measured = format!("{} of {all} curves", all - refused.len());
    Ok(Seen::new(status, measured, format!("{all} of {all} curves"), sentence).at(cells))
}
