//! The shape of data that may not leave their house: how tables are defined, how many rows they have, and how many
//! different values each column holds between which bounds. `assay capture --statistics` takes it, `assay upgrade`
//! makes rows of it (`rows`): as many as there were, spread alike, and not one of the originals.

pub mod rows;
mod survey;
mod values;

pub use survey::survey;

use crate::trouble::Trouble;
use model::Nanos;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The format of the folder; what has another is refused.
pub const VERSION: u32 = 1;
/// Schemas that every server has of its own.
pub const OWN_SCHEMAS: [&str; 4] = ["mysql", "sys", "information_schema", "performance_schema"];
/// Databases and tables: said before there are rows.
pub const SCHEMA: &str = "schema.sql";
/// Views, routines and triggers: said behind the rows, which no trigger is to see.
pub const ROUTINES: &str = "routines.sql";
/// The figures. Written last: a folder without it is none.
pub const STATISTICS: &str = "statistics.json";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shapes {
    pub version: u32,
    /// As the server says it of itself.
    pub server: String,
    pub made: Nanos,
    /// The fingerprint of the mask's key, where bounds are masked.
    pub masked: Option<String>,
    pub notes: Vec<String>,
    pub tables: Vec<Table>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub schema: String,
    pub name: String,
    pub rows: u64,
    /// Without those that the server computes.
    pub columns: Vec<Column>,
    /// The columns of each unique key, the primary one first.
    pub unique: Vec<Vec<String>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    /// As the server writes it: `varchar(40)`, `int(10) unsigned`, `enum('a','b')`.
    pub kind: String,
    /// Different values, NULL aside.
    pub distinct: u64,
    /// The share of rows without a value.
    pub nulls: f64,
    /// The mean length, in bytes.
    pub length: f64,
    /// The smallest and the largest, of numbers and times only.
    pub least: Option<String>,
    pub most: Option<String>,
    /// Texts must be JSON.
    pub is_json: bool,
    /// The column that its values are of, by a foreign key: schema, table, column.
    pub refers: Option<[String; 3]>,
}

/// A name as statements write it.
pub fn identifier(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

impl Shapes {
    pub fn read(folder: &Path) -> Result<Self, Trouble> {
        let path = folder.join(STATISTICS);
        let text = fs::read(&path).map_err(Trouble::at("reading", &path))?;
        let wrong = |what: String| {
            Trouble::new(format!("{}: {what}", path.display())).mend("take the statistics again, by this version")
        };
        let shapes: Self = serde_json::from_slice(&text).map_err(|e| wrong(format!("is none of ours: {e}")))?;
        if shapes.version != VERSION {
            return Err(wrong(format!("is of version {}, and this program reads {VERSION}", shapes.version)));
        }
        Ok(shapes)
    }

    pub fn column(&self, [schema, table, column]: &[String; 3]) -> Option<&Column> {
        let table = self.tables.iter().find(|own| own.schema == *schema && own.name == *table)?;
        table.columns.iter().find(|own| own.name == *column)
    }
}
