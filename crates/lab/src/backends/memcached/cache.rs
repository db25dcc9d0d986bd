//! What a cache says of itself, and how it is filled: with the very rows that a table would hold, by sets, each of
//! which is read back.

use super::guest::Cache;
use crate::backends::contract::Filling;
use crate::backends::described::blank;
use crate::backends::endpoint::Address;
use crate::backends::keyed::answers::PATIENCE;
use crate::backends::keyed::control::Control as KeyControl;
use crate::backends::keyed::{KeyEndpoint, KeyProtocol, Keys};
use crate::backends::loading::Loaded;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up};
use crate::os::clock;
use crate::trouble::{Trouble, Unready};
use model::plan::Server;
use model::plan::served::CACHE;
use model::record::answer::InstanceRecord;
use model::record::event::EventKind;
use model::record::start::Prepared;
use model::units::Nanos;
use std::sync::atomic::Ordering::Relaxed;
use wire::memcached::Dialect;
use workload::dataset::Rows;
use workload::session::Fault;

/// Sets in one batch: few round trips, and well below what sockets hold.
const BATCH: u64 = 64;

/// What a cache says of itself, however it came to run.
pub(crate) fn describe(key: &str, wanted: &Server, address: &Address) -> Result<InstanceRecord, Fault> {
    let version_text = KeyControl::connect(&KeyEndpoint::of_cache(address.clone()), PATIENCE)?.version()?;
    Ok(blank(key, wanted, CACHE, &version_text))
}

/// Which of the keys of the cache that is up are a dataset's: in a server of ours all, in one of others those that
/// begin as it says.
pub(crate) fn keys(up: &Up, schema: &str) -> Keys {
    match up.server {
        Serving::Ours(_) => Keys::All,
        Serving::Found(_) => Keys::Below(format!("{schema}:")),
    }
}

/// Sets the rows of each dataset that is not there yet.
pub(super) fn set_missing(filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
    let (run, reporter) = (Some(&filling.run.id), &mut *filling.reporter);
    for need in needs {
        if filling.up.datasets.contains_key(&need.name) {
            continue;
        }
        let protocol = KeyProtocol::Memcached { dialect: Dialect::Text, keys: keys(filling.up, &need.schema()) };
        let endpoint = KeyEndpoint { address: address(filling.up), protocol };
        reporter.note(EventKind::DatasetLoading, run, need.name.clone())?;
        reporter.say(&format!("setting {}", need.label()));
        let begun = clock::now();
        let stop = || reporter.stop.load(Relaxed);
        let rows = fill(&endpoint, need, &stop).map_err(|trouble| Unready::Fail(trouble.to_string()))?;
        reporter.check_stop().map_err(Unready::Halt)?;
        let load_time = Nanos(clock::now().0 - begun.0);
        let loaded = Loaded { tables: Vec::new(), rows, rows_checked: rows, rows_wrong: 0 };
        let record = need.record(&filling.up.key, &need.schema(), loaded, Some(load_time));
        reporter.notebook.dataset(&record)?;
        reporter.note(EventKind::DatasetReady, run, format!("{}: {rows} keys", need.name))?;
        filling.up.datasets.insert(need.name.clone(), Ok(record.schema));
        filling.up.prepared = Prepared::Loaded;
    }
    Ok(())
}

/// Where the cache listens that is up.
pub(super) fn address(up: &Up) -> Address {
    up.own_as::<Cache>().expect("a cache listens").endpoint.address.clone()
}

/// Sets every row and reads every value back; how many there are.
fn fill(endpoint: &KeyEndpoint, wanted: &DatasetNeed, stop: &dyn Fn() -> bool) -> Result<u64, Trouble> {
    let Rows::ByTable(rows) = wanted.dataset.rows() else { unreachable!("keys and values lie in one table") };
    let total = wanted.dataset.tables()[0].rows;
    let cannot = |e: Fault| Trouble::new(format!("{endpoint:?} cannot be filled")).because(e);
    let mut control = KeyControl::connect(endpoint, PATIENCE).map_err(cannot)?;
    let mut text = Vec::new();
    for from in (0..total).step_by(BATCH as usize) {
        if stop() {
            break;
        }
        let to = (from + BATCH).min(total);
        text.clear();
        rows.lines(0, from, to, &mut text);
        let mut keys = Vec::new();
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let (key, value) = pair(line);
            control.set(key, value);
            keys.push((key, value));
        }
        let written = control.write().map_err(cannot)?;
        let asked: Vec<u64> = keys.iter().map(|(key, _)| *key).collect();
        let found = control.get(&asked).map_err(cannot)?;
        let same = keys.iter().zip(&found).filter(|((key, value), (k, v))| key == k && *value == v.as_slice()).count();
        if written != to - from || same as u64 != to - from {
            let what =
                format!("of the keys {} to {to}, {written} were stored and {same} read back as written", from + 1);
            return Err(Trouble::new(what).mend("give it more memory: settings.buffer_pool"));
        }
    }
    Ok(total)
}

/// A line of the dataset: a key, a tab, a value.
fn pair(line: &[u8]) -> (u64, &[u8]) {
    let tab = line.iter().position(|byte| *byte == b'\t').expect("a line of two columns");
    (wire::memcached::natural(&line[..tab]).expect("a key is a number"), &line[tab + 1..])
}
