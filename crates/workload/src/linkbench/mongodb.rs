//! The same graph and the same users over MongoDB's protocol, in the mapping of the fork's second store of 2020: keys
//! are `_id`s of big-endian numbers, a link and its counter change in one transaction, and one index serves lists.
//! Where that store says a command outside of the transaction that it opened for it, there is no transaction here. What
//! only tables have is no parameter.

mod client;
mod life;
mod questions;

use super::audit::FACTS;
use super::collections::{COUNTS, LINKS, NODES};
use super::data::{self, Data};
use super::graph::{Graph, Graphs};
use super::{knobs, mix};
use crate::audit::Audit;
use crate::dataset::Dataset;
use crate::life::{DocumentsLife, Life, Living, Place};
use crate::session::documents::Documents;
use crate::user::Seat;
use crate::{Doing, Parameters, Statement, Workload};
use client::Client;
use model::{Parameter, Protocol, Seed, WorkloadWords};
use std::borrow::Cow;

/// Users who ask for documents.
pub(super) struct MongoDb(pub Graphs);

const STATEMENTS: &[Statement] = &[
    Statement { name: "upsert_link", doing: Doing::Write },
    Statement { name: "hide_link", doing: Doing::Write },
    Statement { name: "change_count", doing: Doing::Write },
    Statement { name: "count_links", doing: Doing::Read },
    Statement { name: "get_link", doing: Doing::Read },
    Statement { name: "get_links_list", doing: Doing::Read },
    Statement { name: "add_node", doing: Doing::Write },
    Statement { name: "update_node", doing: Doing::Write },
    Statement { name: "delete_node", doing: Doing::Write },
    Statement { name: "get_node", doing: Doing::Read },
    Statement { name: "commit", doing: Doing::Commit },
    Statement { name: "abort", doing: Doing::Rollback },
    Statement { name: "last_node", doing: Doing::Plumbing },
];

impl Workload for MongoDb {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: "linkbench.mongodb".into(),
            why: "LinkBench over MongoDB's protocol, in the fork's mapping of 2020",
            writes: true,
            protocols: &[Protocol::MongoDb],
            parameters: Parameter::ours(&knobs::of_mongodb()),
            operations: mix::OPERATIONS,
            footprint: data::footprint,
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Documents(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        STATEMENTS.into()
    }
    fn facts(&self) -> &'static [&'static str] {
        FACTS
    }
    fn audit(&self, parameters: &Parameters) -> Audit {
        questions::of(knobs::graph(parameters))
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
}

impl DocumentsLife for MongoDb {
    fn user<'a>(
        &self,
        place: Place<'_>,
        session: &'a mut (dyn Documents + 'a),
        seat: &'a mut (dyn Seat + 'a),
    ) -> Living<'a> {
        let work = super::work::Work::of(place.parameters, &self.0);
        Box::pin(life::live(Client::new(work, place.own_seed(), place.number, place.users), session, seat))
    }
}

/// The `_id` of a link, and of a counter where it has no second end.
fn key<const N: usize, const BYTES: usize>(numbers: [u64; N]) -> [u8; BYTES] {
    let mut key = [0; BYTES];
    for (place, number) in key.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_be_bytes());
    }
    key
}

/// Where users' own nodes begin, when there are no later ones.
fn first_free(graph: &Graph) -> u64 {
    graph.shape.first_id + graph.shape.nodes
}
