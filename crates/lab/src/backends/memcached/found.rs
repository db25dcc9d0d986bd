//! A cache that was there before the lab, named by a DSN. Others keep keys in it and it has no schemas, so the lab is a
//! guest: its keys begin as nobody else's do, it sets them only where they have room, because a cache that is full
//! drops what others set, it never sends `flush_all`, and it takes its keys away when it leaves. A lab that is killed
//! leaves them; the next one with the same data sets them anew and takes them away.

use super::cache::{address, describe, keys, set_missing};
use super::guest::Cache;
use crate::backends::contract::{Filling, Met};
use crate::backends::endpoint::Address;
use crate::backends::found::{build_of, find};
use crate::backends::keyed::answers::PATIENCE;
use crate::backends::keyed::control::Control;
use crate::backends::keyed::{KeyEndpoint, KeyProtocol, Keys};
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up, no_sql};
use crate::notebook::reporter::Reporter;
use crate::os::process::cpus_of;
use crate::trouble::{Trouble, Unready};
use model::plan::Server;
use model::plan::served::MEMCACHED_FROM;
use model::record::event::EventKind;
use model::record::start::Prepared;
use wire::memcached::Dialect;
use workload::dataset::Rows;
use workload::session::Fault;

/// What a key takes beside its bytes and those of its value: the head of an item, and a hash table's share.
const ITEM_BYTES: u64 = 64;
/// Items lie in slabs of sizes a quarter apart, so that one may take so much more than it needs.
const SLAB: (u64, u64) = (5, 4);
/// Deletes in one batch.
const BATCH: u64 = 512;

/// Looks whether a cache is there, and whether it is one.
pub fn look(name: &str) -> Result<(), Trouble> {
    let (_, endpoint) = find(name)?;
    let told = describe("", &Server::default(), &endpoint.address);
    let told = told.map_err(|e| Trouble::new(format!("{name} refuses the lab")).because(e))?;
    if told.version >= MEMCACHED_FROM {
        let what =
            format!("{name} answers as version {}: InnoDB's plugin, whose keys are rows of a table", told.version_text);
        return Err(
            Trouble::new(what).mend("assay serves that protocol from servers which it starts itself: name a build")
        );
    }
    Ok(())
}

/// What a cache counts, by its own names.
fn counted(control: &mut Control) -> Result<impl Fn(&str) -> Option<u64> + use<>, Fault> {
    let stats = control.stats()?;
    Ok(move |name: &str| stats.iter().find(|(told, _)| told == name)?.1.parse().ok())
}

/// What the rows of a dataset take there at most, under keys that begin with so many bytes.
fn bytes(wanted: &DatasetNeed, prefix: usize) -> u64 {
    let Rows::ByTable(rows) = wanted.dataset.rows() else { unreachable!("keys and values lie in one table") };
    let each = rows.row_text_bytes(0) as u64 + prefix as u64 + ITEM_BYTES;
    wanted.dataset.tables()[0].rows * each * SLAB.0 / SLAB.1
}

pub(super) fn meet(met: &Met<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
    let Met { key, server, dsn: name, .. } = *met;
    look(name)?;
    let (found, endpoint) = find(name)?;
    let told = describe(key, server, &endpoint.address);
    let mut record = told.map_err(|e| Trouble::new(format!("{name} is silent")).because(e))?;
    record.place = Some(found.place);
    record.cpus = found.pid.and_then(|pid| cpus_of(pid).ok()).unwrap_or_default();
    reporter.notebook.instance(&record)?;
    reporter.note(EventKind::InstanceReady, None, format!("{name} is memcached {}", record.version_text))?;
    let build = build_of(server, record);
    let up = Up::new(key, Serving::Found(found), build, no_sql(), Prepared::Found);
    Ok(Up { own: Some(Box::new(Cache::at(KeyEndpoint::of_cache(endpoint.address)))), ..up })
}

/// Makes sure that the keys are there as the run needs them.
pub(super) fn fill(filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
    let missing: Vec<_> = needs.iter().filter(|need| !filling.up.datasets.contains_key(&need.name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let fail = |e: Fault| Unready::Fail(format!("asking the cache what it has: {e}"));
    let mut control = Control::connect(&KeyEndpoint::of_cache(address(filling.up)), PATIENCE).map_err(fail)?;
    let before = counted(&mut control).map_err(fail)?;
    for need in missing {
        admit(filling.up, need, &before)?;
    }
    set_missing(filling, needs)?;
    let after = counted(&mut control).map_err(fail)?;
    if before("evictions") != after("evictions") {
        return Err(Unready::Fail("the cache is full: while keys were set it dropped others, maybe not ours".into()));
    }
    Ok(())
}

/// Writes down that keys of this dataset will lie there, if they have room.
fn admit(up: &mut Up, need: &DatasetNeed, stats: &impl Fn(&str) -> Option<u64>) -> Result<(), Unready> {
    let keys = keys(up, &need.schema());
    let prefix = String::from_utf8_lossy(keys.prefix()).into_owned();
    let (needed, rows) = (bytes(need, prefix.len()), need.dataset.tables()[0].rows);
    // What lies there of a lab that was killed is set anew in its place.
    if let (Some(limit), Some(used)) = (stats("limit_maxbytes"), stats("bytes"))
        && used + needed > limit
    {
        let what = format!("{rows} keys need up to {needed} bytes, and {used} of its {limit} are in use");
        return Err(Unready::Fail(format!("{what}: what others keep there would be dropped")));
    }
    if let Some(cache) = up.own.as_mut().and_then(|own| own.downcast_mut::<Cache>()) {
        cache.ours.insert(prefix, rows);
    }
    Ok(())
}

/// Takes away what the lab set in a cache of others, and says what became of it.
pub(super) fn leave(up: &Up, reporter: &mut Reporter<'_>) {
    let Some(cache) = up.own_as::<Cache>() else { return };
    for (prefix, keys) in &cache.ours {
        let told = match delete(&address(up), prefix, *keys) {
            Ok(deleted) => format!("{deleted} keys that began with {prefix} were taken away"),
            Err(e) => format!("keys 1 to {keys} behind {prefix} remain in the cache: {e}"),
        };
        reporter.say(&told);
        let _ = reporter.note(EventKind::InstanceStopped, None, format!("{}: {told}", up.key));
    }
}

fn delete(address: &Address, prefix: &str, keys: u64) -> Result<u64, Fault> {
    let ours = Keys::Below(prefix.to_string());
    let protocol = KeyProtocol::Memcached { dialect: Dialect::Text, keys: ours };
    let mut control = Control::connect(&KeyEndpoint { address: address.clone(), protocol }, PATIENCE)?;
    let mut deleted = 0;
    for from in (1..=keys).step_by(BATCH as usize) {
        let batch: Vec<u64> = (from..=keys.min(from + BATCH - 1)).collect();
        deleted += control.delete(&batch)?;
    }
    Ok(deleted)
}
