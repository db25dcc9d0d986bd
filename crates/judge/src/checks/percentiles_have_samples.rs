//! The 99th percentile of 71 requests is simply the slowest of them. A percentile is printed without a mark when at
//! least ten samples lie beyond it; with fewer it hangs on single requests, and with far fewer there is not even an
//! upper bound for it (p99 needs 368 samples, p99.9 needs 3,688). It is given all the same, and this verdict says
//! which. Samples are counted as if independent; stalls that hit many users at once make them worth less.

use crate::frame::check::worst_of;
use crate::frame::naming::listed;
use crate::frame::{Applies, CellEvidence, Check, Doubts, Each, Limit, Look, Seen, Sight};
use crate::stats::order;
use model::Status;
use model::units::round3;

pub const CHECK: Check = Check {
    id: "percentiles_have_samples",
    claim: || format!("at least {TAIL} samples lie beyond each percentile"),
    source: include_str!("percentiles_have_samples.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[TAIL],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "measure longer, or leave these percentiles out of any claim",
    look: Look::Once(Each::Cell(look)),
};

const TAIL: Limit =
    Limit::number("tail", 10.0, "samples beyond a percentile; its relative error is then about a third").law();

const PERCENTILES: [(&str, f64); 4] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

fn look(cell: &CellEvidence) -> Sight {
    match cell.groups() {
        alone if alone.is_empty() => of_group(cell),
        groups => worst_of(groups.into_iter().map(|(name, share)| (name.to_string(), of_group(&share))).collect()),
    }
}

fn of_group(cell: &CellEvidence) -> Sight {
    let samples: u64 = cell.runs.iter().flat_map(|r| r.operations()).map(|(_, o)| o.latency.count()).sum();
    if samples == 0 {
        return Err("no operation was done".into());
    }
    let tail = cell.limits.of(&TAIL);
    // A hair of tolerance: 1 − 0.99 is not a hundredth in binary.
    let beyond = |q: f64| samples as f64 * (1.0 - q) + 1e-6;
    let short: Vec<_> = PERCENTILES.iter().filter(|(_, q)| beyond(*q) < tail).collect();
    let limit = format!("{tail} samples beyond");
    let Some((name, q)) = short.first() else {
        let sentence = format!("{samples} operations leave {} samples beyond p99.9.", round3(beyond(0.999)));
        return Ok(Seen::new(Status::Pass, format!("{samples} samples"), limit, sentence));
    };
    let names: Vec<&str> = short.iter().map(|(name, _)| *name).collect();
    let unbounded: Vec<&str> =
        short.iter().filter(|(_, q)| order::ranks(samples, *q).1.is_none()).map(|(n, _)| *n).collect();
    let unbounded = if unbounded.is_empty() {
        String::new()
    } else {
        format!(" There is no upper bound at all for {}.", listed(&unbounded))
    };
    let sentence = format!(
        "{samples} operations leave {} beyond {name}: too few for {}.{unbounded}",
        round3(beyond(*q)),
        listed(&names)
    );
    Ok(Seen::new(Status::Warn, format!("{samples} samples"), limit, sentence))
}
