//! Shared libraries: whether a binary finds all that it needs, and which package brings what it does not. The dynamic
//! loader is asked, because only it knows where it looks; a build that brings its own loader is asked through that one.

use super::client::{ask, on_path};
use crate::trouble::Trouble;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Which Debian package brings a library that servers are known to miss; from Debian 13 on some have `t64` at their
/// end.
const PACKAGES: &[(&str, &str)] = &[
    ("libaio.so.1", "libaio1"),
    ("libnuma.so.1", "libnuma1"),
    ("libncurses.so.5", "libncurses5"),
    ("libncurses.so.6", "libncurses6"),
    ("libtinfo.so.5", "libtinfo5"),
    ("libtinfo.so.6", "libtinfo6"),
    ("libcrypt.so.1", "libcrypt1"),
    ("libstdc++.so.6", "libstdc++6"),
    ("libgcc_s.so.1", "libgcc-s1"),
    ("libsystemd.so.0", "libsystemd0"),
    ("libssl.so.1.1", "libssl1.1"),
    ("libssl.so.3", "libssl3"),
    ("liburing.so.2", "liburing2"),
    ("libpcre2-8.so.0", "libpcre2-8-0"),
    ("libsnappy.so.1", "libsnappy1v5"),
    ("libjemalloc.so.2", "libjemalloc2"),
];
/// Where a prefix of Debian packages has its loader and libraries, newest layout first.
const LIBRARIES: &[&str] = &["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"];
const LOADER: &str = "ld-linux-x86-64.so.2";

/// That the host has the libraries which a build is known to need, before it is fetched.
pub fn check_host(needed: &BTreeMap<String, String>, name: &str) -> Result<(), Trouble> {
    let Some(ldconfig) = on_path("ldconfig") else { return Ok(()) };
    let list = ask(&[ldconfig.to_string_lossy().into_owned(), "-p".into()])?;
    let there = |library: &str| list.lines().any(|l| l.trim_start().split(' ').next() == Some(library));
    let missing: Vec<_> = needed.keys().map(String::as_str).filter(|l| !there(l)).collect();
    if missing.is_empty() { Ok(()) } else { Err(lacking(name, &missing, needed)) }
}

/// That a binary or a plugin finds everything through its launcher.
pub fn check_binary(file: &Path, launcher: &[String], known: &BTreeMap<String, String>) -> Result<(), Trouble> {
    let mut command = match launcher {
        [loader, rest @ ..] if loader.ends_with(LOADER) => {
            let mut command = Command::new(loader);
            command.args(rest).arg("--list");
            command
        }
        [program, rest @ ..] => {
            let mut command = Command::new(program);
            command.args(rest).arg("ldd");
            command
        }
        [] => Command::new("ldd"),
    };
    let what = format!("the libraries of {} to be told", file.display());
    let output = crate::os::ask::output(command.arg(file).stdin(Stdio::null()), &what, crate::os::ask::ANSWER);
    let output = output.map_err(Trouble::at("asking for libraries of", file))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let missing = not_found(&said);
    if missing.is_empty() { Ok(()) } else { Err(lacking(&file.display().to_string(), &missing, known)) }
}

/// `libaio.so.1 => not found` of ldd; a loader of its own stops at the first: `libaio.so.1: cannot open shared object
/// file`.
fn not_found(text: &str) -> Vec<&str> {
    let mut missing: Vec<_> = text
        .lines()
        .filter_map(|l| {
            let at_once = l.split_once(" => not found").map(|(name, _)| name.trim());
            at_once.or_else(|| l.split_once(": cannot open shared object file")?.0.rsplit(' ').next())
        })
        .collect();
    missing.dedup();
    missing
}

fn lacking(who: &str, missing: &[&str], known: &BTreeMap<String, String>) -> Trouble {
    let package = |library: &&str| {
        let own = known.get(*library).map(String::as_str);
        own.or_else(|| PACKAGES.iter().find(|(l, _)| l == library).map(|(_, p)| *p))
    };
    let packages: Vec<_> = missing.iter().filter_map(package).collect();
    let trouble = Trouble::new(format!("{who} needs libraries that this host lacks: {}", missing.join(", ")));
    match packages[..] {
        [] => trouble.mend("apt-file search LIBRARY says which package brings it"),
        _ => trouble.mend(format!("apt-get install {}", packages.join(" "))),
    }
}

/// The words before every command of a build that brings its own libc.
pub fn own_loader(here: &Path) -> Result<Vec<String>, Trouble> {
    let folders: Vec<_> = LIBRARIES.iter().map(|l| here.join(l)).filter(|l| l.is_dir()).collect();
    let loader = folders.iter().map(|f| f.join(LOADER)).find(|l| l.is_file()).ok_or_else(|| {
        Trouble::new(format!("the packages in {} bring no loader", here.display()))
            .mend("name the package that depends on libc6 in its stanza of servers.toml")
    })?;
    let path =
        std::env::join_paths(&folders).map_err(|e| Trouble::new("ASSAY_HOME cannot stand in a path").because(e))?;
    let text = |s: &std::ffi::OsStr| s.to_string_lossy().into_owned();
    Ok(vec![text(loader.as_os_str()), "--library-path".into(), text(&path)])
}

/// The same for a build that carries some libraries and uses the host's loader.
pub fn carried(here: &Path, library_path: &[String]) -> Vec<String> {
    if library_path.is_empty() {
        return Vec::new();
    }
    let folders: Vec<_> = library_path.iter().map(|f| here.join(f).to_string_lossy().into_owned()).collect();
    vec!["/usr/bin/env".into(), format!("LD_LIBRARY_PATH={}", folders.join(":"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_told_with_the_package_that_brings_it() {
        let ldd = "\tlinux-vdso.so.1 (0x0)\n\tlibaio.so.1 => not found\n\tlibm.so.6 => /lib/libm.so.6 (0x0)\n\
                   \tlibtinfo.so.5 => not found\n";
        assert_eq!(not_found(ldd), ["libaio.so.1", "libtinfo.so.5"]);
        let loader =
            "/x/mysqld: error while loading shared libraries: libfoo.so.9: cannot open shared object file: No such";
        assert_eq!(not_found(loader), ["libfoo.so.9"]);
        let told = lacking("mysql-5.5.34", &["libaio.so.1", "libtinfo.so.5"], &BTreeMap::new()).to_string();
        assert!(
            told.contains("libaio.so.1, libtinfo.so.5") && told.ends_with("apt-get install libaio1 libtinfo5"),
            "{told}"
        );
        let own = BTreeMap::from([("libaio.so.1".to_string(), "libaio1t64".to_string())]);
        assert!(lacking("x", &["libaio.so.1"], &own).to_string().ends_with("apt-get install libaio1t64"));
        assert!(lacking("x", &["libfoo.so.9"], &own).to_string().contains("apt-file search"));
    }

    #[test]
    fn a_build_is_refused_for_a_library_before_it_is_fetched() {
        let needed = |library: &str| BTreeMap::from([(library.to_string(), "some-package".to_string())]);
        assert!(check_host(&needed("libc.so.6"), "x").is_ok());
        let told = check_host(&needed("libnowhere.so.3"), "x").unwrap_err().to_string();
        assert!(told.contains("libnowhere.so.3") && told.contains("apt-get install some-package"), "{told}");
    }

    #[test]
    fn this_very_program_finds_its_libraries() {
        check_binary(&std::env::current_exe().unwrap(), &[], &BTreeMap::new()).unwrap();
    }
}
