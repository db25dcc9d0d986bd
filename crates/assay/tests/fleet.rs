//! Each build does what builds are for: it is provisioned, loaded, run and stopped, with every engine that it has, by
//! the binary as its user has it. Without a wish: the distribution's own and the smallest download of each registry
//! client, which are kept from one test to the next; ASSAY_FLEET=installed takes every build of this user's home
//! instead. A registry that cannot be reached, or whose client is not here, skips its build: what a network does is
//! nobody's mistake here. It prints what libtest would, so that its builds are counted and asked again as tests are, by
//! `-- --exact fleet::BUILD`.

#[path = "../../lab/tests/skipped/mod.rs"]
mod skipped;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::Instant;

/// What a proof may download for one build: minutes of a slow line, and less than any build that is made here.
const MOST_DOWNLOADED: u64 = 50_000_000;
const DISTRIBUTION: &str = "distribution";
/// What an install says when a client or its registry is not there.
const UNREACHABLE: &[&str] =
    &["is what fetches or unpacks this build", "did not fetch", "name no mirror of", "Debian's keys"];

/// Small, with reads and writes, and every statement of it on every version.
const QUESTION: &str = r#"question = "Does this build serve?"

[server.settings]
buffer_pool = "64 MiB"
redo        = "32 MiB"

[workload.oltp.read_write]
tables = 1
rows   = 1_000

[load]
users   = 2
warm_up = "100ms"
measure = "300ms"

[repeat]
repetitions = 1
aa          = false
"#;

/// The same of a store of documents.
const GRAPH: &str = r#"question = "Does this store serve?"

[workload.linkbench.mongodb]
maxid1     = 51
most_links = 4

[load]
users = 1

[[phases]]
name  = "measure"
kind  = "measure"
count = 100

[repeat]
repetitions = 1
aa          = false
"#;
const DOCUMENTS: &str = "ferretdb";

/// InnoDB's memcached plugin, by the byte and by the counter, and how old its answers get with so many gets in a
/// transaction.
const DOOR: &str = r#"question = "Does the plugin serve what lies in the table?"

[axes]
settings.read_batch = [1, 128]

[server.settings]
buffer_pool    = "64 MiB"
redo           = "32 MiB"
door_isolation = "repeatable_read"

[workload.kv.memcached]
keys         = 500
verify_every = 1

[load]
users     = 2
transport = "tcp"

[[phases]]
name  = "measure"
kind  = "measure"
count = 1_000

[repeat]
repetitions = 1
aa          = false
"#;
/// By cell, gets that go on with the old value, after the one that began the transaction.
const OLD: [(&str, &str); 2] = [("c001", "0"), ("c002", "127")];

/// How a build did.
enum Outcome {
    Served(String),
    Skipped(String),
    Failed(String),
}

fn main() -> ExitCode {
    // Names on the command line of `cargo test` choose builds, and often mean other tests.
    let asked: Vec<_> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let exact = std::env::args().any(|a| a == "--exact");
    let is_asked = |test: &str| {
        asked.is_empty() || asked.iter().any(|name| if exact { test == name } else { test.contains(name.as_str()) })
    };
    let fleet = Fleet::of(std::env::var("ASSAY_FLEET").ok().as_deref());
    let names = fleet.builds().into_iter().map(|build| build["name"].as_str().expect("a name").to_string());
    let tests: Vec<_> = names.map(|name| (format!("fleet::{name}"), name)).filter(|(test, _)| is_asked(test)).collect();
    if std::env::args().any(|a| a == "--list") {
        tests.iter().for_each(|(test, _)| println!("{test}: test"));
        return ExitCode::SUCCESS;
    }
    let mut failed = 0;
    for (test, name) in &tests {
        let begun = Instant::now();
        let (told, ending) = match fleet.prove(name) {
            Outcome::Served(how) => (format!("serves: {how}"), "ok"),
            Outcome::Skipped(why) => {
                let (wants, mend) = lacks(&why);
                skipped::by_name(test, &wants, mend);
                ("is skipped".to_string(), "ok")
            }
            Outcome::Failed(why) => {
                failed += 1;
                (format!("failed: {why}"), "FAILED")
            }
        };
        println!("{name} {told} ({:.0} s)\ntest {test} ... {ending}", begun.elapsed().as_secs_f64());
    }
    let (ending, passed) = (if failed == 0 { "ok" } else { "FAILED" }, tests.len() - failed);
    println!("\ntest result: {ending}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Fleet {
    /// `None` is the user's own home.
    home: Option<PathBuf>,
}

impl Fleet {
    fn of(wish: Option<&str>) -> Self {
        match wish {
            Some("installed") => Self { home: None },
            Some(other) => panic!("ASSAY_FLEET={other}: write installed, or nothing"),
            None => Self { home: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("fleet")) },
        }
    }

    fn assay(&self, place: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(arguments).current_dir(place);
        if let Some(home) = &self.home {
            command.env("ASSAY_HOME", home);
        }
        command.env("XDG_RUNTIME_DIR", place).output().expect("assay starts")
    }

    fn rows(&self) -> Vec<Value> {
        let said = self.assay(Path::new("/"), &["servers", "list", "--json"]);
        assert!(said.status.success(), "{}", text(&said.stderr));
        text(&said.stdout).lines().map(|l| serde_json::from_str(l).expect("a line is JSON")).collect()
    }

    /// What is to be proved, the distribution's own first.
    fn builds(&self) -> Vec<Value> {
        let rows = self.rows();
        if self.home.is_none() {
            return rows.into_iter().filter(|r| r["installed"] == true).collect();
        }
        let (mut own, mut others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| r["name"] == DISTRIBUTION);
        let bytes = |row: &Value| row["download_bytes"].as_u64().expect("a number of bytes");
        let client = |row: &Value| row["source"].as_str().and_then(|s| s.split(' ').next()).map(str::to_string);
        others.retain(|row| bytes(row) <= MOST_DOWNLOADED);
        others.sort_by_key(bytes);
        let mut clients = Vec::new();
        others.retain(|row| {
            let is_first = !clients.contains(&client(row));
            clients.push(client(row));
            is_first
        });
        own.extend(others);
        own
    }

    fn prove(&self, name: &str) -> Outcome {
        let place = tempfile::tempdir().expect("a temporary folder");
        let installed = |row: &Value| row["name"] == name && row["installed"] == true;
        if !self.rows().iter().any(installed) {
            let said = self.assay(place.path(), &["servers", "install", name]);
            if !said.status.success() {
                let why = text(&said.stderr);
                let skip = UNREACHABLE.iter().any(|u| why.contains(u));
                return if skip { Outcome::Skipped(why) } else { Outcome::Failed(why) };
            }
        }
        match self.serve(name, place.path()) {
            Ok(how) => Outcome::Served(how),
            Err(why) => Outcome::Failed(why),
        }
    }

    /// Runs the question on a build with each engine for datasets, and reads its record.
    fn serve(&self, name: &str, place: &Path) -> Result<String, String> {
        let row = self.rows().into_iter().find(|r| r["name"] == name).expect("it is listed");
        let has = |engine: &str| row["engines"].as_array().is_some_and(|e| e.iter().any(|e| e == engine));
        let engines: Vec<_> = ["innodb", "rocksdb"].into_iter().filter(|e| has(e)).collect();
        let set = format!("axes.engine={engines:?}");
        let (question, more, of) = match row["kind"].as_str() {
            Some(DOCUMENTS) => (GRAPH, vec![], vec!["documents"]),
            // A kind with one way to keep its tables has nothing to choose.
            _ if engines.is_empty() => (QUESTION, vec![], vec!["its own tables"]),
            _ => (QUESTION, vec!["--set", &set], engines),
        };
        fs::write(place.join("fleet.toml"), question).map_err(|e| e.to_string())?;
        let said = self.assay(place, &[&["run", "fleet.toml", "--on", name, "--out", "record"], &more[..]].concat());
        // A check may fail on a busy machine; a run may not.
        if !matches!(said.status.code(), Some(0 | 1)) {
            return Err(format!("{}\n{}", text(&said.stderr), endings(place).join("\n")));
        }
        let record = place.join("record");
        let runs = json_files(&record.join("runs"), "run.json");
        if runs.len() != of.len() || runs.iter().any(|r| r["ending"] != "done") {
            return Err(format!("not every run is done: {}", endings(place).join("\n")));
        }
        let instances = json_files(&record, "instances");
        let wanted = row["version"].as_str().expect("a version");
        for instance in &instances {
            let version = instance["version_text"].as_str().unwrap_or_default();
            // PostgreSQL's own releases are of two numbers, of which the catalogue writes three.
            let is_wanted = version.starts_with(wanted) || wanted.strip_suffix(".0") == Some(version);
            if !is_wanted || instance["kind"] != row["kind"] {
                return Err(format!("it is {} {version}, not {} {wanted}", instance["kind"], row["kind"]));
            }
        }
        let has_plugin = row["offers"].as_array().is_some_and(|all| all.iter().any(|offer| offer == "memcached"));
        if has_plugin {
            ["tcp", "unix"].into_iter().try_for_each(|transport| self.open(name, place, transport))?;
        }
        if let Some(left) = processes_in(place) {
            return Err(format!("a process outlived the lab: {left}"));
        }
        let plugin = if has_plugin { ", and memcached's plugin by port and by socket" } else { "" };
        Ok(format!("{} with {}{plugin}", wanted, of.join(" and ")))
    }

    /// Comes to the rows by the plugin, over this transport.
    fn open(&self, name: &str, place: &Path, transport: &str) -> Result<(), String> {
        fs::write(place.join("door.toml"), DOOR).map_err(|e| e.to_string())?;
        let (out, set) = (format!("by-{transport}"), format!("load.transport={transport:?}"));
        let said = self.assay(place, &["run", "door.toml", "--on", name, "--out", &out, "--set", &set]);
        let record = place.join(out);
        let file = fs::read_to_string(record.join("report.json"));
        let report: Value = file.ok().and_then(|text| serde_json::from_str(&text).ok()).ok_or(text(&said.stderr))?;
        for cell in report["cells"].as_array().into_iter().flatten() {
            for check in ["gets_agree", "answers_were_expected", "operations_succeeded"] {
                let verdict = cell["verdicts"].as_array().into_iter().flatten().find(|v| v["check"] == check);
                if verdict.is_none_or(|v| v["verdict"] != "pass") {
                    return Err(format!("by {transport}: {verdict:?}"));
                }
            }
        }
        let runs = json_files(&record.join("runs"), "run.json");
        for (cell, old) in OLD {
            let run = runs.iter().find(|run| run["cell"] == cell);
            let told = run.map(|run| &run["session"]["variables"]["stale_gets_after_commit"]);
            if told.is_none_or(|told| told != old) {
                return Err(format!("by {transport} in {cell}: {told:?} answers were old, not {old}"));
            }
        }
        Ok(())
    }
}

/// What an install lacked, by what it said, and what brings it: a client by a package, or else a registry.
fn lacks(why: &str) -> (String, &str) {
    let first = why.lines().next().unwrap_or_default().trim_start_matches("assay: ");
    let mend = why.lines().last().map(str::trim).filter(|line| line.starts_with("apt-get"));
    (format!("its download ({first})"), mend.unwrap_or("a registry that answers"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_string()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect()
}

/// Every `name` one folder below, or every JSON file in the folder `name`.
fn json_files(folder: &Path, name: &str) -> Vec<Value> {
    let paths = entries(folder).into_iter().map(|p| p.join(name)).chain(entries(&folder.join(name)));
    let texts = paths.filter(|p| p.extension().is_some_and(|e| e == "json")).filter_map(|p| fs::read_to_string(p).ok());
    texts.map(|t| serde_json::from_str(&t).expect("a record is JSON")).collect()
}

fn endings(place: &Path) -> Vec<String> {
    json_files(&place.join("record/runs"), "run.json").iter().map(|r| r["ending"].to_string()).collect()
}

/// A guard or a server of this test: nobody else names its folder.
fn processes_in(place: &Path) -> Option<String> {
    let place = place.to_str().expect("a UTF-8 path");
    let lines = entries(Path::new("/proc")).into_iter().filter_map(|p| fs::read_to_string(p.join("cmdline")).ok());
    lines.into_iter().find(|line| line.contains(place)).map(|line| line.replace('\0', " "))
}
