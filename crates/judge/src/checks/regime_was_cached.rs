//! A server that finds its pages in memory and one that reads them from disk are two different machines. The regime of
//! a run is read off its data: cached (data below 90 % of the engine's cache and at most one page read from disk per
//! thousand statements, or one for each session that began), warming (reads fall by more than half over the run),
//! IO-bound (somebody waits for the disk for 20 % of the time, and not for writes alone), or mixed. Whether the cells
//! of one line are in one regime is the question of `regimes_agree`.
//!
//! Every regime but cached warns: it may be what was asked, and then it belongs in the question.

use crate::frame::applies::tables;
use crate::frame::regime::{IO_STALLED, PHYSICAL, POOL_FULL, POOL_READS, Regime, cache_of, regime};
use crate::frame::{Applies, CellEvidence, Check, Doubts, Look, Need, Seen, Sight};
use model::units::round3;
use model::{Bytes, Share, Status};

pub const CHECK: Check = Check {
    id: "regime_was_cached",
    claim: || {
        format!(
            "data stayed below {POOL_FULL} of the engine's cache and fewer than {POOL_READS} pages per statement were read from disk"
        )
    },
    source: include_str!("regime_was_cached.rs"),
    applies: Applies::Run(tables),
    needs: &[Need::Counter(PHYSICAL)],
    limits: &[POOL_FULL, POOL_READS, IO_STALLED],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "enlarge the buffer pool, warm up longer, or make the size of the buffer pool an axis of the question",
    look: Look::Cell(look),
};

fn look(cell: &CellEvidence) -> Sight {
    let engine = &cell.cell.server.engine;
    if cache_of(engine).is_none() {
        return Err(format!("how large the cache of {engine} is is not known"));
    }
    if cell.runs.iter().any(|run| run.calls() == 0) {
        return Err("no statement was answered".into());
    }
    let seen = cell
        .runs
        .iter()
        .map(regime)
        .collect::<Option<Vec<_>>>()
        .ok_or("its readings or the cache's size are missing")?;
    let worst = seen.into_iter().max_by(|a, b| a.regime.cmp(&b.regime).then(a.reads.total_cmp(&b.reads)));
    let worst = worst.expect("a cell that is judged has runs");
    let status = if worst.regime == Regime::Cached { Status::Pass } else { Status::Warn };
    let sentence = format!(
        "The load was {}: {} of data for a cache of {} ({}), and {} pages were read from disk per statement.",
        worst.regime.word(),
        Bytes(worst.data),
        Bytes(worst.pool),
        Share(worst.data as f64 / worst.pool as f64),
        round3(worst.reads)
    );
    let (reads, full) = (cell.limits.of(&POOL_READS), cell.limits.share(&POOL_FULL));
    let limit = format!("{reads} reads/statement, {full} of the cache");
    Ok(Seen::new(status, format!("{} reads/statement", round3(worst.reads)), limit, sentence))
}
