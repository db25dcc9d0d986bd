//! Kinds of servers, described and not driven: from a build, a place and a wish follow an option file, the commands
//! that make a data directory, and the command that starts. A description is pure, so every version is golden-tested
//! without its binary; `instance.rs` is the only file here that carries one out.

pub mod catalogue;
#[cfg(test)]
pub(crate) mod golden;
pub mod install;
pub mod placement;
pub mod process;
pub mod sham;
pub mod survey;

use crate::backends::memcached::kind as memcached;
use crate::backends::mongodb::kind as ferretdb;
use crate::backends::mysql::keys;
use crate::backends::mysql::kinds::{galera, mariadb, mysql};
use model::host::InstalledBuild;
use model::plan::Server;
use std::path::{Path, PathBuf};

/// The data directory within an instance's folder, and within a snapshot's.
pub const DATA: &str = "data";

/// Every kind, one file each.
pub const ALL: &[&dyn Kind] = &[&mariadb::MariaDb, &mysql::MySql, &memcached::Memcached, &ferretdb::FerretDb];

pub fn kind(name: &str) -> Option<&'static dyn Kind> {
    ALL.iter().copied().find(|k| k.name() == name)
}

pub trait Kind: Sync {
    fn name(&self) -> &'static str;
    fn describe(&self, build: &Build, site: &Site, wanted: &Server) -> Description;
}

/// An installed build and where its parts lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    pub installed: InstalledBuild,
    /// What stands before the binary in every command: a loader and its library path, for a build that brings its own
    /// libc. Empty for most.
    pub launcher: Vec<String>,
    /// The folder of the SQL that makes system tables, of messages and of `charsets/`.
    pub share: PathBuf,
    /// `None` when the build comes without plugins.
    pub plugins: Option<PathBuf>,
}

impl Build {
    pub fn has_plugin(&self, file: &str) -> bool {
        self.plugins.as_ref().is_some_and(|folder| folder.join(file).is_file())
    }
    /// The server's command line with these arguments.
    pub fn command<S: Into<String>>(&self, arguments: impl IntoIterator<Item = S>) -> Vec<String> {
        let program = self.launcher.iter().cloned().chain([self.installed.binary.clone()]);
        program.chain(arguments.into_iter().map(Into::into)).collect()
    }
    /// The same with the option file of a site, which must be the first argument.
    pub(crate) fn on(&self, site: &Site, more: &[&str]) -> Vec<String> {
        let defaults = format!("--defaults-file={}", site.option_file().display());
        self.command([defaults.as_str()].into_iter().chain(more.iter().copied()))
    }
}

/// Where one instance lives.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// Holds the option file, `data/`, `tmp/` and the error log.
    pub folder: &'a Path,
    pub socket: &'a Path,
    /// A port on loopback, when TCP was asked for.
    pub tcp: Option<u16>,
    /// Servers refuse to run as root unless told so.
    pub as_root: bool,
    /// Where users past SQL come, when they do.
    pub key_listener: Option<keys::KeyListener<'a>>,
    /// Its place in a cluster, when it is a node of one.
    pub member: Option<galera::Member<'a>>,
}

impl Site<'_> {
    pub fn option_file(&self) -> PathBuf {
        self.folder.join("my.cnf")
    }
    pub fn data(&self) -> PathBuf {
        self.folder.join(DATA)
    }
    pub fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }
    pub fn error_log(&self) -> PathBuf {
        self.folder.join("error.log")
    }
    pub fn certificates(&self) -> PathBuf {
        self.folder.join("tls")
    }
    /// The SQL of the step that makes the data directory.
    pub fn sql(&self) -> PathBuf {
        self.folder.join("bootstrap.sql")
    }
}

/// How to make and run one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub option_file: String,
    /// Folders below the data directory that must exist before the first step.
    pub folders: Vec<PathBuf>,
    pub initialise: Vec<Step>,
    /// Program and arguments.
    pub start: Vec<String>,
    /// A connection to the socket is greeted when the server can serve: a socket file alone proves nothing.
    pub ready: Ready,
    /// Settings that this version has no use for, each with the reason.
    pub not_applicable: Vec<String>,
}

/// One command that makes a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Program and arguments.
    pub command: Vec<String>,
    /// SQL for its standard input: a head, files of the build, a tail. While the command runs it lies in [`Site::sql`].
    pub head: String,
    pub files: Vec<PathBuf>,
    pub tail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// The server speaks first: a packet whose payload begins with this protocol version.
    Greeting { protocol: u8 },
    /// The server answers memcached's `version` at its gate.
    Version,
    /// It answers MongoDB's `hello` there.
    Hello,
}

#[cfg(test)]
mod tests {
    use super::ALL;
    use model::plan::served::serves;
    use model::protocol::Protocol;

    #[test]
    fn every_kind_that_the_lab_starts_says_which_protocols_it_serves() {
        for kind in ALL {
            assert!(Protocol::ALL.into_iter().any(|protocol| serves(kind.name(), protocol)), "{}", kind.name());
        }
    }
}
