//! The replays of one comparison: both servers in turn, block by block, each on a fresh copy of the same data; then
//! each is asked about every statement. All of it is written down as it goes, so that the same command goes on where
//! it was cut off: `runs/NN-which.json` and `.heard` of each replay, `asked-which.json` of each server.

use super::data::{Data, Needed};
use super::look;
use super::player::{Manner, Pace, Played, play};
use super::position;
use super::script::{MASKED, Script};
use super::servers::{Servers, Side};
use crate::notebook::reporter::{Progress, left};
use crate::os::procfs::cpu_of;
use crate::provision::snapshots::StoredSnapshot;
use crate::trouble::Trouble;
use model::Nanos;
use model::upgrade::{Asked, Heard, Observed, Refusal, Replay, Run, UPGRADE_SCHEMA, Which};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What is said of every upgrade on such data.
const SYNTHETIC: &str = "The rows are synthetic, made of statistics: the builds' answers were compared with each other \
    and not with the trace's, and times are those of such rows.";

pub struct Comparison<'a> {
    pub script: Rc<Script>,
    pub data: Data,
    pub from: Side,
    pub to: Side,
    pub pace: Pace,
    pub blocks: u32,
    pub folder: &'a Path,
    pub stop: &'a AtomicBool,
    pub progress: &'a RefCell<dyn Progress>,
}

impl Comparison<'_> {
    pub fn carry_out(&self, servers: &Servers) -> Result<Observed, Trouble> {
        let runs = self.folder.join("runs");
        fs::create_dir_all(&runs).map_err(Trouble::at("making", &runs))?;
        let needed = Needed::of(&self.script, &self.data)?;
        let kept = |side| servers.kept(side, &self.data, &needed, self.stop, self.progress);
        let kept = [kept(&self.from)?, kept(&self.to)?];
        let mut replays = Vec::new();
        for run in self.runs() {
            let replay = self.replay(servers, &kept, run)?;
            let ended = replay.ended.is_some();
            replays.push(replay);
            if ended {
                break;
            }
        }
        let schemas: Vec<String> = needed.schemas.iter().cloned().collect();
        let [from, to] = Which::BOTH.map(|which| self.asked(servers, &kept, which, &schemas));
        Ok(Observed {
            schema: UPGRADE_SCHEMA,
            trace: String::new(),
            data: String::new(),
            pace: match self.pace {
                Pace::Fast => "as fast as it goes".into(),
                Pace::Times(1.0) => "as captured".into(),
                Pace::Times(times) => format!("{times} × as captured"),
            },
            sessions: self.script.sessions.len() as u32,
            statements: self.script.count() as u64,
            limits: self.limits(),
            digests: self.script.digests.clone(),
            replays,
            from: from?,
            to: to?,
        })
    }

    fn limits(&self) -> Vec<String> {
        let synthetic = self.is_synthetic().then(|| SYNTHETIC.to_string());
        let known = self.script.limits.iter().filter(|limit| !(self.is_synthetic() && limit.starts_with(MASKED)));
        let taken = position::told(&self.data, self.script.first);
        synthetic.into_iter().chain(taken).chain(known.cloned()).collect()
    }

    /// Who goes first changes with every block.
    pub fn runs(&self) -> impl Iterator<Item = Run> {
        (1..=self.blocks).flat_map(|block| {
            let order = if block % 2 == 1 { [Which::From, Which::To] } else { [Which::To, Which::From] };
            order.map(|which| Run { block, which })
        })
    }

    fn say(&self, what: &str) {
        self.progress.borrow_mut().say(what);
    }

    fn is_synthetic(&self) -> bool {
        matches!(self.data, Data::Statistics(_))
    }

    fn side(&self, which: Which) -> &Side {
        match which {
            Which::From => &self.from,
            Which::To => &self.to,
        }
    }

    fn replay(&self, servers: &Servers, kept: &[StoredSnapshot; 2], run: Run) -> Result<Replay, Trouble> {
        let (told, heard) = (file(self.folder, run, "json"), file(self.folder, run, "heard"));
        if let Some(known) = read::<Replay>(&told).filter(|_| heard.exists()) {
            return Ok(known);
        }
        let side = self.side(run.which);
        self.say(&format!("replay {} of {}: {}", run.block, self.blocks, side.name));
        let serving = servers.start(side, &kept[run.which as usize], self.stop)?;
        let fault = |fault| Trouble::new(format!("{} does not say what it counts", side.name)).because(fault);
        let pid = serving.instance.pid();
        let (before, cpu) = (look::counted(&serving.endpoint).map_err(fault)?, cpu_of(pid));
        let collations = look::collations(&serving.endpoint).map_err(fault)?;
        let begun = Instant::now();
        let of = self.script.count() as u64;
        let at = |done: u64| {
            self.progress.borrow_mut().at(done, of, &format!("statements, {}", side.name), left(begun, done, of));
        };
        let manner = Manner { pace: self.pace, is_compared: !self.is_synthetic(), stop: self.stop, at: &at };
        let passing = heard.with_extension("tmp");
        let played = play(&self.script, &serving.endpoint, collations, &manner, &passing)?;
        let cpu = cpu.zip(cpu_of(pid)).map(|(before, after)| Nanos(((after - before) * 1e9) as u64));
        // A server that is gone counts nothing any more; that it went is in the answers.
        let after = look::counted(&serving.endpoint).unwrap_or_default();
        let counted =
            after.into_iter().filter_map(|(name, n)| Some((name.clone(), n.checked_sub(*before.get(&name)?)?)));
        let replay = self.told(run, &played, cpu, counted.collect());
        serving.stop();
        fs::rename(&passing, &heard).map_err(Trouble::at("writing", &heard))?;
        keep(&told, &replay)?;
        Ok(replay)
    }

    fn told(&self, run: Run, played: &Played, cpu: Option<Nanos>, counted: BTreeMap<String, u64>) -> Replay {
        let sums = &played.sums;
        let errors = played.errors.iter();
        let mut errors: Vec<Refusal> = errors
            .map(|((digest, number), text)| Refusal { digest: *digest, number: *number, text: text.clone() })
            .collect();
        errors.sort_by_key(|error| (error.digest, error.number));
        Replay {
            run,
            wall: played.wall,
            captured: Nanos(self.script.length),
            asked: sums.asked,
            not_asked: self.script.count() as u64 - sums.asked,
            unexpected: sums.unexpected,
            misfits: played.misfits,
            out_of_order: sums.out_of_order,
            server_cpu: cpu,
            own_cpu: played.own_cpu,
            own_starved: played.own_starved,
            service: sums.service,
            captured_service: sums.captured_service,
            lag: sums.lag,
            wait: sums.wait,
            stalls: played.stalls.clone(),
            errors,
            counted,
            ended: played.ended.clone(),
        }
    }

    fn asked(
        &self,
        servers: &Servers,
        kept: &[StoredSnapshot; 2],
        which: Which,
        schemas: &[String],
    ) -> Result<Asked, Trouble> {
        let path = self.folder.join(format!("asked-{}.json", which.name()));
        if let Some(known) = read(&path) {
            return Ok(known);
        }
        let side = self.side(which);
        self.say(&format!("asking {} about {} statements", side.name, self.script.digests.len()));
        let serving = servers.start(side, &kept[which as usize], self.stop)?;
        let asked = look::asked(&self.script, &serving, side, schemas)?;
        serving.stop();
        keep(&path, &asked)?;
        Ok(asked)
    }
}

fn file(folder: &Path, run: Run, ending: &str) -> PathBuf {
    folder.join("runs").join(format!("{:02}-{}.{ending}", run.block, run.which.name()))
}

fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// At once or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Trouble> {
    let passing = path.with_extension("tmp");
    let written = File::create(&passing).and_then(|mut file| file.write_all(bytes));
    written.and_then(|()| fs::rename(&passing, path)).map_err(Trouble::at("writing", path))
}

pub fn keep<T: Serialize>(path: &Path, value: &T) -> Result<(), Trouble> {
    write(path, (serde_json::to_string_pretty(value).expect("these values are JSON") + "\n").as_bytes())
}

/// Hands on what each statement heard in these replays, side by side, one statement after the other.
pub fn each_heard(
    folder: &Path,
    runs: &[Run],
    statements: usize,
    hand: &mut dyn FnMut(usize, &[Heard]),
) -> Result<(), Trouble> {
    let mut files = Vec::new();
    for run in runs {
        let path = file(folder, *run, "heard");
        files.push((BufReader::new(File::open(&path).map_err(Trouble::at("opening", &path))?), path));
    }
    let mut heard = vec![Heard::default(); runs.len()];
    let mut bytes = [0; Heard::BYTES];
    for statement in 0..statements {
        for ((from, path), heard) in files.iter_mut().zip(&mut heard) {
            from.read_exact(&mut bytes).map_err(Trouble::at("reading", path))?;
            *heard = Heard::read(&bytes);
        }
        hand(statement, &heard);
    }
    Ok(())
}
