//! Which builds can be started here, and which could be had: the distribution's own server, the builds that were
//! installed into $ASSAY_HOME, and base directories that the user named. One binary answers to its name and, if it is
//! the newest of its series here, to that of the series.

pub mod by_path;
pub mod distribution;
pub mod entry;
mod file;
mod listing;
pub mod own_builds;
pub mod probe;

use super::Build;
use super::process::folders::Folders;
use crate::trouble::Trouble;
pub use distribution::{DISTRIBUTION, PACKAGE, none_installed};
use entry::{Source, series};
pub use listing::{Catalogue, FILE, Illegible};
use model::InstalledBuild;
use model::plan::served::{PROGRAMS, package_of};
use std::path::Path;

/// Every build on this host under each of its names, the default first. A catalogue of the user's that cannot be read
/// adds nothing here; whoever resolves names tells its mistakes.
pub fn installed() -> Vec<Build> {
    let folders = Folders::from_environment().ok();
    let beside = PROGRAMS.iter().map(distribution::program);
    let mut builds: Vec<_> = std::iter::once(distribution::find()).chain(beside).flatten().collect();
    if let Some(folders) = &folders {
        builds.extend(own_builds::all(folders).into_iter().map(|k| k.build));
        builds.extend(Catalogue::of(folders).into_iter().flat_map(|c| c.entries).filter_map(|e| based(&e)));
    }
    with_series(with_kinds(builds))
}

/// The newest build of ours answers to the name of its kind, where none is among the programs: those of MySQL's family
/// go by their series.
fn with_kinds(mut builds: Vec<Build>) -> Vec<Build> {
    for kind in PROGRAMS.iter().map(|program| program.kind) {
        if builds.iter().any(|b| b.installed.name == kind) {
            continue;
        }
        let ours = builds.iter().filter(|b| b.installed.kind == kind).max_by_key(|b| b.installed.version).cloned();
        builds.extend(ours.map(|mut build| {
            build.installed.name = kind.into();
            build
        }));
    }
    builds
}

/// The build of a base directory that is there.
pub fn based(entry: &entry::Entry) -> Option<Build> {
    let Source::Basedir { path } = &entry.source else { return None };
    asked(entry, &path.join(&entry.server), path, &[]).ok()
}

/// What the binary of a stanza says that it is, and where its parts are.
pub fn asked(entry: &entry::Entry, binary: &Path, basedir: &Path, launcher: &[String]) -> Result<Build, Trouble> {
    let Some(program) = PROGRAMS.iter().find(|program| program.kind == entry.kind) else {
        return probe::probe(&entry.name, binary, basedir, launcher);
    };
    let unsaid = || Trouble::new(format!("{} does not say which {} it is", binary.display(), program.kind));
    distribution::program_at(program, &entry.name, binary).ok_or_else(unsaid)
}

/// The builds, then for each series its newest under the name of the series; of two equal ones the first.
fn with_series(builds: Vec<Build>) -> Vec<Build> {
    let mut all = builds.clone();
    for build in &builds {
        let InstalledBuild { kind, version, .. } = &build.installed;
        let name = series(kind, *version);
        if all.iter().any(|b| b.installed.name == name) {
            continue;
        }
        let of_series = builds.iter().filter(|b| series(&b.installed.kind, b.installed.version) == name);
        let newest = of_series.reduce(|a, b| if b.installed.version > a.installed.version { b } else { a });
        let mut build = newest.expect("the series has this build").clone();
        build.installed.name = name;
        all.push(build);
    }
    all
}

/// The installed build of that name, or the one that lies at that path.
pub fn find(name: &str) -> Result<Build, Trouble> {
    if by_path::is_path(name) {
        return by_path::find(name);
    }
    let builds = installed();
    if builds.is_empty() {
        return Err(none_installed());
    }
    let known: Vec<_> = builds.iter().map(|b| b.installed.name.clone()).collect();
    builds.into_iter().find(|b| b.installed.name == name).ok_or_else(|| {
        let not_here = Trouble::new(format!("the build {name} is not installed"));
        match (package_of(name), Catalogue::shipped().find(name)) {
            (Some(package), _) => not_here.mend(package),
            (None, Some(_)) => not_here.mend(format!("install it: assay servers install {name}")),
            (None, None) => Trouble::new(format!("no build called {name} is installed"))
                .mend(format!("installed are {}", known.join(", "))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::host::Version;
    use model::plan::served::FERRETDB;

    fn build(name: &str, kind: &str, version: Version) -> Build {
        let installed = InstalledBuild {
            name: name.into(),
            kind: kind.into(),
            version,
            binary: "/b".into(),
            basedir: "/".into(),
            engines: vec![],
        };
        Build { installed, launcher: vec![], share: "/s".into(), plugins: None }
    }

    #[test]
    fn the_newest_of_a_series_answers_to_its_name_and_of_equals_the_first() {
        let builds = with_series(vec![
            build("distribution", "mariadb", Version(10, 11, 19)),
            build("mariadb-10.11.19", "mariadb", Version(10, 11, 19)),
            build("mariadb-10.11.5", "mariadb", Version(10, 11, 5)),
            build("mysql-8.0.12", "mysql", Version(8, 0, 12)),
            build("mysql-8.0.33", "mysql", Version(8, 0, 33)),
        ]);
        let names: Vec<_> = builds.iter().map(|b| b.installed.name.as_str()).collect();
        assert_eq!(names[5..], ["mariadb-10.11", "mysql-8.0"]);
        assert_eq!(builds[5].installed.version, Version(10, 11, 19));
        assert_eq!(builds[6].installed.version, Version(8, 0, 33));
    }

    #[test]
    fn a_store_of_documents_answers_to_its_kind_and_one_among_the_programs_goes_before() {
        let ours = vec![
            build("ferretdb-1.24.2", FERRETDB, Version(1, 24, 2)),
            build("mine", FERRETDB, Version(1, 23, 0)),
            build("mysql-8.0.33", "mysql", Version(8, 0, 33)),
        ];
        let found = |builds: Vec<Build>| {
            let of_kind = with_kinds(builds).into_iter().filter(|b| b.installed.name == FERRETDB);
            of_kind.map(|b| b.installed.version).collect::<Vec<_>>()
        };
        assert_eq!(found(ours.clone()), [Version(1, 24, 2)]);
        let theirs = build(FERRETDB, FERRETDB, Version(1, 20, 0));
        assert_eq!(found([vec![theirs], ours].concat()), [Version(1, 20, 0)]);
        assert_eq!(found(vec![]), []);
        assert_eq!(Catalogue::shipped().find(FERRETDB).unwrap().kind, FERRETDB);
    }
}
