//! Which sysbench to be: 1.0.20 is what distributions ship, 1.1 is what its developers use. Scripts see the union of
//! both; options, reports and defaults are one's or the other's.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    #[default]
    V10,
    V11,
}

impl Compat {
    /// What it calls itself.
    pub fn version(self) -> &'static str {
        match self {
            Self::V10 => "1.0.20",
            Self::V11 => "1.1.0",
        }
    }
}
