//! Looks whether the tables hold the rows that the generator says, before a step begins and outside of what is
//! measured: what a step takes for the current set is a claim about all steps before it. The users of a step share the
//! tables.

use super::audit::{LOOKED, WRONG};
use super::statement::COUNT;
use super::step::Work;
use crate::session::{Fault, Sql};
use std::fmt::Write;

/// Counts the current rows of every `users`-th table, from the `number`-th on.
pub(super) async fn look_at_tables(
    work: &Work,
    session: &mut (dyn Sql + '_),
    number: u64,
    users: u64,
) -> Result<(), Fault> {
    let Some(rows) = work.begins_with() else { return Ok(()) };
    let ends = (rows > 0).then(|| (work.set.first() as i64, work.set.last() as i64)).unzip();
    let wanted = (Some(rows as i64), ends.0, ends.1);
    let mut sql = String::new();
    for table in (1 + number..=work.tables).step_by(users.max(1) as usize) {
        sql.clear();
        write!(sql, "SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest{table}").expect("writing into a String cannot fail");
        session.read(COUNT, &sql).await?;
        let kept = session.kept();
        let found = (kept.rows() == 1).then(|| (kept.int(0, 0), kept.int(0, 1), kept.int(0, 2)));
        session.count(LOOKED, 1);
        session.count(WRONG, i64::from(found != Some(wanted)));
    }
    Ok(())
}
