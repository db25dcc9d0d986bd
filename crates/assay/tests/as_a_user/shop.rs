//! A small trace with its data, as TPC-C and LinkBench ask: customers, stock, links, and one function. Larger than the smoke that
//! ships (experiments/upgrade), and with errors that the trace expects.

use crate::desk::Desk;
use lab::traces::NewTrace;
use model::Nanos;
use std::fmt::Write;
use std::sync::Arc;
use trace::{Answer, Ask, Head, Item, Origin, Place, SessionId, Sieve, Statement, Transaction, VERSION};

const CUSTOMERS: u32 = 4000;
const SESSIONS: u64 = 4;
pub const ROUNDS: u64 = 30;

/// Lays `shop.sql` and the trace `trace` on the desk.
pub fn lay(desk: &Desk) {
    desk.write("shop.sql", &dump());
    capture(desk, "trace", &statements);
}

fn dump() -> String {
    let mut text = String::from(
        "-- the shop; its data\nSET NAMES utf8mb4;\n\
         CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(40) COLLATE utf8mb4_bin NOT NULL, city VARCHAR(20) NOT NULL, \
         balance DECIMAL(12,2) NOT NULL, score DOUBLE NOT NULL, filler CHAR(200) NOT NULL DEFAULT '', KEY by_name (name), \
         KEY by_city (city));\n\
         CREATE TABLE item (id INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL, filler CHAR(200) NOT NULL DEFAULT '', \
         KEY by_a (a), KEY by_b (b));\n\
         CREATE TABLE stock (w INT, i INT, quantity INT NOT NULL, note VARCHAR(8), PRIMARY KEY (w, i));\n\
         CREATE TABLE link (kind INT, id1 BIGINT, id2 BIGINT, visibility TINYINT, time BIGINT, data VARCHAR(100), \
         PRIMARY KEY (kind, id1, id2), KEY by_id1 (id1, kind, visibility, time, id2));\n\
         DELIMITER ;;\nCREATE FUNCTION tax(x DECIMAL(12,2)) RETURNS DECIMAL(12,2) DETERMINISTIC BEGIN RETURN x * 0.19; END ;;\n\
         DELIMITER ;\n",
    );
    let mut rows = |table: &str, count: u32, row: &dyn Fn(u32) -> String| {
        let all: Vec<String> = (0..count).map(row).collect();
        for some in all.chunks(500) {
            writeln!(text, "INSERT INTO {table} VALUES {};", some.join(",")).expect("a string");
        }
    };
    rows("customer", CUSTOMERS, &|n| {
        let name = if n % 2 == 0 { format!("Smith{}", n / 4) } else { format!("SMITH{}", n / 4) };
        format!("({n}, '{name}', 'c{}', {}.50, {}.125, 'x')", n % 400, n % 1000, n % 77)
    });
    rows("item", CUSTOMERS, &|n| format!("({n}, {}, {}, 'y')", n % 500, (n * 7) % 611));
    rows("stock", 1000, &|n| format!("({}, {}, 100, 'ok')", n % 4, n / 4));
    rows("link", 3000, &|n| format!("(1, {}, {n}, 1, {n}, 'of {n}')", n % 100));
    text
}

/// A statement of a session, and its place in a transaction.
pub type Said = (String, Place);

pub fn statements(round: u64, session: u64) -> Vec<Said> {
    let n = (round * 131 + session * 17) % u64::from(CUSTOMERS);
    let alone = |sql: String| (sql, Place::Alone);
    vec![
        alone(format!("SELECT balance FROM customer WHERE id = {n}")),
        alone(format!("SELECT id, balance FROM customer WHERE city = 'c{}' ORDER BY id", n % 400)),
        alone(format!("SELECT COUNT(*) FROM customer WHERE name = 'Smith{}'", n / 4)),
        alone(format!("SELECT tax(balance) FROM customer WHERE id = {n}")),
        alone(format!("SELECT id FROM item WHERE a = {} OR b = {}", n % 500, n % 611)),
        alone(format!("SELECT city, SUM(score) FROM customer WHERE city IN ('c1', 'c{}') GROUP BY city", n % 400)),
        alone(format!(
            "SELECT id2, data FROM link WHERE id1 = {} AND kind = 1 AND visibility = 1 ORDER BY time DESC LIMIT 10",
            n % 100
        )),
        ("BEGIN".into(), Place::Begins),
        (format!("SELECT quantity FROM stock WHERE w = {session} AND i = {} FOR UPDATE", n % 250), Place::Inside),
        (format!("UPDATE stock SET quantity = quantity - 1 WHERE w = {session} AND i = {}", n % 250), Place::Inside),
        ("COMMIT".into(), Place::Commits),
        alone(format!("SELECT SUM(quantity) FROM stock WHERE w = {session}")),
        alone(format!(
            "INSERT INTO stock (w, i, quantity, note) VALUES ({}, {round}, 1, 'far too long')",
            10 + session
        )),
    ]
}

/// Writes a trace in which each session asks these, one after the other, a millisecond each.
pub fn capture(desk: &Desk, name: &str, of: &dyn Fn(u64, u64) -> Vec<Said>) {
    let head =
        Head { version: VERSION, origin: Origin::Proxy, made: Nanos(0), server: None, masked: None, notes: Vec::new() };
    let mut trace = NewTrace::create(&desk.path(name), &head, Sieve::default()).expect("a new folder");
    let mut orders = [0u64; SESSIONS as usize];
    let mut transactions = [0u64; SESSIONS as usize];
    let mut all = Vec::new();
    for round in 0..ROUNDS {
        for session in 0..SESSIONS {
            for (at, (sql, place)) in (0..).zip(of(round, session)) {
                let (order, number) = (&mut orders[session as usize], &mut transactions[session as usize]);
                if matches!(place, Place::Alone | Place::Begins) {
                    *number += 1;
                }
                let start = 1_700_000_000_000_000_000 + (round * 20 + at) * 1_000_000 + session * 100_000;
                let fails = sql.contains("far too long");
                all.push(Statement {
                    session: SessionId(session + 1),
                    order: *order,
                    start: Nanos(start),
                    took: Some(Nanos(50_000)),
                    transaction: Some(Transaction { number: *number, place }),
                    user: Arc::from("app"),
                    host: Arc::from(""),
                    database: Arc::from("shop"),
                    ask: Ask::Query(Arc::from(sql.as_bytes())),
                    answer: Answer { error: Some(if fails { 1406 } else { 0 }), ..Answer::default() },
                });
                *order += 1;
            }
        }
    }
    all.sort_by_key(Statement::end);
    all.into_iter().for_each(|statement| trace.append(Item::Statement(statement)).expect("a trace grows"));
    trace.finish().expect("a trace ends");
}
