//! Hot path: Payment (clause 2.5): a customer, by number or by name and of another warehouse in one of seven, pays;
//! warehouse and district count it, and customers of bad credit get a note.

use super::client::{Client, Went};
use super::draw::Inputs;
use super::facts::{PAYMENT_CENTS, PAYMENTS, PAYMENTS_BY_NAME, REMOTE_PAYMENTS};
use super::statement::Say;
use super::statement_runner::Value::{Cents, Int, Text};
use super::statement_runner::{Value, decimal};
use crate::rows::{Cell, KeptRows};
use crate::session::{Fault, Sql};
use std::io::Write;

/// The longest c_data.
const NOTES: usize = 500;
/// The longest h_data: two names with four blanks between them.
const REMARK: usize = 24;
const NAME: usize = 10;
/// The note of one payment, with room to spare.
const NOTE: usize = 96;

/// A text without memory of its own.
#[derive(Clone, Copy)]
struct Short<const MOST: usize> {
    text: [u8; MOST],
    length: usize,
}

impl<const MOST: usize> Short<MOST> {
    fn empty() -> Self {
        Self { text: [0; MOST], length: 0 }
    }
    /// What fits.
    fn push(&mut self, more: &[u8]) {
        let length = more.len().min(MOST - self.length);
        self.text[self.length..self.length + length].copy_from_slice(&more[..length]);
        self.length += length;
    }
    fn of(kept: &KeptRows, row: usize, column: usize) -> Self {
        let mut short = Self::empty();
        if let Cell::Bytes(text) = kept.cell(row, column) {
            short.push(text);
        }
        short
    }
    fn text(&self) -> &[u8] {
        &self.text[..self.length]
    }
}

impl Client {
    pub(super) async fn payment(&mut self, session: &mut (dyn Sql + '_)) -> Result<Went, Fault> {
        let Inputs { set, warehouse, district, of, cents, name, .. } = self.inputs;
        let amount = if self.habits.payments_not_counted { Int(cents / 100) } else { Cents(cents as i64) };
        if self.runner.say(session, Say::PayWarehouse, set, &[amount, Int(warehouse)]).await?.affected != 1 {
            return Ok(Went::Invalid(Say::PayWarehouse));
        }
        if self.runner.ask(session, Say::Warehouse, set, 1, &[Int(warehouse)]).await?.rows != 1 {
            return Ok(Went::Invalid(Say::Warehouse));
        }
        let of_warehouse = Short::<NAME>::of(session.kept(), 0, 5);
        let place = [Int(warehouse), Int(district)];
        if self.runner.say(session, Say::PayDistrict, set, &[amount, place[0], place[1]]).await?.affected != 1 {
            return Ok(Went::Invalid(Say::PayDistrict));
        }
        if self.runner.ask(session, Say::District, set, 1, &place).await?.rows != 1 {
            return Ok(Went::Invalid(Say::District));
        }
        let of_district = Short::<NAME>::of(session.kept(), 0, 5);
        let Some(customer) = self.payer(session).await? else { return Ok(Went::Invalid(Say::PayName)) };
        if let Some(say) = self.pay(session, customer, amount).await? {
            return Ok(Went::Invalid(say));
        }
        let remark = self.remark(of_warehouse, of_district);
        let keys = [Int(of.1), Int(of.0), Int(customer), Int(district), Int(warehouse)];
        let values = [keys[0], keys[1], keys[2], keys[3], keys[4], amount, Text(remark.text())];
        if self.runner.say(session, Say::InsertHistory, set, &values).await?.affected != 1 {
            return Ok(Went::Invalid(Say::InsertHistory));
        }
        self.runner.bracket(session, Say::Commit).await?;
        session.count(PAYMENTS, 1);
        session.count(PAYMENT_CENTS, cents as i64);
        session.count(REMOTE_PAYMENTS, i64::from(of.0 != warehouse));
        session.count(PAYMENTS_BY_NAME, i64::from(name.is_some()));
        Ok(Went::Committed)
    }

    /// The customer's number.
    async fn payer(&mut self, session: &mut (dyn Sql + '_)) -> Result<Option<u64>, Fault> {
        let Inputs { set, of, customer, name, .. } = self.inputs;
        let Some(name) = name else { return Ok(Some(customer)) };
        let keys = [Int(of.0), Int(of.1), Text(name.text())];
        if self.habits.name_off_by_one {
            self.runner.ask(session, Say::CountName, set, 1, &keys).await?;
        }
        let rows = self.runner.ask(session, Say::PayName, set, 1, &keys).await?.rows as usize;
        if rows == 0 {
            return Ok(None);
        }
        Ok(session.kept().int(self.middle(rows), 0).and_then(|n| u64::try_from(n).ok()))
    }

    /// Takes the amount from the customer's balance; names the statement that did not find or change its row.
    async fn pay(
        &mut self,
        session: &mut (dyn Sql + '_),
        customer: u64,
        amount: Value<'_>,
    ) -> Result<Option<Say>, Fault> {
        let Inputs { set, of, cents, .. } = self.inputs;
        let keys = [Int(of.0), Int(of.1), Int(customer)];
        if self.runner.ask(session, Say::PayCustomer, set, 1, &keys).await?.rows != 1 {
            return Ok(Some(Say::PayCustomer));
        }
        let kept = session.kept();
        let bad_credit = kept.cell(0, 9) == Cell::Bytes(b"BC");
        let value = |column, sign: i64| Cents(decimal(kept, 0, column, 2).unwrap_or(0) + sign * cents as i64);
        let (balance, paid) =
            if self.habits.payments_not_counted { (value(12, -1), value(13, 1)) } else { (amount, amount) };
        let plain = [balance, paid, keys[0], keys[1], keys[2]];
        let (say, with_note) = match self.habits.payments_not_counted {
            true => (Say::SetBalance, Say::SetBalanceAndData),
            false => (Say::PayAndCount, Say::PayAndCountWithData),
        };
        if !bad_credit {
            let changed = self.runner.say(session, say, set, &plain).await?.affected;
            return Ok((changed != 1).then_some(say));
        }
        if self.runner.ask(session, Say::CustomerData, set, 1, &keys).await?.rows != 1 {
            return Ok(Some(Say::CustomerData));
        }
        let mut notes = self.note(customer);
        if let Cell::Bytes(before) = session.kept().cell(0, 0) {
            notes.push(before);
        }
        let values = [balance, paid, Text(notes.text()), keys[0], keys[1], keys[2]];
        let changed = self.runner.say(session, with_note, set, &values).await?.affected;
        Ok((changed != 1).then_some(with_note))
    }

    /// What is put before the notes of a customer of bad credit.
    fn note(&self, customer: u64) -> Short<NOTES> {
        let Inputs { warehouse, district, of, cents, .. } = self.inputs;
        let (whole, rest) = (cents / 100, cents % 100);
        let mut note = [0; NOTE];
        let mut left = &mut note[..];
        // sysbench-tpcc has the second there, which nobody reads again.
        let time = 0;
        let written = if self.habits.payments_not_counted {
            write!(
                left,
                "| {customer:4} {:2} {:4} {district:2} {warehouse:4} ${whole:4}.{rest:02} {time:12} ",
                of.1, of.0
            )
        } else {
            write!(left, "{customer} {} {} {district} {warehouse} {whole}.{rest:02}|", of.1, of.0)
        };
        written.expect("a note is shorter than its room");
        let length = NOTE - left.len();
        let mut notes = Short::empty();
        notes.push(&note[..length]);
        notes
    }

    fn remark(&self, of_warehouse: Short<NAME>, of_district: Short<NAME>) -> Short<REMARK> {
        const BLANKS: &[u8; NAME] = b"          ";
        let mut remark = Short::empty();
        if self.habits.payments_not_counted {
            for (name, behind) in [(of_warehouse, &b" "[..]), (of_district, b"   ")] {
                remark.push(&BLANKS[name.length..]);
                remark.push(name.text());
                remark.push(behind);
            }
        } else {
            for part in [of_warehouse.text(), b"    ", of_district.text()] {
                remark.push(part);
            }
        }
        remark
    }
}
