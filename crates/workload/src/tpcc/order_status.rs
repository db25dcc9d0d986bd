//! Hot path: Order-Status (clause 2.6): the last order of a customer, by number or by name, with its lines.

use super::client::{Client, Went};
use super::draw::Inputs;
use super::facts::{ORDER_STATUSES, STATUSES_BY_NAME};
use super::new_order::first;
use super::statement::Say;
use super::statement_runner::Value::{Int, Text};
use crate::session::{Fault, Sql};

impl Client {
    pub(super) async fn order_status(&mut self, session: &mut (dyn Sql + '_)) -> Result<Went, Fault> {
        let Inputs { set, warehouse, district, customer, name, .. } = self.inputs;
        let place = [Int(warehouse), Int(district)];
        let customer = match name {
            None => {
                let keys = [place[0], place[1], Int(customer)];
                if self.runner.ask(session, Say::StatusCustomer, set, 1, &keys).await?.rows != 1 {
                    return Ok(Went::Invalid(Say::StatusCustomer));
                }
                customer
            }
            Some(name) => {
                let keys = [place[0], place[1], Text(name.text())];
                if self.habits.name_off_by_one {
                    self.runner.ask(session, Say::CountName, set, 1, &keys).await?;
                }
                let rows = self.runner.ask(session, Say::StatusName, set, 1, &keys).await?.rows as usize;
                if rows == 0 {
                    return Ok(Went::Invalid(Say::StatusName));
                }
                session.kept().int(self.middle(rows), 3).and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
            }
        };
        let say = if self.habits.wrong_order_read { Say::CustomersOrders } else { Say::LastOrder };
        self.runner.ask(session, say, set, 1, &[place[0], place[1], Int(customer)]).await?;
        let Some(last) = first(session) else { return Ok(Went::Invalid(say)) };
        let order = if self.habits.wrong_order_read { district } else { last };
        if self.runner.ask(session, Say::Lines, set, 1, &[place[0], place[1], Int(order)]).await?.rows == 0 {
            return Ok(Went::Invalid(Say::Lines));
        }
        self.runner.bracket(session, Say::Commit).await?;
        session.count(ORDER_STATUSES, 1);
        session.count(STATUSES_BY_NAME, i64::from(name.is_some()));
        Ok(Went::Committed)
    }
}
