//! Hot path: how rows are said: as the text of one INSERT, as the public script does, or as the values of a prepared
//! one, which a server need not parse. While the server is at them its user draws the rows that follow, as the script
//! does in a process of their own.

use super::rows::{DateTime, Row, row};
use super::schema::COLUMN_COUNT;
use super::statement::{self, INSERT, PREPARE};
use super::work::{Extent, Work};
use crate::oltp::Form;
use crate::session::{Fault, Param, Prepared, Request, Sql, Want};
use std::ops::Range;

/// Room for the text of a row.
pub(super) const ROW_BYTES: usize = 80;
/// MySQL and PostgreSQL alike count the parameters of a statement in 16 bits.
const MOST_PREPARED: u64 = u16::MAX as u64 / COLUMN_COUNT;

/// Rows of one client, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub client: u64,
    pub rows: Range<u64>,
}

/// A row that waits for its statement.
struct Drawn {
    key: i64,
    row: Row,
    time: DateTime,
}

pub(super) struct Inserter {
    form: Form,
    extent: Extent,
    /// Rows of a whole statement. One with fewer is said as text.
    whole: u64,
    /// The prepared INSERT of each table, once it was needed.
    prepared: Vec<Option<Prepared>>,
    /// What waits for its statement: as text in `sql`, or else in `drawn`.
    block: Option<Block>,
    sql: String,
    drawn: Vec<Drawn>,
    /// Room for the values of a statement; nothing between two.
    params: Vec<Param<'static>>,
}

/// The same room for values that live less long, or longer: what is empty borrows nothing.
fn emptied<'b>(mut params: Vec<Param<'_>>) -> Vec<Param<'b>> {
    params.clear();
    params.into_iter().map(|_| Param::Null).collect()
}

impl Inserter {
    pub fn of(work: &Work) -> Self {
        let rows = work.rows as usize;
        Self {
            form: work.form,
            extent: work.extent,
            whole: work.rows,
            prepared: vec![None; work.extent.tables() as usize],
            block: None,
            sql: String::with_capacity(ROW_BYTES * (rows + 4)),
            drawn: Vec::with_capacity(rows),
            params: Vec::with_capacity(rows * COLUMN_COUNT as usize),
        }
    }

    /// What a new session has not: statements. Refuses more rows than one can hold.
    pub fn begin(&mut self) -> Result<(), Fault> {
        self.prepared.fill(None);
        if self.form == Form::Prepared && self.whole > MOST_PREPARED {
            return Err(Fault::Refused(format!(
                "a prepared statement holds the values of {MOST_PREPARED} rows, and rows_per_transaction is {}: insert \
                 fewer, or write protocol = \"text\"",
                self.whole
            )));
        }
        Ok(())
    }

    /// Draws the rows of the next statement, unless they are drawn.
    fn draw(&mut self, block: Block) {
        if self.block.as_ref() == Some(&block) {
            return;
        }
        let Block { client, rows } = self.block.insert(block).clone();
        let keys = self.extent.keys(client);
        self.drawn.clear();
        if self.form == Form::Text || rows.end - rows.start != self.whole {
            return statement::insert(&mut self.sql, client, keys, rows);
        }
        self.drawn.extend(rows.map(|number| {
            let row = row(client, number);
            Drawn { key: keys.key(number) as i64, time: row.time(), row }
        }));
    }

    /// Inserts these rows, says how many the server counted, and draws meanwhile those that are likely to come next.
    pub async fn insert(&mut self, session: &mut (dyn Sql + '_), block: Block, next: Block) -> Result<u64, Fault> {
        let table = self.extent.keys(block.client).table;
        self.draw(block);
        if self.drawn.is_empty() {
            session.start(INSERT, Request::Text(&self.sql), Want::Count);
        } else {
            let place = table as usize - 1;
            let statement = match self.prepared[place] {
                Some(statement) => statement,
                None => {
                    statement::prepared_insert(&mut self.sql, session.dialect(), table, self.whole);
                    *self.prepared[place].insert(session.prepare(PREPARE, &self.sql).await?)
                }
            };
            let mut params = emptied(std::mem::take(&mut self.params));
            for Drawn { key, row, time } in &self.drawn {
                params.push(Param::Int(*key));
                params.extend(row.params(time));
            }
            session.start(INSERT, Request::Execute(statement, &params), Want::Count);
            self.params = emptied(params);
        }
        session.send_now();
        self.draw(next);
        Ok(session.answer().await?.affected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insert::work::Step;

    #[test]
    fn more_rows_than_a_prepared_statement_has_values_for_are_refused() {
        let begun = |form, rows| {
            let extent = Extent { clients: 1, rows, is_one_table: false };
            Inserter::of(&Work { step: Step::Load, extent, rows, counts: false, form }).begin()
        };
        assert_eq!(begun(Form::Prepared, 9_362), Ok(()));
        assert_eq!(begun(Form::Text, 9_363), Ok(()));
        let refused = begun(Form::Prepared, 9_363).unwrap_err().to_string();
        assert!(refused.contains("9362 rows") && refused.contains("protocol = \"text\""), "{refused}");
    }

    #[test]
    fn a_prepared_insert_has_a_parameter_for_each_value() {
        let said = |dialect| {
            let mut sql = String::new();
            statement::prepared_insert(&mut sql, dialect, 3, 2);
            sql.split(" VALUES ").nth(1).unwrap_or_default().to_string()
        };
        assert_eq!(said(model::Protocol::MySql), "(?,?,?,?,?,?,?),(?,?,?,?,?,?,?)");
        assert_eq!(said(model::Protocol::PostgreSql), "($1,$2,$3,$4,$5,$6,$7),($8,$9,$10,$11,$12,$13,$14)");
    }
}
