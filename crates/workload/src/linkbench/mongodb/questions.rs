//! What the collections must say after a run: the questions of the tables, as commands. Where a question is two
//! commands, the lab counts the keys whose numbers differ, because not every server joins.

use super::super::audit::{COMPARED_NODES, laws, question, ranges};
use super::super::graph::Shape;
use super::{COUNTS, LINKS, NODES};
use crate::audit::{Audit, Question};

/// An upsert adds to the version of a counter that it makes, too.
const CHANGES: &str = "changes_of_counters";

pub(super) fn of(shape: Shape) -> Audit {
    let all = ranges(shape, shape.nodes);
    let compared = ranges(shape, shape.nodes.min(COMPARED_NODES));
    let within = |field: &str, first: u64, last: u64| format!(r#""{field}": {{"$gte": {first}, "$lte": {last}}}"#);
    let links = |visible: &'static str| {
        move |first, last| format!(r#"{{"count": "{LINKS}", "query": {{{}{visible}}}}}"#, within("id1", first, last))
    };
    let sum = |of: &'static str| {
        move |first, last| {
            let group = format!(r#"{{"_id": null, "n": {{"$sum": "${of}"}}}}"#);
            grouped(COUNTS, &within("id", first, last), &group)
        }
    };
    let pair =
        |id: &str, n: &str| format!(r#"{{"_id": {{"id": "${id}", "type": "$link_type"}}, "n": {{"$sum": {n}}}}}"#);
    let drifted = |first, last| {
        let told = grouped(COUNTS, &within("id", first, last), &pair("id", r#""$count""#));
        let visible = format!(r#"{}, "visibility": 1"#, within("id1", first, last));
        format!("[{told}, {}]", grouped(LINKS, &visible, &pair("id1", "1")))
    };
    let nodes = Question {
        name: "nodes".into(),
        sql: vec![format!(r#"{{"count": "{NODES}", "query": {{}}}}"#)],
        watched: false,
    };
    Audit {
        setup: Vec::new(),
        questions: vec![
            question("links", &all, links("")),
            question("visible_links", &all, links(r#", "visibility": 1"#)),
            question("counted_links", &all, sum("count")),
            question(CHANGES, &all, sum("version")),
            question("drifted_counters", &compared, drifted),
            nodes,
        ],
        laws: laws(CHANGES),
    }
}

fn grouped(collection: &str, matched: &str, group: &str) -> String {
    format!(
        r#"{{"aggregate": "{collection}", "pipeline": [{{"$match": {{{matched}}}}}, {{"$group": {group}}}], "cursor": {{}}}}"#
    )
}
