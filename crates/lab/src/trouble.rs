//! The world's failure as a value: what the lab was doing, what came of it, and what would mend it. One type for the
//! whole room, because a caller never chooses between failures, it writes them down; the source is kept so that the
//! kernel's own words reach the reader. Author's mistakes are `model::problem`, our own are asserts. Beside it: why a
//! run cannot begin, and why a whole plan ends early.

use std::error::Error;
use std::fmt;
use std::path::Path;

#[derive(Debug)]
pub struct Trouble {
    /// What went wrong, as a sentence without a full stop.
    pub what: String,
    /// What to do about it, where there is something to do.
    pub mend: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Trouble {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), mend: None, source: None }
    }
    /// For `map_err`: `fs::read(p).map_err(Trouble::at("reading", p))`.
    pub fn at<E: Error + Send + Sync + 'static>(doing: &str, path: &Path) -> impl FnOnce(E) -> Self {
        let what = format!("{doing} {}", path.display());
        move |source| Self { what, mend: None, source: Some(Box::new(source)) }
    }
    pub fn mend(mut self, mend: impl Into<String>) -> Self {
        self.mend = Some(mend.into());
        self
    }
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(source) = &self.source {
            write!(f, ": {source}")?;
        }
        match &self.mend {
            Some(mend) => write!(f, "\n    {mend}"),
            None => Ok(()),
        }
    }
}

impl Error for Trouble {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|s| s.as_ref() as &(dyn Error + 'static))
    }
}

/// Why a plan ended early.
#[derive(Debug)]
pub enum Halt {
    /// Asked to stop; the same command goes on.
    Interrupted,
    /// The world failed in a way that concerns every run.
    World(Trouble),
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("asked to stop"),
            Self::World(trouble) => trouble.fmt(f),
        }
    }
}

impl From<Trouble> for Halt {
    fn from(trouble: Trouble) -> Self {
        Self::World(trouble)
    }
}

/// Why a run cannot begin.
#[derive(Debug)]
pub enum Unready {
    /// The build cannot do this; the cell has no number and a reason.
    Skip(String),
    Fail(String),
    Halt(Halt),
}

impl From<Trouble> for Unready {
    fn from(trouble: Trouble) -> Self {
        Self::Halt(Halt::World(trouble))
    }
}
