//! Which builds can be started here. For now the distribution's own MariaDB, found where distributions put it and asked
//! for its version; it answers to `distribution` and to its release series (`mariadb-10.11`), so that an experiment
//! can name either. Downloads and other prefixes come with the fleet.

use super::Build;
use crate::trouble::Trouble;
use model::host::{InstalledBuild, Version};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The name of whatever the distribution installed.
pub const DISTRIBUTION: &str = "distribution";
/// What brings a server on Debian and Ubuntu, without a system service.
pub const PACKAGE: &str = "mariadb-server-core";
/// Where distributions put servers; the PATH of a user often lacks them.
const FOLDERS: &[&str] = &["/usr/sbin", "/usr/libexec", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];

/// Every build on this host, the default first. One binary appears under each of its names.
pub fn installed() -> Vec<Build> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(FOLDERS.iter().map(PathBuf::from));
    let Some(binary) = folders.map(|f| f.join("mariadbd")).find(|b| b.is_file()) else { return vec![] };
    let Some(build) = probe(&binary) else { return vec![] };
    let Version(major, minor, _) = build.installed.version;
    [DISTRIBUTION.to_string(), format!("{}-{major}.{minor}", build.installed.kind)]
        .into_iter()
        .map(|name| Build { installed: InstalledBuild { name, ..build.installed.clone() }, ..build.clone() })
        .collect()
}

/// The installed build of that name.
pub fn find(name: &str) -> Result<Build, Trouble> {
    let builds = installed();
    if builds.is_empty() {
        return Err(none_installed());
    }
    let known: Vec<_> = builds.iter().map(|b| b.installed.name.clone()).collect();
    builds.into_iter().find(|b| b.installed.name == name).ok_or_else(|| {
        Trouble::new(format!("no build called {name} is installed")).mend(format!("installed are {}", known.join(", ")))
    })
}

pub fn none_installed() -> Trouble {
    Trouble::new("no database server is installed")
        .mend(format!("install the package {PACKAGE} (apt-get install {PACKAGE})"))
}

/// Asks a binary what it is and looks where its parts lie; `None` when it does not start or lacks its parts.
fn probe(binary: &Path) -> Option<Build> {
    let output = Command::new(binary).args(["--no-defaults", "--version"]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = version_of(&text)?;
    let basedir = binary.parent()?.parent()?;
    let share = ["share/mysql", "share/mariadb", "share"].map(|s| basedir.join(s));
    let share = share.into_iter().find(|s| s.join("fill_help_tables.sql").is_file())?;
    let plugins =
        ["lib/mysql/plugin", "lib64/mysql/plugin", "lib/mariadb/plugin", "lib/plugin"].map(|p| basedir.join(p));
    let plugins = plugins.into_iter().find(|p| p.is_dir());
    let rocksdb = plugins.as_ref().is_some_and(|p| p.join("ha_rocksdb.so").is_file());
    let engines = ["innodb", "aria", "myisam"].into_iter().chain(rocksdb.then_some("rocksdb"));
    Some(Build {
        installed: InstalledBuild {
            name: DISTRIBUTION.to_string(),
            kind: "mariadb".to_string(),
            version,
            binary: binary.to_str()?.to_string(),
            basedir: basedir.to_str()?.to_string(),
            engines: engines.map(String::from).collect(),
        },
        share,
        plugins,
    })
}

/// `mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu …`; `None` for what is not MariaDB.
fn version_of(text: &str) -> Option<Version> {
    let (_, rest) = text.split_once("Ver ")?;
    rest.contains("-MariaDB").then(|| Version::parse(rest))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_says_its_version_and_family() {
        let debian = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)";
        assert_eq!(version_of(debian), Some(Version(10, 11, 19)));
        assert_eq!(version_of("/usr/sbin/mysqld  Ver 8.0.33 for Linux on x86_64"), None);
    }
}
