//! Hot path: one user: draws a transaction, carries it out, and counts what it did once it is committed. A statement
//! that does not find or change the rows that it must makes its transaction invalid: it is rolled back and reported
//! (clause 2.3.6).

use super::draw::{Drawer, Inputs, Kind};
use super::facts::{INVALID, RETRIES, USER_ROLLBACKS};
use super::knobs::Habits;
use super::nurand::Constants;
use super::statement::Say;
use super::statement_runner::StatementRunner;
use crate::draw::Generator;
use crate::session::{Class, Fault, Sql};
use crate::user::{End, Operation, User};
use model::Seed;
use model::errors::RETRYABLE;

/// How a transaction went that no error ended.
pub(super) enum Went {
    Committed,
    /// Rolled back because its item is unused.
    ByWish,
    /// This statement did not find or change what it must.
    Invalid(Say),
}

pub(super) struct Client {
    pub habits: Habits,
    pub runner: StatementRunner,
    pub inputs: Inputs,
    drawer: Drawer,
    /// These inputs were tried before.
    tried: bool,
}

impl Client {
    pub fn new(habits: Habits, seed: Seed, user: u32) -> Self {
        let constants = Constants::of_run(seed, habits.flat_nurand);
        let generator = Generator::new(seed.child("users").nth(u64::from(user)));
        let mut drawer = Drawer::new(habits, constants, generator, user);
        let inputs = drawer.draw();
        Self { habits, runner: StatementRunner::new(habits.protocol, habits.sets), inputs, drawer, tried: false }
    }

    /// The statements that these habits say.
    fn wanted(&self) -> Vec<Say> {
        let other = |say: &Say| match say {
            Say::Begin | Say::Commit | Say::Rollback | Say::BuyerNow => false,
            Say::TakeStock => self.habits.stock_not_counted,
            Say::TakeAndCountStock => !self.habits.stock_not_counted,
            Say::InsertLine => !self.habits.explicit_null,
            Say::InsertLineWithNull => self.habits.explicit_null,
            Say::SetBalance | Say::SetBalanceAndData => self.habits.payments_not_counted,
            Say::PayAndCount | Say::PayAndCountWithData => !self.habits.payments_not_counted,
            Say::CountName => self.habits.name_off_by_one,
            Say::CustomersOrders => self.habits.wrong_order_read,
            Say::LastOrder => !self.habits.wrong_order_read,
            Say::OrderCustomer
            | Say::OrderDistrict
            | Say::NextOrder
            | Say::InsertOrder
            | Say::InsertNewOrder
            | Say::Item
            | Say::Stock
            | Say::PayWarehouse
            | Say::Warehouse
            | Say::PayDistrict
            | Say::District
            | Say::PayName
            | Say::PayCustomer
            | Say::CustomerData
            | Say::InsertHistory
            | Say::StatusName
            | Say::StatusCustomer
            | Say::Lines
            | Say::OldestNewOrder
            | Say::DeleteNewOrder
            | Say::Buyer
            | Say::SetCarrier
            | Say::DeliverLines
            | Say::OrderTotal
            | Say::CreditBuyer
            | Say::LevelDistrict
            | Say::LowStock => true,
        };
        Say::ALL.iter().copied().filter(other).collect()
    }

    async fn carry_out(&mut self, session: &mut (dyn Sql + '_)) -> Result<Went, Fault> {
        self.runner.bracket(session, Say::Begin).await?;
        match self.inputs.kind {
            Kind::NewOrder | Kind::Rollback => self.new_order(session).await,
            Kind::Payment => self.payment(session).await,
            Kind::OrderStatus => self.order_status(session).await,
            Kind::Delivery => self.delivery(session).await,
            Kind::StockLevel => self.stock_level(session).await,
        }
    }

    /// Which customer of a name it is: rows are in the order of first names.
    pub fn middle(&self, rows: usize) -> usize {
        match self.habits.name_off_by_one {
            false => rows.saturating_sub(1) / 2,
            true if rows == 1 => 0,
            true => rows.div_ceil(2).min(rows - 1),
        }
    }
}

impl User for Client {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let wanted = self.wanted();
        self.runner.begin(session, &wanted).await
    }

    fn choose(&mut self) -> Operation {
        self.inputs = self.drawer.draw();
        self.tried = false;
        self.inputs.kind.operation()
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        if std::mem::replace(&mut self.tried, true) {
            session.count(RETRIES, 1);
            if self.habits.retried_anew {
                self.inputs = self.drawer.draw();
            }
        }
        let ordering = matches!(self.inputs.kind, Kind::NewOrder | Kind::Rollback);
        match self.carry_out(session).await {
            Ok(Went::Committed) => Ok(End::Done),
            Ok(Went::ByWish) => {
                self.runner.bracket(session, Say::Rollback).await?;
                session.count(USER_ROLLBACKS, 1);
                Ok(End::Done)
            }
            Ok(Went::Invalid(say)) => {
                session.unexpected(say.class());
                self.runner.bracket(session, Say::Rollback).await?;
                session.count(INVALID, 1);
                Ok(End::RolledBack)
            }
            Err(ref fault @ Fault::Server { .. })
                if self.habits.swallow && ordering && !RETRYABLE.contains(&fault.number()) =>
            {
                self.runner.bracket(session, Say::Rollback).await?;
                session.count(USER_ROLLBACKS, 1);
                Ok(End::RolledBack)
            }
            Err(fault) => Err(fault),
        }
    }

    fn rollback(&self) -> Option<Class> {
        Some(Say::Rollback.class())
    }
}
