//! Quantities with their unit in the type, so that a count of users is never taken for a number of seconds. Times are
//! whole nanoseconds because that is what the clock gives and a histogram keeps; text that people read formats itself.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Simulated clients that exist at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Users(pub u32);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Nanos(pub u64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A part of a whole, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Share(pub f64);

impl Nanos {
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * 1_000_000_000)
    }
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
    pub fn micros(self) -> f64 {
        self.0 as f64 / 1e3
    }
    /// Reads `250ms`, `40s`, `10m`, `1h`, `1h30m`, `1.5s`; a bare number is refused because its unit would be a guess.
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let mut total = 0.0;
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')?;
            let amount: f64 = rest[..digits].replace('_', "").parse().ok()?;
            rest = rest[digits..].trim_start();
            let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            total += amount
                * match &rest[..letters] {
                    "ns" => 1.0,
                    "us" | "µs" => 1e3,
                    "ms" => 1e6,
                    "s" => 1e9,
                    "m" | "min" => 60e9,
                    "h" => 3600e9,
                    _ => return None,
                };
            rest = rest[letters..].trim_start();
        }
        (total.is_finite() && total < u64::MAX as f64).then_some(Self(total.round() as u64))
    }
    /// The shortest text that is read as this very time.
    pub fn exact(self) -> String {
        let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")];
        let (per, unit) =
            units.into_iter().find(|(per, _)| self.0.is_multiple_of(*per)).expect("one divides everything");
        format!("{}{unit}", self.0 / per)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.seconds();
        match self.0 {
            0 => write!(f, "0 s"),
            1..1_000 => write!(f, "{} ns", self.0),
            1_000..1_000_000 => write!(f, "{:.1} µs", self.micros()),
            1_000_000..1_000_000_000 => write!(f, "{} ms", round3(s * 1e3)),
            1_000_000_000..120_000_000_000 => write!(f, "{} s", round3(s)),
            120_000_000_000..7_200_000_000_000 => write!(f, "{} min", round3(s / 60.0)),
            _ => write!(f, "{} h", round3(s / 3600.0)),
        }
    }
}

impl Bytes {
    pub const KIB: u64 = 1 << 10;
    pub const MIB: u64 = 1 << 20;
    pub const GIB: u64 = 1 << 30;
    /// Reads `512 MiB`, `10GiB`, `64 GB`, `128M`, `4096`. `K`, `M`, `G` alone mean powers of 1024, as in my.cnf.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
        let amount: f64 = text[..digits].replace('_', "").parse().ok()?;
        let unit = match text[digits..].trim() {
            "" | "B" => 1,
            "K" | "KiB" => Self::KIB,
            "M" | "MiB" => Self::MIB,
            "G" | "GiB" => Self::GIB,
            "T" | "TiB" => Self::GIB << 10,
            "kB" | "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "TB" => 1_000_000_000_000,
            _ => return None,
        };
        Some(Self((amount * unit as f64).round() as u64))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let b = self.0 as f64;
        match self.0 {
            0..Self::KIB => write!(f, "{} B", self.0),
            Self::KIB..Self::MIB => write!(f, "{} KiB", round3(b / Self::KIB as f64)),
            Self::MIB..Self::GIB => write!(f, "{} MiB", round3(b / Self::MIB as f64)),
            _ => write!(f, "{} GiB", round3(b / Self::GIB as f64)),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", round3(self.0 * 100.0))
    }
}

impl fmt::Display for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, if self.0 == 1 { "user" } else { "users" })
    }
}

/// Three significant digits without trailing zeros: what a reader can use of a measured value.
pub fn round3(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let digits = (2 - x.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{x:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// The same, and no more digits of a large number either: a rate of 27931 was not measured to five.
pub fn rounded(x: f64) -> String {
    if x.abs() < 1_000.0 || !x.is_finite() {
        return round3(x);
    }
    let step = 10_f64.powi(x.abs().log10().floor() as i32 - 2);
    format!("{:.0}", (x / step).round() * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_with_their_unit_only() {
        assert_eq!(Nanos::parse("1h30m"), Some(Nanos::from_secs(5400)));
        assert_eq!(Nanos::parse("250 ms"), Some(Nanos::from_millis(250)));
        assert_eq!(Nanos::parse("40"), None);
        assert_eq!(Nanos::parse("40 fortnights"), None);
        assert_eq!(Bytes::parse("10 GiB"), Some(Bytes(10 << 30)));
        assert_eq!(Bytes::parse("64 GB"), Some(Bytes(64_000_000_000)));
        assert_eq!(Bytes::parse("64 parsecs"), None);
    }

    #[test]
    fn values_print_with_three_digits_and_a_unit() {
        assert_eq!(Nanos(1_234_567).to_string(), "1.23 ms");
        assert_eq!(Bytes(1536).to_string(), "1.5 KiB");
        assert_eq!(Share(0.8).to_string(), "80 %");
        assert_eq!(
            (round3(12345.6), rounded(12345.6), rounded(7.125)),
            ("12346".into(), "12300".into(), "7.12".into())
        );
    }
}
