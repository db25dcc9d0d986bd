//! Hot path: how rows are said: as the text of one INSERT, as the public script does, or as the values of a prepared
//! one, which a server need not parse.

use super::rows::{DateTime, Row, row};
use super::schema::COLUMN_COUNT;
use super::statement::{self, INSERT, PREPARE};
use super::work::{Keys, Work};
use crate::oltp::Form;
use crate::session::{Fault, Param, Prepared, Sql};
use std::ops::Range;

/// Room for the text of a row.
pub(super) const ROW_BYTES: usize = 80;
/// MySQL and PostgreSQL alike count the parameters of a statement in 16 bits.
const MOST_PREPARED: u64 = u16::MAX as u64 / COLUMN_COUNT;

/// A row that waits for its statement.
struct Drawn {
    key: i64,
    row: Row,
    time: DateTime,
}

pub(super) struct Inserter {
    form: Form,
    /// Rows of a whole statement. One with fewer is said as text.
    whole: u64,
    /// The prepared INSERT of each table, once it was needed.
    prepared: Vec<Option<Prepared>>,
    table: u64,
    drawn: Vec<Drawn>,
    /// Room for the values of a statement; nothing between two.
    params: Vec<Param<'static>>,
    sql: String,
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
            whole: work.rows,
            prepared: vec![None; work.extent.tables() as usize],
            table: 1,
            drawn: Vec::with_capacity(rows),
            params: Vec::with_capacity(rows * COLUMN_COUNT as usize),
            sql: String::with_capacity(ROW_BYTES * (rows + 4)),
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

    /// Draws these rows of a client for the next statement.
    pub fn draw(&mut self, client: u64, keys: Keys, rows: Range<u64>) {
        self.table = keys.table;
        self.drawn.clear();
        if self.form == Form::Text || rows.end - rows.start != self.whole {
            return statement::insert(&mut self.sql, client, keys, rows);
        }
        self.drawn.extend(rows.map(|number| {
            let row = row(client, number);
            Drawn { key: keys.key(number) as i64, time: row.time(), row }
        }));
    }

    /// Inserts the rows that were drawn; says how many the server counted.
    pub async fn insert(&mut self, session: &mut (dyn Sql + '_)) -> Result<u64, Fault> {
        if self.drawn.is_empty() {
            return Ok(session.query(INSERT, &self.sql).await?.affected);
        }
        let place = self.table as usize - 1;
        let statement = match self.prepared[place] {
            Some(statement) => statement,
            None => {
                statement::prepared_insert(&mut self.sql, session.dialect(), self.table, self.whole);
                *self.prepared[place].insert(session.prepare(PREPARE, &self.sql).await?)
            }
        };
        let mut params = emptied(std::mem::take(&mut self.params));
        for Drawn { key, row, time } in &self.drawn {
            params.push(Param::Int(*key));
            params.extend(row.params(time));
        }
        let answer = session.execute(INSERT, statement, &params).await;
        self.params = emptied(params);
        Ok(answer?.affected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insert::work::{Extent, Step};

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
