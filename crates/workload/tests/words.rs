//! What experiments can say about the workloads: names, defaults within their bounds, and no knob that changes nothing.

use model::words::{Kind, Literal};
use std::collections::BTreeSet;
use workload::{ALL, by_name, words};

#[test]
fn every_workload_answers_to_its_name_alone() {
    let names: BTreeSet<_> = words().iter().map(|w| w.name).collect();
    assert_eq!(names.len(), ALL.len());
    for name in names {
        assert_eq!(by_name(name).map(|w| w.words().name), Some(name));
    }
    assert!(by_name("oltp").is_none());
}

#[test]
fn every_default_is_of_its_kind() {
    for workload in words() {
        for p in workload.parameters {
            let default = p.default.unwrap_or_else(|| panic!("{} {} has no default", workload.name, p.name));
            let fits = match (p.kind, default) {
                (Kind::Flag, Literal::Flag(_)) => true,
                (Kind::Count { min, max }, Literal::Count(n)) => (min..=max).contains(&n),
                (Kind::Real { min, max }, Literal::Real(x)) => (min..=max).contains(&x),
                (Kind::Choice(choices), Literal::Text(word)) => choices.contains(&word),
                _ => false,
            };
            assert!(fits, "{} {}: {default:?} is not {:?}", workload.name, p.name, p.kind);
        }
    }
}

#[test]
fn only_members_with_ranges_have_a_range_size() {
    for workload in words().iter().filter(|w| w.family() == "oltp") {
        let has = workload.parameters.iter().any(|p| p.name == "range_size");
        assert_eq!(has, workload.name != "oltp.point_selects", "{}", workload.name);
    }
}

#[test]
fn only_the_mix_has_transactions_and_counts() {
    for workload in words() {
        for knob in ["transactions", "point_selects", "distinct_ranges"] {
            let has = workload.parameters.iter().any(|p| p.name == knob);
            assert_eq!(has, workload.name == "oltp.mixed", "{} {knob}", workload.name);
        }
    }
}
