//! The parameters of the family as words of an experiment. A member lists those that change it: requests travel in
//! batches only where a protocol lets them, which of the SQL servers' is PostgreSQL's alone.

use super::{sizes, value};
pub(super) use crate::asked::count;
use crate::draw::{DISTRIBUTION, PARETO_H, SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, ZIPFIAN_EXP};
use model::Protocol;
use model::words::{ANY_BUT_DEFAULT, Parameter, data, work};

const KEYS: Parameter = data("keys", "Keys 1 to N, each with a value.").count(100_000, [1, i32::MAX as i64]);
const VALUE_BYTES: Parameter = data("value_bytes", "Bytes of each value; where sizes differ, of the largest.")
    .count(119, [value::LEAST_BYTES as i64, value::MOST_BYTES as i64]);
const VALUE_SIZES: Parameter = data(
    "value_sizes",
    "All values as large, uniform from 16 bytes on, or by a bounded Pareto law: many small ones and a few large.",
)
.choice(sizes::NAMES);
const KEYS_PER_GET: Parameter =
    work("keys_per_get", "Keys that one get names: a list in SQL, a multi-get elsewhere.").count(1, [1, 1_000]);
const DEPTH: Parameter =
    work("depth", "Requests that are sent before the first of them is answered.").count(1, [1, 64]);
const DEPTH_IN_SQL: Parameter = DEPTH.known_to(&[(ANY_BUT_DEFAULT, Protocol::PostgreSql)]);
const DIALECT: Parameter =
    work("dialect", "What of memcached's protocol is spoken; InnoDB's plugin has no meta commands.")
        .choice(&["text", "binary", "meta"]);
const VERIFY_EVERY: Parameter =
    work("verify_every", "The values of every Nth get are compared byte for byte; misses are counted in all.")
        .count(16, [1, 1_000_000]);
const SET_PERCENT: Parameter = work("set_percent", "How many of a hundred requests write.").real(10.0, [0.0, 100.0]);

/// The knobs of all members, then those of endpoints.
macro_rules! with {
    ($($more:expr),*) => {
        &[
            KEYS, VALUE_BYTES, VALUE_SIZES, KEYS_PER_GET, VERIFY_EVERY, DISTRIBUTION, SPECIAL_ITER, SPECIAL_PCT, SPECIAL_RES, PARETO_H,
            ZIPFIAN_EXP, $($more),*
        ]
    };
}
pub const SQL: &[Parameter] = with![DEPTH_IN_SQL];
pub const SQL_MIX: &[Parameter] = with![DEPTH_IN_SQL, SET_PERCENT];
pub const MEMCACHED: &[Parameter] = with![DEPTH, DIALECT];
pub const MEMCACHED_MIX: &[Parameter] = with![DEPTH, DIALECT, SET_PERCENT];
pub const HANDLERSOCKET: &[Parameter] = with![DEPTH];
pub const HANDLERSOCKET_MIX: &[Parameter] = with![DEPTH, SET_PERCENT];
