//! Items as bytes within one block. Names and texts stand once, before the first item that needs them, and are meant by
//! number; times are told against the item before. Nothing reaches across blocks, so that each can be read by itself.

mod ask;
mod fields;

use crate::statement::{Item, Lost, SessionId, Statement, Transaction};
use crate::varint::{Cursor, Malformed, put, put_bytes, put_signed};
use fields::{place_code, place_of, put_answer, put_optional, read_answer, read_optional};
use model::Nanos;
use std::collections::HashMap;
use std::sync::Arc;

const NAME: u8 = 1;
const TEXT: u8 = 2;
const STATEMENT: u8 = 3;
const LOST: u8 = 4;

/// A text or name of a block's own: number 0 is the empty one, and is not written.
type Number = u64;

/// Writes items into the body of one block.
#[derive(Debug, Default)]
pub struct Encoder {
    pub body: Vec<u8>,
    pub items: u32,
    names: HashMap<Arc<str>, Number>,
    texts: HashMap<Arc<[u8]>, Number>,
    last: u64,
}

impl Encoder {
    /// Forgets what the block before had; keeps its memory.
    pub fn clear(&mut self) {
        self.body.clear();
        self.names.clear();
        self.texts.clear();
        (self.items, self.last) = (0, 0);
    }

    pub fn item(&mut self, item: &Item) {
        match item {
            Item::Statement(statement) => self.statement(statement),
            Item::Lost(lost) => self.lost(lost),
        }
        self.items += 1;
    }

    fn statement(&mut self, statement: &Statement) {
        let names = [&statement.user, &statement.host, &statement.database].map(|name| self.name(name));
        let ask = self.prepared_ask(&statement.ask);
        self.body.push(STATEMENT);
        put(&mut self.body, statement.session.0);
        put(&mut self.body, statement.order);
        self.time(statement.start);
        put_optional(&mut self.body, statement.took.map(|took| took.0));
        match statement.transaction {
            None => self.body.push(0),
            Some(transaction) => {
                self.body.push(place_code(transaction.place));
                put(&mut self.body, transaction.number);
            }
        }
        names.into_iter().for_each(|number| put(&mut self.body, number));
        ask::put_ask(&mut self.body, &statement.ask, ask);
        put_answer(&mut self.body, &statement.answer);
    }

    /// The number of whatever name or text an ask needs.
    fn prepared_ask(&mut self, ask: &crate::statement::Ask) -> Number {
        match ask::needs(ask) {
            ask::Needs::Nothing => 0,
            ask::Needs::Name(name) => self.name(name),
            ask::Needs::Text(text) => self.text(text),
        }
    }

    fn lost(&mut self, lost: &Lost) {
        let why = self.name(&lost.why);
        self.body.push(LOST);
        self.time(lost.at);
        put_optional(&mut self.body, lost.session.map(|session| session.0));
        put_optional(&mut self.body, lost.statements);
        put(&mut self.body, why);
    }

    fn time(&mut self, time: Nanos) {
        put_signed(&mut self.body, time.0.wrapping_sub(self.last).cast_signed());
        self.last = time.0;
    }

    fn name(&mut self, name: &Arc<str>) -> Number {
        if name.is_empty() {
            return 0;
        }
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.names.len() as u64 + 1;
        self.names.insert(name.clone(), number);
        self.body.push(NAME);
        put_bytes(&mut self.body, name.as_bytes());
        number
    }

    fn text(&mut self, text: &Arc<[u8]>) -> Number {
        if text.is_empty() {
            return 0;
        }
        if let Some(number) = self.texts.get(text) {
            return *number;
        }
        let number = self.texts.len() as u64 + 1;
        self.texts.insert(text.clone(), number);
        self.body.push(TEXT);
        put_bytes(&mut self.body, text);
        number
    }
}

/// Reads the body of one block, item by item.
#[derive(Debug)]
pub struct Decoder {
    body: Vec<u8>,
    at: usize,
    names: Vec<Arc<str>>,
    texts: Vec<Arc<[u8]>>,
    last: u64,
}

impl Decoder {
    pub fn new(body: Vec<u8>) -> Self {
        let (names, texts) = (vec![Arc::from("")], vec![Arc::from([])]);
        Self { body, at: 0, names, texts, last: 0 }
    }

    /// The next item; `None` at the block's end.
    pub fn next(&mut self) -> Result<Option<Item>, Malformed> {
        loop {
            let mut cursor = Cursor { rest: &self.body[self.at..] };
            if cursor.rest.is_empty() {
                return Ok(None);
            }
            let mut last = self.last;
            let item = match cursor.byte()? {
                NAME => {
                    let name = std::str::from_utf8(cursor.bytes()?).map_err(|_| Malformed("a name is not UTF-8"))?;
                    self.names.push(Arc::from(name));
                    None
                }
                TEXT => {
                    self.texts.push(Arc::from(cursor.bytes()?));
                    None
                }
                STATEMENT => Some(Item::Statement(self.statement(&mut cursor, &mut last)?)),
                LOST => Some(Item::Lost(self.lost(&mut cursor, &mut last)?)),
                _ => return Err(Malformed("an unknown kind of item")),
            };
            self.last = last;
            self.at = self.body.len() - cursor.rest.len();
            if item.is_some() {
                return Ok(item);
            }
        }
    }

    fn statement(&self, cursor: &mut Cursor<'_>, last: &mut u64) -> Result<Statement, Malformed> {
        let session = SessionId(cursor.number()?);
        let order = cursor.number()?;
        let start = time(cursor, last)?;
        let took = read_optional(cursor)?.map(Nanos);
        let transaction = match place_of(cursor.byte()?)? {
            None => None,
            Some(place) => Some(Transaction { number: cursor.number()?, place }),
        };
        let [user, host, database] = [self.name(cursor)?, self.name(cursor)?, self.name(cursor)?];
        let ask = ask::read_ask(cursor, &self.names, &self.texts)?;
        let answer = read_answer(cursor)?;
        Ok(Statement { session, order, start, took, transaction, user, host, database, ask, answer })
    }

    fn lost(&self, cursor: &mut Cursor<'_>, last: &mut u64) -> Result<Lost, Malformed> {
        let at = time(cursor, last)?;
        let session = read_optional(cursor)?.map(SessionId);
        let statements = read_optional(cursor)?;
        Ok(Lost { at, session, statements, why: self.name(cursor)? })
    }

    fn name(&self, cursor: &mut Cursor<'_>) -> Result<Arc<str>, Malformed> {
        fields::meant(&self.names, cursor)
    }
}

fn time(cursor: &mut Cursor<'_>, last: &mut u64) -> Result<Nanos, Malformed> {
    *last = last.wrapping_add(cursor.signed()?.cast_unsigned());
    Ok(Nanos(*last))
}
