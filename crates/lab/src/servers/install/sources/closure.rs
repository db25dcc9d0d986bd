//! Which packages a Debian build needs beside its own: the shared libraries below them, down to libc. A server's
//! package also depends on perl, on users and on services, none of which an unpacked server needs; only edges to
//! libraries are followed. Pure: from what `apt-cache` prints.

use crate::servers::catalogue::entry::Sha256;
use model::units::Bytes;
use std::collections::BTreeMap;

/// One package of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub sha256: Sha256,
    pub size: Bytes,
}

/// The roots and every library below them, from `apt-cache depends --recurse ROOT...`: a package at the margin, its
/// dependencies indented, `|` before all of an alternative but the last, virtual packages in angle brackets with their
/// providers indented further.
pub fn libraries<'a>(text: &'a str, roots: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let edges = edges(text);
    let mut wanted: Vec<&str> = roots.into_iter().collect();
    let mut next = 0;
    while let Some(package) = wanted.get(next).copied() {
        next += 1;
        for alternatives in edges.get(package).into_iter().flatten() {
            let library = alternatives.iter().copied().find(|p| is_library(p));
            if let Some(library) = library.filter(|l| !wanted.contains(l)) {
                wanted.push(library);
            }
        }
    }
    wanted.into_iter().map(str::to_string).collect()
}

/// For each package its dependencies, each as a list of alternatives.
fn edges(text: &str) -> BTreeMap<&str, Vec<Vec<&str>>> {
    let mut edges = BTreeMap::<&str, Vec<Vec<&str>>>::new();
    let (mut package, mut open) = ("", false);
    for line in text.lines() {
        let indent = line.len() - line.trim_start_matches([' ', '|']).len();
        let word = line.trim_start_matches([' ', '|']);
        match (indent, word.split_once(": ")) {
            (0, _) => (package, open) = (word, false),
            (_, Some((_, on))) => {
                let dependencies = edges.entry(package).or_default();
                if !open {
                    dependencies.push(Vec::new());
                }
                dependencies.last_mut().expect("just pushed").extend(real(on));
                open = line.trim_start().starts_with('|');
            }
            (_, None) => {
                let last = edges.entry(package).or_default().last_mut();
                last.into_iter().for_each(|l| l.extend(real(word)));
            }
        }
    }
    edges
}

fn real(package: &str) -> Option<&str> {
    (!package.starts_with('<')).then(|| package.split(':').next().unwrap_or(package))
}

/// Debian's policy names libraries so; what is written in Perl is named like one and is none.
fn is_library(package: &str) -> bool {
    let compiler = package.starts_with("gcc-") && package.ends_with("-base");
    (package.starts_with("lib") && !package.ends_with("-perl")) || package.starts_with("zlib1g") || compiler
}

/// The stanzas of `apt-cache show`; a package may have several, newest first.
pub fn packages(text: &str) -> Vec<Package> {
    let stanzas = text.split("\n\n").map(|s| {
        s.lines().filter_map(|l| l.split_once(": ")).filter(|(k, _)| !k.starts_with(' ')).collect::<BTreeMap<_, _>>()
    });
    stanzas
        .filter_map(|s| {
            Some(Package {
                name: s.get("Package")?.to_string(),
                version: s.get("Version")?.to_string(),
                sha256: Sha256::parse(s.get("SHA256")?)?,
                size: Bytes(s.get("Size")?.parse().ok()?),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEPENDS: &str = "\
mariadb-server-core
  PreDepends: mariadb-common
  Depends: libaio1t64
 |Depends: debconf
  Depends: <debconf-2.0>
    cdebconf
    debconf
  Depends: libsystemd0
    libelogind0
  Depends: libdbi-perl
  Depends: <perl:any>
    perl
mariadb-common
  Depends: libnever1
libaio1t64
  Depends: libc6
libsystemd0
 |Depends: liblzma5
  Depends: libother5
  Depends: <libvirtual>
    libprovided2
    libprovided3
libdbi-perl
  Depends: libperl5.36
libc6
  Depends: libgcc-s1
libgcc-s1
  Depends: gcc-14-base
  Depends: libc6
";

    #[test]
    fn only_libraries_are_followed_and_alternatives_count_once() {
        let closure = libraries(DEPENDS, ["mariadb-server-core"]);
        let mut sorted = closure.clone();
        sorted.sort();
        assert_eq!(closure[0], "mariadb-server-core");
        assert_eq!(
            sorted,
            [
                "gcc-14-base",
                "libaio1t64",
                "libc6",
                "libgcc-s1",
                "liblzma5",
                "libprovided2",
                "libsystemd0",
                "mariadb-server-core"
            ]
        );
    }

    #[test]
    fn a_package_is_its_version_checksum_and_size() {
        let sum = "0a".repeat(32);
        let text = format!(
            "Package: libc6\nVersion: 2.31-13\nDepends: libgcc-s1\nSize: 2822708\nSHA256: {sum}\nDescription: x\n more: text\n\n\
             Package: broken\nVersion: 1\n"
        );
        let libc =
            Package { name: "libc6".into(), version: "2.31-13".into(), sha256: Sha256(sum), size: Bytes(2_822_708) };
        assert_eq!(packages(&text), [libc]);
    }
}
