//! Values of fixed keys by their path, as plain types: what is said, or what the key's row has where nothing is.

use super::keys;
use crate::units::Nanos;
use crate::value::Value;
use std::collections::BTreeMap;

#[derive(Clone, Copy)]
pub(super) struct Get<'a>(pub &'a BTreeMap<String, Value>);

impl Get<'_> {
    pub fn text(self, path: &str) -> Option<String> {
        self.0.get(path).and_then(Value::text).map(str::to_string)
    }
    pub fn count(self, path: &str) -> Option<i64> {
        self.0.get(path).and_then(Value::count)
    }
    pub fn time(self, path: &str) -> Option<Nanos> {
        self.count(path).map(|n| Nanos(n.unsigned_abs()))
    }
    /// As it is said, or as its row has it.
    pub fn said_or_default(self, path: &str) -> Option<Value> {
        self.0.get(path).cloned().or_else(|| keys::default(path))
    }
    pub fn or_default<T>(self, path: &str, plain: impl Fn(&Value) -> Option<T>) -> T {
        self.said_or_default(path).as_ref().and_then(plain).expect("the key's row has a default")
    }
    pub fn count_or_default(self, path: &str) -> i64 {
        self.or_default(path, Value::count)
    }
    pub fn flag_or_default(self, path: &str) -> bool {
        self.or_default(path, Value::flag)
    }
    pub fn time_or_default(self, path: &str) -> Nanos {
        Nanos(self.count_or_default(path).unsigned_abs())
    }
    pub fn below(self, prefix: &str) -> BTreeMap<String, Value> {
        self.0
            .iter()
            .filter_map(|(path, value)| Some((path.strip_prefix(prefix)?.to_string(), value.clone())))
            .collect()
    }
}
