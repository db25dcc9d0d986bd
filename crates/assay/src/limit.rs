//! A limit, as `assay compare --fail-if` and `assay bisect` take it: `oltp.*:qps<-3%` is broken by a row of any oltp
//! workload whose QPS fell by more than three per cent, when that it fell is decided. A row that is undecided breaks
//! nothing: noise must not fail a build, and the table says how many more repetitions would decide.

use judge::compare::bisect;
use model::compared::Row;
use model::{Compared, Outcome, Problem};
use report::compared::Broken;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The workloads meant, `*` for any text.
    pattern: String,
    pub metric: String,
    beyond: Beyond,
    /// As a share: -0.03.
    change: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    Below,
    Above,
}

impl Limit {
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let problem = |what: &str| Problem {
            line: None,
            path: text.into(),
            what: what.into(),
            mend: "write it as 'qps<-3%', 'latency_us_p99>10%' or 'oltp.*:qps<-3%'".into(),
        };
        let (pattern, rest) = text.split_once(':').unwrap_or(("*", text));
        let at = rest.find(['<', '>']).ok_or_else(|| problem("it has neither < nor >"))?;
        let (metric, change) = (rest[..at].trim(), rest[at + 1..].trim());
        let percent = change.strip_suffix('%').ok_or_else(|| problem("it ends in no %"))?;
        let percent: f64 = percent.trim().parse().map_err(|_| problem("its limit is not a number"))?;
        let beyond = if rest.as_bytes()[at] == b'<' { Beyond::Below } else { Beyond::Above };
        if metric.is_empty() || pattern.is_empty() {
            return Err(problem("it names no metric or no workload"));
        }
        Ok(Self { pattern: pattern.trim().into(), metric: metric.into(), beyond, change: percent / 100.0 })
    }

    /// The limit itself, where it is about whatever is measured.
    pub fn change(&self) -> Option<bisect::Limit> {
        let is_below = self.beyond == Beyond::Below;
        (self.pattern == "*").then_some(bisect::Limit { change: self.change, is_below })
    }

    pub fn is_about(&self, row: &Row) -> bool {
        self.metric == row.metric && matches(&self.pattern, &row.workload)
    }

    fn is_broken_by(&self, row: &Row) -> bool {
        let beyond = match self.beyond {
            Beyond::Below => row.change() < self.change,
            Beyond::Above => row.change() > self.change,
        };
        self.is_about(row) && beyond && matches!(row.outcome, Outcome::Better | Outcome::Worse)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.beyond {
            Beyond::Below => '<',
            Beyond::Above => '>',
        };
        write!(f, "{}:{}{sign}{}%", self.pattern, self.metric, self.change * 100.0)
    }
}

/// The first limit that each row breaks.
pub fn broken(limits: &[Limit], compared: &Compared) -> Broken {
    let rows = compared.rows.iter().enumerate();
    rows.filter_map(|(i, row)| Some((i, limits.iter().find(|limit| limit.is_broken_by(row))?.to_string()))).collect()
}

/// Parts between stars, in order, the first at the beginning and the last at the end.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            rest.is_empty() || (0..=text.len()).filter(|i| text.is_char_boundary(*i)).any(|i| matches(rest, &text[i..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_as_it_is_written_and_told_the_same() {
        assert_eq!(Limit::parse("oltp.*:qps<-3%").unwrap().to_string(), "oltp.*:qps<-3%");
        assert_eq!(Limit::parse(" latency_us_p99 > 10 %").unwrap().to_string(), "*:latency_us_p99>10%");
        for wrong in ["qps", "qps<3", "qps<x%", "oltp.*:<-3%", ":qps<-3%"] {
            assert!(Limit::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn stars_stand_for_any_text() {
        assert!(matches("oltp.*", "oltp.mixed") && matches("*", "tpcc") && matches("*selects", "oltp.point_selects"));
        assert!(!matches("oltp.*", "tpcc.mix") && !matches("oltp", "oltp.mixed"));
    }
}
