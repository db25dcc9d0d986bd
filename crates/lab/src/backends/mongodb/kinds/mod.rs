//! The kinds of servers that the lab starts for this protocol, described as files and commands.

pub mod ferretdb;

use crate::servers::Kind;

pub const ALL: &[&dyn Kind] = &[&ferretdb::FerretDb];
