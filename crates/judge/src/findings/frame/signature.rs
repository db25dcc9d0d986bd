//! How a server behaves at the top of a curve over users, against its lowest level: what a reader of the signature
//! matrix looks at. CPU and switches per operation, the share of the kernel, page faults, the rate, threads at work.
//! One reading of it is a file in `findings/`; each asks for its own row, so that at most one of the readings of a full
//! CPU fits.

use super::finding::{Case, Cost, Necessary, Place, Scene, Time, name};
use crate::frame::account::{Part, Split, operation_us, per_operation_of};
use crate::frame::metrics::{CLIENT_PROCESS, SERVER_SYSTEM, SERVER_USER};
use crate::frame::naming::listed;
use crate::frame::{CellEvidence, RunEvidence, account};
use crate::stats::average;
use model::units::{Share, round3};

/// Per operation, from the lowest level to the highest: below it something stays as it is …
pub const FLAT: f64 = 1.15;
/// … and from here on it rises.
pub const RISES: f64 = 1.3;
/// The share of the CPUs that the server may use.
pub const FULL: Share = Share(0.90);
/// Below it the CPUs are not what is short.
pub const NOT_FULL: Share = Share(0.80);
/// The share of the server's CPU time that passes in the kernel: a server that only computes and answers stays below.
pub const MUCH_SYSTEM: Share = Share(0.45);
/// Latency grows at least so many times before there is something to explain.
const SLOWER: f64 = 1.5;

pub struct Signature<'a> {
    pub high: &'a CellEvidence<'a>,
    pub low: &'a CellEvidence<'a>,
    /// The share of the CPUs that the server may use which is busy, with the client where they are shared.
    pub busy: f64,
    /// Highest level over lowest.
    pub cpu: f64,
    pub switches: Option<f64>,
    pub faults: Option<f64>,
    pub rate: f64,
    pub time: f64,
    pub system: f64,
    /// Threads at work over users.
    pub running: Option<f64>,
    pub top: Split,
}

/// The top of every curve that has one and whose operations take longer there.
pub fn all<'a>(scene: &Scene<'a>) -> Vec<Signature<'a>> {
    let lowest = account::lowest(&scene.evidence.cells);
    let usable: Vec<_> = scene.cells().filter(|c| c.cell.load.arrivals.is_none()).collect();
    let pairs = usable.iter().filter_map(|high| Some((*high, *lowest.get(&high.cell.id)?)));
    let pairs: Vec<_> = pairs.filter(|(_, low)| usable.iter().any(|c| c.cell.id == low.cell.id)).collect();
    let is_top = |(high, low): &&(&CellEvidence, &CellEvidence)| {
        pairs.iter().all(|(h, l)| l.cell.id != low.cell.id || h.cell.load.users <= high.cell.load.users)
    };
    pairs
        .iter()
        .filter(is_top)
        .filter_map(|(high, low)| Signature::of(high, low))
        .filter(|s| s.time >= SLOWER)
        .collect()
}

impl<'a> Signature<'a> {
    fn of(high: &'a CellEvidence<'a>, low: &'a CellEvidence<'a>) -> Option<Self> {
        let mean = |cell: &CellEvidence, of: &dyn Fn(&RunEvidence) -> Option<f64>| {
            cell.runs.iter().map(of).collect::<Option<Vec<f64>>>().filter(|v| !v.is_empty()).map(|v| average(&v))
        };
        let grown = |of: &dyn Fn(&RunEvidence) -> Option<f64>| {
            let (high, low) = (mean(high, of)?, mean(low, of)?);
            (low > 0.0).then(|| high / low)
        };
        let done = |run: &RunEvidence| run.done() as f64 / run.seconds();
        let server = |run: &RunEvidence| run.rates(&[SERVER_USER, SERVER_SYSTEM]);
        let each = |counter: &'static str| move |run: &RunEvidence| account::per_operation(run, counter);
        let busy = |run: &RunEvidence| {
            let client = if run.is_co_located() { run.rate(CLIENT_PROCESS).unwrap_or(0.0) } else { 0.0 };
            Some((server(run)? + client) / 1e9 / run.server_cpus().len().max(1) as f64)
        };
        let threads = |run: &RunEvidence| {
            let seen = run.phases.iter().filter_map(|p| p.counters.get("status.Threads_running"));
            seen.map(|ends| ends.end.max(ends.begin)).reduce(f64::max)
        };
        Some(Self {
            high,
            low,
            busy: mean(high, &busy)?,
            cpu: grown(&|run| Some(server(run)? / done(run)))?,
            switches: grown(&each("server.switches.voluntary")),
            faults: grown(&each("server.faults.minor")).filter(|_| {
                // Below one fault in ten operations growth is noise.
                per_operation_of(high, "server.faults.minor").is_some_and(|faults| faults > 0.1)
            }),
            rate: grown(&|run| Some(done(run)))?,
            time: grown(&operation_us)?,
            system: mean(high, &|run| Some(run.rate(SERVER_SYSTEM)? / server(run)?))?,
            running: mean(high, &threads).map(|threads| threads / f64::from(high.cell.load.users.0)),
            top: account::mean(&account::splits(high)?),
        })
    }

    pub fn is_full(&self) -> bool {
        self.busy >= FULL.0
    }

    /// What all readings tell first.
    pub fn symptom(&self) -> String {
        format!(
            "{}: an operation takes {} times as long as with {}, at {} times the rate.",
            name(self.high),
            round3(self.time),
            self.low.cell.load.users,
            round3(self.rate)
        )
    }

    /// The row of the matrix.
    pub fn row(&self) -> String {
        let times =
            |what: &str, x: Option<f64>| x.map_or(String::new(), |x| format!(", {what} per operation × {}", round3(x)));
        format!(
            "CPUs {} busy, CPU per operation × {}{}{}, {} of it in the kernel",
            Share(self.busy),
            round3(self.cpu),
            times("switches", self.switches),
            times("page faults", self.faults),
            Share(self.system)
        )
    }

    /// A case of the growth, whose cost is what these terms grew by.
    pub fn case(&self, reading: &str, parts: &[Part]) -> Case {
        let cost = account::share_of_growth(self.high, self.low, parts).map(|share| Cost {
            share,
            open: account::open(self.high),
            sentence: format!(
                "{} of the growth is {} ({} to {}).",
                Share(share.value),
                listed(&parts.iter().map(|p| p.word()).collect::<Vec<_>>()),
                Share(share.low),
                Share(share.high)
            ),
        });
        let of_high = Case::of(self.high, self.symptom(), Necessary::Present(format!("{reading} ({}).", self.row())));
        Case {
            place: Place { cell: self.high.cell.id.clone(), time: Time::Growth },
            cost,
            evidence: [vec![self.low.cell.id.to_string()], of_high.evidence.clone()].concat(),
            ..of_high
        }
    }
}
