//! Hot path: a prepared statement as the session knows it, and how it is executed. Types of parameters are sent when they
//! change, which for most statements is once.

use wire::mysql::execute::{self, Types};
use wire::mysql::{ColumnType, Param as WireParam};
use workload::session::Param;

/// Parameters converted on the stack; statements with more pay for an allocation.
const STACK_PARAMS: usize = 32;

pub(super) struct Statement {
    pub(super) id: u32,
    pub(super) columns: Vec<ColumnType>,
    /// Parameter types were sent, and these were NULL or not; other types need sending again.
    pub(super) bound: Option<Vec<u8>>,
}

impl Statement {
    /// Appends an execute; returns the sequence number that the reply starts with.
    #[inline]
    pub(super) fn encode(&mut self, out: &mut Vec<u8>, params: &[Param<'_>]) -> u8 {
        let same = self.bound.as_ref().is_some_and(|b| b.iter().copied().eq(params.iter().map(class_of)));
        let types = if same { Types::Bound } else { Types::Sent };
        if !same {
            self.bound = Some(params.iter().map(class_of).collect());
        }
        if params.len() <= STACK_PARAMS {
            let mut converted = [WireParam::Null; STACK_PARAMS];
            for (to, from) in converted.iter_mut().zip(params) {
                *to = convert(from);
            }
            execute::execute(out, self.id, &converted[..params.len()], types)
        } else {
            execute::execute(out, self.id, &params.iter().map(convert).collect::<Vec<_>>(), types)
        }
    }
}

/// The class of a parameter's type: two executes with equal classes need no types in between.
fn class_of(param: &Param<'_>) -> u8 {
    match param {
        Param::Null => 0,
        Param::Int(_) => 1,
        Param::Real(_) => 2,
        Param::Bytes(_) => 3,
    }
}

#[inline]
fn convert<'a>(param: &Param<'a>) -> WireParam<'a> {
    match param {
        Param::Null => WireParam::Null,
        Param::Int(n) => WireParam::I64(*n),
        Param::Real(x) => WireParam::F64(*x),
        Param::Bytes(b) => WireParam::Bytes(b),
    }
}
