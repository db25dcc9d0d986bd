//! The statements and the classes under which their answers are counted. `#` stands for the number of a set of tables,
//! `~` for a district in two digits, `?` for a value. They are sysbench-tpcc's but for white space; where the
//! specification asks for more, a twin says it.

use crate::session::Class;
use crate::{Doing, Statement};

macro_rules! statements {
    ($($(#[$note:meta])* $name:ident, $label:literal, $doing:ident, $text:literal;)*) => {
        /// What a user can say.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Say { $($(#[$note])* $name,)* }
        impl Say {
            pub const ALL: &[Self] = &[$(Self::$name,)*];
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
        pub(super) const STATEMENTS: &[Statement] = &[
            $(Statement { name: $label, doing: Doing::$doing },)*
            Statement { name: "prepare", doing: Doing::Plumbing },
        ];
    };
}

statements! {
    Begin, "begin", Begin, "BEGIN";
    Commit, "commit", Commit, "COMMIT";
    Rollback, "rollback", Rollback, "ROLLBACK";
    OrderCustomer, "order_customer", Read,
        "SELECT c_discount, c_last, c_credit, w_tax FROM customer#, warehouse# WHERE w_id = ? AND c_w_id = w_id AND c_d_id = ? AND c_id = ?";
    OrderDistrict, "order_district", Read,
        "SELECT d_next_o_id, d_tax FROM district# WHERE d_w_id = ? AND d_id = ? FOR UPDATE";
    NextOrder, "next_order", Write, "UPDATE district# SET d_next_o_id = ? WHERE d_id = ? AND d_w_id= ?";
    InsertOrder, "insert_order", Write,
        "INSERT INTO orders# (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_ol_cnt, o_all_local) VALUES (?,?,?,?,NOW(),?,?)";
    InsertNewOrder, "insert_new_order", Write, "INSERT INTO new_orders# (no_o_id, no_d_id, no_w_id) VALUES (?,?,?)";
    Item, "item", Read, "SELECT i_price, i_name, i_data FROM item# WHERE i_id = ?";
    Stock, "stock", Read,
        "SELECT s_quantity, s_data, s_dist_~ s_dist FROM stock# WHERE s_i_id = ? AND s_w_id= ? FOR UPDATE";
    TakeStock, "take_stock", Write, "UPDATE stock# SET s_quantity = ? WHERE s_i_id = ? AND s_w_id= ?";
    /// As the specification counts it.
    TakeAndCountStock, "take_and_count_stock", Write,
        "UPDATE stock# SET s_quantity = ?, s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, s_remote_cnt = s_remote_cnt + ? WHERE s_i_id = ? AND s_w_id= ?";
    InsertLine, "insert_line", Write,
        "INSERT INTO order_line# (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info) VALUES (?,?,?,?,?,?,?,?,?)";
    /// As DBT-2 says it.
    InsertLineWithNull, "insert_line_with_null", Write,
        "INSERT INTO order_line# (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info, ol_delivery_d) VALUES (?,?,?,?,?,?,?,?,?,NULL)";
    PayWarehouse, "pay_warehouse", Write, "UPDATE warehouse# SET w_ytd = w_ytd + ? WHERE w_id = ?";
    Warehouse, "warehouse", Read,
        "SELECT w_street_1, w_street_2, w_city, w_state, w_zip, w_name FROM warehouse# WHERE w_id = ?";
    PayDistrict, "pay_district", Write, "UPDATE district# SET d_ytd = d_ytd + ? WHERE d_w_id = ? AND d_id= ?";
    District, "district", Read,
        "SELECT d_street_1, d_street_2, d_city, d_state, d_zip, d_name FROM district# WHERE d_w_id = ? AND d_id = ?";
    CountName, "count_name", Read,
        "SELECT count(c_id) namecnt FROM customer# WHERE c_w_id = ? AND c_d_id= ? AND c_last=?";
    PayName, "pay_name", Read,
        "SELECT c_id FROM customer# WHERE c_w_id = ? AND c_d_id= ? AND c_last=? ORDER BY c_first";
    PayCustomer, "pay_customer", Read,
        "SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_since FROM customer# WHERE c_w_id = ? AND c_d_id= ? AND c_id=? FOR UPDATE";
    CustomerData, "customer_data", Read,
        "SELECT c_data FROM customer# WHERE c_w_id = ? AND c_d_id=? AND c_id= ?";
    SetBalance, "set_balance", Write,
        "UPDATE customer# SET c_balance=?, c_ytd_payment=? WHERE c_w_id = ? AND c_d_id=? AND c_id=?";
    SetBalanceAndData, "set_balance_and_data", Write,
        "UPDATE customer# SET c_balance=?, c_ytd_payment=?, c_data=? WHERE c_w_id = ? AND c_d_id=? AND c_id=?";
    /// As the specification counts it.
    PayAndCount, "pay_and_count", Write,
        "UPDATE customer# SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = ? AND c_d_id=? AND c_id=?";
    PayAndCountWithData, "pay_and_count_with_data", Write,
        "UPDATE customer# SET c_balance = c_balance - ?, c_ytd_payment = c_ytd_payment + ?, c_payment_cnt = c_payment_cnt + 1, c_data=? WHERE c_w_id = ? AND c_d_id=? AND c_id=?";
    InsertHistory, "insert_history", Write,
        "INSERT INTO history# (h_c_d_id, h_c_w_id, h_c_id, h_d_id, h_w_id, h_date, h_amount, h_data) VALUES (?,?,?,?,?,NOW(),?,?)";
    StatusName, "status_name", Read,
        "SELECT c_balance, c_first, c_middle, c_id FROM customer# WHERE c_w_id = ? AND c_d_id= ? AND c_last=? ORDER BY c_first";
    StatusCustomer, "status_customer", Read,
        "SELECT c_balance, c_first, c_middle, c_last FROM customer# WHERE c_w_id = ? AND c_d_id=? AND c_id=?";
    /// All orders of the customer, of which the first is looked at.
    CustomersOrders, "customers_orders", Read,
        "SELECT o_id, o_carrier_id, o_entry_d FROM orders# WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC";
    LastOrder, "last_order", Read,
        "SELECT o_id, o_carrier_id, o_entry_d FROM orders# WHERE o_w_id = ? AND o_d_id = ? AND o_c_id = ? ORDER BY o_id DESC LIMIT 1";
    Lines, "lines", Read,
        "SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line# WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?";
    OldestNewOrder, "oldest_new_order", Read,
        "SELECT no_o_id FROM new_orders# WHERE no_d_id = ? AND no_w_id = ? ORDER BY no_o_id ASC LIMIT 1 FOR UPDATE";
    DeleteNewOrder, "delete_new_order", Write,
        "DELETE FROM new_orders# WHERE no_o_id = ? AND no_d_id = ? AND no_w_id = ?";
    Buyer, "buyer", Read, "SELECT o_c_id FROM orders# WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?";
    /// The buyer of an order that is younger than what a transaction sees.
    BuyerNow, "buyer_now", Read, "SELECT o_c_id FROM orders# WHERE o_id = ? AND o_d_id = ? AND o_w_id = ? FOR UPDATE";
    SetCarrier, "set_carrier", Write,
        "UPDATE orders# SET o_carrier_id = ? WHERE o_id = ? AND o_d_id = ? AND o_w_id = ?";
    DeliverLines, "deliver_lines", Write,
        "UPDATE order_line# SET ol_delivery_d = NOW() WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?";
    OrderTotal, "order_total", Read,
        "SELECT SUM(ol_amount) sm FROM order_line# WHERE ol_o_id = ? AND ol_d_id = ? AND ol_w_id = ?";
    CreditBuyer, "credit_buyer", Write,
        "UPDATE customer# SET c_balance = c_balance + ?, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_id = ? AND c_d_id = ? AND c_w_id = ?";
    LevelDistrict, "level_district", Read, "SELECT d_next_o_id FROM district# WHERE d_id = ? AND d_w_id= ?";
    LowStock, "low_stock", Read,
        "SELECT COUNT(DISTINCT (s_i_id)) FROM order_line#, stock# WHERE ol_w_id = ? AND ol_d_id = ? AND ol_o_id < ? AND ol_o_id >= ? AND s_w_id= ? AND s_i_id=ol_i_id AND s_quantity < ?";
}

/// What only prepares.
pub(super) const PREPARE: Class = Class(Say::ALL.len() as u16);

impl Say {
    /// Statements are in the order of the enum.
    pub fn class(self) -> Class {
        Class(self as u16)
    }
    pub fn name(self) -> &'static str {
        STATEMENTS[self as usize].name
    }
    pub fn writes(self) -> bool {
        STATEMENTS[self as usize].doing == Doing::Write
    }
    /// Writes the statement with its set, its district where it has one, and what stands for each value.
    pub fn write(self, sql: &mut String, set: u64, district: u64, mut value: impl FnMut(&mut String)) {
        use std::fmt::Write;
        sql.clear();
        for part in self.text().split_inclusive(['#', '~', '?']) {
            let (head, mark) = part.split_at(part.len() - 1);
            sql.push_str(head);
            match mark {
                "#" => write!(sql, "{set}").expect("writing into a String cannot fail"),
                "~" => write!(sql, "{district:02}").expect("writing into a String cannot fail"),
                "?" => value(sql),
                _ => sql.push_str(mark),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_written_with_its_set_district_and_values() {
        let mut sql = String::new();
        Say::Stock.write(&mut sql, 3, 7, |sql| sql.push('9'));
        assert_eq!(
            sql,
            "SELECT s_quantity, s_data, s_dist_07 s_dist FROM stock3 WHERE s_i_id = 9 AND s_w_id= 9 FOR UPDATE"
        );
        assert_eq!(STATEMENTS.len(), Say::ALL.len() + 1);
        assert_eq!((Say::LowStock.name(), Say::SetCarrier.writes(), Say::Item.writes()), ("low_stock", true, false));
    }
}
