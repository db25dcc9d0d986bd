//! The check `counts_agree`: healthy, ill, and without its evidence.

use crate::bench::states::put;
use crate::bench::*;
use model::record::run::Writes;
use model::record::state::{Facet, OF_THE_LOAD};
use model::topology::Topology;
use model::verdict::Status::{Fail, NotEvaluable, Pass, Warn};

#[test]
fn client_and_server_must_count_the_same() {
    let asked = |extra: u64| all_runs(move |r| r.whole.questions += extra);
    assert_eq!(status(&asked(10), "counts_agree"), Pass);
    assert_eq!(status(&asked(60), "counts_agree"), Warn);
    assert_eq!(status(&asked(1_000), "counts_agree"), Fail);
    let commits = all_runs(|r| r.whole.commits = 5_000);
    let verdict = verdict(&commits, "counts_agree");
    assert_eq!(verdict.verdict, Fail);
    assert!(verdict.sentence.contains("5000 commits, the server 0"), "{}", verdict.sentence);
    let written = |rows, temporary: bool| {
        all_runs(move |r| {
            r.whole.writes = Some(Writes { statements: 3_000, rows: Some(3_000) });
            let counters = [("Com_insert", 3_000.0), ("Com_update", 0.0), ("Com_delete", 0.0), ("Handler_write", rows)];
            let tmp = temporary.then_some(("Handler_tmp_write", 7.0));
            for (name, delta) in
                counters.into_iter().chain([("Handler_update", 0.0), ("Handler_delete", 0.0)]).chain(tmp)
            {
                r.whole.counters.insert(format!("status.{name}"), ends(delta));
            }
        })
    };
    assert_eq!(status(&written(3_000.0, true), "counts_agree"), Pass);
    assert_eq!(status(&written(2_000.0, true), "counts_agree"), Fail);
    assert_eq!(status(&written(2_000.0, false), "counts_agree"), Pass, "rows of temporary tables may be among them");
}

#[test]
fn what_the_nodes_of_a_cluster_count_is_one_sum() {
    let of_two = |second: u64| {
        spoilt(move |r| {
            r.plan.cells.iter_mut().for_each(|c| c.server.topology = Topology::Galera { nodes: 2 });
            for run in &mut r.runs {
                run.whole.questions += second;
                run.whole.writes = Some(Writes { statements: 3_000, rows: Some(3_000) });
                run.whole.counters.insert("node2.status.Questions".into(), ends(1_001.0));
                run.whole.counters.insert("node2.sampler.statements".into(), ends(1.0));
                // Applied for the others, too.
                run.whole.counters.insert("status.Com_insert".into(), ends(6_000.0));
            }
        })
    };
    assert_eq!(status(&of_two(1_000), "counts_agree"), Pass);
    assert_eq!(status(&of_two(0), "counts_agree"), Fail);
}

#[test]
fn a_law_whose_counter_is_absent_is_not_held() {
    let blind = all_runs(|r| {
        r.whole.commits = 5_000;
        r.whole.counters.remove("status.Com_commit");
    });
    let verdict = verdict(&blind, "counts_agree");
    assert_eq!(verdict.verdict, NotEvaluable);
    assert!(verdict.sentence.contains("the load had commits"), "{}", verdict.sentence);
    let reading = all_runs(|r| {
        r.whole.counters.remove("status.Com_commit");
    });
    assert_eq!(status(&reading, "counts_agree"), Pass, "who commits nothing needs no count of it");
}

#[test]
fn who_asked_beside_the_load_is_named_by_user_and_host() {
    let mut record = all_runs(|r| {
        let asked = r.whole.counters["status.Questions"];
        r.whole.counters.insert("status.Questions".into(), ends(asked.delta() + 1_200.0));
    });
    let told = |record: &_| verdict(record, "counts_agree").sentence;
    put(&mut record, Facet::Others, [&[], &[("watcher@localhost", "1")]]);
    let there = told(&record);
    assert!(there.contains("beside the load watcher@localhost had a session"), "{there}");
    let ours = format!("root@localhost{OF_THE_LOAD}");
    let begin = [(ours.as_str(), "5000"), ("app@10.0.0.5", "300")];
    let end = [(ours.as_str(), "90000"), ("app@10.0.0.5", "1500"), ("watcher@localhost", "4")];
    put(&mut record, Facet::Askers, [&begin, &end]);
    let named = told(&record);
    assert!(named.ends_with("User app@10.0.0.5 sent 1200 statements during c001-1."), "{named}");
    put(&mut record, Facet::Askers, [&begin[..1], &end[..1]]);
    let alike = told(&record);
    assert!(alike.ends_with("No other account sent any during c001-1: who did came as the load does."), "{alike}");
}
