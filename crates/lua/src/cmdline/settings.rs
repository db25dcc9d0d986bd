//! What the built-in options come to: the numbers by which a run goes, checked. The complaints are sysbench's where it
//! makes any; where it goes on with a number that makes no sense, ours are in the same form.

use super::Complaint;
use crate::Compat;
use crate::option::{Options, Value};

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub threads: u32,
    /// 0 is without a limit.
    pub events: u64,
    /// Seconds; 0 is without a limit.
    pub time: u32,
    pub warmup: u32,
    pub forced_shutdown: Option<Forced>,
    /// Seconds; 0 waits as long as it takes.
    pub init_timeout: u32,
    /// Events in a second, all threads together; 0 is as fast as they go.
    pub rate: u32,
    /// Seconds; 0 reports nothing in between.
    pub report_interval: u32,
    pub checkpoints: Vec<u32>,
    pub debug: bool,
    pub validate: bool,
    pub seed: u64,
    pub percentile: u32,
    pub histogram: bool,
    pub verbosity: u8,
    pub luajit: Option<String>,
}

/// How long after the end of its time a run may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    Seconds(u32),
    Percent(u32),
}

impl Forced {
    /// What the option without a value means.
    const DEFAULT: Self = Self::Percent(5);

    /// When a run of so many seconds is stopped whatever it does.
    pub fn after(self, time: u32) -> u32 {
        match self {
            Self::Seconds(more) => time.saturating_add(more),
            Self::Percent(share) => time.saturating_add((u64::from(time) * u64::from(share) / 100) as u32),
        }
    }
}

/// sysbench's own, where it has no option for it.
const INIT_TIMEOUT_S: u32 = 30;
pub const DISTRIBUTIONS_10: &[&str] = &["uniform", "gaussian", "special", "pareto"];
pub const DISTRIBUTIONS_11: &[&str] = &["uniform", "gaussian", "pareto", "zipfian"];
const MOST_VERBOSE: u32 = 5;

impl Settings {
    pub fn of(compat: Compat, options: &Options) -> Result<Self, Complaint> {
        let values = Values(options);
        let verbosity = values.number("verbosity");
        if !(0.0..=f64::from(MOST_VERBOSE)).contains(&verbosity) {
            return Err(Complaint::Logged(format!("Invalid value for verbosity: {verbosity}")));
        }
        let percentile = values.number("percentile");
        if !(0.0..=100.0).contains(&percentile) {
            return Err(fatal(format!("Invalid value for --percentile: {percentile}")));
        }
        let known = if compat == Compat::V10 { DISTRIBUTIONS_10 } else { DISTRIBUTIONS_11 };
        let rand_type = values.text("rand_type");
        if !known.contains(&rand_type) {
            return Err(fatal(format!("Invalid random numbers distribution: {rand_type}.")));
        }
        if values.number("threads") < 1.0 {
            return Err(fatal(format!("Invalid value for --threads: {}.\n", values.number("threads"))));
        }
        if values.number("warmup_time") < 0.0 {
            return Err(fatal(format!("Invalid value for --warmup-time: {}.\n", values.number("warmup_time"))));
        }
        if values.number("thread_stack_size") < 1.0 {
            let size = values.number("thread_stack_size");
            return Err(fatal(format!("Invalid value for thread-stack-size: {size}.\n")));
        }
        Ok(Self {
            threads: values.count("threads")?,
            events: u64::from(values.count("events")?),
            time: values.count("time")?,
            warmup: values.count("warmup_time")?,
            forced_shutdown: forced(values.text("forced_shutdown"))?,
            init_timeout: if compat == Compat::V10 { INIT_TIMEOUT_S } else { values.count("thread_init_timeout")? },
            rate: values.count("rate")?,
            report_interval: values.count("report_interval")?,
            checkpoints: checkpoints(values.list("report_checkpoints"))?,
            debug: values.is_on("debug"),
            validate: values.is_on("validate"),
            seed: values.number("rand_seed") as i64 as u64,
            percentile: percentile as u32,
            histogram: values.is_on("histogram"),
            verbosity: if values.is_on("debug") { MOST_VERBOSE as u8 } else { verbosity as u8 },
            luajit: Some(values.text("luajit_cmd")).filter(|cmd| !cmd.is_empty()).map(str::to_string),
        })
    }

    /// Neither time nor events end the run.
    pub fn is_endless(&self) -> bool {
        self.time == 0 && self.events == 0
    }
}

fn fatal(text: String) -> Complaint {
    Complaint::Logged(format!("FATAL: {text}"))
}

fn forced(text: &str) -> Result<Option<Forced>, Complaint> {
    let wrong = || fatal(format!("Invalid value for --forced-shutdown: '{text}'"));
    match text {
        "off" => Ok(None),
        "" => Ok(Some(Forced::DEFAULT)),
        _ => Ok(Some(match text.strip_suffix('%') {
            Some(share) => Forced::Percent(share.parse().map_err(|_| wrong())?),
            None => Forced::Seconds(text.parse().map_err(|_| wrong())?),
        })),
    }
}

/// In the order of time, each once.
fn checkpoints(list: &[String]) -> Result<Vec<u32>, Complaint> {
    let read = |text: &String| text.parse().ok().filter(|seconds| *seconds > 0);
    let seconds = list
        .iter()
        .map(|text| read(text).ok_or_else(|| fatal(format!("Invalid value for --report-checkpoints: '{text}'"))));
    let mut seconds = seconds.collect::<Result<Vec<u32>, _>>()?;
    seconds.sort_unstable();
    seconds.dedup();
    Ok(seconds)
}

/// The built-in options, by the kinds that the table gives them.
struct Values<'o>(&'o Options);

impl<'o> Values<'o> {
    /// 0 where this version has no such option.
    fn number(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(Value::Number(n)) => *n,
            _ => 0.0,
        }
    }

    fn count(&self, name: &str) -> Result<u32, Complaint> {
        let n = self.number(name);
        let count = (0.0..=f64::from(u32::MAX)).contains(&n).then_some(n as u32);
        count.ok_or_else(|| fatal(format!("Invalid value for --{}: {n}.", name.replace('_', "-"))))
    }

    fn is_on(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }

    fn text(&self, name: &str) -> &'o str {
        match self.0.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    fn list(&self, name: &str) -> &'o [String] {
        match self.0.get(name) {
            Some(Value::List(list)) => list,
            _ => &[],
        }
    }
}
