//! What a test does, by what its statements did while it ran: the four groups in which studies publish.

use super::run::PhaseRecord;

/// In the order in which studies publish them.
pub const GROUPS: [&str; 4] = ["point", "range", "aggregation", "write"];

/// The group of a test, over all that was measured of it: one that changed rows makes it a writing one.
pub fn group<'a>(phases: impl Iterator<Item = &'a PhaseRecord>) -> &'static str {
    let statements: Vec<_> = phases.flat_map(|p| p.groups.values()).flat_map(|g| &g.tally.statements).collect();
    let named = |words: &[&str]| statements.iter().any(|(name, _)| words.iter().any(|word| name.contains(word)));
    if statements.iter().any(|(name, statement)| statement.affected > 0 || *name == "set") {
        "write"
    } else if named(&["sum", "distinct", "count", "min_max"]) {
        "aggregation"
    } else if named(&["range", "list", "scan", "between", "versions"]) {
        "range"
    } else {
        "point"
    }
}
