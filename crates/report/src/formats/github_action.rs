//! JSON for github-action-benchmark: a list of named values. The action takes one direction per file, so there are two:
//! what is better when it grows, and what is better when it shrinks.

use super::Handed;
use super::standing::{Better, Number, places};
use serde_json::{Value, json};

pub fn bigger(handed: &Handed) -> Result<String, String> {
    Ok(of(handed, Better::Higher))
}

pub fn smaller(handed: &Handed) -> Result<String, String> {
    Ok(of(handed, Better::Lower))
}

fn of(handed: &Handed, better: Better) -> String {
    let places = places(handed);
    let numbers = places.iter().flat_map(|place| place.standing().iter().map(move |number| (place, number)));
    let entries = numbers.filter(|(_, number)| number.better == better).map(|(place, number)| {
        let mut entry = json!({
            "name": format!("{} {}", place.name, number.metric),
            "unit": number.estimate.unit,
            "value": number.estimate.value,
            "extra": extra(number),
        });
        if let (Some(low), Some(high)) = (number.estimate.low, number.estimate.high) {
            entry["range"] = format!("± {}", (high - low) / 2.0).into();
        }
        entry
    });
    serde_json::to_string_pretty(&entries.collect::<Vec<Value>>()).expect("plain values with text keys") + "\n"
}

/// What the action shows when it is pointed at.
fn extra(number: &Number) -> String {
    let runs = match number.estimate.n {
        1 => "1 run".to_string(),
        n => format!("{n} runs"),
    };
    if number.is_least { format!("{runs}; a lower bound, because the client was in the way") } else { runs }
}
