//! What is written down of a server, whatever it speaks: what it is, what is known of one because the lab started it,
//! and what the kernel says of one that was found.

use super::found::Found;
use crate::notebook::reporter::Reporter;
use crate::os::digest::of_file;
use crate::os::elf::build_id;
use crate::os::process::cpus_of;
use crate::servers::process::instance::Instance;
use crate::trouble::Trouble;
use model::{EventKind, InstalledBuild, InstanceRecord, Nanos, Server, Version};
use std::fs;
use std::path::Path;

/// A server of which only kind and version are known.
pub fn blank(key: &str, wanted: &Server, kind: &str, version_text: &str) -> InstanceRecord {
    InstanceRecord {
        key: key.to_string(),
        wanted: wanted.clone(),
        kind: kind.to_string(),
        version: Version::parse(version_text).unwrap_or(Version(0, 0, 0)),
        version_comment: String::new(),
        version_text: version_text.to_string(),
        binary_sha256: None,
        build_id: None,
        source_commit: None,
        option_file: String::new(),
        variables: Default::default(),
        engines: Vec::new(),
        cpus: Vec::new(),
        place: None,
        complaints: Vec::new(),
        not_applicable: Vec::new(),
        start_time: Nanos(0),
    }
}

/// The same of one that the lab started.
pub fn of_ours(told: InstanceRecord, build: &InstalledBuild, instance: &Instance) -> InstanceRecord {
    InstanceRecord {
        binary_sha256: of_file(&build.binary),
        build_id: of_process(instance.pid()),
        source_commit: commit_of(&build.basedir),
        cpus: instance.cpus().to_vec(),
        complaints: instance.complaints(),
        not_applicable: instance.description().not_applicable.clone(),
        start_time: instance.start_time(),
        ..told
    }
}

/// The same of one that was there.
pub fn of_found(told: InstanceRecord, found: &Found) -> InstanceRecord {
    let binary_sha256 = found.pid.and_then(|pid| of_file(&format!("/proc/{pid}/exe")));
    let cpus = found.pid.and_then(|pid| cpus_of(pid).ok()).unwrap_or_default();
    let build_id = found.pid.and_then(of_process);
    InstanceRecord { place: Some(found.place), cpus, binary_sha256, build_id, ..told }
}

/// What runs, whoever started it: a build's program may be a script.
fn of_process(pid: u32) -> Option<String> {
    build_id(&fs::read(format!("/proc/{pid}/exe")).ok()?)
}

/// What MySQL's packages say of their source, and whoever makes a build can say of it: a line `commit: …`.
const SOURCE: &str = "docs/INFO_SRC";

fn commit_of(folder: &str) -> Option<String> {
    let text = fs::read_to_string(Path::new(folder).join(SOURCE)).ok()?;
    let commit = text.lines().find_map(|line| line.strip_prefix("commit:"))?.trim();
    (!commit.is_empty()).then(|| commit.to_string())
}

/// Writes down a server of ours that is ready.
pub fn is_ready(record: &InstanceRecord, reporter: &Reporter<'_>) -> Result<(), Trouble> {
    reporter.notebook.instance(record)?;
    let text = format!("{} {} is ready after {}", record.kind, record.version_text, record.start_time);
    reporter.note(EventKind::InstanceReady, None, text)
}
