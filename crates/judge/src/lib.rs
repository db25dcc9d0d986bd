//! May the numbers be believed, and what may be said with them? A record goes in, a judgement comes out: estimates with
//! their intervals, verdicts of checks, comparisons, and the sentences that a report opens with. Pure and deterministic:
//! the same record gives the same bytes, today and from an archive.
//!
//! [`evidence`] lays the record out by cell and run; everything else reads from there and never searches.
#![forbid(unsafe_code)]

mod absent;
mod account;
pub mod across;
mod bound;
mod cells;
mod check;
pub mod checks;
mod claims;
mod comparisons;
mod course;
pub mod decide;
mod dose;
mod drift;
mod errors;
mod evidence;
mod finding;
pub mod findings;
mod fingerprint;
mod forecast;
pub mod history;
mod law;
pub mod limits;
mod metrics;
mod moved;
mod next;
mod noise;
mod pairs;
mod phases;
mod plans;
mod prepared;
mod regime;
mod rivals;
mod scaling;
mod schema;
pub mod search;
mod signature;
mod silence;
mod staleness;
pub mod stats;
mod trial;
mod versioning;
mod waits;
mod work;

pub use check::{Check, Scope};
pub use finding::Cause;

use checks::{flushing_was_settled, window_covers_cycles};
use model::judgement::Judgement;
use model::record::{Details, Record};

/// Metrics whose course tells of servers that write: whoever reads many runs ahead of the judge may read these with them.
pub const SERIES: [&str; 3] = [flushing_was_settled::AGE, flushing_was_settled::DIRTY, window_covers_cycles::POSITION];

pub fn judge(record: &Record, details: &dyn Details) -> Judgement {
    let evidence = evidence::Evidence::of(record, details);
    let cells = cells::all(&evidence);
    let verdicts = check::on_experiment(checks::ALL, &evidence);
    let comparisons = comparisons::all(&evidence, &cells);
    let claims = claims::all(&evidence, &cells, &verdicts, &comparisons);
    let not_measured = silence::all(&evidence);
    let findings = finding::all(findings::ALL, &evidence, &cells);
    let plans = plans::tables(&evidence, &cells);
    let searches = evidence.cells.iter().filter_map(|c| c.search.clone()).collect();
    Judgement {
        cells,
        verdicts,
        comparisons,
        findings,
        claims,
        not_measured,
        searches,
        plans,
        forecasts: forecast::all(&evidence.cells),
        curves: law::curves(&evidence),
        made_of: metrics::made_of(),
    }
}

/// The page of a check or a finding by its id or code; `None` when nothing is called so.
pub fn explain(name: &str) -> Option<String> {
    let is = |id: &str, code: &str| id == name || code.eq_ignore_ascii_case(name);
    let check = checks::ALL.iter().find(|c| is(c.id, c.code)).map(Check::page);
    check.or_else(|| findings::ALL.iter().find(|c| is(c.id, c.code)).map(Cause::page))
}

/// Every page, by the id of its check or finding.
pub fn pages() -> Vec<(&'static str, String)> {
    let checks = checks::ALL.iter().map(|c| (c.id, c.page()));
    checks.chain(findings::ALL.iter().map(|c| (c.id, c.page()))).collect()
}
