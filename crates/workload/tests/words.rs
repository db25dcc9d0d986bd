//! What experiments can say about the workloads: names, defaults within their bounds, and no knob that changes nothing.

use model::words::{Kind, Literal};
use workload::Workloads;

#[test]
fn every_workload_answers_to_its_name_alone() {
    for words in Workloads::built_in().words() {
        assert_eq!(Workloads::built_in().by_name(&words.name).map(|w| w.words().name), Some(words.name));
    }
    assert!(Workloads::built_in().by_name("oltp").is_none());
}

#[test]
fn every_default_is_of_its_kind() {
    for workload in Workloads::built_in().words() {
        for p in workload.parameters {
            let default = p.default.clone().unwrap_or_else(|| panic!("{} {} has no default", workload.name, p.name));
            let fits = match (p.kind, default.clone()) {
                (Kind::Flag, Literal::Flag(_)) => true,
                (Kind::Count { min, max }, Literal::Count(n)) => (min..=max).contains(&n),
                (Kind::Real { min, max }, Literal::Real(x)) => (min..=max).contains(&x),
                (Kind::Choice(choices), Literal::Text(word)) => choices.contains(&&*word),
                (Kind::Text, Literal::Text(_)) => true,
                _ => false,
            };
            assert!(fits, "{} {}: {default:?} is not {:?}", workload.name, p.name, p.kind);
        }
    }
}

#[test]
fn a_member_has_the_knobs_that_change_it_and_no_others() {
    let having = |knob: &str| -> Vec<_> {
        let has = |w: &model::words::WorkloadWords| w.parameters.iter().any(|p| p.name == knob);
        Workloads::built_in().words().into_iter().filter(has).map(|w| w.name).collect()
    };
    let names = |all: &[&str]| all.iter().map(|name| name.to_string().into()).collect::<Vec<std::borrow::Cow<_>>>();
    let mixes = ["oltp.mixed", "oltp.read_write", "oltp.write_only"];
    assert_eq!(having("transactions"), mixes);
    assert_eq!(having("point_selects"), mixes[..2]);
    assert_eq!(having("distinct_ranges"), [&mixes[..2], &["versioned.range_queries"]].concat());
    assert_eq!((having("index_updates"), having("delete_inserts")), (names(&mixes[1..]), names(&mixes[1..])));
    assert_eq!(
        having("range_size"),
        [
            "oltp.mixed",
            "oltp.simple_ranges",
            "oltp.sum_ranges",
            "oltp.ordered_ranges",
            "oltp.distinct_ranges",
            "oltp.read_write",
            "oltp.range_covered_pk",
            "oltp.range_notcovered_pk",
            "oltp.range_covered_si",
            "oltp.range_notcovered_si",
            "oltp.count_ranges",
            "versioned.range_queries",
            "versioned.access"
        ]
    );
    assert_eq!(
        having("random_points"),
        [
            "oltp.random_points",
            "oltp.in_list_selects",
            "oltp.points_covered_pk",
            "oltp.points_notcovered_pk",
            "oltp.points_covered_si",
            "oltp.points_notcovered_si",
            "oltp.in_list_updates"
        ]
    );
    assert_eq!(
        (having("hot_points"), having("delta")),
        (names(&["oltp.in_list_selects", "oltp.in_list_updates"]), names(&["oltp.random_ranges"]))
    );
}

#[test]
fn who_has_a_statement_that_writes_says_that_it_writes() {
    let writes: Vec<_> = Workloads::built_in().words().into_iter().filter(|w| w.writes).map(|w| w.name).collect();
    assert_eq!(
        writes,
        [
            "oltp.read_write",
            "oltp.write_only",
            "oltp.insert",
            "oltp.delete",
            "oltp.update_index",
            "oltp.update_non_index",
            "oltp.bulk_insert",
            "oltp.in_list_updates",
            "oltp.update_one",
            "kv.sql_mix",
            "kv.memcached_mix",
            "kv.handlersocket_mix",
            "linkbench",
            "linkbench.mongodb",
            "tpcc.faithful",
            "tpcc.compat",
            "versioned.create",
            "versioned.insert",
            "versioned.update_non_index",
            "versioned.update_index",
            "versioned.delete_all",
            "versioned.delete_history",
            "versioned.moment",
            "versioned.access",
            "insert.load",
            "insert.create_indexes",
            "insert.insert"
        ]
    );
}

#[test]
fn a_workload_asks_in_sql_or_in_none_of_it() {
    for words in Workloads::built_in().words() {
        let sql = words.protocols.iter().filter(|protocol| protocol.is_sql()).count();
        assert!([0, words.protocols.len()].contains(&sql), "{} is SQL, or it is not", words.name);
    }
}
