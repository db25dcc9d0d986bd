//! The catalogue as a whole: the builds that assay ships, those that the user added or changed, and what a name means
//! among them. A stanza of the user's replaces the shipped one of the same name as a whole, so that no half of it
//! surprises.

use super::DISTRIBUTION;
use super::entry::{Entry, series};
use super::file;
use crate::servers::process::folders::Folders;
use crate::trouble::Trouble;
use model::Problem;
use model::plan::served::FERRETDB;
use model::problem::nearest;
use std::fs;
use std::path::PathBuf;

/// The file at the repository's root.
const SHIPPED: &str = include_str!("../../../../../servers.toml");
/// The user's own, in $ASSAY_HOME.
pub const FILE: &str = "servers.toml";

#[derive(Clone, Debug)]
pub struct Catalogue {
    /// By kind and version.
    pub entries: Vec<Entry>,
}

/// Why there is no catalogue.
#[derive(Debug)]
pub enum Illegible {
    /// The user's file has mistakes.
    Problems(PathBuf, Vec<Problem>),
    World(Trouble),
}

impl Catalogue {
    pub fn shipped() -> Self {
        Self::with(Vec::new())
    }

    /// The shipped builds and those of the user.
    pub fn of(folders: &Folders) -> Result<Self, Illegible> {
        let path = folders.home.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => file::read(&text).map(Self::with).map_err(|problems| Illegible::Problems(path, problems)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::shipped()),
            Err(e) => Err(Illegible::World(Trouble::at("reading", &path)(e))),
        }
    }

    fn with(users: Vec<Entry>) -> Self {
        let shipped = file::read(SHIPPED).unwrap_or_else(|p| panic!("our own servers.toml is wrong: {p:#?}"));
        let replaced = |e: &Entry| users.iter().any(|u| u.name == e.name);
        let mut entries: Vec<_> = shipped.into_iter().filter(|e| !replaced(e)).collect();
        entries.extend(users);
        entries.sort_by(|a, b| (&a.kind, a.version, &a.name).cmp(&(&b.kind, b.version, &b.name)));
        Self { entries }
    }

    /// A build by its name, or the newest of a series by that of the series; of FerretDB, by that of its kind.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        let exact = self.entries.iter().find(|e| e.name == name);
        exact.or_else(|| {
            let of_series = self
                .entries
                .iter()
                .filter(|e| series(&e.kind, e.version) == name || (name == FERRETDB && e.kind == name));
            of_series.max_by_key(|e| e.version)
        })
    }

    /// Every name that means something: builds, their series, and the distribution's.
    pub fn names(&self) -> Vec<String> {
        let mut names = vec![DISTRIBUTION.to_string()];
        for name in self.entries.iter().flat_map(|e| [series(&e.kind, e.version), e.name.clone()]) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// That no build has this name, with the one that was probably meant.
    pub fn unknown(&self, name: &str) -> Trouble {
        let names = self.names();
        let near = nearest(name, names.iter().map(String::as_str));
        let mend = near.map_or("`assay servers list` shows them all".into(), |n| format!("did you mean {n}?"));
        Trouble::new(format!("no build is called {name}")).mend(mend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::host::Version;

    #[test]
    fn a_series_is_its_newest_release_and_a_stanza_of_the_user_replaces_ours() {
        let stanza = |name: &str, version: &str| {
            format!("[\"{name}\"]\nkind = \"mariadb\"\nversion = \"{version}\"\nserver = \"bin/x\"\nbasedir = \"/b\"\n")
        };
        let text =
            stanza("mariadb-10.11.999", "10.11.999") + &stanza("mariadb-11.4.5", "11.4.6") + &stanza("mine", "1.2.3");
        let catalogue = Catalogue::with(file::read(&text).unwrap());
        assert_eq!(catalogue.find("mariadb-10.11").unwrap().name, "mariadb-10.11.999");
        assert_eq!(catalogue.find("mariadb-11.4.5").unwrap().version, Version(11, 4, 6));
        assert_eq!(catalogue.find("mine").unwrap().version, Version(1, 2, 3));
        assert_eq!(catalogue.find("mariadb-1.1"), None);
        assert_eq!(Catalogue::shipped().find("mysql-8.0").unwrap().name, "mysql-8.0.33");
    }

    #[test]
    fn a_misspelt_build_finds_its_neighbour() {
        let catalogue = Catalogue::shipped();
        assert!(catalogue.unknown("mysql-8.0.3").to_string().contains("did you mean mysql-8.0.33?"));
        assert!(catalogue.unknown("oracle").to_string().contains("assay servers list"));
        assert!(catalogue.names().contains(&"mariadb-11.8".to_string()));
    }

    #[test]
    fn every_shipped_build_is_named_after_what_it_is() {
        for entry in Catalogue::shipped().entries {
            assert_eq!(entry.name, format!("{}-{}", entry.kind, entry.version));
            assert!(entry.download.0 > 0 && entry.unpacked.0 > 0 && !entry.engines.is_empty(), "{}", entry.name);
        }
    }
}
