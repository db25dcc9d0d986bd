//! A server that keeps documents: one of ours, or one that a DSN names; asked what it is and what it has, and filled
//! with the very rows that tables would hold. It has no snapshots: who writes begins with a fresh load. In a server
//! that was there before, the lab fills only a schema that is empty or that it made itself.

use super::load;
use super::session::control::Control;
use super::session::{DocumentEndpoint, Store};
use crate::backends::dsn;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::found::{Found, MARKER, build_of, place_of};
use crate::backends::loading::{LoadFault, sessions};
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up};
use crate::campaign::Lab;
use crate::os::clock;
use crate::os::digest::of_file;
use crate::servers::process::instance::{Instance, key};
use crate::servers::{Build, catalogue};
use crate::trouble::{Trouble, Unready};
use model::host::Version;
use model::plan::served::{FERRETDB, MONGODB, serves};
use model::plan::{Cell, PlannedRun, Server};
use model::protocol::Protocol;
use model::record::answer::{InstanceRecord, SessionAnswer, TlsAnswer};
use model::record::event::EventKind;
use model::record::start::Prepared;
use model::units::Nanos;
use serde_json::{Value as Json, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wire::mongodb::login::ADMIN;
use workload::session::Fault;
use workload::session::documents::Offers;

/// Who is silent so long is no server of documents.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Whether this server is such a one.
pub(crate) fn keeps(server: &Server) -> bool {
    match &server.on {
        Some(dsn) => model::dsn::protocol(dsn) == Protocol::MongoDb,
        None => catalogue::find(&server.build).is_ok_and(|build| serves(&build.installed.kind, Protocol::MongoDb)),
    }
}

/// Where SQL would be: nowhere, so that whoever asks is refused at once.
pub(crate) fn no_sql() -> SqlEndpoint {
    SqlEndpoint::root("/nowhere/no-sql-here".into())
}

/// The endpoint to that dataset.
pub(crate) fn endpoint(up: &Up, name: &str) -> Option<DocumentEndpoint> {
    let schema = up.datasets.get(name)?.clone().ok()?;
    let (store, offers) = up.store.clone()?;
    Some(DocumentEndpoint { store, schema, offers })
}

/// What a server says of itself, and what it has.
fn look(store: &Store) -> Result<(Json, Offers), Fault> {
    let nowhere = DocumentEndpoint { store: store.clone(), schema: ADMIN.into(), offers: Offers::default() };
    let mut control = Control::connect(&nowhere, PATIENCE)?;
    Ok((control.ask(&json!({ "buildInfo": 1 }))?, control.offers()?))
}

/// What imitates MongoDB says its own version beside the one that it imitates.
fn record(key: &str, wanted: &Server, told: &Json) -> InstanceRecord {
    // FerretDB 1, then 2.
    let own = told["ferretdbVersion"].as_str().or(told["ferretdb"]["version"].as_str());
    let as_mongodb = told["version"].as_str().unwrap_or_default();
    let version = own.map_or(as_mongodb, |version| version.trim_start_matches('v'));
    InstanceRecord {
        key: key.to_string(),
        wanted: wanted.clone(),
        kind: if own.is_some() { FERRETDB } else { MONGODB }.to_string(),
        version: Version::parse(version).unwrap_or(Version(0, 0, 0)),
        version_comment: own.map(|_| format!("as MongoDB {as_mongodb}")).unwrap_or_default(),
        version_text: version.to_string(),
        binary_sha256: None,
        option_file: String::new(),
        variables: Default::default(),
        engines: Vec::new(),
        cpus: Vec::new(),
        place: None,
        complaints: Vec::new(),
        not_applicable: Vec::new(),
        start_time: Nanos(0),
    }
}

/// Store and schema that a DSN names, which let the lab in.
pub(crate) fn named(name: &str) -> Result<(Store, Option<String>), Trouble> {
    let (store, schema) = dsn::store(name, std::env::var(dsn::PASSWORD).unwrap_or_default())?;
    look(&store).map_err(|e| Trouble::new(format!("{name} refuses the lab")).because(e))?;
    Ok((store, schema))
}

impl Lab<'_> {
    /// One of ours, which has just started.
    pub(crate) fn start_documents(
        &self,
        key: &str,
        server: &Server,
        build: &Build,
        instance: Instance,
    ) -> Result<Up, Trouble> {
        let store = Store::open(instance.key_listener().expect("a store of documents has a gate").address(false));
        let (told, offers) =
            look(&store).map_err(|e| Trouble::new("the new server does not say what it is").because(e))?;
        let record = InstanceRecord {
            binary_sha256: of_file(&build.installed.binary),
            cpus: instance.cpus().to_vec(),
            complaints: instance.complaints(),
            not_applicable: instance.description().not_applicable.clone(),
            start_time: instance.start_time(),
            ..record(key, server, &told)
        };
        self.notebook.instance(&record)?;
        let text = format!("{} {} is ready after {}", record.kind, record.version_text, record.start_time);
        self.notebook.note(EventKind::InstanceReady, None, text)?;
        let serving = Serving::Ours(Arc::new(Mutex::new(instance)));
        let up = Up::new(key, serving, build.clone(), no_sql(), Prepared::Loaded);
        Ok(Up { store: Some((store, offers)), ..up })
    }

    /// One that was there before.
    pub(crate) fn meet_documents(&self, key: &str, server: &Server, name: &str) -> Result<Up, Trouble> {
        let (store, schema) = named(name)?;
        let (told, offers) = look(&store).map_err(|e| Trouble::new(format!("{name} is silent")).because(e))?;
        let place = place_of(&store.address);
        let record = InstanceRecord { place: Some(place), ..record(key, server, &told) };
        self.notebook.instance(&record)?;
        self.notebook.note(EventKind::InstanceReady, None, format!("{name} is {}", record.version_text))?;
        let build = build_of(server, record);
        let serving = Serving::Found(Found { pid: None, place, schema, keys: Default::default() });
        let up = Up::new(key, serving, build, no_sql(), Prepared::Found);
        Ok(Up { store: Some((store, offers)), ..up })
    }

    /// Makes sure that it is up and that its documents are as the run needs them.
    pub(crate) fn prepare_documents(
        &mut self,
        cell: &Cell,
        wanted: &[DatasetNeed],
        run: &PlannedRun,
        writes: bool,
    ) -> Result<(), Unready> {
        let used = |up: &&mut Up| up.key == key(&cell.server) && (up.aged || writes && up.runs > 0);
        match self.up.as_mut().filter(used) {
            Some(Up { server: Serving::Ours(_), .. }) => self.take_down(),
            Some(up) => {
                (up.aged, up.runs) = (false, 0);
                up.datasets.clear();
            }
            None => {}
        }
        self.instance(cell)?;
        wanted.iter().try_for_each(|wanted| self.fill_documents(wanted, run))
    }

    fn fill_documents(&mut self, wanted: &DatasetNeed, run: &PlannedRun) -> Result<(), Unready> {
        let up = self.up.as_ref().expect("a server is up before it is filled");
        if up.datasets.contains_key(&wanted.name) {
            return Ok(());
        }
        let (store, offers) = up.store.clone().expect("it keeps documents");
        let schema = match &up.server {
            Serving::Found(Found { schema: Some(schema), .. }) => schema.clone(),
            Serving::Found(_) | Serving::Ours(_) => wanted.schema(),
        };
        let endpoint = DocumentEndpoint { store, schema: schema.clone(), offers };
        let fail = |what: &str, e: Fault| Unready::Fail(format!("{what}: {e}"));
        if let Serving::Found(_) = &up.server {
            mark(&endpoint).map_err(|e| fail("looking at the schema", e))?.map_err(Unready::Fail)?;
        }
        self.notebook.note(EventKind::DatasetLoading, Some(&run.id), wanted.name.clone())?;
        let label = wanted.label();
        self.progress.say(&format!("loading {label}"));
        let begun = clock::now();
        let sessions = sessions(self.host.cpus.len());
        let loaded =
            self.watched(|at, stop| load::load(&endpoint, wanted.dataset.as_ref(), sessions, stop, at), &label);
        let loaded = loaded.map_err(|fault| match fault {
            LoadFault::Stopped => Unready::Halt(crate::campaign::Halt::Interrupted),
            LoadFault::Unsupported(reason) => Unready::Skip(reason),
            LoadFault::World(reason) => Unready::Fail(format!("loading {label} failed: {reason}")),
        })?;
        let load_time = Nanos(clock::now().0 - begun.0);
        let record = self.describe_dataset(wanted, &schema, loaded, Some(load_time));
        self.notebook.dataset(&record)?;
        let text = format!("{}: {} documents in {load_time}", wanted.name, record.rows);
        self.notebook.note(EventKind::DatasetReady, Some(&run.id), text)?;
        let up = self.up.as_mut().expect("it was filled");
        up.datasets.insert(wanted.name.clone(), Ok(schema));
        Ok(())
    }
}

/// Marks a schema that is empty, or finds it marked; `Err` inside where somebody else made it.
fn mark(endpoint: &DocumentEndpoint) -> Result<Result<(), String>, Fault> {
    let mut control = Control::connect(endpoint, PATIENCE)?;
    let there = control.all(&json!({ "listCollections": 1, "nameOnly": true }))?;
    let is_ours = there.iter().any(|collection| collection["name"] == MARKER);
    if !is_ours && !there.is_empty() {
        let what = format!("the schema {} was not made by assay, which would fill it anew", endpoint.schema);
        return Ok(Err(format!("{what}; {}", Found::ROOM_OF_ITS_OWN)));
    }
    if !is_ours {
        control.ask(&json!({ "create": MARKER }))?;
    }
    Ok(Ok(()))
}

/// What a session is.
pub(crate) fn ask(endpoint: &DocumentEndpoint) -> Result<SessionAnswer, Fault> {
    let yes = |truth: bool| if truth { "yes" } else { "no" }.to_string();
    let variables = [
        ("door", Protocol::MongoDb.name().to_string()),
        ("door_transactions", yes(endpoint.offers.transactions)),
        ("door_parts_of_changed", yes(endpoint.offers.parts_of_changed)),
        ("container", endpoint.schema.clone()),
    ];
    let mut control = Control::connect(endpoint, PATIENCE)?;
    control.ask(&json!({ "ping": 1 }))?;
    let cipher = control.cipher();
    Ok(SessionAnswer {
        variables: variables.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
        transport: endpoint.store.address.transport(cipher.is_some()),
        // This protocol has no question for what the server thinks of it.
        tls: cipher.map(|(version, cipher)| TlsAnswer { version, cipher, ..TlsAnswer::default() }),
        authentication: control.mechanism().unwrap_or("none").into(),
        ..SessionAnswer::default()
    })
}
