//! The builds in $ASSAY_HOME/servers: one folder each, complete as soon as it has its name, because it gets the name
//! last. What was found out when a build was installed is kept beside it, so that a survey starts no servers to learn
//! what it already knew.

use super::entry::Entry;
use crate::servers::Build;
use crate::servers::process::folders::Folders;
use crate::trouble::Trouble;
use model::{Bytes, InstalledBuild, Version};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// What was found out, as a file in the build's folder. Paths in it are below that folder.
pub const MANIFEST: &str = "installed.toml";
/// The server itself, below that folder.
pub const BASEDIR: &str = "server";
/// In a launcher, stands for the build's base directory.
const HERE: &str = "{here}";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub kind: String,
    pub version: String,
    pub server: PathBuf,
    pub share: PathBuf,
    pub plugins: Option<PathBuf>,
    pub launcher: Vec<String>,
    pub engines: Vec<String>,
    /// Where it came from, in the catalogue's words.
    pub source: String,
    /// Bytes on disk.
    pub size: u64,
    /// What was unpacked: checksum and name of each file.
    pub downloads: Vec<String>,
}

/// A build of ours.
#[derive(Clone, Debug)]
pub struct OwnBuild {
    pub build: Build,
    pub size: Bytes,
    pub manifest: Manifest,
}

pub fn folder(folders: &Folders) -> PathBuf {
    folders.home.join("servers")
}

/// Every complete build, by name.
pub fn all(folders: &Folders) -> Vec<OwnBuild> {
    let entries = fs::read_dir(folder(folders)).into_iter().flatten().flatten();
    let mut kept: Vec<_> = entries.filter_map(|e| read(&e.path())).collect();
    kept.sort_by(|a, b| a.build.installed.name.cmp(&b.build.installed.name));
    kept
}

pub fn find(folders: &Folders, name: &str) -> Option<OwnBuild> {
    read(&folder(folders).join(name))
}

/// The build in that folder; `None` when it is not whole or not one of ours.
fn read(folder: &Path) -> Option<OwnBuild> {
    let name = folder.file_name()?.to_str()?;
    let text = fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let manifest: Manifest = toml::from_str(&text).ok()?;
    let here = folder.join(BASEDIR);
    let binary = here.join(&manifest.server);
    if name.starts_with('.') || !binary.is_file() {
        return None;
    }
    let build = Build {
        installed: InstalledBuild {
            name: name.to_string(),
            kind: manifest.kind.clone(),
            version: Version::parse(&manifest.version)?,
            binary: binary.to_str()?.to_string(),
            basedir: base(&here).to_str()?.to_string(),
            engines: manifest.engines.clone(),
        },
        launcher: manifest.launcher.iter().map(|w| w.replace(HERE, &here.to_string_lossy())).collect(),
        share: here.join(&manifest.share),
        plugins: manifest.plugins.as_ref().map(|p| here.join(p)),
    };
    Some(OwnBuild { build, size: Bytes(manifest.size), manifest })
}

/// Packages of distributions unpack below `usr`, and servers look for their parts from there.
pub fn base(here: &Path) -> PathBuf {
    let usr = here.join("usr");
    if usr.is_dir() { usr } else { here.to_path_buf() }
}

/// Writes down a build that lies in `folder`, still under another name.
pub fn write(folder: &Path, entry: &Entry, build: &Build, downloads: Vec<String>) -> Result<(), Trouble> {
    let here = folder.join(BASEDIR);
    let below = |path: &Path| path.strip_prefix(&here).expect("a build lies in its folder").to_path_buf();
    let manifest = Manifest {
        kind: build.installed.kind.clone(),
        version: build.installed.version.to_string(),
        server: below(Path::new(&build.installed.binary)),
        share: below(&build.share),
        plugins: build.plugins.as_deref().map(below),
        launcher: build.launcher.iter().map(|w| w.replace(&*here.to_string_lossy(), HERE)).collect(),
        engines: build.installed.engines.clone(),
        source: entry.source.describe(),
        size: size(folder).0,
        downloads,
    };
    let path = folder.join(MANIFEST);
    let text = toml::to_string(&manifest).expect("a manifest is TOML");
    fs::write(&path, text).map_err(Trouble::at("writing", &path))
}

/// Bytes that the files below a folder take.
pub fn size(folder: &Path) -> Bytes {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    Bytes(
        entries
            .map(|e| match e.file_type() {
                Ok(kind) if kind.is_dir() => size(&e.path()).0,
                Ok(_) => e.metadata().map_or(0, |m| m.len()),
                Err(_) => 0,
            })
            .sum(),
    )
}
