//! A server that is a cache: asked what it is, and filled with the very rows that a table would hold, by sets. There is
//! no SQL, so nothing of it can be asked, and nothing is kept on disk: every start is followed by a fill.

use crate::backends::endpoint::Address;
use crate::backends::keyed::control::Control as KeyControl;
use crate::backends::keyed::provision::PATIENCE;
use crate::backends::keyed::{KeyEndpoint, KeyProtocol, Keys};
use crate::backends::mongodb::provision::no_sql;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up};
use crate::campaign::Lab;
use crate::os::clock;
use crate::os::digest::of_file;
use crate::provision::dataset::key;
use crate::servers::Build;
use crate::servers::process::instance::Instance;
use crate::trouble::{Trouble, Unready};
use model::host::Version;
use model::plan::served::CACHE;
use model::plan::{PlannedRun, Server};
use model::record::answer::{DatasetRecord, InstanceRecord};
use model::record::event::EventKind;
use model::record::start::Prepared;
use model::units::Nanos;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use wire::memcached::Dialect;
use workload::dataset::Rows;
use workload::session::Fault;

/// Sets in one batch: few round trips, and well below what sockets hold.
const BATCH: u64 = 64;

/// What a cache says of itself, however it came to run.
pub(crate) fn describe(key: &str, wanted: &Server, address: &Address) -> Result<InstanceRecord, Fault> {
    let version_text = KeyControl::connect(&KeyEndpoint::of_cache(address.clone()), PATIENCE)?.version()?;
    Ok(InstanceRecord {
        key: key.to_string(),
        wanted: wanted.clone(),
        kind: CACHE.to_string(),
        version: Version::parse(&version_text).unwrap_or(Version(0, 0, 0)),
        version_comment: String::new(),
        version_text,
        binary_sha256: None,
        option_file: String::new(),
        variables: Default::default(),
        engines: Vec::new(),
        cpus: Vec::new(),
        place: None,
        complaints: Vec::new(),
        not_applicable: Vec::new(),
        start_time: Nanos(0),
    })
}

/// Which of the keys of the cache that is up are a dataset's: in a server of ours all, in one of others those that
/// begin as it says.
pub(crate) fn keys(up: &Up, schema: &str) -> Keys {
    match up.server {
        Serving::Ours(_) => Keys::All,
        Serving::Found(_) => Keys::Below(format!("{schema}:")),
    }
}

impl Lab<'_> {
    /// A cache that has just started: there is no SQL to ask it in.
    pub(crate) fn start_cache(
        &self,
        key: &str,
        server: &Server,
        build: &Build,
        instance: Instance,
    ) -> Result<Up, Trouble> {
        let address = instance.key_listener().expect("a cache listens").address(false);
        let told = describe(key, server, &address)
            .map_err(|e| Trouble::new("the new server does not say what it is").because(e))?;
        let record = InstanceRecord {
            version: build.installed.version,
            binary_sha256: of_file(&build.installed.binary),
            cpus: instance.cpus().to_vec(),
            complaints: instance.complaints(),
            not_applicable: instance.description().not_applicable.clone(),
            start_time: instance.start_time(),
            ..told
        };
        self.notebook.instance(&record)?;
        let text = format!("{} {} is ready after {}", record.kind, record.version_text, record.start_time);
        self.notebook.note(EventKind::InstanceReady, None, text)?;
        let serving = Serving::Ours(Arc::new(Mutex::new(instance)));
        let up = Up::new(key, serving, build.clone(), no_sql(), Prepared::Loaded);
        Ok(Up { key_addresses: Some((address.clone(), address)), ..up })
    }

    /// Sets the rows of each dataset that is not there yet.
    pub(crate) fn fill_cache(&mut self, wanted: &[DatasetNeed], run: &PlannedRun) -> Result<(), Unready> {
        for wanted in wanted {
            let up = self.up.as_ref().expect("a cache is up before it is filled");
            if up.datasets.contains_key(&wanted.name) {
                continue;
            }
            let (address, _) = up.key_addresses.clone().expect("a cache listens");
            let protocol = KeyProtocol::Memcached { dialect: Dialect::Text, keys: keys(up, &wanted.schema()) };
            let (endpoint, instance) = (KeyEndpoint { address, protocol }, up.key.clone());
            self.notebook.note(EventKind::DatasetLoading, Some(&run.id), wanted.name.clone())?;
            self.progress.say(&format!("setting {}", wanted.label()));
            let begun = clock::now();
            let stop = || self.stop.load(Relaxed);
            let rows = fill(&endpoint, wanted, &stop).map_err(|trouble| Unready::Fail(trouble.to_string()))?;
            self.check_stop().map_err(Unready::Halt)?;
            let record = DatasetRecord {
                key: key(&instance, &wanted.name),
                instance,
                schema: wanted.schema(),
                family: wanted.family.clone(),
                parameters: wanted.parameters.clone(),
                tables: Vec::new(),
                load_time: Some(Nanos(clock::now().0 - begun.0)),
                snapshot: None,
                rows,
                rows_checked: rows,
                rows_wrong: 0,
            };
            self.notebook.dataset(&record)?;
            self.notebook.note(EventKind::DatasetReady, Some(&run.id), format!("{}: {rows} keys", wanted.name))?;
            let up: &mut Up = self.up.as_mut().expect("it was filled");
            up.datasets.insert(wanted.name.clone(), Ok(record.schema));
            up.prepared = Prepared::Loaded;
        }
        Ok(())
    }
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
