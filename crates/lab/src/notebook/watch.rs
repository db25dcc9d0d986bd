//! A record folder followed while somebody writes it: which runs are over, and what the one under way has done so far.
//! Only what was appended since the last look is read, so that watching costs little, and nothing of the folder is
//! locked or changed. The run under way is told as if it ended now, which is how a judge can say what is about to fail.

use super::LOCK;
use super::page::read_json;
use super::reading;
use crate::trouble::Trouble;
use model::load::PhaseKind;
use model::plan::{Plan, PlannedRun};
use model::record::RECORD_SCHEMA;
use model::record::run::{Ends, GroupRecord, PhaseRecord};
use model::record::series::{Line, Sample};
use model::record::tally::Interval;
use model::{Ending, Event, EventKind, Histogram, Nanos, Record, RunId, RunRecord};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Seconds of the run under way that are kept one by one.
pub const SECONDS: usize = 120;
const SECOND: u64 = 1_000_000_000;

pub struct Watch {
    folder: PathBuf,
    pub plan: Plan,
    /// Counters that are followed.
    wanted: BTreeSet<String>,
    notes: Tail,
    /// Runs that are over, in the order in which that was seen.
    pub over: Vec<Over>,
    pub under_way: Option<UnderWay>,
    /// The last event that was told.
    pub last: Option<Event>,
    /// When this lab began, or began again.
    pub started_unix_ms: u64,
    pub is_stopped: bool,
}

/// What is kept of a run that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    pub run: RunId,
    pub ending: Ending,
    pub started_unix_ms: u64,
    pub ended_unix_ms: u64,
    pub qps: Option<f64>,
    pub p99: Option<Nanos>,
}

/// The run under way, up to the last line that was written.
pub struct UnderWay {
    pub run: RunId,
    intervals: Tail,
    series: Tail,
    /// In the order in which they began.
    phases: Vec<PhaseRecord>,
    pub seconds: VecDeque<Second>,
    /// By source, its columns.
    columns: BTreeMap<String, Vec<Option<String>>>,
    pub readings: BTreeMap<String, Vec<(Nanos, f64)>>,
}

/// What all workers did in one second of a run.
pub struct Second {
    /// Since the start of the run's first phase.
    pub number: u64,
    pub statements: u64,
    pub latency: Histogram,
}

impl Watch {
    pub fn open(folder: &Path, wanted: &[&str]) -> Result<Self, Trouble> {
        let plan: Plan = read_json(&folder.join("plan.json"))
            .map_err(|e| e.mend("name the folder of a record that assay run began"))?;
        let mut watch = Self {
            folder: folder.to_path_buf(),
            plan,
            wanted: wanted.iter().map(ToString::to_string).collect(),
            notes: Tail::of(folder.join("notes.jsonl")),
            over: Vec::new(),
            under_way: None,
            last: None,
            started_unix_ms: 0,
            is_stopped: false,
        };
        // What an earlier lab ended before its last word.
        for planned in watch.plan.runs.clone() {
            watch.is_over(&planned.id);
        }
        watch.over.sort_by_key(|over| over.ended_unix_ms);
        watch.look();
        Ok(watch)
    }

    /// Reads on. What cannot be read yet is read at the next look.
    pub fn look(&mut self) {
        for event in self.notes.lines::<Event>() {
            self.heard(event);
        }
        let (Some(run), plan) = (&mut self.under_way, &self.plan) else { return };
        let kind = |run: &RunId, phase: &str| {
            let planned = plan.runs.iter().find(|planned| planned.id == *run);
            let cell = planned.map(|planned| plan.cell(&planned.cell));
            let phase = cell.and_then(|cell| cell.phases.iter().find(|of| of.name == phase));
            phase.map_or(PhaseKind::Measure, |phase| phase.kind)
        };
        for interval in run.intervals.lines::<Interval>() {
            let kind = kind(&run.run, &interval.phase);
            run.add(interval, kind);
        }
        for line in run.series.lines::<Line>() {
            match line {
                Line::Source { source, metrics } => {
                    let name = |name: String| Some(name).filter(|name| self.wanted.contains(name));
                    run.columns.insert(source, metrics.into_iter().map(|metric| name(metric.name)).collect());
                }
                Line::Sample(sample) => run.read(sample),
            }
        }
    }

    fn heard(&mut self, event: Event) {
        match (event.kind, &event.run) {
            (EventKind::LabStarted, _) => {
                (self.started_unix_ms, self.is_stopped) = (event.unix_ms, false);
            }
            (EventKind::LabStopped, _) => (self.is_stopped, self.under_way) = (true, None),
            (EventKind::RunStarted, Some(run)) => {
                self.under_way = Some(UnderWay::of(run.clone(), &self.folder.join("runs").join(&run.0)));
            }
            (EventKind::RunDone | EventKind::RunFailed | EventKind::RunSkipped, Some(run)) => {
                self.under_way = None;
                self.is_over(&run.clone());
            }
            (EventKind::RunInterrupted, _) => self.under_way = None,
            (EventKind::RunRepeated, Some(run)) => self.over.retain(|over| over.run != *run),
            (_, _) => {}
        }
        self.last = Some(event);
    }

    fn is_over(&mut self, id: &RunId) {
        let path = self.folder.join("runs").join(&id.0).join("run.json");
        let known = self.over.iter().any(|over| over.run == *id);
        if !known && let Ok(run) = read_json::<RunRecord>(&path) {
            self.over.push(Over::of(&run));
        }
    }

    /// Whether the lab that holds the folder is still there: one that was killed had no last word.
    pub fn is_at_work(&self) -> bool {
        let holder = std::fs::read_to_string(self.folder.join(LOCK)).unwrap_or_default();
        !self.is_stopped && holder.trim().parse::<u32>().is_ok_and(|pid| Path::new(&format!("/proc/{pid}")).exists())
    }

    /// The record as if the run under way had ended now, and were its only one.
    pub fn as_if_over(&self) -> Option<Record> {
        let under_way = self.under_way.as_ref()?;
        let planned = self.plan.runs.iter().find(|planned| planned.id == under_way.run)?;
        let run = under_way.as_if_over(planned);
        reading::of_run(&self.folder, self.plan.clone(), run).ok()
    }
}

impl Over {
    fn of(run: &RunRecord) -> Self {
        let measured: Vec<&PhaseRecord> = run.measured().filter(|phase| phase.to > phase.from).collect();
        let seconds: f64 = measured.iter().map(|phase| phase.length().seconds()).sum();
        let groups = || measured.iter().flat_map(|phase| phase.groups.values());
        let calls: u64 = groups().flat_map(|group| group.tally.statements.values()).map(|s| s.calls).sum();
        let mut latency = Histogram::new();
        groups().flat_map(|group| group.tally.operations.values()).for_each(|o| latency.merge(&o.latency));
        Self {
            run: run.id.clone(),
            ending: run.ending.clone(),
            started_unix_ms: run.started_unix_ms,
            ended_unix_ms: run.ended_unix_ms,
            qps: (seconds > 0.0).then(|| calls as f64 / seconds),
            p99: latency.percentile(99.0),
        }
    }
}

impl UnderWay {
    fn of(run: RunId, folder: &Path) -> Self {
        Self {
            run,
            intervals: Tail::of(folder.join("intervals.jsonl")),
            series: Tail::of(folder.join("series.jsonl")),
            phases: Vec::new(),
            seconds: VecDeque::new(),
            columns: BTreeMap::new(),
            readings: BTreeMap::new(),
        }
    }

    /// The phase that was last counted in, and until when.
    pub fn at(&self) -> Option<(&str, Nanos)> {
        self.phases.iter().max_by_key(|phase| phase.to).map(|phase| (phase.name.as_str(), phase.to))
    }

    fn add(&mut self, interval: Interval, kind: PhaseKind) {
        let Interval { from, to, phase, group, tally } = interval;
        let number = (from.0 + to.0) / 2 / SECOND;
        let at = self.seconds.iter().position(|second| second.number == number).unwrap_or_else(|| {
            self.seconds.push_back(Second { number, statements: 0, latency: Histogram::new() });
            self.seconds.len() - 1
        });
        self.seconds[at].statements += tally.statements.values().map(|s| s.calls).sum::<u64>();
        tally.operations.values().for_each(|o| self.seconds[at].latency.merge(&o.latency));
        while self.seconds.len() > SECONDS {
            self.seconds.pop_front();
        }
        let at = self.phases.iter().position(|known| known.name == phase).unwrap_or_else(|| {
            let (groups, counters) = (BTreeMap::new(), BTreeMap::new());
            let name = phase;
            self.phases.push(PhaseRecord {
                name,
                kind,
                disturb: None,
                disturbance: None,
                settled: None,
                from,
                to,
                groups,
                counters,
            });
            self.phases.len() - 1
        });
        let phase = &mut self.phases[at];
        (phase.from, phase.to) = (phase.from.min(from), phase.to.max(to));
        let blank = || GroupRecord { users: 0, workload: String::new(), tally: Default::default() };
        phase.groups.entry(group).or_insert_with(blank).tally.merge(&tally);
    }

    fn read(&mut self, sample: Sample) {
        let Some(columns) = self.columns.get(&sample.source) else { return };
        let changed: BTreeMap<u32, f64> = sample.changed.into_iter().collect();
        for (at, name) in columns.iter().enumerate() {
            let Some(name) = name else { continue };
            let readings = self.readings.entry(name.clone()).or_default();
            // What did not change stays as it was.
            if let Some(value) = changed.get(&(at as u32)).copied().or(readings.last().map(|(_, last)| *last)) {
                readings.push((sample.at, value));
            }
        }
    }

    fn as_if_over(&self, planned: &PlannedRun) -> RunRecord {
        let ends = |readings: &[(Nanos, f64)], phase: &PhaseRecord| {
            let within = || readings.iter().filter(|(at, _)| *at >= phase.from && *at <= phase.to);
            let ((begin_at, begin), (end_at, end)) = (*within().next()?, *within().next_back()?);
            (end_at > begin_at).then_some(Ends { begin, end, begin_at, end_at })
        };
        let phase = |phase: &PhaseRecord| {
            let counters = self.readings.iter().filter_map(|(name, all)| Some((name.clone(), ends(all, phase)?)));
            PhaseRecord { counters: counters.collect(), ..phase.clone() }
        };
        RunRecord {
            schema: RECORD_SCHEMA,
            id: planned.id.clone(),
            cell: planned.cell.clone(),
            repetition: planned.repetition,
            block: planned.block,
            position: 0,
            seed: planned.seed,
            trial: None,
            explain: None,
            profile: None,
            ending: Ending::Done,
            started_unix_ms: 0,
            ended_unix_ms: 0,
            instance: None,
            dataset: None,
            more_datasets: Vec::new(),
            io: String::new(),
            workers: 0,
            load_cpus: Vec::new(),
            session: Default::default(),
            more_sessions: BTreeMap::new(),
            start: None,
            states: None,
            phases: self.phases.iter().map(phase).collect(),
            around: None,
            whole: Default::default(),
            ranks: Vec::new(),
            audits: Vec::new(),
        }
    }
}

/// A file of lines that grows.
struct Tail {
    path: PathBuf,
    file: Option<File>,
    /// Bytes of whole lines that were read.
    read: u64,
}

impl Tail {
    fn of(path: PathBuf) -> Self {
        Self { path, file: None, read: 0 }
    }

    /// The lines since the last time; none that is not whole yet.
    fn lines<T: DeserializeOwned>(&mut self) -> Vec<T> {
        let mut bytes = Vec::new();
        if self.file.is_none() {
            self.file = File::open(&self.path).ok();
        }
        let Some(file) = &mut self.file else { return Vec::new() };
        let is_read = file.seek(SeekFrom::Start(self.read)).and_then(|_| file.read_to_end(&mut bytes)).is_ok();
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        if !is_read || whole == 0 {
            return Vec::new();
        }
        self.read += whole as u64;
        let lines = bytes[..whole].split(|b| *b == b'\n').filter(|line| !line.is_empty());
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}
