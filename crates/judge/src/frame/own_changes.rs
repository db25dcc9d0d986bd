//! What the plan's own users change is the work and no change from outside. A script may create, alter and drop tables
//! in its events, grant rights or set variables; what it sent is in the record by its text, so that a difference at
//! something which one of its statements names is its own. A difference that none of them names stays somebody else's.

use super::evidence::RunEvidence;
use super::states::Difference;
use model::RunRecord;
use model::record::state::Facet;
use std::collections::BTreeSet;

/// With which words statements begin that change what is read at the ends of a run.
const CHANGING: &[(&[&str], &[Facet])] = &[
    (&["create", "alter", "drop", "rename", "truncate", "optimize", "analyze", "repair"], TABLES),
    (&["grant", "revoke", "create", "alter", "drop"], &[Facet::Grants]),
    (&["set"], &[Facet::Variables, Facet::UserSession]),
    (&["install", "uninstall"], &[Facet::Plugins]),
];
const TABLES: &[Facet] = &[Facet::Tables, Facet::Rows, Facet::Written, Facet::TableIds];

/// The words of one statement, without its quotes.
struct Said {
    first: String,
    words: BTreeSet<String>,
}

/// The statements of a run's users that can have changed something.
pub struct OwnChanges(Vec<Said>);

impl OwnChanges {
    pub fn of(run: &RunRecord) -> Self {
        let tallies = run.phases.iter().flat_map(|phase| phase.groups.values()).map(|group| &group.tally);
        let texts: BTreeSet<&String> =
            tallies.flat_map(|tally| tally.statements.keys().chain(tally.aside.keys())).collect();
        Self(texts.into_iter().filter_map(|text| said(text)).collect())
    }

    /// Those of several runs together.
    pub fn of_all<'a>(runs: impl Iterator<Item = &'a RunRecord>) -> Self {
        Self(runs.flat_map(|run| Self::of(run).0).collect())
    }

    pub fn explain(&self, difference: &Difference) -> bool {
        self.0.iter().any(|said| {
            let may = |(first, facets): &(&[&str], &[Facet])| {
                first.contains(&said.first.as_str()) && facets.contains(&difference.facet)
            };
            CHANGING.iter().any(may) && said.names(difference)
        })
    }
}

fn said(text: &str) -> Option<Said> {
    let words = words(text);
    let first = words.first()?.clone();
    let is_changing = CHANGING.iter().any(|(verbs, _)| verbs.contains(&first.as_str()));
    is_changing.then(|| Said { first, words: words.into_iter().collect() })
}

/// In small letters, with numbers as question marks: so they stand in the text of a script's statement.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.to_lowercase().chars().map(|c| if c.is_ascii_digit() { '?' } else { c }) {
        let is_inside = c.is_alphanumeric() || c == '_' || c == '?';
        match words.last_mut() {
            Some(word) if is_inside && !(c == '?' && word.ends_with('?')) => word.push(c),
            Some(word) if !is_inside && !word.is_empty() => words.push(String::new()),
            Some(_) | None => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

impl Said {
    /// A table's facts end with its name, a variable is its own; how many tables there are has no name.
    fn names(&self, difference: &Difference) -> bool {
        let key = &difference.key;
        match difference.facet {
            Facet::Tables if key.starts_with("number of tables") => true,
            Facet::Grants => true,
            _ => words(key).last().is_some_and(|name| self.words.contains(name)),
        }
    }
}

/// Without what the users of the run changed themselves.
pub fn from_outside(mut differences: Vec<Difference>, run: &RunEvidence) -> Vec<Difference> {
    let own = OwnChanges::of(run.run);
    differences.retain(|difference| !own.explain(difference));
    differences
}
