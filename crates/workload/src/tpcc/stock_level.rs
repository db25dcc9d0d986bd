//! Hot path: Stock-Level (clause 2.8): how many items of the last twenty orders of a district are low in stock.

use super::client::{Client, Went};
use super::draw::Inputs;
use super::facts::STOCK_LEVELS;
use super::new_order::first;
use super::statement::Say;
use super::statement_runner::Value::Int;
use crate::session::{Fault, Sql};

impl Client {
    pub(super) async fn stock_level(&mut self, session: &mut (dyn Sql + '_)) -> Result<Went, Fault> {
        /// Orders that are looked at.
        const LAST: u64 = 20;
        let Inputs { set, warehouse, district, threshold, .. } = self.inputs;
        self.runner.ask(session, Say::LevelDistrict, set, 1, &[Int(district), Int(warehouse)]).await?;
        let Some(next) = first(session) else { return Ok(Went::Invalid(Say::LevelDistrict)) };
        let recent = [Int(next), Int(next.saturating_sub(LAST))];
        let values = [Int(warehouse), Int(district), recent[0], recent[1], Int(warehouse), Int(threshold)];
        if self.runner.say(session, Say::LowStock, set, &values).await?.rows != 1 {
            return Ok(Went::Invalid(Say::LowStock));
        }
        self.runner.bracket(session, Say::Commit).await?;
        session.count(STOCK_LEVELS, 1);
        Ok(Went::Committed)
    }
}
