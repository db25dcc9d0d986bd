//! Hot path: a prepared statement as the session knows it, and how it is executed. Types of parameters are sent when
//! they change, which for most statements is once.

use super::columns::Columns;
use std::num::NonZeroU64;
use wire::mysql::Param as WireParam;
use wire::mysql::execute::{self, Types};
use workload::session::Param;

/// The classes of so many parameters stand in a number side by side; of more it is their hash.
const SIDE_BY_SIDE: usize = 20;
/// What hashes them: odd, and 2^64 by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
const SPREADING: u64 = 0x9e37_79b9_7f4a_7c15;

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
        let types = if Some(shape) == self.bound { Types::Bound } else { Types::Sent };
        self.bound = Some(shape);
        execute::execute(out, self.id, params.iter().map(convert), types)
    }
}

/// The classes of all parameters as one number, behind a leading one.
#[inline]
fn shape_of(params: &[Param<'_>]) -> NonZeroU64 {
    let classes = params.iter().map(class_of);
    let shape = match params.len() <= SIDE_BY_SIDE {
        true => classes.fold(1, |shape, class| shape << 3 | class),
        false => classes.fold(1, |shape: u64, class| (shape ^ class).wrapping_mul(SPREADING)),
    };
    NonZeroU64::new(shape).unwrap_or(NonZeroU64::MIN)
}

/// The class of a parameter's type: two executes with equal classes need no types in between.
#[inline]
fn class_of(param: &Param<'_>) -> u64 {
    match param {
        Param::Null => 0,
        Param::Int(_) => 1,
        Param::Real(_) => 2,
        Param::Bytes(_) => 3,
        Param::Decimal(_) => 4,
    }
}

#[inline]
fn convert<'a>(param: &Param<'a>) -> WireParam<'a> {
    match param {
        Param::Null => WireParam::Null,
        Param::Int(n) => WireParam::I64(*n),
        Param::Real(x) => WireParam::F64(*x),
        Param::Decimal(b) => WireParam::Decimal(b),
        Param::Bytes(b) => WireParam::Bytes(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each of these executions, one after the other, told the types of its parameters.
    fn told(executions: &[Vec<Param<'_>>]) -> Vec<bool> {
        let mut statement = Statement { id: 1, columns: Columns::NONE, bound: None };
        let told = |params: &Vec<Param<'_>>| {
            let mut out = Vec::new();
            statement.encode(&mut out, params);
            // Behind the packet's header, the command's and the bitmap of NULLs.
            out[4 + 10 + params.len().div_ceil(8)] == 1
        };
        executions.iter().map(told).collect()
    }

    #[test]
    fn types_are_told_when_they_change_of_few_parameters_and_of_many() {
        for count in [1, SIDE_BY_SIDE, SIDE_BY_SIDE + 1, 700] {
            let ints = vec![Param::Int(7); count];
            let changed = |place: usize| {
                let mut params = ints.clone();
                params[place] = Param::Bytes(b"seven");
                params
            };
            let others: Vec<_> = (0..count).flat_map(|place| [changed(place), ints.clone()]).collect();
            let executions = [vec![ints.clone(), ints.clone()], others, vec![ints.clone()]].concat();
            let mut expected = vec![true; executions.len()];
            (expected[1], expected[2 * count + 2]) = (false, false);
            assert_eq!(told(&executions), expected, "{count} parameters");
        }
    }
}
