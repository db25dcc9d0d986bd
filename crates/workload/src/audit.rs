//! What a workload asks its data while nobody works on them: questions whose answers are whole numbers, and the laws
//! that tie them to what the users counted. The lab asks, the record keeps questions, answers and laws, and the judge
//! evaluates them; none of the three knows the workload.

use model::record::audit::{Law, Rule, Severity, Term};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Said first in each session that asks, where the server knows it: what it refuses is passed over.
    pub setup: Vec<String>,
    pub questions: Vec<Question>,
    pub laws: Vec<Law>,
}

/// One number about the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    pub name: String,
    /// SELECTs that return one number each, which are added up: one per part of the data, so that they are asked side
    /// by side.
    pub sql: Vec<String>,
    /// So cheap that it is asked at the ends of phases, too: the metric `data.NAME`.
    pub watched: bool,
}

/// A law in words; its rule follows.
pub(crate) struct Claim {
    code: String,
    claim: String,
    broken: String,
    severity: Severity,
}

/// Its code, what is true when it holds, and what to think of when it does not.
pub(crate) fn law(code: &str, claim: &str, broken: &str) -> Claim {
    Claim { code: code.into(), claim: claim.into(), broken: broken.into(), severity: Severity::Fail }
}

impl Claim {
    pub fn of(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }
    pub fn rule(self, rule: Rule) -> Law {
        let Self { code, claim, broken, severity } = self;
        Law { code, claim, broken, severity, rule }
    }
    pub fn equal(self, left: impl Into<Vec<Term>>, right: impl Into<Vec<Term>>, apart: i64) -> Law {
        self.rule(Rule::Equal { left: left.into(), right: right.into(), apart })
    }
    /// The share of one quantity in the whole.
    pub fn share(self, part: Term, whole: Vec<Term>, (low, high): (f64, f64), enough: i64) -> Law {
        self.rule(Rule::Share { part: vec![part], whole, low, high, enough })
    }
}
