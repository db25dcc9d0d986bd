//! The session by which the lab itself talks to a store of documents, over a blocking socket: commands and replies as
//! JSON, because nobody hurries here. Whatever JSON lacks is told as its type. Every answer has a time limit.

use super::opening::{Conversation, DocumentEndpoint, Opening, Store, dial};
use crate::backends::channel::Channel;
use crate::backends::faults::{lost, protocol};
use crate::backends::opening::{connecting, opened};
use crate::executor::block_on;
use crate::os::address::Address;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::time::Duration;
use wire::mongodb::{Document, Malformed, Name, Value, Writer};
use workload::session::Fault;
use workload::session::documents::Offers;

/// A schema that nobody has.
const NOWHERE: &str = "assay_nowhere";

pub struct Control {
    channel: Channel,
    mechanism: Option<&'static str>,
    number: i32,
    schema: String,
}

impl Control {
    pub fn connect(endpoint: &DocumentEndpoint, patience: Duration) -> Result<Self, Fault> {
        let address = &endpoint.store.address;
        let opening = Opening { endpoint: endpoint.clone(), connect: connecting(address, patience) };
        let conversation = opened(address, patience, || block_on(dial(&opening)))?;
        let Conversation { channel, mechanism, .. } = conversation;
        channel.waits_at_most(patience);
        Ok(Self { channel, mechanism, number: 0, schema: endpoint.schema.clone() })
    }

    /// By which the server let the account in; `None` without one.
    pub fn mechanism(&self) -> Option<&'static str> {
        self.mechanism
    }

    /// Version and cipher of TLS, `None` in the clear.
    pub fn cipher(&self) -> Option<(String, String)> {
        self.channel.cipher()
    }

    /// A reply that says it was done.
    pub fn ask(&mut self, command: &Json) -> Result<Json, Fault> {
        let schema = self.schema.clone();
        self.said(|out| {
            for (name, value) in command.as_object().into_iter().flatten() {
                write(Name::Field(name), value, out);
            }
            out.text("$db", &schema);
        })
    }

    /// The same for a command that is written with its own types; its schema is added.
    pub fn say(&mut self, command: impl FnOnce(&mut Writer<'_>)) -> Result<Json, Fault> {
        let schema = self.schema.clone();
        self.said(|out| {
            command(out);
            out.text("$db", &schema);
        })
    }

    fn said(&mut self, command: impl FnOnce(&mut Writer<'_>)) -> Result<Json, Fault> {
        self.number += 1;
        wire::mongodb::request(self.channel.outgoing(), self.number, command);
        block_on(self.channel.exchange()).map_err(|e| lost(&e))?;
        loop {
            if let Some(heard) = wire::mongodb::hear(self.channel.incoming()).map_err(protocol)? {
                let reply = document(heard.body).map_err(protocol)?;
                let consumed = heard.consumed;
                self.channel.consume(consumed);
                return done(reply);
            }
            block_on(self.channel.receive()).map_err(|e| lost(&e))?;
        }
    }

    /// Every document that a `find` or an `aggregate` gives, batch by batch.
    pub fn all(&mut self, command: &Json) -> Result<Vec<Json>, Fault> {
        let mut reply = self.ask(command)?;
        let collection = command.as_object().and_then(|c| c.values().next()).cloned().unwrap_or_default();
        let mut all = Vec::new();
        loop {
            let cursor = &mut reply["cursor"];
            for batch in ["firstBatch", "nextBatch"] {
                all.extend(cursor[batch].as_array_mut().map(std::mem::take).unwrap_or_default());
            }
            match cursor["id"].as_i64() {
                None | Some(0) => return Ok(all),
                Some(id) => reply = self.ask(&json!({ "getMore": id, "collection": collection }))?,
            }
        }
    }

    /// A question of an audit: one number, or, of two commands, the keys whose numbers differ.
    pub fn question(&mut self, text: &str) -> Result<i64, String> {
        let command: Json = serde_json::from_str(text).map_err(|e| format!("{text}: {e}"))?;
        let told = |fault: Fault| fault.to_string();
        if let Some([one, other]) = command.as_array().map(Vec::as_slice) {
            let (one, other) = (self.numbers(one).map_err(told)?, self.numbers(other).map_err(told)?);
            let of = |all: &BTreeMap<String, i64>, key: &str| all.get(key).copied().unwrap_or(0);
            let keys: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            return Ok(keys.into_iter().filter(|key| of(&one, key) != of(&other, key)).count() as i64);
        }
        if command.get("count").is_some() {
            return self.ask(&command).map_err(told)?["n"].as_i64().ok_or_else(|| "no number was told".into());
        }
        // A sum over nothing is none.
        Ok(self.all(&command).map_err(told)?.first().map_or(0, |sum| whole(&sum["n"])))
    }

    fn numbers(&mut self, command: &Json) -> Result<BTreeMap<String, i64>, Fault> {
        Ok(self.all(command)?.iter().map(|group| (group["_id"].to_string(), whole(&group["n"]))).collect())
    }

    /// What this server has: transactions where it is one of a set, and parts of what was changed where it takes a
    /// command that asks for them.
    pub fn offers(&mut self) -> Result<Offers, Fault> {
        let hello = self.ask(&json!({ "hello": 1 }))?;
        let schema = std::mem::replace(&mut self.schema, NOWHERE.into());
        let asked = json!({
            "findAndModify": "nothing", "query": { "_id": 0 }, "remove": true, "fields": { "_id": 1 }
        });
        let parts = self.ask(&asked);
        self.schema = schema;
        let parts_of_changed = match parts {
            Ok(_) => true,
            Err(Fault::Server { .. }) => false,
            Err(fault) => return Err(fault),
        };
        let in_a_set = hello.get("setName").is_some() || hello["msg"] == "isdbgrid";
        Ok(Offers { transactions: in_a_set, parts_of_changed })
    }
}

/// Whether such a server answers there.
pub fn answers(address: Address, patience: Duration) -> bool {
    let endpoint = DocumentEndpoint { store: Store::open(address), schema: NOWHERE.into(), offers: Offers::default() };
    Control::connect(&endpoint, patience).is_ok()
}

fn whole(number: &Json) -> i64 {
    number.as_i64().or_else(|| number.as_f64().map(|x| x as i64)).unwrap_or(0)
}

/// A reply that says why nothing was done is a fault.
fn done(reply: Json) -> Result<Json, Fault> {
    let told = reply["writeErrors"].get(0).unwrap_or(&reply);
    if whole(&reply["ok"]) == 1 && reply.get("writeErrors").is_none() {
        return Ok(reply);
    }
    let text = |name: &str| told[name].as_str().unwrap_or_default();
    let message = format!("{} ({}): {}", text("codeName"), whole(&told["code"]), text("errmsg"));
    Err(Fault::Server { code: 1105, state: *b"HY000", message })
}

fn write(name: Name<'_>, value: &Json, out: &mut Writer<'_>) {
    match value {
        Json::Null => out.null(name),
        Json::Bool(truth) => out.boolean(name, *truth),
        Json::Number(number) => match number.as_i64() {
            Some(n) => match i32::try_from(n) {
                Ok(n) => out.int32(name, n),
                Err(_) => out.int64(name, n),
            },
            None => out.double(name, number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => out.text(name, text),
        Json::Array(values) => {
            let mut array = out.array(name);
            values.iter().enumerate().for_each(|(place, value)| write(Name::At(place), value, &mut array));
            array.end();
        }
        Json::Object(fields) => {
            let mut inner = out.document(name);
            fields.iter().for_each(|(name, value)| write(Name::Field(name), value, &mut inner));
            inner.end();
        }
    }
}

fn document(document: Document<'_>) -> Result<Json, Malformed> {
    let pairs: Result<Map<String, Json>, Malformed> = document
        .fields()
        .map(|field| field.and_then(|(name, value)| Ok((name.to_string(), json_of(value)?))))
        .collect();
    Ok(Json::Object(pairs?))
}

fn json_of(value: Value<'_>) -> Result<Json, Malformed> {
    Ok(match value {
        Value::Double(x) => json!(x),
        Value::Text(text) => json!(text),
        Value::Document(inner) => document(inner)?,
        Value::Array(inner) => {
            Json::Array(inner.fields().map(|f| f.and_then(|(_, v)| json_of(v))).collect::<Result<_, _>>()?)
        }
        Value::Bytes(bytes) => json!(bytes.iter().map(|b| format!("{b:02X}")).collect::<String>()),
        Value::Boolean(truth) => json!(truth),
        Value::Null => Json::Null,
        Value::Int32(n) => json!(n),
        Value::Int64(n) => json!(n),
        Value::Other(kind) => json!({ "$type": kind }),
    })
}
