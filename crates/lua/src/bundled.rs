//! The workloads that sysbench's users call by name, written anew: found when a script's name is neither a file nor an
//! installed module.

/// The text of a module, as `oltp_common`.
pub fn bundled(_module: &str) -> Option<&'static str> {
    None
}
