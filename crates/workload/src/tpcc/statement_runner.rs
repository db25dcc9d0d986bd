//! Hot path: how a user says a statement: prepared, once per set of tables and district, or as text with its values
//! written out. Values pass through buffers on the stack and one text that is used again.

use super::statement::{PREPARE, Say};
use crate::oltp::Form;
use crate::rows::{Cell, KeptRows};
use crate::session::{Answer, Fault, Param, Prepared, Sql};
use std::fmt::Write;

/// No statement has more values.
const VALUES: usize = 10;
/// Digits of an amount, its sign and its point.
const AMOUNT: usize = 24;
/// No statement is longer: an update with 500 bytes of data.
const LONGEST: usize = 1024;
/// Those of a set are prepared before measuring where there are no more sets than this; else when they are first
/// needed.
const PREPARED_AHEAD: u64 = 1;
/// Statements by set: those with a district have ten forms.
const FORMS: usize = Say::ALL.len() + 10;

/// A value of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Int(u64),
    /// Below zero.
    Minus(u64),
    Cents(i64),
    Text(&'a [u8]),
}

pub(super) struct StatementRunner {
    protocol: Form,
    sets: u64,
    statements: Vec<Option<Prepared>>,
    sql: String,
}

impl StatementRunner {
    pub fn new(protocol: Form, sets: u64) -> Self {
        let statements = vec![None; sets as usize * FORMS];
        Self { protocol, sets, statements, sql: String::with_capacity(LONGEST) }
    }

    /// After every connect: what was prepared is gone.
    pub async fn begin(&mut self, session: &mut (dyn Sql + '_), wanted: &[Say]) -> Result<(), Fault> {
        self.statements.fill(None);
        if self.protocol == Form::Text || self.sets > PREPARED_AHEAD {
            return Ok(());
        }
        for say in wanted {
            let districts = if *say == Say::Stock { 1..=10 } else { 1..=1 };
            for district in districts {
                self.prepared(session, *say, 1, district).await?;
            }
        }
        Ok(())
    }

    async fn prepared(
        &mut self,
        session: &mut (dyn Sql + '_),
        say: Say,
        set: u64,
        district: u64,
    ) -> Result<Prepared, Fault> {
        let form = match say {
            Say::Stock => Say::ALL.len() + district as usize - 1,
            _ => say as usize,
        };
        let place = (set - 1) as usize * FORMS + form;
        if let Some(prepared) = self.statements[place] {
            return Ok(prepared);
        }
        say.write(&mut self.sql, set, district, |sql| sql.push('?'));
        let prepared = session.prepare(PREPARE, &self.sql).await?;
        self.statements[place] = Some(prepared);
        Ok(prepared)
    }

    /// BEGIN, COMMIT, ROLLBACK: always as text, which every server takes.
    pub async fn bracket(&self, session: &mut (dyn Sql + '_), say: Say) -> Result<(), Fault> {
        session.query(say.class(), say.text()).await.map(drop)
    }

    /// Says it and counts the rows of the answer.
    pub async fn say(
        &mut self,
        session: &mut (dyn Sql + '_),
        say: Say,
        set: u64,
        values: &[Value<'_>],
    ) -> Result<Answer, Fault> {
        if self.protocol == Form::Text {
            self.write(say, set, 1, values);
            return session.query(say.class(), &self.sql).await;
        }
        let prepared = self.prepared(session, say, set, 1).await?;
        let mut texts = [([0; AMOUNT], 0); VALUES];
        let params = bound(values, &mut texts);
        session.execute(say.class(), prepared, &params[..values.len()]).await
    }

    /// Says it and keeps the rows of the answer.
    pub async fn ask(
        &mut self,
        session: &mut (dyn Sql + '_),
        say: Say,
        set: u64,
        district: u64,
        values: &[Value<'_>],
    ) -> Result<Answer, Fault> {
        if self.protocol == Form::Text {
            self.write(say, set, district, values);
            return session.read(say.class(), &self.sql).await;
        }
        let prepared = self.prepared(session, say, set, district).await?;
        let mut texts = [([0; AMOUNT], 0); VALUES];
        let params = bound(values, &mut texts);
        session.execute_reading(say.class(), prepared, &params[..values.len()]).await
    }

    fn write(&mut self, say: Say, set: u64, district: u64, values: &[Value<'_>]) {
        let mut values = values.iter();
        say.write(&mut self.sql, set, district, |sql| values.next().expect("a value for each place").write(sql));
    }
}

impl Value<'_> {
    /// As a literal. Texts of ours are letters, digits, blanks and a few signs, which need no escape.
    pub fn write(&self, sql: &mut String) {
        match self {
            Self::Int(n) => write!(sql, "{n}"),
            Self::Minus(n) => write!(sql, "-{n}"),
            Self::Cents(cents) => {
                let mut text = [0; AMOUNT];
                let length = write_cents(*cents, &mut text);
                sql.push_str(std::str::from_utf8(&text[..length]).expect("digits"));
                Ok(())
            }
            Self::Text(text) => write!(sql, "'{}'", std::str::from_utf8(text).unwrap_or_default()),
        }
        .expect("writing into a String cannot fail");
    }
}

fn bound<'a>(values: &[Value<'a>], texts: &'a mut [([u8; AMOUNT], usize); VALUES]) -> [Param<'a>; VALUES] {
    let mut params = [Param::Null; VALUES];
    for ((value, param), (text, length)) in values.iter().zip(&mut params).zip(texts) {
        *param = match value {
            Value::Int(n) => Param::Int(*n as i64),
            Value::Minus(n) => Param::Int(-(*n as i64)),
            Value::Cents(cents) => {
                *length = write_cents(*cents, text);
                Param::Decimal(&text[..*length])
            }
            Value::Text(bytes) => Param::Bytes(bytes),
        };
    }
    params
}

/// `-12.05`; returns its length.
fn write_cents(cents: i64, text: &mut [u8; AMOUNT]) -> usize {
    let mut rest = cents.unsigned_abs();
    let mut from = AMOUNT;
    let mut digits = 0;
    while digits < 3 || rest > 0 {
        if digits == 2 {
            from -= 1;
            text[from] = b'.';
        }
        from -= 1;
        text[from] = b'0' + (rest % 10) as u8;
        rest /= 10;
        digits += 1;
    }
    if cents < 0 {
        from -= 1;
        text[from] = b'-';
    }
    text.copy_within(from.., 0);
    AMOUNT - from
}

/// A cell that holds a decimal, in units of so many digits behind its point; what is beyond them is cut.
pub(super) fn decimal(kept: &KeptRows, row: usize, column: usize, digits: u32) -> Option<i64> {
    let unit = 10_i64.pow(digits);
    match kept.cell(row, column) {
        Cell::Null => None,
        Cell::Int(n) => Some(n * unit),
        Cell::UInt(n) => Some(n as i64 * unit),
        Cell::Real(x) => Some((x * unit as f64).round() as i64),
        Cell::Bytes(text) => {
            let (mut value, mut behind) = (0_i64, None);
            for byte in text {
                match (byte, &mut behind) {
                    (b'-', _) => {}
                    (b'.', _) => behind = Some(0),
                    (_, Some(n)) if *n == digits => {}
                    (b'0'..=b'9', at) => {
                        value = value * 10 + i64::from(byte - b'0');
                        at.iter_mut().for_each(|n| *n += 1);
                    }
                    _ => return None,
                }
            }
            let value = value * 10_i64.pow(digits - behind.unwrap_or(0));
            Some(if text.first() == Some(&b'-') { -value } else { value })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_and_read_with_their_cents() {
        for (cents, text) in [(0, "0.00"), (5, "0.05"), (-1205, "-12.05"), (123_456_789, "1234567.89")] {
            let mut sql = String::new();
            Value::Cents(cents).write(&mut sql);
            assert_eq!(sql, text);
            let mut kept = KeptRows::default();
            kept.clear(1);
            kept.push(Cell::Bytes(text.as_bytes()));
            assert_eq!(decimal(&kept, 0, 0, 2), Some(cents));
        }
        let mut kept = KeptRows::default();
        kept.clear(3);
        [Cell::Bytes(b"0.1234"), Cell::Bytes(b"7"), Cell::Null].into_iter().for_each(|cell| kept.push(cell));
        assert_eq!((decimal(&kept, 0, 0, 4), decimal(&kept, 0, 0, 2)), (Some(1234), Some(12)));
        assert_eq!((decimal(&kept, 0, 1, 4), decimal(&kept, 0, 2, 4)), (Some(70_000), None));
    }
}
