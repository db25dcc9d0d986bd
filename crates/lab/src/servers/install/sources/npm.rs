//! An npm package, fetched by `npm pack` from the registry that the user has set up; no script of it is run.

use crate::servers::catalogue::entry::Entry;
use crate::servers::install::client::{Client, Download, words};
use crate::servers::process::folders::{Folders, private_folder};
use crate::trouble::Trouble;
use std::fs;
use std::path::PathBuf;

/// The package's tarball, in the client's room.
pub fn fetch(package: &str, entry: &Entry, folders: &Folders, client: &mut Client) -> Result<PathBuf, Trouble> {
    let (cache, into) = (folders.home.join("clients/npm"), client.room.join("npm"));
    private_folder(&cache)?;
    private_folder(&into)?;
    let mut command = words(["npm", "pack", package, "--ignore-scripts", "--no-update-notifier", "--loglevel=error"]);
    command.push(format!("--cache={}", cache.display()));
    command.push(format!("--pack-destination={}", into.display()));
    client.run(&command, &Download { what: &entry.name, into: &cache, of: entry.download })?;
    let packed = fs::read_dir(&into).map_err(Trouble::at("reading", &into))?.flatten().next();
    packed.map(|e| e.path()).ok_or_else(|| Trouble::new(format!("npm pack {package} left no file")))
}
