//! Hot path: what a reply says: the documents of a cursor, the document that was changed, how many were, or why nothing
//! was done. Servers number their errors otherwise than those of SQL; those that ask to try again are told under the
//! numbers that mean it there.

use wire::mongodb::{Document, Malformed, Value};
use workload::rows::{Cell, KeptRows};
use workload::session::{Answer, Fault};

/// More fields are kept of no document.
const MOST_KEPT: usize = 8;

/// `Err` inside is the server's refusal.
#[inline]
pub(crate) fn answer(
    body: Document<'_>,
    keep: &[&str],
    kept: &mut KeptRows,
) -> Result<Result<Answer, Fault>, Malformed> {
    kept.clear(keep.len());
    let (mut answer, mut is_done, mut refused) = (Answer::default(), false, false);
    for field in body.fields() {
        match field? {
            ("ok", value) => is_done = value.whole() == Some(1),
            ("n", value) => answer.affected = value.whole().unwrap_or(0) as u64,
            ("cursor", Value::Document(cursor)) => answer.rows = batch(cursor, keep, kept)?,
            ("value", Value::Document(changed)) => {
                row(changed, keep, kept)?;
                answer.rows = 1;
            }
            ("writeErrors", Value::Array(_)) => refused = true,
            (_, _) => {}
        }
    }
    if is_done && !refused { Ok(Ok(answer)) } else { refusal(body).map(Err) }
}

/// All that is there comes in the first batch, because that is what was asked for.
#[inline]
fn batch(cursor: Document<'_>, keep: &[&str], kept: &mut KeptRows) -> Result<u64, Malformed> {
    let mut rows = 0;
    for field in cursor.fields() {
        match field? {
            ("firstBatch", Value::Array(documents)) => {
                for document in documents.fields() {
                    let (_, Value::Document(document)) = document? else {
                        return Err(Malformed("what is found is no document"));
                    };
                    row(document, keep, kept)?;
                    rows += 1;
                }
            }
            ("id", id) if id.whole() != Some(0) => {
                return Err(Malformed("a cursor stays open that was to have one batch"));
            }
            (_, _) => {}
        }
    }
    Ok(rows)
}

/// Reads a document to its end, and keeps its fields of these names in their order; one that it lacks is NULL.
#[inline]
fn row(document: Document<'_>, keep: &[&str], kept: &mut KeptRows) -> Result<(), Malformed> {
    let mut cells = [Cell::Null; MOST_KEPT];
    for field in document.fields() {
        let (name, value) = field?;
        if let Some(place) = keep.iter().position(|wanted| *wanted == name) {
            cells[place] = cell(value);
        }
    }
    cells[..keep.len()].iter().for_each(|cell| kept.push(*cell));
    Ok(())
}

#[inline]
fn cell(value: Value<'_>) -> Cell<'_> {
    match value {
        Value::Int32(n) => Cell::Int(i64::from(n)),
        Value::Int64(n) => Cell::Int(n),
        Value::Double(x) => Cell::Real(x),
        Value::Text(text) => Cell::Bytes(text.as_bytes()),
        Value::Bytes(bytes) => Cell::Bytes(bytes),
        Value::Boolean(truth) => Cell::Int(i64::from(truth)),
        Value::Document(_) | Value::Array(_) | Value::Null | Value::Other(_) => Cell::Null,
    }
}

/// "Lock time-out", and what drivers try again with it: an interrupted or conflicting write, a transaction that the
/// server ended, and what it forgot or moved meanwhile.
const LOCK_TIMEOUT: i64 = 24;
const TRANSIENT: [i64; 9] = [46, 112, 117, 208, 225, 226, 239, 246, 251];
/// Label of whatever else may be tried again.
const TRANSIENT_LABEL: &str = "TransientTransactionError";
const DUPLICATE_KEY: i64 = 11_000;

#[cold]
pub(crate) fn refusal(body: Document<'_>) -> Result<Fault, Malformed> {
    let first = match body.get("writeErrors")? {
        Some(Value::Array(errors)) => errors.fields().next().transpose()?,
        Some(_) | None => None,
    };
    let told = match first {
        Some((_, Value::Document(error))) => error,
        Some(_) | None => body,
    };
    let code = told.get("code")?.and_then(Value::whole).unwrap_or(0);
    let text = |name| -> Result<&str, Malformed> {
        Ok(match told.get(name)? {
            Some(Value::Text(text)) => text,
            Some(_) | None => "",
        })
    };
    let (name, why) = (text("codeName")?, text("errmsg")?);
    let number = if code == LOCK_TIMEOUT {
        1205
    } else if TRANSIENT.contains(&code) || is_transient(body)? {
        1213
    } else if code == DUPLICATE_KEY {
        1062
    } else {
        1105
    };
    let message = format!("{name} ({code}): {why}");
    Ok(Fault::Server { code: number, state: *b"HY000", message })
}

fn is_transient(body: Document<'_>) -> Result<bool, Malformed> {
    let Some(Value::Array(labels)) = body.get("errorLabels")? else { return Ok(false) };
    labels.fields().try_fold(false, |seen, label| Ok(seen || label?.1 == Value::Text(TRANSIENT_LABEL)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::mongodb::Writer;

    fn read(keep: &[&str], write: impl FnOnce(&mut Writer<'_>)) -> (Result<Answer, Fault>, KeptRows) {
        let mut bytes = Vec::new();
        let mut out = Writer::new(&mut bytes);
        write(&mut out);
        out.end();
        let mut kept = KeptRows::default();
        let answer = answer(Document::parse(&bytes).expect("just written"), keep, &mut kept).expect("well formed");
        (answer, kept)
    }

    #[test]
    fn fields_are_kept_in_the_order_that_was_asked_for() {
        let (answer, kept) = read(&["time", "absent", "id1"], |out| {
            let mut cursor = out.document("cursor");
            let mut batch = cursor.array("firstBatch");
            let mut link = batch.document(0);
            link.int64("id1", 5);
            link.bytes("data", b"x");
            link.int64("time", 9);
            link.end();
            batch.end();
            cursor.int64("id", 0);
            cursor.end();
            out.double("ok", 1.0);
        });
        assert_eq!(answer.map(|a| a.rows), Ok(1));
        assert_eq!((kept.cell(0, 0), kept.cell(0, 1), kept.cell(0, 2)), (Cell::Int(9), Cell::Null, Cell::Int(5)));
    }

    #[test]
    fn what_may_be_tried_again_has_the_numbers_that_are() {
        let number = |code: i32, label: Option<&str>| {
            let (answer, _) = read(&[], |out| {
                if let Some(label) = label {
                    let mut labels = out.array("errorLabels");
                    labels.text(0, label);
                    labels.end();
                }
                out.double("ok", 0.0);
                out.int32("code", code);
                out.text("codeName", "Name");
                out.text("errmsg", "words");
            });
            answer.map(|_| 0).map_err(|fault| (fault.number(), fault.to_string()))
        };
        let code = |code, label| number(code, label).unwrap_err().0;
        assert_eq!((code(112, None), code(24, None), code(251, None)), (1213, 1205, 1213));
        assert_eq!((code(8000, Some(TRANSIENT_LABEL)), code(11_000, None), code(2, None)), (1213, 1062, 1105));
        assert!(number(112, None).unwrap_err().1.ends_with("Name (112): words"));
    }

    #[test]
    fn a_write_that_was_refused_among_others_is_no_success() {
        let (answer, _) = read(&[], |out| {
            out.int32("n", 0);
            let mut errors = out.array("writeErrors");
            let mut error = errors.document(0);
            error.int32("index", 0);
            error.int32("code", 11_000);
            error.text("errmsg", "E11000 duplicate key");
            error.end();
            errors.end();
            out.double("ok", 1.0);
        });
        assert_eq!(answer.map_err(|fault| fault.number()), Err(1062));
    }
}
