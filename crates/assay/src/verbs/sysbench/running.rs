//! `run`: the banner, the events, what is said of them on the way, and the block at the end. A script may take a report
//! over by a hook; hooks of intermediate reports live in a state of their own, so that nothing of theirs meets the
//! other.

use super::numbers::{latencies, of_thread, stat};
use super::{Call, DONE, FAILED, FORCED, performed, recorded};
use crate::exit::Exit;
use lab::campaign::scripts::{Counts, Limits, Main, QUEUE_FULL, Ran, Told};
use lua::Compat;
use lua::cmdline::Settings;
use lua::option::Value;
use lua::report::{self, Level, Summary};

use lua::state::Entry;
use model::units::Nanos;

const ON_THE_WAY: &str = "report_intermediate";
const AT_THE_END: &str = "report_cumulative";

pub fn run(call: &mut Call) -> Exit {
    let settings = call.invoked.settings.clone();
    let name = call.words.script.clone().unwrap_or_default();
    if !call.main.state().has("event") {
        call.printer.log(Level::Fatal, &format!("cannot find the event() function in {name}"));
        return FAILED;
    }
    if settings.is_endless() {
        call.printer.log(Level::Warning, "Both event and time limits are disabled, running an endless test");
    }
    if call.main.state().has("init") && performed(call, Entry::function("init"), false) != DONE {
        return FAILED;
    }
    call.printer.report(&report::banner(&settings, limit_of_primes(call).as_deref()));
    let mut reporters = Reporters::of(call);
    let mut stage = call.stage.clone();
    // Where that cannot be measured, the run is none the worse for the way that is always there.
    if call.script.uses_database() && settings.rate == 0 {
        stage.io = lab::campaign::reach::for_script(&stage.endpoints, stage.threads, &call.stop).unwrap_or(stage.io);
    }
    let stop = std::sync::Arc::clone(&call.stop);
    let limits = limits(&settings);
    let mut notes = match recorded::begin(call, &limits) {
        Ok(notes) => notes,
        Err(why) => {
            call.printer.log(Level::Fatal, &why);
            return FAILED;
        }
    };
    let mut hear = |told| hear(call, &settings, &mut reporters, told);
    let ran = match &mut notes {
        None => lab::campaign::scripts::run(&stage, &limits, &stop, &mut hear),
        Some(notes) => lab::campaign::scripts::run_noted(&stage, &limits, &stop, &mut hear, notes.noting()),
    };
    let exit = match ran {
        Ok(ran) => finish(call, &settings, &mut reporters, &ran),
        Err(why) => {
            call.printer.log(Level::Fatal, &why);
            FAILED
        }
    };
    if let Some(notes) = notes {
        notes.draw();
    }
    exit
}

/// What `cpu` says of itself.
fn limit_of_primes(call: &Call) -> Option<String> {
    let limit = call.invoked.options.get("cpu_max_prime").filter(|_| call.script.is_cpu());
    if let Some(Value::Number(limit)) = limit { Some(format!("Prime numbers limit: {limit}")) } else { None }
}

fn limits(settings: &Settings) -> Limits {
    let seconds = |n: u32| (n > 0).then(|| Nanos::from_secs(u64::from(n)));
    Limits {
        time: seconds(settings.time),
        events: Some(settings.events).filter(|n| *n > 0),
        warm_up: Nanos::from_secs(u64::from(settings.warmup)),
        rate: Some(settings.rate).filter(|rate| *rate > 0),
        report_interval: seconds(settings.report_interval),
        checkpoints: settings.checkpoints.iter().map(|at| Nanos::from_secs(u64::from(*at))).collect(),
        init_timeout: seconds(settings.init_timeout),
        forced: settings.forced_shutdown.map(|f| Nanos::from_secs(u64::from(f.after(settings.time) - settings.time))),
    }
}

/// States that hooks of reports live in beside the main one, made only where there are such hooks.
struct Reporters {
    on_the_way: Option<Main>,
    checkpoints: Option<Main>,
}

impl Reporters {
    fn of(call: &mut Call) -> Self {
        let mut state = |hook: &str, wanted: bool| {
            let wanted = wanted && call.main.state().has_hook(hook);
            let mut main =
                wanted.then(|| Main::open(&call.script, &call.stage.endpoints, &call.stop).ok()).flatten()?;
            main.state().export(&call.invoked.options, call.as_globals).ok()?;
            Some(main)
        };
        let on_the_way = state(ON_THE_WAY, call.invoked.settings.report_interval > 0);
        let checkpoints = state(AT_THE_END, !call.invoked.settings.checkpoints.is_empty());
        Self { on_the_way, checkpoints }
    }
}

fn hear(call: &mut Call, settings: &Settings, reporters: &mut Reporters, told: Told) {
    let Settings { percentile, rate, warmup, .. } = *settings;
    let paced = rate > 0;
    match told {
        Told::ThreadsStarted => {
            call.printer.report("Threads started!\n\n");
            if warmup > 0 {
                call.printer.report(&format!("Warming up for {warmup} seconds...\n\n"));
            }
        }
        Told::WarmedUp => {}
        Told::Interval(counts) => {
            let stat = stat(&counts, percentile);
            match &mut reporters.on_the_way {
                Some(main) => by_hook(call, main, ON_THE_WAY, &stat),
                None => {
                    let database = call.script.uses_database();
                    call.printer.report(&report::intermediate(&stat, percentile, database, paced));
                }
            }
        }
        Told::Checkpoint(counts) => {
            call.printer.report(&report::checkpoint(counts.at));
            match &mut reporters.checkpoints {
                Some(main) => by_hook(call, main, AT_THE_END, &stat(&counts, percentile)),
                None => block(call, settings, &counts, &[], None),
            }
        }
    }
}

fn by_hook(call: &Call, main: &mut Main, hook: &str, stat: &lua::stat::Stat) {
    tell_of_hook(call, hook, lab::campaign::scripts::report(main, &call.script, hook, stat, &call.stop));
}

fn tell_of_hook(call: &Call, hook: &str, told: Result<(), String>) {
    if let Err(text) = told {
        call.printer.log(Level::Fatal, &format!("`{hook}' function failed: {text}"));
    }
}

fn block(call: &Call, settings: &Settings, counts: &Counts, threads: &[report::OfThread], unfinished: Option<u64>) {
    call.printer.report(&report::summary(&Summary {
        compat: call.words.compat,
        stat: &stat(counts, settings.percentile),
        percentile: settings.percentile,
        database: call.script.uses_database(),
        cpu: call.script.is_cpu(),
        threads,
        unfinished,
        debug: settings.debug,
    }));
}

/// The final report, also of a run that failed: what was counted is true, and the status says that it is not all.
fn finish(call: &mut Call, settings: &Settings, reporters: &mut Reporters, ran: &Ran) -> Exit {
    // A report as JSON is closed when its state is.
    reporters.on_the_way = None;
    if ran.timed_out {
        let limit = settings.init_timeout;
        call.printer.log(Level::Fatal, &format!("Worker threads failed to initialize within {limit} seconds!"));
        return FORCED;
    }
    if !ran.started && ran.failure.is_some() {
        let threads = if call.words.compat == Compat::V10 { "Thread" } else { "Threads" };
        call.printer.log(Level::Fatal, &format!("{threads} initialization failed!"));
        return FAILED;
    }
    if ran.failure.as_deref() == Some(QUEUE_FULL) {
        call.printer.log(Level::Fatal, QUEUE_FULL);
    }
    if ran.unfinished.is_some() {
        call.printer.log(Level::Fatal, "The --max-time limit has expired, forcing shutdown...\n");
    }
    if settings.histogram {
        call.printer.report(&report::histogram(latencies(&ran.total)));
    }
    let threads: Vec<_> = ran.shares.iter().map(of_thread).collect();
    if call.main.state().has_hook(AT_THE_END) {
        // sysbench tells that nobody runs any more.
        let stat = lua::stat::Stat { threads_running: 0, ..stat(&ran.total, settings.percentile) };
        let told = lab::campaign::scripts::report(&mut call.main, &call.script, AT_THE_END, &stat, &call.stop);
        tell_of_hook(call, AT_THE_END, told);
    } else {
        block(call, settings, &ran.total, &threads, ran.unfinished);
    }
    let done = if call.main.state().has("done") { performed(call, Entry::function("done"), false) } else { DONE };
    if ran.unfinished.is_some() {
        return FORCED;
    }
    if let Some(why) = ran.failure.as_deref().filter(|why| *why != QUEUE_FULL) {
        call.printer
            .log(Level::Fatal, &format!("the run ended before its time, and this report is of a part of it: {why}"));
        return FAILED;
    }
    if ran.failure.is_some() { FAILED } else { done }
}
