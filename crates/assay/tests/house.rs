//! The invariants of ARCHITECTURE.md as tests, read off the sources themselves: which crate depends on which, what the
//! pure rooms must not name, where `unsafe` may stand, and that no file behind an endpoint is missing from its list.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("wire", &[]),
    ("workload", &["model"]),
    ("lua", &["model", "workload"]),
    ("trace", &["model", "wire"]),
    ("lab", &["model", "wire", "workload", "lua", "trace"]),
    ("judge", &["model"]),
    ("report", &["model"]),
    ("assay", &["model", "wire", "workload", "lua", "trace", "lab", "judge", "report"]),
];

const PURE: &[&str] = &["model", "wire", "workload", "trace", "judge", "report"];

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
    "lab/src/os/io_priority.rs",
    "lab/src/os/process.rs",
    "lab/src/profiler/ring.rs",
    "lab/src/servers/process/guard.rs",
    "lab/src/servers/survey",
    "lua/src/draws.rs",
    "lua/src/exchange.rs",
    "lua/src/fiber.rs",
    "lua/src/interrupt.rs",
    "lua/src/state/mod.rs",
];

/// Folders whose files must each be listed in the folder's `ALL`.
const LISTED: &[(&str, &str)] = &[
    ("judge/src/checks", "mod.rs"),
    ("judge/src/findings", "mod.rs"),
    ("lab/src/samplers", "mod.rs"),
    ("lab/src/backends/mysql/samplers", "mod.rs"),
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

/// What would let one experiment in a process see another's: a static that something writes. A `LazyLock` is a constant
/// that is made when it is first asked for.
const MUTABLE: &[&str] = &["Mutex", "RwLock", "OnceLock", "OnceCell", "Cell<", "Atomic"];

/// Rooms that are handed what they need: the pure ones, and the one for scripts.
const HANDED: &[&str] = &["model", "wire", "workload", "trace", "judge", "report", "lua"];

#[test]
fn rooms_that_are_handed_what_they_need_have_no_mutable_static() {
    for room in HANDED {
        for path in sources(&crates().join(room).join("src")) {
            let code = running_code(&path);
            assert!(!code.contains("thread_local"), "{} has a static of each thread", path.display());
            // As far as the type goes.
            let statics = code.split("static ").skip(1).filter(|rest| rest.starts_with(|c: char| c.is_uppercase()));
            for declared in statics.map(|rest| rest.split_once('=').map_or(rest, |(before, _)| before)) {
                let found = MUTABLE.iter().find(|word| declared.contains(*word));
                assert!(found.is_none(), "{}: static {declared} can be written", path.display());
            }
            assert!(!code.contains("static mut "), "{} has a static mut", path.display());
        }
    }
}

/// Counters of ours that a source names as it tells them, by `tell("…")`.
fn told(code: &str) -> Vec<&str> {
    code.split(".tell(").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next()).collect()
}

#[test]
fn every_counter_that_is_told_or_judged_stands_in_its_row() {
    let declared = |name: &str| model::record::counters::named(name).is_some();
    let mut found = 0;
    for path in sources(&crates().join("lab/src")) {
        let code = running_code(&path);
        for name in told(&code) {
            assert!(declared(name), "{} tells {name}, and no row of model::record::counters has it", path.display());
            found += 1;
        }
    }
    assert!(found > 30, "{found} counters are told by name: has `tell` another name now?");
    let ours: BTreeSet<&str> = model::record::counters::ALL.iter().map(|counter| counter.source()).collect();
    // What RocksDB calls by names of its own is told under its name.
    let ours =
        |name: &str| name.split_once('.').is_some_and(|(source, _)| source != "rocksdb" && ours.contains(source));
    let is_a_name =
        |text: &&str| text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.');
    for path in ["judge/src", "report/src"].iter().flat_map(|room| sources(&crates().join(room))) {
        let code = running_code(&path);
        let names = code.split('"').skip(1).step_by(2).filter(is_a_name).filter(|name| ours(name));
        let is_key = |name: &&str| model::experiment::keys::KEYS.iter().any(|key| key.path() == *name);
        for name in names.filter(|name| !name.ends_with('.') && !is_key(name)) {
            assert!(declared(name), "{} reads {name}, and no row of model::record::counters has it", path.display());
        }
    }
}

const COUNTERS: &str = "../docs/counters.md";
const RENEWED_BY: &str = "RENEW_DOCS=1 cargo test -p assay --test house";

#[test]
fn the_documented_counters_are_those_of_the_rows() {
    use model::record::series::{Shape, Unit};
    let mut text = format!(
        "# Counters\n\nWhat samplers tell under names of this program's own. Written from `model::record::counters` by\n\
         `{RENEWED_BY}`; docs/record.md says how they lie in a record, and what else does.\n\n\
         | counter | shape | unit | meaning | found in |\n|---|---|---|---|---|\n"
    );
    for counter in model::record::counters::ALL {
        let shape = match counter.shape {
            Shape::Counter => "counter",
            Shape::Gauge => "gauge",
        };
        let unit = match counter.unit {
            Unit::Count => "",
            Unit::Bytes => "bytes",
            Unit::Nanos => "ns",
            Unit::Share => "share",
            Unit::PerSecond => "per second",
        };
        let sum = |names: &&[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" + ");
        let found = |found: &model::record::counters::Found| {
            let sources = found.sources.iter().map(sum).collect::<Vec<_>>().join(", else ");
            found.engine.map_or_else(|| sources.clone(), |engine| format!("{engine}: {sources}"))
        };
        let found = counter.found.iter().map(found).collect::<Vec<_>>().join("; ");
        text += &format!("| `{}` | {shape} | {unit} | {} | {found} |\n", counter.name, counter.meaning);
    }
    let path = crates().join(COUNTERS);
    if std::env::var_os("RENEW_DOCS").is_some() {
        fs::write(&path, &text).expect("the documentation is writable");
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == text, "docs/counters.md is stale: run `{RENEWED_BY}`");
}

/// Where the table of an experiment's keys stands.
const KEYS: &str = "model/src/experiment/keys.rs";
/// So many keys side by side are a list of keys, where they are at least half of what is listed.
const A_LIST: usize = 3;

/// The string that a source begins with, and how much of the source it is.
fn string(source: &str) -> Option<(&str, usize)> {
    if let Some(raw) = source.strip_prefix("r#\"") {
        let end = raw.find("\"#")?;
        return Some((&raw[..end], end + "r#\"\"#".len()));
    }
    let (inside, mut escaped) = (source.strip_prefix('"')?, false);
    let end = inside.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((&inside[..end], end + 2))
}

/// The strings that stand side by side: in one `[…]`, or as patterns of one `match`.
fn lists(source: &str) -> Vec<Vec<&str>> {
    let is_pattern = |after: &str| {
        let after = after.trim_start();
        after.starts_with("=>") || after.starts_with("if ") || after.starts_with('|') && !after.starts_with("||")
    };
    let (mut rest, mut open, mut lists): (_, Vec<(char, Vec<&str>)>, _) = (source, Vec::new(), Vec::new());
    while let Some(c) = rest.chars().next() {
        let (here, closed) = match string(rest) {
            Some((text, long)) => (vec![text], long),
            None if rest.starts_with("//") => (Vec::new(), rest.find('\n').unwrap_or(rest.len())),
            None if rest.starts_with("'\\") => (Vec::new(), 3 + rest[3..].find('\'').map_or(0, |end| end + 1)),
            None if c == '\'' && rest.chars().nth(2) == Some('\'') => {
                (Vec::new(), rest.chars().take(3).map(char::len_utf8).sum())
            }
            None if "[({".contains(c) => {
                open.push((c, Vec::new()));
                (Vec::new(), 1)
            }
            None if "])}".contains(c) => {
                let (bracket, inside) = open.pop().unwrap_or((c, Vec::new()));
                if bracket != '(' {
                    lists.push(inside.clone());
                }
                (if bracket == '{' { Vec::new() } else { inside }, 1)
            }
            None => (Vec::new(), c.len_utf8()),
        };
        rest = &rest[closed..];
        if let Some((bracket, inside)) = open.last_mut()
            && (*bracket != '{' || is_pattern(rest))
        {
            inside.extend(here);
        }
    }
    lists
}

#[test]
fn keys_are_listed_nowhere_but_in_their_table() {
    let keys = model::experiment::keys::KEYS;
    let is_key = |name: &&&str| keys.iter().any(|key| key.name == **name || key.path() == **name);
    let is_list_of_keys = |list: &Vec<&str>| {
        let all: BTreeSet<&str> = list.iter().copied().collect();
        let keys = all.iter().filter(is_key).count();
        keys >= A_LIST && keys * 2 >= all.len()
    };
    for path in ARROWS.iter().flat_map(|(room, _)| sources(&crates().join(room).join("src"))) {
        let text = read(&path);
        let running = text.split("#[cfg(test)]").next().expect("split gives at least one part");
        let found = lists(running).into_iter().find(is_list_of_keys);
        let is_table = path.ends_with(KEYS);
        assert!(is_table || found.is_none(), "{} lists keys by hand: {found:?}; ask {KEYS}", path.display());
    }
}

#[test]
fn a_list_of_keys_is_seen_as_one_however_it_is_written() {
    let seen = |source| lists(source).into_iter().max_by_key(Vec::len).unwrap_or_default();
    assert_eq!(seen("&[(\"users\", 'a', 1), (\"build\", '\\'', 2)] // [\"x\""), ["users", "build"]);
    assert_eq!(seen("match k { \"users\" | \"rate\" => say(\"x\"), (\"a\", _) if b => {} }"), ["users", "rate", "a"]);
    assert_eq!(seen("fn f<'a>(x: &'a str) { g([r#\"a\"b\"#, \"c\\\"]\"]) }"), ["a\"b", "c\\\"]"]);
}

/// clap keeps the words of a completion as long as the program lives.
const MAY_LEAK: &str = "assay/src/verbs/completions.rs";

#[test]
fn nothing_leaks() {
    for (room, _) in ARROWS {
        for path in sources(&crates().join(room).join("src")) {
            let leaks = running_code(&path).contains("leak(");
            assert!(!leaks || path.ends_with(MAY_LEAK), "{} leaks; let its owner be an argument", path.display());
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
fn what_is_documented_is_a_sentence_with_a_subject() {
    for (room, _) in ARROWS {
        for path in sources(&crates().join(room).join("src")) {
            let text = read(&path);
            let lines = text.lines().map(str::trim_start);
            let found = lines.clone().find(|line| line.starts_with("/// Of ") || line.starts_with("//! Of "));
            assert!(found.is_none(), "{}: {found:?} says not what it is", path.display());
            let long = text.lines().find(|line| line.trim_start().starts_with("//") && line.chars().count() > 120);
            assert!(long.is_none(), "{}: prose is wrapped at 120 columns: {long:?}", path.display());
        }
    }
}

#[test]
fn every_file_of_an_extension_point_is_in_its_list() {
    for (folder, list) in LISTED {
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

/// Files of a folder and of those below it that end so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("a readable entry").path());
    let (folders, here): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| files(folder, ending));
    here.into_iter().filter(|path| path.to_string_lossy().ends_with(ending)).chain(below).collect()
}

#[test]
fn every_chart_is_drawn_by_the_page() {
    let page = crates().join("report/page/src");
    let all: Vec<(PathBuf, String)> = files(&page, ".ts").into_iter().map(|path| (path.clone(), read(&path))).collect();
    for chart in files(&page.join("charts"), ".ts") {
        let name = chart.file_stem().and_then(|s| s.to_str()).expect("a UTF-8 name");
        let import = |text: &str| text.contains(&format!("/{name}'"));
        assert!(all.iter().any(|(path, text)| *path != chart && import(text)), "nobody draws charts/{name}.ts");
    }
}

#[test]
fn every_protocol_has_its_folder() {
    for protocol in model::protocol::Protocol::ALL {
        let folder = format!("{protocol:?}").to_lowercase().replace("postgresql", "postgres");
        for room in ["wire/src", "lab/src/backends"] {
            let place = crates().join(room).join(&folder);
            assert!(place.is_dir() || place.with_extension("rs").is_file(), "{protocol:?} has no {room}/{folder}");
        }
    }
}

#[test]
fn every_workload_family_is_in_the_list() {
    let list = running_code(&crates().join("workload/src/lib.rs"));
    let all = list.split("ALL").nth(1).expect("workload has its list");
    let library: BTreeSet<&str> = [
        "lib",
        "asked",
        "audit",
        "dataset",
        "rows",
        "life",
        "session",
        "user",
        "draw",
        "workloads",
        "cheapest",
        "round_trip",
    ]
    .into();
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

/// Words that nobody outside this project knows, and that stood in its sources once: ARCHITECTURE.md has the ones in
/// their places.
const GONE: &[&str] = &[
    "Voyage", "voyage", "Crew", "crew", "sail", "song", "hatch", "Mouth", "mouth", "Voice", "voice", "Scribe",
    "scribe", "Kept", "Wanted", "House", "Doors", "Gates", "Door",
];

#[test]
fn words_that_are_gone_name_nothing() {
    for (room, _) in ARROWS {
        for path in sources(&crates().join(room).join("src")) {
            let code = running_code(&path);
            let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let parts = words.iter().flat_map(|word| word.split('_'));
            let found: Vec<&str> = parts.filter(|part| GONE.contains(part)).collect();
            assert!(found.is_empty(), "{} says {found:?}", path.display());
        }
    }
}

/// The shelves of `lab`, top to bottom: nothing imports from a shelf above its own.
const LAB: &[&[&str]] = &[
    &["campaign", "replay"],
    &["execution"],
    &["provision"],
    &["capture"],
    &["shapes"],
    &["backends"],
    &["load", "servers", "disturbances", "samplers", "profiler"],
    &["executor", "ranks"],
    &["notebook", "traces"],
    &["os", "trouble"],
];

/// Every `crate::…`, `super::…` and `self::…` that the file names, as the module path it begins with.
fn named(code: &str, own: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            paths(&code[at..], &mut Vec::new(), &mut found);
        }
    }
    found.into_iter().filter_map(|path| absolute(path, own)).collect()
}

/// The paths of one tree of `a::{b, c::d}`, as far as they are lower case: names of modules are.
fn paths(text: &str, so_far: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let depth = so_far.len();
    let mut at = 0;
    loop {
        let word: String = text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        at += word.len();
        so_far.push(word);
        if !text[at..].starts_with("::") {
            found.push(so_far.clone());
            break;
        }
        at += 2;
        if text[at..].starts_with('{') {
            at += 1;
            while !text[at..].starts_with('}') {
                let blank = text[at..].len() - text[at..].trim_start_matches([' ', '\n', ',']).len();
                if blank > 0 {
                    at += blank;
                    continue;
                }
                let read = paths(&text[at..], so_far, found);
                at += read.max(1);
                // `as name` and whatever else stands behind a path.
                at += text[at..].find([',', '}']).unwrap_or(text.len() - at);
            }
            at += 1;
            break;
        }
    }
    so_far.truncate(depth);
    at
}

fn absolute(path: Vec<String>, own: &[String]) -> Option<Vec<String>> {
    let mut base: Vec<String> = own.to_vec();
    let mut words = path.into_iter().peekable();
    match words.next()?.as_str() {
        "crate" => base.clear(),
        "self" => {}
        _ => {
            base.pop()?;
            while words.next_if(|word| word == "super").is_some() {
                base.pop()?;
            }
        }
    }
    Some(base.into_iter().chain(words).collect())
}

/// Each file of a room by its module path, with the modules of the room that it names.
fn imports(room: &str) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let root = crates().join(room).join("src");
    let own = |path: &Path| {
        let shown = path.strip_prefix(&root).expect("a source of the room").with_extension("");
        let mut words: Vec<String> = shown.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        words.pop_if(|last| last == "mod" || last == "lib");
        words
    };
    let files: Vec<PathBuf> =
        sources(&root).into_iter().filter(|path| !path.components().any(|c| c.as_os_str() == "tests")).collect();
    let modules: BTreeSet<Vec<String>> = files.iter().map(|path| own(path)).collect();
    let of = |path: &PathBuf| {
        let me = own(path);
        let longest =
            |named: Vec<String>| (1..=named.len()).rev().map(|n| named[..n].to_vec()).find(|m| modules.contains(m));
        let named =
            named(&running_code(path), &me).into_iter().filter_map(longest).filter(|module| *module != me).collect();
        (me, named)
    };
    files.iter().map(of).collect()
}

#[test]
fn nothing_inside_lab_imports_upwards() {
    let shelf =
        |module: &[String]| LAB.iter().position(|shelf| shelf.contains(&module.first().map_or("", String::as_str)));
    for (from, named) in imports("lab").iter().filter(|(from, _)| !from.is_empty()) {
        let upwards = named.iter().find(|to| to.is_empty() || shelf(to) < shelf(from));
        assert!(
            upwards.is_none(),
            "{} imports {upwards:?} from above (the root names what lies anywhere)",
            from.join("/")
        );
    }
}

/// Everything that a file imports, be it by way of others.
fn reached<'a>(
    imports: &'a BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
    from: &'a [String],
) -> BTreeSet<&'a [String]> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        let named = imports.get(module).into_iter().flatten().map(Vec::as_slice);
        open.extend(named.filter(|to| reached.insert(*to)));
    }
    reached
}

/// The circles of a room: files of which each imports every other.
fn circles(room: &str) -> BTreeSet<(String, Vec<String>)> {
    let imports = imports(room);
    let reached: BTreeMap<&[String], _> = imports.keys().map(|from| (&from[..], reached(&imports, from))).collect();
    let circle_of = |module: &[String]| {
        let back = reached[module].iter().filter(|other| reached[**other].contains(module));
        (room.to_string(), back.map(|other| other.join("/")).collect())
    };
    reached.iter().filter(|(module, all)| all.contains(*module)).map(|(module, _)| circle_of(module)).collect()
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    let found: BTreeSet<_> = ARROWS.iter().flat_map(|(room, _)| circles(room)).collect();
    assert!(found.is_empty(), "these import each other in circles: {found:?}");
}
