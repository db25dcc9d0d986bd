//! A source of one node of a cluster: what it reads is written down as that node's (`node2.status.Questions`). The
//! first node keeps the plain names, so that the record of a single server is the record of a cluster of one.

use crate::samplers::{Occasion, Reading, Source};
use model::topology::of_node;

pub(crate) struct OfNode {
    number: u32,
    name: String,
    source: Box<dyn Source>,
}

impl OfNode {
    pub(crate) fn new(number: u32, source: Box<dyn Source>) -> Self {
        Self { number, name: of_node(number, source.name()), source }
    }
}

impl Source for OfNode {
    fn name(&self) -> &str {
        &self.name
    }
    fn read(&mut self, occasion: Occasion, reading: &mut Reading) {
        self.source.read(occasion, reading);
        for (metric, _) in &mut reading.values {
            metric.name = of_node(self.number, &metric.name);
        }
        for (what, _) in &mut reading.missing {
            *what = format!("node {}: {what}", self.number);
        }
    }
}
