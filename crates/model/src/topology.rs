//! How many servers a cell's instance is made of, and what binds them. One server is the rule; a Galera cluster is
//! MariaDB's own answer for users who outgrow one machine, here on loopback: what certification and flow control cost
//! shows, what a network costs does not. It is written as one word, so that it can be an axis.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub enum Topology {
    #[default]
    Single,
    Galera {
        nodes: u32,
    },
}

impl Topology {
    pub const FORMS: &str = "\"single\", or \"galera:3\" with 2 to 7 nodes";
    /// One node certifies against nobody; more than seven on one machine only wait for each other.
    const NODES: std::ops::RangeInclusive<u32> = 2..=7;

    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None if text == "single" => Some(Self::Single),
            Some(("galera", nodes)) => {
                let nodes = nodes.parse().ok().filter(|n| Self::NODES.contains(n))?;
                let cluster = Self::Galera { nodes };
                // `+3` and `03` are no second spellings of one axis value.
                (cluster.to_string() == text).then_some(cluster)
            }
            Some(_) | None => None,
        }
    }
    pub fn nodes(self) -> u32 {
        match self {
            Self::Single => 1,
            Self::Galera { nodes } => nodes,
        }
    }
    pub fn is_single(&self) -> bool {
        *self == Self::Single
    }
}

/// A metric of one node: the first keeps the names of a single server.
pub fn of_node(node: u32, metric: &str) -> String {
    if node == 1 { metric.to_string() } else { format!("node{node}.{metric}") }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Single => f.write_str("single"),
            Self::Galera { nodes } => write!(f, "galera:{nodes}"),
        }
    }
}

impl TryFrom<String> for Topology {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is not a topology"))
    }
}

impl From<Topology> for String {
    fn from(topology: Topology) -> Self {
        topology.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_spelling_names_a_topology() {
        for text in ["single", "galera:2", "galera:7"] {
            assert_eq!(Topology::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "galera", "galera:", "galera:1", "galera:8", "galera:03", "galera:+3", "single:1", "Galera:3"]
        {
            assert_eq!(Topology::parse(text), None, "{text}");
        }
    }
}
