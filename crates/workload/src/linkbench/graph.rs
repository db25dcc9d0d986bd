//! The graph as arithmetic: how many links of each type leave a node, to which ids, and where in the loaded tables a
//! link stands. All of it follows from the parameters, without a random number, so that any loader finds its rows, any
//! user its targets, and the sums of a whole graph can be compared with those that others published.

use super::degrees::Degrees;
use super::shuffle::{BY_DEGREE, Shuffle};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// How links are dealt to types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// LinkBench's remainder is computed wrongly, so that most types get one more: half a link per node too many.
    Inflated,
    /// As its comment says.
    Even,
    /// The fork of 2020: every node has at least one link of each type.
    AtLeastOne,
}

/// What a graph follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub first_id: u64,
    pub nodes: u64,
    pub types: u64,
    pub split: Split,
    /// No node has more links, types together; the original has no such limit.
    pub most_links: u64,
}

pub(super) struct Graph {
    pub shape: Shape,
    pub by_degree: Arc<Shuffle>,
    degrees: Arc<Degrees>,
    rows: OnceLock<Rows>,
}

/// Rows before each stretch of ids, and in all.
struct Rows {
    /// By type, then stretch.
    links: Vec<Vec<u64>>,
    counts: Vec<u64>,
}

/// Ids of one stretch; finding a row walks through half of them.
const STRETCH: u64 = 1024;
/// Graphs that are remembered: a plan has few, and each is asked for many times.
const REMEMBERED: usize = 4;

/// The graphs of a workload, by whose links per node they have; clones remember the same ones.
#[derive(Clone, Default)]
pub(crate) struct Graphs {
    /// Users' own, by their paths.
    files: BTreeMap<String, Arc<Degrees>>,
    remembered: Arc<Mutex<Vec<Arc<Graph>>>>,
}

impl Graphs {
    /// The same with a user's Distribution.dat.
    pub fn with_file(&self, path: &str, text: &str) -> Result<Self, String> {
        let mut files = self.files.clone();
        files.insert(path.to_string(), Arc::new(Degrees::parsed(text)?));
        Ok(Self { files, remembered: Arc::default() })
    }
    pub(super) fn degrees(&self, edition: &str) -> Arc<Degrees> {
        let file = || self.files.get(edition).cloned();
        Degrees::edition(edition).or_else(file).expect("a file is read before its graph is asked for")
    }
    /// The graph of that shape, remembered.
    pub(super) fn of(&self, edition: &str, shape: Shape) -> Arc<Graph> {
        let degrees = self.degrees(edition);
        let mut known = self.remembered.lock().expect("no panic while held");
        if let Some(graph) = known.iter().find(|g| g.shape == shape && Arc::ptr_eq(&g.degrees, &degrees)) {
            return graph.clone();
        }
        let graph = Arc::new(Graph {
            shape,
            by_degree: Arc::new(Shuffle::over(shape.nodes, BY_DEGREE)),
            degrees,
            rows: OnceLock::new(),
        });
        known.truncate(REMEMBERED - 1);
        known.insert(0, graph.clone());
        graph
    }
}

impl Graph {
    /// Links of a node as drawn, before they are dealt to types.
    pub fn degree(&self, id: u64) -> u64 {
        let rank = self.by_degree.rank(id - self.shape.first_id);
        self.degrees.of_rank(rank, self.shape.nodes).min(self.shape.most_links)
    }
    /// Loaded links of a node of one type (from 0).
    pub fn links(&self, id: u64, link_type: u64) -> u64 {
        self.shape.split.deal(self.degree(id), link_type, self.shape.types)
    }
    fn rows(&self) -> &Rows {
        self.rows.get_or_init(|| self.count_rows())
    }
    fn count_rows(&self) -> Rows {
        let Shape { first_id, nodes, types, split, .. } = self.shape;
        let mut all = vec![0; types as usize];
        let mut counts = 0;
        let mut rows = Rows { links: vec![Vec::new(); types as usize], counts: Vec::new() };
        for number in 0..nodes {
            if number.is_multiple_of(STRETCH) {
                rows.links.iter_mut().zip(&all).for_each(|(stretches, before)| stretches.push(*before));
                rows.counts.push(counts);
            }
            let degree = self.degree(first_id + number);
            for (link_type, all) in all.iter_mut().enumerate() {
                let links = split.deal(degree, link_type as u64, types);
                *all += links;
                counts += u64::from(links > 0);
            }
        }
        rows.links.iter_mut().zip(&all).for_each(|(stretches, before)| stretches.push(*before));
        rows.counts.push(counts);
        rows
    }
    /// All links.
    pub fn link_rows(&self) -> u64 {
        (0..self.shape.types).map(|t| self.links_of_type(t)).sum()
    }
    pub fn links_of_type(&self, link_type: u64) -> u64 {
        *self.rows().links[link_type as usize].last().expect("there is an end")
    }
    /// Nodes and types with at least one link.
    pub fn count_rows_loaded(&self) -> u64 {
        *self.rows().counts.last().expect("there is an end")
    }
    /// Links in the order of the primary key (type, id, then their number), from a row on.
    pub fn links_from(&self, row: u64) -> Links<'_> {
        let (mut link_type, mut left) = (0, row);
        while left >= self.links_of_type(link_type) {
            left -= self.links_of_type(link_type);
            link_type += 1;
            assert!(link_type < self.shape.types, "row {row} of {}", self.link_rows());
        }
        let stretches = &self.rows().links[link_type as usize];
        let stretch = stretches.partition_point(|before| *before <= left) - 1;
        let mut links = Links {
            graph: self,
            link_type,
            id: self.shape.first_id + stretch as u64 * STRETCH,
            number: left - stretches[stretch],
            of_this: 0,
        };
        links.of_this = self.links(links.id, link_type);
        links.settle();
        links
    }
    /// Nodes and types with links, in the order of ids, from a row on.
    pub fn counts_from(&self, row: u64) -> Counts<'_> {
        let before = &self.rows().counts;
        let stretch = before.partition_point(|before| *before <= row) - 1;
        let mut counts =
            Counts { graph: self, id: self.shape.first_id + stretch as u64 * STRETCH, link_type: 0, degree: 0 };
        counts.degree = self.degree(counts.id);
        for _ in before[stretch]..row {
            counts.next();
        }
        counts
    }
}

impl Split {
    pub fn deal(self, links: u64, link_type: u64, types: u64) -> u64 {
        let each = links / types;
        match self {
            Self::Inflated => each + u64::from(link_type < links - each),
            Self::Even => each + u64::from(link_type < links - each * types),
            Self::AtLeastOne => links.max(types) / types,
        }
    }
}

/// One loaded link: its type counts from 0, its number from 0 within its node and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub link_type: u64,
    pub id: u64,
    pub number: u64,
}

pub(super) struct Links<'a> {
    graph: &'a Graph,
    link_type: u64,
    id: u64,
    number: u64,
    /// Links of this node and type.
    of_this: u64,
}

impl Links<'_> {
    /// Moves on to a node that has the link that `number` says.
    fn settle(&mut self) {
        let Shape { first_id, nodes, types, .. } = self.graph.shape;
        while self.number >= self.of_this {
            self.number -= self.of_this;
            self.id += 1;
            if self.id == first_id + nodes {
                (self.id, self.link_type) = (first_id, self.link_type + 1);
                if self.link_type == types {
                    return;
                }
            }
            self.of_this = self.graph.links(self.id, self.link_type);
        }
    }
}

impl Iterator for Links<'_> {
    type Item = Link;
    fn next(&mut self) -> Option<Link> {
        if self.link_type == self.graph.shape.types {
            return None;
        }
        let link = Link { link_type: self.link_type, id: self.id, number: self.number };
        self.number += 1;
        self.settle();
        Some(link)
    }
}

/// Loaded links of one node and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub id: u64,
    pub link_type: u64,
    pub links: u64,
}

pub(super) struct Counts<'a> {
    graph: &'a Graph,
    id: u64,
    link_type: u64,
    /// The degree of the node that `id` says.
    degree: u64,
}

impl Iterator for Counts<'_> {
    type Item = Count;
    fn next(&mut self) -> Option<Count> {
        let Shape { first_id, nodes, types, split, .. } = self.graph.shape;
        while self.id < first_id + nodes {
            let count =
                Count { id: self.id, link_type: self.link_type, links: split.deal(self.degree, self.link_type, types) };
            self.link_type += 1;
            if self.link_type == types {
                (self.id, self.link_type) = (self.id + 1, 0);
                if self.id < first_id + nodes {
                    self.degree = self.graph.degree(self.id);
                }
            }
            if count.links > 0 {
                return Some(count);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
