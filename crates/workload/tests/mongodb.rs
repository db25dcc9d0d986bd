//! What a user of LinkBench says to a store of documents, by what the server answered. The session here answers every
//! command as the test wants it; that a real server keeps its counts is proven where the lab meets one.

mod memory;

use memory::{parameters, turns};
use model::seed::Seed;
use std::task::{Context, Poll, Waker};
use workload::Workloads;
use workload::life::{Life, Place};
use workload::rows::{Cell, KeptRows};
use workload::session::documents::{Documents, Fields, Offers, Value};
use workload::session::{Answer, Class, Fact, Fault};

/// Whether the link that is changed was there, and its visibility.
type Before = Option<i64>;

struct Scripted {
    before: Before,
    offers: Offers,
    said: Vec<String>,
    kept: KeptRows,
    answer: Option<Answer>,
    facts: [i64; 8],
    unexpected: usize,
}

fn shown(fields: Fields<'_>) -> String {
    let one = |(name, value): &(&str, Value<'_>)| match value {
        Value::Bytes(bytes) if *name == "_id" => format!("_id: key{}", bytes.len()),
        _ => format!("{name}: {}", value_shown(value)),
    };
    format!("{{{}}}", fields.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Ids and payloads are the draw's business.
fn value_shown(value: &Value<'_>) -> String {
    match value {
        Value::Flag(truth) => truth.to_string(),
        Value::Int32(n) => n.to_string(),
        Value::Int64(n) if n.abs() <= 2 => format!("{n}L"),
        Value::Int64(_) => "#".into(),
        Value::Text(text) => (*text).to_string(),
        Value::Bytes(_) => "bytes".into(),
        Value::Document(inner) => shown(inner),
        Value::Array(all) => format!("[{}]", all.iter().map(value_shown).collect::<Vec<_>>().join(", ")),
    }
}

impl Documents for Scripted {
    fn offers(&self) -> Offers {
        self.offers
    }
    fn begin(&mut self) {
        self.said.push("begin".into());
    }
    fn start(&mut self, _: Class, command: Fields<'_>, keep: &'static [&'static str]) {
        self.kept.clear(keep.len());
        let mut answer = Answer { affected: 1, ..Answer::default() };
        if let (("findAndModify", _), Some(visibility)) = (command[0], self.before) {
            self.kept.push(Cell::Int(visibility));
            answer.rows = 1;
        }
        self.said.push(shown(command));
        self.answer = Some(answer);
    }
    fn start_end(&mut self, _: Class, commits: bool) {
        self.said.push(if commits { "commit" } else { "abort" }.into());
        self.answer = Some(Answer::default());
    }
    fn poll_answer(&mut self, _: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        Poll::Ready(Ok(self.answer.take().expect("something was said")))
    }
    fn kept(&self) -> &KeptRows {
        &self.kept
    }
    fn unix_ms(&self) -> u64 {
        memory::NOW_MS
    }
    fn unexpected(&mut self, _: Class) {
        self.unexpected += 1;
    }
    fn count(&mut self, fact: Fact, amount: i64) {
        self.facts[usize::from(fact.0)] += amount;
    }
    fn start_reconnect(&mut self) {}
    fn poll_reconnect(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }
}

/// Several hundred operations, each of the ten kinds among them.
fn said(before: Before, offers: Offers) -> Scripted {
    let (kept, said) = (KeptRows::default(), Vec::new());
    let mut session = Scripted { before, offers, said, kept, answer: None, facts: [0; 8], unexpected: 0 };
    let workload = Workloads::built_in().by_name("linkbench.mongodb").expect("it is in the list");
    let parameters = parameters(&*workload, &[("maxid1", 5_001.into())]);
    let mut seat = turns(800);
    {
        let Life::Documents(life) = workload.life() else { panic!("it asks documents") };
        let place = Place { parameters: &parameters, seed: Seed(42), number: 1, users: 4 };
        let mut life = life.user(place, &mut session, &mut seat);
        let lived = life.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(lived, Poll::Ready(Ok(()))), "{lived:?}");
    }
    assert_eq!((seat.done, session.unexpected), (800, 0));
    session
}

const WHOLE: Offers = Offers { transactions: true, parts_of_changed: true };
const UPSERT: &str = "{findAndModify: linktable, query: {_id: key24}, update: {$setOnInsert: {id1: #, link_type: #, id2: #}, \
                      $set: {visibility: 1, version: 0, time: #, data: bytes}}, upsert: true, fields: {_id: 0, visibility: 1}}";
const HIDE: &str = "{findAndModify: linktable, query: {_id: key24}, update: {$set: {visibility: 0}}, upsert: false, \
                    fields: {_id: 0, visibility: 1}}";

fn change(by: i64) -> String {
    format!(
        "{{update: counttable, updates: [{{q: {{_id: key16}}, u: {{$setOnInsert: {{id: #, link_type: #}}, \
         $inc: {{count: {by}L, version: 1L}}, $set: {{time: #}}}}, upsert: true}}]}}"
    )
}

/// What follows each command that is this one, as far as the end of its transaction; and the transaction was begun
/// before it.
fn after(session: &Scripted, command: &str) -> Vec<Vec<String>> {
    // Small ids are shown as numbers.
    let same = |line: &str| plain(line) == plain(command);
    let places = session.said.iter().enumerate().filter(|(_, line)| same(line)).map(|(place, _)| place);
    let ends = |from: usize| session.said[from..].iter().position(|line| line == "commit").expect("it is committed");
    let all = places.map(|place| {
        assert_eq!(session.said[place - 1], "begin");
        session.said[place + 1..place + 1 + ends(place + 1)].iter().map(|line| plain(line)).collect()
    });
    all.collect()
}

fn plain(line: &str) -> String {
    ["id1", "id2", "id", "link_type"].iter().fold(line.to_string(), |line, name| {
        ["1L", "2L"].iter().fold(line, |line, n| line.replace(&format!("{name}: {n}"), &format!("{name}: #")))
    })
}

#[test]
fn a_link_that_is_new_or_comes_back_is_counted_in_its_transaction_and_one_that_is_visible_is_not() {
    for (before, count) in [(None, vec![change(1)]), (Some(0), vec![change(1)]), (Some(1), vec![])] {
        let session = said(before, WHOLE);
        let all = after(&session, UPSERT);
        assert!(all.len() > 50 && all.iter().all(|follows| *follows == count), "{before:?}: {:?}", all[0]);
        let [inserted, _, again, ..] = session.facts;
        let many = all.len() as i64;
        assert_eq!(
            (inserted, again),
            match before {
                None => (many, 0),
                Some(0) => (0, many),
                Some(_) => (0, 0),
            }
        );
    }
}

#[test]
fn only_a_visible_link_is_counted_down_when_it_is_hidden() {
    for (before, count) in [(None, vec![]), (Some(0), vec![]), (Some(1), vec![change(-1)])] {
        let session = said(before, WHOLE);
        let all = after(&session, HIDE);
        assert!(all.len() > 10 && all.iter().all(|follows| *follows == count), "{before:?}: {:?}", all[0]);
        assert_eq!(session.facts[1], if before == Some(1) { all.len() as i64 } else { 0 });
    }
}

#[test]
fn a_server_that_answers_no_parts_is_not_asked_for_them() {
    let session = said(Some(1), Offers::default());
    assert!(session.said.iter().all(|line| !line.contains("fields:")));
}

#[test]
fn what_is_read_and_the_nodes_are_asked_for_as_in_the_fork() {
    let session = said(Some(1), WHOLE);
    let link = "{_id: 0, id1: 1, id2: 1, link_type: 1, visibility: 1, data: 1, time: 1, version: 1}";
    for wanted in [
        "{find: nodetable, filter: {}, sort: {_id: -1}, limit: 1, singleBatch: true, projection: {_id: 1}}".to_string(),
        format!(
            "{{find: linktable, filter: {{id1: #, link_type: #, time: {{$gte: 0L, $lte: #}}, visibility: 1}}, projection: {link}, \
             sort: {{time: -1}}, skip: 0L, limit: #, batchSize: #, singleBatch: true}}"
        ),
        format!("{{find: linktable, filter: {{_id: key24}}, limit: 1, singleBatch: true, projection: {link}}}"),
        "{find: counttable, filter: {_id: key16}, limit: 1, singleBatch: true, projection: {_id: 0, count: 1}}".into(),
        "{find: nodetable, filter: {_id: #}, limit: 1, singleBatch: true}".into(),
        "{insert: nodetable, documents: [{_id: #, type: 2048, version: 1L, time: 1700000000, data: bytes}]}".into(),
        "{delete: nodetable, deletes: [{q: {_id: #}, limit: 1}]}".into(),
    ] {
        let seconds = (memory::NOW_MS / 1000).to_string();
        let wanted = wanted.replace("1700000000", &seconds);
        assert!(session.said.contains(&wanted), "nobody said {wanted}, but for instance {:?}", &session.said[..20]);
    }
    let update = "{update: nodetable, updates: [{q: {_id: #}, u: {$set: {version: 2L, time: ";
    assert!(session.said.iter().any(|line| line.starts_with(update)));
}
