//! What `--help` prints: sysbench's layout, which programs read, with descriptions of our own.

use super::builtin::{BUILTIN, Group};
use crate::Compat;
use crate::option::Kind;

/// One line of a list of options, before it is aligned.
struct Line {
    option: String,
    description: String,
}

impl Kind {
    /// How a value is written behind the name.
    fn form(self) -> &'static str {
        match self {
            Self::Null => "",
            Self::Bool => "[=on|off]",
            Self::Int | Self::Double => "=N",
            Self::Size => "=SIZE",
            Self::String => "=STRING",
            Self::List => "=[LIST,...]",
            Self::File => "=FILENAME",
        }
    }
}

fn line(name: &str, kind: Kind, description: &str, default: Option<&str>) -> Line {
    let default = default.map(|value| format!(" [{value}]")).unwrap_or_default();
    Line { option: format!("--{name}{}", kind.form()), description: format!("{description}{default}") }
}

fn aligned(lines: &[Line]) -> String {
    let width = lines.iter().map(|line| line.option.len()).max().unwrap_or(0);
    lines.iter().map(|line| format!("  {:width$} {}\n", line.option, line.description)).collect()
}

pub fn help(compat: Compat) -> String {
    let group = |group: Group| {
        let of_group = BUILTIN.iter().filter(|option| option.group == group && option.is_in(compat));
        let lines: Vec<Line> = of_group.map(|o| line(o.name, o.kind, o.description, o.default)).collect();
        aligned(&lines)
    };
    let mut text = String::from(
        "Usage:\n  sysbench [options]... [testname] [command]\n\n\
         Commands implemented by most tests: prepare run cleanup help\n\n",
    );
    text += &format!("General options:\n{}\n", group(Group::General));
    text += &format!("Pseudo-Random Numbers Generator options:\n{}\n", group(Group::Random));
    text += &format!("Log options:\n{}\n{}\n", group(Group::Log), group(Group::Latency));
    text += &format!("General database options:\n\n{}\n\n", group(Group::Database));
    text += "Compiled-in database drivers:\n  mysql - MySQL driver\n  pgsql - PostgreSQL driver\n\n";
    text += &format!("mysql options:\n{}\n", group(Group::Mysql));
    text += &format!("pgsql options:\n{}\n", group(Group::Pgsql));
    text += &format!("assay options:\n{}\n", group(Group::Assay));
    text += "See 'sysbench <testname> help' for a list of options for each test.\n\n";
    text
}
