//! Hot path: Delivery (clause 2.7): the oldest waiting order of each of ten districts gets its carrier and the date of
//! its lines, which is the update that the study is about. A district without a waiting order is skipped and counted.

use super::client::{Client, Went};
use super::draw::Inputs;
use super::facts::{DELIVERED_ORDERS, DELIVERIES, SKIPPED_DISTRICTS};
use super::new_order::first;
use super::nurand::DISTRICTS;
use super::statement::Say;
use super::statement_runner::Value::{Cents, Int};
use super::statement_runner::decimal;
use crate::session::{Fault, Sql};

/// What became of one district.
enum Visit {
    Delivered,
    Nothing,
    Invalid(Say),
}

impl Client {
    pub(super) async fn delivery(&mut self, session: &mut (dyn Sql + '_)) -> Result<Went, Fault> {
        let mut delivered = 0;
        for district in 1..=DISTRICTS {
            match self.visit(session, district).await? {
                Visit::Delivered => delivered += 1,
                Visit::Nothing => {}
                Visit::Invalid(say) => return Ok(Went::Invalid(say)),
            }
        }
        self.runner.bracket(session, Say::Commit).await?;
        session.count(DELIVERIES, 1);
        session.count(DELIVERED_ORDERS, delivered);
        session.count(SKIPPED_DISTRICTS, DISTRICTS as i64 - delivered);
        Ok(Went::Committed)
    }

    async fn visit(&mut self, session: &mut (dyn Sql + '_), district: u64) -> Result<Visit, Fault> {
        let Inputs { set, warehouse, carrier, .. } = self.inputs;
        let place = [Int(district), Int(warehouse)];
        self.runner.ask(session, Say::OldestNewOrder, set, 1, &place).await?;
        let Some(order) = first(session) else { return Ok(Visit::Nothing) };
        let keys = [Int(order), place[0], place[1]];
        if self.runner.say(session, Say::DeleteNewOrder, set, &keys).await?.affected != 1 {
            return Ok(Visit::Invalid(Say::DeleteNewOrder));
        }
        // A plain read does not see an order that is younger than the transaction's first one; a locking read does.
        if self.runner.ask(session, Say::Buyer, set, 1, &keys).await?.rows == 0 {
            self.runner.ask(session, Say::BuyerNow, set, 1, &keys).await?;
        }
        let Some(buyer) = first(session) else { return Ok(Visit::Invalid(Say::Buyer)) };
        let values = [Int(carrier), keys[0], keys[1], keys[2]];
        if self.runner.say(session, Say::SetCarrier, set, &values).await?.affected != 1 {
            return Ok(Visit::Invalid(Say::SetCarrier));
        }
        if self.runner.say(session, Say::DeliverLines, set, &keys).await?.affected == 0 {
            return Ok(Visit::Invalid(Say::DeliverLines));
        }
        self.runner.ask(session, Say::OrderTotal, set, 1, &keys).await?;
        let kept = session.kept();
        let total = if kept.rows() == 1 { decimal(kept, 0, 0, 2) } else { None };
        let Some(total) = total else { return Ok(Visit::Invalid(Say::OrderTotal)) };
        let values = [Cents(total), Int(buyer), place[0], place[1]];
        if self.runner.say(session, Say::CreditBuyer, set, &values).await?.affected != 1 {
            return Ok(Visit::Invalid(Say::CreditBuyer));
        }
        Ok(Visit::Delivered)
    }
}
