//! A logical backup beside the load: the dump program of the build reads every row of the run's data in one snapshot,
//! and its output is counted and thrown away. It is begun again as often as it ends, and ended with the phase. What it
//! asks of the server nobody counts, so check `counts_agree` cannot be evaluated in its run.

use super::scene::seconds;
use super::scene::target::Dump;
use super::{Deed, Disturbance, Scene};
use crate::trouble::Trouble;
use model::{Bytes, DisturbanceWords};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const DISTURBANCE: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "logical_backup",
        "mariadb-dump, mysqldump or pg_dump of the run's data in one transaction, its output counted and thrown away",
        &[],
    ),
    act,
};

const LOOK: Duration = Duration::from_millis(20);

fn act(scene: &Scene) -> Result<Deed, Trouble> {
    if scene.place.schemas.is_empty() {
        return Err(Trouble::new("there is nothing to back up: this run has no data"));
    }
    *scene.has_uncounted.borrow_mut() = true;
    let how = scene.place.target.dump(&scene.place.schemas);
    let (program, begun) = (program(scene, how.programs)?, Instant::now());
    let (mut bytes, mut whole, mut last) = (0, 0_u32, 0);
    while !scene.bell.has_rung() {
        let dump = dump(scene, &program, &how)?;
        bytes += dump.bytes;
        if dump.is_whole {
            (whole, last) = (whole + 1, dump.bytes);
        }
    }
    let each = if whole > 0 { format!(", {} each", Bytes(last)) } else { String::new() };
    let sentence = format!("{} backups were made whole{each}, {} read in {} s.", whole, Bytes(bytes), seconds(begun));
    let failed = (bytes == 0).then(|| "no byte of a backup came".to_string());
    let facts = [("bytes", bytes as f64), ("whole", f64::from(whole))].into_iter().collect();
    Ok(Deed { sentence, facts, failed })
}

/// The build's own program, or else the distribution's.
fn program(scene: &Scene, names: &'static [&'static str]) -> Result<PathBuf, Trouble> {
    let of_build = scene.place.build.iter().flat_map(|build| {
        let basedir = PathBuf::from(&build.installed.basedir);
        names.iter().map(move |name| basedir.join("bin").join(name))
    });
    let others = names.iter().map(|name| PathBuf::from("/usr/bin").join(name));
    of_build.chain(others).find(|path| path.exists()).ok_or_else(|| {
        Trouble::new(format!("no program makes a backup here: there is no {}", names.join(" and no ")))
            .mend("install the client programs of the build, as mariadb-client or postgresql-client")
    })
}

struct Dumped {
    bytes: u64,
    is_whole: bool,
}

fn dump(scene: &Scene, program: &Path, how: &Dump) -> Result<Dumped, Trouble> {
    let mut child = Dumping(start(scene, program, how)?);
    let mut out = child.0.stdout.take().expect("stdout is piped");
    let reading = std::thread::spawn(move || {
        let (mut buffer, mut bytes) = (vec![0; 1 << 16], 0_u64);
        loop {
            match out.read(&mut buffer) {
                Ok(0) | Err(_) => return bytes,
                Ok(n) => bytes += n as u64,
            }
        }
    });
    let ended = loop {
        match child.0.try_wait().map_err(|e| Trouble::new("waiting for the backup").because(e))? {
            Some(status) => break Some(status),
            None if scene.bell.wait(LOOK) => break None,
            None => {}
        }
    };
    let mut complaint = String::new();
    if ended.is_some_and(|status| !status.success()) {
        let told = child.0.stderr.take().expect("stderr is piped").read_to_string(&mut complaint);
        complaint = told.map_or_else(|e| e.to_string(), |_| complaint.trim().to_string());
    }
    drop(child);
    let bytes = reading.join().expect("it does not panic");
    match ended {
        Some(status) if !status.success() && !scene.bell.has_rung() => {
            Err(Trouble::new(format!("{} ended with {status}: {complaint}", program.display())))
        }
        ended => Ok(Dumped { bytes, is_whole: ended.is_some_and(|status| status.success()) }),
    }
}

/// A program that ends with this value.
struct Dumping(Child);

impl Drop for Dumping {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(scene: &Scene, program: &Path, how: &Dump) -> Result<Child, Trouble> {
    let launcher = scene.place.build.iter().filter(|b| program.starts_with(&b.installed.basedir));
    let words: Vec<PathBuf> =
        launcher.flat_map(|b| &b.launcher).map(PathBuf::from).chain([program.to_path_buf()]).collect();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(&how.arguments).env(how.password.0, how.password.1);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(Trouble::at("starting", program))
}
