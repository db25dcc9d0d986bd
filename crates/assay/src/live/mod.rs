//! Watching a lab: the page of `assay run --live` and `assay live`, and the gauges of `--metrics`. Everything is read
//! from the record's folder, by a thread that looks once a second while somebody watches and sleeps while nobody does.
//! What is served is read-only, to whoever knows the word in the address.

mod address;
mod watched;

pub use address::{Place, argument, metrics_argument, parse};

use crate::exit::{self, Exit};
use lab::os::http::{self, Answer, HTML, OPENMETRICS, Request};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use watched::Watched;

/// How long the end waits for browsers to fetch the report.
const FAREWELL: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Places that are taken and not served yet, so that a wrong address is told before anything starts.
#[derive(Default)]
pub struct Listeners {
    page: Option<(TcpListener, String)>,
    metrics: Option<(TcpListener, Option<String>)>,
}

/// A lab that is watched.
pub struct Live {
    watched: Arc<Watched>,
}

impl Listeners {
    pub fn open(page: Option<&str>, metrics: Option<&str>) -> Result<Self, Exit> {
        let mut listeners = Self::default();
        if let Some(text) = page {
            let Place { address, token } = parse("--live", text).map_err(exit::refused)?;
            let token = token.map_or_else(http::token, Ok).map_err(exit::failed)?;
            listeners.page = Some((http::listen(address).map_err(exit::refused)?, token));
        }
        if let Some(text) = metrics {
            let Place { address, token } = parse("--metrics", text).map_err(exit::refused)?;
            let token = token.filter(|_| !address.ip().is_loopback());
            listeners.metrics = Some((http::listen(address).map_err(exit::refused)?, token));
        }
        Ok(listeners)
    }

    /// Serves what is written there from now on; `is_ours` says that this process will tell when all is over.
    pub fn serve(self, folder: &Path, is_ours: bool) -> Option<Live> {
        if self.page.is_none() && self.metrics.is_none() {
            return None;
        }
        let watched = Watched::begin(PathBuf::from(folder), is_ours);
        if let Some((listener, token)) = self.page {
            tell(&listener, &format!("/{token}/"));
            let watched = Arc::clone(&watched);
            http::serve(listener, Arc::new(move |request: &Request| page(&watched, &token, request)));
        }
        if let Some((listener, token)) = self.metrics {
            tell(&listener, "/metrics");
            let watched = Arc::clone(&watched);
            http::serve(listener, Arc::new(move |request: &Request| metrics(&watched, token.as_deref(), request)));
        }
        Some(Live { watched })
    }
}

impl Live {
    /// The record is whole and its report lies in it: whoever watches gets that, for a while.
    pub fn farewell(self, report: &Path) {
        let Ok(text) = std::fs::read_to_string(report) else { return };
        let readers = self.watched.readers.load(Relaxed);
        self.watched.end(text.into());
        let begun = Instant::now();
        while self.watched.fetched.load(Relaxed) < readers && begun.elapsed() < FAREWELL {
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}

fn tell(listener: &TcpListener, path: &str) {
    if let Ok(address) = listener.local_addr() {
        eprintln!("watch it at http://{address}{path}");
    }
}

fn page(watched: &Arc<Watched>, token: &str, request: &Request) -> Answer {
    let Some((said, rest)) = request.path[1..].split_once('/') else { return Answer::Missing };
    if !http::is_same(said, token) {
        return Answer::Missing;
    }
    match rest {
        "" => match watched.page() {
            None => Answer::Missing,
            Some((text, false)) => Answer::Whole { kind: HTML, text },
            Some((text, true)) => {
                let watched = Arc::clone(watched);
                let sent = Box::new(move || _ = watched.fetched.fetch_add(1, Relaxed));
                Answer::Last { kind: HTML, text, sent }
            }
        },
        "events" => Answer::Events(watched.events()),
        "metrics" => gauges(watched),
        _ => Answer::Missing,
    }
}

fn metrics(watched: &Watched, token: Option<&str>, request: &Request) -> Answer {
    let is_known = token.is_none_or(|token| request.bearer.as_deref().is_some_and(|said| http::is_same(said, token)));
    if request.path == "/metrics" && is_known { gauges(watched) } else { Answer::Missing }
}

fn gauges(watched: &Watched) -> Answer {
    watched.metrics().map_or(Answer::Missing, |text| Answer::Whole { kind: OPENMETRICS, text: text.into() })
}
