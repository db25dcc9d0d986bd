//! Hot path: a prepared statement as the session knows it, and how it is executed. Types of parameters are sent when
//! they change, which for most statements is once.

use super::columns::Columns;
use std::num::NonZeroU64;
use wire::mysql::Param as WireParam;
use wire::mysql::execute::{self, Types};
use workload::session::Param;

/// So many classes of parameters have a shape; an execute with more always sends their types.
const SHAPED: usize = 31;

pub(crate) struct Statement {
    pub(crate) id: u32,
    pub(crate) columns: Columns,
    /// Parameter types were sent, and these were NULL or not; other types need sending again.
    pub(crate) bound: Option<NonZeroU64>,
}

impl Statement {
    /// Appends an execute; returns the sequence number that the reply starts with.
    #[inline]
    pub(crate) fn encode(&mut self, out: &mut Vec<u8>, params: &[Param<'_>]) -> u8 {
        let shape = shape_of(params);
        let types = if shape.is_some() && shape == self.bound { Types::Bound } else { Types::Sent };
        self.bound = shape;
        execute::execute(out, self.id, params.iter().map(convert), types)
    }
}

/// The classes of all parameters as one number, behind a leading one.
#[inline]
fn shape_of(params: &[Param<'_>]) -> Option<NonZeroU64> {
    let shape = params.iter().fold(1, |shape, param| shape << 2 | class_of(param));
    if params.len() <= SHAPED { NonZeroU64::new(shape) } else { None }
}

/// The class of a parameter's type: two executes with equal classes need no types in between.
#[inline]
fn class_of(param: &Param<'_>) -> u64 {
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
