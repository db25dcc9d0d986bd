//! The check `gets_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::protocol::Protocol;
use model::record::Record;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

/// Runs past SQL in which clients received so many values, and counters grew.
fn by_key(protocol: Protocol, received: u64, counters: &'static [(&'static str, f64)]) -> Record {
    spoilt(move |r| {
        r.plan.cells.iter_mut().for_each(|c| c.protocols = [protocol].into());
        for run in &mut r.runs {
            run.whole.rows = received;
            run.whole.connects = 4;
            for (name, delta) in counters {
                run.whole.counters.insert((*name).into(), ends(*delta));
            }
        }
    })
}

#[test]
fn who_comes_past_sql_is_counted_by_a_counter_that_moves() {
    let hits = |received| by_key(Protocol::Memcached, received, &[("memcached.get_hits", 200_000.0)]);
    assert_eq!(status(&hits(199_990), "gets_agree"), Pass);
    assert_eq!(status(&hits(199_500), "gets_agree"), Warn);
    assert_eq!(status(&hits(150_000), "gets_agree"), Fail);
    let finds = by_key(Protocol::HandlerSocket, 200_000, &[("status.Handler_read_key", 200_003.0)]);
    assert_eq!(status(&finds, "gets_agree"), Pass);
    assert_eq!(
        status(&by_key(Protocol::HandlerSocket, 200_000, &[("status.Handler_read_key", 0.0)]), "gets_agree"),
        Fail
    );
}

#[test]
fn the_sentence_names_the_counter_those_that_stood_still_and_the_commits_of_a_get() {
    let counters = &[
        ("memcached.get_hits", 200_004.0),
        ("innodb.dml_reads", 0.0),
        ("innodb.trx_rw_commits", 0.0),
        ("innodb.trx_nl_ro_commits", 200_000.0),
    ];
    let verdict = verdict(&by_key(Protocol::Memcached, 200_000, counters), "gets_agree");
    for part in ["`memcached.get_hits` grew by 200004", "`innodb.dml_reads` by 0", "1.000 `trx_nl_ro_commits`"] {
        assert!(verdict.sentence.contains(part), "{}", verdict.sentence);
    }
}

#[test]
fn without_the_counter_nothing_is_said() {
    assert_eq!(status(&by_key(Protocol::Memcached, 200_000, &[]), "gets_agree"), NotEvaluable);
}
