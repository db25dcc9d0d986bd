//! A build that nobody catalogued, named by where it lies: the folder of an unpacked or freshly compiled server, or its
//! binary. Its path is its name, in experiments and records; what it is the binary says. This is how a bisect starts
//! builds that a command makes.

use super::probe::probe;
use crate::servers::Build;
use crate::trouble::Trouble;
use std::path::Path;

/// Below a base directory, by packager.
const FOLDERS: [&str; 3] = ["bin", "sbin", "libexec"];
const BINARIES: [&str; 2] = ["mariadbd", "mysqld"];

/// Whether a build's name is a place: from the root on, so that it means the same wherever it is read.
pub fn is_path(name: &str) -> bool {
    name.starts_with('/')
}

pub fn find(name: &str) -> Result<Build, Trouble> {
    let path = Path::new(name);
    if path.is_file() {
        let basedir = path.parent().and_then(Path::parent).unwrap_or(path);
        return probe(name, path, basedir, &[]);
    }
    let places = BINARIES.iter().flat_map(|binary| FOLDERS.iter().map(move |f| path.join(f).join(binary)));
    match places.into_iter().find(|place| place.is_file()) {
        Some(binary) => probe(name, &binary, path, &[]),
        None => Err(Trouble::new(format!("no server lies in {name}"))
            .mend("name the folder that has bin/mariadbd or bin/mysqld, or that binary")),
    }
}
