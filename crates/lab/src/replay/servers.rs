//! The two servers: each a build with its settings, whose data are loaded once and kept as a snapshot; before every
//! replay a copy of it is put under a fresh instance, and what is to be tried on that side is said to it.

use super::data::{self, Data, Needed};
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::kinds;
use crate::backends::mysql::control::Control;
use crate::backends::mysql::rest;
use crate::notebook::reporter::{Progress, left};
use crate::notebook::unix_ms;
use crate::os::copy::{Allocated, copy};
use crate::os::digest::digest;
use crate::os::process::{Ended, Guard};
use crate::provision::snapshots::key::{Maker, key};
use crate::provision::snapshots::manifest::Manifest;
use crate::provision::snapshots::{Store, StoredSnapshot};
use crate::servers::process::folders::{Folders, private_folder};
use crate::servers::process::instance::{Instance, STOP_PATIENCE, Wish};
use crate::servers::{Build, catalogue};
use crate::trouble::Trouble;
use model::{Nanos, Server};
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A clean end that merges every change and purges every old row version.
const END_PATIENCE: Duration = Duration::from_secs(1800);

/// One of the two.
pub struct Side {
    /// As it was asked for.
    pub name: String,
    pub build: Build,
    pub server: Server,
    /// What is said to it once its data are there, before every replay.
    pub said: Vec<Vec<u8>>,
}

impl Side {
    pub fn of(server: Server, said: Vec<Vec<u8>>) -> Result<Self, Trouble> {
        let build = catalogue::find(&server.build)?;
        Ok(Self { name: server.build.clone(), build, server, said })
    }
}

/// An instance that serves its copy of the data.
pub struct Serving {
    pub instance: Instance,
    pub endpoint: SqlEndpoint,
}

impl Serving {
    pub fn stop(mut self) {
        self.instance.stop(STOP_PATIENCE);
    }
}

pub struct Servers {
    folders: Folders,
    guard: Guard,
    store: Store,
}

impl Servers {
    pub fn new(guard: Guard) -> Result<Self, Trouble> {
        let folders = Folders::from_environment()?;
        private_folder(&folders.home)?;
        let store = Store::of(&folders)?;
        Ok(Self { folders, guard, store })
    }

    /// The snapshot of these data under that build: found, or made.
    pub fn kept(
        &self,
        side: &Side,
        data: &Data,
        needed: &Needed,
        stop: &AtomicBool,
        progress: &RefCell<dyn Progress>,
    ) -> Result<StoredSnapshot, Trouble> {
        let name = self.name_of(side, data, needed)?;
        match self.store.find(&name) {
            Ok(Some(kept)) => return Ok(kept),
            Ok(None) => {}
            Err(why) => progress.borrow_mut().say(&why),
        }
        progress.borrow_mut().say(&format!("{}: loading the data", side.name));
        let begun = Instant::now();
        let mut manifest = Manifest::of(&name, &side.server, unix_ms());
        let wish = self.wish(side, stop);
        let mut instance = match data {
            Data::Dump(_) | Data::Statistics(_) => Instance::provision(&wish)?,
            Data::Directory(folder) => {
                Instance::provision_on(&wish, |to| copy(folder, to, &Allocated::new(), stop).map(drop))?
            }
        };
        let endpoint = SqlEndpoint::root(instance.socket().to_path_buf());
        let at = |done: u64, of: u64, what: &str| {
            progress.borrow_mut().at(done, of, what, left(begun, done, of));
        };
        for note in data::load(&endpoint, data, needed, stop, &at)? {
            progress.borrow_mut().say(&note);
        }
        data::finish(&side.name, &side.server.engine, &endpoint, needed)?;
        manifest.load_time = Nanos(begun.elapsed().as_nanos() as u64);
        let since = Instant::now();
        let ended = instance.stop(END_PATIENCE);
        if ended != Ended::Code(0) {
            return Err(Trouble::new(format!("{} did not end cleanly after loading ({ended})", side.name)));
        }
        manifest.made_by = instance.made_by();
        let kept = self.store.keep(manifest, &instance.data(), since, stop)?;
        // What cannot make room now makes room next time.
        let _ = self.store.shrink();
        Ok(kept)
    }

    fn name_of(&self, side: &Side, data: &Data, needed: &Needed) -> Result<String, Trouble> {
        let installed = &side.build.installed;
        let path = std::path::Path::new(&installed.binary);
        let binary_sha256 = digest(&std::fs::read(path).map_err(Trouble::at("reading", path))?);
        let version = installed.version.to_string();
        let maker = Maker { kind: &installed.kind, version: &version, binary_sha256: &binary_sha256 };
        let print = format!("{} {needed:?}", data.fingerprint()?);
        Ok(key(&maker, &side.server, &[("replay", print)]))
    }

    /// A fresh instance on a copy of the data, with its pages in memory again.
    pub fn start(&self, side: &Side, kept: &StoredSnapshot, stop: &AtomicBool) -> Result<Serving, Trouble> {
        kept.touch();
        let wish = self.wish(side, stop);
        let instance = Instance::provision_on(&wish, |to| self.store.restore(kept, to, stop).map(drop))?;
        let endpoint = SqlEndpoint::root(instance.socket().to_path_buf());
        let fault = |fault| Trouble::new(format!("{} does not take what is said to it", side.name)).because(fault);
        let mut control = Control::connect(&endpoint).map_err(fault)?;
        rest::warm(&mut control, stop);
        control.quit();
        data::say(&endpoint, &side.said)?;
        Ok(Serving { instance, endpoint })
    }

    fn wish<'a>(&'a self, side: &'a Side, stop: &'a AtomicBool) -> Wish<'a> {
        let (folders, guard) = (&self.folders, &self.guard);
        let kind = kinds::of(&side.build);
        Wish { folders, guard, kind, build: &side.build, server: &side.server, cpus: &[], tcp: None, stop }
    }
}
