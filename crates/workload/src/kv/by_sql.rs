//! Hot path: one user who asks for the same keys in SQL: a prepared select by key, or of a list of keys, and a prepared
//! update. SQL gives a row once however often its key stands in a list, so a list expects as many rows as it has
//! different keys. PostgreSQL's protocol lets several requests travel behind each other; MySQL's waits for each answer.

use super::work::{Wish, Work};
use super::{GET, MISSES, PREPARE, SET, TABLE, VERIFIED, WRONG, value};
use crate::Probe;
use crate::rows::Cell;
use crate::session::{Answer, Class, Fault, Param, Prepared, Request, Sql, Want};
use crate::user::{End, Operation, User};
use std::future::poll_fn;

/// What sockets hold before their other end reads: Linux gives one of Unix 208 KiB, and one of TCP 128 to receive in.
const UNREAD_BYTES: usize = 1 << 16;

pub struct Client {
    work: Work,
    get: Option<Prepared>,
    set: Option<Prepared>,
    /// The keys of a list, to be counted and sent.
    list: Vec<u64>,
    params: Vec<Param<'static>>,
    text: Vec<u8>,
}

fn select(keys: usize, mut key: impl FnMut(usize) -> String) -> String {
    let what = format!("SELECT id, v FROM {TABLE} WHERE id");
    match keys {
        1 => format!("{what}={}", key(0)),
        many => format!("{what} IN ({})", (0..many).map(key).collect::<Vec<_>>().join(", ")),
    }
}

/// The statements with drawn keys.
pub fn probes(work: &mut Work) -> Vec<Probe> {
    let mut keys = work.draw_keys();
    let sql = select(keys.len(), |n| keys[n].to_string());
    let first = keys[0];
    let mut probes = vec![Probe { statement: "get", sql, rows: Some(different(&mut keys)), writes: false }];
    if work.writes() {
        let mut text = Vec::new();
        value::write(&mut text, first, value::stamp(0, 0), work.sizes.bytes(first));
        let sql = format!("UPDATE {TABLE} SET v='{}' WHERE id={first}", String::from_utf8_lossy(&text));
        probes.push(Probe { statement: "set", sql, rows: Some(0), writes: true });
    }
    probes
}

/// How many different keys there are; they are sorted.
fn different(keys: &mut [u64]) -> u64 {
    keys.sort_unstable();
    1 + keys.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64
}

impl Client {
    pub fn new(work: Work) -> Self {
        let (keys, text) = (work.keys_per_get(), Vec::with_capacity(work.sizes.most()));
        Self { work, get: None, set: None, list: Vec::with_capacity(keys), params: Vec::with_capacity(keys), text }
    }

    /// Says what is wished.
    fn say(&mut self, wish: Wish, mut to: impl FnMut(Class, Prepared, &[Param<'_>], Want)) {
        match wish {
            Wish::Set { key, stamp } => {
                value::write(&mut self.text, key, stamp, self.work.sizes.bytes(key));
                let params = [Param::Bytes(&self.text), Param::Int(key as i64)];
                to(SET, self.set.expect("a mix prepares both"), &params, Want::Count);
            }
            Wish::Get { from, to: end, verified } => {
                self.params.clear();
                self.params.extend(self.work.keys(from, end).iter().map(|key| Param::Int(*key as i64)));
                let want = if verified { Want::Keep } else { Want::Count };
                to(GET, self.get.expect("it was prepared"), &self.params, want);
            }
        }
    }

    /// Looks at what came back.
    fn hear(&mut self, session: &mut (dyn Sql + '_), wish: Wish, answer: &Answer) {
        match wish {
            Wish::Set { .. } => {
                if answer.affected != 1 {
                    session.unexpected(SET);
                }
            }
            Wish::Get { from, to, verified } => {
                self.list.clear();
                self.list.extend_from_slice(self.work.keys(from, to));
                let expected = different(&mut self.list);
                if answer.rows != expected {
                    session.count(MISSES, expected as i64 - answer.rows as i64);
                    session.unexpected(GET);
                }
                if verified {
                    self.verify(session);
                }
            }
        }
    }

    async fn one(&mut self, session: &mut (dyn Sql + '_), wish: Wish) -> Result<(), Fault> {
        self.say(wish, |class, statement, params, want| {
            session.start(class, Request::Execute(statement, params), want);
        });
        let answer = session.answer().await?;
        self.hear(session, wish, &answer);
        Ok(())
    }

    /// As many before the first is answered as both sides can send without the other reading.
    async fn behind_each_other(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        const ASKED: &str = "only a protocol that lets them is given more than one request at a time";
        let mut next = 0;
        while next < self.work.wishes.len() {
            let (first, mut bytes) = (next, 0);
            while next < self.work.wishes.len() && bytes < UNREAD_BYTES {
                let wish = self.work.wishes[next];
                bytes += self.bytes(wish);
                let pipeline = session.pipeline().expect(ASKED);
                self.say(wish, |class, statement, params, want| pipeline.add(class, statement, params, want));
                next += 1;
            }
            let mut refused = None;
            for number in first..next {
                match poll_fn(|cx| session.pipeline().expect(ASKED).poll_next(cx)).await {
                    Ok(answer) => self.hear(session, self.work.wishes[number], &answer),
                    Err(fault) if fault.session_survives() => {
                        refused.get_or_insert(fault);
                    }
                    Err(fault) => return Err(fault),
                }
            }
            refused.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// What a request and its answer take, about.
    fn bytes(&self, wish: Wish) -> usize {
        const HEAD: usize = 64;
        let of = |key: u64| HEAD + self.work.sizes.bytes(key);
        match wish {
            Wish::Set { key, .. } => of(key),
            Wish::Get { from, to, .. } => self.work.keys(from, to).iter().map(|key| of(*key)).sum(),
        }
    }

    fn verify(&mut self, session: &mut (dyn Sql + '_)) {
        let kept = session.kept();
        let rows = kept.rows();
        let is_wrong = |row: &usize| match (kept.int(*row, 0), kept.cell(*row, 1)) {
            (Some(key), Cell::Bytes(text)) => {
                let bytes = self.work.sizes.bytes(key as u64);
                !value::is_of(key as u64, text, bytes, &mut self.text)
            }
            _ => true,
        };
        let wrong = (0..rows).filter(is_wrong).count();
        session.count(VERIFIED, rows as i64);
        if wrong > 0 {
            session.count(WRONG, wrong as i64);
            session.unexpected(GET);
        }
    }
}

impl User for Client {
    async fn begin(&mut self, session: &mut (dyn Sql + '_)) -> Result<(), Fault> {
        let sql = select(self.work.keys_per_get(), |_| "?".into());
        self.get = Some(session.prepare(PREPARE, &sql).await?);
        if self.work.writes() {
            self.set = Some(session.prepare(PREPARE, &format!("UPDATE {TABLE} SET v=? WHERE id=?")).await?);
        }
        Ok(())
    }

    fn choose(&mut self) -> Operation {
        self.work.draw();
        Operation(0)
    }

    async fn operate(&mut self, session: &mut (dyn Sql + '_), _: Operation) -> Result<End, Fault> {
        match self.work.wishes[..] {
            [wish] => self.one(session, wish).await?,
            _ => self.behind_each_other(session).await?,
        }
        Ok(End::Done)
    }

    fn rollback(&self) -> Option<Class> {
        None
    }
}
