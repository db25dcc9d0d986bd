//! A program of a Go module, built by `go` from the module's own sources: `go install` refuses a module with `replace`
//! or `exclude` lines, so the module is fetched, held against its hash, and built as what it is, the main one. What is
//! pinned is the module (the hash that a `go.sum` would hold; its own `go.sum` pins the rest), since two compilers make
//! two binaries.

use crate::servers::catalogue::entry::Entry;
use crate::servers::install::client::{Client, Download, ask, need, words};
use crate::servers::process::folders::{Folders, private_folder};
use crate::trouble::Trouble;
use std::fs;
use std::path::{Path, PathBuf};

/// Go 1.21 is the first that knows `-C` and fetches the Go that a module asks for.
const OLDEST: u32 = 21;

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

/// That there is a `go`, and one that can read and, where it must, replace itself by what the module asks for.
pub fn check() -> Result<(), Trouble> {
    need("go", "golang-go")?;
    let said = ask(&words(["go", "env", "GOVERSION"]))?;
    let minor = said.trim().strip_prefix("go1.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    // A development version says no number, and is newer.
    if minor.is_some_and(|minor| minor < OLDEST) {
        return Err(Trouble::new(format!(
            "{} is too old: this build is made with Go 1.{OLDEST} or later",
            said.trim()
        ))
        .mend(
            "install a later Go before it in the PATH; from that one on it fetches by itself what a module asks for",
        ));
    }
    Ok(())
}

/// The program, in the client's room.
pub fn fetch(from: &Module, entry: &Entry, folders: &Folders, client: &mut Client) -> Result<PathBuf, Trouble> {
    let cache = folders.home.join("clients/go");
    let modules = cache.join("modules");
    private_folder(&cache)?;
    let go = |place: &Path, more: &[&str]| -> Vec<String> {
        let set = [
            // Caches of ours, that can be removed like any folder.
            format!("GOMODCACHE={}", modules.display()),
            format!("GOCACHE={}", cache.join("built").display()),
            // Nothing that lies around our folders, and no flags of the user's, go into the program.
            "GOWORK=off".into(),
            "GOFLAGS=-modcacherw -buildvcs=false -trimpath".into(),
        ];
        let place = place.display().to_string();
        let go = words(["go", "-C", &place]);
        words(["env"]).into_iter().chain(set).chain(go).chain(words(more.iter().copied())).collect()
    };
    let room = client.room.to_path_buf();
    // What comes over the network; unpacked modules and what the compiler keeps lie elsewhere.
    let download = Download { what: &entry.name, into: &modules.join("cache/download"), of: entry.download };
    client.run(&go(&room, &["mod", "download", from.module]), &download)?;
    let said = ask(&go(&room, &["mod", "download", "-json", from.module]))?;
    let said: serde_json::Value =
        serde_json::from_str(&said).map_err(|e| Trouble::new("go does not say what it fetched").because(e))?;
    let told = |key: &str| said[key].as_str().unwrap_or_default();
    if told("Sum") != from.sum {
        let (module, found, sum) = (from.module, told("Sum"), from.sum);
        return Err(Trouble::new(format!("{module} is not what the catalogue means: its sum is {found}, not {sum}")).mend(
            "see whom go asks for modules (go env GOPROXY GOSUMDB); if it differs again, do not use it, or change its stanza \
             in servers.toml",
        ));
    }
    let sources = room.join("sources");
    copy(Path::new(told("Dir")), &sources)?;
    if let Some(file) = from.version_file {
        let path = sources.join(file);
        fs::write(&path, told("Version")).map_err(Trouble::at("writing", &path))?;
    }
    client.progress.say(&format!("building {} with go, which takes minutes", entry.name));
    let program = room.join(Path::new(&entry.server).file_name().expect("the stanza was read strictly"));
    let (out, package) = (program.display().to_string(), format!("./{}", from.package));
    client.build(&go(&sources, &["build", "-o", &out, &package]), &download)?;
    // Most of a gigabyte, and nothing but another build of it would ask for it.
    fs::remove_dir_all(&cache).map_err(Trouble::at("removing", &cache))?;
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
