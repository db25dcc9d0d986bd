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
use model::protocol::Protocol;
use model::seed::Seed;
use model::words::{Parameter, WorkloadWords};
use schema::{Begin, Data};
use statement::{Case, Past, Say};
use std::borrow::Cow;
use std::sync::Arc;
use step::{Step, Work};

pub struct Versioned {
    name: &'static str,
    why: &'static str,
    step: Step,
    operations: &'static [&'static str],
}

pub const CREATE: Versioned = Versioned {
    name: "versioned.create",
    why: "the tables made anew, empty and without history",
    step: Step::Create,
    operations: &["table_created"],
};
pub const INSERT: Versioned = Versioned {
    name: "versioned.insert",
    why: "the rows of an iteration, in the order of their ids, ten in a transaction",
    step: Step::Insert,
    operations: &["insert"],
};
pub const POINT_SELECTS: Versioned = Versioned {
    name: "versioned.point_selects",
    why: "current rows by primary key, ten in a transaction",
    step: Step::PointSelects,
    operations: &["point_selects"],
};
pub const RANGE_QUERIES: Versioned = Versioned {
    name: "versioned.range_queries",
    why: "sysbench's four kinds of ranges over current rows, eight in a transaction",
    step: Step::RangeQueries,
    operations: &["range_queries"],
};
pub const SECONDARY_SELECTS: Versioned = Versioned {
    name: "versioned.secondary_selects",
    why: "rows by the secondary key, which holds the history too, ten in a transaction",
    step: Step::SecondarySelects,
    operations: &["secondary_selects"],
};
pub const UPDATE_NON_INDEX: Versioned = Versioned {
    name: "versioned.update_non_index",
    why: "a column without index of ten current rows in a transaction",
    step: Step::UpdateNonIndex,
    operations: &["update_non_index"],
};
pub const UPDATE_INDEX: Versioned = Versioned {
    name: "versioned.update_index",
    why: "the indexed column of ten current rows in a transaction",
    step: Step::UpdateIndex,
    operations: &["update_index"],
};
pub const DELETES: Versioned = Versioned {
    name: "versioned.delete_all",
    why: "all current rows of a table in a single DELETE",
    step: Step::DeleteAll,
    operations: &["delete_all"],
};
pub const DELETE_HISTORY: Versioned = Versioned {
    name: "versioned.delete_history",
    why: "all history of a table in a single DELETE HISTORY; a plain table has none",
    step: Step::DeleteHistory,
    operations: &["delete_history"],
};
pub const MOMENT: Versioned = Versioned {
    name: "versioned.moment",
    why: "writes down the moment, for who reads history later",
    step: Step::Moment,
    operations: &["moment"],
};
pub const HISTORY: Versioned = Versioned {
    name: "versioned.history",
    why: "rows as they were at a moment of the run, and all their versions, held against what was current then",
    step: Step::History,
    operations: &["as_of_timestamp", "all_versions", "versions_between", "as_of_transaction"],
};
pub const ACCESS: Versioned = Versioned {
    name: "versioned.access",
    why: "questions about ids that are not current: never there, in history only, a range, an update, minimum and maximum",
    step: Step::Access,
    operations: &["never_there", "history_only", "range_outside", "update_outside", "min_max"],
};

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
    fn affected_are_rows(&self) -> bool {
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
            Step::Insert
            | Step::PointSelects
            | Step::RangeQueries
            | Step::SecondarySelects
            | Step::UpdateNonIndex
            | Step::UpdateIndex => {
                let client = Client::new(work, seed, number, users);
                Box::pin(live_by_turns(client, session, seat, Client::choose_turn))
            }
            Step::Create | Step::DeleteAll | Step::DeleteHistory | Step::Moment | Step::Access => {
                let alone = Alone::new(work, seed, number, users);
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
        Step::Access => {
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
        Step::Create
        | Step::Insert
        | Step::PointSelects
        | Step::RangeQueries
        | Step::SecondarySelects
        | Step::UpdateNonIndex
        | Step::UpdateIndex
        | Step::DeleteAll
        | Step::DeleteHistory
        | Step::Moment
        | Step::History => {}
    }
    probes
}

pub(crate) fn members() -> Vec<Arc<dyn Workload>> {
    vec![
        Arc::new(CREATE),
        Arc::new(INSERT),
        Arc::new(POINT_SELECTS),
        Arc::new(RANGE_QUERIES),
        Arc::new(SECONDARY_SELECTS),
        Arc::new(UPDATE_NON_INDEX),
        Arc::new(UPDATE_INDEX),
        Arc::new(DELETES),
        Arc::new(DELETE_HISTORY),
        Arc::new(MOMENT),
        Arc::new(HISTORY),
        Arc::new(ACCESS),
    ]
}
