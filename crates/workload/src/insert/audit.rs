//! What the tables must say after a run: rows and both ends of the keys moved by what the users saw committed, there is
//! a row for each key between the ends, and each secondary index has an entry for each row. At the begin of each step
//! the same was looked at, so that a step which broke one of these laws is known.

use super::postgresql;
use super::schema::INDEXES;
use super::work::{Extent, Keys};
use crate::Parameters;
use crate::audit::{Audit, Question, law};
use crate::session::Fact;
use model::record::audit::{Law, Term};

pub(super) const FACTS: &[&str] = &["rows_inserted", "rows_deleted", "tables_looked_at", "tables_not_as_expected"];
pub(super) const INSERTED: Fact = Fact(0);
pub(super) const DELETED: Fact = Fact(1);
pub(super) const LOOKED: Fact = Fact(2);
pub(super) const WRONG: Fact = Fact(3);

/// The question about indexes.
const APART: &str = "index_entries_apart";

pub(super) const DISCLOSURES: &[&str] = &[
    "The insert benchmark's public script deletes through a session of its own, at most eight statements behind or ahead; \
     here rows go in and out in one transaction, so that there is never one more or fewer.",
    "Rows are numbered by who inserts them and not by AUTO_INCREMENT, and their time follows from their number.",
    "A rate of inserts is kept evenly; the public script inserts a second's worth at once and sleeps for the rest.",
];

pub(super) fn of(parameters: &Parameters) -> Audit {
    let extent = Extent::of(parameters);
    let tables = 1..=extent.tables();
    let clients = || (0..extent.clients).map(|client| extent.keys(client));
    let question = |name: &str, sql| Question { name: name.into(), sql, watched: false };
    let questions = vec![
        question("rows", tables.clone().map(|table| format!("SELECT COUNT(*) FROM pi{table}")).collect()),
        question("rows_ever_deleted", clients().map(below).collect()),
        question("rows_ever_inserted", clients().map(up_to).collect()),
        question(APART, tables.clone().flat_map(|table| INDEXES.map(|(index, _)| apart(table, index))).collect()),
    ];
    let setup = tables.flat_map(|table| INDEXES.map(|(index, _)| prepare(table, index))).flatten().collect();
    Audit { setup, questions, laws: laws() }
}

/// The same in PostgreSQL's SQL.
pub(super) fn of_postgresql(parameters: &Parameters) -> Audit {
    let mut audit = of(parameters);
    audit.setup = postgresql::by_indexes("SESSION");
    audit.questions.iter_mut().flat_map(|question| &mut question.sql).for_each(|sql| *sql = postgresql::asked(sql));
    if let Some(question) = audit.questions.iter_mut().find(|question| question.name == APART) {
        let tables = 1..=Extent::of(parameters).tables();
        question.sql = tables.flat_map(|table| INDEXES.map(|(_, columns)| postgresql::apart(table, columns))).collect();
    }
    audit
}

/// How many keys of a client lie before its smallest.
fn below(keys: Keys) -> String {
    let Keys { table, first, stride } = keys;
    format!("SELECT COALESCE((MIN(transactionid) - {first}) DIV {stride}, 0) FROM pi{table}{}", of_client(keys))
}

/// How many there are up to its largest.
fn up_to(keys: Keys) -> String {
    let Keys { table, first, stride } = keys;
    format!("SELECT COALESCE((MAX(transactionid) - {first}) DIV {stride} + 1, 0) FROM pi{table}{}", of_client(keys))
}

fn of_client(Keys { first, stride, .. }: Keys) -> String {
    if stride == 1 { String::new() } else { format!(" WHERE MOD(transactionid, {stride}) = {}", first % stride) }
}

/// A statement that says by how much the entries of an index and the rows of its table differ, where there is such an
/// index; it is there from a step on that the questions know nothing of.
fn prepare(table: u64, index: &str) -> [String; 2] {
    let counted = format!(
        "SELECT ABS((SELECT COUNT(*) FROM pi{table} FORCE INDEX (PRIMARY)) - (SELECT COUNT(*) FROM pi{table} FORCE INDEX (pi{table}_{index})))"
    );
    let is_there = format!(
        "(SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'pi{table}' \
         AND INDEX_NAME = 'pi{table}_{index}')"
    );
    [
        format!("SET @pi{table}_{index} = IF({is_there} > 0, '{counted}', 'SELECT 0')"),
        format!("PREPARE pi{table}_{index} FROM @pi{table}_{index}"),
    ]
}

fn apart(table: u64, index: &str) -> String {
    format!("EXECUTE pi{table}_{index}")
}

fn laws() -> Vec<Law> {
    let fact = Term::fact;
    // Of an operation whose end nobody saw, at most so many rows may be in or out: those of the largest transaction.
    const FEW: i64 = 10_000;
    vec![
        law(
            "IB1",
            "each step began on the rows, keys and index entries that the steps before it leave",
            "a step before it ended early, or another began in between",
        )
        .equal([fact("tables_not_as_expected")], vec![], 0),
        law("IB2", "rows grew by those inserted, less those deleted", "a commit was lost, or done twice").equal(
            [Term::growth("rows")],
            [fact("rows_inserted"), fact("rows_deleted").times(-1)],
            FEW,
        ),
        law("IB3", "the largest keys grew by the rows inserted", "rows were inserted elsewhere than at the end").equal(
            [Term::growth("rows_ever_inserted")],
            [fact("rows_inserted")],
            FEW,
        ),
        law("IB4", "the smallest keys grew by the rows deleted", "rows were deleted elsewhere than at the begin")
            .equal([Term::growth("rows_ever_deleted")], [fact("rows_deleted")], FEW),
        law("IB5", "there is a row for each key between the smallest and the largest", "a row in between is lost")
            .equal(
                [Term::after("rows")],
                [Term::after("rows_ever_inserted"), Term::after("rows_ever_deleted").times(-1)],
                0,
            ),
        law(
            "IB6",
            "each secondary index has an entry for each row",
            "an index and its table are apart: check the table",
        )
        .equal([Term::after(APART)], vec![], 0),
    ]
}
