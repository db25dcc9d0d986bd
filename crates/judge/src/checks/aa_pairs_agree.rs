//! An experiment that compares should also compare something with itself: one cell is run again under another label,
//! its runs shuffled among the others. What that pair differs by is the noise floor of the whole experiment, drift,
//! order and placement included, which no interval within a cell shows. When the pair differs significantly and by more
//! than the margin of equivalence, every claim of the experiment warns.

use crate::compare::comparisons::{MARGIN, of_runs, ratio};
use crate::compare::decide::CLAIM;
use crate::frame::naming;
use crate::frame::{Applies, Check, Doubts, Evidence, Look, Pair, Pairs, Seen, Sight, pairs};
use model::{Share, Status};

pub const CHECK: Check = Check {
    id: "aa_pairs_agree",
    claim: || format!("a cell and its repetition under another label differ by no more than {MARGIN} or their noise"),
    source: include_str!("aa_pairs_agree.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "take differences below that of the pair for noise; more repetitions, longer runs or a quieter machine lower it",
    look: Look::Pairs(Pairs { of: pairs::twins, none: "No cell is repeated under another label.", look }),
};

fn look(_: &Evidence, twins: &[Pair]) -> Sight {
    let Pair { base: first, candidate: twin, .. } = twins[0];
    let estimate = ratio(first, twin).ok_or("one of the two has no number")?;
    let (Some(low), Some(high)) = (estimate.low, estimate.high) else {
        return Err(format!("n = {} gives no interval", estimate.n));
    };
    let off = Share((estimate.value - 1.0).abs());
    // Searches have an interval and no repetitions.
    let significant = of_runs(first, twin).map_or(low > 1.0 || high < 1.0, |ratio| ratio.chance() <= CLAIM);
    let numbers = format!("ratio {:.2}, {low:.2}–{high:.2}, n={}", estimate.value, estimate.n);
    let twice = format!("{} was measured twice, as {} again", naming::cell(first), twin.cell.id);
    let (status, sentence) = if significant && off.0 > MARGIN.0 {
        let told = format!("{twice}, and the two differ by {off} ({numbers}): no smaller difference counts here.");
        (Status::Warn, told)
    } else {
        (Status::Pass, format!("{twice}, and the two agree within their noise, {off} apart ({numbers})."))
    };
    let cells = vec![first.cell.id.to_string(), twin.cell.id.to_string()];
    Ok(Seen::new(status, off.to_string(), format!("{MARGIN} and significant"), sentence).at(cells))
}
