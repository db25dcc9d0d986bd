//! Classes of statements, found in what scripts send: two texts that differ in their literals alone are of one class,
//! so that a script's statements are counted and timed apart without its having named them. Shared by all states of a
//! run; each keeps what it has met.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};
use workload::session::Class;
use workload::{Doing, Statement};

/// As many classes as a table of statements can be read with; what comes later shares the last one.
pub const MOST: usize = 48;

/// Preparing, closing: not counted as statements of the load.
pub const PLUMBING: Class = Class(0);
const PLUMBED: usize = PLUMBING.0 as usize;
const OTHERS: usize = MOST - 1;

/// A class is told apart by so much of its text; lists of values are longer.
const LONGEST: usize = 160;

pub struct Shapes {
    known: Mutex<HashMap<String, Class>>,
    /// By class, between plumbing and the others; each is written once.
    met: [OnceLock<String>; MOST],
}

impl Default for Shapes {
    fn default() -> Self {
        Self { known: Mutex::default(), met: [const { OnceLock::new() }; MOST] }
    }
}

impl Shapes {
    pub fn table(&self) -> Vec<Statement<'_>> {
        (0..MOST).map(|class| self.statement(class)).collect()
    }

    fn statement(&self, class: usize) -> Statement<'_> {
        match (class, self.met[class].get()) {
            (PLUMBED, _) => Statement { name: "plumbing", doing: Doing::Plumbing },
            (OTHERS, _) => Statement { name: "other statements", doing: Doing::Read },
            (_, Some(shape)) => Statement { name: shape, doing: doing(shape) },
            (_, None) => Statement { name: "", doing: Doing::Plumbing },
        }
    }

    fn class(&self, shape: &str) -> Class {
        let mut known = self.known.lock().expect("no panic while held");
        if let Some(class) = known.get(shape) {
            return *class;
        }
        // The first is plumbing, and the last is shared.
        let at = (known.len() + 1).min(OTHERS);
        if at < OTHERS {
            self.met[at].get_or_init(|| shape.to_string());
            known.insert(shape.to_string(), Class(at as u16));
        }
        Class(at as u16)
    }
}

/// What one state has met.
#[derive(Default)]
pub struct Met {
    known: HashMap<String, Class>,
    shape: String,
}

impl Met {
    pub fn class(&mut self, sql: &str, shapes: &Shapes) -> Class {
        write_shape(sql, &mut self.shape);
        if let Some(class) = self.known.get(&self.shape) {
            return *class;
        }
        let class = shapes.class(&self.shape);
        if self.known.len() < MOST {
            self.known.insert(self.shape.clone(), class);
        }
        class
    }
}

/// The text with its literals, and the numbers of its tables, as question marks.
fn write_shape(sql: &str, shape: &mut String) {
    shape.clear();
    let bytes = sql.trim_start().as_bytes();
    let mut at = 0;
    while at < bytes.len() && shape.len() < LONGEST {
        let byte = bytes[at];
        at += 1;
        match byte {
            b'\'' | b'"' => {
                while at < bytes.len() && bytes[at] != byte {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                shape.push('?');
            }
            b'0'..=b'9' => {
                while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'.') {
                    at += 1;
                }
                shape.push('?');
            }
            _ if byte.is_ascii_whitespace() => {
                if !shape.ends_with(' ') {
                    shape.push(' ');
                }
            }
            0..0x80 => shape.push(char::from(byte)),
            0x80.. => shape.push('?'),
        }
    }
    shape.truncate(shape.trim_end().len());
}

/// By its first word. What only prepares or sets is no statement of the load.
fn doing(shape: &str) -> Doing {
    let first = shape.split([' ', '(', ';']).next().unwrap_or("");
    match first.to_ascii_uppercase().as_str() {
        "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "LOAD" | "CALL" => Doing::Write,
        "BEGIN" | "START" => Doing::Begin,
        "COMMIT" => Doing::Commit,
        "ROLLBACK" => Doing::Rollback,
        "SET" | "USE" | "CREATE" | "DROP" | "ALTER" | "LOCK" | "UNLOCK" | "ANALYZE" => Doing::Plumbing,
        _ => Doing::Read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_in_literals_are_of_one_class() {
        let (shapes, mut one, mut other) = (Shapes::default(), Met::default(), Met::default());
        let first = one.class("SELECT c FROM sbtest1 WHERE id=5005", &shapes);
        assert_eq!(other.class("SELECT c FROM sbtest12  WHERE id=17", &shapes), first);
        assert_eq!(shapes.table()[first.0 as usize].name, "SELECT c FROM sbtest? WHERE id=?");
        let insert = one.class("INSERT INTO t VALUES (1, 'it''s', 2.5)", &shapes);
        assert_ne!(insert, first);
        assert_eq!(shapes.table()[insert.0 as usize].doing, Doing::Write);
    }

    #[test]
    fn classes_have_an_end_and_what_comes_later_shares_the_last() {
        let (shapes, mut met) = (Shapes::default(), Met::default());
        let classes: Vec<_> =
            (0..3 * MOST).map(|n| met.class(&format!("SELECT {}", "x".repeat(n + 1)), &shapes)).collect();
        assert_eq!(classes.last(), Some(&Class(OTHERS as u16)));
        assert_eq!(shapes.table().iter().filter(|s| s.name.is_empty()).count(), 0);
    }
}
