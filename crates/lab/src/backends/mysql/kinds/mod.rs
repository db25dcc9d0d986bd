//! The server families of this protocol, described as files and commands; pure.

pub mod galera;
pub mod mariadb;
pub mod mysql;
pub mod option_file;
