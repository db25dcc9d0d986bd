//! What was slow while nothing was answered. A stall is explained by what its own moments show and other moments do
//! not: the readings just before it began and just after it ended are held against the run's other readings. Time that
//! somebody waited must cover half of the stall; what is only counted must stand out by its rate. Readings come once a
//! second, so that a short stall shares its second with much else, and what stands out then is likely and not certain.

use super::evidence::RunEvidence;
use crate::stats::median;
use model::record::course::Stall;
use model::record::series::Series;
use model::units::{Bytes, Nanos, Share, round3};

/// Stalls that a sentence tells, the longest.
const TOLD: usize = 3;
/// Suspects that are named for one stall.
const NAMED: usize = 2;
/// Waiting of so much of the stall explains it.
const COVERS: f64 = 0.5;
/// A stall of less than so much of the time between two readings is lost in what else happened there.
const SEEN: f64 = 0.05;
/// A rate is other than usual from this factor on; rates of healthy servers' seconds seldom double.
const UNUSUAL: f64 = 3.0;

struct Suspect {
    counter: &'static str,
    is: Is,
    words: &'static str,
}

#[derive(Clone, Copy)]
enum Is {
    /// Time that somebody waited, of which so many nanoseconds are one of the counter.
    Waiting(f64),
    /// Events, of which so many per second are the least that can make anybody wait.
    Events(f64),
    /// A level that falls by so much.
    Falling(f64),
}

/// In the order in which they are told: what leaves no doubt comes first.
const SUSPECTS: &[Suspect] = &[
    Suspect { counter: "server.stopped", is: Is::Waiting(1.0), words: "the server was stopped" },
    Suspect {
        counter: "server.frozen_files",
        is: Is::Waiting(1.0),
        words: "the server's threads waited for a frozen file system",
    },
    Suspect { counter: "server.throttled", is: Is::Waiting(1.0), words: "a quota kept the server from its CPUs" },
    Suspect { counter: "client.throttled", is: Is::Waiting(1.0), words: "a quota kept the load from its CPUs" },
    Suspect { counter: "host.cpu.steal", is: Is::Waiting(1.0), words: "other machines had the CPUs" },
    Suspect { counter: "db.row_lock_time_ms", is: Is::Waiting(1e6), words: "transactions waited for row locks" },
    Suspect { counter: "db.write_stall_us", is: Is::Waiting(1e3), words: "RocksDB held writers back" },
    Suspect { counter: "host.pressure.memory_some", is: Is::Waiting(1.0), words: "memory was short" },
    Suspect { counter: "host.pressure.io_some", is: Is::Waiting(1.0), words: "syncs or reads waited for the disk" },
    Suspect { counter: "server.runqueue.wait", is: Is::Waiting(1.0), words: "the server's threads waited for a CPU" },
    Suspect { counter: "client.runqueue.wait", is: Is::Waiting(1.0), words: "the load's threads waited for a CPU" },
    Suspect {
        counter: "server.idle",
        is: Is::Waiting(1.0),
        words: "the server had nothing to do, for requests were held back on the way (as by a proxy) or by the load",
    },
    Suspect { counter: "db.redo_waits", is: Is::Events(1.0), words: "the redo log's buffer was full" },
    Suspect { counter: "db.pages_written", is: Is::Events(100.0), words: "InnoDB flushed pages, as for a checkpoint" },
    Suspect { counter: "db.history_list_length", is: Is::Falling(1000.0), words: "purge removed old row versions" },
    Suspect { counter: "db.page_reads", is: Is::Events(100.0), words: "pages were read from the disk" },
    Suspect {
        counter: "server.faults.major",
        is: Is::Events(10.0),
        words: "the server's memory was read from the disk",
    },
    Suspect { counter: "host.swap.in", is: Is::Events(10.0), words: "pages came back from swap" },
    Suspect { counter: "host.disk.write_bytes", is: Is::Events(1e7), words: "much was written to the disk" },
];

/// The counters that are read for it.
fn counters() -> Vec<&'static str> {
    SUSPECTS.iter().map(|suspect| suspect.counter).collect()
}

/// Stalls of the phases that are looked at, as long as `least` or longer; those of several workers that overlap are
/// one, with how many they were. `None` where their moments were not recorded.
fn stalls(run: &RunEvidence, least: Nanos) -> Option<Vec<(Stall, usize)>> {
    let seconds = run.details.seconds(&run.run.id);
    let is_looked_at = |phase: &str| run.phases.iter().any(|p| p.name == phase);
    let courses: Vec<_> = seconds.iter().filter(|s| is_looked_at(&s.phase)).filter_map(|s| s.course.as_ref()).collect();
    if courses.is_empty() {
        return None;
    }
    let mut all: Vec<Stall> = courses.iter().flat_map(|c| &c.stalls).copied().filter(|s| s.length >= least).collect();
    all.sort_by_key(|stall| stall.at);
    let mut merged: Vec<(Stall, usize)> = Vec::new();
    for stall in all {
        match merged.last_mut().filter(|(last, _)| stall.at < last.end()) {
            Some((last, count)) => {
                last.length = Nanos(last.end().max(stall.end()).0 - last.at.0);
                *count += 1;
            }
            None => merged.push((stall, 1)),
        }
    }
    Some(merged)
}

/// The longest stalls with what was slow meanwhile, as the end of a sentence; nothing where no moment is known.
pub fn told(run: &RunEvidence, least: Nanos) -> Option<String> {
    let mut longest = stalls(run, least).filter(|all| !all.is_empty())?;
    let all: Vec<Stall> = longest.iter().map(|(stall, _)| *stall).collect();
    longest.sort_by_key(|(stall, _)| std::cmp::Reverse(stall.length));
    longest.truncate(TOLD);
    let series = run.details.series(&run.run.id, &counters());
    let told: Vec<String> = longest
        .iter()
        .map(|(stall, count)| {
            let found = suspects(*stall, &all, &series);
            // Where others were answered, what held this one back is not the server as a whole.
            let is_alone = *count == 1 && run.run.workers.min(run.users()) > 1;
            let why = match (found.is_empty(), is_alone) {
                (true, true) => "one thread of the load alone: nothing that was read stood out then".to_string(),
                (true, false) => "nothing that was read stood out then".to_string(),
                (false, _) => found.join(", and "),
            };
            format!("{} at {} s ({why})", stall.length, round3(stall.at.seconds()))
        })
        .collect();
    Some(format!("the longest: {}", told.join("; ")))
}

fn suspects(stall: Stall, all: &[Stall], series: &[Series]) -> Vec<String> {
    let known = |suspect: &Suspect| series.iter().find(|s| s.metric.name == suspect.counter);
    let found = SUSPECTS.iter().filter_map(|suspect| seen(suspect, stall, all, &known(suspect)?.readings));
    found.take(NAMED).collect()
}

/// What a suspect did around the stall, where that explains it.
fn seen(suspect: &Suspect, stall: Stall, all: &[Stall], readings: &[(Nanos, f64)]) -> Option<String> {
    let before = readings.iter().rev().find(|(at, _)| *at <= stall.at).or(readings.first())?;
    let after = readings.iter().find(|(at, _)| *at >= stall.end()).or(readings.last())?;
    let window = (after.0.0 > before.0.0).then(|| Nanos(after.0.0 - before.0.0).seconds())?;
    if stall.length.seconds() < SEEN * window {
        return None;
    }
    let grown = after.1 - before.1;
    let is_calm = |pair: &&[(Nanos, f64)]| all.iter().all(|s| s.end() <= pair[0].0 || s.at >= pair[1].0);
    let rate = |pair: &[(Nanos, f64)]| (pair[1].1 - pair[0].1) / Nanos(pair[1].0.0 - pair[0].0.0).seconds();
    let mut calm: Vec<f64> =
        readings.windows(2).filter(|pair| pair[1].0 > pair[0].0).filter(is_calm).map(rate).collect();
    let usual = if calm.is_empty() { 0.0 } else { median(&mut calm) };
    let is_unusual = grown / window > UNUSUAL * usual.max(0.0);
    let words = suspect.words;
    match suspect.is {
        Is::Waiting(nanos) => {
            let waited = (grown - usual * window).max(0.0) * nanos;
            let covered = waited / stall.length.0 as f64;
            (covered >= COVERS && is_unusual).then(|| format!("{words} for {} more than usual", Nanos(waited as u64)))
        }
        Is::Events(least) => (grown / window >= least && is_unusual).then(|| {
            let more = Share(1.0 - usual.max(0.0) * window / grown);
            let rate = grown / window;
            let rate = if suspect.counter.ends_with("bytes") {
                Bytes(rate as u64).to_string()
            } else {
                round3(rate).to_string()
            };
            format!("{words}, {rate} per second, {more} of it more than usual")
        }),
        Is::Falling(least) => (-grown >= least && grown / window < UNUSUAL * usual.min(0.0))
            .then(|| format!("{words}, {} of them", round3(-grown))),
    }
}
