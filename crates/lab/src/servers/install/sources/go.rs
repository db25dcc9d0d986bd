//! A program of a Go module, built by `go` from the module's own sources: `go install` refuses a module with `replace` or
//! `exclude` lines, so the module is fetched, held against its hash, and built as what it is, the main one. What is pinned is the
//! module (the hash that a `go.sum` would hold; its own `go.sum` pins the rest), since two compilers make two binaries of it.

use super::super::super::catalogue::entry::Entry;
use super::super::super::house::{House, private_folder};
use super::super::client::{Client, Download, ask, words};
use crate::trouble::Trouble;
use std::fs;
use std::path::{Path, PathBuf};

/// What a stanza says of it.
pub struct Module<'a> {
    /// `path@version`.
    pub module: &'a str,
    /// Below the module's root, as `cmd/ferretdb`.
    pub package: &'a str,
    /// `h1:` and its base64.
    pub sum: &'a str,
    /// Where the program looks up its own version, if it is not told by its build.
    pub version_file: Option<&'a str>,
}

/// The program, in the client's room.
pub fn fetch(from: &Module, entry: &Entry, house: &House, client: &mut Client) -> Result<PathBuf, Trouble> {
    let cache = house.home.join("clients/go");
    private_folder(&cache)?;
    let go = |more: &[&str]| -> Vec<String> {
        // Caches of ours, that can be removed like any folder; everything else is as the user has set it up.
        let set = ["GOMODCACHE=", "GOCACHE="].into_iter().zip(["modules", "built"]);
        let set = set.map(|(name, folder)| format!("{name}{}", cache.join(folder).display()));
        let flags = "GOFLAGS=-modcacherw -buildvcs=false".to_string();
        words(["env"]).into_iter().chain(set).chain([flags, "go".into()]).chain(words(more.iter().copied())).collect()
    };
    let download = Download { what: &entry.name, into: &cache, of: entry.download };
    client.run(&go(&["mod", "download", from.module]), &download)?;
    let said = ask(&go(&["mod", "download", "-json", from.module]))?;
    let said: serde_json::Value =
        serde_json::from_str(&said).map_err(|e| Trouble::new(format!("go mod download: {e}")))?;
    let told = |key: &str| said[key].as_str().unwrap_or_default().to_string();
    if told("Sum") != from.sum {
        return Err(Trouble::new(format!(
            "{} is {} and not what the catalogue means, {}",
            from.module,
            told("Sum"),
            from.sum
        ))
        .mend(
            "see whom go asks for modules (go env GOPROXY GOSUMDB), and mend `sum` of its stanza only if you know why",
        ));
    }
    let sources = client.room.join("sources");
    copy(Path::new(&told("Dir")), &sources)?;
    if let Some(file) = from.version_file {
        let path = sources.join(file);
        fs::write(&path, told("Version")).map_err(Trouble::at("writing", &path))?;
    }
    let name = Path::new(&entry.server).file_name().expect("the stanza was read strictly");
    let program = client.room.join(name);
    let (out, package) = (program.display().to_string(), format!("./{}", from.package));
    let folder = sources.display().to_string();
    client.run(&go(&["-C", &folder, "build", "-o", &out, &package]), &download)?;
    Ok(program)
}

/// Files as they are, where we may write.
fn copy(from: &Path, to: &Path) -> Result<(), Trouble> {
    fs::create_dir_all(to).map_err(Trouble::at("making", to))?;
    for entry in fs::read_dir(from).map_err(Trouble::at("reading", from))?.flatten() {
        let (path, into) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &into)?;
        } else {
            let content = fs::read(&path).map_err(Trouble::at("reading", &path))?;
            fs::write(&into, content).map_err(Trouble::at("writing", &into))?;
        }
    }
    Ok(())
}
