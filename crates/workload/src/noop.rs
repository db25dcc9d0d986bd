//! The workload of the canary: prepared point selects against a sham server that answers from memory, so that what is
//! measured is this program itself. It is the very user of `oltp.point_selects` with nothing left to choose; no bytes
//! and no instructions differ on our side. There is no dataset, and on a real server it finds no table.

use crate::draw::Distribution;
use crate::life::{Life, Living, Place, SqlLife};
use crate::oltp::{Client, Form, Groups, Kind, STATEMENTS, Work};
use crate::session::Sql;
use crate::user::{Seat, live};
use crate::{Statement, Workload};
use model::words::Footprint;
use model::{Protocol, WorkloadWords};
use std::borrow::Cow;
use std::sync::Arc;

pub struct Noop;

/// sysbench's default, so that ids are as long as usual.
const ROWS: u64 = 10_000;

impl Workload for Noop {
    fn words(&self) -> WorkloadWords {
        WorkloadWords {
            name: "noop".into(),
            why: "point selects on the sham server: our own ceiling and floor",
            writes: false,
            protocols: &[Protocol::MySql, Protocol::PostgreSql],
            parameters: Vec::new(),
            operations: &["noop"],
            footprint: |_| Footprint::default(),
            grows: None,
        }
    }
    fn life(&self) -> Life<'_> {
        Life::Sql(self)
    }
    fn statements(&self) -> Cow<'_, [Statement<'_>]> {
        STATEMENTS.into()
    }
}

impl SqlLife for Noop {
    fn user<'a>(&self, place: Place<'_>, session: &'a mut (dyn Sql + 'a), seat: &'a mut (dyn Seat + 'a)) -> Living<'a> {
        let work = Work {
            tables: 1,
            rows: ROWS,
            range_size: 1,
            form: Form::Prepared,
            transactions: false,
            groups: Groups::of([(Kind::Point, 1)], false),
            paired: false,
            steady: true,
            distribution: Distribution::uniform(ROWS),
        };
        Box::pin(live(Client::new(work, place.own_seed()), session, seat))
    }
}

pub(crate) fn members() -> Vec<Arc<dyn Workload>> {
    vec![Arc::new(Noop)]
}
