//! When sources are read: at every mark, and once a second in between, by a thread of its own that sleeps otherwise. A
//! mark is a moment that its owner names (the end of a phase is also the beginning of the next), and it is read at
//! once: about 0.1 ms until the first source, plus the rest of a reading of the second when one is under way, and the
//! seconds lie half a second away from the start so that marks at whole seconds never meet one. Each value carries its
//! own moment.

use crate::notebook::Page;
use crate::os::clock;
use crate::samplers::{Occasion, Reading, Source};
use crate::trouble::Trouble;
use model::record::run::Ends;
use model::record::series::{Line, Sample};
use model::record::state::State;
use model::{Metric, Nanos};
use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

const SECOND: Nanos = Nanos::from_secs(1);
const FIRST: Nanos = Nanos::from_millis(500);

/// Values by metric with the moments at which they were read, on the lab's clock.
pub type Readings = BTreeMap<String, (f64, Nanos)>;

/// A mark that was set; its reading is under way.
#[derive(Debug)]
pub struct Mark(Receiver<Readings>);

impl Mark {
    pub fn wait(self) -> Readings {
        self.0.recv().expect("sampling outlives its marks")
    }
}

/// What two marks say about the time between them; `start` is the start of the run. Metrics that were not read at both
/// are absent.
pub fn between(begin: &Readings, end: &Readings, start: Nanos) -> BTreeMap<String, Ends> {
    let since = |at: Nanos| Nanos(at.0.saturating_sub(start.0));
    begin
        .iter()
        .filter_map(|(name, (a, a_at))| {
            let (b, b_at) = end.get(name)?;
            Some((name.clone(), Ends { begin: *a, end: *b, begin_at: since(*a_at), end_at: since(*b_at) }))
        })
        .collect()
}

/// What was counted in several windows, one behind the other, without what was counted between them. Counters that one
/// of them lacks are absent.
pub fn together(windows: Vec<BTreeMap<String, Ends>>) -> BTreeMap<String, Ends> {
    let both = |mut all: BTreeMap<String, Ends>, next: BTreeMap<String, Ends>| {
        all.retain(|name, _| next.contains_key(name));
        for (name, ends) in &mut all {
            ends.end += next[name].delta();
            ends.end_at = next[name].end_at;
        }
        all
    };
    windows.into_iter().reduce(both).unwrap_or_default()
}

enum Order {
    Mark(Sender<Readings>),
    Start(Nanos, bool),
}

/// The sampling of one run.
pub struct Sampling {
    orders: Sender<Order>,
    thread: JoinHandle<Sampled>,
}

/// What sampling leaves.
pub struct Sampled {
    /// What was not available, told once per thing, as sentences.
    pub missing: Vec<String>,
    /// What held while it went on.
    pub states: Vec<State>,
    /// Whether all was written.
    pub written: Result<(), Trouble>,
}

impl Sampling {
    /// Starts the thread; `sources` are made there, because a session stays with its thread.
    pub fn begin(sources: impl FnOnce() -> Vec<Box<dyn Source>> + Send + 'static, page: Page<Line>) -> Self {
        let (orders, receiver) = channel();
        let thread = std::thread::Builder::new()
            .name("sampling".into())
            .spawn(move || {
                let book = Book { page, columns: HashMap::new(), start: None, result: Ok(()) };
                Sampler { sources: sources(), book, complaints: BTreeMap::new() }.work(&receiver)
            })
            .expect("a machine that runs a load has room for one more thread");
        Self { orders, thread }
    }

    /// Reads everything now.
    pub fn mark(&self) -> Mark {
        let (sender, receiver) = channel();
        self.order(Order::Mark(sender));
        Mark(receiver)
    }

    /// Says when the run's first phase starts or started; from then on what is read is written down, with `seconds`
    /// once a second besides.
    pub fn start(&self, start: Nanos, seconds: bool) {
        self.order(Order::Start(start, seconds));
    }

    /// Ends the thread.
    pub fn finish(self) -> Sampled {
        drop(self.orders);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn order(&self, order: Order) {
        self.orders.send(order).expect("sampling ends only when it is finished");
    }
}

struct Sampler {
    sources: Vec<Box<dyn Source>>,
    book: Book,
    /// By what is missing, why.
    complaints: BTreeMap<String, String>,
}

impl Sampler {
    fn work(mut self, orders: &Receiver<Order>) -> Sampled {
        let mut next: Option<Nanos> = None;
        loop {
            let order = match next {
                None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(next) => orders.recv_timeout(Duration::from_nanos(next.0.saturating_sub(clock::now().0))),
            };
            match order {
                Ok(Order::Mark(answer)) => {
                    // An owner that no longer wants the answer has given up the run.
                    let _ = answer.send(self.read(Occasion::Mark));
                }
                Ok(Order::Start(start, seconds)) => {
                    self.book.start = Some(start);
                    next = seconds.then_some(Nanos(start.0 + FIRST.0));
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.read(Occasion::Second);
                    // Seconds that passed meanwhile are left out, not made up for.
                    next = next.map(|n| Nanos(n.0 + SECOND.0 * (1 + clock::now().0.saturating_sub(n.0) / SECOND.0)));
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let missing = self.complaints.iter().map(|(what, why)| format!("{what} not available: {why}")).collect();
        let states = self.sources.iter_mut().flat_map(|source| source.states()).collect();
        Sampled { missing, states, written: self.book.close() }
    }

    fn read(&mut self, occasion: Occasion) -> Readings {
        let mut all = Readings::new();
        for source in &mut self.sources {
            let mut reading = Reading::default();
            source.read(occasion, &mut reading);
            reading.at = clock::now();
            for (what, why) in reading.missing.drain(..) {
                self.complaints.entry(what).or_insert(why);
            }
            all.extend(reading.values.iter().map(|(metric, value)| (metric.name.clone(), (*value, reading.at))));
            self.book.write(source.name(), reading);
        }
        all
    }
}

/// The page of series with what each source wrote last.
struct Book {
    page: Page<Line>,
    columns: HashMap<String, (Vec<Metric>, Vec<f64>)>,
    start: Option<Nanos>,
    result: Result<(), Trouble>,
}

impl Book {
    fn write(&mut self, source: &str, reading: Reading) {
        let Some(start) = self.start.filter(|_| !reading.values.is_empty()) else { return };
        let (metrics, values): (Vec<_>, Vec<_>) = reading.values.into_iter().unzip();
        let (known, last) = self.columns.entry(source.to_string()).or_default();
        let all = *known != metrics;
        let changed = |(i, v): (usize, &f64)| (all || last.get(i) != Some(v)).then_some((i as u32, *v));
        let changed = values.iter().enumerate().filter_map(changed).collect();
        let mut lines = Vec::new();
        if all {
            known.clone_from(&metrics);
            lines.push(Line::Source { source: source.to_string(), metrics });
        }
        *last = values;
        let at = Nanos(reading.at.0.saturating_sub(start.0));
        lines.push(Line::Sample(Sample { source: source.to_string(), at, changed }));
        for line in lines {
            if self.result.is_ok() {
                self.result = self.page.append(&line);
            }
        }
    }

    fn close(self) -> Result<(), Trouble> {
        let Self { page, result, .. } = self;
        result.and(page.finish())
    }
}
