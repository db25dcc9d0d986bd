//! The assay binary as its user meets it, against the MariaDB of this machine: what it prints, how it ends, what it
//! leaves on disk and in the process table. Numbers are not looked at here: a busy machine may fail a check of
//! validity, never a test.

mod bad_input;
mod bisect;
mod capture;
mod capture_proxy;
mod clusters;
mod compare;
mod desk;
mod disturbances;
mod endpoints;
mod errors;
mod experiments;
mod explain;
mod farm;
mod formats;
mod groups;
mod held;
mod help;
mod in_between;
mod init;
mod insert_benchmark;
mod interruptions;
mod interventions;
mod kept_data;
mod lateness;
mod linkbench;
mod live;
mod lua_workload;
mod missing_zero;
mod mongodb;
mod packages;
mod postgresql;
mod postgresql_logins;
#[path = "../../../lab/tests/private_postgres/mod.rs"]
mod private_postgres;
mod profile;
mod ranks;
mod regression;
mod repeated;
mod sampling;
mod searches;
mod servers;
mod shop;
#[path = "../../../lab/tests/skipped/mod.rs"]
mod skipped;
mod somebody_elses_cache;
mod somebody_elses_server;
mod stages;
mod strangers;
mod sysbench;
mod terminal;
mod tpcc;
mod traps;
mod turns;
mod until;
mod upgrade;
mod vacuum;
mod versioned;
mod waits;
mod whole_way;
mod write_half;
