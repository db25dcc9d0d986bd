//! The shape of a server's data beside its traffic, where the data may not leave: `crate::shapes`.

use super::now;
use crate::backends::endpoint::SqlEndpoint;
use crate::shapes::{Shapes, survey};
use crate::trouble::Trouble;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use trace::Sieve;

/// Takes it now.
pub fn statistics(
    server: &SqlEndpoint,
    out: &Path,
    sieve: &Sieve,
    stop: &AtomicBool,
    tell: &dyn Fn(&str),
) -> Result<Shapes, Trouble> {
    survey(server, now(), out, sieve, stop, tell)
}
