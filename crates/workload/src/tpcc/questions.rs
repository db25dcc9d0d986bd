//! What the tables are asked around a run: the twelve consistency conditions of clause 3.3 (generalised, and with outer
//! joins, so that a district without any order is no hole), and the sums that must have grown by what the users
//! counted. Asked per range of warehouses, so that they are answered side by side; each answer is a whole number, and
//! cents for money.

use super::knobs::{Dates, Shape};
use super::postgresql;
use crate::audit::Question;
use std::collections::BTreeSet;

/// Ranges that the warehouses of a set are cut into at most.
const RANGES: u64 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Full,
    /// Sums of small tables, and every condition at a few warehouses: a thousand of them take longer to ask than to
    /// measure.
    Sample,
    /// Asked of small tables only.
    Quick,
}

/// Code, claim, depth and the statement that counts its violations. `#` is the set, `{lo}` and `{hi}` the range, `[D
/// x]` and `[C x]` say that a delivery date or a carrier is not there yet.
pub(super) const CONDITIONS: &[(&str, &str, Depth, &str)] = &[
    (
        "C1",
        "the year-to-date of each warehouse is that of its ten districts",
        Depth::Quick,
        "SELECT COUNT(*) FROM warehouse# w LEFT JOIN (SELECT d_w_id, SUM(d_ytd) s, COUNT(*) n FROM district# WHERE d_w_id BETWEEN {lo} AND {hi} GROUP BY d_w_id) d ON d.d_w_id = w.w_id WHERE w.w_id BETWEEN {lo} AND {hi} AND (d.n IS NULL OR d.n <> 10 OR w.w_ytd <> d.s)",
    ),
    (
        "C2",
        "the next order of each district follows its last order and its last waiting one",
        Depth::Quick,
        "SELECT COUNT(*) FROM district# d LEFT JOIN (SELECT o_w_id w, o_d_id i, MAX(o_id) m FROM orders# WHERE o_w_id BETWEEN {lo} AND {hi} GROUP BY o_w_id, o_d_id) o ON o.w=d.d_w_id AND o.i=d.d_id LEFT JOIN (SELECT no_w_id w, no_d_id i, MAX(no_o_id) m FROM new_orders# WHERE no_w_id BETWEEN {lo} AND {hi} GROUP BY no_w_id, no_d_id) n ON n.w=d.d_w_id AND n.i=d.d_id WHERE d.d_w_id BETWEEN {lo} AND {hi} AND (o.m IS NULL OR d.d_next_o_id - 1 <> o.m OR (n.m IS NOT NULL AND n.m <> o.m))",
    ),
    (
        "C3",
        "the waiting orders of each district have no gap",
        Depth::Quick,
        "SELECT COUNT(*) FROM (SELECT no_w_id FROM new_orders# WHERE no_w_id BETWEEN {lo} AND {hi} GROUP BY no_w_id, no_d_id HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)) v",
    ),
    (
        "C4",
        "each district has as many lines as its orders say",
        Depth::Full,
        "SELECT COUNT(*) FROM district# d LEFT JOIN (SELECT o_w_id w, o_d_id i, SUM(o_ol_cnt) s FROM orders# WHERE o_w_id BETWEEN {lo} AND {hi} GROUP BY o_w_id,o_d_id) o ON o.w=d.d_w_id AND o.i=d.d_id LEFT JOIN (SELECT ol_w_id w, ol_d_id i, COUNT(*) n FROM order_line# WHERE ol_w_id BETWEEN {lo} AND {hi} GROUP BY ol_w_id,ol_d_id) l ON l.w=d.d_w_id AND l.i=d.d_id WHERE d.d_w_id BETWEEN {lo} AND {hi} AND COALESCE(o.s,0) <> COALESCE(l.n,0)",
    ),
    (
        "C5",
        "an order waits exactly as long as it has no carrier",
        Depth::Full,
        "SELECT COUNT(*) FROM orders# LEFT JOIN new_orders# ON no_w_id=o_w_id AND no_d_id=o_d_id AND no_o_id=o_id WHERE o_w_id BETWEEN {lo} AND {hi} AND (([C o_carrier_id] AND no_o_id IS NULL) OR (NOT [C o_carrier_id] AND no_o_id IS NOT NULL))",
    ),
    (
        "C5b",
        "every waiting order is an order",
        Depth::Full,
        "SELECT COUNT(*) FROM new_orders# LEFT JOIN orders# ON o_w_id=no_w_id AND o_d_id=no_d_id AND o_id=no_o_id WHERE no_w_id BETWEEN {lo} AND {hi} AND o_id IS NULL",
    ),
    (
        "C6",
        "each order has as many lines as it says",
        Depth::Full,
        "SELECT COUNT(*) FROM orders# LEFT JOIN (SELECT ol_w_id w, ol_d_id i, ol_o_id o, COUNT(*) n FROM order_line# WHERE ol_w_id BETWEEN {lo} AND {hi} GROUP BY ol_w_id,ol_d_id,ol_o_id) l ON l.w=o_w_id AND l.i=o_d_id AND l.o=o_id WHERE o_w_id BETWEEN {lo} AND {hi} AND (o_ol_cnt IS NULL OR o_ol_cnt <> COALESCE(l.n,0))",
    ),
    (
        "C6b",
        "every line is of an order",
        Depth::Full,
        "SELECT COUNT(*) FROM order_line# LEFT JOIN orders# ON o_w_id=ol_w_id AND o_d_id=ol_d_id AND o_id=ol_o_id WHERE ol_w_id BETWEEN {lo} AND {hi} AND o_id IS NULL",
    ),
    (
        "C7",
        "a line has its delivery date exactly when its order has its carrier",
        Depth::Full,
        "SELECT COUNT(*) FROM order_line# JOIN orders# ON o_w_id=ol_w_id AND o_d_id=ol_d_id AND o_id=ol_o_id WHERE ol_w_id BETWEEN {lo} AND {hi} AND (([D ol_delivery_d] AND NOT [C o_carrier_id]) OR (NOT [D ol_delivery_d] AND [C o_carrier_id]))",
    ),
    (
        "C8",
        "the year-to-date of each warehouse is the sum of its history",
        Depth::Full,
        "SELECT COUNT(*) FROM warehouse# LEFT JOIN (SELECT h_w_id w, SUM(h_amount) s FROM history# WHERE h_w_id BETWEEN {lo} AND {hi} GROUP BY h_w_id) h ON h.w=w_id WHERE w_id BETWEEN {lo} AND {hi} AND w_ytd <> COALESCE(h.s,0)",
    ),
    (
        "C9",
        "the year-to-date of each district is the sum of its history",
        Depth::Full,
        "SELECT COUNT(*) FROM district# LEFT JOIN (SELECT h_w_id w, h_d_id i, SUM(h_amount) s FROM history# WHERE h_w_id BETWEEN {lo} AND {hi} GROUP BY h_w_id,h_d_id) h ON h.w=d_w_id AND h.i=d_id WHERE d_w_id BETWEEN {lo} AND {hi} AND d_ytd <> COALESCE(h.s,0)",
    ),
    (
        "C10",
        "each balance is what was delivered less what was paid",
        Depth::Full,
        "SELECT COUNT(*) FROM customer# LEFT JOIN (SELECT o_w_id w, o_d_id i, o_c_id c, SUM(ol_amount) a FROM orders# JOIN order_line# ON ol_w_id=o_w_id AND ol_d_id=o_d_id AND ol_o_id=o_id WHERE o_w_id BETWEEN {lo} AND {hi} AND NOT [D ol_delivery_d] GROUP BY o_w_id,o_d_id,o_c_id) l ON l.w=c_w_id AND l.i=c_d_id AND l.c=c_id LEFT JOIN (SELECT h_c_w_id w, h_c_d_id i, h_c_id c, SUM(h_amount) s FROM history# WHERE h_c_w_id BETWEEN {lo} AND {hi} GROUP BY h_c_w_id,h_c_d_id,h_c_id) h ON h.w=c_w_id AND h.i=c_d_id AND h.c=c_id WHERE c_w_id BETWEEN {lo} AND {hi} AND c_balance <> COALESCE(l.a,0) - COALESCE(h.s,0)",
    ),
    (
        "C11",
        "the orders that wait no more are the 2,100 of the load and those delivered since",
        Depth::Full,
        "SELECT COUNT(*) FROM district# d LEFT JOIN (SELECT o_w_id w,o_d_id i,COUNT(*) n FROM orders# WHERE o_w_id BETWEEN {lo} AND {hi} GROUP BY o_w_id,o_d_id) o ON o.w=d.d_w_id AND o.i=d.d_id LEFT JOIN (SELECT no_w_id w,no_d_id i,COUNT(*) n FROM new_orders# WHERE no_w_id BETWEEN {lo} AND {hi} GROUP BY no_w_id,no_d_id) q ON q.w=d.d_w_id AND q.i=d.d_id LEFT JOIN (SELECT c_w_id w,c_d_id i,SUM(c_delivery_cnt) s FROM customer# WHERE c_w_id BETWEEN {lo} AND {hi} GROUP BY c_w_id,c_d_id) c ON c.w=d.d_w_id AND c.i=d.d_id WHERE d.d_w_id BETWEEN {lo} AND {hi} AND COALESCE(o.n,0) - COALESCE(q.n,0) <> 2100 + COALESCE(c.s,0)",
    ),
    (
        "C12",
        "balance and payments of each customer are what was delivered",
        Depth::Full,
        "SELECT COUNT(*) FROM customer# LEFT JOIN (SELECT o_w_id w, o_d_id i, o_c_id c, SUM(ol_amount) a FROM orders# JOIN order_line# ON ol_w_id=o_w_id AND ol_d_id=o_d_id AND ol_o_id=o_id WHERE o_w_id BETWEEN {lo} AND {hi} AND NOT [D ol_delivery_d] GROUP BY o_w_id,o_d_id,o_c_id) l ON l.w=c_w_id AND l.i=c_d_id AND l.c=c_id WHERE c_w_id BETWEEN {lo} AND {hi} AND c_balance + c_ytd_payment <> COALESCE(l.a,0)",
    ),
    (
        "E3",
        "stock stays between the least and a hundred",
        Depth::Full,
        "SELECT COUNT(*) FROM stock# WHERE s_w_id BETWEEN {lo} AND {hi} AND NOT s_quantity BETWEEN [least] AND 100",
    ),
];

/// Name, depth, whether it is asked at the ends of phases too, and the statement.
const SUMS: &[(&str, Depth, bool, &str)] = &[
    (
        "next_order_ids",
        Depth::Quick,
        true,
        "SELECT CAST(SUM(d_next_o_id) AS SIGNED) FROM district# WHERE d_w_id BETWEEN {lo} AND {hi}",
    ),
    ("order_rows", Depth::Quick, false, "SELECT COUNT(*) FROM orders# WHERE o_w_id BETWEEN {lo} AND {hi}"),
    ("order_line_rows", Depth::Full, false, "SELECT COUNT(*) FROM order_line# WHERE ol_w_id BETWEEN {lo} AND {hi}"),
    ("new_order_rows", Depth::Quick, false, "SELECT COUNT(*) FROM new_orders# WHERE no_w_id BETWEEN {lo} AND {hi}"),
    (
        "warehouse_cents",
        Depth::Quick,
        false,
        "SELECT CAST(SUM(w_ytd) * 100 AS SIGNED) FROM warehouse# WHERE w_id BETWEEN {lo} AND {hi}",
    ),
    (
        "district_cents",
        Depth::Quick,
        false,
        "SELECT CAST(SUM(d_ytd) * 100 AS SIGNED) FROM district# WHERE d_w_id BETWEEN {lo} AND {hi}",
    ),
    ("history_rows", Depth::Full, false, "SELECT COUNT(*) FROM history# WHERE h_w_id BETWEEN {lo} AND {hi}"),
    (
        "history_cents",
        Depth::Full,
        false,
        "SELECT CAST(SUM(h_amount) * 100 AS SIGNED) FROM history# WHERE h_w_id BETWEEN {lo} AND {hi}",
    ),
    (
        "customers_deliveries",
        Depth::Full,
        false,
        "SELECT CAST(SUM(c_delivery_cnt) AS SIGNED) FROM customer# WHERE c_w_id BETWEEN {lo} AND {hi}",
    ),
    (
        "customers_payments",
        Depth::Full,
        false,
        "SELECT CAST(SUM(c_payment_cnt) AS SIGNED) FROM customer# WHERE c_w_id BETWEEN {lo} AND {hi}",
    ),
    (
        "stock_orders",
        Depth::Full,
        false,
        "SELECT CAST(SUM(s_order_cnt) AS SIGNED) FROM stock# WHERE s_w_id BETWEEN {lo} AND {hi}",
    ),
    (
        "stock_quantities",
        Depth::Full,
        false,
        "SELECT CAST(SUM(s_ytd) AS SIGNED) FROM stock# WHERE s_w_id BETWEEN {lo} AND {hi}",
    ),
    (
        "stock_remotes",
        Depth::Full,
        false,
        "SELECT CAST(SUM(s_remote_cnt) AS SIGNED) FROM stock# WHERE s_w_id BETWEEN {lo} AND {hi}",
    ),
];

/// Columns that New-Order leaves without a value and that take none.
pub(super) const REFUSING: &str = "refusing_columns";
/// By the engine's statistics, which are made anew before they are asked.
pub(super) const LEAF_PAGES: &str = "order_line_leaf_pages";

pub(super) fn questions(shape: &Shape, depth: Depth, stock_least: u64) -> Vec<Question> {
    let wanted = |of: Depth| depth == Depth::Full || of == Depth::Quick;
    let ranged = |text: &str| -> Vec<String> { ranges(shape).into_iter().map(|range| placed(text, range)).collect() };
    let sampled = |text: &str| sample(shape).into_iter().map(|range| placed(text, range)).collect();
    let conditions = CONDITIONS.iter().filter(|c| depth == Depth::Sample || wanted(c.2)).map(|(code, _, of, text)| {
        let text = spoken(text, shape, stock_least);
        let sql = if wanted(*of) { ranged(&text) } else { sampled(&text) };
        Question { name: (*code).to_string(), sql, watched: false }
    });
    let sums = SUMS.iter().filter(|s| wanted(s.1)).map(|(name, _, watched, text)| Question {
        name: (*name).to_string(),
        sql: ranged(text),
        watched: *watched,
    });
    let of_sets = |text: &str| (1..=shape.sets).map(|set| text.replace('#', &set.to_string())).collect();
    let refusing = Question {
        name: REFUSING.into(),
        sql: of_sets(
            "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = DATABASE() AND ((table_name = 'order_line#' AND column_name = 'ol_delivery_d') OR (table_name = 'orders#' AND column_name = 'o_carrier_id')) AND is_nullable = 'NO' AND column_default IS NULL",
        ),
        watched: false,
    };
    let leaves = Question {
        name: LEAF_PAGES.into(),
        sql: of_sets(if shape.is_postgresql() {
            postgresql::PAGES
        } else {
            "SELECT SUM(stat_value) FROM mysql.innodb_index_stats WHERE database_name = DATABASE() AND table_name = 'order_line#' AND index_name = 'PRIMARY' AND stat_name = 'n_leaf_pages'"
        }),
        watched: false,
    };
    let mut all: Vec<Question> = conditions.chain(sums).chain([refusing, leaves]).collect();
    if shape.is_postgresql() {
        let questions = all.iter_mut().flat_map(|question| &mut question.sql);
        questions.for_each(|sql| *sql = postgresql::asked(sql));
    }
    all
}

/// Set, first and last warehouse.
fn ranges(shape: &Shape) -> Vec<(u64, u64, u64)> {
    let width = shape.warehouses.div_ceil(RANGES);
    let of_set = |set| {
        (1..=shape.warehouses).step_by(width as usize).map(move |lo| (set, lo, (lo + width - 1).min(shape.warehouses)))
    };
    (1..=shape.sets).flat_map(of_set).collect()
}

/// The first warehouse of each set, the last one and two between, as clause 3.3.3 has it.
fn sample(shape: &Shape) -> Vec<(u64, u64, u64)> {
    let last = shape.warehouses;
    let warehouses = BTreeSet::from([1, last.div_ceil(3), (2 * last).div_ceil(3), last]);
    (1..=shape.sets).flat_map(|set| warehouses.iter().map(move |w| (set, *w, *w)).collect::<Vec<_>>()).collect()
}

fn placed(text: &str, (set, lo, hi): (u64, u64, u64)) -> String {
    text.replace('#', &set.to_string()).replace("{lo}", &lo.to_string()).replace("{hi}", &hi.to_string())
}

/// With what "not there yet" means for these columns.
fn spoken(text: &str, shape: &Shape, stock_least: u64) -> String {
    let date = if shape.has_sentinel() {
        format!("(ol_delivery_d = '{}')", shape.sentinel)
    } else {
        "(ol_delivery_d IS NULL)".into()
    };
    let carrier = match shape.dates {
        Dates::DefaultAndCarrier => "(o_carrier_id = 0)",
        _ => "(o_carrier_id IS NULL)",
    };
    text.replace("[D ol_delivery_d]", &date)
        .replace("[C o_carrier_id]", carrier)
        .replace("[least]", &stock_least.to_string())
}
