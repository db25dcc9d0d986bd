//! The laws of TPC-C: conditions that hold at any time, sums that agree with what the users counted, and shares that
//! the specification or the mix demands. All twelve conditions hold when every New-Order aborts, because nothing
//! happens then; only the sums and the share of rollbacks tell.

use super::knobs::{self, Habits, Mix, Shape};
use super::questions::{CONDITIONS, Depth, REFUSING, questions};
use crate::Parameters;
use crate::audit::{Audit, Claim, law};
use model::record::audit::Severity::{Fail, Warn};
use model::record::audit::{Law, Rule, Term};

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
        let broken = "This consistency condition of the specification (clause 3.3) is violated.";
        law(code, claim, broken).equal(both, vec![], 0)
    });
    let mut laws: Vec<Law> = conditions.collect();
    let refusing = "A column is NOT NULL without a default and New-Order has no value for it: \
                    `order_line.ol_delivery_d` (or `orders.o_carrier_id`), so that the server refuses every New-Order.";
    let taken = law("V7", "every column takes what New-Order gives it", refusing);
    laws.push(taken.equal([Term::after(REFUSING)], vec![], 0));
    laws.extend(sums(&habits).into_iter().filter(|law| names(law).iter().all(|name| asked(name))));
    laws.extend(shares(&habits));
    laws.extend(latencies());
    // Without it MariaDB may derive a table of all lines anew for each customer.
    let mut setup = Vec::new();
    if !shape.is_postgresql() {
        setup.push("SET SESSION optimizer_switch = 'split_materialized=off'".to_string());
        setup.extend((1..=shape.sets).map(|set| format!("ANALYZE TABLE order_line{set}")));
    }
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

fn sums(habits: &Habits) -> Vec<Law> {
    const LOST: &str = "New-Orders that the client took for committed are not in the data, or others are: they were \
                        rolled back, lost or done twice.";
    const MONEY: &str = "Sums of money differ.";
    const STOCK: &str = "Stock was not taken as the lines of the orders say.";
    let fact = Term::fact;
    let grown = |(code, claim, counted, question, apart, broken): (&str, &str, &str, &str, i64, &str)| {
        law(code, claim, broken).equal([fact(counted)], [Term::growth(question)], apart)
    };
    let [lines, unpaid] = ["Lines of orders are missing, or too many.", "Payments did not reach their customers."];
    let undelivered = "Deliveries did not reach their customers.";
    let all = [
        ("V1", "every New-Order committed raised its district's next order", "new_orders", "next_order_ids", 1, LOST),
        ("V1b", "every New-Order committed is an order", "new_orders", "order_rows", 1, LOST),
        ("V2", "every line of a New-Order committed is there", "order_lines", "order_line_rows", LINES, lines),
        (
            "V4",
            "every Payment committed is in history",
            "payments",
            "history_rows",
            1,
            "Payments are missing from history.",
        ),
        ("V4b", "warehouses took what was paid", "payment_cents", "warehouse_cents", CENTS, MONEY),
        ("V4c", "districts took what was paid", "payment_cents", "district_cents", CENTS, MONEY),
        ("V4d", "history has what was paid", "payment_cents", "history_cents", CENTS, MONEY),
        ("V5", "every order delivered is its customer's", "delivered_orders", "customers_deliveries", 10, undelivered),
    ];
    let mut laws: Vec<Law> = all.map(grown).into();
    let waiting = [fact("new_orders"), fact("delivered_orders").times(-1)];
    let queue =
        law("V3", "orders wait from New-Order to Delivery", "Deliveries did not take what they say that they took.");
    laws.insert(3, queue.equal(waiting, [Term::growth("new_order_rows")], 10));
    let invalid = "A statement did not find or change the row that it must (clause 2.3.6).";
    laws.push(law("V8", "no transaction was invalid", invalid).equal([fact("invalid_transactions")], vec![], 0));
    if !habits.payments_not_counted {
        laws.push(grown(("E1", "customers count their payments", "payments", "customers_payments", 1, unpaid)));
    }
    if !habits.stock_not_counted {
        laws.extend(
            [
                ("E2", "stock counts its orders", "order_lines", "stock_orders", LINES, STOCK),
                ("E2b", "stock counts its quantities", "quantities", "stock_quantities", 10 * LINES, STOCK),
                ("E2c", "stock counts other warehouses' orders", "remote_lines", "stock_remotes", LINES, STOCK),
            ]
            .map(grown),
        );
    }
    laws
}

fn shares(habits: &Habits) -> Vec<Law> {
    let fact = Term::fact;
    let orders = || vec![fact("new_orders"), fact("user_rollbacks")];
    let all = || {
        let others = ["payments", "order_statuses", "deliveries", "stock_levels"].map(Term::fact);
        orders().into_iter().chain(others).collect::<Vec<_>>()
    };
    let share = |law: Claim, part: &str, whole: Vec<Term>, bounds| law.share(fact(part), whole, bounds, ENOUGH);
    // What the specification demands and sysbench-tpcc does not promise.
    let of_generator = if habits.never_remote { Warn } else { Fail };
    let swallowed = law(
        "V6",
        "one New-Order in a hundred is rolled back",
        "The specification rolls back 1 %; more means that errors are taken for rollbacks, and then the cause is in \
         the words of the server (as a column `ol_delivery_d` that is NOT NULL and gets no value).",
    );
    let again = law(
        "V9",
        "at most one transaction in a hundred is tried again",
        "Transactions meet deadlocks and lock waits: users stand in each other's way, and work is done twice.",
    );
    let drained = law(
        "V10",
        "at most one district in a hundred has no order that waits",
        "The queue of new orders is drained, and Deliveries do less than they should: take more warehouses or a \
         shorter run.",
    );
    let ten = law("V12", "orders have ten lines in the mean", "The generator of orders is wrong.").of(of_generator);
    let paid = law("V12b", "three payments in five are by name", "The generator of payments is wrong.");
    let asked = law("V12e", "three order statuses in five are by name", "The generator of order statuses is wrong.");
    let tried = [all(), vec![fact("retries")]].concat();
    let (lines, districts) = (vec![fact("new_orders").times(LINES)], vec![fact("deliveries").times(10)]);
    let mut laws = vec![
        swallowed.share(fact("user_rollbacks"), orders(), (0.009, 0.011), 100),
        share(again.of(Warn), "retries", tried, (0.0, 0.01)),
        share(drained.of(of_generator), "skipped_districts", districts, (0.0, 0.01)),
        share(ten, "order_lines", lines, (9.5 / 15.0, 10.5 / 15.0)),
        share(paid, "payments_by_name", vec![fact("payments")], BY_NAME),
        share(asked, "statuses_by_name", vec![fact("order_statuses")], BY_NAME),
        even_lines(),
    ];
    let (many, few) = match habits.mix {
        Mix::Deck | Mix::Independent => (10.0 / 23.0, 1.0 / 23.0),
        Mix::Weighted => (0.43, 0.04),
    };
    let mix = [("payments", many), ("order_statuses", few), ("deliveries", few), ("stock_levels", few)];
    laws.extend(mix.into_iter().map(|(what, wanted)| {
        let claim = format!("{} have their share of the mix, {:.2} %", what.replace('_', " "), 100.0 * wanted);
        let broken = "Some kind of transaction fails or is retried more than the others.";
        share(law("V11", &claim, broken).of(Warn), what, all(), (wanted, wanted))
    }));
    if habits.warehouses > 1 && !habits.never_remote {
        const REMOTE: &str = "The generator of remote warehouses is wrong.";
        let line = law("V12c", "one line in a hundred is another warehouse's", REMOTE);
        laws.push(share(line, "remote_lines", vec![fact("order_lines")], (0.0095, 0.0105)));
        let payment = law("V12d", "15 payments in a hundred are another warehouse's", REMOTE);
        laws.push(share(payment, "remote_payments", vec![fact("payments")], (0.14, 0.16)));
    }
    laws
}

/// Orders of five to fifteen lines, all as frequent: the mean of their squares is 110.
fn even_lines() -> Law {
    const MOST: i64 = LINES * LINES;
    let of = |squares: f64| squares / MOST as f64;
    let broken = "The generator of orders is wrong: their number of lines has the wrong spread.";
    // Eight standard errors of ten thousand orders to either side.
    let (squares, bounds) = (Term::fact("order_lines_squared"), (of(105.0), of(115.0)));
    let whole = vec![Term::fact("new_orders").times(MOST)];
    law("V12f", "orders of five to fifteen lines are equally frequent", broken).share(
        squares,
        whole,
        bounds,
        10_000 * MOST,
    )
}

/// Limits of clause 5.2.5.3 on nine of ten.
fn latencies() -> Vec<Law> {
    [("new_order", 5), ("payment", 5), ("order_status", 5), ("delivery", 80), ("stock_level", 20)]
        .map(|(operation, seconds)| {
            let claim = format!("90 % of `{operation}` are answered within {seconds} s");
            law("V15", &claim, "The specification admits no slower ones, whatever the throughput.")
                .of(Warn)
                .rule(Rule::Within { operation: operation.into(), percent: 90.0, micros: seconds * 1_000_000 })
        })
        .into()
}
