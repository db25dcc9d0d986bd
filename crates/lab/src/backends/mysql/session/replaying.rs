//! A session that asks what a trace has, as it was asked: texts as texts, prepared statements as prepared, values with
//! the types that the client bound them by. Of rows it keeps sums of their values, so that two servers' answers can be
//! compared without keeping either: floating-point cells apart, because versions add them in another order, and all
//! others as text, so that an INT of one server is the BIGINT of another.

use super::Conversation;
use super::dial;
use super::faults::server_fault;
use crate::backends::faults::{lost, protocol};
use crate::backends::opening::Opening;
use model::Nanos;
use model::upgrade::{Fate, Heard};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use trace::{Bound, Value};
use wire::mysql::packet;
use wire::mysql::writer::lenenc_bytes;
use wire::mysql::{Asked, Cell, ColumnType, Definition, Malformed, Row, Step, Visitor, command};
use workload::session::Fault;

/// By how much more a FLOAT may differ than a DOUBLE: it has seven digits and not sixteen.
const FLOATS: f64 = 1e4;
/// Takes what a statement id is followed by: no cursor, one iteration.
const NO_CURSOR: [u8; 5] = [0, 1, 0, 0, 0];

pub struct Replaying {
    conversation: Conversation,
    statements: HashMap<u32, Prepared>,
}

struct Prepared {
    id: u32,
    columns: Vec<ColumnType>,
}

/// An answer, and the error's text where it is one.
pub struct Answered {
    pub heard: Heard,
    pub error: Option<String>,
}

impl Replaying {
    pub async fn open(opening: &Opening) -> Result<Self, Fault> {
        Ok(Self { conversation: dial(opening).await?, statements: HashMap::new() })
    }

    pub async fn query(&mut self, text: &[u8]) -> Result<Answered, Fault> {
        let sequence = command::query(self.conversation.channel.outgoing(), text);
        self.hear(Asked::Text, sequence, None).await
    }

    pub async fn init_db(&mut self, schema: &str) -> Result<Answered, Fault> {
        let sequence = command::init_db(self.conversation.channel.outgoing(), schema);
        self.hear(Asked::Text, sequence, None).await
    }

    pub async fn ping(&mut self) -> Result<Answered, Fault> {
        let sequence = command::ping(self.conversation.channel.outgoing());
        self.hear(Asked::Text, sequence, None).await
    }

    pub async fn reset_connection(&mut self) -> Result<Answered, Fault> {
        self.statements.clear();
        let sequence = command::reset_connection(self.conversation.channel.outgoing());
        self.hear(Asked::Text, sequence, None).await
    }

    /// Prepares it under the number that it has in the trace.
    pub async fn prepare(&mut self, number: u32, text: &[u8]) -> Result<Answered, Fault> {
        let sequence = command::prepare(self.conversation.channel.outgoing(), text);
        self.hear(Asked::Prepare, sequence, Some(number)).await
    }

    pub fn is_prepared(&self, number: u32) -> bool {
        self.statements.contains_key(&number)
    }

    /// One row of values for a statement that is prepared.
    pub async fn execute(&mut self, number: u32, values: &[Bound]) -> Result<Answered, Fault> {
        let id = self.statements[&number].id;
        let sequence = packet::write(self.conversation.channel.outgoing(), 0, |out| encode(out, id, values));
        self.hear(Asked::Execute, sequence, Some(number)).await
    }

    /// It has no answer and travels with the next request.
    pub fn close(&mut self, number: u32) {
        if let Some(prepared) = self.statements.remove(&number) {
            command::close(self.conversation.channel.outgoing(), prepared.id);
        }
    }

    pub fn say_goodbye(&mut self) {
        command::quit(self.conversation.channel.outgoing());
    }

    /// Sends the goodbye; whatever comes of it is the end.
    pub async fn quit(mut self) {
        self.say_goodbye();
        let _ = self.conversation.channel.exchange().await;
    }

    /// How long each exchange on a blocking line may take from now on.
    pub fn waits_at_most(&self, patience: std::time::Duration) {
        self.conversation.channel.waits_at_most(patience);
    }

    /// When the last piece of the last answer was there.
    pub fn moment(&self) -> Nanos {
        self.conversation.channel.moment()
    }

    async fn hear(&mut self, asked: Asked, sequence: u8, number: Option<u32>) -> Result<Answered, Fault> {
        self.conversation.reply.begin(asked, sequence);
        let known = number.filter(|_| asked == Asked::Execute).and_then(|number| self.statements.get_mut(&number));
        let columns = known.map(|prepared| std::mem::take(&mut prepared.columns)).unwrap_or_default();
        let mut sums = Sums { columns, ..Sums::default() };
        self.conversation.channel.exchange().await.map_err(|e| lost(&e))?;
        loop {
            let channel = &mut self.conversation.channel;
            let step = self.conversation.reply.feed(channel.incoming(), &mut sums).map_err(protocol)?;
            let (consumed, over, refusal) = match step {
                Step::Incomplete { consumed, .. } => (consumed, None, None),
                Step::Done { consumed, summary } => {
                    if let (Some(prepared), Some(number)) = (summary.prepared, number) {
                        self.statements.insert(number, Prepared { id: prepared.statement, columns: Vec::new() });
                    }
                    sums.heard.rows = u32::try_from(summary.rows).unwrap_or(u32::MAX);
                    sums.heard.affected = u32::try_from(summary.affected).unwrap_or(u32::MAX);
                    sums.heard.warnings = u16::try_from(summary.warnings).unwrap_or(u16::MAX);
                    sums.heard.fate = Fate::Answered;
                    (consumed, Some(None), None)
                }
                Step::Failed { consumed, error, .. } => {
                    (sums.heard.fate, sums.heard.error) = (Fate::Refused, error.number);
                    (consumed, Some(Some(server_fault(&error.to_owned()).to_string())), None)
                }
                Step::LocalInfile { consumed, refusal } => (consumed, None, Some(refusal)),
            };
            channel.consume(consumed);
            if let Some(malformed) = sums.wrong {
                return Err(protocol(malformed));
            }
            if let Some(error) = over {
                if let Some(prepared) = number.and_then(|number| self.statements.get_mut(&number)) {
                    prepared.columns = std::mem::take(&mut sums.columns);
                }
                return Ok(Answered { heard: sums.heard, error });
            }
            match refusal {
                Some(refusal) => {
                    channel.outgoing().extend_from_slice(&refusal);
                    channel.exchange().await.map_err(|e| lost(&e))?;
                }
                None => {
                    channel.receive().await.map_err(|e| lost(&e))?;
                }
            }
        }
    }
}

/// An execute as its client sent it; what travels otherwise in another version travels as its text.
fn encode(out: &mut Vec<u8>, statement: u32, values: &[Bound]) {
    out.push(command::STMT_EXECUTE);
    out.extend_from_slice(&statement.to_le_bytes());
    out.extend_from_slice(&NO_CURSOR);
    if values.is_empty() {
        return;
    }
    let bitmap = out.len();
    out.resize(bitmap + values.len().div_ceil(8), 0);
    let nulls = values.iter().enumerate().filter(|(_, bound)| matches!(bound.value, Value::Null | Value::Default));
    nulls.for_each(|(at, _)| out[bitmap + at / 8] |= 1 << (at % 8));
    out.push(1);
    for bound in values {
        let code = match bound.value {
            Value::DateTime(_) | Value::Time(_) => ColumnType::VAR_STRING,
            _ => bound.code,
        };
        out.extend_from_slice(&[code, if bound.unsigned { 0x80 } else { 0 }]);
    }
    for bound in values {
        value(out, bound);
    }
}

fn value(out: &mut Vec<u8>, bound: &Bound) {
    let width = match bound.code {
        ColumnType::TINY => 1,
        ColumnType::SHORT | ColumnType::YEAR => 2,
        ColumnType::LONG | ColumnType::INT24 => 4,
        _ => 8,
    };
    match &bound.value {
        Value::Null | Value::Default | Value::Ignore => {}
        Value::Int(n) => out.extend_from_slice(&n.to_le_bytes()[..width]),
        Value::UInt(n) => out.extend_from_slice(&n.to_le_bytes()[..width]),
        Value::Float(x) => out.extend_from_slice(&x.to_le_bytes()),
        Value::Double(x) => out.extend_from_slice(&x.to_le_bytes()),
        Value::Bytes(bytes) => lenenc_bytes(out, bytes),
        Value::DateTime(moment) => lenenc_bytes(out, moment.to_string().as_bytes()),
        Value::Time(time) => lenenc_bytes(out, time.to_string().as_bytes()),
    }
}

#[derive(Default)]
struct Sums {
    columns: Vec<ColumnType>,
    heard: Heard,
    wrong: Option<Malformed>,
}

/// What of a row is no floating point, and what is.
struct RowSum {
    hasher: DefaultHasher,
    reals: Vec<f64>,
    scale: f64,
}

impl RowSum {
    fn cell(&mut self, cell: Option<&[u8]>) {
        match cell {
            Some(bytes) => {
                self.hasher.write_usize(bytes.len());
                self.hasher.write(bytes);
            }
            None => self.hasher.write_u8(0xFB),
        }
    }

    fn real(&mut self, x: f64, exactness: f64) {
        self.reals.push(x);
        self.scale += x.abs() * exactness;
        self.hasher.write_u8(0xF0);
    }
}

const DOUBLES: f64 = 1.0;

impl Visitor for Sums {
    fn column(&mut self, index: usize, definition: Definition<'_>) {
        match definition.column_type() {
            Ok(column) => {
                self.columns.truncate(index);
                self.columns.push(column);
            }
            Err(malformed) => self.wrong = Some(malformed),
        }
    }

    fn row(&mut self, row: Row<'_>) {
        if let Err(malformed) = self.sum(row) {
            self.wrong.get_or_insert(malformed);
        }
    }
}

impl Sums {
    fn sum(&mut self, row: Row<'_>) -> Result<(), Malformed> {
        let mut sum = RowSum { hasher: DefaultHasher::new(), reals: Vec::new(), scale: 0.0 };
        match row {
            Row::Text(text) => {
                for (at, cell) in text.cells().enumerate() {
                    let (cell, code) = (cell?, self.columns.get(at).map_or(ColumnType::NULL, |column| column.code));
                    let real = cell.filter(|_| [ColumnType::FLOAT, ColumnType::DOUBLE].contains(&code));
                    let real = real.and_then(|text| std::str::from_utf8(text).ok()?.parse::<f64>().ok());
                    match real {
                        Some(x) if code == ColumnType::FLOAT => sum.real(x, FLOATS),
                        Some(x) => sum.real(x, DOUBLES),
                        None => sum.cell(cell),
                    }
                }
            }
            Row::Binary(binary) => {
                for cell in binary.cells(&self.columns)? {
                    match cell? {
                        Cell::Null => sum.cell(None),
                        Cell::I64(n) => sum.cell(Some(n.to_string().as_bytes())),
                        Cell::U64(n) => sum.cell(Some(n.to_string().as_bytes())),
                        Cell::F32(x) => sum.real(f64::from(x), FLOATS),
                        Cell::F64(x) => sum.real(x, DOUBLES),
                        Cell::Bytes(bytes) => sum.cell(Some(bytes)),
                        Cell::DateTime(moment) => sum.cell(Some(moment.to_string().as_bytes())),
                        Cell::Time(time) => sum.cell(Some(time.to_string().as_bytes())),
                    }
                }
            }
        }
        let hash = sum.hasher.finish();
        // Which row a floating-point value stands in must not be lost: it counts by a weight between one and two.
        let weight = |at: usize| 1.0 + ((hash >> (at % 32)) & 0xFFFF) as f64 / 65536.0;
        self.heard.reals += sum.reals.iter().enumerate().map(|(at, x)| x * weight(at)).sum::<f64>();
        self.heard.scale += sum.scale * 2.0;
        self.heard.unordered = self.heard.unordered.wrapping_add(hash);
        self.heard.ordered = self.heard.ordered.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(hash);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::mysql::TextRow;

    fn heard(columns: &[u8], rows: &[&[&str]]) -> Heard {
        let columns = columns.iter().map(|code| ColumnType::signed(*code)).collect::<Vec<_>>();
        let mut sums = Sums { columns: columns.clone(), ..Sums::default() };
        for row in rows {
            let mut payload = Vec::new();
            row.iter().for_each(|cell| lenenc_bytes(&mut payload, cell.as_bytes()));
            sums.row(Row::Text(TextRow::new(&payload, columns.len())));
        }
        assert_eq!(sums.wrong, None);
        Heard { fate: Fate::Answered, rows: rows.len() as u32, ..sums.heard }
    }

    #[test]
    fn rows_are_compared_by_their_values_in_the_order_that_was_asked_for() {
        let types = [ColumnType::LONG, ColumnType::DOUBLE];
        let (there, back) = (
            heard(&types, &[&["1", "0.30000000000000004"], &["2", "2.5"]]),
            heard(&types, &[&["2", "2.5"], &["1", "0.3"]]),
        );
        assert!(there.agrees(&back, false) && !there.agrees(&back, true));
        let swapped = heard(&types, &[&["1", "2.5"], &["2", "0.3"]]);
        assert!(!there.agrees(&swapped, false), "a value has moved into another row");
        assert!(!there.agrees(&heard(&types, &[&["1", "0.31"], &["2", "2.5"]]), false));
    }

    #[test]
    fn a_float_may_differ_in_its_seventh_digit_and_a_decimal_in_nothing() {
        let float = |text| heard(&[ColumnType::FLOAT], &[&[text]]);
        assert!(float("0.1").agrees(&float("0.1000001"), false) && !float("0.1").agrees(&float("0.101"), false));
        let decimal = |text| heard(&[ColumnType::NEWDECIMAL], &[&[text]]);
        assert!(!decimal("0.10").agrees(&decimal("0.1"), false));
    }
}
