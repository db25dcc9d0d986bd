//! A server that keeps documents: one of ours, or one that a DSN names; asked what it is and what it has, and filled
//! with the very rows that tables would hold. It has no snapshots: who writes begins with a fresh load. In a server
//! that was there before, the lab fills only a schema that is empty or that it made itself.

use super::kinds;
use super::load;
use super::session::control::Control;
use super::session::{DocumentEndpoint, Store};
use crate::backends::contract::{Filling, MakeSources, Met, Sampled, Servers, Started};
use crate::backends::described::{blank, is_ready, of_ours};
use crate::backends::dsn;
use crate::backends::found::{Found, MARKER, build_of, place_of};
use crate::backends::loading::LoadFault;
use crate::backends::needs::DatasetNeed;
use crate::backends::samplers::sources;
use crate::backends::up::{Serving, Up, no_sql};
use crate::notebook::reporter::Reporter;
use crate::os::clock;
use crate::servers::Kind;
use crate::trouble::{Halt, Trouble, Unready};
use model::plan::Server;
use model::plan::served::{FERRETDB, MONGODB};
use model::protocol::Protocol;
use model::record::answer::{InstanceRecord, SessionAnswer, TlsAnswer};
use model::record::event::EventKind;
use model::record::start::Prepared;
use model::units::{Nanos, Users};
use serde_json::{Value as Json, json};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wire::mongodb::login::ADMIN;
use workload::session::Fault;
use workload::session::documents::Offers;

/// Who is silent so long is no server of documents.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

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
    let kind = if own.is_some() { FERRETDB } else { MONGODB };
    let version_comment = own.map(|_| format!("as MongoDB {as_mongodb}")).unwrap_or_default();
    InstanceRecord { version_comment, ..blank(key, wanted, kind, version) }
}

/// Store and schema that a DSN names, which let the lab in.
pub(crate) fn named(name: &str) -> Result<(Store, Option<String>), Trouble> {
    let (store, schema) = dsn::store(name, std::env::var(dsn::PASSWORD).unwrap_or_default())?;
    look(&store).map_err(|e| Trouble::new(format!("{name} refuses the lab")).because(e))?;
    Ok((store, schema))
}

pub struct MongoDb;

impl Servers for MongoDb {
    fn kinds(&self) -> &'static [&'static dyn Kind] {
        kinds::ALL
    }

    fn check(&self, dsn: &str, _: Users) -> Result<(), Trouble> {
        named(dsn).map(drop)
    }

    fn started(&self, started: Started<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        let Started { key, server, build, instance, .. } = started;
        let store = Store::open(instance.key_listener().expect("a store of documents has a gate").address(false));
        let (told, offers) =
            look(&store).map_err(|e| Trouble::new("the new server does not say what it is").because(e))?;
        let record = of_ours(record(key, server, &told), &build.installed, &instance);
        is_ready(&record, reporter)?;
        let serving = Serving::Ours(Arc::new(Mutex::new(instance)));
        let up = Up::new(key, serving, build.clone(), no_sql(), Prepared::Loaded);
        Ok(Up { own: Some(Box::new(whole(store, offers))), ..up })
    }

    fn meet(&self, met: &Met<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        let Met { key, server, dsn: name, .. } = *met;
        let (store, schema) = named(name)?;
        let (told, offers) = look(&store).map_err(|e| Trouble::new(format!("{name} is silent")).because(e))?;
        let place = place_of(&store.address)?;
        let record = InstanceRecord { place: Some(place), ..record(key, server, &told) };
        reporter.notebook.instance(&record)?;
        reporter.note(EventKind::InstanceReady, None, format!("{name} is {}", record.version_text))?;
        let build = build_of(server, record);
        let serving = Serving::Found(Found { pid: None, place, schema });
        let up = Up::new(key, serving, build, no_sql(), Prepared::Found);
        Ok(Up { own: Some(Box::new(whole(store, offers))), ..up })
    }

    fn fill(&self, filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
        let is_missing = |need: &&DatasetNeed, up: &Up| !up.datasets.contains_key(&need.name);
        needs.iter().try_for_each(|need| if is_missing(&need, filling.up) { fill(filling, need) } else { Ok(()) })
    }

    fn sources(&self, _: &Up, sampled: Sampled<'_>) -> MakeSources {
        let Sampled { server, needs, process, workers, .. } = sampled;
        let engine = server.engine.clone();
        Box::new(move || sources(None, process, &workers, &engine, needs))
    }
}

/// The way to all that a server keeps.
fn whole(store: Store, offers: Offers) -> DocumentEndpoint {
    DocumentEndpoint { store, schema: ADMIN.into(), offers }
}

fn fill(filling: &mut Filling<'_, '_>, need: &DatasetNeed) -> Result<(), Unready> {
    let own = filling.up.own_as::<DocumentEndpoint>().expect("it keeps documents").clone();
    let schema = filling.up.server.named_schema().cloned().unwrap_or_else(|| need.schema());
    let endpoint = DocumentEndpoint { schema: schema.clone(), ..own };
    let fail = |what: &str, e: Fault| Unready::Fail(format!("{what}: {e}"));
    if let Serving::Found(_) = &filling.up.server {
        mark(&endpoint).map_err(|e| fail("looking at the schema", e))?.map_err(Unready::Fail)?;
    }
    let (run, sessions, reporter) = (Some(&filling.run.id), filling.sessions, &mut *filling.reporter);
    reporter.note(EventKind::DatasetLoading, run, need.name.clone())?;
    let label = need.label();
    reporter.say(&format!("loading {label}"));
    let begun = clock::now();
    let load = |at: &(dyn Fn(u64, u64) + Sync), stop: &AtomicBool| {
        load::load(&endpoint, need.dataset.as_ref(), sessions, stop, at)
    };
    let loaded = reporter.watched(load, &label).map_err(|fault| match fault {
        LoadFault::Stopped => Unready::Halt(Halt::Interrupted),
        LoadFault::Unsupported(reason) => Unready::Skip(reason),
        LoadFault::World(reason) => Unready::Fail(format!("loading {label} failed: {reason}")),
    })?;
    let load_time = Nanos(clock::now().0 - begun.0);
    let record = need.record(&filling.up.key, &schema, loaded, Some(load_time));
    reporter.notebook.dataset(&record)?;
    reporter.note(EventKind::DatasetReady, run, format!("{}: {} documents in {load_time}", need.name, record.rows))?;
    filling.up.datasets.insert(need.name.clone(), Ok(schema));
    Ok(())
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
