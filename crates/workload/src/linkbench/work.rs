//! Hot path: what users do, resolved from the parameters once, and the drawing of one operation: which kind, which
//! node, which link, which bytes. A retry does the drawn operation again.

use super::access::{Blend, Heat, Multiget, STEEPEST, Zipf};
use super::data::FIRST_LINK_TYPE;
use super::graph::{Graph, Graphs};
use super::knobs::{self, count, flag, is, is_on, real};
use super::mix::{Kind, Mix};
use super::payload::{LINK, NODE, Payload};
use super::shuffle::{BY_LINK_HEAT, BY_NODE_HEAT, Shuffle};
use crate::Parameters;
use crate::draw::Generator;
use std::sync::Arc;

/// Whose statements write links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// LinkBench's: an upsert of the visibility, then what follows from its count of affected rows.
    Upserts,
    /// The fork's: an insert, and an update where there is such a link; an update, and an insert where there is none.
    InsertElseUpdate,
}

pub(super) struct Work {
    pub graph: Arc<Graph>,
    pub mix: Mix,
    pub dialect: Dialect,
    pub prepared: bool,
    pub hinted: bool,
    pub range_limit: u64,
    history: f64,
    multiget: Multiget,
    anywhere: bool,
    per_user: bool,
    reads: Blend,
    writes: Blend,
    node_reads: Heat,
    node_updates: Heat,
    link_bytes: f64,
    node_bytes: f64,
    motif_bytes: usize,
}

/// How probable it is that a link operation meets a link that was loaded.
fn aim(kind: Kind) -> f64 {
    match kind {
        Kind::AddLink => 0.05,
        Kind::DeleteLink | Kind::UpdateLink => 0.9,
        Kind::MultigetLinks => 0.5,
        Kind::CountLinks | Kind::GetLinksList | Kind::AddNode | Kind::UpdateNode | Kind::DeleteNode | Kind::GetNode => {
            unreachable!("{kind:?} names no link")
        }
    }
}

/// Draws of an id that is not yet among those of a multiget, before one is taken twice.
const TRIES: usize = 100;

impl Work {
    pub fn of(parameters: &Parameters, graphs: &Graphs) -> Self {
        let graph = graphs.of(knobs::edition(parameters), knobs::graph(parameters));
        let nodes = graph.shape.nodes;
        let zipf = |name| Zipf::over(nodes, real(parameters, name).min(STEEPEST));
        let by_link_heat = Arc::new(Shuffle::over(nodes, BY_LINK_HEAT));
        let by_node_heat = Arc::new(Shuffle::over(nodes, BY_NODE_HEAT));
        let blend = |shape, uncorrelated| Blend {
            first_share: real(parameters, uncorrelated) / 100.0,
            first: Heat { zipf: zipf(shape), shuffle: by_link_heat.clone() },
            second: Heat { zipf: zipf(shape), shuffle: graph.by_degree.clone() },
        };
        let reads = blend("read_shape", "read_uncorrelated");
        let mut writes = blend("write_shape", "write_uncorrelated");
        if is(parameters, "write_heat", "as_reads") {
            (writes.first_share, writes.first) = (reads.first_share, reads.first.clone());
        }
        let node = |shape| Heat { zipf: zipf(shape), shuffle: by_node_heat.clone() };
        Self {
            mix: Mix::named(parameters["mix"].text().expect("parameters were checked against their kinds")),
            dialect: if is(parameters, "statements", "2020") { Dialect::InsertElseUpdate } else { Dialect::Upserts },
            prepared: is(parameters, "protocol", "prepared"),
            hinted: is_on(parameters, "hint_primary"),
            range_limit: count(parameters, "range_limit"),
            history: real(parameters, "history") / 100.0,
            multiget: Multiget { shifted: is(parameters, "multiget_sizes", "shifted") },
            anywhere: is(parameters, "id2_choice", "anywhere"),
            per_user: flag(parameters, "id2_per_user"),
            node_reads: node("node_read_shape"),
            node_updates: node("node_update_shape"),
            link_bytes: real(parameters, "link_bytes"),
            node_bytes: real(parameters, "node_bytes"),
            motif_bytes: count(parameters, "motif_bytes") as usize,
            reads,
            writes,
            graph,
        }
    }
}

/// One user's own: which remainder class it writes, the motifs it repeats.
pub(super) struct Habits {
    number: u64,
    users: u64,
    links: Payload,
    updates: Payload,
    nodes: Payload,
    node_updates: Payload,
}

impl Habits {
    pub fn of(work: &Work, number: u32, users: u32, generator: &mut Generator) -> Self {
        let mut link = || Payload::new(LINK, work.link_bytes, work.motif_bytes, generator);
        let (links, updates) = (link(), link());
        let mut node = || Payload::new(NODE, work.node_bytes, work.motif_bytes, generator);
        let (nodes, node_updates) = (node(), node());
        Self { number: u64::from(number), users: u64::from(users.max(1)), links, updates, nodes, node_updates }
    }
}

/// The operation at hand.
pub(super) struct Drawn {
    pub kind: Kind,
    /// The node, or where links begin; 0 where the server numbers it.
    pub id: u64,
    /// As the table has it.
    pub link_type: u64,
    /// Links of that node and type when they were loaded.
    pub loaded: u64,
    /// Where links lead.
    pub ids: Vec<u64>,
    pub bytes: Vec<u8>,
    /// Ask for what an earlier list left out.
    pub history: bool,
    /// The client's clock when the operation was first said; 0 before.
    pub unix_ms: u64,
}

/// Room for all but one payload in ten million.
const PAYLOAD_BYTES: usize = 1 << 15;

impl Drawn {
    pub fn nothing() -> Self {
        Self {
            kind: Kind::GetNode,
            id: 0,
            link_type: 0,
            loaded: 0,
            ids: Vec::with_capacity(Multiget::MOST as usize),
            bytes: Vec::with_capacity(PAYLOAD_BYTES),
            history: false,
            unix_ms: 0,
        }
    }

    /// The next operation of a user.
    pub fn draw(&mut self, work: &Work, habits: &Habits, generator: &mut Generator) {
        self.unix_ms = 0;
        self.history = false;
        self.kind = work.mix.draw(generator);
        match self.kind {
            Kind::AddLink | Kind::UpdateLink => {
                self.link(work, habits, generator);
                let payload = if self.kind == Kind::AddLink { &habits.links } else { &habits.updates };
                payload.draw(generator, &mut self.bytes);
            }
            Kind::DeleteLink => self.link(work, habits, generator),
            Kind::CountLinks => self.node_and_type(&work.reads, work, generator),
            Kind::MultigetLinks => {
                self.node_and_type(&work.reads, work, generator);
                let many = work.multiget.size(generator);
                self.several(work, habits, many, generator);
            }
            Kind::GetLinksList => {
                self.history = generator.unit() < work.history;
                self.node_and_type(&work.reads, work, generator);
            }
            Kind::AddNode => {
                self.id = 0;
                habits.nodes.draw(generator, &mut self.bytes);
            }
            Kind::UpdateNode => {
                self.id = work.graph.shape.first_id + work.node_updates.draw(generator);
                habits.node_updates.draw(generator, &mut self.bytes);
            }
            // LinkBench shuffles these as well, which leaves a uniform draw as it is.
            Kind::DeleteNode => self.id = work.graph.shape.first_id + generator.below(work.graph.shape.nodes),
            Kind::GetNode => self.id = work.graph.shape.first_id + work.node_reads.draw(generator),
        }
    }

    fn node_and_type(&mut self, blend: &Blend, work: &Work, generator: &mut Generator) {
        self.id = work.graph.shape.first_id + blend.draw(generator);
        let link_type = generator.below(work.graph.shape.types);
        self.link_type = FIRST_LINK_TYPE + link_type;
        self.loaded = work.graph.links(self.id, link_type);
    }

    /// One link that is written.
    fn link(&mut self, work: &Work, habits: &Habits, generator: &mut Generator) {
        self.node_and_type(&work.writes, work, generator);
        let id2 = self.leads_to(work, habits, generator);
        self.ids.clear();
        self.ids.push(id2);
    }

    /// Ids behind the node's own, as many as make the aim true.
    fn range(&self) -> u64 {
        ((1.0 / aim(self.kind) * self.loaded as f64).ceil() as u64).max(1)
    }

    fn leads_to(&self, work: &Work, habits: &Habits, generator: &mut Generator) -> u64 {
        let shape = work.graph.shape;
        let id2 = match work.anywhere {
            false => self.id + generator.below(self.range()),
            true if generator.unit() < aim(self.kind) => self.id + generator.below(self.loaded.max(1)),
            true => generator.below(shape.first_id + shape.nodes),
        };
        habits.own(work, id2)
    }

    fn several(&mut self, work: &Work, habits: &Habits, many: usize, generator: &mut Generator) {
        self.ids.clear();
        if !work.anywhere && self.range() <= many as u64 {
            self.ids.extend((0..many as u64).map(|k| habits.own(work, self.id + k)));
            return;
        }
        for _ in 0..many {
            let mut id2 = self.leads_to(work, habits, generator);
            for _ in 0..TRIES {
                if work.anywhere || !self.ids.contains(&id2) {
                    break;
                }
                id2 = self.leads_to(work, habits, generator);
            }
            self.ids.push(id2);
        }
    }
}

impl Habits {
    /// The id of this user's remainder class at that place, where users have classes.
    fn own(&self, work: &Work, id2: u64) -> u64 {
        if work.per_user { id2 - id2 % self.users + self.number } else { id2 }
    }
}
