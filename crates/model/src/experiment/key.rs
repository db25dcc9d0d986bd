//! What one row of the table of keys says, and how a row is written: a key with what it accepts and changes, and where
//! its value stands in what a plan asks for.

use super::shape::Shape;
use crate::load::{Load, Phase};
use crate::server::Server;
use crate::units::Nanos;
use crate::value::Value;
use crate::words::{Kind, Literal};

/// What a key is said of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All runs together.
    Experiment,
    Cell,
    /// One group of users; its axis is called `groups.NAME.KEY`.
    Group,
    /// One phase of each run; its axis is called `phases.NAME.KEY`.
    Phase,
}

/// What another value of a key is able to change. What changes none of them only presses harder or less, or longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Which statements an operation consists of.
    Operation,
    /// What one and the same statement asks for, and so how many rows it returns.
    Rows,
    /// How one and the same answer is written on the wire, and so its bytes.
    Answer,
    /// The plan by which a statement is carried out.
    Plan,
    /// The bytes on disk.
    Disk,
    /// The way by which users come to the server.
    Way,
    /// The server itself, its settings, or what it has of the machine: chosen when it is started.
    Server,
    /// Those who measure.
    Measuring,
}

type Read<T> = fn(&T) -> Option<Value>;
type Put<T> = fn(&mut T, &Value);

/// Where the value of a key stands in what a plan asks for, in the plain form in which a file's values are kept: how it
/// is read there (`None`: nothing is asked), and put.
#[derive(Clone, Copy, Debug)]
enum Stands {
    /// It is part of something that has no single value, as a group or a search.
    Nowhere,
    Server(Read<Server>, Put<Server>),
    Load(Read<Load>, Put<Load>),
    /// It is put together with its neighbours: who begins when.
    Rhythm(Read<Load>),
    Phase(Read<Phase>),
    /// It says when a phase ends: each phase has one of these.
    End(Read<Phase>),
    /// The short form of the phases that most experiments have.
    Phases(fn(&[Phase]) -> Option<Value>),
}

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub section: &'static str,
    pub name: &'static str,
    /// What it says, in the words of somebody who writes an experiment.
    pub meaning: &'static str,
    pub(super) shape: Shape,
    /// In its plain form, where it is a value; other keys are left to their neighbours, or mean nothing unless said.
    pub default: Option<Literal>,
    pub is_axis: bool,
    pub scope: Scope,
    pub changes: &'static [Effect],
    /// What else that is read back follows from it, beside what has its name: `variable.NAME` of the server,
    /// `session.NAME`, or a fact of the run. `*` stands for any end.
    pub moves: &'static [&'static str],
    stands: Stands,
}

impl Key {
    pub(super) const fn new(
        section: &'static str,
        name: &'static str,
        meaning: &'static str,
        shape: Shape,
        scope: Scope,
    ) -> Self {
        Self {
            section,
            name,
            meaning,
            shape,
            default: None,
            is_axis: false,
            scope,
            changes: &[],
            moves: &[],
            stands: Stands::Nowhere,
        }
    }
    pub(super) const fn or(self, default: Literal) -> Self {
        Self { default: Some(default), ..self }
    }
    pub(super) const fn axis(self) -> Self {
        Self { is_axis: true, ..self }
    }
    pub(super) const fn changes(self, changes: &'static [Effect]) -> Self {
        Self { changes, ..self }
    }
    pub(super) const fn moves(self, moves: &'static [&'static str]) -> Self {
        Self { moves, ..self }
    }
    const fn stands(self, stands: Stands) -> Self {
        Self { stands, ..self }
    }
    pub(super) const fn of_server(self, read: Read<Server>, put: Put<Server>) -> Self {
        self.stands(Stands::Server(read, put))
    }
    pub(super) const fn of_load(self, read: Read<Load>, put: Put<Load>) -> Self {
        self.stands(Stands::Load(read, put))
    }
    pub(super) const fn of_rhythm(self, read: Read<Load>) -> Self {
        self.stands(Stands::Rhythm(read))
    }
    pub(super) const fn of_phase(self, read: Read<Phase>) -> Self {
        self.stands(Stands::Phase(read))
    }
    pub(super) const fn of_end(self, read: Read<Phase>) -> Self {
        self.stands(Stands::End(read))
    }
    pub(super) const fn of_phases(self, read: fn(&[Phase]) -> Option<Value>) -> Self {
        self.stands(Stands::Phases(read))
    }
    /// What it takes, in words.
    pub fn accepts(&self) -> String {
        self.shape.wanted()
    }
    /// With its bounds, where it is a plain value.
    pub fn kind(&self) -> Option<Kind> {
        if let Shape::Of(kind) = self.shape { Some(kind) } else { None }
    }
    /// The value that holds where nobody says one, as it would be written.
    pub fn unless_said(&self) -> Option<String> {
        self.default.as_ref().map(|default| self.written(&default.value()))
    }
    /// What a cell is asked to have for it.
    pub fn asked(&self, server: &Server, load: &Load, phases: &[Phase]) -> Option<Value> {
        match self.stands {
            Stands::Server(read, _) => read(server),
            Stands::Load(read, _) | Stands::Rhythm(read) => read(load),
            Stands::Phases(read) => read(phases),
            Stands::Phase(_) | Stands::End(_) | Stands::Nowhere => None,
        }
    }
    /// What one phase is.
    pub fn asked_of(&self, phase: &Phase) -> Option<Value> {
        match self.stands {
            Stands::Phase(read) | Stands::End(read) => read(phase),
            Stands::Server(..) | Stands::Load(..) | Stands::Rhythm(_) | Stands::Phases(_) | Stands::Nowhere => None,
        }
    }
    pub(crate) fn put(&self, value: &Value, server: &mut Server, load: &mut Load) {
        match self.stands {
            Stands::Server(_, put) => put(server, value),
            Stands::Load(_, put) => put(load, value),
            Stands::Rhythm(_) | Stands::Phases(_) | Stands::Phase(_) | Stands::End(_) | Stands::Nowhere => {}
        }
    }
    /// A value for a reader.
    pub fn shown(&self, value: &Value) -> String {
        match (self.shape, value) {
            (Shape::Duration { .. }, Value::Count(n)) => Nanos(n.unsigned_abs()).to_string(),
            (_, value) => value.to_string(),
        }
    }
    /// A value as a file says it.
    pub fn written(&self, value: &Value) -> String {
        match (self.shape, value) {
            (Shape::Duration { .. }, Value::Count(n)) => format!("\"{}\"", Nanos(n.unsigned_abs()).exact()),
            (Shape::Errors, Value::Text(words)) => format!("{:?}", words.split_whitespace().collect::<Vec<_>>()),
            (_, value) => value.written(),
        }
    }
    /// Whether it has a line of its own where a plan is told.
    pub(crate) fn is_told_alone(&self) -> bool {
        matches!(self.stands, Stands::Server(..) | Stands::Load(..))
    }
    pub(super) fn is_end(&self) -> bool {
        matches!(self.stands, Stands::End(_))
    }
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }
    /// Whether an axis of all cells has this name.
    pub(super) fn is_axis_of_cells(&self) -> bool {
        self.is_axis && self.scope == Scope::Cell
    }
}
