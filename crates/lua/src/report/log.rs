//! The log: lines with a level, and the same line said again only counted.

/// By how much must be wanted for a line to be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Fatal = 0,
    Alert = 1,
    Warning = 2,
    /// Reports are of this level, and have no prefix.
    Notice = 3,
    Info = 4,
    Debug = 5,
}

impl Level {
    fn prefix(self) -> &'static str {
        match self {
            Self::Fatal => "FATAL: ",
            Self::Alert => "ALERT: ",
            Self::Warning => "WARNING: ",
            Self::Notice | Self::Info => "",
            Self::Debug => "DEBUG: ",
        }
    }
}

/// Which lines are to be printed, and what was said last.
#[derive(Clone, Debug)]
pub struct Log {
    verbosity: u8,
    last: Option<(Level, String)>,
    repeated: u32,
}

impl Log {
    pub fn new(verbosity: u8) -> Self {
        Self { verbosity, last: None, repeated: 0 }
    }

    /// Whether lines of this level are printed.
    pub fn prints(&self, level: Level) -> bool {
        level as u8 <= self.verbosity
    }

    /// The text to print now for a line: it may be nothing, or tell first how often the line before was said.
    pub fn line(&mut self, level: Level, text: &str) -> String {
        if !self.prints(level) {
            return String::new();
        }
        if self.last.as_ref().is_some_and(|(of, said)| *of == level && said == text) {
            self.repeated += 1;
            return String::new();
        }
        let before = self.settle();
        self.last = Some((level, text.to_string()));
        format!("{before}{}{text}\n", level.prefix())
    }

    /// What is still to be told of the line said last; reports come behind it.
    pub fn settle(&mut self) -> String {
        self.last = None;
        match std::mem::take(&mut self.repeated) {
            0 => String::new(),
            times => format!("(last message repeated {times} times)\n"),
        }
    }
}
