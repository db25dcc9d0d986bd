//! The third witness: what the data themselves say. A workload asks its tables a few questions before the users come
//! and after they left; its laws tie the answers to the facts that the users counted (what a client took for committed
//! must lie there). Questions, answers and laws are data in the record, so that whoever judges needs to know no
//! workload.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was asked of one dataset of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Key of the dataset.
    pub dataset: String,
    /// Whose users worked on it.
    pub groups: Vec<String>,
    /// What they counted in the whole run, from the first connect to the last answer.
    pub facts: BTreeMap<String, i64>,
    /// Operations of which nobody knows whether they were done: their session broke, or the deadline came first.
    #[serde(default)]
    pub uncertain: u64,
    pub answers: Vec<Answer>,
    pub laws: Vec<Law>,
    /// What the workload says of its own work, to stand beside its numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disclosures: Vec<String>,
}

/// A question that has a whole number for an answer; sums of money are asked in cents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub name: String,
    /// The statements whose numbers are added up.
    pub sql: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Law {
    /// As in the literature of the workload: `V1`.
    pub code: String,
    /// True when the law holds: `every New-Order that was committed is in district`.
    pub claim: String,
    /// What to think of when it does not.
    pub broken: String,
    pub severity: Severity,
    pub rule: Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Fail,
    Warn,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The two sums are the same; each uncertain operation may have moved them apart by so much.
    Equal { left: Vec<Term>, right: Vec<Term>, apart: i64 },
    /// The same, but of the right a share may be missing on the left.
    Nearly { left: Vec<Term>, right: Vec<Term>, apart: i64, short: f64 },
    /// The share of the part in the whole lies in these bounds; what chance alone explains (99.9 %) is no breach, and
    /// from `enough` of the whole on it is looked at.
    Share { part: Vec<Term>, whole: Vec<Term>, low: f64, high: f64, enough: i64 },
    /// So many per cent of the measured operations of that name were done within the limit.
    Within { operation: String, percent: f64, micros: u64 },
}

/// A quantity with its factor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    pub factor: i64,
    pub of: Quantity,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Counted by the users.
    Fact(String),
    /// How much the answer grew over the run.
    Growth(String),
    Before(String),
    After(String),
}

impl Term {
    pub fn fact(name: &str) -> Self {
        Self { factor: 1, of: Quantity::Fact(name.into()) }
    }
    pub fn growth(question: &str) -> Self {
        Self { factor: 1, of: Quantity::Growth(question.into()) }
    }
    pub fn before(question: &str) -> Self {
        Self { factor: 1, of: Quantity::Before(question.into()) }
    }
    pub fn after(question: &str) -> Self {
        Self { factor: 1, of: Quantity::After(question.into()) }
    }
    #[must_use]
    pub fn times(self, factor: i64) -> Self {
        Self { factor: self.factor * factor, ..self }
    }
}

impl Audit {
    pub fn answer(&self, question: &str) -> Option<&Answer> {
        self.answers.iter().find(|a| a.name == question)
    }

    /// The sum of these terms; `Err` names what nobody answered. A fact that nobody counted is none.
    pub fn sum(&self, terms: &[Term]) -> Result<i64, String> {
        terms
            .iter()
            .try_fold(0_i64, |sum, term| Ok(sum.saturating_add(term.factor.saturating_mul(self.value(&term.of)?))))
    }

    fn value(&self, quantity: &Quantity) -> Result<i64, String> {
        let answer = |name: &str, of: fn(&Answer) -> Option<i64>| {
            let answer = self.answer(name).ok_or_else(|| format!("nobody asked for `{name}`"))?;
            let why = || answer.unanswered.clone().unwrap_or_else(|| "it was not asked".into());
            of(answer).ok_or_else(|| format!("`{name}` has no answer: {}", why()))
        };
        match quantity {
            Quantity::Fact(name) => Ok(self.facts.get(name).copied().unwrap_or(0)),
            Quantity::Growth(name) => answer(name, |a| Some(a.after? - a.before?)),
            Quantity::Before(name) => answer(name, |a| a.before),
            Quantity::After(name) => answer(name, |a| a.after),
        }
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.factor {
            1 => {}
            -1 => f.write_str("−")?,
            factor => write!(f, "{factor} × ")?,
        }
        match &self.of {
            Quantity::Fact(name) => write!(f, "{}", words(name)),
            Quantity::Growth(name) => write!(f, "growth of {}", words(name)),
            Quantity::Before(name) => write!(f, "{} before", words(name)),
            Quantity::After(name) => write!(f, "{} after", words(name)),
        }
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_facts_and_growths_with_their_factors_and_names_what_is_missing() {
        let answer = |name: &str, before, after| Answer { name: name.into(), before, after, ..Answer::default() };
        let audit = Audit {
            facts: [("orders".to_string(), 7)].into(),
            answers: vec![answer("rows", Some(10), Some(17)), answer("lost", Some(1), None)],
            ..Audit::default()
        };
        assert_eq!(audit.sum(&[Term::growth("rows"), Term::fact("orders").times(-1)]), Ok(0));
        assert_eq!(audit.sum(&[Term::before("rows"), Term::after("rows"), Term::fact("never counted")]), Ok(27));
        assert_eq!(audit.sum(&[Term::growth("lost")]), Err("`lost` has no answer: it was not asked".into()));
        assert_eq!(audit.sum(&[Term::after("other")]), Err("nobody asked for `other`".into()));
        assert_eq!(Term::growth("order_lines").times(-1).to_string(), "−growth of order lines");
    }
}
