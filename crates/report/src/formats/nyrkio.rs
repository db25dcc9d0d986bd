//! JSON for Nyrkiö: a list with one result, its metrics by name. Results are filed there under a repository, a branch
//! and a commit, which a record does not know: the user gives them.

use super::Handed;
use super::standing::{Better, moment, places};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Without these a result is filed nowhere.
const NEEDED: [&str; 3] = ["git_repo", "branch", "git_commit"];
const MILLIS: u64 = 1000;

pub fn of(handed: &Handed) -> Result<String, String> {
    let lacking: Vec<&str> = NEEDED.into_iter().filter(|key| !handed.attributes.contains_key(*key)).collect();
    if !lacking.is_empty() {
        let asked: Vec<String> = lacking.iter().map(|key| format!("--attribute {key}=…")).collect();
        return Err(format!("Nyrkiö files a result under {}; add {}", NEEDED.join(", "), asked.join(" ")));
    }
    let places = places(handed);
    let metrics: Vec<Value> = places
        .iter()
        .flat_map(|place| place.standing().iter().map(move |number| (place, number)))
        .map(|(place, number)| {
            let direction = match number.better {
                Better::Higher => "higher_is_better",
                Better::Lower => "lower_is_better",
            };
            json!({
                "name": format!("{} {}", place.name, number.metric),
                "unit": number.estimate.unit,
                "value": number.estimate.value,
                "direction": direction,
            })
        })
        .collect();
    let struck: BTreeMap<&str, &str> =
        places.iter().filter_map(|place| Some((place.name.as_str(), place.struck?.check.as_str()))).collect();
    let lower_bounds: Vec<&str> = places
        .iter()
        .filter(|place| place.standing().iter().any(|number| number.is_least))
        .map(|place| place.name.as_str())
        .collect();
    let result = json!([{
        "timestamp": moment(handed.record) / MILLIS,
        "metrics": metrics,
        "attributes": handed.attributes,
        "extra_info": { "experiment": handed.record.plan.name, "struck": struck, "lower_bounds": lower_bounds },
    }]);
    Ok(serde_json::to_string_pretty(&result).expect("plain values with text keys") + "\n")
}
