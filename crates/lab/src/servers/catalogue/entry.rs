//! What the catalogue says of one build: what it is, where it comes from, and what must be there for it to run. Values
//! only; `file` reads them from TOML, `install` makes them true.

use model::host::Version;
use model::plan::served::POSTGRESQL;
use model::protocol::Protocol;
use model::units::Bytes;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    pub kind: String,
    pub version: Version,
    pub source: Source,
    /// Bytes to download, exactly for one file, about for packages. Zero when nothing is.
    pub download: Bytes,
    /// Bytes on disk afterwards, about.
    pub unpacked: Bytes,
    /// The binary, below the base directory.
    pub server: String,
    /// Folders below the base directory with libraries that the build carries and its binary does not look for.
    pub library_path: Vec<String>,
    /// Libraries that the host must have, with the Debian package that brings each.
    pub libraries: BTreeMap<String, String>,
    pub engines: Vec<String>,
    pub endpoints: Vec<Protocol>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// `group:artifact:version[:extension[:classifier]]`, resolved by `mvn`.
    Maven { coordinates: String, sha256: Sha256, inside: Inside },
    /// `name@version`, resolved by `npm`.
    Npm { package: String, sha256: Sha256, inside: Inside },
    /// `path@version` of a Go module and a package in it, built by `go`; `sum` is the module's, as in a `go.sum`.
    Go { module: String, package: String, sum: String, version_file: Option<String> },
    /// Packages of Debian's suites, unpacked with the libraries that they need, libc included. The packages that make
    /// the build are pinned by checksum; the libraries are whatever the suite has, vouched for by its signature.
    Debian { suites: Vec<String>, packages: BTreeMap<String, Sha256> },
    /// A file that the user downloaded; where it lies may be said when it is installed. Without a checksum it is taken
    /// as it is.
    Archive { path: Option<PathBuf>, sha256: Option<Sha256>, inside: Inside },
    /// A server that lies unpacked somewhere.
    Basedir { path: PathBuf },
}

/// What of an archive is wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inside {
    /// An archive within the archive.
    pub archive: Option<String>,
    /// The folder that becomes the base directory; empty when it is the archive itself.
    pub root: String,
    /// Files, and folders with a slash at their end, below the root; empty for all.
    pub keep: Vec<String>,
    /// The same, left out of what is kept.
    pub omit: Vec<String>,
}

/// 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sha256(pub String);

impl Sha256 {
    pub fn parse(text: &str) -> Option<Self> {
        let hexadecimal = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        (text.len() == 64 && text.chars().all(hexadecimal)).then(|| Self(text.to_string()))
    }
}

/// Protocols past SQL that a plugin serves, and the file whose presence tells of it.
pub const PLUGINS_PAST_SQL: [(Protocol, &str); 2] =
    [(Protocol::Memcached, "libmemcached.so"), (Protocol::HandlerSocket, "handlersocket.so")];

/// What an experiment may count on because of kind and version alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    pub word: &'static str,
    kind: &'static str,
    from: Version,
}

const fn feature(word: &'static str, kind: &'static str, from: Version) -> Feature {
    Feature { word, kind, from }
}

/// Verified by creating such a table on each build of the fleet.
const FEATURES: &[Feature] = &[
    feature("system versioning", "mariadb", Version(10, 3, 0)),
    feature("uca1400", "mariadb", Version(10, 10, 0)),
    feature("0900", "mariadb", Version(11, 4, 5)),
    feature("0900", "mysql", Version(8, 0, 0)),
];

pub fn features(kind: &str, version: Version) -> impl Iterator<Item = &'static str> {
    FEATURES.iter().filter(move |f| f.kind == kind && f.from <= version).map(|f| f.word)
}

impl Source {
    /// Where it comes from, in the words of the catalogue.
    pub fn describe(&self) -> String {
        match self {
            Self::Maven { coordinates, .. } => format!("maven {coordinates}"),
            Self::Npm { package, .. } => format!("npm {package}"),
            Self::Go { module, sum, .. } => format!("go {module} {sum}"),
            Self::Debian { suites, .. } => format!("Debian {}", suites.join(" ")),
            Self::Archive { path: Some(path), .. } => path.display().to_string(),
            Self::Archive { path: None, .. } => "an archive of yours (--from FILE)".into(),
            Self::Basedir { path } => path.display().to_string(),
        }
    }
}

/// `mariadb-10.11`, `postgresql-15`: the newest release of a series answers to it.
pub fn series(kind: &str, version: Version) -> String {
    if kind == POSTGRESQL { format!("{kind}-{}", version.0) } else { format!("{kind}-{}.{}", version.0, version.1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_follow_from_kind_and_version() {
        let of = |kind, version| features(kind, version).collect::<Vec<_>>();
        assert_eq!(of("mariadb", Version(10, 2, 11)), [] as [&str; 0]);
        assert_eq!(of("mariadb", Version(10, 5, 23)), ["system versioning"]);
        assert_eq!(of("mariadb", Version(11, 4, 5)), ["system versioning", "uca1400", "0900"]);
        assert_eq!(of("mysql", Version(5, 7, 22)), [] as [&str; 0]);
        assert_eq!(of("mysql", Version(8, 0, 12)), ["0900"]);
    }

    #[test]
    fn a_checksum_is_sixty_four_hexadecimal_digits() {
        assert!(Sha256::parse(&"0a".repeat(32)).is_some());
        assert!(Sha256::parse(&"0A".repeat(32)).is_none() && Sha256::parse("0a").is_none());
    }
}
