//! The workloads that sysbench's users call by name, written anew: the same options and statements, none of its code.
//! Found when a script's name is neither a file nor a module on the script's path, so that installed originals are used
//! where they are.

/// The one of sysbench's own benchmarks that is here.
pub const CPU: &str = "cpu";

/// The others.
pub const IN_C: [&str; 4] = ["fileio", "memory", "mutex", "threads"];

/// By name, as `oltp_common`.
pub const ALL: &[(&str, &str)] = &[
    ("bulk_insert", include_str!("../scripts/bulk_insert.lua")),
    (CPU, include_str!("../scripts/cpu.lua")),
    ("empty-test", include_str!("../scripts/empty-test.lua")),
    ("oltp_common", include_str!("../scripts/oltp_common.lua")),
    ("oltp_delete", include_str!("../scripts/oltp_delete.lua")),
    ("oltp_insert", include_str!("../scripts/oltp_insert.lua")),
    ("oltp_point_select", include_str!("../scripts/oltp_point_select.lua")),
    ("oltp_read_only", include_str!("../scripts/oltp_read_only.lua")),
    ("oltp_read_write", include_str!("../scripts/oltp_read_write.lua")),
    ("oltp_update_index", include_str!("../scripts/oltp_update_index.lua")),
    ("oltp_update_non_index", include_str!("../scripts/oltp_update_non_index.lua")),
    ("oltp_write_only", include_str!("../scripts/oltp_write_only.lua")),
    ("prime-test", include_str!("../scripts/prime-test.lua")),
    ("select_random_points", include_str!("../scripts/select_random_points.lua")),
    ("select_random_ranges", include_str!("../scripts/select_random_ranges.lua")),
];

/// The text of a module.
pub fn bundled(module: &str) -> Option<&'static str> {
    ALL.iter().find(|(name, _)| *name == module).map(|(_, text)| *text)
}
