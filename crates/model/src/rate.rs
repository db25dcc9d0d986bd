//! The rate of an open load over time: a first rate, then steps ("at" a moment) and ramps (reached "by" a moment),
//! written as one text so that it can stand wherever a number can, on an axis too: `1000, 5000 at 30s, 8000 by 60s`.
//! Moments count from the start of the run's first phase. Not here: waves and traces of real traffic, which nobody has
//! asked for yet.

use crate::units::Nanos;
use crate::value::Value;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Operations per second over all users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    pub first: f64,
    /// In the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub rate: f64,
    /// Since the start of the run's first phase.
    pub when: Nanos,
    pub how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// At once, at that moment.
    Step,
    /// In a straight line from the change before, so as to be there by that moment.
    Ramp,
}

impl Rate {
    /// One operation in a quarter of an hour; less is no load.
    pub const LEAST: f64 = 1e-3;
    /// Operations per second. Each arrival is drawn and counted, begun or not, at 20 to 40 ns: at ten times this rate
    /// an overloaded load would do nothing but count what it cannot begin.
    pub const MOST: f64 = 5e6;
    pub const FORMS: &str = "5000, or \"1000, 5000 at 30s, 8000 by 60s\" (a step at 30s, then a ramp)";

    pub const fn steady(rate: f64) -> Self {
        Self { first: rate, changes: Vec::new() }
    }

    /// As a file says it: a number, or a text of steps and ramps.
    pub fn value(&self) -> Value {
        let change = |Change { rate, when, how }: &Change| {
            let how = match how {
                How::Step => "at",
                How::Ramp => "by",
            };
            format!(", {rate} {how} {}", when.exact())
        };
        match &self.changes[..] {
            [] => Value::Real(self.first),
            changes => format!("{}{}", self.first, changes.iter().map(change).collect::<String>()).into(),
        }
    }
    /// What a value that the grammar accepted means.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        value.number().map(Self::steady).or_else(|| Self::parse(value.text()?).ok())
    }

    /// Reads `1000, 5000 at 30s, 8000 by 60s`; what is wrong is said in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',').map(str::trim);
        let mut rate = Self::steady(number(parts.next().unwrap_or_default())?);
        for part in parts {
            let change = change(part)?;
            let before = rate.changes.last().map_or(Nanos(0), |c| c.when);
            if change.when <= before {
                return Err(format!("`{part}` does not lie after {before}"));
            }
            rate.changes.push(change);
        }
        Ok(rate)
    }
}

fn change(part: &str) -> Result<Change, String> {
    let mut words = part.splitn(3, char::is_whitespace).map(str::trim);
    let (rate, how, when) = (words.next(), words.next(), words.next());
    let how = match how {
        Some("at") => How::Step,
        Some("by") => How::Ramp,
        Some(_) | None => return Err(format!("`{part}` does not say when: RATE at TIME, or RATE by TIME")),
    };
    let when = when.unwrap_or_default();
    let when = Nanos::parse(when).ok_or_else(|| format!("`{when}` is not a time, in `{part}`"))?;
    Ok(Change { rate: number(rate.unwrap_or_default())?, when, how })
}

fn number(text: &str) -> Result<f64, String> {
    match text.replace('_', "").parse::<f64>() {
        Ok(rate) if (Rate::LEAST..=Rate::MOST).contains(&rate) => Ok(rate),
        Ok(rate) => Err(format!("{rate} is out of bounds, between {} and {}", Rate::LEAST, Rate::MOST)),
        Err(_) => Err(format!("`{text}` is not a rate")),
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", self.first)?;
        for Change { rate, when, how } in &self.changes {
            let how = match how {
                How::Step => "at",
                How::Ramp => "by",
            };
            write!(f, ", {rate}/s {how} {when}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_ramps_are_read_in_order() {
        let rate = Rate::parse("1_000, 5000 at 30s,8e3 by 1m").unwrap();
        let change = |rate, seconds, how| Change { rate, when: Nanos::from_secs(seconds), how };
        let changes = vec![change(5000.0, 30, How::Step), change(8000.0, 60, How::Ramp)];
        assert_eq!(rate, Rate { first: 1000.0, changes });
        assert_eq!(rate.to_string(), "1000/s, 5000/s at 30 s, 8000/s by 60 s");
    }

    #[test]
    fn every_slip_is_said() {
        for (text, said) in [
            ("", "`` is not a rate"),
            ("1000, 5000", "`5000` does not say when: RATE at TIME, or RATE by TIME"),
            ("1000, 5000 in 30s", "`5000 in 30s` does not say when: RATE at TIME, or RATE by TIME"),
            ("1000, 5000 at 30", "`30` is not a time, in `5000 at 30`"),
            ("1000, 5000 at 30s, 1 by 20s", "`1 by 20s` does not lie after 30 s"),
            ("1000, fast at 1s", "`fast` is not a rate"),
            ("0", "0 is out of bounds, between 0.001 and 5000000"),
        ] {
            assert_eq!(Rate::parse(text).unwrap_err(), said);
        }
    }
}
