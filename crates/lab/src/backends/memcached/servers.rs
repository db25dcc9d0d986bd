//! A server that is a cache: there is no SQL, so nothing of it can be asked in that, and nothing is kept on disk: every
//! start is followed by a fill.

use super::cache::{describe, set_missing};
use super::found;
use super::guest::Cache;
use super::kinds;
use crate::backends::contract::{Filling, MakeSources, Met, Sampled, Servers, Started};
use crate::backends::described::{is_ready, of_ours};
use crate::backends::keyed::KeyEndpoint;
use crate::backends::needs::DatasetNeed;
use crate::backends::samplers::sources;
use crate::backends::up::{Serving, Up, no_sql};
use crate::notebook::reporter::Reporter;
use crate::servers::Kind;
use crate::trouble::{Trouble, Unready};
use model::record::answer::InstanceRecord;
use model::record::start::Prepared;
use model::units::Users;
use std::sync::{Arc, Mutex};

pub struct Memcached;

impl Servers for Memcached {
    fn kinds(&self) -> &'static [&'static dyn Kind] {
        kinds::ALL
    }

    fn check(&self, dsn: &str, _: Users) -> Result<(), Trouble> {
        found::look(dsn)
    }

    /// There is no SQL to ask it in.
    fn started(&self, started: Started<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        let Started { key, server, build, instance, .. } = started;
        let address = instance.key_listener().expect("a cache listens").address(false);
        let told = describe(key, server, &address)
            .map_err(|e| Trouble::new("the new server does not say what it is").because(e))?;
        let told = of_ours(told, &build.installed, &instance);
        let record = InstanceRecord { version: build.installed.version, ..told };
        is_ready(&record, reporter)?;
        let serving = Serving::Ours(Arc::new(Mutex::new(instance)));
        let up = Up::new(key, serving, build.clone(), no_sql(), Prepared::Loaded);
        Ok(Up { own: Some(Box::new(Cache::at(KeyEndpoint::of_cache(address)))), ..up })
    }

    fn meet(&self, met: &Met<'_>, reporter: &mut Reporter<'_>) -> Result<Up, Trouble> {
        found::meet(met, reporter)
    }

    fn fill(&self, filling: &mut Filling<'_, '_>, needs: &[DatasetNeed]) -> Result<(), Unready> {
        match filling.up.server {
            Serving::Ours(_) => set_missing(filling, needs),
            Serving::Found(_) => found::fill(filling, needs),
        }
    }

    fn sources(&self, _: &Up, sampled: Sampled<'_>) -> MakeSources {
        let Sampled { server, needs, process, workers, .. } = sampled;
        let engine = server.engine.clone();
        Box::new(move || sources(None, process, &workers, &engine, needs))
    }

    fn leave(&self, up: &Up, reporter: &mut Reporter<'_>) {
        found::leave(up, reporter);
    }
}
