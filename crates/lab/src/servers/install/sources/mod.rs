//! How the files of a build come here, one file per kind of source. Each gives verified files; none knows what they are
//! for.

mod closure;
mod debian;
mod go;
mod maven;
mod npm;

use super::artifacts::{Artifacts, verify};
use super::client::{Client, need};
use crate::servers::catalogue::entry::{Entry, Source};
use crate::servers::process::folders::Folders;
use crate::trouble::Trouble;
use std::path::{Path, PathBuf};

/// That the clients are there and the user's own archive is; nothing is fetched yet.
pub fn check(source: &Source, from: Option<&Path>) -> Result<(), Trouble> {
    if from.is_some() && !matches!(source, Source::Archive { .. }) {
        return Err(Trouble::new("this build is fetched from a registry, so --from means nothing for it")
            .mend("leave --from out, or add a stanza with `archive` to servers.toml in $ASSAY_HOME"));
    }
    match source {
        Source::Maven { .. } => {
            need("mvn", "maven")?;
            need("unzip", "unzip")
        }
        Source::Npm { .. } => need("npm", "npm"),
        Source::Go { .. } => go::check(),
        Source::Debian { .. } => debian::check(),
        Source::Archive { path, .. } => users(path.as_deref(), from).map(drop),
        Source::Basedir { .. } => Ok(()),
    }
}

pub fn fetch(
    entry: &Entry,
    from: Option<&Path>,
    folders: &Folders,
    artifacts: &Artifacts,
    client: &mut Client,
) -> Result<Vec<PathBuf>, Trouble> {
    match &entry.source {
        Source::Maven { coordinates, sha256, .. } => Ok(vec![match artifacts.find(sha256) {
            Some(file) => file,
            None => artifacts.admit(&maven::fetch(coordinates, entry, folders, client)?, sha256, entry.download)?,
        }]),
        Source::Npm { package, sha256, .. } => Ok(vec![match artifacts.find(sha256) {
            Some(file) => file,
            None => artifacts.admit(&npm::fetch(package, entry, folders, client)?, sha256, entry.download)?,
        }]),
        Source::Go { module, package, sum, version_file } => {
            let version_file = version_file.as_deref();
            Ok(vec![go::fetch(&go::Module { module, package, sum, version_file }, entry, folders, client)?])
        }
        Source::Debian { suites, packages } => debian::fetch(suites, packages, entry, folders, artifacts, client),
        Source::Archive { path, sha256, .. } => {
            let file = users(path.as_deref(), from)?;
            match sha256 {
                Some(sum) => verify(&file, sum, entry.download)?,
                None => client.progress.say(&format!("{}: no checksum in its stanza, taken as it is", entry.name)),
            }
            Ok(vec![file])
        }
        Source::Basedir { .. } => unreachable!("a base directory is used where it is"),
    }
}

/// The archive that the user downloaded.
fn users(said: Option<&Path>, from: Option<&Path>) -> Result<PathBuf, Trouble> {
    let Some(path) = from.or(said) else {
        return Err(Trouble::new("this build comes as an archive that you downloaded")
            .mend("say where it lies: assay servers install BUILD --from FILE"));
    };
    if path.is_file() {
        return Ok(path.to_path_buf());
    }
    Err(Trouble::new(format!("there is no file {}", path.display()))
        .mend("say where the archive lies: assay servers install BUILD --from FILE"))
}
