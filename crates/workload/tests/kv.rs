//! What users of keys and values ask, and what they make of the answers, seen by a store that answers from memory: a
//! miss, a value of another key and a value that was cut off are each noticed, and an operation allocates nothing.

mod memory;

use memory::parameters;
use model::seed::Seed;
use model::value::Value;
use std::collections::BTreeMap;
use std::task::{Context, Poll, Waker};
use workload::Workloads;
use workload::kv::value;
use workload::life::{Life, Place};
use workload::rows::{Cell, KeptRows};
use workload::session::key_value::KeyValue;
use workload::session::{Answer, Class, Fact, Fault, Want};

/// A store in which something may be wrong.
#[derive(Default)]
struct Store {
    written: BTreeMap<u64, Vec<u8>>,
    /// It has nothing under this key.
    lacks: Option<u64>,
    /// Values lose their last byte.
    cuts: bool,
    asked: Vec<Vec<u64>>,
    sets: usize,
    unsent: Answer,
    kept: KeptRows,
    unexpected: [u64; 2],
    facts: [i64; 3],
}

impl KeyValue for Store {
    fn get(&mut self, _: Class, keys: &[u64], want: Want) {
        self.asked.push(keys.to_vec());
        for key in keys.iter().filter(|key| self.lacks != Some(**key)) {
            self.unsent.rows += 1;
            let mut text = Vec::new();
            value::write(&mut text, *key, value::LOADED, 119);
            let text = self.written.get(key).unwrap_or(&text);
            if want == Want::Keep {
                self.kept.push(Cell::UInt(*key));
                self.kept.push(Cell::Bytes(&text[..text.len() - usize::from(self.cuts)]));
            }
        }
    }
    fn set(&mut self, _: Class, key: u64, value: &[u8]) {
        self.sets += 1;
        self.unsent.affected += 1;
        self.written.insert(key, value.to_vec());
    }
    fn poll_answers(&mut self, _: &mut Context<'_>) -> Poll<Result<Answer, Fault>> {
        Poll::Ready(Ok(std::mem::take(&mut self.unsent)))
    }
    fn kept(&self) -> &KeptRows {
        &self.kept
    }
    fn unexpected(&mut self, class: Class, answers: u64) {
        self.unexpected[usize::from(class.0)] += answers;
        self.kept.clear(2);
    }
    fn count(&mut self, fact: Fact, amount: i64) {
        self.facts[usize::from(fact.0)] += amount;
        if fact == Fact(1) {
            self.kept.clear(2);
        }
    }
    fn start_reconnect(&mut self) {}
    fn poll_reconnect(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }
}

/// A life of that many batches against the store.
fn lived(name: &str, replaced: &[(&str, Value)], mut store: Store, batches: u32) -> Store {
    let workload = Workloads::built_in().by_name(name).unwrap();
    let parameters = parameters(&*workload, replaced);
    store.kept.clear(2);
    let mut seat = memory::turns(batches);
    let Life::KeyValue(life) = workload.life() else { panic!("it asks by key") };
    let place = Place { parameters: &parameters, seed: Seed(42), number: 0, users: 1 };
    let life = life.user(place, &mut store, &mut seat);
    let ended = Box::pin(life).as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(ended, Poll::Ready(Ok(()))));
    assert_eq!(seat.done, batches);
    store
}

#[test]
fn a_batch_is_as_deep_and_as_wide_as_it_is_said() {
    let replaced = [("depth", 4.into()), ("keys_per_get", 10.into()), ("keys", 1_000.into())];
    let store = lived("kv.memcached", &replaced, Store::default(), 25);
    assert_eq!(store.asked.len(), 100);
    assert!(store.asked.iter().all(|keys| keys.len() == 10 && keys.iter().all(|key| (1..=1_000).contains(key))));
    assert_eq!((store.unexpected, store.facts), ([0, 0], [0, (100 / 16) * 10, 0]));
}

#[test]
fn every_door_is_asked_for_the_same_keys() {
    let asked = |name| lived(name, &[], Store::default(), 50).asked;
    assert_eq!(asked("kv.memcached"), asked("kv.handlersocket"));
}

#[test]
fn a_miss_is_counted_and_expected_by_nobody() {
    let replaced = [("keys", 4.into())];
    let store = lived("kv.memcached", &replaced, Store { lacks: Some(3), ..Store::default() }, 400);
    let missed = store.asked.iter().filter(|keys| keys.contains(&3)).count() as u64;
    assert!(missed > 0);
    assert_eq!((store.facts[0], store.unexpected[0]), (missed as i64, missed));
}

#[test]
fn a_value_that_is_not_the_one_written_is_found_among_those_compared() {
    let store =
        lived("kv.handlersocket", &[("verify_every", 10.into())], Store { cuts: true, ..Store::default() }, 100);
    assert_eq!((store.facts, store.unexpected[0]), ([0, 10, 10], 10));
}

#[test]
fn what_a_mix_writes_it_knows_again() {
    let replaced = [("keys", 10.into()), ("set_percent", Value::Real(50.0)), ("verify_every", 1.into())];
    let store = lived("kv.memcached_mix", &replaced, Store::default(), 500);
    assert!(store.sets > 200 && store.written.len() == 10, "{} writes", store.sets);
    assert_eq!((store.facts[2], store.unexpected), (0, [0, 0]));
    assert_eq!(store.facts[1] as usize, store.asked.len());
}
