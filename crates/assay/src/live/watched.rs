//! What is known of a lab that is watched, and when that is looked at again. Looking costs CPU that the lab measures
//! with, so the files are read on once a second and only while somebody watches; the report is drawn again, and checks
//! are put to the run under way, at most so often that neither takes more than a small share of the time.

use lab::notebook::unix_ms;
use lab::notebook::watch::Watch;
use model::live::Moment;
use model::record::series::Series;
use model::record::tally::Interval;
use model::{Details, RunId, Verdict};
use report::live::{Seen, SeenNow, SeenRun, SeenSecond};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);
/// Checks of the run under way are asked anew after so long.
const ASK_AGAIN: Duration = Duration::from_secs(5);
/// What is costly and comes by itself is done again when so many times its own length has passed.
const SPARING: u32 = 200;
/// What somebody asks for, sooner: nobody asks all the time.
const ASKED_FOR: u32 = 20;

pub struct Watched {
    folder: PathBuf,
    /// This process is the lab, and says when all is over.
    is_ours: bool,
    state: Mutex<State>,
    changed: Condvar,
    /// Streams that are open.
    pub readers: AtomicUsize,
    /// Readers who have the report.
    pub fetched: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// `None` before there is a record.
    watch: Option<Watch>,
    ahead: Vec<Verdict>,
    ask_at: Option<Instant>,
    /// The last event with its number.
    event: (u64, Arc<str>),
    page: Option<Arc<str>>,
    draw_at: Option<Instant>,
    /// The report, when all is over.
    end: Option<Arc<str>>,
}

impl Watched {
    pub fn begin(folder: PathBuf, is_ours: bool) -> Arc<Self> {
        let watched = Arc::new(Self {
            folder,
            is_ours,
            state: Mutex::default(),
            changed: Condvar::new(),
            readers: AtomicUsize::new(0),
            fetched: AtomicUsize::new(0),
        });
        let looking = Arc::clone(&watched);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(SECOND);
                if looking.readers.load(Relaxed) > 0 {
                    looking.look();
                }
            }
        });
        watched
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One look, which all readers are told.
    fn look(&self) {
        let mut state = self.state();
        if let Some(moment) = self.moment(&mut state) {
            let text = serde_json::to_string(&moment).expect("a moment is JSON");
            state.event = (state.event.0 + 1, text.into());
            self.changed.notify_all();
        }
    }

    /// As it is now; `None` before there is a record.
    fn moment(&self, state: &mut State) -> Option<Moment> {
        if state.watch.is_none() {
            state.watch = Watch::open(&self.folder, &judge::AHEAD).ok();
        }
        let State { watch, ahead, ask_at, end, .. } = state;
        let watch = watch.as_mut()?;
        watch.look();
        if watch.under_way.is_none() {
            ahead.clear();
        } else if ask_at.is_none_or(|at| Instant::now() >= at) {
            let begun = Instant::now();
            *ahead = watch.as_if_over().map_or(Vec::new(), |record| judge::ahead(&record, &Nothing));
            *ask_at = Some(Instant::now() + ASK_AGAIN.max(begun.elapsed() * SPARING));
        }
        let is_over = if self.is_ours { end.is_some() } else { !watch.is_at_work() };
        Some(report::live::moment(&seen(watch, ahead, is_over)))
    }

    /// The page as it is now, or the report when all is over, and which of the two it is.
    pub fn page(&self) -> Option<(Arc<str>, bool)> {
        let mut state = self.state();
        if let Some(end) = &state.end {
            return Some((Arc::clone(end), true));
        }
        if let Some(page) = state.page.as_ref().filter(|_| state.draw_at.is_some_and(|at| Instant::now() < at)) {
            return Some((Arc::clone(page), false));
        }
        let moment = self.moment(&mut state)?;
        let begun = Instant::now();
        let page: Arc<str> = draw(&self.folder, &moment)?.into();
        if moment.is_over {
            state.end = Some(Arc::clone(&page));
        }
        state.page = Some(Arc::clone(&page));
        state.draw_at = Some(Instant::now() + begun.elapsed() * ASKED_FOR);
        Some((page, moment.is_over))
    }

    pub fn metrics(&self) -> Option<String> {
        let mut state = self.state();
        let moment = self.moment(&mut state)?;
        let name = state.watch.as_ref().map_or("", |watch| watch.plan.name.as_str());
        Some(report::live::openmetrics(name, &moment))
    }

    /// An event per look, from the next one on, until the end is told.
    pub fn events(self: &Arc<Self>) -> Box<dyn FnMut() -> Option<Arc<str>> + Send> {
        let mut reader = Reader { watched: Arc::clone(self), heard: self.state().event.0, is_over: false };
        self.readers.fetch_add(1, Relaxed);
        Box::new(move || reader.next())
    }

    /// The report is all there is from now on.
    pub fn end(&self, page: Arc<str>) {
        self.state().end = Some(page);
        self.look();
    }
}

/// One stream. That it goes is counted, however it goes.
struct Reader {
    watched: Arc<Watched>,
    heard: u64,
    is_over: bool,
}

impl Reader {
    fn next(&mut self) -> Option<Arc<str>> {
        if self.is_over {
            return None;
        }
        let state = self.watched.state();
        let heard = self.heard;
        let waiting = self.watched.changed.wait_while(state, |state| state.event.0 == heard);
        let state = waiting.unwrap_or_else(PoisonError::into_inner);
        let (number, text) = (state.event.0, Arc::clone(&state.event.1));
        self.is_over = state.end.is_some();
        self.heard = number;
        Some(text)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.watched.readers.fetch_sub(1, Relaxed);
    }
}

/// The report so far, with the moment in it while there is more to come.
fn draw(folder: &std::path::Path, moment: &Moment) -> Option<String> {
    let (record, details) = lab::notebook::read(folder).ok()?;
    let judgement = judge::judge(&record, &details);
    Some(if moment.is_over {
        report::render(&record, &judgement, &details, report::SHELL).html
    } else {
        report::live::page(&record, &judgement, &details, report::SHELL, moment)
    })
}

fn seen<'a>(watch: &'a Watch, ahead: &'a [Verdict], is_over: bool) -> Seen<'a> {
    let over = watch.over.iter().map(|over| SeenRun {
        run: &over.run,
        ending: &over.ending,
        started_unix_ms: over.started_unix_ms,
        ended_unix_ms: over.ended_unix_ms,
        qps: over.qps,
        p99: over.p99,
    });
    let under_way = watch.under_way.as_ref().map(|now| {
        let (phase, at) = now.at().unwrap_or_default();
        let seconds = now.seconds.iter().map(|second| SeenSecond {
            number: second.number,
            statements: second.statements,
            latency: &second.latency,
        });
        SeenNow { run: &now.run, phase, at, seconds: seconds.collect(), readings: &now.readings }
    });
    Seen {
        plan: &watch.plan,
        started_unix_ms: watch.started_unix_ms,
        now_unix_ms: unix_ms(),
        what: watch
            .last
            .as_ref()
            .map_or("", |event| if event.text.is_empty() { "a run is over" } else { event.text.as_str() }),
        over: over.collect(),
        under_way,
        ahead,
        is_over,
    }
}

/// The checks of a part look at sums.
struct Nothing;

impl Details for Nothing {
    fn intervals(&self, _: &RunId) -> Vec<Interval> {
        Vec::new()
    }
    fn series(&self, _: &RunId, _: &[&str]) -> Vec<Series> {
        Vec::new()
    }
}
