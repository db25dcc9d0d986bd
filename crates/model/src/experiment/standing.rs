//! Values between the plain form in which a file's values are kept and the types in which a plan has them, for the rows
//! of the table of keys.

use crate::load::{Distribution, Load, Pause, Phase, PhaseKind, Until};
use crate::units::Nanos;
use crate::value::Value;

pub(super) const CHECKED: &str = "the grammar let it pass";

pub(super) fn some(word: &str) -> Option<Value> {
    Some(word.into())
}
pub(super) fn number(n: u64) -> Option<Value> {
    i64::try_from(n).ok().map(Value::Count)
}
pub(super) fn time_of(Nanos(n): Nanos) -> Option<Value> {
    number(n)
}
pub(super) fn text(value: &Value) -> String {
    value.text().expect(CHECKED).to_string()
}
pub(super) fn nanos(value: &Value) -> Nanos {
    Nanos(value.count().expect(CHECKED).unsigned_abs())
}

pub(super) fn thinking(load: &Load) -> Option<(Nanos, Distribution)> {
    match load.pause {
        Some(Pause::Think { mean, distribution, .. }) => Some((mean, distribution)),
        Some(Pause::Pace { .. }) | None => None,
    }
}

pub(super) fn pacing(load: &Load) -> Option<Nanos> {
    match load.pause {
        Some(Pause::Pace { every }) => Some(every),
        Some(Pause::Think { .. }) | None => None,
    }
}

pub(super) fn lasting(phase: &Phase, kind: PhaseKind) -> Option<Value> {
    match phase.until {
        Until::Time(time) if phase.kind == kind => time_of(time),
        Until::Time(_) | Until::Count(_) | Until::Rest(_) => None,
    }
}

pub(super) fn counted(phase: &Phase) -> Option<u64> {
    match phase.until {
        Until::Count(count) => Some(count),
        Until::Time(_) | Until::Rest(_) => None,
    }
}

/// How long is warmed up and measured, where that is all.
pub(super) fn plain(phases: &[Phase]) -> Option<(Nanos, Nanos)> {
    let is = |phase: &Phase, name, kind| *phase == Phase::new(name, kind, phase.until);
    let (warm, measured) = match phases {
        [one] => (None, one),
        [warm, one] if is(warm, "warm-up", PhaseKind::WarmUp) => (Some(warm), one),
        [] | [_, _, ..] => return None,
    };
    let length = |phase: &Phase| match phase.until {
        Until::Time(time) => Some(time),
        Until::Count(_) | Until::Rest(_) => None,
    };
    is(measured, "measure", PhaseKind::Measure)
        .then(|| Some((warm.map_or(Some(Nanos(0)), length)?, length(measured)?)))?
}
