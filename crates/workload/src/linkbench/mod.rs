//! LinkBench: the social graph of Facebook as a workload: short lists of links, counters beside them, and nodes, with
//! hot spots that writes and reads share. Schema, id arithmetic, distributions, mixes and statements are the original's
//! (Armstrong et al., SIGMOD 2013), its defects included where everybody's numbers contain them; each of those is a
//! parameter. Not here: its second connection per user, and its retries without a rollback, which make counts drift.

mod access;
mod audit;
mod client;
mod collections;
mod data;
mod degrees;
mod ends;
mod graph;
mod java_random;
mod knobs;
mod look;
mod mix;
mod mongodb;
mod payload;
mod postgresql;
mod schema;
mod shuffle;
mod statement;
mod statement_runner;
mod work;

use crate::audit::Audit;
use crate::dataset::Dataset;
use crate::draw::Generator;
use crate::life::{Life, Living, Place, SqlLife};
use crate::session::{Param, Sql};
use crate::user::{Seat, live};
use crate::{Parameters, Probe, Statement, Workload};
use client::Client;
use data::{Data, FIRST_LINK_TYPE, LOADED_AT_MS};
use model::{Parameter, Protocol, Seed, WorkloadWords};
use statement::{Form, Sentence};
use std::borrow::Cow;
use std::sync::Arc;
use work::{Dialect, Work};

pub(crate) use graph::Graphs;

/// The parameter that names a user's Distribution.dat.
pub const DEGREES_FILE: &str = "degrees_file";

/// Users who speak SQL.
pub(crate) struct LinkBench(Graphs);

pub(crate) fn members() -> Vec<Arc<dyn Workload>> {
    over(&Graphs::default())
}

/// The members, with links per node out of these files too.
pub(crate) fn over(graphs: &Graphs) -> Vec<Arc<dyn Workload>> {
    vec![Arc::new(LinkBench(graphs.clone())), Arc::new(mongodb::MongoDb(graphs.clone()))]
}

impl Workload for LinkBench {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: "linkbench".into(),
            why: "LinkBench: a social graph of nodes and counted links, whose lists are read far more often than written",
            writes: true,
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Parameter::ours(knobs::ALL),
            operations: mix::OPERATIONS,
            footprint: data::footprint,
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        statement::STATEMENTS.into()
    }
    fn facts(&self) -> &'static [&'static str] {
        audit::FACTS
    }
    fn audit(&self, parameters: &Parameters) -> Audit {
        audit::of(parameters)
    }
    fn audit_in(&self, dialect: Protocol, parameters: &Parameters) -> Audit {
        let mut audit = self.audit(parameters);
        if dialect == Protocol::PostgreSql {
            audit.questions.iter_mut().flat_map(|q| &mut q.sql).for_each(|sql| *sql = postgresql::asked(sql));
        }
        audit
    }
    fn disclosures(&self, parameters: &Parameters) -> Vec<String> {
        knobs::disclosures(parameters, &self.0)
    }
    fn affected_are_rows(&self, _: &Parameters) -> bool {
        false
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, seed: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(Data::of(parameters, &self.0, engine, seed)))
    }
    fn probes(&self, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        self.probes_in(Protocol::MySql, parameters, seed)
    }
    fn probes_in(&self, dialect: Protocol, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        let work = Work::of(parameters, &self.0);
        let form = Form::of(dialect, work.hinted);
        let id = work.graph.shape.first_id + Generator::new(seed.child("probes")).below(work.graph.shape.nodes);
        Sentence::ALL.into_iter().filter(|s| s.is_of(work.dialect)).map(|s| probe(&work, s, form, id)).collect()
    }
}

impl SqlLife for LinkBench {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        Box::pin(live(
            Client::new(Work::of(place.parameters, &self.0), place.own_seed(), place.number, place.users),
            session,
            seat,
        ))
    }
}

/// The sentence about one node and its first type of links.
fn probe(work: &Work, sentence: Sentence, form: Form, id: u64) -> Probe {
    let (id, kind, now) = (Param::Int(id as i64), Param::Int(FIRST_LINK_TYPE as i64), Param::Int(LOADED_AT_MS as i64));
    let (seconds, data) = (Param::Int(LOADED_AT_MS as i64 / 1000), Param::Bytes(b"probe"));
    let params: &[Param<'_>] = match sentence {
        Sentence::UpsertLink => &[id, id, kind, data, now],
        // No loaded link leads there.
        Sentence::InsertLink => &[id, Param::Int(0), kind, data, now],
        Sentence::WriteLink => &[data, now, id, id, kind],
        Sentence::CountUp | Sentence::CountDown => &[id, kind, now, now],
        Sentence::LockLink | Sentence::HideLink => &[id, id, kind],
        Sentence::ChangeCount => &[Param::Int(1), now, id, kind],
        Sentence::CountLinks => &[id, kind],
        Sentence::GetLinksList => &[id, kind, Param::Int(i64::MAX), Param::Int(0), Param::Int(work.range_limit as i64)],
        Sentence::AddNode => &[seconds, data],
        Sentence::UpdateNode => &[seconds, data, id],
        Sentence::DeleteNode | Sentence::GetNode => &[id],
    };
    let mut sql = Vec::new();
    sentence.write(form, params, &mut sql);
    Probe {
        statement: statement::STATEMENTS[usize::from(sentence.classes().0.0)].name,
        sql: String::from_utf8(sql).expect("statements are ASCII"),
        rows: (sentence == Sentence::GetNode).then_some(1),
        writes: sentence.writes(),
    }
}

impl Sentence {
    /// Whether that dialect says it.
    fn is_of(self, dialect: Dialect) -> bool {
        match self {
            Self::UpsertLink | Self::CountDown => dialect == Dialect::Upserts,
            Self::InsertLink | Self::ChangeCount => dialect == Dialect::InsertElseUpdate,
            Self::WriteLink
            | Self::CountUp
            | Self::LockLink
            | Self::HideLink
            | Self::CountLinks
            | Self::GetLinksList
            | Self::AddNode
            | Self::UpdateNode
            | Self::DeleteNode
            | Self::GetNode => true,
        }
    }
    fn writes(self) -> bool {
        let class = usize::from(self.classes().0.0);
        statement::STATEMENTS[class].doing != crate::Doing::Read || self == Self::LockLink
    }
}
