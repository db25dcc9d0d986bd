//! A server that is asked to have each commit on the disk before it answers, and does not, is faster by as much as the
//! disk is slow, and loses what it acknowledged when the power goes. What it says of its settings proves nothing: they
//! change while it runs, a library swallows its syncs, a disk lies. Two laws hold. A user waits for one commit at a
//! time, so one sync cannot carry more commits than there are users. And syncs of one log follow each other, so that
//! all of them cannot take longer than the window, each taking at least what the lab itself measured on the same file
//! system after its runs, of which the fastest counts.
//!
//! More than 4 commits per sync and user fail, and so do syncs that would have taken more than 4 windows. Data on a
//! file system in memory warn, and so does a disk that syncs in less than 5 µs. It is asked where each commit is to be
//! durable (`innodb_flush_log_at_trx_commit` = 1, `rocksdb_flush_log_at_trx_commit` = 1, `synchronous_commit` = on) and
//! somebody wrote.

use crate::frame::applies::{Absence, mysql, tables};
use crate::frame::{Applies, Check, Doubts, Limit, Look, RunEvidence, Seen, Sight};
use model::plan::served::HEAP;
use model::record::around::Syncs;
use model::units::round3;
use model::{Nanos, Status};

pub const CHECK: Check = Check {
    id: "commits_were_durable",
    claim: || format!("no sync carried more than {COMMITS_PER_SYNC} commits per user, nor took less than a disk needs"),
    source: include_str!("commits_were_durable.rs"),
    applies: Applies::Run(absent),
    needs: &[],
    limits: &[COMMITS_PER_SYNC, SYNC_WINDOWS, SYNC_LEAST],
    doubts: Doubts::Work,
    quarantined: false,
    advice: "see what the server does with its log now (`SHOW GLOBAL VARIABLES LIKE '%flush%'`), whether a library \
             swallows its syncs (`LD_PRELOAD`, eatmydata), and on which file system its data lie; or ask for less \
             (`flush_at_commit = 2`)",
    look: Look::Run(look),
};

const COMMITS_PER_SYNC: Limit = Limit::number(
    "commits_per_sync",
    4.0,
    "commits per sync and user; by law it is 1, and transactions of a mix that wrote little count for several",
)
.convention();
const SYNC_WINDOWS: Limit = Limit::number(
    "sync_windows",
    4.0,
    "windows that all syncs together take; by law it is 1 for one log, and files of data are synced beside it",
)
.convention();
const SYNC_LEAST: Limit = Limit::seconds(
    "sync_least",
    0.000_005,
    "that a sync takes; the fastest disks with a memory that outlives the power need 10 µs and more",
)
.convention();

/// Statements of MySQL's family that write, and rows of PostgreSQL, which counts no statements.
const WRITES: [&str; 7] = [
    "status.Com_insert",
    "status.Com_update",
    "status.Com_delete",
    "status.Com_replace",
    "postgres.tup_inserted",
    "postgres.tup_updated",
    "postgres.tup_deleted",
];
/// Rows that these change, where they are counted: who finds none to change has nothing to bring to a disk.
const CHANGES: [&str; 3] = ["status.Handler_write", "status.Handler_update", "status.Handler_delete"];
/// Syncs of the log, or where a version counts these no more of all its files.
const SYNCS: [&str; 2] = ["db.redo_fsyncs", "db.data_fsyncs"];
/// So few tell nothing of a law that holds on average.
const FEWEST: f64 = 100.0;

fn absent(run: &RunEvidence) -> Absence {
    let is_postgres = run.cell.server.engine == HEAP;
    let other = || tables(run).or_else(|| if is_postgres { None } else { mysql(run) });
    let claim = || match claimed(run) {
        Some((name, value)) if !["1", "on"].contains(&value) => {
            Some(format!("`{name}` is {value}: no commit is promised to be on the disk at once."))
        }
        Some(_) => None,
        None => Some("The engine promises nothing of single commits, or what it promises is not known.".into()),
    };
    let idle = || (writes(run) == Some(0.0)).then(|| "Nothing was written, so nothing had to be durable.".into());
    other().or_else(claim).or_else(idle)
}

/// What the engine was told of commits.
fn claimed<'a>(run: &RunEvidence<'a>) -> Option<(&'static str, &'a str)> {
    let name = match run.cell.server.engine.to_ascii_lowercase().as_str() {
        "innodb" => "innodb_flush_log_at_trx_commit",
        "rocksdb" => "rocksdb_flush_log_at_trx_commit",
        HEAP => "synchronous_commit",
        _ => return None,
    };
    Some((name, run.instance?.variables.get(name)?))
}

/// Statements that write, as many at most as rows were changed.
fn writes(run: &RunEvidence) -> Option<f64> {
    let sum = |names: &[&str]| {
        let counted: Vec<f64> = names.iter().filter_map(|name| run.growth(name)).map(|grown| grown.delta).collect();
        (!counted.is_empty()).then(|| counted.iter().sum::<f64>())
    };
    let statements = sum(&WRITES)?;
    Some(sum(&CHANGES).map_or(statements, |rows| statements.min(rows)))
}

fn look(run: &RunEvidence) -> Sight {
    let most = run.limits.of(&COMMITS_PER_SYNC);
    let limit = format!("{} commits per sync and user", round3(most));
    if let Some(method) = unsynced(run)? {
        let sentence = format!(
            "Commits are not durable: `innodb_flush_method` is {method}, by which nothing is synced, though each is \
             to be."
        );
        return Ok(Seen::new(Status::Fail, method, limit, sentence));
    }
    let statements = writes(run).ok_or("statements that write were not counted")?;
    let commits: u64 = run.tallies().map(|t| t.commits).sum();
    // Without transactions each statement is one.
    let wrote = if commits > 0 { statements.min(commits as f64) } else { statements };
    let syncs = SYNCS.iter().find_map(|name| run.growth(name)).ok_or("syncs were not counted")?.delta;
    if wrote < FEWEST {
        return Err(format!("{wrote} commits are too few to tell; {FEWEST} would"));
    }
    let users = f64::from(run.users().max(1));
    let carried = wrote / syncs.max(1.0);
    let measured = format!("{} commits per sync of {users} users", round3(carried));
    let seen = |status, sentence: String| Ok(Seen::new(status, measured.clone(), limit.clone(), sentence));
    let told = format!("{wrote} transactions that wrote were committed with {syncs} syncs");
    let disk = fastest(run);
    // First, because a server may see by itself that its log lies in memory, and then syncs nothing.
    let least = Nanos((run.limits.of(&SYNC_LEAST) * 1e9) as u64);
    if let Some(disk) = disk.filter(|disk| disk.in_memory || disk.least < least) {
        let place = if disk.in_memory { "a file system in memory" } else { "something that is no disk" };
        return seen(
            Status::Warn,
            format!(
                "Commits are durable in name only: the data lie on {place}, where a sync takes {}; no time of a disk \
                 is in this number.",
                disk.least
            ),
        );
    }
    if carried > most * users {
        return seen(
            Status::Fail,
            format!(
                "Commits were not durable: {told}, {} to each, and {users} users wait for no more than {users} at \
                 once: the log was not synced at each commit, though it was to be.",
                round3(carried)
            ),
        );
    }
    let Some(disk) = disk else {
        return seen(Status::Pass, format!("{told}; what a sync takes on that disk was not measured."));
    };
    let windows = disk.least.seconds() * syncs / run.seconds();
    if windows > run.limits.of(&SYNC_WINDOWS) {
        return seen(
            Status::Fail,
            format!(
                "Commits were not durable: {told}, and a sync takes at least {} on that disk, so that they would have \
                 taken {} times the window: they do not reach the disk.",
                disk.least,
                round3(windows)
            ),
        );
    }
    seen(Status::Pass, format!("{told}, and a sync takes {} on that disk.", disk.least))
}

/// The shortest sync on this disk that any run of the record saw: beside others' syncs all of a run's may take longer
/// than the server's own did.
fn fastest(run: &RunEvidence) -> Option<Syncs> {
    let own = run.run.around.as_ref()?.syncs?;
    let all = run.record.runs.iter().filter_map(|other| other.around.as_ref()?.syncs);
    all.filter(|other| other.in_memory == own.in_memory).min_by_key(|other| other.least)
}

/// The way of writing by which nothing is ever synced; or why syncs tell nothing.
fn unsynced<'a>(run: &RunEvidence<'a>) -> Result<Option<&'a str>, String> {
    let variable = |name: &str| run.instance.and_then(|i| i.variables.get(name)).map_or("", String::as_str);
    let method = variable("innodb_flush_method");
    if method.eq_ignore_ascii_case("O_DSYNC") || variable("innodb_log_file_write_through") == "ON" {
        return Err("the log is written through, and such writes are not counted as syncs".into());
    }
    Ok(Some(method).filter(|method| ["nosync", "littlesync"].iter().any(|none| method.eq_ignore_ascii_case(none))))
}
