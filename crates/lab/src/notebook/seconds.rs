//! What lies per second in a record, read from its folder when asked for: of each file only what was asked, and once.
//! The pages of a thousand runs are a gigabyte of text, of which a judge wants sums and a few metrics; those few
//! megabytes are kept, the rest is passed over while it is read.

use super::page;
use crate::trouble::Trouble;
use flate2::read::GzDecoder;
use model::record::moment::{self, Moment};
use model::record::profile::{STACKS, Stack, unfold};
use model::record::second::{Second, TimedSecond};
use model::record::series::Sample;
use model::record::tally::Interval;
use model::{Details, Metric, Nanos, RunId, RunRecord, Series};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Seconds and readings that are kept at most, about 200 MB of either; what a longer record has beyond is read again.
const MOST_KEPT: usize = 2_000_000;

/// The seconds of a record.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    damage: Mutex<Vec<String>>,
    kept: Mutex<ReadBefore>,
    /// By how many moments each run will be drawn, where it will be.
    moments: Option<usize>,
}

/// What was read before, by run.
#[derive(Debug, Default)]
struct ReadBefore {
    seconds: HashMap<RunId, Vec<Second>>,
    count: usize,
    /// Until they are drawn.
    moments: HashMap<RunId, Vec<Moment>>,
    /// Every metric that anybody asked for: of the next run they are all read at once.
    wanted: BTreeSet<String>,
    /// With how many metrics were wanted when they were read.
    series: HashMap<RunId, (usize, Vec<Series>)>,
}

impl Folder {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), damage: Mutex::default(), kept: Mutex::default(), moments: None }
    }
    /// These runs will also be drawn, by so many moments and these metrics. Their seconds and series are read now, once
    /// and by all CPUs, which is most of the time that reporting a long record takes.
    pub fn to_be_drawn(mut self, runs: &[RunRecord], moments: usize, metrics: &[&str]) -> Self {
        self.moments = Some(moments);
        self.kept().wanted.extend(metrics.iter().map(|metric| (*metric).to_string()));
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let read = |run: &RunRecord| {
            self.seconds(&run.id);
            self.series(&run.id, &[]);
        };
        thread::scope(|scope| {
            for part in runs.chunks(runs.len().div_ceil(threads).max(1)) {
                scope.spawn(move || part.iter().for_each(read));
            }
        });
        self
    }
    /// Pages that could be read only in part, as far as they were asked for: whoever judges from them must say so.
    pub fn damage(&self) -> Vec<String> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn kept(&self) -> MutexGuard<'_, ReadBefore> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn file(&self, run: &RunId, name: &str) -> PathBuf {
        self.path.join("runs").join(&run.0).join(name)
    }
    /// The lines, with what was wrong in them told.
    fn told<T>(&self, (lines, damage): (Vec<T>, Option<Trouble>)) -> Vec<T> {
        let mut known = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(damage) = damage.map(|d| d.to_string()).filter(|d| !known.contains(d)) {
            known.push(damage);
        }
        lines
    }
    /// The series of these metrics, or all.
    fn unfolded(&self, run: &RunId, wanted: Option<&BTreeSet<String>>) -> Vec<Series> {
        let mut unfolding = Unfolding { wanted, all: Vec::new(), sources: BTreeMap::new() };
        self.told(page::read_by(&self.file(run, "series.jsonl"), |text| unfolding.line(text).map(|()| None::<()>)));
        unfolding.all
    }
    fn timed_seconds(&self, run: &RunId) -> Vec<TimedSecond> {
        self.intervals_as(run, |s: &TimedSecond| s.from)
    }
    fn intervals_as<T: DeserializeOwned + Send>(&self, run: &RunId, from: impl Fn(&T) -> Nanos) -> Vec<T> {
        let mut intervals = self.told(page::read(&self.file(run, "intervals.jsonl")));
        intervals.sort_by_key(|i| from(i));
        intervals
    }
}

impl Details for Folder {
    fn stacks(&self, run: &RunId) -> Result<Vec<Stack>, String> {
        let path = self.file(run, STACKS);
        let bad = |why: &dyn std::fmt::Display| format!("{}: {why}; profile the cell again", path.display());
        let mut text = String::new();
        let packed = File::open(&path).map_err(|e| bad(&e))?;
        GzDecoder::new(packed).read_to_string(&mut text).map_err(|e| bad(&e))?;
        unfold(&text).map_err(|line| bad(&format!("damaged at line {line}")))
    }
    fn intervals(&self, run: &RunId) -> Vec<Interval> {
        self.intervals_as(run, |i: &Interval| i.from)
    }
    fn seconds(&self, run: &RunId) -> Vec<Second> {
        if let Some(seconds) = self.kept().seconds.get(run) {
            return seconds.clone();
        }
        let (seconds, moments) = match self.moments {
            None => (self.intervals_as(run, |s: &Second| s.from), None),
            Some(count) => {
                let timed = self.timed_seconds(run);
                (timed.iter().map(TimedSecond::sums).collect(), Some(moment::thinned(&timed, count)))
            }
        };
        let mut kept = self.kept();
        kept.moments.extend(moments.map(|moments| (run.clone(), moments)));
        if kept.count + seconds.len() <= MOST_KEPT {
            kept.count += seconds.len();
            kept.seconds.insert(run.clone(), seconds.clone());
        }
        seconds
    }
    fn moments(&self, run: &RunId, count: usize) -> Vec<Moment> {
        let kept = (self.moments == Some(count)).then(|| self.kept().moments.remove(run)).flatten();
        kept.unwrap_or_else(|| moment::thinned(&self.timed_seconds(run), count))
    }
    fn series(&self, run: &RunId, metrics: &[&str]) -> Vec<Series> {
        let unread = self.kept().unread(run, metrics);
        if let Some(wanted) = unread {
            let series = self.unfolded(run, Some(&wanted));
            self.kept().series.insert(run.clone(), (wanted.len(), series));
        }
        let kept = self.kept();
        let all = kept.series[run].1.iter();
        all.filter(|s| metrics.contains(&s.metric.name.as_str())).cloned().collect()
    }
    fn all_series(&self, run: &RunId) -> Vec<Series> {
        self.unfolded(run, None)
    }
}

impl ReadBefore {
    /// All that anybody wants, where it must be read for these metrics of that run.
    fn unread(&mut self, run: &RunId, metrics: &[&str]) -> Option<BTreeSet<String>> {
        for metric in metrics {
            if !self.wanted.contains(*metric) {
                self.wanted.insert((*metric).to_string());
            }
        }
        let is_kept = self.series.get(run).is_some_and(|(then, _)| *then == self.wanted.len());
        (!is_kept).then(|| self.wanted.clone())
    }
}

/// Series from lines that carry changes only: a column without a change in a sample keeps its value.
struct Unfolding<'a> {
    /// `None` wants all.
    wanted: Option<&'a BTreeSet<String>>,
    all: Vec<Series>,
    /// Those with a column that is wanted.
    sources: BTreeMap<String, Vec<Column>>,
}

struct Column {
    /// Its series among all, where it is wanted.
    place: Option<usize>,
    last: Option<f64>,
}

/// A line as far as it must be understood to know whether it is wanted.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Lean<'a> {
    #[serde(borrow)]
    Source(Source<'a>),
    Sample(Sample),
}

#[derive(Deserialize)]
struct Source<'a> {
    source: String,
    #[serde(borrow)]
    metrics: Vec<LeanMetric<'a>>,
}

#[derive(Deserialize)]
struct LeanMetric<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    unit: model::record::series::Unit,
    shape: model::record::series::Shape,
}

/// How a line begins that is a sample.
const SAMPLE: &[u8] = br#"{"sample":{"source":""#;

impl Unfolding<'_> {
    fn line(&mut self, text: &[u8]) -> serde_json::Result<()> {
        if self.is_of_no_use(text) {
            return Ok(());
        }
        match serde_json::from_slice(text)? {
            Lean::Source(Source { source, metrics }) => self.begin(&source, metrics),
            Lean::Sample(sample) => self.sample(sample),
        }
        Ok(())
    }

    /// A whole sample of a source of which nothing is wanted.
    fn is_of_no_use(&self, text: &[u8]) -> bool {
        let Some(rest) = text.strip_prefix(SAMPLE) else { return false };
        let end = rest.iter().position(|b| *b == b'"').unwrap_or(rest.len());
        let source = std::str::from_utf8(&rest[..end]).unwrap_or_default();
        text.ends_with(b"}}\n") && !self.sources.contains_key(source)
    }

    fn begin(&mut self, source: &str, metrics: Vec<LeanMetric>) {
        let column = |metric: LeanMetric| {
            let place = self.wanted.is_none_or(|wanted| wanted.contains(&*metric.name)).then(|| {
                let metric = Metric { name: metric.name.into_owned(), unit: metric.unit, shape: metric.shape };
                self.all.iter().position(|s| s.metric == metric).unwrap_or_else(|| {
                    self.all.push(Series { metric, readings: vec![] });
                    self.all.len() - 1
                })
            });
            Column { place, last: None }
        };
        let columns: Vec<_> = metrics.into_iter().map(column).collect();
        if columns.iter().any(|column| column.place.is_some()) {
            self.sources.insert(source.to_string(), columns);
        } else {
            self.sources.remove(source);
        }
    }

    fn sample(&mut self, sample: Sample) {
        let Some(columns) = self.sources.get_mut(&sample.source) else { return };
        for (column, value) in sample.changed {
            if let Some(column) = columns.get_mut(column as usize) {
                column.last = Some(value);
            }
        }
        for column in columns {
            if let (Some(place), Some(value)) = (column.place, column.last) {
                self.all[place].readings.push((sample.at, value));
            }
        }
    }
}
