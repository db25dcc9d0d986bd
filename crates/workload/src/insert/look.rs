//! What the tables hold when a step begins, asked outside of what is measured: the smallest and largest key of each
//! client, from which its next rows follow, and whether that is what the steps before must have left.

use super::audit::{LOOKED, WRONG};
use super::postgresql;
use super::schema::INDEXES;
use super::statement::LOOK;
use super::work::{Keys, Work};
use crate::session::{Fault, Sql};
use model::Protocol;

/// Numbers of the rows that a client has in its table: all from `first` up to, and without, `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub first: u64,
    pub next: u64,
}

/// What a client has; `None` where its table is empty.
pub(super) async fn held(session: &mut (dyn Sql + '_), keys: Keys) -> Result<Option<Held>, Fault> {
    let (mut ends, table) = ([None; 2], keys.table);
    if keys.stride == 1 {
        session.read(LOOK, &format!("SELECT MIN(transactionid), MAX(transactionid) FROM pi{table}")).await?;
        let kept = session.kept();
        ends = [0, 1].map(|column| kept.int(0, column));
    } else {
        for (end, order) in ends.iter_mut().zip(["ASC", "DESC"]) {
            let sql = format!(
                "SELECT transactionid FROM pi{table} WHERE MOD(transactionid, {}) = {} ORDER BY transactionid {order} LIMIT 1",
                keys.stride,
                keys.first % keys.stride
            );
            session.read(LOOK, &sql).await?;
            let kept = session.kept();
            *end = (kept.rows() == 1).then(|| kept.int(0, 0)).flatten();
        }
    }
    let number = |key: i64| u64::try_from(key).ok().map(|key| keys.number(key));
    let [first, last] = ends.map(|key| key.and_then(number));
    Ok(first.zip(last).map(|(first, last)| Held { first, next: last + 1 }))
}

/// The same where there must be rows.
pub(super) async fn must_hold(session: &mut (dyn Sql + '_), keys: Keys) -> Result<Held, Fault> {
    held(session, keys).await?.ok_or_else(|| {
        let table = keys.table;
        Fault::Refused(format!(
            "pi{table} holds no rows of its client: let insert.load go before, or write begin = \"indexed\""
        ))
    })
}

/// Every `users`-th client and table, from the `number`-th on, held against what must be there.
pub(super) async fn look_at_tables(
    work: &Work,
    session: &mut (dyn Sql + '_),
    number: u64,
    users: u64,
) -> Result<(), Fault> {
    let extent = work.extent;
    for client in (number..extent.clients).step_by(users.max(1) as usize) {
        let held = held(session, extent.keys(client)).await?;
        session.count(LOOKED, 1);
        session.count(WRONG, i64::from(held.is_none_or(|held| held.next - held.first != extent.rows)));
    }
    if !work.counts {
        return Ok(());
    }
    let is_postgresql = session.dialect() == Protocol::PostgreSql;
    if is_postgresql {
        // It ends with the transaction.
        session.query(LOOK, &format!("BEGIN; {}", postgresql::by_indexes("LOCAL").join("; "))).await?;
    }
    for table in (1 + number..=extent.tables()).step_by(users.max(1) as usize) {
        let by_index = INDEXES.map(|(name, columns)| match is_postgresql {
            true => postgresql::entries(table, columns),
            false => format!("SELECT COUNT(*) FROM pi{table} FORCE INDEX (pi{table}_{name})"),
        });
        let indexes = if work.step.is_indexed() { &by_index[..] } else { &[] };
        let rows = format!("SELECT COUNT(*) FROM pi{table}");
        for sql in std::iter::once(&rows).chain(indexes) {
            session.read(LOOK, sql).await?;
            let kept = session.kept();
            let found = if kept.rows() == 1 { kept.int(0, 0) } else { None };
            session.count(LOOKED, 1);
            session.count(WRONG, i64::from(found != i64::try_from(extent.rows_of_table()).ok()));
        }
    }
    if is_postgresql {
        session.query(LOOK, "COMMIT").await?;
    }
    Ok(())
}

/// Refuses a table of this user's part that has rows already: those that are loaded would not be all.
pub(super) async fn must_be_empty(
    work: &Work,
    session: &mut (dyn Sql + '_),
    number: u64,
    users: u64,
) -> Result<(), Fault> {
    for table in (1 + number..=work.extent.tables()).step_by(users.max(1) as usize) {
        let any = session.query(LOOK, &format!("SELECT transactionid FROM pi{table} LIMIT 1")).await?;
        if any.rows > 0 {
            session.read(LOOK, &format!("SELECT COUNT(*) FROM pi{table}")).await?;
            let rows = session.kept().text(0, 0).unwrap_or_default();
            let what = format!("pi{table} holds {rows} rows already, and insert.load begins with empty tables");
            return Err(Fault::Refused(format!("{what}: load once, or write begin = \"empty\"")));
        }
    }
    Ok(())
}
