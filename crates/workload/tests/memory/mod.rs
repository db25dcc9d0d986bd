//! A session that answers from the memory of sbtest tables with rows 1 to `rows`, and a seat that gives a fixed
//! number of turns. Both stand for the lab's side of our own traits, so that workloads are seen without a server;
//! after their first answers they allocate nothing, unless asked to keep a log.
#![allow(dead_code)] // each test file uses its own part

use model::seed::Seed;
use model::units::Nanos;
use model::value::Value;
use std::task::{Context, Poll, Waker};
use workload::life::{Life, Living, Place};
use workload::rows::{Cell, KeptRows};
use workload::session::{Answer, Class, Fact, Fault, Param, Prepared, Request, Sql, Want};
use workload::user::{Decision, End, Operation, Seat};
use workload::{Parameters, Workload};

/// What the clock says, always.
pub const NOW_MS: u64 = 1_700_000_000_123;

#[derive(Default)]
pub struct Memory {
    pub rows: u64,
    /// Returned beyond what the table has; negative for rows that went missing.
    pub surplus: i64,
    pub log: Option<Vec<String>>,
    pub unexpected: Vec<Class>,
    /// By number of the fact.
    pub facts: [i64; 32],
    /// Refuses the request with this number (from 0) with this error.
    pub refuse: Option<(usize, u16)>,
    /// Breaks the conversation at the request with this number.
    pub lose: Option<usize>,
    pub requests: usize,
    pub prepared: Vec<String>,
    pub answer: Option<Result<Answer, Fault>>,
    pub kept: KeptRows,
    pub text: Vec<u8>,
}

impl Memory {
    fn note(&mut self, line: impl FnOnce() -> String) {
        if let Some(log) = &mut self.log {
            log.push(line());
        }
    }
    /// `listed`: the values behind WHERE.
    fn changed_by(&self, sql: &str, listed: impl Iterator<Item = u64> + Clone) -> u64 {
        let changed = match sql.split(' ').next() {
            Some("UPDATE") if is_list_of_ids(sql) => self.distinct(listed),
            Some("UPDATE" | "DELETE") => 1,
            Some("INSERT") => 1 + sql.matches("),(").count() as u64,
            _ => 0,
        };
        if changed == 0 { 0 } else { changed.saturating_add_signed(self.surplus) }
    }
    /// Rows of the tables of TPC-C, by the names of their columns; three customers have any name.
    fn keep(&mut self, sql: &str, value: Option<i64>) -> u64 {
        if let (true, Some(key)) = (is_by_key(sql), value) {
            self.kept.clear(2);
            self.kept.push(Cell::Int(key));
            workload::kv::value::write(&mut self.text, key as u64, workload::kv::value::LOADED, 119);
            self.kept.push(Cell::Bytes(&self.text));
            return 1;
        }
        let Some(list) = sql.strip_prefix("SELECT ").and_then(|rest| rest.split(" FROM ").next()) else { return 0 };
        let missing = sql.contains("FROM item") && value.is_none_or(|item| !(1..=100_000).contains(&item));
        let rows = if missing {
            0
        } else if sql.contains("ORDER BY c_first") {
            3
        } else {
            1
        };
        self.kept.clear(list.split(", ").count());
        for _ in 0..rows {
            for column in list.split(", ") {
                self.kept.push(match column {
                    "d_next_o_id" | "o_id" | "no_o_id" => Cell::Int(3_001),
                    "c_id" | "o_c_id" => Cell::Int(7),
                    "s_quantity" => Cell::Int(50),
                    "c_credit" => Cell::Bytes(b"BC"),
                    "w_name" | "d_name" => Cell::Bytes(b"some name"),
                    "MIN(transactionid)" => Cell::Int(1),
                    "MAX(transactionid)" => Cell::Int(self.rows as i64),
                    name if name.ends_with("_tax") || name == "c_discount" => Cell::Bytes(b"0.1000"),
                    name if name.starts_with("s_dist") => Cell::Bytes(b"abcdefghijklmnopqrstuvwx"),
                    "c_data" | "i_data" | "s_data" => Cell::Bytes(b"data"),
                    _ => Cell::Bytes(b"12.34"),
                });
            }
        }
        rows
    }
    /// How many rows a list of ids finds; nothing is allocated for it.
    fn distinct(&self, ids: impl Iterator<Item = u64> + Clone) -> u64 {
        let is_first = |at: usize, id: u64| !ids.clone().take(at).any(|earlier| earlier == id);
        let found = ids.clone().enumerate().filter(|(at, id)| (1..=self.rows).contains(id) && is_first(*at, *id));
        found.count() as u64
    }
    fn rows_of(&self, sql: &str, [first, last]: [u64; 2], listed: impl Iterator<Item = u64> + Clone) -> u64 {
        if !sql.starts_with("SELECT") || !(sql.contains("sbtest") || sql.contains("stock") || is_by_key(sql)) {
            return 0;
        }
        let within = if is_list_of_ids(sql) {
            self.distinct(listed)
        } else if sql.contains("LENGTH(") {
            0
        } else if sql.contains("SUM") || sql.contains("count(") || sql.contains("COUNT(") {
            1
        } else {
            (last.min(self.rows) + 1).saturating_sub(first)
        };
        within.saturating_add_signed(self.surplus)
    }
}

fn shown(param: &Param) -> String {
    match param {
        Param::Null => "NULL".into(),
        Param::Int(n) => n.to_string(),
        Param::Real(x) => x.to_string(),
        Param::Decimal(b) => String::from_utf8_lossy(b).into_owned(),
        Param::Bytes(b) => format!("'{}'", String::from_utf8_lossy(b)),
    }
}

/// The numbers after WHERE.
fn numbers(sql: &str) -> impl Iterator<Item = u64> + Clone {
    let tail = sql.split_once("WHERE").map_or("", |(_, tail)| tail);
    tail.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

/// One id, or the two ends of a range.
fn ids(sql: &str) -> [u64; 2] {
    let mut numbers = numbers(sql);
    let first = numbers.next().unwrap_or(0);
    [first, numbers.next().unwrap_or(first)]
}

fn is_list_of_ids(sql: &str) -> bool {
    sql.contains("WHERE id IN (")
}

fn is_by_key(sql: &str) -> bool {
    sql.contains("FROM kv ")
}

/// Whose users read what they keep; a graph's do without.
fn is_of_tpcc(sql: &str) -> bool {
    !["linktable", "nodetable", "counttable"].iter().any(|table| sql.contains(table))
}

impl Sql for Memory {
    fn start(&mut self, _: Class, request: Request<'_>, want: Want) {
        assert!(self.answer.is_none(), "a request began before the last was answered");
        let mut answer = Answer::default();
        match request {
            Request::Text(sql) => {
                self.note(|| format!("text     {sql}"));
                let ends = ids(sql);
                answer.rows = match want {
                    Want::Keep if is_of_tpcc(sql) => {
                        self.keep(sql, if sql.contains("= -") { None } else { Some(ends[0] as i64) })
                    }
                    Want::Count | Want::Keep | Want::KeepFrom(_) | Want::KeepEach => {
                        self.rows_of(sql, ends, numbers(sql))
                    }
                };
                answer.affected = self.changed_by(sql, numbers(sql));
            }
            Request::Prepare(sql) => {
                self.note(|| format!("prepare  {sql}"));
                answer.prepared = Some(Prepared(self.prepared.len() as u32));
                self.prepared.push(sql.to_string());
            }
            Request::Execute(prepared, params) => {
                // Taken for a while, so that the answer can be kept beside it.
                let whole = std::mem::take(&mut self.prepared[prepared.0 as usize]);
                let sql = &whole;
                assert_eq!(sql.matches('?').count(), params.len(), "{sql}");
                let id = |place: usize| match params.get(place) {
                    Some(Param::Int(id)) => *id as u64,
                    _ => 0,
                };
                let whole_numbers = params.iter().filter_map(|param| match param {
                    Param::Int(n) => Some(*n as u64),
                    Param::Null | Param::Real(_) | Param::Decimal(_) | Param::Bytes(_) => None,
                });
                answer.affected = self.changed_by(sql, whole_numbers.clone());
                answer.rows = match (want, params) {
                    (_, []) => 0,
                    (Want::Keep, _) if is_of_tpcc(sql) => self.keep(sql, Some(id(0) as i64)),
                    (Want::Count | Want::Keep | Want::KeepFrom(_) | Want::KeepEach, many) => {
                        self.rows_of(sql, [id(0), id(many.len() - 1)], whole_numbers)
                    }
                };
                if let Some(log) = &mut self.log {
                    let shown: Vec<String> = params.iter().map(shown).collect();
                    log.push(format!("execute  {sql}  {}", shown.join(", ")).trim_end().to_string());
                }
                self.prepared[prepared.0 as usize] = whole;
            }
            Request::Close(prepared) => self.note(|| format!("close {}", prepared.0)),
        }
        self.answer = Some(match self.refuse {
            Some((at, code)) if at == self.requests => {
                Err(Fault::Server { code, state: *b"HY000", message: "refused".into() })
            }
            _ if self.lose == Some(self.requests) => Err(Fault::Lost("gone".into())),
            _ => Ok(answer),
        });
        self.requests += 1;
    }
    fn poll_answer(&mut self, _: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        Poll::Ready(self.answer.take().expect("an answer was asked for"))
    }
    fn kept(&self) -> &KeptRows {
        &self.kept
    }
    fn unix_ms(&self) -> u64 {
        NOW_MS
    }
    fn unexpected(&mut self, class: Class) {
        self.unexpected.push(class);
    }
    fn count(&mut self, fact: Fact, amount: i64) {
        self.facts[usize::from(fact.0)] += amount;
    }
    fn start_reconnect(&mut self) {
        self.note(|| "reconnect".to_string());
        self.prepared.clear();
    }
    fn poll_reconnect(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }
}

/// Gives `left` turns, tells `at_turn` how many are left, and meets every fault with the same decision.
pub struct Turns<F: FnMut(u32)> {
    pub left: u32,
    pub at_turn: F,
    pub decision: Decision,
    pub ready: bool,
    pub done: u32,
    /// A new session after each operation.
    pub renew: bool,
    /// What the turns of all users are numbered by; none where nobody does.
    pub numbers: &'static [u64],
}

impl<F: FnMut(u32)> Seat for Turns<F> {
    fn poll_turn(&mut self, _: &mut Context<'_>) -> Poll<bool> {
        assert!(self.ready, "a turn before the user was ready");
        (self.at_turn)(self.left);
        let go = self.left > 0;
        self.left = self.left.saturating_sub(1);
        Poll::Ready(go)
    }
    fn turn(&self) -> Option<u64> {
        let given = self.numbers.len().checked_sub(self.left as usize + 1)?;
        Some(self.numbers[given])
    }
    fn ended(&mut self, _: Operation, end: End) -> Nanos {
        self.done += u32::from(end == End::Done);
        Nanos(0)
    }
    fn withdrawn(&mut self) {
        unreachable!("workloads of ours operate in each turn");
    }

    fn met(&mut self, _: Operation, _: &Fault) -> Decision {
        self.decision
    }
    fn poll_again(&mut self, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
    fn wants_new_session(&mut self) -> bool {
        self.renew
    }
    fn ready(&mut self, _: [workload::user::Memory; 2]) {
        self.ready = true;
    }
}

pub fn turns(left: u32) -> Turns<fn(u32)> {
    Turns { left, at_turn: |_| {}, decision: Decision::Retry, ready: false, done: 0, renew: false, numbers: &[] }
}

/// A workload's defaults with some of them replaced.
pub fn parameters(workload: &dyn Workload, replaced: &[(&str, Value)]) -> Parameters {
    let mut parameters = workload.words().defaults();
    for (name, value) in replaced {
        if let Some(place) = parameters.get_mut(*name) {
            *place = value.clone();
        }
    }
    parameters
}

/// The life of one user of so many, who speaks SQL.
pub fn user<'a>(
    workload: &dyn Workload,
    parameters: &Parameters,
    (number, users): (u32, u32),
    memory: &'a mut Memory,
    seat: &'a mut (dyn Seat + 'a),
) -> Living<'a> {
    let Life::Sql(life) = workload.life() else { panic!("{} speaks no SQL", workload.words().name) };
    life.user(Place { parameters, seed: Seed(42), number, users }, memory, seat)
}

/// Lives a whole life; nothing here ever waits, so one poll is enough.
pub fn live(
    workload: &dyn Workload,
    parameters: &Parameters,
    memory: &mut Memory,
    seat: &mut dyn Seat,
) -> Result<(), Fault> {
    let mut life = user(workload, parameters, (0, 1), memory, seat);
    match life.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(end) => end,
        Poll::Pending => panic!("a life waited, and nothing would ever wake it"),
    }
}
