//! Hot path: commands as bytes: the nested slices of a workload, and behind them the marks by which a server knows its
//! session and its transaction.

use crate::backends::random::random;
use wire::mongodb::{Name, Writer};
use workload::session::Fault;
use workload::session::documents::{Fields, Value};

pub(crate) fn fields(fields: Fields<'_>, out: &mut Writer<'_>) {
    for (name, value) in fields {
        one(Name::Field(name), value, out);
    }
}

fn one(name: Name<'_>, value: &Value<'_>, out: &mut Writer<'_>) {
    match value {
        Value::Flag(truth) => out.boolean(name, *truth),
        Value::Int32(n) => out.int32(name, *n),
        Value::Int64(n) => out.int64(name, *n),
        Value::Text(text) => out.text(name, text),
        Value::Bytes(bytes) => out.bytes(name, bytes),
        Value::Document(inner) => {
            let mut document = out.document(name);
            fields(inner, &mut document);
            document.end();
        }
        Value::Array(values) => {
            let mut array = out.array(name);
            for (place, value) in values.iter().enumerate() {
                one(Name::At(place), value, &mut array);
            }
            array.end();
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transaction {
    None,
    /// The next command is its first.
    Begun,
    Open,
}

/// Who says it, and in which transaction.
pub(crate) struct Marks {
    /// A UUID, drawn by the client.
    session: [u8; 16],
    number: i64,
    pub transaction: Transaction,
}

impl Marks {
    pub fn new() -> Result<Self, Fault> {
        Ok(Self { session: random()?, number: 0, transaction: Transaction::None })
    }

    pub fn begin(&mut self) {
        self.number += 1;
        self.transaction = Transaction::Begun;
    }

    /// Behind a command's own fields; nothing outside of a transaction.
    pub fn write(&mut self, out: &mut Writer<'_>) {
        if self.transaction == Transaction::None {
            return;
        }
        let mut id = out.document("lsid");
        id.uuid("id", &self.session);
        id.end();
        out.int64("txnNumber", self.number);
        if self.transaction == Transaction::Begun {
            out.boolean("startTransaction", true);
        }
        out.boolean("autocommit", false);
        self.transaction = Transaction::Open;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::mongodb::{Document, Value as Read};

    fn written(marks: &mut Marks) -> Vec<String> {
        let mut bytes = Vec::new();
        let mut out = Writer::new(&mut bytes);
        marks.write(&mut out);
        out.end();
        let document = Document::parse(&bytes).expect("it was just written");
        let told = |field: Result<(&str, Read<'_>), wire::mongodb::Malformed>| match field.expect("well formed") {
            (name, Read::Int64(n)) => format!("{name} {n}"),
            (name, Read::Boolean(truth)) => format!("{name} {truth}"),
            (name, _) => name.to_string(),
        };
        document.fields().map(told).collect()
    }

    #[test]
    fn a_transaction_is_started_by_its_first_command_and_its_number_is_its_own() {
        let mut marks = Marks { session: [7; 16], number: 0, transaction: Transaction::None };
        assert_eq!(written(&mut marks), [] as [&str; 0]);
        marks.begin();
        assert_eq!(written(&mut marks), ["lsid", "txnNumber 1", "startTransaction true", "autocommit false"]);
        assert_eq!(written(&mut marks), ["lsid", "txnNumber 1", "autocommit false"]);
        marks.begin();
        assert_eq!(written(&mut marks)[1..3], ["txnNumber 2", "startTransaction true"]);
    }
}
