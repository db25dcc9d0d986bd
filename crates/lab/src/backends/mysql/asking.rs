//! The session of its own by which a sampler asks a server of this protocol: one statement at a time, rows as text. It
//! comes back when the server does, and at once when it was only this session that somebody ended.

use super::control::{Control, TextRow};
use crate::backends::endpoint::SqlEndpoint;
use crate::samplers::{Ask, Dialect, Refused};
use std::time::Duration;
use workload::session::Fault;

/// The sampler's own session; without one, what the server counts is not measured, and the samplers say so.
pub(crate) fn asker(endpoint: &SqlEndpoint, patience: Duration) -> Box<dyn Ask> {
    match Control::connect_with(endpoint, patience) {
        Ok(control) => {
            let dialect = control.dialect();
            Box::new(Asking { endpoint: endpoint.clone(), patience, dialect, control: Some(control) })
        }
        Err(fault) => Box::new(Refused(fault.to_string())),
    }
}

impl Ask for Control {
    fn rows(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        Control::rows(self, sql).map_err(|e| e.to_string())
    }
    fn dialect(&self) -> Option<Dialect> {
        Dialect::of(self.version())
    }
}

/// A session that comes back when the server does.
struct Asking {
    endpoint: SqlEndpoint,
    patience: Duration,
    dialect: Option<Dialect>,
    control: Option<Control>,
}

impl Asking {
    fn ask(&mut self, sql: &str) -> Result<Vec<TextRow>, Fault> {
        let mut control = match self.control.take() {
            Some(control) => control,
            None => Control::connect_with(&self.endpoint, self.patience)?,
        };
        let rows = control.rows(sql);
        if rows.as_ref().err().is_none_or(Fault::session_survives) {
            self.control = Some(control);
        }
        rows
    }
}

impl Ask for Asking {
    fn rows(&mut self, sql: &str) -> Result<Vec<TextRow>, String> {
        let had_session = self.control.is_some();
        let rows = match self.ask(sql) {
            // What would not be read here is missing at an end of a phase.
            Err(Fault::Lost(_)) if had_session => self.ask(sql),
            rows => rows,
        };
        rows.map_err(|e| e.to_string())
    }
    fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }
}
