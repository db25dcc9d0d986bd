//! Servers that packages or the user put among the programs: found where they lie, never installed and never started as
//! the system's service. That of MySQL's family answers to `distribution` and, like every build, to its series; others
//! answer to their kind.

use super::probe::probe;
use crate::os::ask;
use crate::servers::Build;
use crate::trouble::Trouble;
use model::plan::served::{PROGRAMS, Program, kinds_of};
use model::{InstalledBuild, Protocol, Version};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The name of whatever the distribution installed.
pub const DISTRIBUTION: &str = "distribution";
/// What brings a server on Debian and Ubuntu, without a system service.
pub const PACKAGE: &str = "mariadb-server-core";
/// Where distributions put servers; the PATH of a user often lacks them.
const FOLDERS: &[&str] = &["/usr/sbin", "/usr/libexec", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
const BINARIES: &[&str] = &["mariadbd", "mysqld"];
/// Folders of modules below a base directory, Debian's and those of archives.
const MODULES: [&str; 2] = ["lib", "lib/postgresql"];
/// A module that every PostgreSQL has.
const PLPGSQL: &str = "plpgsql.so";
/// A folder for each major of PostgreSQL, on Debian and Ubuntu; none is on anybody's path.
const MAJORS: &str = "/usr/lib/postgresql";

/// What a build of a catalogue may be.
pub fn kinds() -> Vec<&'static str> {
    let programs = PROGRAMS.iter().filter(|program| program.is_catalogued).map(|program| program.kind);
    kinds_of(Protocol::MySql).chain(programs).collect()
}

/// The first server in the folders of programs; `None` when there is none or it does not start.
pub fn find() -> Option<Build> {
    let places = BINARIES.iter().flat_map(|binary| folders().map(move |folder| folder.join(binary)));
    let binary = places.into_iter().find(|b| b.is_file())?;
    probe(DISTRIBUTION, &binary, binary.parent()?.parent()?, &[]).ok()
}

/// Where programs lie: the user's first, then the distribution's.
fn folders() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect::<Vec<_>>().into_iter().chain(FOLDERS.iter().map(PathBuf::from))
}

/// The build of that kind among the programs; of several majors that lie side by side the newest.
pub fn program(program: &Program) -> Option<Build> {
    let of_go = std::env::var_os("GOBIN").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join("go/bin"));
    let places = folders().chain(of_go).chain(home).map(|folder| folder.join(program.file));
    let at = |binary: PathBuf| program_at(program, program.kind, &binary);
    let majors = std::fs::read_dir(MAJORS).into_iter().flatten().flatten();
    let majors = majors.map(|major| major.path().join("bin").join(program.file)).filter(|path| path.is_file());
    let first = places.into_iter().find(|path| path.is_file()).and_then(at);
    first.or_else(|| majors.filter_map(at).max_by_key(|build| build.installed.version))
}

/// The build of that kind and name that this program is.
pub fn program_at(program: &Program, name: &str, binary: &Path) -> Option<Build> {
    let what = format!("{} to say its version", binary.display());
    let asked = ask::output(Command::new(binary).arg(program.asks).stdin(Stdio::null()), &what, ask::ANSWER);
    let said = String::from_utf8_lossy(&asked.ok()?.stdout).into_owned();
    let (_, version) = said.split_once(program.before_version)?;
    let folder = binary.parent()?;
    let basedir = if folder.ends_with("bin") || folder.ends_with("sbin") { folder.parent()? } else { folder };
    let installed = InstalledBuild {
        name: name.into(),
        kind: program.kind.into(),
        version: Version::parse(version)?,
        basedir: basedir.to_str()?.into(),
        binary: binary.to_str()?.into(),
        engines: program.engines.iter().copied().map(String::from).collect(),
    };
    let plugins = MODULES.map(|folder| basedir.join(folder)).into_iter().find(|f| f.join(PLPGSQL).is_file());
    let share = Some(basedir.join("share")).filter(|share| share.is_dir()).unwrap_or_else(|| basedir.to_path_buf());
    Some(Build { installed, launcher: Vec::new(), share, plugins })
}

pub fn none_installed() -> Trouble {
    Trouble::new("no database server is installed").mend(format!(
        "install the package {PACKAGE} (apt-get install {PACKAGE}), or a build of the catalogue (assay servers list)"
    ))
}
