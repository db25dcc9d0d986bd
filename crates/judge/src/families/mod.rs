//! What only one family of workloads knows about its numbers; what holds for every workload is not here.

pub mod versioning;
