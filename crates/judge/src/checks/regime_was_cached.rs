//! A server that finds its pages in memory and one that reads them from disk are two different machines. Numbers of both
//! on one line are a mistake that the line does not show, as when data outgrows the buffer pool in the tenth iteration. The
//! regime of a run is read off its data: cached (data below 90 % of the buffer pool and at most one physical read
//! per thousand statements), warming (reads fall by more than half over the run), IO-bound (stalled on IO for 20 % of the
//! time), or mixed.
//!
//! Every regime but cached warns: it may be what was asked, and then it belongs in the question.

use crate::check::{Check, Look, Need, Seen, Sight};
use crate::evidence::{CellEvidence, RunEvidence};
use model::units::{Bytes, Share, round3};
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "regime_was_cached",
    code: "D4",
    claim: || {
        format!(
            "data stayed below {FULL} of the buffer pool and fewer than {READS} pages per statement were read from disk"
        )
    },
    source: include_str!("regime_was_cached.rs"),
    needs: &[Need::Counter(PHYSICAL)],
    advice: "enlarge the buffer pool, warm up longer, or make the regime an axis of the question",
    look: Look::Cell(look),
};

const PHYSICAL: &str = "status.Innodb_buffer_pool_reads";
const STALLED: &str = "host.pressure.io_some";

/// Beside data the pool holds undo, the adaptive hash index and the dictionary.
const FULL: Share = Share(0.9);
/// Physical reads per statement.
const READS: f64 = 0.001;
const IO_BOUND: Share = Share(0.2);
/// Readings that tell whether reads fall over a run.
const FEWEST_READINGS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regime {
    Cached,
    Warming,
    Mixed,
    IoBound,
}

impl Regime {
    pub fn word(self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Warming => "warming",
            Self::Mixed => "mixed",
            Self::IoBound => "io-bound",
        }
    }
}

fn look(cell: &CellEvidence) -> Sight {
    let engine = &cell.cell.server.engine;
    if !engine.eq_ignore_ascii_case("innodb") {
        return Err(format!("the buffer pool is InnoDB's, and the engine is {engine}"));
    }
    let seen = cell
        .runs
        .iter()
        .map(regime)
        .collect::<Option<Vec<_>>>()
        .ok_or("its readings or the buffer pool's size are missing")?;
    let worst = seen.into_iter().max_by(|a, b| a.regime.cmp(&b.regime).then(a.reads.total_cmp(&b.reads)));
    let worst = worst.expect("a cell that is judged has runs");
    let status = if worst.regime == Regime::Cached { Status::Pass } else { Status::Warn };
    let sentence = format!(
        "The regime was {}: {} of data in a buffer pool of {} ({}), {} pages read from disk per statement.",
        worst.regime.word(),
        Bytes(worst.data),
        Bytes(worst.pool),
        Share(worst.data as f64 / worst.pool as f64),
        round3(worst.reads)
    );
    Ok(Seen::new(
        status,
        format!("{} reads/statement", round3(worst.reads)),
        format!("{READS} reads/statement, {FULL} of the pool"),
        sentence,
    ))
}

pub struct Reading {
    pub regime: Regime,
    reads: f64,
    data: u64,
    pool: u64,
}

/// `None` where the counters, the dataset or the pool's size are unknown.
pub fn regime(run: &RunEvidence) -> Option<Reading> {
    let reads = run.rate(PHYSICAL)? / run.qps();
    let pool: u64 = run.instance?.variables.get("innodb_buffer_pool_size")?.parse().ok().filter(|p| *p > 0)?;
    if run.datasets.is_empty() {
        return None;
    }
    let data: u64 = run.datasets.iter().flat_map(|d| &d.tables).map(|t| t.bytes.0).sum();
    let stalled = run.rate(STALLED).map_or(0.0, |r| r / 1e9);
    let regime = if data as f64 <= FULL.0 * pool as f64 && reads <= READS {
        Regime::Cached
    } else if stalled >= IO_BOUND.0 {
        Regime::IoBound
    } else if is_warming(run) {
        Regime::Warming
    } else {
        Regime::Mixed
    };
    Some(Reading { regime, reads, data, pool })
}

/// Whether physical reads fell by more than half from the first to the second half of what was measured.
fn is_warming(run: &RunEvidence) -> bool {
    let series = run.details.series(&run.run.id, &[PHYSICAL]);
    let (Some(from), Some(to)) = (run.phases.first().map(|p| p.from), run.phases.last().map(|p| p.to)) else {
        return false;
    };
    let readings: Vec<f64> =
        series.iter().flat_map(|s| &s.readings).filter(|(at, _)| (from..=to).contains(at)).map(|(_, v)| *v).collect();
    if readings.len() < FEWEST_READINGS {
        return false;
    }
    let (first, middle, last) = (readings[0], readings[readings.len() / 2], readings[readings.len() - 1]);
    last - middle < 0.5 * (middle - first)
}
