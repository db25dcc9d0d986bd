//! Keys and values in every protocol: the same keys, drawn in the same way, asked of SQL by prepared statements, of
//! memcached's protocol (the cache itself, or InnoDB's plugin) and of HandlerSocket. What a value must be follows from
//! its key and from who wrote it last, so that answers are compared byte for byte; a key that is not there is an error,
//! because no key is missing. Members that only read leave their data as they are; the mixes write. Not here: expiry,
//! counters, and eviction, which make a store forget.

mod by_key;
mod by_sql;
mod knobs;
mod sizes;
mod table;
pub mod value;
mod work;

pub use sizes::Sizes;
pub use table::{COLUMNS, TABLE};

use crate::dataset::Dataset;
use crate::life::{KeyValueLife, Life, Living, Place, SqlLife};
use crate::session::key_value::KeyValue;
use crate::session::{Class, Fact, Sql};
use crate::user::{Seat, live};
use crate::{Doing, Parameters, Probe, Statement, Workload};
use model::words::Footprint;
use model::{Parameter, Protocol, Seed, WorkloadWords};
use std::borrow::Cow;
use std::sync::Arc;
use table::Pairs;
use work::Work;

/// One protocol, with writes or without.
struct Kv {
    name: &'static str,
    why: &'static str,
    writes: bool,
    protocols: &'static [Protocol],
    parameters: &'static [Parameter],
}

const fn kv(
    name: &'static str,
    why: &'static str,
    writes: bool,
    protocols: &'static [Protocol],
    parameters: &'static [Parameter],
) -> Kv {
    Kv { name, why, writes, protocols, parameters }
}

const SQL: &[Protocol] = &[Protocol::MySql, Protocol::PostgreSql];
const MEMCACHED: &[Protocol] = &[Protocol::Memcached];
const HANDLERSOCKET: &[Protocol] = &[Protocol::HandlerSocket];

const MEMBERS: [Kv; 6] = [
    kv("kv.sql", "rows by key through prepared statements", false, SQL, knobs::SQL),
    kv("kv.memcached", "values by key through memcached's protocol", false, MEMCACHED, knobs::MEMCACHED),
    kv("kv.handlersocket", "rows by key through HandlerSocket", false, HANDLERSOCKET, knobs::HANDLERSOCKET),
    kv("kv.sql_mix", "the same with updates between", true, SQL, knobs::SQL_MIX),
    kv("kv.memcached_mix", "the same with sets between", true, MEMCACHED, knobs::MEMCACHED_MIX),
    kv("kv.handlersocket_mix", "the same with updates between", true, HANDLERSOCKET, knobs::HANDLERSOCKET_MIX),
];

const GET: Class = Class(0);
const SET: Class = Class(1);
const PREPARE: Class = Class(2);
const STATEMENTS: &[Statement] = &[
    Statement { name: "get", doing: Doing::Read },
    Statement { name: "set", doing: Doing::Write },
    Statement { name: "prepare", doing: Doing::Plumbing },
];

/// Keys that were not there, values that were compared, and those of them that were not what was written.
const MISSES: Fact = Fact(0);
const VERIFIED: Fact = Fact(1);
const WRONG: Fact = Fact(2);

impl Kv {
    fn is_sql(&self) -> bool {
        self.protocols[0].is_sql()
    }
}

impl Workload for Kv {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: self.name.into(),
            why: self.why,
            writes: self.writes,
            protocols: self.protocols,
            parameters: Parameter::ours(self.parameters),
            operations: &["batch"],
            footprint,
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        match self.is_sql() {
            true => Life::Sql(self),
            false => Life::KeyValue(self),
        }
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        STATEMENTS.into()
    }
    fn facts(&self) -> &'static [&'static str] {
        &["misses", "values_verified", "values_wrong"]
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, _: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(Pairs::of(parameters, engine)))
    }
    fn probes(&self, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        match self.is_sql() {
            true => by_sql::probes(&mut Work::of(parameters, seed.child("probes"), 0)),
            false => Vec::new(),
        }
    }
    fn session_setup(&self, _: &Parameters) -> Vec<String> {
        match self.is_sql() {
            true => vec!["SET NAMES 'latin1'".into()],
            false => Vec::new(),
        }
    }
}

impl SqlLife for Kv {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        let work = Work::of(place.parameters, place.own_seed(), place.number);
        Box::pin(live(by_sql::Client::new(work), session, seat))
    }
}

impl KeyValueLife for Kv {
    fn user<'a>(
        &self,
        place: Place<'_>,
        session: &'a mut (dyn KeyValue + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a> {
        let work = Work::of(place.parameters, place.own_seed(), place.number);
        Box::pin(by_key::live(by_key::Client::new(work), session, seat))
    }
}

fn footprint(parameters: &Parameters) -> Footprint {
    /// Headers of an InnoDB row, its key, and the free part of a page.
    const ROW_BYTES: u64 = 40;
    /// An empty table's files.
    const TABLE_BYTES: u64 = 1 << 17;
    let rows = knobs::count(parameters, "keys");
    Footprint { bytes: TABLE_BYTES + rows * (ROW_BYTES + Sizes::of(parameters).mean()), rows }
}

pub(crate) fn members() -> Vec<Arc<dyn Workload>> {
    MEMBERS.into_iter().map(|member| Arc::new(member) as Arc<dyn Workload>).collect()
}
