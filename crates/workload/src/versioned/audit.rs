//! What the tables must say after a run. Every update and every delete of a versioned row leaves one version behind, so
//! the rows that are current and all that ever were follow from what the users saw committed; and at the begin of each
//! step the current rows were counted and held against the generator.

use super::knobs;
use super::rows::Set;
use super::schema::Variant;
use crate::Parameters;
use crate::audit::{Audit, Question, law};
use crate::session::Fact;
use model::record::audit::{Law, Rule, Term};

pub(super) const FACTS: &[&str] = &[
    "rows_inserted",
    "rows_updated",
    "rows_deleted",
    "tables_looked_at",
    "tables_not_as_generated",
    "versions_read",
    "versions_deleted",
];
pub(super) const INSERTED: Fact = Fact(0);
pub(super) const UPDATED: Fact = Fact(1);
pub(super) const DELETED: Fact = Fact(2);
pub(super) const LOOKED: Fact = Fact(3);
pub(super) const WRONG: Fact = Fact(4);
/// Rows that questions about the past returned.
pub(super) const VERSIONS: Fact = Fact(5);
/// Versions that a DELETE HISTORY took away.
pub(super) const FORGOTTEN: Fact = Fact(6);

/// Bytes that the tables take on disk, asked at the ends of phases.
const BYTES: &str = "table_bytes";
/// Those of them that hold history alone.
const HISTORY_BYTES: &str = "history_bytes";

/// Versions of updated rows: a version lasts from the begin of the statement that made it to the begin of the one that
/// ended it, and the server keeps none that would not have lasted. So it is when two users update a row at once, and
/// the one whose statement began first gets the lock second. Measured: 1 in 80,000 with eight users; many times as many
/// would be no such chance.
const WITHOUT_VERSION: f64 = 0.001;

pub(super) fn of(parameters: &Parameters) -> Audit {
    let variant = Variant::of(parameters);
    let tables = knobs::count(parameters, "tables");
    let each = |of: &str| (1..=tables).map(|table| format!("SELECT COUNT(*) FROM sbtest{table}{of}")).collect();
    let question = |name: &str, sql, watched| Question { name: name.into(), sql, watched };
    let files = |name: &str| {
        format!(
            "SELECT SUM(FILE_SIZE) FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME LIKE CONCAT(DATABASE(), '/{name}')"
        )
    };
    let mut questions = vec![question("current_rows", each(""), false), question(BYTES, vec![files("sbtest%")], true)];
    if variant.is_partitioned() {
        questions.push(question(HISTORY_BYTES, vec![files("sbtest%p_history")], true));
    }
    if variant.is_versioned() {
        questions.push(question("all_versions", each(" FOR SYSTEM_TIME ALL"), false));
    }
    Audit { setup: Vec::new(), questions, laws: laws(variant, Set::of(parameters).rows) }
}

fn laws(variant: Variant, rows: u64) -> Vec<Law> {
    // An operation whose end nobody saw may have been the DELETE of a whole table.
    let apart = i64::try_from(rows).expect("rows are bounded");
    let fact = Term::fact;
    let mut laws = vec![
        law(
            "SV1",
            "each step began on the current rows that the generator says",
            "a step before it ended early, was done twice, or another began in between",
        )
        .equal([fact("tables_not_as_generated")], vec![], 0),
        law("SV2", "current rows grew by those inserted, less those deleted", "a commit was lost, or done twice")
            .equal([Term::growth("current_rows")], [fact("rows_inserted"), fact("rows_deleted").times(-1)], apart),
    ];
    if variant.is_versioned() {
        let rule = Rule::Nearly {
            left: vec![Term::growth("all_versions"), Term::growth("current_rows").times(-1), fact("versions_deleted")],
            right: vec![fact("rows_updated"), fact("rows_deleted")],
            apart,
            short: if variant.is_by_transaction() { 0.0 } else { WITHOUT_VERSION },
        };
        let claim = "each update and each delete left one version in the history, until it was deleted from there";
        laws.push(law("SV3", claim, "history was lost, or a version was written twice").rule(rule));
    }
    laws
}
