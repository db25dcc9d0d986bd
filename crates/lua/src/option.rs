//! Options of scripts: what a script declares, and the values that it sees in `sysbench.opt`.

use std::collections::BTreeMap;

/// What an option accepts; the numbers are those of `sysbench.cmdline.ARG_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null = 0,
    Bool = 1,
    Int = 2,
    Size = 3,
    Double = 4,
    String = 5,
    List = 6,
    File = 7,
}

impl Kind {
    pub const ALL: [Self; 8] =
        [Self::Null, Self::Bool, Self::Int, Self::Size, Self::Double, Self::String, Self::List, Self::File];
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Number(f64),
    /// An option that nobody set is the empty text.
    Text(String),
    List(Vec<String>),
    /// Known, and not shown to scripts.
    File,
}

/// An option as its owner declares it: a script in its body, or this program for those that every script has.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// With underscores.
    pub name: String,
    pub description: String,
    pub kind: Kind,
    /// As it would be written on the command line.
    pub default: Option<String>,
}

/// Everything that `sysbench.opt` shows: by name with underscores, defaults filled in.
pub type Options = BTreeMap<String, Value>;
