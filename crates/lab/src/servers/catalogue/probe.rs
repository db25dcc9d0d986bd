//! Asks a binary what it is and looks where its parts lie. Family and version come from the binary itself, never from
//! the name of a folder; the rest follows from which files are there, because packagers agree on names and not on
//! places.

use super::entry::PLUGINS_PAST_SQL;
use crate::os::ask;
use crate::servers::Build;
use crate::trouble::Trouble;
use model::host::{InstalledBuild, Version};
use model::plan::served::{MARIADB, kind_said};
use model::protocol::Protocol;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where a server's files lie below its base directory, by packager: distributions first, then unpacked archives.
const SHARES: &[&str] = &["share/mysql", "share/mariadb", "share"];
const PLUGINS: &[&str] = &["lib/mysql/plugin", "lib64/mysql/plugin", "lib/mariadb/plugin", "lib/plugin"];
/// Every share folder has it, whatever the version.
const IN_SHARE: &str = "charsets/Index.xml";

/// What is always compiled into servers of MySQL's family and can hold a dataset.
const COMPILED_IN: &[&str] = &["innodb", "myisam", "memory"];
/// The same of kinds that have more.
const COMPILED_IN_BY_KIND: &[(&str, &[&str])] = &[(MARIADB, &["innodb", "aria", "myisam", "memory"])];
/// What a plugin adds.
const ENGINES: &[(&str, &str)] = &[("ha_rocksdb.so", "rocksdb")];

/// What the binary is and where its parts are.
pub fn probe(name: &str, binary: &Path, basedir: &Path, launcher: &[String]) -> Result<Build, Trouble> {
    let (kind, version) = ask(binary, launcher)?;
    let lacks = |what: &str| {
        Trouble::new(format!("{} {version} has no {what} below {}", binary.display(), basedir.display()))
            .mend("name the folder that holds the whole server, as it was unpacked")
    };
    let share = SHARES.iter().map(|s| basedir.join(s)).find(|s| s.join(IN_SHARE).is_file());
    let share = share.ok_or_else(|| lacks("folder of messages and character sets"))?;
    let plugins = PLUGINS.iter().map(|p| basedir.join(p)).find(|p| p.is_dir());
    let text = |path: &Path| path.to_str().map(str::to_string).ok_or_else(|| lacks("path in UTF-8"));
    Ok(Build {
        installed: InstalledBuild {
            name: name.to_string(),
            version,
            binary: text(binary)?,
            basedir: text(basedir)?,
            engines: engines(kind, plugins.as_deref()),
            kind: kind.to_string(),
        },
        launcher: launcher.to_vec(),
        share,
        plugins,
    })
}

fn engines(kind: &str, plugins: Option<&Path>) -> Vec<String> {
    let own = COMPILED_IN_BY_KIND.iter().find(|(k, _)| *k == kind).map(|(_, engines)| *engines);
    let compiled_in = own.unwrap_or(COMPILED_IN).iter();
    let has = |file: &str| plugins.is_some_and(|p| p.join(file).is_file());
    let loaded = ENGINES.iter().filter(|(file, _)| has(file)).map(|(_, engine)| engine);
    compiled_in.chain(loaded).map(ToString::to_string).collect()
}

/// The plugins of a build that engines and protocols past SQL need.
pub fn plugins_of(folder: &Path) -> Vec<PathBuf> {
    let served = PLUGINS_PAST_SQL.into_iter().map(|(_, file)| file);
    ENGINES.iter().map(|(file, _)| *file).chain(served).map(|f| folder.join(f)).filter(|p| p.is_file()).collect()
}

/// The protocols past SQL that a build has plugins for.
pub fn served(build: &Build) -> Vec<Protocol> {
    let has = |(_, file): &(Protocol, &str)| build.has_plugin(file);
    PLUGINS_PAST_SQL.into_iter().filter(has).map(|(protocol, _)| protocol).collect()
}

/// Kind and version as the binary says them.
fn ask(binary: &Path, launcher: &[String]) -> Result<(&'static str, Version), Trouble> {
    let command: Vec<PathBuf> = launcher.iter().map(PathBuf::from).chain([binary.to_path_buf()]).collect();
    let mut words = Command::new(&command[0]);
    words.args(&command[1..]).args(["--no-defaults", "--version"]).stdin(Stdio::null());
    let what = format!("{} to say its version", binary.display());
    let output = ask::output(&mut words, &what, ask::ANSWER).map_err(Trouble::at("starting", &command[0]))?;
    said(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| {
        let complaint = String::from_utf8_lossy(&output.stderr);
        Trouble::new(format!("{} does not say its version ({}): {}", binary.display(), output.status, complaint.trim()))
    })
}

/// `mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu …`, `mysqld  Ver 8.0.33 for Linux …`.
fn said(text: &str) -> Option<(&'static str, Version)> {
    let (_, rest) = text.split_once("Ver ")?;
    Some((kind_said(rest), Version::parse(rest)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binary_says_its_version_and_family() {
        let debian = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)";
        assert_eq!(said(debian), Some(("mariadb", Version(10, 11, 19))));
        assert_eq!(said("/usr/sbin/mysqld  Ver 8.0.33 for Linux on x86_64"), Some(("mysql", Version(8, 0, 33))));
        assert_eq!(said("segmentation fault"), None);
    }

    #[test]
    fn a_program_that_is_no_server_is_refused_with_its_own_words() {
        let why = probe("x", Path::new("/bin/false"), Path::new("/"), &[]).unwrap_err().to_string();
        assert!(why.starts_with("/bin/false does not say its version (exit status: 1)"), "{why}");
    }

    #[test]
    fn an_engine_that_comes_as_a_plugin_is_there_when_its_file_is() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(engines("mysql", None), ["innodb", "myisam", "memory"]);
        assert!(!engines("mariadb", Some(folder.path())).contains(&"rocksdb".to_string()));
        std::fs::write(folder.path().join("ha_rocksdb.so"), "").unwrap();
        assert!(engines("mariadb", Some(folder.path())).contains(&"rocksdb".to_string()));
    }
}
