//! A user's desk: a folder with an experiment, a home of its own and one record, and the binary that works there. Desks
//! with a server take turns, because two servers on two CPUs make each other's waits long. The canary, which costs
//! seconds and is nobody's subject here, is kept from one desk to the next, as it is kept in a real home.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Two cells, two repetitions, the smallest of everything.
pub const TINY: &str = r#"question = "Does the size of a range matter?"

[axes]
range_size = [10, 100]

[server.settings]
buffer_pool = "64 MiB"
redo        = "16 MiB"

[workload.oltp.simple_ranges]
tables = 2
rows   = 1_000

[load]
users   = 2
warm_up = "100ms"
measure = "300ms"

[repeat]
repetitions = 2
seed        = 7
aa          = false
"#;

/// What `TINY` is asked with, into the desk's record.
pub const RUN: &[&str] = &["run", "tiny.toml", "--out", "record"];

/// Far beyond what anything here takes on a busy machine: who waits longer waits for something that does not come.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

static TURN: Mutex<()> = Mutex::new(());

pub struct Desk {
    place: TempDir,
    _turn: Option<MutexGuard<'static, ()>>,
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Desk {
    /// For questions that are refused before a server starts.
    pub fn without_server() -> Self {
        Self::at(None)
    }

    pub fn new() -> Self {
        let desk = Self::at(Some(TURN.lock().unwrap_or_else(PoisonError::into_inner)));
        fs::create_dir(desk.home()).expect("a new folder");
        // One of another machine or build is not believed by assay, and replaced.
        let _ = fs::copy(kept_canary(), desk.home().join("canary.json"));
        desk
    }

    fn at(turn: Option<MutexGuard<'static, ()>>) -> Self {
        let desk = Self { place: tempfile::tempdir().expect("a temporary folder"), _turn: turn };
        desk.write("tiny.toml", TINY);
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file on the desk");
    }
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(arguments).current_dir(&self.place).stdin(Stdio::null());
        command.env("ASSAY_HOME", self.home()).env("XDG_RUNTIME_DIR", self.place.path());
        command
    }
    pub fn assay(&self, arguments: &[&str]) -> Said {
        Said::of(self.command(arguments).output().expect("assay starts"))
    }
    /// Starts a command and leaves it alone.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("assay starts")
    }

    /// The events of the record so far; a line that is being written is not there yet.
    pub fn notes(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("record/notes.jsonl")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
    pub fn count(&self, kind: &str) -> usize {
        self.notes().iter().filter(|n| n["kind"] == kind).count()
    }
    /// `run.json` of each run that is over, by the name of its folder.
    pub fn runs(&self) -> BTreeMap<String, String> {
        let text = |name: &String| fs::read_to_string(self.path("record/runs").join(name).join("run.json")).ok();
        self.run_folders().into_iter().filter_map(|name| Some((name.clone(), text(&name)?))).collect()
    }
    pub fn run(&self, id: &str) -> Value {
        serde_json::from_str(&self.read(&format!("record/runs/{id}/run.json"))).expect("run.json is JSON")
    }
    /// Every folder below `runs`, those of interrupted attempts included.
    pub fn run_folders(&self) -> Vec<String> {
        let mut names = names(&self.path("record/runs"));
        names.sort();
        names
    }

    /// Guards and servers of this desk: nobody else names its folder.
    pub fn processes(&self) -> Vec<(u32, String)> {
        let place = self.place.path().to_str().expect("a UTF-8 path");
        let pids = names(Path::new("/proc")).into_iter().filter_map(|name| name.parse::<u32>().ok());
        let commands = pids.filter_map(|pid| Some((pid, fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?)));
        commands.filter(|(_, command)| command.contains(place)).collect()
    }
    pub fn server(&self) -> Option<u32> {
        self.processes().into_iter().find(|(_, command)| !command.contains("__guard")).map(|(pid, _)| pid)
    }
    /// Nothing runs any more, and no data directory or socket lies about.
    pub fn assert_nothing_is_left(&self) {
        assert_eq!(self.processes(), []);
        assert_eq!(names(&self.home().join("instances")), [] as [String; 0]);
        let sockets: Vec<_> = names(self.place.path()).into_iter().filter(|n| n.starts_with("assay-")).collect();
        assert_eq!(sockets, [] as [String; 0]);
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // Renamed into its place, so that a reader meets a whole file or none.
        let passing = kept_canary().with_extension(std::process::id().to_string());
        if fs::copy(self.home().join("canary.json"), &passing).is_ok() {
            let _ = fs::rename(passing, kept_canary());
        }
    }
}

impl Said {
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("assay writes UTF-8");
        // A death by signal shows as its negative number.
        let status = output.status.code().or(output.status.signal().map(|s| -s)).expect("an exit or a signal");
        Self { status, out: text(output.stdout), err: text(output.stderr) }
    }
    /// Carried out to the end; whether a check failed is the machine's business.
    #[track_caller]
    pub fn assert_carried_out(&self) {
        assert!([0, 1].contains(&self.status), "{self:#?}");
    }
}

/// Waits for something that comes sooner or later.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(LOOK_AGAIN);
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

fn kept_canary() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("canary.json")
}
