//! The laws of TPC-C: conditions that hold at any time, sums that agree with what the users counted, and shares that
//! the specification or the mix demands. All twelve conditions hold when every New-Order aborts, because nothing
//! happens then; only the sums and the share of rollbacks tell.

use super::knobs::{self, Habits, Mix, Shape};
use super::questions::{CONDITIONS, Depth, REFUSING, questions};
use crate::Parameters;
use crate::audit::Audit;
use model::record::audit::Severity::{Fail, Warn};
use model::record::audit::{Law, Rule, Severity, Term};

/// Transactions below which a share says nothing.
const ENOUGH: i64 = 1_000;
/// Customers known by their name, as clause 5.5.1.5 admits.
const BY_NAME: (f64, f64) = (0.57, 0.63);
/// The most that one transaction moves: lines, and cents.
const LINES: i64 = 15;
const CENTS: i64 = 500_000;

pub(super) fn audit(parameters: &Parameters) -> Audit {
    let (shape, habits) = (Shape::of(parameters), Habits::of(parameters));
    let depth = match knobs::text(parameters, "audit") {
        "off" => return Audit::default(),
        "quick" => Depth::Quick,
        "sample" => Depth::Sample,
        _ => Depth::Full,
    };
    // sysbench-tpcc's rule of stock empties it further.
    let least = if habits.stock_not_counted { 1 } else { 10 };
    let questions = questions(&shape, depth, least);
    let asked = |name: &str| questions.iter().any(|q| q.name == name);
    let conditions = CONDITIONS.iter().filter(|(code, ..)| asked(code)).map(|(code, claim, ..)| {
        let both = vec![Term::before(code), Term::after(code)];
        equal(code, claim, both, vec![], 0, "This consistency condition of the specification (clause 3.3) is violated.")
    });
    let mut laws: Vec<Law> = conditions.collect();
    laws.push(equal(
        "V7",
        "every column takes what New-Order gives it",
        vec![Term::after(REFUSING)],
        vec![],
        0,
        "A column is NOT NULL without a default and New-Order has no value for it: `order_line.ol_delivery_d` (or `orders.o_carrier_id`), \
         so that the server refuses every New-Order.",
    ));
    laws.extend(sums(&habits).into_iter().filter(|law| names(law).iter().all(|name| asked(name))));
    laws.extend(shares(&habits));
    laws.extend(latencies());
    // Without it MariaDB may derive a table of all lines anew for each customer.
    let mut setup = vec!["SET SESSION optimizer_switch = 'split_materialized=off'".to_string()];
    setup.extend((1..=shape.sets).map(|set| format!("ANALYZE TABLE order_line{set}")));
    Audit { setup, questions, laws }
}

/// The questions that a law of sums needs.
fn names(law: &Law) -> Vec<&str> {
    use model::record::audit::Quantity::{After, Before, Fact, Growth};
    let Rule::Equal { left, right, .. } = &law.rule else { return Vec::new() };
    let of = left.iter().chain(right).filter_map(|term| match &term.of {
        Growth(name) | Before(name) | After(name) => Some(name.as_str()),
        Fact(_) => None,
    });
    of.collect()
}

fn equal(code: &str, claim: &str, left: Vec<Term>, right: Vec<Term>, apart: i64, broken: &str) -> Law {
    let rule = Rule::Equal { left, right, apart };
    Law { code: code.into(), claim: claim.into(), broken: broken.into(), severity: Fail, rule }
}

fn sums(habits: &Habits) -> Vec<Law> {
    const LOST: &str = "New-Orders that the client took for committed are not in the data, or others are: they were rolled back, lost or done twice.";
    let [fact, growth] = [Term::fact, Term::growth];
    let mut laws = vec![
        equal(
            "V1",
            "every New-Order committed raised its district's next order",
            vec![fact("new_orders")],
            vec![growth("next_order_ids")],
            1,
            LOST,
        ),
        equal(
            "V1b",
            "every New-Order committed is an order",
            vec![fact("new_orders")],
            vec![growth("order_rows")],
            1,
            LOST,
        ),
        equal(
            "V2",
            "every line of a New-Order committed is there",
            vec![fact("order_lines")],
            vec![growth("order_line_rows")],
            LINES,
            "Lines of orders are missing, or too many.",
        ),
        equal(
            "V3",
            "orders wait from New-Order to Delivery",
            vec![fact("new_orders"), fact("delivered_orders").times(-1)],
            vec![growth("new_order_rows")],
            10,
            "Deliveries did not take what they say that they took.",
        ),
        equal(
            "V4",
            "every Payment committed is in history",
            vec![fact("payments")],
            vec![growth("history_rows")],
            1,
            "Payments are missing from history.",
        ),
        equal(
            "V4b",
            "warehouses took what was paid",
            vec![fact("payment_cents")],
            vec![growth("warehouse_cents")],
            CENTS,
            "Sums of money differ.",
        ),
        equal(
            "V4c",
            "districts took what was paid",
            vec![fact("payment_cents")],
            vec![growth("district_cents")],
            CENTS,
            "Sums of money differ.",
        ),
        equal(
            "V4d",
            "history has what was paid",
            vec![fact("payment_cents")],
            vec![growth("history_cents")],
            CENTS,
            "Sums of money differ.",
        ),
        equal(
            "V5",
            "every order delivered is its customer's",
            vec![fact("delivered_orders")],
            vec![growth("customers_deliveries")],
            10,
            "Deliveries did not reach their customers.",
        ),
        equal(
            "V8",
            "no transaction was invalid",
            vec![fact("invalid_transactions")],
            vec![],
            0,
            "A statement did not find or change the row that it must (clause 2.3.6).",
        ),
    ];
    if !habits.payments_not_counted {
        laws.push(equal(
            "E1",
            "customers count their payments",
            vec![fact("payments")],
            vec![growth("customers_payments")],
            1,
            "Payments did not reach their customers.",
        ));
    }
    if !habits.stock_not_counted {
        const STOCK: &str = "Stock was not taken as the lines of the orders say.";
        laws.push(equal(
            "E2",
            "stock counts its orders",
            vec![fact("order_lines")],
            vec![growth("stock_orders")],
            LINES,
            STOCK,
        ));
        laws.push(equal(
            "E2b",
            "stock counts its quantities",
            vec![fact("quantities")],
            vec![growth("stock_quantities")],
            10 * LINES,
            STOCK,
        ));
        laws.push(equal(
            "E2c",
            "stock counts other warehouses' orders",
            vec![fact("remote_lines")],
            vec![growth("stock_remotes")],
            LINES,
            STOCK,
        ));
    }
    laws
}

fn shares(habits: &Habits) -> Vec<Law> {
    let share =
        |code: &str, claim: &str, severity: Severity, part: Vec<Term>, whole: Vec<Term>, (low, high), broken: &str| {
            Law {
                code: code.into(),
                claim: claim.into(),
                broken: broken.into(),
                severity,
                rule: Rule::Share { part, whole, low, high, enough: ENOUGH },
            }
        };
    let fact = Term::fact;
    let orders = || vec![fact("new_orders"), fact("user_rollbacks")];
    let all = || {
        let others = ["payments", "order_statuses", "deliveries", "stock_levels"].map(Term::fact);
        orders().into_iter().chain(others).collect::<Vec<_>>()
    };
    let mut rolled_back = share(
        "V6",
        "one New-Order in a hundred is rolled back",
        Fail,
        vec![fact("user_rollbacks")],
        orders(),
        (0.009, 0.011),
        "The specification rolls back 1 %; more means that errors are taken for rollbacks, and then the cause is in the words of the \
         server (as a column `ol_delivery_d` that is NOT NULL and gets no value).",
    );
    if let Rule::Share { enough, .. } = &mut rolled_back.rule {
        *enough = 100;
    }
    // What the specification demands and sysbench-tpcc does not promise.
    let of_generator = if habits.never_remote { Warn } else { Fail };
    let mut laws = vec![
        rolled_back,
        share(
            "V9",
            "at most one transaction in a hundred is tried again",
            Warn,
            vec![fact("retries")],
            all().into_iter().chain([fact("retries")]).collect(),
            (0.0, 0.01),
            "Transactions meet deadlocks and lock waits: users stand in each other's way, and work is done twice.",
        ),
        share(
            "V10",
            "at most one district in a hundred has no order that waits",
            of_generator,
            vec![fact("skipped_districts")],
            vec![fact("deliveries").times(10)],
            (0.0, 0.01),
            "The queue of new orders is drained, and Deliveries do less than they should: take more warehouses or a shorter run.",
        ),
        share(
            "V12",
            "orders have ten lines in the mean",
            of_generator,
            vec![fact("order_lines")],
            vec![fact("new_orders").times(LINES)],
            (9.5 / 15.0, 10.5 / 15.0),
            "The generator of orders is wrong.",
        ),
        share(
            "V12b",
            "three payments in five are by name",
            Fail,
            vec![fact("payments_by_name")],
            vec![fact("payments")],
            BY_NAME,
            "The generator of payments is wrong.",
        ),
        share(
            "V12e",
            "three order statuses in five are by name",
            Fail,
            vec![fact("statuses_by_name")],
            vec![fact("order_statuses")],
            BY_NAME,
            "The generator of order statuses is wrong.",
        ),
        even_lines(),
    ];
    let (many, few) = match habits.mix {
        Mix::Deck | Mix::Independent => (10.0 / 23.0, 1.0 / 23.0),
        Mix::Weighted => (0.43, 0.04),
    };
    let mix = [("payments", many), ("order_statuses", few), ("deliveries", few), ("stock_levels", few)];
    laws.extend(mix.into_iter().map(|(what, wanted)| {
        let claim = format!("{} have their share of the mix, {:.2} %", what.replace('_', " "), 100.0 * wanted);
        share(
            "V11",
            &claim,
            Warn,
            vec![fact(what)],
            all(),
            (wanted, wanted),
            "Some kind of transaction fails or is retried more than the others.",
        )
    }));
    if habits.warehouses > 1 && !habits.never_remote {
        const REMOTE: &str = "The generator of remote warehouses is wrong.";
        laws.push(share(
            "V12c",
            "one line in a hundred is another warehouse's",
            Fail,
            vec![fact("remote_lines")],
            vec![fact("order_lines")],
            (0.0095, 0.0105),
            REMOTE,
        ));
        laws.push(share(
            "V12d",
            "15 payments in a hundred are another warehouse's",
            Fail,
            vec![fact("remote_payments")],
            vec![fact("payments")],
            (0.14, 0.16),
            REMOTE,
        ));
    }
    laws
}

/// Orders of five to fifteen lines, all as frequent: the mean of their squares is 110.
fn even_lines() -> Law {
    const MOST: i64 = LINES * LINES;
    let of = |squares: f64| squares / MOST as f64;
    Law {
        code: "V12f".into(),
        claim: "orders of five to fifteen lines are equally frequent".into(),
        broken: "The generator of orders is wrong: their number of lines has the wrong spread.".into(),
        severity: Fail,
        rule: Rule::Share {
            part: vec![Term::fact("order_lines_squared")],
            whole: vec![Term::fact("new_orders").times(MOST)],
            // Eight standard errors of ten thousand orders to either side.
            low: of(105.0),
            high: of(115.0),
            enough: 10_000 * MOST,
        },
    }
}

/// Limits of clause 5.2.5.3 on nine of ten.
fn latencies() -> Vec<Law> {
    [("new_order", 5), ("payment", 5), ("order_status", 5), ("delivery", 80), ("stock_level", 20)]
        .map(|(operation, seconds)| Law {
            code: "V15".into(),
            claim: format!("90 % of `{operation}` are answered within {seconds} s"),
            broken: "The specification admits no slower ones, whatever the throughput.".into(),
            severity: Warn,
            rule: Rule::Within { operation: operation.into(), percent: 90.0, micros: seconds * 1_000_000 },
        })
        .into()
}
