//! What the tables must say after a run. LinkBench keeps a counter beside each list, in the transaction of the change,
//! and never looks whether the two agree; here they are compared for every node and type (or a sample of a large
//! graph), and the growth of all three tables with what the users saw committed. A retry without a rollback, an upsert
//! whose affected rows mean something else, or a server that loses a commit shows as a number.

use super::graph::Shape;
use super::knobs;
use crate::Parameters;
use crate::audit::{Audit, Question, law};
use crate::session::Fact;
use model::record::audit::{Law, Term};

pub(super) const FACTS: &[&str] = &[
    "links_inserted",
    "links_hidden",
    "links_shown_again",
    "nodes_added",
    "nodes_deleted",
    "links_found",
    "links_missed",
    "lists_of_history",
];
pub(super) const INSERTED: Fact = Fact(0);
pub(super) const HIDDEN: Fact = Fact(1);
pub(super) const SHOWN_AGAIN: Fact = Fact(2);
pub(super) const NODES_ADDED: Fact = Fact(3);
pub(super) const NODES_DELETED: Fact = Fact(4);
/// What multigets asked for, found and not.
pub(super) const FOUND: Fact = Fact(5);
pub(super) const MISSED: Fact = Fact(6);
pub(super) const HISTORY: Fact = Fact(7);

/// A counter is made with version 0 by its first change.
const CHANGES: &str = "counters_and_their_changes";
/// Parts of the ids that are asked side by side.
const PARTS: u64 = 8;
/// Graphs up to this size are compared list by list, larger ones in a part of their ids: it takes some microseconds a
/// list.
pub(super) const COMPARED_NODES: u64 = 2_000_000;

/// Ranges of ids, both ends included, that cover all of them, or so many nodes spread evenly.
pub(super) fn ranges(shape: Shape, nodes: u64) -> Vec<(u64, u64)> {
    let at = |part: u64| shape.first_id + (u128::from(shape.nodes) * u128::from(part) / u128::from(PARTS)) as u64;
    let last = |part: u64| (at(part) + nodes.div_ceil(PARTS).max(1)).min(at(part + 1)) - 1;
    (0..PARTS).filter(|part| at(*part) < at(part + 1)).map(|part| (at(part), last(part))).collect()
}

pub(super) fn question(name: &str, ranges: &[(u64, u64)], sql: impl Fn(u64, u64) -> String) -> Question {
    let sql = ranges.iter().map(|(first, last)| sql(*first, *last)).collect();
    Question { name: name.to_string(), sql, watched: false }
}

pub(super) fn of(parameters: &Parameters) -> Audit {
    let shape = knobs::graph(parameters);
    let all = ranges(shape, shape.nodes);
    let compared = ranges(shape, shape.nodes.min(COMPARED_NODES));
    let links = |visible: &str| {
        let visible = visible.to_string();
        move |first, last| {
            format!(
                "SELECT COUNT(*) FROM linktable FORCE INDEX(id1_type) WHERE id1 BETWEEN {first} AND {last}{visible}"
            )
        }
    };
    let counts = |what: &str| {
        let what = what.to_string();
        move |first, last| format!("SELECT {what} FROM counttable WHERE id BETWEEN {first} AND {last}")
    };
    let drifted = |first, last| {
        format!(
            "SELECT COUNT(*) FROM (SELECT id, link_type FROM (\
             SELECT id, link_type, count AS told, 0 AS found FROM counttable WHERE id BETWEEN {first} AND {last} \
             UNION ALL SELECT id1, link_type, 0, COUNT(*) FROM linktable FORCE INDEX(id1_type) \
             WHERE id1 BETWEEN {first} AND {last} AND visibility = 1 GROUP BY id1, link_type) AS lists \
             GROUP BY id, link_type HAVING SUM(told) <> SUM(found)) AS drifted"
        )
    };
    let nodes = Question { name: "nodes".into(), sql: vec!["SELECT COUNT(*) FROM nodetable".into()], watched: false };
    Audit {
        setup: Vec::new(),
        questions: vec![
            question("links", &all, links("")),
            question("visible_links", &all, links(" AND visibility = 1")),
            question("counted_links", &all, counts("CAST(SUM(count) AS SIGNED)")),
            question(CHANGES, &all, counts("COUNT(*) + CAST(COALESCE(SUM(version), 0) AS SIGNED)")),
            question("drifted_counters", &compared, drifted),
            nodes,
        ],
        laws: laws(CHANGES),
    }
}

/// `changes` is the question that counts how often counters were changed.
pub(super) fn laws(changes: &str) -> Vec<Law> {
    let (inserted, hidden, shown) =
        (Term::fact("links_inserted"), Term::fact("links_hidden"), Term::fact("links_shown_again"));
    let lost = "a commit was lost, or done twice";
    let drift = "a change and its counter were not one transaction, or a retry began without a rollback";
    vec![
        law("LB1", "no counter of a node's links differs from its visible links", drift).equal(
            [Term::after("drifted_counters")],
            vec![],
            0,
        ),
        law("LB2", "all counters together are all visible links", drift).equal(
            [Term::after("counted_links")],
            [Term::after("visible_links")],
            0,
        ),
        law("LB3", "the links that users saw inserted are there", lost).equal(
            [Term::growth("links")],
            [inserted.clone()],
            1,
        ),
        law("LB4", "visible links grew by those inserted and shown again, less those hidden", lost).equal(
            [Term::growth("visible_links")],
            [inserted.clone(), shown.clone(), hidden.clone().times(-1)],
            1,
        ),
        law("LB5", "each of these changes moved one counter once", drift).equal(
            [Term::growth(changes)],
            [inserted, shown, hidden],
            1,
        ),
        law("LB6", "nodes grew by those that users saw added, less those deleted", lost).equal(
            [Term::growth("nodes")],
            [Term::fact("nodes_added"), Term::fact("nodes_deleted").times(-1)],
            1,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::graph::Split;
    use super::*;

    #[test]
    fn ranges_cover_every_id_once_and_samples_lie_within() {
        for nodes in [1, 5, 8, 1000, 999_999] {
            let shape = Shape { first_id: 3, nodes, types: 2, split: Split::Even, most_links: 1 };
            let all = ranges(shape, nodes);
            assert_eq!(all.iter().map(|(first, last)| last - first + 1).sum::<u64>(), nodes);
            assert_eq!((all[0].0, all[all.len() - 1].1), (3, nodes + 2));
            assert!(all.windows(2).all(|w| w[0].1 + 1 == w[1].0));
            let sample = ranges(shape, nodes / 4);
            assert!(sample.iter().zip(&all).all(|(s, a)| s.0 == a.0 && s.1 <= a.1 && s.0 <= s.1));
        }
    }
}
