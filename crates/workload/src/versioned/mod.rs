//! System versioning: the OLTP tables with their history kept, and the steps that a study of it goes through again and
//! again: insert a set of rows, read it by both keys and in ranges, update each half of it, read again, delete all of
//! it. Steps are members of one family on one dataset, so that a run's phases name them; which rows are current follows
//! from the iteration. Not here: sysbench's other distributions, since the study chooses uniformly.

mod alone;
mod audit;
mod client;
mod extent;
mod history;
mod knobs;
mod look;
mod rows;
mod schema;
mod statement;
mod step;

use crate::audit::Audit;
use crate::dataset::Dataset;
use crate::draw::{Generator, strings};
use crate::life::{Life, Living, Place, SqlLife};
use crate::session::Sql;
use crate::user::{Seat, live, live_by_turns};
use crate::{Parameters, Probe, Statement, Workload};
use alone::Alone;
use client::Client;
use history::Historian;
use model::{Parameter, Protocol, Seed, WorkloadWords};
use schema::{Begin, Data};
use statement::{Case, Past, Say};
use std::borrow::Cow;
use std::sync::Arc;
use step::{Single, Step, Transaction, Work};

struct Versioned {
    name: &'static str,
    why: &'static str,
    step: Step,
    operations: &'static [&'static str],
}

const fn member(name: &'static str, why: &'static str, step: Step, operations: &'static [&'static str]) -> Versioned {
    Versioned { name, why, step, operations }
}

const MEMBERS: [Versioned; 12] = [
    member(
        "versioned.create",
        "the tables made anew, empty and without history",
        Step::Alone(Single::Create),
        &["table_created"],
    ),
    member(
        "versioned.insert",
        "the rows of an iteration, in the order of their ids, ten in a transaction",
        Step::Transactions(Transaction::Insert),
        &["insert"],
    ),
    member(
        "versioned.point_selects",
        "current rows by primary key, ten in a transaction",
        Step::Transactions(Transaction::PointSelects),
        &["point_selects"],
    ),
    member(
        "versioned.range_queries",
        "sysbench's four kinds of ranges over current rows, eight in a transaction",
        Step::Transactions(Transaction::RangeQueries),
        &["range_queries"],
    ),
    member(
        "versioned.secondary_selects",
        "rows by the secondary key, which holds the history too, ten in a transaction",
        Step::Transactions(Transaction::SecondarySelects),
        &["secondary_selects"],
    ),
    member(
        "versioned.update_non_index",
        "a column without index of ten current rows in a transaction",
        Step::Transactions(Transaction::UpdateNonIndex),
        &["update_non_index"],
    ),
    member(
        "versioned.update_index",
        "the indexed column of ten current rows in a transaction",
        Step::Transactions(Transaction::UpdateIndex),
        &["update_index"],
    ),
    member(
        "versioned.delete_all",
        "all current rows of a table in a single DELETE",
        Step::Alone(Single::DeleteAll),
        &["delete_all"],
    ),
    member(
        "versioned.delete_history",
        "all history of a table in a single DELETE HISTORY; a plain table has none",
        Step::Alone(Single::DeleteHistory),
        &["delete_history"],
    ),
    member(
        "versioned.moment",
        "writes down the moment, for who reads history later",
        Step::Alone(Single::Moment),
        &["moment"],
    ),
    member(
        "versioned.history",
        "rows as they were at a moment of the run, and all their versions, held against what was current then",
        Step::History,
        &["as_of_timestamp", "all_versions", "versions_between", "as_of_transaction"],
    ),
    member(
        "versioned.access",
        "questions about ids that are not current: never there, in history only, a range, an update, minimum and maximum",
        Step::Alone(Single::Access),
        &["never_there", "history_only", "range_outside", "update_outside", "min_max"],
    ),
];

impl Workload for Versioned {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: self.name.into(),
            why: self.why,
            writes: self.step.writes(),
            protocols: &[Protocol::MySql],
            parameters: Parameter::ours(self.step.parameters()),
            operations: self.operations,
            footprint: extent::footprint,
            grows: extent::of(self.step),
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        statement::STATEMENTS.into()
    }
    /// A versioned update writes a row that no client is told of.
    fn affected_are_rows(&self, _: &Parameters) -> bool {
        false
    }
    fn facts(&self) -> &'static [&'static str] {
        audit::FACTS
    }
    fn audit(&self, parameters: &Parameters) -> Audit {
        audit::of(parameters)
    }
    fn dataset(&self, parameters: &Parameters, engine: &str, _: Seed) -> Option<Box<dyn Dataset>> {
        Some(Box::new(Data::of(parameters, engine)))
    }
    fn probes(&self, parameters: &Parameters, seed: Seed) -> Vec<Probe> {
        probes(&Work::of(self.step, parameters), Begin::of(parameters), &mut Generator::new(seed.child("probes")))
    }
    fn session_setup(&self, parameters: &Parameters) -> Vec<String> {
        let mut setup = vec!["SET NAMES latin1".to_string()];
        match knobs::text(parameters, "time_zone") {
            // What the server begins with.
            "SYSTEM" => {}
            zone => setup.push(format!("SET time_zone = '{zone}'")),
        }
        setup
    }
}

impl SqlLife for Versioned {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        let Place { number, users, .. } = place;
        let (work, seed) = (Work::of(self.step, place.parameters), place.own_seed());
        match self.step {
            Step::Transactions(transaction) => {
                let client = Client::new(transaction, work, seed, number, users);
                Box::pin(live_by_turns(client, session, seat, Client::choose_turn))
            }
            Step::Alone(single) => {
                let alone = Alone::new(single, work, seed, number, users);
                Box::pin(live_by_turns(alone, session, seat, Alone::choose_turn))
            }
            Step::History => Box::pin(live(Historian::new(work, seed, number, users), session, seat)),
        }
    }
}

/// The statements of a step with values drawn, each kind once.
fn probes(work: &Work, begin: Begin, generator: &mut Generator) -> Vec<Probe> {
    let (set, table) = (work.set, 1 + generator.below(work.tables));
    let (id, first) = (set.draw(generator), set.draw_range(generator, work.range_size));
    let mut kinds = work.says.clone();
    kinds.dedup();
    let holds = begin != Begin::Empty;
    let of_says = kinds.into_iter().map(|say| {
        let values = match say {
            Say::Simple | Say::Sum | Say::Order | Say::Distinct => [first, first + work.range_size - 1],
            Say::Secondary => [1 + generator.below(set.rows), 0],
            // Behind every row that there will be in a run.
            Say::Insert => [u64::from(u32::MAX >> 1) - generator.below(set.rows), 1],
            Say::Point | Say::UpdateIndex | Say::UpdateNonIndex => [id, 0],
        };
        let texts = [strings::c(generator).to_vec(), strings::pad(generator).to_vec()];
        let quoted = texts.map(|text| format!("'{}'", String::from_utf8(text).expect("texts are ASCII")));
        let mut sql = String::new();
        work.write(say, &mut sql, table, values, quoted);
        let rows = match say {
            Say::Sum => Some(1),
            Say::Point => (holds && !work.all_versions).then_some(1),
            Say::Simple | Say::Order => (holds && !work.all_versions).then_some(work.range_size),
            Say::Distinct | Say::Secondary | Say::UpdateIndex | Say::UpdateNonIndex | Say::Insert => None,
        };
        Probe { statement: statement::name(say.class()), sql, rows, writes: say.writes() }
    });
    let mut probes: Vec<Probe> = of_says.collect();
    let mut alone = |class, writes, write: &dyn Fn(&mut String)| {
        let mut sql = String::new();
        write(&mut sql);
        probes.push(Probe { statement: statement::name(class), sql, rows: None, writes });
    };
    match work.step {
        Step::Alone(Single::Access) => {
            for case in Case::ALL {
                let outside = case.draw(work, generator);
                let last = outside + work.range_size - 1;
                alone(case.class(), case.writes(), &|sql| case.write(sql, table, outside, last));
            }
        }
        Step::History if work.variant.is_versioned() => {
            // No moment is known yet; one of any time is found in the same way.
            for past in [Past::AllVersions, Past::AsOfTimestamp] {
                alone(past.class(), false, &|sql| past.write(sql, table, id, Some(("2037-12-31 00:00:00", "0"))));
            }
        }
        Step::Transactions(_) | Step::Alone(_) | Step::History => {}
    }
    probes
}

pub(crate) fn members() -> Vec<Arc<dyn Workload>> {
    MEMBERS.into_iter().map(|member| Arc::new(member) as Arc<dyn Workload>).collect()
}
