//! What a client says after login, except execute (which has its own file, being the hot path).
//!
//! Each function appends one message to `out` and returns the sequence number that the reply will start with; give it
//! to `Reply::begin`. COM_QUIT and COM_STMT_CLOSE are never answered, so they return nothing.

use super::packet;

pub const QUIT: u8 = 0x01;
pub const INIT_DB: u8 = 0x02;
pub const QUERY: u8 = 0x03;
pub const PING: u8 = 0x0E;
pub const STMT_PREPARE: u8 = 0x16;
pub const STMT_EXECUTE: u8 = 0x17;
pub const STMT_CLOSE: u8 = 0x19;
pub const STMT_RESET: u8 = 0x1A;
pub const RESET_CONNECTION: u8 = 0x1F;

pub fn quit(out: &mut Vec<u8>) {
    command(out, QUIT, &[]);
}

pub fn query(out: &mut Vec<u8>, sql: &[u8]) -> u8 {
    command(out, QUERY, sql)
}

pub fn ping(out: &mut Vec<u8>) -> u8 {
    command(out, PING, &[])
}

pub fn init_db(out: &mut Vec<u8>, schema: &str) -> u8 {
    command(out, INIT_DB, schema.as_bytes())
}

pub fn prepare(out: &mut Vec<u8>, sql: &[u8]) -> u8 {
    command(out, STMT_PREPARE, sql)
}

pub fn close(out: &mut Vec<u8>, statement: u32) {
    command(out, STMT_CLOSE, &statement.to_le_bytes());
}

/// Forgets a statement's long data and closes its cursor; the statement stays.
pub fn reset_statement(out: &mut Vec<u8>, statement: u32) -> u8 {
    command(out, STMT_RESET, &statement.to_le_bytes())
}

/// Forgets transactions, variables and prepared statements; the login stays.
pub fn reset_connection(out: &mut Vec<u8>) -> u8 {
    command(out, RESET_CONNECTION, &[])
}

fn command(out: &mut Vec<u8>, code: u8, argument: &[u8]) -> u8 {
    packet::write(out, 0, |out| {
        out.push(code);
        out.extend_from_slice(argument);
    })
}
