//! The check `server_did_the_work`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::value::Value;
use model::verdict::Status::{Fail, NotEvaluable, Pass};

#[test]
fn answers_from_a_cache_are_no_work_of_the_server() {
    let cached = |hits: f64| move |r: &mut model::record::run::RunRecord| counter(r, "db.query_cache_hits", hits);
    assert_eq!(status(&record(), "server_did_the_work"), Pass, "a server without the cache");
    assert_eq!(status(&all_runs(cached(5.0)), "server_did_the_work"), Pass);
    let much = verdict(&all_runs(cached(20_000.0)), "server_did_the_work");
    assert_eq!(much.verdict, Fail);
    assert!(much.sentence.contains("from the query cache"), "{}", much.sentence);
    let mut subject = experiment(&[("settings.query_cache", &[Value::from("off"), Value::from("on")])]);
    subject.runs.iter_mut().for_each(cached(20_000.0));
    assert_eq!(status(&subject, "server_did_the_work"), Pass, "it is what the experiment varies");
    assert_eq!(
        status(&all_runs(|r| counter(r, "db.handler_reads", 0.0)), "server_did_the_work"),
        Fail,
        "rows of nobody"
    );
    let unknown = all_runs(|r| forget(r, "db.selects"));
    assert_eq!(status(&unknown, "server_did_the_work"), NotEvaluable);
}
