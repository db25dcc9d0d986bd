//! Packages of a Debian suite that need not be the host's own, through apt with a state of its own: its own lists, an
//! empty record of what is installed, and sources that are the host's Debian mirror with another suite. apt checks the
//! suite's signature against Debian's keys; the packages that make the build must have the catalogue's checksums.

use super::closure::{self, Package};
use crate::servers::catalogue::entry::{Entry, Sha256};
use crate::servers::install::artifacts::Artifacts;
use crate::servers::install::client::{Client, Download, ask, need, words};
use crate::servers::process::folders::{Folders, free_bytes, private_folder};
use crate::trouble::Trouble;
use model::units::Bytes;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Debian's keys, where Debian and its derivatives keep them.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// How Debian's archives are called at the end of a mirror's address.
const ARCHIVE: &str = "debian";
const SECURITY: &str = "debian-security";
/// A suite's index, about.
const INDEX: Bytes = Bytes(11_000_000);

pub fn check() -> Result<(), Trouble> {
    need("apt-get", "apt")?;
    need("dpkg-deb", "dpkg")?;
    if !Path::new(KEYS).is_file() {
        return Err(Trouble::new(format!("Debian's keys are not in {KEYS}, so its packages cannot be verified"))
            .mend("apt-get install debian-archive-keyring"));
    }
    mirror(ARCHIVE).map(drop)
}

/// The files of the build: from what was kept when it was installed before, or else from the suite as it is today.
pub fn fetch(
    suites: &[String],
    pinned: &BTreeMap<String, Sha256>,
    entry: &Entry,
    folders: &Folders,
    artifacts: &Artifacts,
    client: &mut Client,
) -> Result<Vec<PathBuf>, Trouble> {
    let list = folders.home.join("artifacts").join(format!("{}.list", entry.name));
    if let Some(files) = kept(&list, pinned, artifacts) {
        return Ok(files);
    }
    let apt = Apt::of(suites, folders)?;
    apt.update(suites, client)?;
    let packages = apt.resolve(pinned, entry)?;
    let (mut files, mut missing) = (Vec::new(), Vec::new());
    for package in &packages {
        match artifacts.find(&package.sha256) {
            Some(file) => files.push(file),
            None => missing.push(package),
        }
    }
    files.extend(apt.download(&missing, entry, folders, artifacts, client)?);
    let lines: Vec<_> = packages.iter().map(|p| format!("{} {} {}\n", p.sha256.0, p.name, p.version)).collect();
    fs::write(&list, lines.concat()).map_err(Trouble::at("writing", &list))?;
    Ok(files)
}

/// What a former install used, when all of it is still here: archives forget point releases, we do not.
fn kept(list: &Path, pinned: &BTreeMap<String, Sha256>, artifacts: &Artifacts) -> Option<Vec<PathBuf>> {
    let text = fs::read_to_string(list).ok()?;
    let sums: Vec<_> = text.lines().map(|l| Sha256::parse(l.split(' ').next()?)).collect::<Option<_>>()?;
    let complete = pinned.values().all(|p| sums.contains(p));
    complete.then(|| sums.iter().map(|s| artifacts.find(s)).collect()).flatten()
}

/// The address of the host's own mirror of that archive. apt is asked, because sources have been written in two
/// formats.
fn mirror(archive: &str) -> Result<String, Trouble> {
    let command = words(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]);
    let said = ask(&command)?;
    let found = said.lines().find(|l| l.trim_end_matches('/').rsplit('/').next() == Some(archive));
    found.map(str::to_string).ok_or_else(|| {
        Trouble::new(format!("the package sources of this host name no mirror of {archive}"))
            .mend("this build needs a Debian mirror among the host's sources (apt-get indextargets)")
    })
}

/// An apt of our own.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn of(suites: &[String], folders: &Folders) -> Result<Self, Trouble> {
        let folder = folders.home.join("clients/apt").join(suites.join("+"));
        for part in ["lists/partial", "cache/archives/partial"] {
            private_folder(&folder.join(part))?;
        }
        let mut sources = String::new();
        for suite in suites {
            let archive = mirror(if suite.ends_with("-security") { SECURITY } else { ARCHIVE })?;
            sources += &format!("deb [signed-by={KEYS} target=Packages] {archive} {suite} main\n");
        }
        for (name, text) in [("sources.list", sources.as_str()), ("status", "")] {
            fs::write(folder.join(name), text).map_err(Trouble::at("writing", &folder.join(name)))?;
        }
        Ok(Self { folder })
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Vec<String> {
        let at = |name: &str| self.folder.join(name).display().to_string();
        let options = [
            format!("Dir::State={}", at("")),
            format!("Dir::State::lists={}", at("lists")),
            format!("Dir::State::status={}", at("status")),
            format!("Dir::Cache={}", at("cache")),
            format!("Dir::Etc::sourcelist={}", at("sources.list")),
            "Dir::Etc::sourceparts=/dev/null".into(),
            "Dir::Etc::preferences=/dev/null".into(),
            "Dir::Etc::preferencesparts=/dev/null".into(),
            "APT::Architecture=amd64".into(),
            "APT::Architectures=amd64".into(),
            "Acquire::Languages=none".into(),
            // Our folders are closed to the user whom apt would become.
            "APT::Sandbox::User=".into(),
        ];
        let options = options.into_iter().flat_map(|o| ["-o".to_string(), o]);
        std::iter::once(program.to_string()).chain(options).chain(words(arguments.iter().copied())).collect()
    }

    /// Reads the suite's index anew; one that its signature does not vouch for is an error.
    fn update(&self, suites: &[String], client: &mut Client) -> Result<(), Trouble> {
        let what = format!("the index of {}", suites.join(" "));
        let command = self.command("apt-get", &["-q", "-o", "APT::Update::Error-Mode=any", "update"]);
        client.run(&command, &Download { what: &what, into: &self.folder.join("lists"), of: INDEX })
    }

    /// The build's own packages, which must be the catalogue's, and the libraries below them.
    fn resolve(&self, pinned: &BTreeMap<String, Sha256>, entry: &Entry) -> Result<Vec<Package>, Trouble> {
        let show = |names: &[&str]| {
            ask(&self.command("apt-cache", &[&["show"], names].concat())).map(|t| closure::packages(&t))
        };
        let roots: Vec<_> = pinned.keys().map(String::as_str).collect();
        let shown = show(&roots)?;
        let mut packages = Vec::new();
        for (name, sum) in pinned {
            let found: Vec<_> = shown.iter().filter(|p| p.name == *name).collect();
            let package = found.iter().find(|p| p.sha256 == *sum).ok_or_else(|| {
                let has = found.first().map_or("no such package".to_string(), |p| p.version.clone());
                Trouble::new(format!("Debian moved on: of {name} it has {has}, which is not what {} is", entry.name))
                    .mend("name the release that Debian has now, with its checksums, in servers.toml in $ASSAY_HOME")
            })?;
            packages.push((*package).clone());
        }
        let arguments = ["depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks"];
        let more = ["--no-replaces", "--no-enhances"];
        let depends = ask(&self.command("apt-cache", &[&arguments[..], &more, &roots].concat()))?;
        let closure = closure::libraries(&depends, roots.iter().copied());
        let libraries: Vec<_> = closure.iter().map(String::as_str).filter(|n| !roots.contains(n)).collect();
        // Of each library the newest, which is shown first.
        for package in show(&libraries)? {
            if !packages.iter().any(|p| p.name == package.name) {
                packages.push(package);
            }
        }
        Ok(packages)
    }

    fn download(
        &self,
        missing: &[&Package],
        entry: &Entry,
        folders: &Folders,
        artifacts: &Artifacts,
        client: &mut Client,
    ) -> Result<Vec<PathBuf>, Trouble> {
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let of = Bytes(missing.iter().map(|p| p.size.0).sum());
        if free_bytes(&folders.home)? < of {
            return Err(Trouble::new(format!("{} is {of} to download, which does not fit on the disk", entry.name)));
        }
        let into = client.room.join("debs");
        private_folder(&into)?;
        let named: Vec<_> = missing.iter().map(|p| format!("{}={}", p.name, p.version)).collect();
        let named: Vec<_> = named.iter().map(String::as_str).collect();
        let mut command = words(["env", "-C"]);
        command.push(into.display().to_string());
        command.extend(self.command("apt-get", &[&["-q", "download"], &named[..]].concat()));
        client.run(&command, &Download { what: &entry.name, into: &into, of })?;
        let files: Vec<_> = fs::read_dir(&into).map_err(Trouble::at("reading", &into))?.flatten().collect();
        missing
            .iter()
            .map(|package| {
                let prefix = format!("{}_", package.name);
                let file = files.iter().find(|f| f.file_name().to_string_lossy().starts_with(&prefix));
                let file =
                    file.ok_or_else(|| Trouble::new(format!("apt-get download left no file of {}", package.name)))?;
                artifacts.admit(&file.path(), &package.sha256, package.size)
            })
            .collect()
    }
}
