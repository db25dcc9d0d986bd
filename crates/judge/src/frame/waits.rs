//! The longest wait for a lock of the server's own that an explain run saw, in words for the findings that ask for its
//! name.

use super::account::wait_share;
use super::evidence::CellEvidence;
use model::{Share, Version};

const LOCKS: &str = "wait/synch/";
/// Where threads sleep on purpose.
const SLEEP: &str = "wait/synch/cond/";

pub fn longest_lock(cell: &CellEvidence) -> String {
    let Some(explain) = cell.explain else {
        return "Which lock it is was not asked: an explain run (`[repeat] explain = true`) tells.".into();
    };
    let longest = explain.waits.iter().find(|w| is_lock(&w.event));
    match longest {
        None => "An explain run saw no wait for a lock.".into(),
        Some(wait) => {
            let share = wait_share(cell, |event| event == wait.event);
            let share = share.map_or(String::new(), |s| format!(" ({} of its latency)", Share(s)));
            format!("The longest wait of the explain run is {}{share}.", wait.event)
        }
    }
}

/// Locks of the server's own, without sleeps.
pub fn is_lock(event: &str) -> bool {
    event.starts_with(LOCKS) && !event.starts_with(SLEEP)
}

/// What is written in the option file of a server so old that it sees nothing that it made before its instruments were
/// on.
const FROM_THE_START: &str = "wait/synch/mutex/innodb/%=ON";
const SWITCHES_WHAT_IS_MADE: Version = Version(5, 7, 0);
/// Passes per operation. Every get passes some lock of InnoDB, so that fewer are those of other threads.
const SEES: f64 = 0.5;

/// How often an operation passed a lock, by the end of its name, in an explain run that saw the threads of the plugin's
/// daemon; else why none did.
pub fn of_daemon<'a>(cell: &'a CellEvidence) -> Result<impl Fn(&str) -> f64 + use<'a>, String> {
    let (Some(explain), Some(run)) = (cell.explain, cell.explained) else {
        return Err("which locks an operation passes was not asked (`[repeat] explain = true` does, where \
                    `settings.performance_schema = true`)"
            .into());
    };
    let old = cell.runs.first().and_then(|run| run.instance).filter(|i| i.version < SWITCHES_WHAT_IS_MADE);
    if old.is_some_and(|i| !i.option_file.contains(FROM_THE_START)) {
        return Err("this server was started without the instruments of its mutexes".into());
    }
    let tallies = run.phases.iter().flat_map(|p| p.groups.values()).flat_map(|g| g.tally.operations.values());
    let done = tallies.map(|o| o.done).sum::<u64>().max(1) as f64;
    let passes = move |end: &str| {
        let of = explain.waits.iter().filter(|w| is_lock(&w.event) && w.event.ends_with(end));
        of.map(|w| w.count as f64).sum::<f64>() / done
    };
    let most =
        explain.waits.iter().filter(|w| w.event.contains("/innodb/") && is_lock(&w.event)).map(|w| w.count).max();
    if most.unwrap_or(0) as f64 / done < SEES {
        return Err("the instruments of the explain run saw none of the daemon's threads".into());
    }
    Ok(passes)
}
