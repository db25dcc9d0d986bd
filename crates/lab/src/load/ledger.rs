//! What a session tells of each request, in whatever protocol: to the tally of a load, or to nobody.

use model::units::Nanos;
use workload::session::{Answer, Class, Fact, Fault};

/// Who is told how requests ended. The load's tally for users; nobody for control sessions.
pub trait Ledger {
    fn asked(&self);
    fn answered(&self, class: Class, answer: &Answer, bytes: u64, service: Nanos);
    fn refused(&self, class: Class, fault: &Fault);
    fn unexpected(&self, class: Class);
    fn counted(&self, fact: Fact, amount: i64);
    fn connected(&self, time: Nanos, opened: Opened);
}

/// Why a session was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It is the first, or its user wanted a new one.
    ByWish,
    AfterBreak,
}

/// The ledger of sessions that are not measured.
impl Ledger for () {
    fn asked(&self) {}
    fn answered(&self, _: Class, _: &Answer, _: u64, _: Nanos) {}
    fn refused(&self, _: Class, _: &Fault) {}
    fn unexpected(&self, _: Class) {}
    fn counted(&self, _: Fact, _: i64) {}
    fn connected(&self, _: Nanos, _: Opened) {}
}
