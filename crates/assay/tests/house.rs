//! The invariants of ARCHITECTURE.md as tests, read off the sources themselves: which crate depends on which, what the
//! pure rooms must not name, where `unsafe` may stand, and that no file behind a door is missing from its list.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("wire", &[]),
    ("workload", &["model"]),
    ("lua", &["model", "workload"]),
    ("lab", &["model", "wire", "workload", "lua"]),
    ("judge", &["model"]),
    ("report", &["model"]),
    ("assay", &["model", "wire", "workload", "lua", "lab", "judge", "report"]),
];

const PURE: &[&str] = &["model", "wire", "workload", "judge", "report"];

/// What would make a pure room depend on the machine it runs on.
const WORLDLY: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "std::env",
    "std::os",
    "Instant::now",
    "SystemTime",
    "thread_rng",
    "OsRng",
    "getrandom",
    "rustix",
    "libc::",
];

/// The modules that may say `unsafe`, each with its reason in its opening lines.
const UNSAFE_ROOMS: &[&str] = &[
    "lab/src/executor/",
    "lab/src/os/process.rs",
    "lab/src/servers/process/guard.rs",
    "lab/src/os/survey",
    "lua/src/draws.rs",
    "lua/src/exchange.rs",
    "lua/src/fiber.rs",
    "lua/src/interrupt.rs",
    "lua/src/state/mod.rs",
];

/// Folders whose files must each be listed in the folder's `ALL`.
const DOORS: &[(&str, &str)] = &[
    ("judge/src/checks", "mod.rs"),
    ("judge/src/findings", "mod.rs"),
    ("lab/src/samplers", "mod.rs"),
    ("lab/src/disturbances", "mod.rs"),
    ("assay/src/verbs", "mod.rs"),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/assay lies in crates/").to_path_buf()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.map(|e| e.expect("a readable entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|e| e == "rs") {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The file without its tests and comments: what really runs.
fn running_code(path: &Path) -> String {
    let text = read(path);
    let text = text.split("#[cfg(test)]").next().expect("split gives at least one part");
    text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

#[test]
fn rooms_depend_on_each_other_as_drawn() {
    for (room, allowed) in ARROWS {
        let manifest: toml::Table = read(&crates().join(room).join("Cargo.toml")).parse().expect("a manifest is TOML");
        let internal: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
        let dependencies = manifest.get("dependencies").and_then(|d| d.as_table()).cloned().unwrap_or_default();
        for name in dependencies.keys().filter(|n| internal.contains(n.as_str())) {
            assert!(allowed.contains(&name.as_str()), "{room} must not depend on {name}");
        }
    }
}

#[test]
fn pure_rooms_name_nothing_of_the_world() {
    for room in PURE {
        for path in sources(&crates().join(room).join("src")) {
            let code = running_code(&path);
            for word in WORLDLY {
                assert!(!code.contains(word), "{} names {word}; pass it in as an argument", path.display());
            }
        }
    }
}

#[test]
fn unsafe_stands_only_in_its_rooms() {
    for (room, _) in ARROWS {
        for path in sources(&crates().join(room).join("src")) {
            let shown = path.display().to_string();
            if UNSAFE_ROOMS.iter().any(|r| shown.contains(r)) {
                continue;
            }
            let code = running_code(&path);
            let found = code.replace("unsafe_code", "").contains("unsafe ");
            assert!(!found, "{shown} says unsafe; that belongs in one of {UNSAFE_ROOMS:?}");
        }
    }
}

#[test]
fn every_file_opens_with_why_it_exists() {
    for (room, _) in ARROWS {
        for path in sources(&crates().join(room).join("src")) {
            let first = read(&path).lines().next().unwrap_or("").to_string();
            assert!(
                first.starts_with("//! ") && first.len() > 20,
                "{} must open with its reason: {first:?}",
                path.display()
            );
        }
    }
}

#[test]
fn every_file_behind_a_door_is_in_its_list() {
    for (folder, list) in DOORS {
        let list = read(&crates().join(folder).join(list));
        let all = list.split("ALL").nth(1).unwrap_or_else(|| panic!("{folder} has no ALL"));
        for path in sources(&crates().join(folder)) {
            let name = path.file_stem().and_then(|s| s.to_str()).expect("a UTF-8 name");
            let is_entry = name != "mod"
                && path.parent().is_some_and(|p| p.ends_with(folder.rsplit('/').next().unwrap_or(folder)));
            assert!(!is_entry || all.contains(&format!("{name}::")), "{folder}/{name}.rs is not in ALL");
        }
    }
}

#[test]
fn every_workload_family_is_in_the_list() {
    let list = running_code(&crates().join("workload/src/lib.rs"));
    let all = list.split("ALL").nth(1).expect("workload has its list");
    let library: BTreeSet<&str> = ["lib", "asked", "audit", "dataset", "kept", "session", "user", "draw"].into();
    for entry in fs::read_dir(crates().join("workload/src")).expect("the room exists") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_stem().and_then(|s| s.to_str()).expect("a UTF-8 name").to_string();
        assert!(library.contains(name.as_str()) || all.contains(&name), "workload/src/{name} is not in ALL");
    }
}

#[test]
fn hot_paths_do_not_format_or_lock() {
    for path in sources(&crates().join("lab/src")).into_iter().chain(sources(&crates().join("wire/src"))) {
        if !read(&path).starts_with("//! Hot path:") {
            continue;
        }
        let code = running_code(&path);
        for word in ["println!", "eprintln!", "Mutex", "RwLock"] {
            assert!(!code.contains(word), "{} is a hot path and says {word}", path.display());
        }
    }
}

#[test]
fn no_registry_is_named_where_builds_come_from() {
    let catalogue = crates().join("../servers.toml");
    let rooms = ["lab/src/servers/catalogue", "lab/src/servers/install"].map(|r| sources(&crates().join(r)));
    for path in rooms.into_iter().flatten().chain([catalogue]) {
        let text = read(&path).replace("https://toml.io", "");
        assert!(!text.contains("://"), "{} names a host; ordinary clients know theirs", path.display());
    }
}
