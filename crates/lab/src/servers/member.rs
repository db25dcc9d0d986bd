//! One server's place among those that serve the same data, as far as starting it as a process has to know: its number,
//! the ports of all, and what lies ready for them. What the servers are told of it is their kind's.

use std::path::Path;

/// Ports of 127.0.0.1 that one node listens on: a cluster has no other way to talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePorts {
    pub group: u16,
    pub transfer: u16,
}

impl NodePorts {
    /// An option file's or a variable's text with these ports as words: they are new at every start.
    pub fn hidden_in(&self, text: &str, number: u32) -> String {
        let hidden = |text: String, port: u16, word: &str| {
            let lead = [":", "base_port=", "base_port = ", "assay-"];
            lead.iter().fold(text, |t, lead| t.replace(&format!("{lead}{port}"), &format!("{lead}{{{word}{number}}}")))
        };
        hidden(hidden(text.to_string(), self.group, "group"), self.transfer, "transfer")
    }
}

/// One node's place in its cluster.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// From 1; the first founds the cluster, the others join.
    pub number: u32,
    /// The ports of all nodes, in order.
    pub gates: &'a [NodePorts],
    /// Galera's library.
    pub provider: &'a Path,
    /// A folder of all nodes: holds the script, and is where transfers meet.
    pub shared: &'a Path,
}
