//! The words of a command line: options are those that begin with two dashes, everything else has a place. `--name
//! value` is not an option with a value here, as it is not in sysbench; the one option that is ours takes it, because
//! only people write it.

use super::Complaint;
use crate::Compat;

/// An option as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// With underscores.
    pub name: String,
    pub value: Option<String>,
    /// The whole word, for complaints.
    pub typed: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    pub script: Option<String>,
    pub command: Option<String>,
    pub given: Vec<Given>,
    pub compat: Compat,
    pub config: Option<String>,
    /// Where the run is to become a record.
    pub record: Option<String>,
    pub help: bool,
    pub version: bool,
    pub warnings: Vec<String>,
    /// All words but those of our own option, as scripts see them.
    pub theirs: Vec<String>,
}

impl Given {
    pub fn new(name: &str, value: Option<&str>, typed: &str) -> Self {
        Self { name: name.replace('-', "_"), value: value.map(str::to_string), typed: typed.to_string() }
    }
}

/// Without the program's own name.
pub fn split(words: &[String]) -> Result<Words, Complaint> {
    let mut read = Words {
        script: None,
        command: None,
        given: Vec::new(),
        compat: Compat::V10,
        config: None,
        record: None,
        help: false,
        version: false,
        warnings: Vec::new(),
        theirs: Vec::new(),
    };
    let mut test = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--") else {
            read.theirs.push(word.clone());
            read.place(word)?;
            continue;
        };
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        if !["compat", "record"].contains(&name) {
            read.theirs.push(word.clone());
        }
        match name {
            "compat" => read.compat = compat(value.or_else(|| words.next().map(String::as_str)))?,
            "record" => read.record = Some(folder(value.or_else(|| words.next().map(String::as_str)))?),
            "config-file" | "config_file" => read.config = value.filter(|v| !v.is_empty()).map(str::to_string),
            "help" => read.help = is_on(value),
            "version" => read.version = is_on(value),
            "test" => test = value.map(str::to_string),
            _ => read.given.push(Given::new(name, value, word)),
        }
    }
    if let Some(script) = test {
        read.replaces_test(script)?;
    }
    Ok(read)
}

fn is_on(value: Option<&str>) -> bool {
    !matches!(value, Some("off" | "false" | "0"))
}

fn compat(word: Option<&str>) -> Result<Compat, Complaint> {
    match word {
        Some("1.0") => Ok(Compat::V10),
        Some("1.1") => Ok(Compat::V11),
        Some(_) | None => Err(Complaint::Early("--compat is 1.0 or 1.1".into())),
    }
}

fn folder(word: Option<&str>) -> Result<String, Complaint> {
    let named = word.filter(|word| !word.is_empty() && !word.starts_with("--"));
    named
        .map(str::to_string)
        .ok_or_else(|| Complaint::Early("--record names a folder, as --record=records/mine".into()))
}

impl Words {
    /// The script as messages call it: without its folder.
    pub fn name(&self) -> String {
        let script = self.script.as_deref().unwrap_or_default();
        script.rsplit('/').next().unwrap_or(script).to_string()
    }

    /// What comes by the standard input has no commands and no options: only its body is run.
    pub fn reads_a_file(&self) -> bool {
        self.script.as_deref().is_some_and(|script| script != "-")
    }

    fn place(&mut self, word: &str) -> Result<(), Complaint> {
        match (&self.script, &self.command) {
            (None, _) => self.script = Some(word.to_string()),
            (Some(_), None) => self.command = Some(word.to_string()),
            (Some(_), Some(_)) => {
                return Err(Complaint::Early(format!("Unrecognized command line argument: {word}")));
            }
        }
        Ok(())
    }

    /// `--test=SCRIPT COMMAND`, as it was written before 1.0.
    fn replaces_test(&mut self, script: String) -> Result<(), Complaint> {
        if self.compat == Compat::V11 {
            return Err(Complaint::Late(format!("invalid option: --test={script}")));
        }
        self.warnings.push(
            "WARNING: the --test option is deprecated. You can pass a script name or path on the command line without any \
             options."
                .into(),
        );
        if let Some(extra) = &self.command {
            return Err(Complaint::Early(format!("Unrecognized command line argument: {extra}")));
        }
        self.command = self.script.replace(script);
        Ok(())
    }
}
