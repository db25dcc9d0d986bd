//! What a trace asks to be there: of each table the combinations of values that its statements hold columns to. Rows
//! that are made of statistics have them, so that statements find what they look for. Whoever makes them leaves out
//! what the trace inserts anywhere, rows that it deletes and inserts again with the rest.

use super::script::{Script, facts_of};
use super::{facts, fingerprint};
use crate::trouble::Trouble;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug, Formatter};

/// So many combinations of one table are kept, some 40 MB; what is asked for beyond them finds rows of the others'
/// kind.
const MOST: usize = 200_000;

/// Columns, in small letters, with the value that each must have.
pub type Held = BTreeMap<String, String>;

#[derive(Clone, Default)]
pub struct AskedOfTable {
    pub there: BTreeSet<Held>,
    pub inserted: BTreeSet<Held>,
}

/// By the table's name in small letters, as statements seldom say the schema.
#[derive(Clone, Default)]
pub struct AskedFor(pub BTreeMap<String, AskedOfTable>);

impl AskedFor {
    pub fn of(script: &Script) -> Result<Self, Trouble> {
        let mut all = Self::default();
        for statement in script.statements()? {
            for facts::Table { name, held, inserts, .. } in facts_of(&statement?.1).tables {
                let own = all.0.entry(name).or_default();
                if held.is_empty() || own.there.len() + own.inserted.len() >= MOST {
                    continue;
                }
                if inserts {
                    own.inserted.insert(held);
                } else {
                    own.there.insert(held);
                }
            }
        }
        Ok(all)
    }

    /// What it asks of a table.
    pub fn table(&self, name: &str) -> Option<&AskedOfTable> {
        self.0.get(&name.to_lowercase())
    }
}

/// It stands in the name of a snapshot, and is long.
impl Debug for AskedFor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (name, AskedOfTable { there, inserted }) in &self.0 {
            text += &format!("{name} {there:?} {inserted:?}\n");
        }
        write!(f, "{:016x}", fingerprint(text.as_bytes()))
    }
}
