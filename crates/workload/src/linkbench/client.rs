//! Hot path: one user: draws an operation and carries it out statement by statement, branching where LinkBench branches
//! on what the server answers, and looks at every answer. What it keeps besides are the ends of lists that were full,
//! from which it sometimes reads on.

use super::audit::{FOUND, HIDDEN, HISTORY, INSERTED, MISSED, NODES_ADDED, NODES_DELETED, SHOWN_AGAIN};
use super::ends::{Ends, ListEnd};
use super::look;
use super::mix::Kind;
use super::postgresql;
use super::statement::{COMMIT, Form, ROLLBACK, Sentence, TIME_COLUMN};
use super::statement_runner::{Around, StatementRunner};
use super::work::{Dialect, Drawn, Habits, Work};
use crate::draw::Generator;
use crate::session::{Answer, Class, Fault, Param, Sql, Want};
use crate::user::{End, Operation, User};
use model::seed::Seed;
use std::ops::RangeInclusive;

/// ER_DUP_ENTRY: there is such a link.
const DUPLICATE: u32 = 1062;
/// Between insert and update the fork goes back and forth while others add and delete the same link.
const TURNS: u32 = 1000;

pub(super) struct Client {
    work: Work,
    habits: Habits,
    generator: Generator,
    drawn: Drawn,
    runner: StatementRunner,
    ends: Ends,
    /// Operations so far: now and then one is looked at closely.
    count: u64,
}

fn int(number: u64) -> Param<'static> {
    // Ids, times and types all lie below 2^63.
    Param::Int(number as i64)
}

/// Counts an answer that a correct server does not give.
fn expect(session: &mut (dyn Sql + '_), class: Class, answer: &Answer, affected: RangeInclusive<u64>) {
    if !affected.contains(&answer.affected) {
        session.unexpected(class);
    }
}

impl Client {
    pub fn new(work: Work, seed: Seed, number: u32, users: u32) -> Self {
        let mut generator = Generator::new(seed);
        Self {
            habits: Habits::of(&work, number, users, &mut generator),
            generator,
            drawn: Drawn::nothing(),
            runner: StatementRunner::new(work.prepared, work.hinted),
            ends: Ends::none(),
            count: 0,
            work,
        }
    }

    /// LinkBench's way to add a link, and to update one.
    async fn upsert(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let Drawn { id, link_type, unix_ms, ref ids, ref bytes, .. } = self.drawn;
        let (id1, id2, kind, now) = (int(id), int(ids[0]), int(link_type), int(unix_ms));
        let runner = &mut self.runner;
        let row = [id1, id2, kind, Param::Bytes(bytes), now];
        // 1 is a new row, 2 one that was hidden, 0 one that was there.
        let answer = runner.upsert(session, &row).await?;
        expect(session, Sentence::UpsertLink.classes().0, &answer, 0..=2);
        if answer.affected > 0 {
            let around = if answer.affected == 1 { Around::Commit } else { Around::Nothing };
            runner.say(session, Sentence::CountUp, &[id1, kind, now, now], around, Want::Count).await?;
        }
        if answer.affected != 1 {
            let row = [Param::Bytes(bytes), now, id1, id2, kind];
            let written = runner.say(session, Sentence::WriteLink, &row, Around::Commit, Want::Count).await?;
            expect(session, Sentence::WriteLink.classes().0, &written, 0..=1);
        }
        match answer.affected {
            0 => {}
            1 => session.count(INSERTED, 1),
            _ => session.count(SHOWN_AGAIN, 1),
        }
        Ok(())
    }

    /// The fork's way, which begins with the one that is more likely to be right.
    async fn insert_else_update(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let mut inserts = self.drawn.kind == Kind::AddLink;
        for _ in 0..TURNS {
            let done = if inserts { self.insert(session).await? } else { self.update(session).await? };
            if done {
                return Ok(());
            }
            session.query(ROLLBACK, "ROLLBACK").await?;
            inserts = !inserts;
        }
        Err(Fault::Protocol(format!("after {TURNS} turns a link is neither there nor absent")))
    }

    /// False when there is such a link.
    async fn insert(&mut self, session: &mut (dyn Sql + '_)) -> Result<bool, Fault> {
        let Drawn { id, link_type, unix_ms, ref ids, ref bytes, .. } = self.drawn;
        let (id1, kind, now) = (int(id), int(link_type), int(unix_ms));
        let runner = &mut self.runner;
        let row = [id1, int(ids[0]), kind, Param::Bytes(bytes), now];
        match runner.say(session, Sentence::InsertLink, &row, Around::Begin, Want::Count).await {
            Err(fault) if fault.number() == DUPLICATE => return Ok(false),
            other => other?,
        };
        runner.say(session, Sentence::CountUp, &[id1, kind, now, now], Around::Commit, Want::Count).await?;
        session.count(INSERTED, 1);
        Ok(true)
    }

    /// False when there is no such link.
    async fn update(&mut self, session: &mut (dyn Sql + '_)) -> Result<bool, Fault> {
        let Some(visible) = self.lock(session).await? else { return Ok(false) };
        let Drawn { id, link_type, unix_ms, ref ids, ref bytes, .. } = self.drawn;
        let (id1, kind, now) = (int(id), int(link_type), int(unix_ms));
        let runner = &mut self.runner;
        let row = [Param::Bytes(bytes), now, id1, int(ids[0]), kind];
        let around = if visible { Around::Commit } else { Around::Nothing };
        runner.say(session, Sentence::WriteLink, &row, around, Want::Count).await?;
        if !visible {
            let changed = [Param::Int(1), now, id1, kind];
            let answer = runner.say(session, Sentence::ChangeCount, &changed, Around::Commit, Want::Count).await?;
            expect(session, Sentence::ChangeCount.classes().0, &answer, 1..=1);
            session.count(SHOWN_AGAIN, 1);
        }
        Ok(true)
    }

    /// Locks the link at hand and says whether it is visible; `None` where there is none.
    async fn lock(&mut self, session: &mut (dyn Sql + '_)) -> Result<Option<bool>, Fault> {
        let Drawn { id, link_type, ref ids, .. } = self.drawn;
        let key = [int(id), int(ids[0]), int(link_type)];
        self.runner.say(session, Sentence::LockLink, &key, Around::Begin, Want::Keep).await?;
        let found = session.kept();
        Ok(if found.rows() == 0 { None } else { found.int(0, 0).map(|visibility| visibility != 0) })
    }

    /// A link is deleted by hiding it.
    async fn delete(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let visible = self.lock(session).await?.unwrap_or(false);
        let Drawn { id, link_type, unix_ms, ref ids, .. } = self.drawn;
        let (id1, id2, kind, now) = (int(id), int(ids[0]), int(link_type), int(unix_ms));
        let runner = &mut self.runner;
        if visible {
            let answer =
                runner.say(session, Sentence::HideLink, &[id1, id2, kind], Around::Nothing, Want::Count).await?;
            expect(session, Sentence::HideLink.classes().0, &answer, 1..=1);
            match self.work.dialect {
                Dialect::Upserts => {
                    let row = [id1, kind, now, now];
                    runner.say(session, Sentence::CountDown, &row, Around::Nothing, Want::Count).await?;
                }
                Dialect::InsertElseUpdate => {
                    let row = [Param::Int(-1), now, id1, kind];
                    let answer = runner.say(session, Sentence::ChangeCount, &row, Around::Nothing, Want::Count).await?;
                    expect(session, Sentence::ChangeCount.classes().0, &answer, 1..=1);
                }
            }
        }
        match self.work.dialect {
            Dialect::InsertElseUpdate if !visible => session.query(ROLLBACK, "ROLLBACK").await?,
            Dialect::InsertElseUpdate | Dialect::Upserts => session.query(COMMIT, "COMMIT").await?,
        };
        session.count(HIDDEN, i64::from(visible));
        Ok(())
    }

    /// Visible links of one node and type, the newest first.
    async fn list(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let Drawn { mut id, mut link_type, history, loaded, .. } = self.drawn;
        let limit = self.work.range_limit;
        let (mut until, mut skipped) = (i64::MAX as u64, 0);
        if let Some(end) = history.then(|| self.ends.draw(&mut self.generator)).flatten() {
            (id, link_type, until, skipped) = (end.id, end.link_type, end.time, 1);
        }
        let params = [int(id), int(link_type), int(until), int(skipped), int(limit)];
        let want = look::worth_keeping(loaded, limit, self.count);
        let answer = self.runner.say(session, Sentence::GetLinksList, &params, Around::Nothing, want).await?;
        session.count(HISTORY, skipped as i64);
        let orderly = want == Want::Count || look::is_a_list(session.kept(), id, link_type, until);
        if answer.rows > limit || !orderly {
            session.unexpected(Sentence::GetLinksList.classes().0);
        }
        if want != Want::Count && answer.rows == limit && skipped == 0 {
            let last = session.kept().rows() - 1;
            let time = session.kept().int(last, TIME_COLUMN).unwrap_or(0) as u64;
            self.ends.remember(ListEnd { id, link_type, time }, &mut self.generator);
        }
        Ok(())
    }

    async fn multiget(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let Drawn { id, link_type, ref ids, .. } = self.drawn;
        let answer = self.runner.multiget(session, id, link_type, ids, Want::Keep).await?;
        if answer.rows > ids.len() as u64 || !look::are_among(session.kept(), id, link_type, ids) {
            session.unexpected(super::statement::MULTIGET);
        }
        session.count(FOUND, answer.rows as i64);
        session.count(MISSED, ids.len() as i64 - answer.rows as i64);
        Ok(())
    }

    async fn on_node(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let Drawn { kind, id, unix_ms, ref bytes, .. } = self.drawn;
        let (id, now, data) = (int(id), int(unix_ms / 1000), Param::Bytes(bytes));
        let mut params = [id; 3];
        let (sentence, given, affected) = match kind {
            Kind::AddNode => {
                params[..2].copy_from_slice(&[now, data]);
                (Sentence::AddNode, 2, 1..=1)
            }
            Kind::UpdateNode => {
                params[..2].copy_from_slice(&[now, data]);
                (Sentence::UpdateNode, 3, 0..=1)
            }
            Kind::DeleteNode => (Sentence::DeleteNode, 1, 0..=1),
            Kind::GetNode => (Sentence::GetNode, 1, 0..=0),
            Kind::AddLink
            | Kind::DeleteLink
            | Kind::UpdateLink
            | Kind::CountLinks
            | Kind::MultigetLinks
            | Kind::GetLinksList => unreachable!("{kind:?} is about links"),
        };
        let answer = self.runner.say(session, sentence, &params[..given], Around::Nothing, Want::Keep).await?;
        expect(session, sentence.classes().0, &answer, affected);
        session.count(NODES_ADDED, if kind == Kind::AddNode { answer.affected as i64 } else { 0 });
        session.count(NODES_DELETED, if kind == Kind::DeleteNode { answer.affected as i64 } else { 0 });
        if kind == Kind::GetNode && !look::is_node(session.kept(), self.drawn.id) {
            session.unexpected(sentence.classes().0);
        }
        Ok(())
    }

    async fn count_links(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let params = [int(self.drawn.id), int(self.drawn.link_type)];
        let answer = self.runner.say(session, Sentence::CountLinks, &params, Around::Nothing, Want::Count).await?;
        if answer.rows > 1 {
            session.unexpected(Sentence::CountLinks.classes().0);
        }
        Ok(())
    }
}

impl User for Client {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let dialect = self.work.dialect;
        self.runner.begin(session, Sentence::ALL.into_iter().filter(|s| s.is_of(dialect))).await
    }

    fn choose(&mut self) -> Operation {
        self.count += 1;
        self.drawn.draw(&self.work, &self.habits, &mut self.generator);
        if self.runner.form() == Form::PostgreSql && self.drawn.kind.has_bytes() {
            postgresql::written(&mut self.drawn.bytes);
        }
        Operation(self.drawn.kind as u16)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        if self.drawn.unix_ms == 0 {
            self.drawn.unix_ms = session.unix_ms();
        }
        match self.drawn.kind {
            Kind::AddLink | Kind::UpdateLink => match self.work.dialect {
                Dialect::Upserts => self.upsert(session).await?,
                Dialect::InsertElseUpdate => self.insert_else_update(session).await?,
            },
            Kind::DeleteLink => self.delete(session).await?,
            Kind::CountLinks => self.count_links(session).await?,
            Kind::MultigetLinks => self.multiget(session).await?,
            Kind::GetLinksList => self.list(session).await?,
            Kind::AddNode | Kind::UpdateNode | Kind::DeleteNode | Kind::GetNode => self.on_node(session).await?,
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        Some(ROLLBACK)
    }
}
