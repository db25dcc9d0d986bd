//! What an experiment takes away, and what it changes to no purpose: an experiment with this section tests a finding of
//! another. Both axes have two values, as it was and changed; the judge compares the four combinations.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intervention {
    /// The experiment that had the finding.
    pub of: String,
    /// As `reads_from_disk`.
    pub finding: String,
    /// The axis whose second value takes the cause away.
    pub removes: String,
    /// The axis whose second value is a change of the same kind that the cause does not feel.
    pub placebo: String,
}
