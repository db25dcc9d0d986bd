//! The fields of a statement that several items share: what may be unknown, an answer, a place in a transaction.

use crate::rows::RowSums;
use crate::statement::{Answer, Place};
use crate::varint::{Cursor, Malformed, put};
use model::Nanos;

/// Unknown is 0, anything else itself and one more; the largest number is not written by anyone.
pub fn put_optional(out: &mut Vec<u8>, value: Option<u64>) {
    put(out, value.map_or(0, |value| value.saturating_add(1)));
}

pub fn read_optional(cursor: &mut Cursor<'_>) -> Result<Option<u64>, Malformed> {
    cursor.number().map(|number| number.checked_sub(1))
}

/// What stands in a table by number.
pub fn meant<T: Clone>(table: &[T], cursor: &mut Cursor<'_>) -> Result<T, Malformed> {
    let number: usize = cursor.narrow()?;
    table.get(number).cloned().ok_or(Malformed("a name or text that the block does not hold"))
}

pub fn place_code(place: Place) -> u8 {
    match place {
        Place::Alone => 1,
        Place::Begins => 2,
        Place::Inside => 3,
        Place::Commits => 4,
        Place::RollsBack => 5,
    }
}

pub fn place_of(code: u8) -> Result<Option<Place>, Malformed> {
    Ok(Some(match code {
        0 => return Ok(None),
        1 => Place::Alone,
        2 => Place::Begins,
        3 => Place::Inside,
        4 => Place::Commits,
        5 => Place::RollsBack,
        _ => return Err(Malformed("an unknown place in a transaction")),
    }))
}

/// Which fields follow, as bits in this order; then those, as numbers.
pub fn put_answer(out: &mut Vec<u8>, answer: &Answer) {
    let Answer { error, rows, result_sets, affected, warnings, examined, locked, sums } = answer;
    let numbers = [
        error.map(u64::from),
        *rows,
        result_sets.map(u64::from),
        *affected,
        warnings.map(u64::from),
        *examined,
        locked.map(|locked| locked.0),
    ];
    let known = numbers.iter().enumerate().map(|(bit, number)| u8::from(number.is_some()) << bit).sum::<u8>();
    out.push(known | u8::from(sums.is_some()) << 7);
    numbers.into_iter().flatten().for_each(|number| put(out, number));
    if let Some(sums) = sums {
        out.extend_from_slice(&sums.ordered.to_le_bytes());
        out.extend_from_slice(&sums.unordered.to_le_bytes());
    }
}

pub fn read_answer(cursor: &mut Cursor<'_>) -> Result<Answer, Malformed> {
    let known = cursor.byte()?;
    let mut number = |bit: u8| if known >> bit & 1 == 1 { cursor.number().map(Some) } else { Ok(None) };
    let narrow = |number: Option<u64>| {
        number.map(|n| u32::try_from(n).map_err(|_| Malformed("a count is larger than its field"))).transpose()
    };
    let error = number(0)?.map(|n| u16::try_from(n).map_err(|_| Malformed("an impossible number of an error")));
    let mut answer = Answer {
        error: error.transpose()?,
        rows: number(1)?,
        result_sets: narrow(number(2)?)?,
        affected: number(3)?,
        warnings: narrow(number(4)?)?,
        examined: number(5)?,
        locked: number(6)?.map(Nanos),
        sums: None,
    };
    if known >> 7 == 1 {
        let [ordered, unordered] = [cursor.array()?, cursor.array()?].map(u64::from_le_bytes);
        answer.sums = Some(RowSums { ordered, unordered });
    }
    Ok(answer)
}
