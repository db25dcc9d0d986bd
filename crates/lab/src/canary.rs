//! The canary: the `noop` workload against the sham server gives what this machine's load can reach at most and costs at
//! least. It is measured once per machine and build, kept in the lab's home, and goes into every record: a real server's
//! rate near this ceiling says more about the client than about the server.

use crate::carry_out::placement::{Placement, place};
use crate::load::{Crew, Voyage, Witness, drive};
use crate::notebook::unix_ms;
use crate::servers::house::House;
use crate::servers::sham::Sham;
use crate::sessions::address::Door;
use crate::trouble::Trouble;
use model::errors::Errors;
use model::host::Host;
use model::load::{Io, Phase, PhaseKind, Until};
use model::plan::Server;
use model::record::canary::{Canary, CanaryPoint};
use model::record::tally::Tally;
use model::seed::Seed;
use model::units::Nanos;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The levels of the seeds, thinned: rates between them are interpolated.
const USERS: &[u32] = &[1, 2, 4, 8, 16, 64, 256, 1024];

/// Long enough for tens of thousands of statements at every level.
const MEASURE: Nanos = Nanos::from_millis(250);
const WARM_UP: Nanos = Nanos::from_millis(50);

/// Each level is sung so often, and the best is kept: a ceiling is what the machine can do when nobody disturbs it.
const ROUNDS: usize = 3;

/// The song kept from before, when it was sung on this machine by this build.
pub fn kept(house: &House, host: &Host) -> Option<Canary> {
    let text = std::fs::read_to_string(path(house)).ok()?;
    serde_json::from_str::<Canary>(&text).ok().filter(|c| c.machine == machine(host))
}

/// What the result depends on.
fn machine(host: &Host) -> String {
    format!("{} × {}, {}, assay {}", host.cpus.len(), host.cpu_model, host.kernel, host.assay)
}

fn path(house: &House) -> PathBuf {
    house.home.join("canary.json")
}

pub fn measure(house: &House, host: &Host, stop: &AtomicBool) -> Result<Canary, Trouble> {
    let room = house.claim_socket()?;
    let socket = room.folder().join("s");
    // Placed as a server under test would be, so that sharing costs the canary what it costs the measured.
    let placement = place(&Server::default(), host);
    let _sham = Sham::start(&socket, &placement.server)
        .map_err(|e| Trouble::new("the sham server cannot listen").because(e))?;
    let mut canary = Canary { machine: machine(host), io: String::new(), points: Vec::new(), unix_ms: unix_ms() };
    for _ in 0..ROUNDS {
        for (level, users) in USERS.iter().enumerate() {
            let (point, io) = sing(&socket, &placement, *users, stop)?;
            canary.io = io;
            match (canary.points.get_mut(level), point) {
                (Some(kept), Some(new)) if new.qps > kept.qps => *kept = new,
                (None, Some(new)) => canary.points.push(new),
                (Some(_) | None, _) => {}
            }
        }
    }
    if !stop.load(std::sync::atomic::Ordering::Relaxed) {
        let text = serde_json::to_string_pretty(&canary).expect("a canary is JSON");
        std::fs::write(path(house), text).map_err(Trouble::at("keeping the canary in", &path(house)))?;
    }
    Ok(canary)
}

/// One level once: its point, and the way of talking to the kernel.
fn sing(
    socket: &Path,
    placement: &Placement,
    users: u32,
    stop: &AtomicBool,
) -> Result<(Option<CanaryPoint>, String), Trouble> {
    let phase = |name: &str, kind, time| Phase::new(name, kind, Until::Time(time));
    let crew = Crew {
        workload: workload::by_name("noop").expect("the canary's workload exists"),
        parameters: Arc::default(),
        seed: Seed(1),
        users,
        arrivals: None,
        pause: None,
        deadline: Nanos::from_secs(10),
        reconnect_every: None,
        errors: Errors::default(),
        door: Door::root(socket.to_path_buf()),
        others: Vec::new(),
        setup: Vec::new(),
    };
    let voyage = Voyage {
        crews: vec![crew],
        io: Io::Auto,
        phases: vec![phase("warm-up", PhaseKind::WarmUp, WARM_UP), phase("measure", PhaseKind::Measure, MEASURE)],
        workers: placement.workers(users),
        cpus: if placement.apart { placement.load.clone() } else { Vec::new() },
    };
    let mut song = Song::default();
    let outcome = drive(&voyage, stop, &mut song).map_err(|e| Trouble::new("the canary could not run").because(e))?;
    match outcome.failure {
        Some(failure) => Err(Trouble::new(format!("the canary failed: {failure}"))),
        None => Ok((song.point(users, outcome.workers, outcome.worker_cpu, outcome.questions), outcome.io)),
    }
}

/// The measured phase of one level.
#[derive(Default)]
struct Song {
    length: u64,
    tally: Tally,
}

impl Song {
    fn point(&self, users: u32, workers: u32, cpu: Nanos, questions: u64) -> Option<CanaryPoint> {
        let noop = self.tally.operations.get("noop")?;
        let seconds = self.length as f64 / f64::from(workers) / 1e9;
        Some(CanaryPoint {
            users,
            qps: noop.done as f64 / seconds,
            client_cpu_us: cpu.micros() / questions.max(1) as f64,
            latency_us_p50: noop.latency.percentile(50.0)?.micros(),
        })
    }
}

impl Witness for Song {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, phase: usize, from: Nanos, to: Nanos, tally: Tally) {
        if phase == 1 {
            self.length += to.0 - from.0;
            self.tally.merge(&tally);
        }
    }
    fn progress(&mut self, _: f64) {}
}
