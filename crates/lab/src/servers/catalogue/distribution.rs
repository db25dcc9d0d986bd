//! The server that the distribution's packages brought: found where they put it, never installed and never started as
//! the system's service. It answers to `distribution` and, like every build, to its series.

use super::probe::probe;
use crate::os::ask;
use crate::servers::Build;
use crate::trouble::Trouble;
use model::plan::served::{CACHE, FERRETDB, HEAP, POSTGRESQL, kinds_of};
use model::{InstalledBuild, Protocol, Version};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The name of whatever the distribution installed.
pub const DISTRIBUTION: &str = "distribution";
/// What brings a server on Debian and Ubuntu, without a system service.
pub const PACKAGE: &str = "mariadb-server-core";
/// Where distributions put servers; the PATH of a user often lacks them.
const FOLDERS: &[&str] = &["/usr/sbin", "/usr/libexec", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
const BINARIES: &[&str] = &["mariadbd", "mysqld"];
/// A module that every PostgreSQL has.
const PLPGSQL: &str = "plpgsql.so";
/// A folder for each major of PostgreSQL, on Debian and Ubuntu; none is on anybody's path.
const POSTGRESQL_FOLDER: &str = "/usr/lib/postgresql";

/// What is found by programs of its own, beside MySQL's family.
pub struct Program {
    pub kind: &'static str,
    /// Among the programs of the distribution or the user.
    pub find: fn() -> Option<Build>,
    /// The build of that name which a program is.
    pub at: fn(&str, &Path) -> Option<Build>,
    /// Whether a catalogue may have builds of it.
    pub is_catalogued: bool,
}

pub const PROGRAMS: &[Program] = &[
    Program { kind: CACHE, find: cache, at: cache_at, is_catalogued: false },
    Program { kind: FERRETDB, find: documents, at: documents_at, is_catalogued: true },
    Program { kind: POSTGRESQL, find: postgres, at: postgres_at, is_catalogued: true },
];

/// What a build of a catalogue may be.
pub fn kinds() -> Vec<&'static str> {
    let programs = PROGRAMS.iter().filter(|program| program.is_catalogued).map(|program| program.kind);
    kinds_of(Protocol::MySql).chain(programs).collect()
}

/// The first server in the folders of programs; `None` when there is none or it does not start.
pub fn find() -> Option<Build> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = std::env::split_paths(&path).chain(FOLDERS.iter().map(PathBuf::from)).collect();
    let places = BINARIES.iter().flat_map(|b| folders.iter().map(move |f| f.join(b)));
    let binary = places.into_iter().find(|b| b.is_file())?;
    probe(DISTRIBUTION, &binary, binary.parent()?.parent()?, &[]).ok()
}

/// Its memcached.
fn cache() -> Option<Build> {
    let binary = FOLDERS.iter().map(|folder| PathBuf::from(folder).join(CACHE)).find(|path| path.is_file())?;
    cache_at(CACHE, &binary)
}

/// The memcached that this program is, which has no engines and no plugins.
fn cache_at(name: &str, binary: &Path) -> Option<Build> {
    let said = version(binary, "-V")?;
    let installed = InstalledBuild {
        name: name.into(),
        kind: CACHE.into(),
        version: Version::parse(&String::from_utf8_lossy(&said.stdout))?,
        basedir: binary.parent()?.parent()?.to_str()?.into(),
        binary: binary.to_str()?.into(),
        engines: Vec::new(),
    };
    Some(Build { installed, launcher: Vec::new(), share: PathBuf::new(), plugins: None })
}

/// Its PostgreSQL: of several majors the newest.
fn postgres() -> Option<Build> {
    let majors = std::fs::read_dir(POSTGRESQL_FOLDER).into_iter().flatten().flatten();
    let binaries = majors.map(|major| major.path().join("bin/postgres")).filter(|path| path.is_file());
    let builds = binaries.filter_map(|binary| postgres_at(POSTGRESQL, &binary));
    builds.max_by_key(|build| build.installed.version)
}

/// The PostgreSQL that this program is.
fn postgres_at(name: &str, binary: &Path) -> Option<Build> {
    let said = version(binary, "--version")?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let version = said.strip_prefix("postgres (PostgreSQL) ")?;
    let basedir = binary.parent()?.parent()?;
    let installed = InstalledBuild {
        name: name.into(),
        kind: POSTGRESQL.into(),
        version: Version::parse(version)?,
        basedir: basedir.to_str()?.into(),
        binary: binary.to_str()?.into(),
        engines: vec![HEAP.into()],
    };
    // Debian's lie beside the program's folder, those of archives one deeper.
    let plugins =
        ["lib", "lib/postgresql"].map(|folder| basedir.join(folder)).into_iter().find(|f| f.join(PLPGSQL).is_file());
    Some(Build { installed, launcher: Vec::new(), share: basedir.join("share"), plugins })
}

fn version(binary: &Path, word: &str) -> Option<Output> {
    let what = format!("{} to say its version", binary.display());
    ask::output(Command::new(binary).arg(word).stdin(Stdio::null()), &what, ask::ANSWER).ok()
}

/// A FerretDB that the user put among the programs.
fn documents() -> Option<Build> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let of_go = std::env::var_os("GOBIN").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("go/bin"));
    let folders = std::env::split_paths(&path).chain(FOLDERS.iter().map(PathBuf::from)).chain(of_go).chain(home);
    documents_at(FERRETDB, &folders.map(|folder| folder.join(FERRETDB)).find(|path| path.is_file())?)
}

/// The FerretDB that this program is.
fn documents_at(name: &str, binary: &Path) -> Option<Build> {
    let said = version(binary, "--version")?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let version = said.split_once("version: v").map(|(_, rest)| rest)?;
    let folder = binary.parent()?;
    let installed = InstalledBuild {
        name: name.into(),
        kind: FERRETDB.into(),
        version: Version::parse(version)?,
        basedir: folder.to_str()?.into(),
        binary: binary.to_str()?.into(),
        // Of its back ends the one that needs no other server.
        engines: vec!["sqlite".into()],
    };
    Some(Build { installed, launcher: Vec::new(), share: folder.to_path_buf(), plugins: None })
}

pub fn none_installed() -> Trouble {
    Trouble::new("no database server is installed").mend(format!(
        "install the package {PACKAGE} (apt-get install {PACKAGE}), or a build of the catalogue (assay servers list)"
    ))
}
