//! In which regime a run was: a server that finds its pages in memory and one that reads them from disk are two
//! different machines. Read off the run's data, the size of the engine's cache and the pages that came from disk, over
//! all phases that measure or over one of them.

use super::evidence::RunEvidence;
use super::limits::Limit;
use model::plan::served::HEAP;

/// Pages or blocks that the engine did not find in its cache.
pub const PHYSICAL: &str = "db.page_reads";
/// What the tables take on disk, where a workload asks for it at the ends of phases.
pub const GROWN: &str = "data.table_bytes";
const STALLED: &str = "host.pressure.io_some";

/// Readings that tell whether reads fall over a run.
const FEWEST_READINGS: usize = 4;

pub const POOL_FULL: Limit =
    Limit::share("pool_full", 0.9, "beside data the pool holds undo, the adaptive hash index and the dictionary")
        .convention();
pub const POOL_READS: Limit = Limit::number(
    "pool_reads",
    0.001,
    "pages read from disk per statement; one in a thousand costs as much as a tenth of a cached statement",
)
.convention();
pub const IO_STALLED: Limit =
    Limit::share("io_stalled", 0.2, "of the time in which somebody waited for the disk").convention();

/// `POOL_READS` costs a tenth of a cached statement: ten times as many pages take as long as it, and who waits for the
/// disk waits for them.
const BINDING: f64 = 10.0;

/// The variable that sizes an engine's cache.
const CACHES: &[(&str, &str)] = &[
    ("innodb", "innodb_buffer_pool_size"),
    ("rocksdb", "rocksdb_block_cache_size"),
    // In blocks.
    (HEAP, "shared_buffers"),
];
/// The variable that says how many bytes a block of PostgreSQL has.
const BLOCK: &str = "block_size";

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

pub struct Reading {
    pub regime: Regime,
    /// Pages read from disk per statement.
    pub reads: f64,
    /// Bytes.
    pub data: u64,
    pub pool: u64,
}

/// What the engine's cache is sized by; `None` for an engine without one that is known.
pub fn cache_of(engine: &str) -> Option<&'static str> {
    CACHES.iter().find(|(name, _)| name.eq_ignore_ascii_case(engine)).map(|(_, variable)| *variable)
}

/// How large that cache was, in bytes.
pub fn pool_of(run: &RunEvidence) -> Option<u64> {
    let engine = &run.cell.server.engine;
    let unit: u64 = if engine == HEAP { run.variable(BLOCK)?.parse().ok()? } else { 1 };
    let pool: u64 = run.variable(cache_of(engine)?)?.parse().ok().filter(|pool| *pool > 0)?;
    Some(pool * unit)
}

/// Bytes of data and indexes: as they were loaded, or as they lay there when the run began. An engine that flushes
/// later, as RocksDB, has not told all of them when it was loaded.
pub fn data_of(run: &RunEvidence) -> u64 {
    let loaded = run.datasets.iter().flat_map(|d| &d.tables).map(|t| t.bytes.0).sum();
    run.run.start.as_ref().map_or(loaded, |start| start.bytes.0.max(loaded))
}

/// `None` where the counters, the dataset or the cache's size are unknown, or no statement was answered.
pub fn regime(run: &RunEvidence) -> Option<Reading> {
    let reads = run.rate(PHYSICAL)? / run.qps();
    let pool = pool_of(run)?;
    if run.datasets.is_empty() || !reads.is_finite() {
        return None;
    }
    let loaded = data_of(run);
    let grown = run.phases.iter().filter_map(|phase| phase.counters.get(GROWN)).map(|ends| ends.end as u64).max();
    let data = grown.unwrap_or(loaded);
    let stalled = run.rate(STALLED).map_or(0.0, |r| r / 1e9);
    let fits = data as f64 <= run.limits.of(&POOL_FULL) * pool as f64;
    // Each session that begins may read of the catalogue what nobody read before.
    let is_few = run.rate(PHYSICAL)? * run.seconds() <= f64::from(run.cell.most_users().0);
    // Where the data fit and are read by and by, who waits for the disk waits for what is written.
    let is_read = !fits || reads > BINDING * run.limits.of(&POOL_READS);
    let regime = if fits && (is_few || reads <= run.limits.of(&POOL_READS)) {
        Regime::Cached
    } else if is_read && stalled >= run.limits.of(&IO_STALLED) {
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
