//! What an explain run sees of a PostgreSQL, which sums up no waits: what its sessions wait for is looked at many
//! times a second while they work, and when they have left each of their statements is carried out once, with the rows
//! and blocks that every node of its plan touched. What a statement writes is rolled back.

use super::answers::probes_of;
use super::session::control::Control;
use crate::backends::access::UserGroup;
use crate::backends::contract::Instruments;
use crate::backends::endpoint::SqlEndpoint;
use model::record::explain::{Executed, Explain, Wait};
use model::units::Nanos;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use workload::Probe;
use workload::session::Fault;

/// A statement of a workload takes no longer, and neither does a look.
const PATIENCE: Duration = Duration::from_secs(3600);
/// Between two looks: a wait of some milliseconds is met, and a look costs the server less than one.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// Waits shown.
const LONGEST: usize = 20;
/// What sessions that work are at; who waits for nothing uses a CPU, or wants one.
const SIGHTED: &str = "SELECT coalesce(wait_event_type || '/' || wait_event, 'none, on a CPU'), count(*) FROM pg_stat_activity \
     WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY 1";
const HEAD: &str = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF)";

/// By event: how many sessions were seen in it, and for how long by the distance of the looks.
type Sighted = BTreeMap<String, (u64, Duration)>;

pub(super) struct Looks {
    over: Arc<AtomicBool>,
    sighted: Arc<Mutex<Sighted>>,
    looking: Option<JoinHandle<()>>,
    /// Statements of each group, and where they are said.
    statements: Vec<(SqlEndpoint, Vec<Probe>)>,
}

impl Looks {
    pub fn begin(users: &[&UserGroup]) -> Result<Self, String> {
        let own = |group: &UserGroup| group.access.beside_as::<SqlEndpoint>().cloned();
        let mut statements: Vec<(SqlEndpoint, Vec<Probe>)> = Vec::new();
        for group in users {
            let Some(endpoint) = own(group) else { continue };
            let mut probes = probes_of(&*group.workload, &group.parameters);
            probes.retain(|probe| statements.iter().flat_map(|(_, all)| all).all(|p| p.statement != probe.statement));
            statements.push((endpoint, probes));
        }
        let first = statements.first().ok_or("its users know no PostgreSQL")?;
        let endpoint = first.0.clone();
        // A session stays with its thread: this one only proves that there can be one.
        Control::connect(&endpoint, PATIENCE).map_err(|e| e.to_string())?.quit();
        let (over, sighted) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Sighted::new())));
        let (until, into) = (Arc::clone(&over), Arc::clone(&sighted));
        let look = move || {
            let Ok(mut control) = Control::connect(&endpoint, PATIENCE) else { return };
            let mut before = Instant::now();
            while !until.load(Relaxed) {
                std::thread::sleep(LOOK_AGAIN);
                // A server that is gone is told by the load.
                let Ok(rows) = control.rows(SIGHTED) else { return };
                let apart = before.elapsed();
                before = Instant::now();
                let mut sighted = into.lock().expect("no panic while held");
                for (event, count) in rows.into_iter().filter_map(pair) {
                    let (seen, time) = sighted.entry(event).or_default();
                    *seen += count;
                    *time += apart * count as u32;
                }
            }
            control.quit();
        };
        let looking = std::thread::Builder::new().name("waits".into()).spawn(look).map_err(|e| e.to_string())?;
        Ok(Self { over, sighted, looking: Some(looking), statements })
    }
}

fn pair(row: Vec<Option<String>>) -> Option<(String, u64)> {
    let mut cells = row.into_iter().flatten();
    Some((cells.next()?, cells.next()?.parse().ok()?))
}

impl Instruments for Looks {
    fn explained(self: Box<Self>) -> Explain {
        self.over.store(true, Relaxed);
        let sighted = std::mem::take(&mut *self.sighted.lock().expect("no panic while held"));
        // What a server that is gone no longer says is left out.
        let carried_out =
            |(endpoint, probes): &(SqlEndpoint, Vec<Probe>)| executed(endpoint, probes).unwrap_or_default();
        let executed = self.statements.iter().flat_map(carried_out).collect();
        Explain { waits: longest(sighted), stages: Vec::new(), executed }
    }
}

impl Drop for Looks {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
        if let Some(looking) = self.looking.take() {
            let _ = looking.join();
        }
    }
}

fn executed(endpoint: &SqlEndpoint, probes: &[Probe]) -> Result<Vec<Executed>, Fault> {
    let mut control = Control::connect(endpoint, PATIENCE)?;
    let mut all = Vec::new();
    for probe in probes {
        control.execute("BEGIN")?;
        let told = control.rows(&format!("{HEAD} {}", probe.sql));
        control.execute("ROLLBACK")?;
        let plan = match told {
            Ok(rows) => rows.into_iter().flatten().flatten().collect::<Vec<_>>().join("\n"),
            Err(refused @ Fault::Server { .. }) => format!("not carried out: {refused}"),
            Err(other) => return Err(other),
        };
        all.push(Executed { statement: probe.statement.to_string(), plan });
    }
    control.quit();
    Ok(all)
}

fn longest(sighted: Sighted) -> Vec<Wait> {
    let wait =
        |(event, (count, time)): (String, (u64, Duration))| Wait { event, count, time: Nanos(time.as_nanos() as u64) };
    let mut waits: Vec<Wait> = sighted.into_iter().map(wait).collect();
    waits.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.event.cmp(&b.event)));
    waits.truncate(LONGEST);
    waits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_told_by_how_long_they_were_seen() {
        let sighted = [("IO/WALSync", 3, 30), ("none, on a CPU", 9, 90), ("Lock/tuple", 3, 30)];
        let sighted = sighted.map(|(event, n, ms)| (event.to_string(), (n, Duration::from_millis(ms))));
        let told: Vec<_> = longest(sighted.into()).into_iter().map(|w| (w.event, w.time.0 / 1_000_000)).collect();
        assert_eq!(told, [("none, on a CPU".into(), 90), ("IO/WALSync".into(), 30), ("Lock/tuple".into(), 30)]);
    }
}
