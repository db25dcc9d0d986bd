//! Bencher Metric Format: by benchmark and measure a value with its bounds. Bounds are those of the 95 % interval and
//! left out where there are too few repetitions for one.

use super::Handed;
use super::standing::{Place, places};
use serde_json::{Map, Value, json};

/// Longer names are refused there.
const LONGEST: usize = 1024;

pub fn of(handed: &Handed) -> Result<String, String> {
    let places = places(handed);
    let standing = places.iter().filter(|place| !place.standing().is_empty());
    let benchmarks: Map<String, Value> = standing.map(|place| (named(handed, place), measures(place))).collect();
    Ok(serde_json::to_string_pretty(&benchmarks).expect("plain values with text keys") + "\n")
}

fn named(handed: &Handed, place: &Place) -> String {
    format!("{}/{}", handed.record.plan.name, place.name).chars().take(LONGEST).collect()
}

fn measures(place: &Place) -> Value {
    let measure = |number: &super::standing::Number| {
        let mut metric = json!({ "value": number.estimate.value });
        if let (Some(low), Some(high)) = (number.estimate.low, number.estimate.high) {
            metric["lower_value"] = low.into();
            metric["upper_value"] = high.into();
        }
        (number.metric.to_string(), metric)
    };
    Value::Object(place.standing().iter().map(measure).collect())
}
