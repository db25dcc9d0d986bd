//! Kinds of servers, described and not driven: from a build, a place and a wish follow an option file, the commands
//! that make a data directory, and the command that starts. A description is pure, so every version is golden-tested
//! without its binary; `instance.rs` is the only file here that carries one out.

pub mod catalogue;
pub mod install;
pub mod member;
pub mod process;
pub mod sham;
pub mod survey;

use crate::os::address::Address;
use crate::trouble::Trouble;
use member::Member;
use model::{InstalledBuild, Server};
use std::fmt;
use std::path::{Path, PathBuf};

/// The data directory within an instance's folder, and within a snapshot's.
pub const DATA: &str = "data";

/// A family of servers, as far as their processes are concerned. Each lies with the protocol that it serves first.
pub trait Kind: Sync {
    fn name(&self) -> &'static str;
    /// What its socket is called, in the folder that it has to itself, beside that port.
    fn socket(&self, _tcp: Option<u16>) -> String {
        "s".into()
    }
    /// Whether it ends cleanly when its first process alone is interrupted; all others are terminated, with whatever
    /// they started.
    fn ends_by_interrupt(&self) -> bool {
        false
    }
    /// Refuses what can be refused before anything is made.
    fn check(&self, build: &Build, wanted: &Server) -> Result<(), Trouble>;
    /// How it is to listen for users past SQL, where any are to come.
    fn listens_past_sql(&self, wanted: &Server) -> Option<Listens>;
    fn describe(&self, build: &Build, site: &Site, wanted: &Server) -> Description;
    /// Whether the server there can serve by now: a socket file alone proves nothing.
    fn serves(&self, site: &Site) -> bool;
}

impl fmt::Debug for dyn Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listens {
    BySocket,
    ByPorts,
}

impl Listens {
    /// As it is asked for.
    pub fn by(wanted: &Server) -> Self {
        if wanted.tcp { Self::ByPorts } else { Self::BySocket }
    }
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
    pub key_listener: Option<KeyListener<'a>>,
    /// Its place in a cluster, when it is a node of one.
    pub member: Option<Member<'a>>,
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

/// Where users past SQL come: a socket in the private folder, or ports of loopback: the second is the one that writes,
/// where a plugin has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyListener<'a> {
    pub socket: &'a Path,
    pub ports: Option<[u16; 2]>,
}

impl KeyListener<'_> {
    pub fn address(&self, writes: bool) -> Address {
        match self.ports {
            None => Address::Unix(self.socket.to_path_buf()),
            Some(ports) => Address::Tcp { host: "127.0.0.1".into(), port: ports[usize::from(writes)] },
        }
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
