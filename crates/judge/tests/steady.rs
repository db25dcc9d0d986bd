//! What is said of a run's steady state, on series of which the truth is known: it stays silent on unchanged ones,
//! however they resemble themselves, and finds warm-ups, slowdowns, stalls, drifts and cycles that were put there.

use judge::stats::draws::Draws;
use judge::stats::steady::{self, Class, Steady};
use judge::stats::step;
use model::seed::Seed;

const LEVEL: f64 = 20_000.0;

/// Rates per second of a calm server: noise of that share which resembles its last value by `phi`.
fn calm(seconds: usize, spread: f64, phi: f64, seed: u64) -> Vec<f64> {
    let mut draws = Draws::of(Seed(seed));
    let mut last = draws.normal();
    let mut next = |_| {
        let rate = LEVEL * (spread * last).exp();
        last = phi * last + (1.0 - phi * phi).sqrt() * draws.normal();
        rate
    };
    (0..seconds).map(&mut next).collect()
}

fn state(rates: &[f64]) -> Steady {
    steady::of(rates, 1.0).expect("long enough")
}

/// The share of unchanged runs in which a change of state, or a drift beyond the margin, is seen.
fn false_alarms(seconds: usize, spread: f64, phi: f64, runs: u64) -> f64 {
    let alarm = |seed: &u64| {
        let state = state(&calm(seconds, spread, phi, *seed));
        !matches!(state.class, Class::Flat | Class::Cyclic) || state.drifts && state.drift.abs() > steady::SAME.0
    };
    (0..runs).filter(alarm).count() as f64 / runs as f64
}

#[test]
fn it_stays_silent_on_unchanged_runs() {
    // A minute that resembles itself by 0.8 holds six independent values: one in fifty such runs is said to drift.
    for (seconds, runs, phis) in [(60, 200, [0.0, 0.5]), (300, 100, [0.5, 0.8])] {
        for spread in [0.01, 0.10] {
            for phi in phis {
                let share = false_alarms(seconds, spread, phi, runs);
                assert!(share <= 0.01, "{seconds} s, spread {spread}, φ {phi}: {share} of the runs alarm");
            }
        }
    }
}

#[test]
fn a_phase_of_ten_seconds_makes_no_step_by_chance() {
    for phi in [0.0, 0.3] {
        let steps = (0..4_000).filter(|seed| step::of(&calm(10, 0.10, phi, *seed)).is_some()).count();
        assert!(steps <= 12, "φ {phi}: {steps} of 4000 series made a step, four are expected at most");
    }
}

#[test]
fn ten_seconds_by_their_tenths_have_no_second_level_by_chance() {
    // As `throughput_was_steady` asks of a hundred tenths: more than one level, and a mean that they moved by 2 %.
    for (spread, phi) in [(0.05, 0.5), (0.10, 0.3), (0.10, 0.7), (0.30, 0.3)] {
        let alarm = |seed: &u64| {
            let rates = calm(100, spread, phi, *seed);
            let levels = state(&rates).levels;
            let longest = levels.iter().max_by(|a, b| (a.to - a.from).total_cmp(&(b.to - b.from))).unwrap();
            let mean = rates.iter().sum::<f64>() / rates.len() as f64;
            levels.len() > 1 && (mean / longest.rate - 1.0).abs() > steady::SAME.0
        };
        let alarms = (0..500).filter(alarm).count();
        assert!(alarms <= 5, "spread {spread}, φ {phi}: {alarms} of 500 series have levels");
    }
}

#[test]
fn a_warm_up_is_told_with_its_end() {
    let mut rates = calm(120, 0.02, 0.3, 1);
    rates[..30].iter_mut().enumerate().for_each(|(i, rate)| *rate *= 0.5 + 0.015 * i as f64);
    let state = state(&rates);
    assert_eq!(state.class, Class::WarmUp);
    assert!((15.0..=35.0).contains(&state.from()), "{state:?}");
    assert!((state.last().rate / LEVEL - 1.0).abs() < 0.02);
}

#[test]
fn a_step_down_is_a_slowdown_or_no_steady_state_by_when_it_comes() {
    let stepped = |at: usize| {
        let mut rates = calm(120, 0.02, 0.3, 2);
        rates[at..].iter_mut().for_each(|rate| *rate *= 0.8);
        state(&rates)
    };
    let early = stepped(40);
    assert_eq!(early.class, Class::Slowdown);
    assert!((early.from() - 40.0).abs() <= 4.0, "{early:?}");
    assert_eq!(stepped(95).class, Class::NoSteadyState);
}

#[test]
fn a_stall_is_told_and_is_no_change_of_level() {
    let mut rates = calm(120, 0.02, 0.3, 3);
    rates[70] = 100.0;
    let state = state(&rates);
    assert_eq!((state.class, state.stalls), (Class::Flat, vec![70.0]));
}

#[test]
fn a_drift_is_told_with_its_size() {
    let mut rates = calm(300, 0.01, 0.3, 4);
    rates.iter_mut().enumerate().for_each(|(i, rate)| *rate *= 1.0 - 0.08 * i as f64 / 300.0);
    let state = state(&rates);
    let lost = 1.0 - state.last().rate / LEVEL;
    assert!(state.levels.len() > 1 || state.drifts && (state.drift + 0.08).abs() < 0.01, "{state:?} {lost}");
}

#[test]
fn a_cycle_is_told_with_its_length() {
    let mut rates = calm(240, 0.01, 0.0, 5);
    rates
        .iter_mut()
        .enumerate()
        .for_each(|(i, rate)| *rate *= 1.0 + 0.05 * (i as f64 / 40.0 * std::f64::consts::TAU).sin());
    let state = state(&rates);
    assert_eq!(state.class, Class::Cyclic, "{state:?}");
    assert!((state.cycle.unwrap() - 40.0).abs() <= 5.0, "{state:?}");
}

#[test]
fn what_is_too_short_has_no_state() {
    assert_eq!(steady::of(&calm(29, 0.02, 0.0, 6), 1.0), None);
    assert_eq!(steady::of(&calm(40, 0.02, 0.0, 6), 0.1), None);
}
