//! Every time in a record is the difference of two readings of a clock, and every appointment a timer. A clock of
//! coarse steps makes percentiles of steps, a dear one is itself part of what it times, and a clock source that enters
//! the kernel is both on old virtual machines. Timers that end late cut the seconds of the series where they should
//! not, and make an open load late (how much of that reached its operations is in `latency_was_honest`).
//!
//! Warns where the clock source is none that programs read without the kernel, where the median of an operation is
//! less than 20 steps of the clock, where a reading costs more than 1 % of the mean latency, and where one timer in a
//! hundred was later than 50 ms, a twentieth of an interval; of several ranks each is looked at by itself. It never
//! fails: what is wrong here blurs numbers and does not move them.

use crate::frame::ranks::worst;
use crate::frame::{Applies, Check, Doubts, Each, Limit, Look, RunEvidence, Seen, Sight};
use model::{Nanos, Share, Status};

pub const CHECK: Check = Check {
    id: "timers_were_fine",
    claim: || {
        format!(
            "the clock is read without the kernel, in steps of less than 1/{CLOCK_STEPS} of every median and at less than {CLOCK_COST} of every mean, and 99 % of timers ended within {TIMER_LATE}"
        )
    },
    source: include_str!("timers_were_fine.rs"),
    applies: Applies::Always,
    needs: &[],
    limits: &[CLOCK_STEPS, CLOCK_COST, TIMER_LATE],
    doubts: Doubts::Times,
    quarantined: false,
    advice: "boot with clocksource=tsc where the CPU's counter is stable; give the load a CPU of its own",
    look: Look::Once(Each::Run(look)),
};

const CLOCK_STEPS: Limit =
    Limit::number("clock_steps", 20.0, "steps of the clock in a median of which percentiles are told").convention();
const CLOCK_COST: Limit = Limit::share("clock_cost", 0.01, "of the mean latency, for one reading of the clock").law();
const TIMER_LATE: Limit = Limit::seconds("timer_late", 0.05, "a twentieth of an interval of the series").convention();

/// Read by programs themselves, on x86, under KVM, under Hyper-V and on ARM.
const FAST: [&str; 4] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];

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
    let (steps, most_cost) = (run.limits.of(&CLOCK_STEPS), run.limits.share(&CLOCK_COST));
    let most_late = Nanos((run.limits.of(&TIMER_LATE) * 1e9) as u64);
    let mut troubles = Vec::new();
    if !FAST.contains(&source) {
        troubles.push(format!("each reading of the clock {source} enters the kernel"));
    }
    if (median.0 as f64) < steps * step.0 as f64 {
        troubles.push(format!("a median of {median} is less than {steps} steps of a clock that moves by {step}"));
    }
    if share.0 > most_cost.0 {
        troubles.push(format!("a reading of the clock costs {share} of the mean latency"));
    }
    if late > most_late {
        troubles.push(format!("timers were late by {late} in the 99th percentile"));
    } else if let Some((rank, of_rank)) = worst(run, |rank| Some(rank.timer_error.percentile(99.0)?.0 as f64))
        && of_rank > most_late.0 as f64
    {
        // The others' timers hide it in the sum.
        troubles.push(format!(
            "timers of {} were late by {} in the 99th percentile",
            rank.name(),
            Nanos(of_rank as u64)
        ));
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
    let limit =
        format!("a clock read without the kernel, {steps} steps in a median, {most_cost} of a mean, {most_late} late");
    Ok(Seen::new(status, measured, limit, sentence))
}
