//! CSV for Apache Otava: a column per number and one row, because a record is one point of its series; rows of further
//! records of the same experiment are put below it. Otava finds no change in a series that has a hole (tried with 0.8),
//! so a row is whole or there is none: nights on which a cell is struck leave no row for it.

use super::Handed;
use super::standing::{moment, places};
use super::utc::utc;

pub fn of(handed: &Handed) -> Result<String, String> {
    let mut columns = vec!["time".to_string(), "experiment".into()];
    let mut row = vec![utc(moment(handed.record)), handed.record.plan.name.clone()];
    for (key, value) in handed.attributes {
        columns.push(key.clone());
        row.push(value.clone());
    }
    for place in places(handed) {
        if let Some(verdict) = place.struck {
            return Err(format!(
                "{} ({}) is struck by `{}`, and Otava finds no change in a series with a hole; keep a file for each \
                 cell, with --cell, and add no row for this one",
                place.name, place.cell.id, verdict.check
            ));
        }
        for number in place.standing() {
            columns.push(format!("{} {}", place.name, number.metric));
            row.push(number.estimate.value.to_string());
        }
    }
    Ok(crate::csv::line(columns.iter().map(String::as_str)) + &crate::csv::line(row.iter().map(String::as_str)))
}
