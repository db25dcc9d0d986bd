//! How late the load itself is: an open load on the sham server, and the percentiles of its schedule lag, of its
//! latency and of its timers. `cargo run --release -p lab --example open_load -- RATE USERS SECONDS [epoll]`.

use lab::backends::access::{Access, LoadPlan, UserGroup};
use lab::backends::endpoint::SqlEndpoint;
use lab::load::{Witness, drive};
use lab::servers::sham::Sham;
use model::errors::Errors;
use model::histogram::Histogram;
use model::load::{Arrivals, Io, Phase, PhaseKind, Process, Until};
use model::rate::Rate;
use model::record::tally::Tally;
use model::seed::Seed;
use model::units::Nanos;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(Default)]
struct Sum(Tally);

impl Witness for Sum {
    fn workers(&mut self, _: &[i32]) {}
    fn phase_begins(&mut self, _: usize, _: Nanos) {}
    fn phase_ends(&mut self, _: usize, _: Nanos) {}
    fn interval(&mut self, _: usize, _: usize, _: Nanos, _: Nanos, tally: Tally) {
        self.0.merge(&tally);
    }
    fn progress(&mut self, _: f64) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rate, users, seconds, io @ ..] = &arguments[..] else { return Err("RATE USERS SECONDS [epoll]".into()) };
    let socket = std::env::temp_dir().join(format!("open-load-{}", std::process::id()));
    let _sham = Sham::start(&socket, &[])?;
    let until = Until::Time(Nanos::from_secs(seconds.parse()?));
    let user_group = UserGroup {
        workload: workload::Workloads::built_in().by_name("noop").ok_or("no noop")?,
        parameters: Arc::default(),
        seed: Seed(1),
        users: users.parse()?,
        arrivals: Some(Arrivals { rate: Rate::parse(rate)?, process: Process::Poisson }),
        pause: None,
        deadline: Nanos::from_secs(10),
        reconnect_every: None,
        errors: Errors::default(),
        access: Access::to(SqlEndpoint::root(socket)),
        outlasts: false,
    };
    let load_plan = LoadPlan {
        user_groups: vec![user_group],
        io: if io.is_empty() { Io::Auto } else { Io::Epoll },
        phases: vec![Phase::new("measure", PhaseKind::Measure, until)],
        workers: 1,
        cpus: Vec::new(),
    };
    let mut sum = Sum::default();
    let outcome = drive(&load_plan, &AtomicBool::new(false), &mut sum)?;
    println!("{}, {} scheduling, {:?}", outcome.io, outcome.scheduling, sum.0.arrivals);
    let show = |name: &str, histogram: &Histogram| {
        let [p50, p99, p999, max] = [50.0, 99.0, 99.9, 100.0].map(|p| histogram.percentile(p).unwrap_or_default());
        println!("{name:>8}: p50 {p50}, p99 {p99}, p99.9 {p999}, max {max}");
    };
    let noop = &sum.0.operations["noop"];
    show("latency", &noop.latency);
    show("service", noop.service.as_ref().ok_or("no service time")?);
    show("lag", sum.0.lag.as_ref().ok_or("no lag")?);
    show("timers", &outcome.timer_error);
    println!("  client: {:.2} µs of CPU per statement", outcome.worker_cpu.micros() / outcome.questions as f64);
    Ok(())
}
