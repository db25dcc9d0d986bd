//! May the numbers be believed, and what may be said with them? A record goes in, a judgement comes out: estimates with
//! their intervals, verdicts of checks, comparisons, and the sentences that a report opens with. Pure and
//! deterministic: the same record gives the same bytes, today and from an archive.
//!
//! [`evidence`] lays the record out by cell and run; everything else reads from there and never searches.
#![forbid(unsafe_code)]

pub mod checks;
pub mod compare;
pub mod curves;
pub mod families;
pub mod findings;
pub mod frame;
pub mod stats;
pub mod tell;
pub mod upgrade;

use compare::{beside, comparisons, functions, overall};
use curves::{forecast, law};
use findings::frame::finding;
use frame::{ahead, cells, check, evidence, metrics, plans, silence, spoilt};
use tell::{claims, health};

pub use findings::frame::finding::Cause;
pub use frame::ahead::COUNTERS as AHEAD;
pub use frame::check::{Check, Scope};
pub use frame::spoilt::{MOST_AGAIN, Spoilt};

use checks::{flushing_was_settled, window_covers_cycles};
use model::{Details, Judgement, Record, Verdict};

/// Metrics whose course tells of servers that write: whoever reads many runs ahead of the judge may read these with
/// them.
pub const SERIES: [&str; 3] = [flushing_was_settled::AGE, flushing_was_settled::DIRTY, window_covers_cycles::POSITION];

pub fn judge(record: &Record, details: &dyn Details) -> Judgement {
    let evidence = evidence::Evidence::of(record, details);
    let cells = cells::all(&evidence);
    let verdicts = check::on_experiment(checks::ALL, &evidence);
    let mut comparisons = comparisons::all(&evidence, &cells);
    comparisons.extend(beside::all(&evidence, &cells));
    let overall = overall::all(&evidence, &cells);
    let health = health::of(&cells);
    let findings = finding::all(findings::ALL, checks::ALL, &evidence, &cells);
    let claims = claims::all(&evidence, &cells, &verdicts, &comparisons, &overall, &findings, &health);
    let not_measured = silence::all(&evidence);
    let plans = plans::tables(&evidence, &cells);
    let searches = evidence.cells.iter().filter_map(|c| c.search.clone()).collect();
    let (functions, function_diffs) = functions::all(record, details);
    Judgement {
        functions,
        function_diffs,
        cells,
        verdicts,
        comparisons,
        overall,
        findings,
        claims,
        health,
        not_measured,
        searches,
        plans,
        forecasts: forecast::all(&evidence.cells),
        curves: law::curves(&evidence),
        made_of: metrics::made_of(),
    }
}

/// The runs of a record that a neighbour spoilt, by its checks of the machine alone.
pub fn spoilt(record: &Record, details: &dyn Details) -> Vec<Spoilt> {
    spoilt::all(checks::ALL, &evidence::Evidence::of(record, details))
}

/// What would fail if the one run of this record, which is under way, ended now.
pub fn ahead(record: &Record, details: &dyn Details) -> Vec<Verdict> {
    ahead::all(checks::ALL, &evidence::Evidence::of(record, details))
}

/// The page of a check or a finding by its id; `None` when nothing is called so.
pub fn explain(name: &str) -> Option<String> {
    let check = checks::ALL.iter().find(|c| c.id == name).map(Check::page);
    check.or_else(|| findings::ALL.iter().find(|c| c.id == name).map(Cause::page))
}

/// Every page, by the id of its check or finding.
pub fn pages() -> Vec<(&'static str, String)> {
    let checks = checks::ALL.iter().map(|c| (c.id, c.page()));
    checks.chain(findings::ALL.iter().map(|c| (c.id, c.page()))).collect()
}
