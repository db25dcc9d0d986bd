//! Every time in a record is the difference of two readings of a clock, and every appointment a timer. A clock of coarse steps
//! makes percentiles of steps, a dear one is itself part of what it times, and a clock source that enters the kernel is both on
//! old virtual machines. Timers that end late cut the seconds of the series where they should not, and make an open load late
//! (how much of that reached its operations is in `latency_was_honest`).
//!
//! Warns where the clock source is none that programs read without the kernel, where the median of an operation is less than 20 steps
//! of the clock, where a reading costs more than 1 % of the mean latency, and where one timer in a hundred was later than 50 ms,
//! a twentieth of an interval. It never fails: what is wrong here blurs numbers and does not move them.

use crate::check::{Check, Look, Seen, Sight};
use crate::evidence::RunEvidence;
use model::units::{Nanos, Share};
use model::verdict::Status;

pub const CHECK: Check = Check {
    id: "timers_were_fine",
    code: "L5",
    claim: || {
        format!(
            "the clock is read without the kernel, in steps of less than 1/{STEPS} of every median and at less than {COST} of every mean, and 99 % of timers ended within {LATE}"
        )
    },
    source: include_str!("timers_were_fine.rs"),
    needs: &[],
    advice: "boot with clocksource=tsc where the CPU's counter is stable; give the load a CPU of its own",
    look: Look::Run(look),
};

/// Read by programs themselves, on x86, under KVM, under Hyper-V and on ARM.
const FAST: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];
/// Steps of the clock in a median that a percentile may be told of.
const STEPS: u64 = 20;
/// Of the mean latency, for one reading.
const COST: Share = Share(0.01);
/// A twentieth of an interval of the series.
const LATE: Nanos = Nanos::from_millis(50);

fn look(run: &RunEvidence) -> Sight {
    let host = &run.record.host;
    let source = host.clock_source.as_deref().ok_or("the clock source is not known")?;
    let (step, cost) = host.clock_step.zip(host.clock_cost).ok_or("the clock was not measured")?;
    let timers = run.run.whole.timer_error.as_ref().ok_or("timers were not measured")?;
    let late = timers.percentile(99.0).ok_or("no timer ended")?;
    let latencies = || run.operations().map(|(_, o)| &o.latency);
    let median = latencies().filter_map(|l| l.percentile(50.0)).min().ok_or("no operation was done")?;
    let mean = latencies().filter_map(|l| l.mean()).min().ok_or("no operation was done")?;
    let share = Share(cost.seconds() / mean.seconds());
    let mut troubles = Vec::new();
    if !FAST.contains(&source) {
        troubles.push(format!("each reading of the clock {source} enters the kernel"));
    }
    if median.0 < STEPS * step.0 {
        troubles.push(format!("a median of {median} is less than {STEPS} steps of a clock that moves by {step}"));
    }
    if share.0 > COST.0 {
        troubles.push(format!("a reading of the clock costs {share} of the mean latency"));
    }
    if late > LATE {
        troubles.push(format!("timers were late by {late} in the 99th percentile"));
    }
    let (status, sentence) = if troubles.is_empty() {
        let fine = format!(
            "The clock ({source}) moves in steps of {step} and costs {cost} a reading; timers were late by {late} in the 99th percentile."
        );
        (Status::Pass, fine)
    } else {
        (Status::Warn, format!("Times are blurred: {}.", troubles.join("; ")))
    };
    let measured = format!("{source}, step {step}, reading {cost}, timers late by {late}");
    let limit = format!("a clock read without the kernel, {STEPS} steps in a median, {COST} of a mean, {LATE} late");
    Ok(Seen::new(status, measured, limit, sentence))
}
