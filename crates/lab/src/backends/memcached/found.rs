//! A cache that was there before the lab, named by a DSN. Others keep keys in it and it has no schemas, so the lab is a
//! guest: its keys begin as nobody else's do, it sets them only where they have room, because a cache that is full
//! drops what others set, it never sends `flush_all`, and it takes its keys away when it leaves. A lab that is killed
//! leaves them; the next one with the same data sets them anew and takes them away.

use super::provision::{describe, keys};
use crate::backends::endpoint::Address;
use crate::backends::found::{build_of, find};
use crate::backends::keyed::control::Control;
use crate::backends::keyed::provision::PATIENCE;
use crate::backends::keyed::{KeyEndpoint, KeyProtocol, Keys};
use crate::backends::mongodb::provision::no_sql;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up};
use crate::campaign::Lab;
use crate::os::process::cpus_of;
use crate::servers::process::instance::key;
use crate::trouble::{Trouble, Unready};
use model::dsn;
use model::plan::served::MEMCACHED_FROM;
use model::plan::{Cell, PlannedRun, Server};
use model::protocol::Protocol;
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

/// Whether this server is such a one.
pub(crate) fn is_named(server: &Server) -> bool {
    server.on.as_deref().is_some_and(|dsn| dsn::protocol(dsn) == Protocol::Memcached)
}

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

impl Lab<'_> {
    pub(crate) fn meet_cache(&self, key: &str, server: &Server, name: &str) -> Result<Up, Trouble> {
        look(name)?;
        let (found, endpoint) = find(name)?;
        let told = describe(key, server, &endpoint.address);
        let mut record = told.map_err(|e| Trouble::new(format!("{name} is silent")).because(e))?;
        record.place = Some(found.place);
        record.cpus = found.pid.and_then(|pid| cpus_of(pid).ok()).unwrap_or_default();
        self.notebook.instance(&record)?;
        self.notebook.note(EventKind::InstanceReady, None, format!("{name} is memcached {}", record.version_text))?;
        let build = build_of(server, record);
        let up = Up::new(key, Serving::Found(found), build, no_sql(), Prepared::Found);
        Ok(Up { key_addresses: Some((endpoint.address.clone(), endpoint.address)), ..up })
    }

    /// Makes sure that it is there and that the keys are as the run needs them.
    pub(crate) fn prepare_found_cache(
        &mut self,
        cell: &Cell,
        wanted: &[DatasetNeed],
        run: &PlannedRun,
        writes: bool,
    ) -> Result<(), Unready> {
        let used = |up: &&mut Up| up.key == key(&cell.server) && (up.aged || writes && up.runs > 0);
        if let Some(up) = self.up.as_mut().filter(used) {
            (up.aged, up.runs) = (false, 0);
            up.datasets.clear();
        }
        self.instance(cell)?;
        let missing: Vec<_> = wanted.iter().filter(|w| !self.holds(w)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let fail = |e: Fault| Unready::Fail(format!("asking the cache what it has: {e}"));
        let (address, _) = self.up.as_ref().and_then(|up| up.key_addresses.clone()).expect("a cache listens");
        let mut control = Control::connect(&KeyEndpoint::of_cache(address), PATIENCE).map_err(fail)?;
        let before = counted(&mut control).map_err(fail)?;
        for wanted in missing {
            self.admit(wanted, &before)?;
        }
        self.fill_cache(wanted, run)?;
        let after = counted(&mut control).map_err(fail)?;
        if before("evictions") != after("evictions") {
            return Err(Unready::Fail(
                "the cache is full: while keys were set it dropped others, maybe not ours".into(),
            ));
        }
        Ok(())
    }

    fn holds(&self, wanted: &DatasetNeed) -> bool {
        self.up.as_ref().is_some_and(|up| up.datasets.contains_key(&wanted.name))
    }

    /// Writes down that keys of this dataset will lie there, if they have room.
    fn admit(&mut self, wanted: &DatasetNeed, stats: &impl Fn(&str) -> Option<u64>) -> Result<(), Unready> {
        let up = self.up.as_mut().expect("a cache is met before it is filled");
        let keys = keys(up, &wanted.schema());
        let Serving::Found(found) = &mut up.server else { unreachable!("this server is not ours") };
        let prefix = String::from_utf8_lossy(keys.prefix()).into_owned();
        let (needed, rows) = (bytes(wanted, prefix.len()), wanted.dataset.tables()[0].rows);
        // What lies there of a lab that was killed is set anew in its place.
        if let (Some(limit), Some(used)) = (stats("limit_maxbytes"), stats("bytes"))
            && used + needed > limit
        {
            let what = format!("{rows} keys need up to {needed} bytes, and {used} of its {limit} are in use");
            return Err(Unready::Fail(format!("{what}: what others keep there would be dropped")));
        }
        found.keys.insert(prefix, rows);
        Ok(())
    }

    /// Takes away what the lab set in a cache of others, and says what became of it.
    pub(crate) fn leave_cache(&mut self, up: &Up) {
        let (Serving::Found(found), Some((address, _))) = (&up.server, &up.key_addresses) else { return };
        for (prefix, keys) in &found.keys {
            let told = match delete(address, prefix, *keys) {
                Ok(deleted) => format!("{deleted} keys that began with {prefix} were taken away"),
                Err(e) => format!("keys 1 to {keys} behind {prefix} remain in the cache: {e}"),
            };
            self.progress.say(&told);
            let _ = self.notebook.note(EventKind::InstanceStopped, None, format!("{}: {told}", up.key));
        }
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
