//! The check `plans_agree`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::verdict::Status::{Fail, NotEvaluable, Pass};

#[test]
fn another_plan_is_a_fact_of_the_variant_or_a_fault() {
    let scan = |cell: &'static str| {
        spoilt(|r| of_cell(r, cell).for_each(|r| r.session.plans[0].explain = EXPLAIN.replace("const", "ALL")))
    };
    assert_eq!(status(&record(), "plans_agree"), Pass);
    let both = spoilt(|r| {
        for cell in ["c003", "c004"] {
            of_cell(r, cell).for_each(|r| r.session.plans[0].explain = EXPLAIN.replace("const", "ALL"));
        }
    });
    let fact = verdict(&both, "plans_agree");
    assert_eq!(fact.verdict, Pass);
    assert!(
        fact.sentence.contains(
            "`sbtest1 ALL PRIMARY` in oltp.point_selects, utf8mb4-generic, 1 user (c003), which differ in `charset`"
        ),
        "{}",
        fact.sentence
    );
    let fault = verdict(&scan("c002"), "plans_agree");
    assert_eq!(fault.verdict, Fail, "more users do not change a plan: {}", fault.sentence);
    assert_eq!(status(&all_runs(|r| r.session.plans.clear()), "plans_agree"), NotEvaluable);
}
