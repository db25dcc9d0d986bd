//! What users count beside their statements: of committed transactions only, save rollbacks, retries and what was
//! invalid. The laws (`laws`) lay them beside the data.

use crate::session::Fact;

pub(super) const FACTS: &[&str] = &[
    "new_orders",
    "order_lines",
    "quantities",
    "remote_lines",
    "user_rollbacks",
    "payments",
    "payment_cents",
    "remote_payments",
    "payments_by_name",
    "order_statuses",
    "statuses_by_name",
    "deliveries",
    "delivered_orders",
    "skipped_districts",
    "stock_levels",
    "invalid_transactions",
    "retries",
    "order_lines_squared",
];

pub(super) const NEW_ORDERS: Fact = Fact(0);
pub(super) const ORDER_LINES: Fact = Fact(1);
pub(super) const QUANTITIES: Fact = Fact(2);
pub(super) const REMOTE_LINES: Fact = Fact(3);
pub(super) const USER_ROLLBACKS: Fact = Fact(4);
pub(super) const PAYMENTS: Fact = Fact(5);
pub(super) const PAYMENT_CENTS: Fact = Fact(6);
pub(super) const REMOTE_PAYMENTS: Fact = Fact(7);
pub(super) const PAYMENTS_BY_NAME: Fact = Fact(8);
pub(super) const ORDER_STATUSES: Fact = Fact(9);
pub(super) const STATUSES_BY_NAME: Fact = Fact(10);
pub(super) const DELIVERIES: Fact = Fact(11);
pub(super) const DELIVERED_ORDERS: Fact = Fact(12);
pub(super) const SKIPPED_DISTRICTS: Fact = Fact(13);
pub(super) const STOCK_LEVELS: Fact = Fact(14);
pub(super) const INVALID: Fact = Fact(15);
/// Transactions that were begun again with the same inputs.
pub(super) const RETRIES: Fact = Fact(16);
/// The squares of each order's number of lines: a constant ten has the same mean as what is wanted, and another
/// square.
pub(super) const ORDER_LINES_SQUARED: Fact = Fact(17);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_point_at_their_names() {
        let name = |fact: Fact| FACTS[usize::from(fact.0)];
        assert_eq!(
            [NEW_ORDERS, USER_ROLLBACKS, PAYMENT_CENTS].map(name),
            ["new_orders", "user_rollbacks", "payment_cents"]
        );
        assert_eq!([DELIVERED_ORDERS, INVALID].map(name), ["delivered_orders", "invalid_transactions"]);
        assert_eq!([RETRIES, ORDER_LINES_SQUARED].map(name), ["retries", "order_lines_squared"]);
    }
}
