//! The parameters of the family as words of an experiment. A member lists those that change it: requests travel in
//! batches only where a protocol lets them, so an axis over `depth` must not repeat the prepared statements.

use super::{sizes, value};
pub(super) use crate::asked::count;
use crate::draw::{DISTRIBUTION, PARETO_H, SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, ZIPFIAN_EXP};
use model::words::{Class, Kind, Literal, Parameter};

const fn knob(name: &'static str, kind: Kind, default: Literal, class: Class, why: &'static str) -> Parameter {
    Parameter { name, kind, default: Some(default), class, why }
}

const KEYS: Parameter = knob(
    "keys",
    Kind::Count { min: 1, max: i32::MAX as i64 },
    Literal::Count(100_000),
    Class::Data,
    "Keys 1 to N, each with a value.",
);
const VALUE_BYTES: Parameter = knob(
    "value_bytes",
    Kind::Count { min: value::LEAST_BYTES as i64, max: value::MOST_BYTES as i64 },
    Literal::Count(119),
    Class::Data,
    "Bytes of each value; where sizes differ, of the largest.",
);
const VALUE_SIZES: Parameter = knob(
    "value_sizes",
    Kind::Choice(sizes::NAMES),
    Literal::Text("constant"),
    Class::Data,
    "All values as large, uniform from 16 bytes on, or by a bounded Pareto law: many small ones and a few large.",
);
const KEYS_PER_GET: Parameter = knob(
    "keys_per_get",
    Kind::Count { min: 1, max: 1_000 },
    Literal::Count(1),
    Class::Work,
    "Keys that one get names: a list in SQL, a multi-get elsewhere.",
);
const DEPTH: Parameter = knob(
    "depth",
    Kind::Count { min: 1, max: 64 },
    Literal::Count(1),
    Class::Work,
    "Requests that are sent before the first of them is answered.",
);
const DIALECT: Parameter = knob(
    "dialect",
    Kind::Choice(&["text", "binary", "meta"]),
    Literal::Text("text"),
    Class::Work,
    "What of memcached's protocol is spoken; InnoDB's plugin has no meta commands.",
);
const VERIFY_EVERY: Parameter = knob(
    "verify_every",
    Kind::Count { min: 1, max: 1_000_000 },
    Literal::Count(16),
    Class::Work,
    "The values of every Nth get are compared byte for byte; misses are counted in all.",
);
const SET_PERCENT: Parameter = knob(
    "set_percent",
    Kind::Real { min: 0.0, max: 100.0 },
    Literal::Real(10.0),
    Class::Work,
    "How many of a hundred requests write.",
);

/// The knobs of all members, then those of endpoints.
macro_rules! with {
    ($($more:expr),*) => {
        &[
            KEYS, VALUE_BYTES, VALUE_SIZES, KEYS_PER_GET, VERIFY_EVERY, DISTRIBUTION, SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, PARETO_H,
            ZIPFIAN_EXP, $($more),*
        ]
    };
}
pub const SQL: &[Parameter] = with![];
pub const SQL_MIX: &[Parameter] = with![SET_PERCENT];
pub const MEMCACHED: &[Parameter] = with![DEPTH, DIALECT];
pub const MEMCACHED_MIX: &[Parameter] = with![DEPTH, DIALECT, SET_PERCENT];
pub const HANDLERSOCKET: &[Parameter] = with![DEPTH];
pub const HANDLERSOCKET_MIX: &[Parameter] = with![DEPTH, SET_PERCENT];
