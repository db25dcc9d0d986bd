//! Hot path: one user over MongoDB's protocol: draws as the one in SQL does, says commands, and looks at every answer.
//! Whether a link was there, and visible, is what its change answers of the document before; its counter follows in the
//! same transaction.

use super::super::audit::{FOUND, HIDDEN, HISTORY, INSERTED, MISSED, NODES_ADDED, NODES_DELETED, SHOWN_AGAIN};
use super::super::data::NODE_TYPE;
use super::super::ends::{Ends, ListEnd};
use super::super::look;
use super::super::mix::Kind;
use super::super::statement::TIME_COLUMN;
use super::super::work::{Drawn, Habits, Work};
use super::{COUNTS, LINKS, NODES, first_free, key};
use crate::draw::Generator;
use crate::session::documents::{Documents, Fields, Value};
use crate::session::{Answer, Class, Fault, Want};
use crate::user::Operation;
use Value::{Array, Bytes, Document, Flag, Int32, Int64, Text};
use model::seed::Seed;
use std::ops::RangeInclusive;

const UPSERT_LINK: Class = Class(0);
const HIDE_LINK: Class = Class(1);
const CHANGE_COUNT: Class = Class(2);
const COUNT_LINKS: Class = Class(3);
const GET_LINK: Class = Class(4);
const GET_LINKS_LIST: Class = Class(5);
const ADD_NODE: Class = Class(6);
const UPDATE_NODE: Class = Class(7);
const DELETE_NODE: Class = Class(8);
const GET_NODE: Class = Class(9);
const COMMIT: Class = Class(10);
const LAST_NODE: Class = Class(12);

/// In the order of the columns of a link that is read in SQL, so that the same eyes look at both.
const LINK: &[&str] = &["id1", "id2", "link_type", "visibility", "data", "time", "version"];
/// The same as a projection that the list's index holds whole.
const OF_LINK: Fields<'static> = &[
    ("_id", Int32(0)),
    ("id1", Int32(1)),
    ("id2", Int32(1)),
    ("link_type", Int32(1)),
    ("visibility", Int32(1)),
    ("data", Int32(1)),
    ("time", Int32(1)),
    ("version", Int32(1)),
];
const VISIBILITY: &[&str] = &["visibility"];
const OF_VISIBILITY: Fields<'static> = &[("_id", Int32(0)), ("visibility", Int32(1))];
const NODE: &[&str] = &["_id", "type", "version"];
const NOTHING: &[&str] = &[];

pub(super) struct Client {
    work: Work,
    habits: Habits,
    generator: Generator,
    drawn: Drawn,
    ends: Ends,
    /// Operations so far: now and then one is looked at closely.
    count: u64,
    number: u64,
    users: u64,
    /// The id of the next node that this user adds: each user has those of its own remainder class.
    next_node: u64,
}

/// Ids, times and types all lie below 2^63.
fn int(number: u64) -> Value<'static> {
    Int64(number as i64)
}

/// Counts an answer that a correct server does not give.
fn expect(session: &mut (dyn Documents + '_), class: Class, answer: &Answer, affected: RangeInclusive<u64>) {
    if !affected.contains(&answer.affected) {
        session.unexpected(class);
    }
}

/// Looks one document up by its `_id`: whole, where nothing is projected.
fn start_find(
    session: &mut (dyn Documents + '_),
    class: Class,
    (collection, id): (&str, Value<'_>),
    projection: Fields<'_>,
    keep: &'static [&'static str],
) {
    let command = [
        ("find", Text(collection)),
        ("filter", Document(&[("_id", id)])),
        ("limit", Int32(1)),
        ("singleBatch", Flag(true)),
        ("projection", Document(projection)),
    ];
    let said = if projection.is_empty() { &command[..4] } else { &command[..] };
    session.start(class, said, keep);
}

impl Client {
    pub fn new(work: Work, seed: Seed, number: u32, users: u32) -> Self {
        let mut generator = Generator::new(seed);
        Self {
            habits: Habits::of(&work, number, users, &mut generator),
            generator,
            drawn: Drawn::nothing(),
            ends: Ends::none(),
            count: 0,
            number: u64::from(number),
            users: u64::from(users.max(1)),
            next_node: 0,
            work,
        }
    }

    /// Nodes are numbered by who adds them, from behind the last that is there. All users look before any of them
    /// works.
    pub async fn begin(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        let last = [
            ("find", Text(NODES)),
            ("filter", Document(&[])),
            ("sort", Document(&[("_id", Int32(-1))])),
            ("limit", Int32(1)),
            ("singleBatch", Flag(true)),
            ("projection", Document(&[("_id", Int32(1))])),
        ];
        session.start(LAST_NODE, &last, &["_id"]);
        session.answer().await?;
        let kept = session.kept();
        let last = if kept.rows() == 0 { None } else { kept.int(0, 0) };
        let behind = last.and_then(|id| u64::try_from(id).ok()).map_or(0, |id| id + 1);
        self.next_node = behind.max(first_free(&self.work.graph)) + self.number;
        Ok(())
    }

    pub fn choose(&mut self) -> Operation {
        self.count += 1;
        self.drawn.draw(&self.work, &self.habits, &mut self.generator);
        if self.drawn.kind == Kind::AddNode {
            self.drawn.id = self.next_node;
            self.next_node += self.users;
        }
        Operation(self.drawn.kind as u16)
    }

    pub async fn operate(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        if self.drawn.unix_ms == 0 {
            self.drawn.unix_ms = session.unix_ms();
        }
        match self.drawn.kind {
            Kind::AddLink | Kind::UpdateLink => self.upsert(session).await,
            Kind::DeleteLink => self.hide(session).await,
            Kind::CountLinks => self.count_links(session).await,
            Kind::MultigetLinks => self.multiget(session).await,
            Kind::GetLinksList => self.list(session).await,
            Kind::AddNode | Kind::UpdateNode | Kind::DeleteNode => self.write_node(session).await,
            Kind::GetNode => self.get_node(session).await,
        }
    }

    /// Begins a transaction with a change of the link at hand; whether it was there before, and visible.
    async fn change_link(
        &self,
        session: &mut (dyn Documents + '_),
        class: Class,
        update: Fields<'_>,
        upsert: bool,
    ) -> Result<(bool, bool), Fault> {
        let id: [u8; 24] = key([self.drawn.link_type, self.drawn.id, self.drawn.ids[0]]);
        session.begin();
        let command = [
            ("findAndModify", Text(LINKS)),
            ("query", Document(&[("_id", Bytes(&id))])),
            ("update", Document(update)),
            ("upsert", Flag(upsert)),
            ("fields", Document(OF_VISIBILITY)),
        ];
        let said = if session.offers().parts_of_changed { &command[..] } else { &command[..4] };
        session.start(class, said, VISIBILITY);
        let found = session.answer().await?.rows == 1;
        Ok((found, found && session.kept().int(0, 0) == Some(1)))
    }

    async fn upsert(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        let Drawn { id, link_type, unix_ms, ref ids, ref bytes, .. } = self.drawn;
        let own = [("id1", int(id)), ("link_type", int(link_type)), ("id2", int(ids[0]))];
        let set = [("visibility", Int32(1)), ("version", Int32(0)), ("time", int(unix_ms)), ("data", Bytes(bytes))];
        let update = [("$setOnInsert", Document(&own)), ("$set", Document(&set))];
        let (found, visible) = self.change_link(session, UPSERT_LINK, &update, true).await?;
        if !visible {
            self.change_count(session, 1).await?;
        }
        session.commit(COMMIT).await?;
        match (found, visible) {
            (false, _) => session.count(INSERTED, 1),
            (true, false) => session.count(SHOWN_AGAIN, 1),
            (true, true) => {}
        }
        Ok(())
    }

    /// A link is deleted by hiding it.
    async fn hide(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        let update = [("$set", Document(&[("visibility", Int32(0))]))];
        let (_, visible) = self.change_link(session, HIDE_LINK, &update, false).await?;
        if visible {
            self.change_count(session, -1).await?;
        }
        session.commit(COMMIT).await?;
        session.count(HIDDEN, i64::from(visible));
        Ok(())
    }

    async fn change_count(&self, session: &mut (dyn Documents + '_), by: i64) -> Result<(), Fault> {
        let Drawn { id, link_type, unix_ms, .. } = self.drawn;
        let own: [u8; 16] = key([id, link_type]);
        let update = [
            ("$setOnInsert", Document(&[("id", int(id)), ("link_type", int(link_type))])),
            ("$inc", Document(&[("count", Int64(by)), ("version", Int64(1))])),
            ("$set", Document(&[("time", int(unix_ms))])),
        ];
        let one = [("q", Document(&[("_id", Bytes(&own))])), ("u", Document(&update)), ("upsert", Flag(true))];
        session.start(CHANGE_COUNT, &[("update", Text(COUNTS)), ("updates", Array(&[Document(&one)]))], NOTHING);
        let answer = session.answer().await?;
        expect(session, CHANGE_COUNT, &answer, 1..=1);
        Ok(())
    }

    async fn count_links(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        let id: [u8; 16] = key([self.drawn.id, self.drawn.link_type]);
        let projection = [("_id", Int32(0)), ("count", Int32(1))];
        start_find(session, COUNT_LINKS, (COUNTS, Bytes(&id)), &projection, NOTHING);
        if session.answer().await?.rows > 1 {
            session.unexpected(COUNT_LINKS);
        }
        Ok(())
    }

    /// One after the other, as in the fork.
    async fn multiget(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        let Drawn { id, link_type, ref ids, .. } = self.drawn;
        let mut found = 0;
        for id2 in ids {
            let own: [u8; 24] = key([link_type, id, *id2]);
            start_find(session, GET_LINK, (LINKS, Bytes(&own)), OF_LINK, LINK);
            let answer = session.answer().await?;
            if answer.rows > 1 || !look::are_among(session.kept(), id, link_type, &[*id2]) {
                session.unexpected(GET_LINK);
            }
            found += answer.rows as i64;
        }
        session.count(FOUND, found);
        session.count(MISSED, ids.len() as i64 - found);
        Ok(())
    }

    /// Visible links of one node and type, the newest first.
    async fn list(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        let Drawn { mut id, mut link_type, history, loaded, .. } = self.drawn;
        let limit = self.work.range_limit;
        let (mut until, mut skipped) = (i64::MAX as u64, 0);
        if let Some(end) = history.then(|| self.ends.draw(&mut self.generator)).flatten() {
            (id, link_type, until, skipped) = (end.id, end.link_type, end.time, 1);
        }
        let keep = look::worth_keeping(loaded, limit, self.count) != Want::Count;
        let filter = [
            ("id1", int(id)),
            ("link_type", int(link_type)),
            ("time", Document(&[("$gte", Int64(0)), ("$lte", int(until))])),
            ("visibility", Int32(1)),
        ];
        let command = [
            ("find", Text(LINKS)),
            ("filter", Document(&filter)),
            ("projection", Document(OF_LINK)),
            ("sort", Document(&[("time", Int32(-1))])),
            ("skip", Int64(skipped)),
            ("limit", int(limit)),
            ("batchSize", int(limit)),
            ("singleBatch", Flag(true)),
        ];
        session.start(GET_LINKS_LIST, &command, if keep { LINK } else { NOTHING });
        let answer = session.answer().await?;
        session.count(HISTORY, skipped);
        let orderly = !keep || look::is_a_list(session.kept(), id, link_type, until);
        if answer.rows > limit || !orderly {
            session.unexpected(GET_LINKS_LIST);
        }
        if keep && session.kept().rows() as u64 == limit && skipped == 0 {
            let time = session.kept().int(limit as usize - 1, TIME_COLUMN).unwrap_or(0) as u64;
            self.ends.remember(ListEnd { id, link_type, time }, &mut self.generator);
        }
        Ok(())
    }

    async fn write_node(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        let Drawn { kind, id, unix_ms, ref bytes, .. } = self.drawn;
        let own: Fields<'_> = &[("_id", int(id))];
        let now = ("time", Int32((unix_ms / 1000) as i32));
        let (class, affected) = match kind {
            Kind::AddNode => {
                let node =
                    [own[0], ("type", Int32(NODE_TYPE as i32)), ("version", Int64(1)), now, ("data", Bytes(bytes))];
                let command = [("insert", Text(NODES)), ("documents", Array(&[Document(&node)]))];
                session.start(ADD_NODE, &command, NOTHING);
                (ADD_NODE, 1..=1)
            }
            Kind::UpdateNode => {
                let set = [("version", Int64(2)), now, ("data", Bytes(bytes))];
                let update = [("$set", Document(&set))];
                let one = [("q", Document(own)), ("u", Document(&update))];
                let command = [("update", Text(NODES)), ("updates", Array(&[Document(&one)]))];
                session.start(UPDATE_NODE, &command, NOTHING);
                (UPDATE_NODE, 0..=1)
            }
            Kind::DeleteNode => {
                let one = [("q", Document(own)), ("limit", Int32(1))];
                let command = [("delete", Text(NODES)), ("deletes", Array(&[Document(&one)]))];
                session.start(DELETE_NODE, &command, NOTHING);
                (DELETE_NODE, 0..=1)
            }
            Kind::AddLink
            | Kind::DeleteLink
            | Kind::UpdateLink
            | Kind::CountLinks
            | Kind::MultigetLinks
            | Kind::GetLinksList
            | Kind::GetNode => unreachable!("{kind:?} writes no node"),
        };
        let answer = session.answer().await?;
        expect(session, class, &answer, affected);
        session.count(NODES_ADDED, if kind == Kind::AddNode { answer.affected as i64 } else { 0 });
        session.count(NODES_DELETED, if kind == Kind::DeleteNode { answer.affected as i64 } else { 0 });
        Ok(())
    }

    async fn get_node(&mut self, session: &mut (dyn Documents + '_)) -> Result<(), Fault> {
        start_find(session, GET_NODE, (NODES, int(self.drawn.id)), &[], NODE);
        session.answer().await?;
        if !look::is_node(session.kept(), self.drawn.id) {
            session.unexpected(GET_NODE);
        }
        Ok(())
    }
}
