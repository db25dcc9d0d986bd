//! Hot path: New-Order (clause 2.4). One in a hundred asks for an item that nobody sells and is rolled back, after all
//! that comes before it was done.

use super::client::{Client, Went};
use super::draw::{Inputs, UNUSED};
use super::facts::{NEW_ORDERS, ORDER_LINES, ORDER_LINES_SQUARED, QUANTITIES, REMOTE_LINES};
use super::statement::Say;
use super::statement_runner::Value::{Cents, Int, Minus, Text};
use super::statement_runner::decimal;
use crate::rows::Cell;
use crate::session::{Fault, Sql};

/// `s_dist_xx` is so long.
const DISTRIBUTION: usize = 24;
/// Taxes and discounts count in ten-thousandths.
const SHARE_DIGITS: u32 = 4;
const ONE: i64 = 10_000;

/// What a line needs of its order.
struct Order {
    number: u64,
    /// (1 + taxes) × (1 − discount), in ten-thousandths of ten-thousandths.
    factor: i64,
}

/// What became of a line.
enum Taken {
    Yes,
    NoSuchItem,
    Invalid(Say),
}

impl Client {
    pub(super) async fn new_order(&mut self, session: &mut (dyn Sql + '_)) -> Result<Went, Fault> {
        let Inputs { set, warehouse, district, customer, count, all_local, .. } = self.inputs;
        let keys = [Int(warehouse), Int(district), Int(customer)];
        if self.runner.ask(session, Say::OrderCustomer, set, 1, &keys).await?.rows != 1 {
            return Ok(Went::Invalid(Say::OrderCustomer));
        }
        let share = |session: &dyn Sql, column| decimal(session.kept(), 0, column, SHARE_DIGITS).unwrap_or(0);
        let (discount, warehouse_tax) = (share(session, 0), share(session, 3));
        self.runner.ask(session, Say::OrderDistrict, set, 1, &[Int(warehouse), Int(district)]).await?;
        let Some(number) = first(session) else { return Ok(Went::Invalid(Say::OrderDistrict)) };
        let factor = (ONE + warehouse_tax + share(session, 1)) * (ONE - discount);
        let values = [Int(number + 1), Int(district), Int(warehouse)];
        if self.runner.say(session, Say::NextOrder, set, &values).await?.affected != 1 {
            return Ok(Went::Invalid(Say::NextOrder));
        }
        let lines = [Int(count as u64), Int(u64::from(all_local))];
        let values = [Int(number), Int(district), Int(warehouse), Int(customer), lines[0], lines[1]];
        if self.runner.say(session, Say::InsertOrder, set, &values).await?.affected != 1 {
            return Ok(Went::Invalid(Say::InsertOrder));
        }
        let values = [Int(number), Int(district), Int(warehouse)];
        if self.runner.say(session, Say::InsertNewOrder, set, &values).await?.affected != 1 {
            return Ok(Went::Invalid(Say::InsertNewOrder));
        }
        for at in 0..count {
            match self.line(session, at, &Order { number, factor }).await? {
                Taken::Yes => {}
                // Whoever wished for no such item is not surprised.
                Taken::NoSuchItem if self.inputs.lines[at].item.is_none() => return Ok(Went::ByWish),
                Taken::NoSuchItem => return Ok(Went::Invalid(Say::Item)),
                Taken::Invalid(say) => return Ok(Went::Invalid(say)),
            }
        }
        self.runner.bracket(session, Say::Commit).await?;
        let lines = &self.inputs.lines[..count];
        session.count(NEW_ORDERS, 1);
        session.count(ORDER_LINES, count as i64);
        session.count(ORDER_LINES_SQUARED, (count * count) as i64);
        session.count(QUANTITIES, lines.iter().map(|line| line.quantity as i64).sum());
        session.count(REMOTE_LINES, lines.iter().filter(|line| line.supply != warehouse).count() as i64);
        Ok(Went::Committed)
    }

    async fn line(&mut self, session: &mut (dyn Sql + '_), at: usize, order: &Order) -> Result<Taken, Fault> {
        let Inputs { set, warehouse, district, .. } = self.inputs;
        let line = self.inputs.lines[at];
        let wished = match (line.item, self.habits.bad_item_early) {
            (Some(item), _) => Int(item),
            (None, false) => Int(UNUSED),
            (None, true) => Minus(1),
        };
        if self.runner.ask(session, Say::Item, set, 1, &[wished]).await?.rows == 0 {
            return Ok(Taken::NoSuchItem);
        }
        let Some(item) = line.item else { return Ok(Taken::Invalid(Say::Item)) };
        let price = decimal(session.kept(), 0, 0, 2).unwrap_or(0);
        let keys = [Int(item), Int(line.supply)];
        self.runner.ask(session, Say::Stock, set, district, &keys).await?;
        let Some(quantity) = first(session) else { return Ok(Taken::Invalid(Say::Stock)) };
        let mut distribution = [b' '; DISTRIBUTION];
        if let Cell::Bytes(text) = session.kept().cell(0, 2) {
            let length = text.len().min(DISTRIBUTION);
            distribution[..length].copy_from_slice(&text[..length]);
        }
        if self.take(session, line.quantity, quantity, item, line.supply).await? != 1 {
            return Ok(Taken::Invalid(Say::TakeStock));
        }
        let amount = line.quantity as i64 * price;
        let amount = if self.habits.amounts_taxed {
            Int((amount as i128 * i128::from(order.factor) / i128::from(ONE * ONE) / 100) as u64)
        } else {
            Cents(amount)
        };
        let say = if self.habits.explicit_null { Say::InsertLineWithNull } else { Say::InsertLine };
        let values = [
            Int(order.number),
            Int(district),
            Int(warehouse),
            Int(at as u64 + 1),
            Int(item),
            Int(line.supply),
            Int(line.quantity),
            amount,
            Text(&distribution),
        ];
        let inserted = self.runner.say(session, say, set, &values).await?.affected;
        Ok(if inserted == 1 { Taken::Yes } else { Taken::Invalid(say) })
    }

    /// Takes a quantity from the stock, filling it up where little would be left; says how many rows changed.
    async fn take(
        &mut self,
        session: &mut (dyn Sql + '_),
        wanted: u64,
        there: u64,
        item: u64,
        supply: u64,
    ) -> Result<u64, Fault> {
        const REFILL: u64 = 91;
        const RESERVE: u64 = 10;
        let set = self.inputs.set;
        let keys = [Int(item), Int(supply)];
        let answer = if self.habits.stock_not_counted {
            let left = if there > wanted { there - wanted } else { there + REFILL - wanted };
            self.runner.say(session, Say::TakeStock, set, &[Int(left), keys[0], keys[1]]).await?
        } else {
            let left = if there >= wanted + RESERVE { there - wanted } else { there + REFILL - wanted };
            let remote = u64::from(supply != self.inputs.warehouse);
            let values = [Int(left), Int(wanted), Int(remote), keys[0], keys[1]];
            self.runner.say(session, Say::TakeAndCountStock, set, &values).await?
        };
        Ok(answer.affected)
    }
}

/// The first cell of a kept answer that has one.
pub(super) fn first(session: &dyn Sql) -> Option<u64> {
    let kept = session.kept();
    if kept.rows() == 0 { None } else { kept.int(0, 0).and_then(|n| u64::try_from(n).ok()) }
}
