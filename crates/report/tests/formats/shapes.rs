//! The JSON forms against the schemas that their makers publish: Bencher's `bmf.json`, and the entries that
//! github-action-benchmark and Nyrkiö document. Their services are no packages that could be asked here.

use super::Judged;
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Benchmarks hold measures, and a measure is a value with perhaps its bounds.
#[test]
fn bencher_is_given_what_its_schema_asks_for() {
    let told = json(&Judged::sample().text("bencher"));
    let benchmarks = told.as_object().expect("benchmarks by name");
    assert!(!benchmarks.is_empty());
    for (benchmark, measures) in benchmarks {
        assert!((1..=1024).contains(&benchmark.len()) && benchmark.starts_with("read-only-charsets/"), "{benchmark}");
        for (measure, metric) in measures.as_object().expect("measures by name") {
            assert!((1..=64).contains(&measure.len()), "{measure}");
            assert!(metric["value"].is_number(), "{benchmark} {measure}");
            assert!(keys(metric).iter().all(|key| ["value", "lower_value", "upper_value"].contains(key)), "{metric}");
            assert!(metric.as_object().unwrap().values().all(Value::is_number), "{metric}");
        }
    }
}

#[test]
fn the_action_is_given_entries_of_one_direction_each_once() {
    let judged = Judged::sample();
    let told = ["github-action-bigger", "github-action-smaller"].map(|format| json(&judged.text(format)));
    let mut names = Vec::new();
    for entry in told.iter().flat_map(|told| told.as_array().expect("a list")) {
        names.push(entry["name"].as_str().expect("a name"));
        assert!(entry["value"].is_number() && entry["unit"].is_string(), "{entry}");
        assert!(keys(entry).iter().all(|key| ["name", "unit", "value", "range", "extra"].contains(key)), "{entry}");
    }
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "no name stands twice");
    let named = |entry: &Value, word: &str| entry["name"].as_str().is_some_and(|name| name.contains(word));
    let metrics = |told: &Value, word: &str| told.as_array().expect("a list").iter().any(|entry| named(entry, word));
    assert!(metrics(&told[0], " qps") && !metrics(&told[0], "latency"));
    assert!(metrics(&told[1], "latency") && !metrics(&told[1], " qps"));
}

#[test]
fn nyrkio_is_given_a_result_with_its_commit_and_refuses_to_go_without() {
    let mut judged = Judged::sample();
    let told = json(&judged.text("nyrkio"));
    let [result] = told.as_array().expect("a list").as_slice() else { panic!("one record is one result") };
    assert!(result["timestamp"].is_u64());
    assert_eq!(result["attributes"]["git_commit"], "4f1c2d3");
    for metric in result["metrics"].as_array().expect("metrics") {
        assert!(metric["name"].is_string() && metric["unit"].is_string() && metric["value"].is_number(), "{metric}");
        assert!(["higher_is_better", "lower_is_better"].contains(&metric["direction"].as_str().unwrap()), "{metric}");
    }
    judged.attributes.remove("branch");
    let why = judged.told("nyrkio").expect_err("it would be filed nowhere");
    assert!(why.contains("git_commit; add --attribute branch=…"), "{why}");
}
