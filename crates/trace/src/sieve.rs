//! What every statement passes on its way into a trace: passwords go, always; values are masked where that was asked
//! for.

use crate::mask::Mask;
use crate::sql::secrets;
use crate::statement::{Ask, Item, Statement};
use crate::value::Value;
use std::borrow::Cow;
use std::sync::Arc;

#[derive(Debug, Default)]
pub struct Sieve {
    mask: Option<Mask>,
}

impl Sieve {
    pub fn new(mask: Option<Mask>) -> Self {
        Self { mask }
    }

    /// By what the mask's key is known, if there is one.
    pub fn fingerprint(&self) -> Option<String> {
        self.mask.as_ref().map(Mask::fingerprint)
    }

    /// A number or a time, as text, masked where that was asked for.
    pub fn value(&self, text: &str) -> String {
        let Some(mask) = &self.mask else { return text.to_string() };
        let plain = text.trim_start_matches('-');
        let is_number = plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let masked = if is_number { mask.number(plain.as_bytes()) } else { mask.string(plain.as_bytes()) };
        format!("{}{}", &text[..text.len() - plain.len()], String::from_utf8_lossy(&masked))
    }

    pub fn item(&self, item: Item) -> Item {
        match item {
            Item::Statement(statement) => Item::Statement(self.statement(statement)),
            Item::Lost(lost) => Item::Lost(lost),
        }
    }

    fn statement(&self, mut statement: Statement) -> Statement {
        match &mut statement.ask {
            Ask::Query(text) | Ask::Prepare { text, .. } => self.text(text),
            Ask::Execute(execute) => {
                let secret = execute.text.as_ref().map_or(Vec::new(), |text| secrets::parameters(text));
                for row in &mut execute.rows {
                    for place in &secret {
                        if let Some(bound) = row.get_mut(*place) {
                            bound.value = Value::Bytes(secrets::HIDDEN.into());
                        }
                    }
                    if let Some(mask) = &self.mask {
                        mask.values(execute.text.as_deref(), row);
                    }
                }
                if let Some(text) = &mut execute.text {
                    self.text(text);
                }
            }
            Ask::Connect { .. }
            | Ask::Fetch { .. }
            | Ask::Reset { .. }
            | Ask::Close { .. }
            | Ask::ChangeUser { .. }
            | Ask::InitDb(_)
            | Ask::ResetConnection
            | Ask::SetOption(_)
            | Ask::Ping
            | Ask::Quit
            | Ask::Other(_) => {}
        }
        if let Some(mask) = &self.mask
            && !statement.host.is_empty()
        {
            statement.host = Arc::from(String::from_utf8_lossy(&mask.string(statement.host.as_bytes())));
        }
        statement
    }

    fn text(&self, text: &mut Arc<[u8]>) {
        if let Cow::Owned(hidden) = secrets::hidden(text) {
            *text = Arc::from(hidden);
        }
        if let Some(mask) = &self.mask {
            *text = Arc::from(mask.sql(text));
        }
    }
}
