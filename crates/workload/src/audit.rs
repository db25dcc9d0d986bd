//! What a workload asks its data while nobody works on them: questions whose answers are whole numbers, and the laws
//! that tie them to what the users counted. The lab asks, the record keeps questions, answers and laws, and the judge
//! evaluates them; none of the three knows the workload.

use model::record::audit::Law;

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
