//! Hot path: what one operation of a member is, resolved from the parameters once, and the drawing of its statements in
//! sysbench's order: one table per group, then the values of each statement.

use super::groups::Groups;
use super::knobs::{count, flag};
use super::statement::{Kind, Quoted, Texts};
use crate::Parameters;
use crate::draw::{Distribution, Generator, strings};
use crate::session::Answer;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// How PostgreSQL is asked for the next id of a table; MySQL's family takes a 0 for it.
pub(super) const NEXT: &str = "DEFAULT";

/// A member of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    ReadOnly,
    ReadWrite,
    WriteOnly,
    /// One statement of this kind, without a transaction.
    Alone(Kind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Prepared,
    Text,
}

impl Form {
    pub fn of(parameters: &Parameters) -> Self {
        if parameters["protocol"].text() == Some("text") { Self::Text } else { Self::Prepared }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub tables: u64,
    pub rows: u64,
    pub range_size: u64,
    pub form: Form,
    pub transactions: bool,
    pub groups: Groups,
    /// A delete takes an insert of the same row along.
    pub paired: bool,
    pub distribution: Distribution,
    /// Every row is there whenever anybody looks: nothing is deleted, or it comes back within the same transaction.
    pub steady: bool,
}

/// One statement of an operation, its values drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub kind: Kind,
    pub table: u64,
    pub first: u64,
    /// The other end of a range, the `k` of an insert.
    pub last: u64,
    /// Which of the operation's texts it writes.
    pub text: u32,
}

impl Work {
    pub fn of(member: Member, parameters: &Parameters) -> Self {
        let rows = count(parameters, "rows");
        let counted = |kinds: &[Kind]| -> Vec<(Kind, u32)> {
            let of = |kind: &Kind| (*kind, count(parameters, knob(*kind)) as u32);
            kinds.iter().map(of).filter(|(_, count)| *count > 0).collect()
        };
        let writes = [Kind::IndexUpdate, Kind::NonIndexUpdate, Kind::Delete];
        let groups = match member {
            Member::ReadOnly => counted(&Kind::READS),
            Member::ReadWrite => counted(&[&Kind::READS[..], &writes].concat()),
            Member::WriteOnly => counted(&writes),
            Member::Alone(kind) => vec![(kind, 1)],
        };
        let is_alone = matches!(member, Member::Alone(_));
        let transactions = !is_alone && flag(parameters, "transactions");
        Self {
            tables: count(parameters, "tables"),
            rows,
            range_size: if groups.iter().any(|(kind, _)| kind.is_range()) {
                count(parameters, "range_size")
            } else {
                1
            },
            form: Form::of(parameters),
            transactions,
            steady: transactions || groups.iter().all(|(kind, _)| *kind != Kind::Delete),
            groups: Groups::of(groups, !is_alone),
            paired: !is_alone,
            distribution: Distribution::over(rows, parameters),
        }
    }

    /// The kinds that are said, an insert after its delete.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        let pair = |kind| (self.paired && kind == Kind::Delete).then_some(Kind::Insert);
        self.groups.iter().flat_map(move |(kind, _)| [Some(*kind), pair(*kind)]).flatten()
    }

    /// Draws one statement of a group into the operation, with its pair.
    pub fn draw(
        &self,
        kind: Kind,
        table: u64,
        generator: &mut Generator,
        steps: &mut Vec<Step>,
        texts: &mut Vec<Texts>,
    ) {
        let text = texts.len() as u32;
        let mut step = |kind, first, last| steps.push(Step { kind, table, first, last, text });
        let id = |generator: &mut Generator| self.distribution.draw(generator);
        match kind {
            Kind::Point | Kind::IndexUpdate => step(kind, id(generator), 0),
            Kind::Simple | Kind::Sum | Kind::Order | Kind::Distinct => {
                let first = id(generator);
                step(kind, first, first + self.range_size - 1);
            }
            Kind::NonIndexUpdate => {
                texts.push(Texts { c: strings::c(generator), pad: [0; strings::PAD] });
                step(kind, id(generator), 0);
            }
            Kind::Delete if !self.paired => step(kind, id(generator), 0),
            Kind::Delete => {
                let (id, k) = (id(generator), id(generator));
                step(Kind::Delete, id, 0);
                step(Kind::Insert, id, k);
                texts.push(Texts { c: strings::c(generator), pad: strings::pad(generator) });
            }
            // Alone it takes the next id of the table.
            Kind::Insert => {
                step(kind, 0, id(generator));
                texts.push(Texts { c: strings::c(generator), pad: strings::pad(generator) });
            }
        }
    }
}

/// The parameter that counts statements of this kind.
fn knob(kind: Kind) -> &'static str {
    match kind {
        Kind::Delete | Kind::Insert => "delete_inserts",
        Kind::Point
        | Kind::Simple
        | Kind::Sum
        | Kind::Order
        | Kind::Distinct
        | Kind::IndexUpdate
        | Kind::NonIndexUpdate => kind.name(),
    }
}

impl Step {
    /// Replaces `sql` by the statement with its values; `next` asks for the next id of the table by a word.
    pub fn write(&self, texts: &[Texts], sql: &mut String, next: bool) {
        let (c, pad) = texts.get(self.text as usize).map_or((&[][..], &[][..]), |t| (&t.c, &t.pad));
        let first: &dyn Display = if next { &NEXT } else { &self.first };
        self.kind.write(sql, self.table, [first, &self.last], [Quoted(c), Quoted(pad)]);
    }

    /// How many rows a table of rows 1 to `rows` must return.
    pub fn rows_expected(&self, work: &Work) -> RangeInclusive<u64> {
        let within = self.last.min(work.rows).saturating_sub(self.first) + 1;
        let least = |rows| if work.steady { rows } else { 0 };
        match self.kind {
            Kind::Point => least(1)..=1,
            Kind::Sum => 1..=1,
            Kind::Simple | Kind::Order => least(within)..=within,
            // Two rows may have the same text, or texts that their collation takes for the same.
            Kind::Distinct => least(1)..=within,
            Kind::IndexUpdate | Kind::NonIndexUpdate | Kind::Delete | Kind::Insert => 0..=0,
        }
    }

    /// Whether the answer is what a correct server gives.
    pub fn is_answered_by(&self, answer: &Answer, work: &Work) -> bool {
        let changed = match self.kind {
            Kind::Point | Kind::Simple | Kind::Sum | Kind::Order | Kind::Distinct => {
                return self.rows_expected(work).contains(&answer.rows);
            }
            Kind::Insert => 1..=1,
            Kind::IndexUpdate | Kind::NonIndexUpdate | Kind::Delete => u64::from(work.steady)..=1,
        };
        answer.rows == 0 && changed.contains(&answer.affected)
    }
}
