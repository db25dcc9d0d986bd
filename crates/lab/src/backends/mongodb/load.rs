//! Brings a dataset into a store of documents: the lines that a table would be loaded from, as documents of its
//! collection, in parallel; then indexes, counts, and documents read back byte for byte. What lay in the collections
//! before is dropped.

use super::session::DocumentEndpoint;
use super::session::control::Control;
use crate::backends::loading::{LoadFault, Loaded, SPOTS, side_by_side, world};
use model::seed::split_mix;
use model::{Bytes, TableAnswer};
use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use wire::mongodb::Writer;
use workload::dataset::{ByTable, Collection, Dataset, FieldKind, Rows, Table};
use workload::session::Fault;

/// An index over a large collection takes as long.
const PATIENCE: Duration = Duration::from_secs(3600);
/// Documents of one insert: well below the message of 48 MB and the batch of 100,000 that servers take.
const BATCH: u64 = 1_000;

pub fn load(
    endpoint: &DocumentEndpoint,
    dataset: &dyn Dataset,
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<Loaded, LoadFault> {
    let Rows::ByTable(rows) = dataset.rows() else {
        return Err(LoadFault::Unsupported("rows that come by units, in a store of documents".into()));
    };
    let (tables, collections) = (dataset.tables(), dataset.collections());
    let mut control = Control::connect(endpoint, PATIENCE).map_err(world)?;
    for collection in collections {
        drop_whole(&mut control, collection.name).map_err(world)?;
        control.ask(&json!({ "create": collection.name })).map_err(world)?;
    }
    fill(endpoint, rows, &tables, collections, sessions, stop, at)?;
    let mut answers = Vec::new();
    for (table, collection) in tables.iter().zip(collections) {
        let indexes = indexes(collection);
        if collection.indexes.is_empty() {
            answers.push(answer(&mut control, table, collection, &indexes).map_err(world)?);
            continue;
        }
        control.ask(&indexes).map_err(world)?;
        answers.push(answer(&mut control, table, collection, &indexes).map_err(world)?);
    }
    let (rows_checked, rows_wrong) = check_spots(&mut control, rows, &tables, collections).map_err(world)?;
    Ok(Loaded { rows: answers.iter().map(|t| t.rows).sum(), tables: answers, rows_checked, rows_wrong })
}

/// Older servers refuse to drop what is not there.
fn drop_whole(control: &mut Control, collection: &str) -> Result<(), Fault> {
    match control.ask(&json!({ "drop": collection })) {
        Ok(_) | Err(Fault::Server { .. }) => Ok(()),
        Err(fault) => Err(fault),
    }
}

fn indexes(collection: &Collection) -> Json {
    let one = |fields: &&[&str]| {
        let key: serde_json::Map<String, Json> = fields.iter().map(|field| ((*field).to_string(), json!(1))).collect();
        json!({ "key": key, "name": fields.join("_") })
    };
    json!({ "createIndexes": collection.name, "indexes": collection.indexes.iter().map(one).collect::<Vec<_>>() })
}

fn answer(control: &mut Control, table: &Table, collection: &Collection, indexes: &Json) -> Result<TableAnswer, Fault> {
    let count = control.ask(&json!({ "count": collection.name, "query": {} }))?;
    let found = control.all(&json!({ "listIndexes": collection.name }))?;
    Ok(TableAnswer {
        name: collection.name.to_string(),
        submitted: indexes.to_string(),
        created: Json::Array(found).to_string(),
        warnings: Vec::new(),
        rows: count["n"].as_u64().unwrap_or(0),
        rows_wanted: table.rows,
        bytes: Bytes(0),
    })
}

fn fill(
    endpoint: &DocumentEndpoint,
    rows: &dyn ByTable,
    tables: &[Table],
    collections: &[Collection],
    sessions: usize,
    stop: &AtomicBool,
    at: &(dyn Fn(u64, u64) + Sync),
) -> Result<(), LoadFault> {
    let batches: Vec<u64> = tables.iter().map(|table| table.rows.div_ceil(BATCH)).collect();
    let total: u64 = tables.iter().map(|table| table.rows).sum();
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    side_by_side(sessions, |over| {
        let mut control = Control::connect(endpoint, PATIENCE).map_err(world)?;
        let mut text = Vec::new();
        loop {
            if stop.load(Relaxed) {
                return Err(LoadFault::Stopped);
            }
            let Some((table, from)) = place(&batches, next.fetch_add(1, Relaxed)).filter(|_| !over.load(Relaxed))
            else {
                return Ok(());
            };
            let to = (from + BATCH).min(tables[table].rows);
            text.clear();
            rows.lines(table, from, to, &mut text);
            let inserted = insert(&mut control, &collections[table], &text).map_err(world)?;
            if inserted != to - from {
                let what = format!("{}: of rows {from} to {to} only {inserted} went in", collections[table].name);
                return Err(LoadFault::World(what));
            }
            at(done.fetch_add(inserted, Relaxed) + inserted, total);
        }
    })
}

/// The table of that batch, and its first row.
fn place(batches: &[u64], mut batch: u64) -> Option<(usize, u64)> {
    for (table, of_table) in batches.iter().enumerate() {
        if batch < *of_table {
            return Some((table, batch * BATCH));
        }
        batch -= of_table;
    }
    None
}

fn insert(control: &mut Control, collection: &Collection, lines: &[u8]) -> Result<u64, Fault> {
    let reply = control.say(|out| {
        out.text("insert", collection.name);
        let mut documents = out.array("documents");
        for (place, line) in lines_of(lines).enumerate() {
            let mut document = documents.document(place);
            write(collection, line, &mut document);
            document.end();
        }
        documents.end();
    })?;
    Ok(reply["n"].as_u64().unwrap_or(0))
}

/// No value of a line holds a line's end.
fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// A line as the fields of a document, its `_id` first.
fn write(collection: &Collection, line: &[u8], out: &mut Writer<'_>) {
    let values: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
    assert_eq!(values.len(), collection.fields.len(), "a line has a value for each field");
    if !collection.id.is_empty() {
        out.bytes("_id", &id(collection, &values));
    }
    for ((name, kind), value) in collection.fields.iter().zip(values) {
        match kind {
            FieldKind::Int32 => out.int32(*name, number(value) as i32),
            FieldKind::Int64 => out.int64(*name, number(value) as i64),
            FieldKind::Bytes => out.bytes(*name, &plain(value)),
        }
    }
}

fn id(collection: &Collection, values: &[&[u8]]) -> Vec<u8> {
    collection.id.iter().flat_map(|field| number(values[*field]).to_be_bytes()).collect()
}

fn number(value: &[u8]) -> u64 {
    let text = std::str::from_utf8(value).expect("numbers are ASCII");
    text.parse().expect("the generator writes whole numbers")
}

/// A backslash stands before each backslash.
fn plain(value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.iter();
    while let Some(byte) = rest.next() {
        bytes.push(if *byte == b'\\' { *rest.next().unwrap_or(byte) } else { *byte });
    }
    bytes
}

/// Documents looked up by their `_id`, spread over the collections by a fixed sequence: how many, and how many are not
/// what was written.
fn check_spots(
    control: &mut Control,
    rows: &dyn ByTable,
    tables: &[Table],
    collections: &[Collection],
) -> Result<(u64, u64), Fault> {
    let (mut checked, mut wrong) = (0, 0);
    for (table, collection) in collections.iter().enumerate().filter(|(table, _)| tables[*table].rows > 0) {
        let count = tables[table].rows;
        for n in 0..(SPOTS / collections.len() as u64).min(count) {
            let row = if n == 0 { count - 1 } else { split_mix(n ^ (table as u64) << 32) % count };
            let mut line = Vec::new();
            rows.lines(table, row, row + 1, &mut line);
            let line = lines_of(&line).next().expect("one row is one line");
            let reply = control.say(|out| {
                out.text("find", collection.name);
                let mut filter = out.document("filter");
                let values: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
                match collection.id.is_empty() {
                    true => filter.int64("_id", number(values[0]) as i64),
                    false => filter.bytes("_id", &id(collection, &values)),
                }
                filter.end();
            })?;
            checked += 1;
            wrong += u64::from(reply["cursor"]["firstBatch"] != json!([told(collection, line)]));
        }
    }
    Ok((checked, wrong))
}

/// A document as `Control` tells it.
fn told(collection: &Collection, line: &[u8]) -> Json {
    let values: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
    let hex = |bytes: &[u8]| json!(bytes.iter().map(|b| format!("{b:02X}")).collect::<String>());
    let mut document = serde_json::Map::new();
    if !collection.id.is_empty() {
        document.insert("_id".into(), hex(&id(collection, &values)));
    }
    for ((name, kind), value) in collection.fields.iter().zip(&values) {
        let value = match kind {
            FieldKind::Int32 | FieldKind::Int64 => json!(number(value)),
            FieldKind::Bytes => hex(&plain(value)),
        };
        document.insert((*name).to_string(), value);
    }
    Json::Object(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLLECTION: Collection = Collection {
        name: "c",
        fields: &[("b", FieldKind::Int64), ("a", FieldKind::Int32), ("data", FieldKind::Bytes)],
        id: &[1, 0],
        indexes: &[],
    };

    #[test]
    fn a_line_is_a_document_with_a_key_of_big_endian_numbers() {
        let line = b"258\t7\ta\\\\b";
        let expected = json!({ "_id": "00000000000000070000000000000102", "b": 258, "a": 7, "data": "615C62" });
        assert_eq!(told(&COLLECTION, line), expected);
    }

    #[test]
    fn batches_cover_every_table_and_end() {
        let places: Vec<_> = (0..5).map(|batch| place(&[2, 0, 1], batch)).collect();
        assert_eq!(places, [Some((0, 0)), Some((0, BATCH)), Some((2, 0)), None, None]);
    }
}
