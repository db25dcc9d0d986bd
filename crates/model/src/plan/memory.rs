//! NUMA nodes that a server's memory comes from, in the words of an experiment, as numactl(8) has them. A word is
//! resolved against the host in one place, so that what the plan found possible is what the kernel is asked for. Where
//! an experiment has none, the server keeps the policy that its lab was started with.

use crate::host::Host;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryPolicy {
    /// The node of the CPU that touches a page first.
    Local,
    /// Page by page from all nodes in turn.
    Interleave,
    /// Only these nodes, as ranges with both ends: who finds them full fails.
    Bind(Vec<(u32, u32)>),
}

impl MemoryPolicy {
    pub const FORMS: &'static str = "\"local\", \"interleave\", \"node 0\" or \"nodes 0-1\"";

    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "local" => return Some(Self::Local),
            "interleave" => return Some(Self::Interleave),
            _ => {}
        }
        let list = text.trim().strip_prefix("nodes ").or_else(|| text.trim().strip_prefix("node "))?;
        let range = |part: &str| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
            (from <= to).then_some((from, to))
        };
        list.split(',').map(range).collect::<Option<Vec<_>>>().map(Self::Bind)
    }

    /// The nodes of this host that memory comes from, ascending, or why it has no such.
    pub fn on(&self, host: &Host) -> Result<Vec<u32>, String> {
        if host.nodes.is_empty() {
            return Err("its kernel tells of no NUMA nodes".into());
        }
        let Self::Bind(ranges) = self else { return Ok(host.nodes.clone()) };
        // Ranges are held against what is there, whatever numbers they have.
        let there = |from: u32, to: u32| host.nodes.iter().filter(|node| (from..=to).contains(node)).count() as u64;
        if ranges.iter().any(|(from, to)| there(*from, *to) != u64::from(to - from) + 1) {
            let nodes: Vec<_> = host.nodes.iter().map(u32::to_string).collect();
            let noun = if nodes.len() == 1 { "node" } else { "nodes" };
            return Err(format!("the host has NUMA {noun} {}", nodes.join(", ")));
        }
        let is_wanted = |node: &u32| ranges.iter().any(|(from, to)| (from..=to).contains(&node));
        Ok(host.nodes.iter().copied().filter(is_wanted).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(text: &str, nodes: &[u32]) -> Result<Vec<u32>, String> {
        MemoryPolicy::parse(text).unwrap().on(&Host { nodes: nodes.to_vec(), ..Host::default() })
    }

    #[test]
    fn words_for_memory_mean_the_nodes_that_the_host_has() {
        assert_eq!(on("interleave", &[0, 1, 4]), Ok(vec![0, 1, 4]));
        assert_eq!(on("node 1", &[0, 1]), Ok(vec![1]));
        assert_eq!(on("nodes 0-1,4", &[0, 1, 2, 4]), Ok(vec![0, 1, 4]));
        assert_eq!(on("local", &[0]), Ok(vec![0]));
    }

    #[test]
    fn nodes_that_are_not_there_are_told_with_those_that_are() {
        assert_eq!(on("node 1", &[0]), Err("the host has NUMA node 0".into()));
        assert_eq!(on("nodes 0-4000000000", &[0, 1]), Err("the host has NUMA nodes 0, 1".into()));
        assert!(on("interleave", &[]).unwrap_err().contains("no NUMA"));
        for mistaken in ["node", "nodes 1-0", "node one", "bind 0", ""] {
            assert_eq!(MemoryPolicy::parse(mistaken), None, "{mistaken}");
        }
    }
}
