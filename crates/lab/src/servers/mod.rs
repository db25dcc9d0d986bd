//! Kinds of servers, described and not driven: from a build, a place and a wish follow an option file, the commands
//! that make a data directory, and the command that starts. A description is pure, so every version is golden-tested
//! without its binary; `instance.rs` is the only file here that carries one out.

pub mod catalogue;
pub mod guard;
pub mod house;
pub mod instance;
pub mod mariadb;
pub mod sham;

use model::host::{InstalledBuild, Version};
use model::plan::Server;
use model::value::Value;
use std::path::{Path, PathBuf};

/// Every kind, one file each.
pub const ALL: &[&dyn Kind] = &[&mariadb::MariaDb];

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
    /// What stands before the binary in every command: a loader and its library path, for a build that brings its own libc.
    /// Empty for most.
    pub launcher: Vec<String>,
    /// The folder of the SQL that makes system tables, of messages and of `charsets/`.
    pub share: PathBuf,
    /// `None` when the build comes without plugins.
    pub plugins: Option<PathBuf>,
}

impl Build {
    /// The server's command line with these arguments.
    pub fn command<S: Into<String>>(&self, arguments: impl IntoIterator<Item = S>) -> Vec<String> {
        let program = self.launcher.iter().cloned().chain([self.installed.binary.clone()]);
        program.chain(arguments.into_iter().map(Into::into)).collect()
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
}

impl Site<'_> {
    pub fn option_file(&self) -> PathBuf {
        self.folder.join("my.cnf")
    }
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
    pub fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }
    pub fn error_log(&self) -> PathBuf {
        self.folder.join("error.log")
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
    /// SQL for its standard input: a head, then files of the build.
    pub head: String,
    pub files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// The server speaks first: a packet whose payload begins with this protocol version.
    Greeting { protocol: u8 },
}

/// One fact that differs by version: in `from..until`, a word of the lab is written as these lines.
pub struct Fact {
    pub word: &'static str,
    pub from: Version,
    pub until: Version,
    pub lines: Lines,
}

pub enum Lines {
    /// `name=value`, flags as ON and OFF.
    Set(&'static [&'static str]),
    /// Fixed lines for on and for off.
    Switch { on: &'static [&'static str], off: &'static [&'static str] },
    /// The first name carries half of the value: redo in two files.
    Halves { size: &'static str, files: &'static str },
    /// The first name carries the value, the second twice the value.
    Double { base: &'static str, double: &'static str },
    /// Only this value exists; any other is not applicable.
    Only(&'static str, &'static str),
    /// As `Switch`, but on is not possible; the reason.
    OffOnly { off: &'static [&'static str], why: &'static str },
}

pub const ANY: Version = Version(0, 0, 0);
pub const NEVER: Version = Version(u32::MAX, 0, 0);

/// The option lines of all settings under a version, and the settings that it has no use for.
pub fn translate<'a>(
    tables: &[&[Fact]],
    version: Version,
    settings: impl IntoIterator<Item = (&'a String, &'a Value)>,
) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut not_applicable) = (Vec::new(), Vec::new());
    for (word, value) in settings {
        let mut known = false;
        let facts = tables.iter().copied().flatten();
        for fact in facts.filter(|f| f.word == word && f.from <= version && version < f.until) {
            known = true;
            match write(&fact.lines, value) {
                Ok(more) => lines.extend(more),
                Err(why) => not_applicable.push(format!("{word} = {value}: {why}")),
            }
        }
        if !known {
            not_applicable.push(format!("{word} = {value}: version {version} has no such setting"));
        }
    }
    (lines, not_applicable)
}

fn write(lines: &Lines, value: &Value) -> Result<Vec<String>, String> {
    let fixed = |l: &[&str]| Ok(l.iter().map(ToString::to_string).collect());
    let count = || value.count().ok_or_else(|| "not a number".to_string());
    match lines {
        Lines::Set(names) => Ok(names.iter().map(|n| format!("{n}={}", written(value))).collect()),
        Lines::Switch { on, off } => fixed(if value.flag() == Some(true) { on } else { off }),
        Lines::Halves { size, files } => Ok(vec![format!("{size}={}", count()? / 2), format!("{files}=2")]),
        Lines::Double { base, double } => {
            Ok(vec![format!("{base}={}", count()?), format!("{double}={}", count()? * 2)])
        }
        Lines::Only(line, only) if value.text() == Some(only) => fixed(&[line]),
        Lines::Only(_, only) => Err(format!("only {only} is left in this version")),
        Lines::OffOnly { off, .. } if value.flag() == Some(false) => fixed(off),
        Lines::OffOnly { why, .. } => Err((*why).to_string()),
    }
}

/// A value as option files have it.
pub fn written(value: &Value) -> String {
    match value {
        Value::Flag(on) => if *on { "ON" } else { "OFF" }.to_string(),
        Value::Count(_) | Value::Real(_) | Value::Text(_) => value.to_string(),
    }
}
