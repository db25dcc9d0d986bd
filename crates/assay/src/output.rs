//! Results on stdout. A reader that has seen enough (`| head`) ends the program quietly, as it would any other. What
//! the terminal can do is asked here: how wide it is, and whether it shows colours and wants them.

use report::terminal::Style;
use std::io::{IsTerminal, Write};

/// Columns where there is no terminal to ask: what a mail and a review show unbroken.
const WIDTH: usize = 80;

/// `println!` without its panic.
#[macro_export]
macro_rules! out {
    ($($text:tt)*) => {
        $crate::output::line(format_args!($($text)*))
    };
}

pub fn line(text: std::fmt::Arguments) {
    let mut stdout = std::io::stdout().lock();
    if writeln!(stdout, "{text}").is_err() {
        std::process::exit(0);
    }
}

/// How a screen is to look on this stdout. `COLUMNS` speaks before the terminal, and `NO_COLOR` against colours.
pub fn style(all: bool) -> Style {
    let is_terminal = std::io::stdout().is_terminal();
    let said = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let asked = || console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    let told = said("COLUMNS").and_then(|columns| columns.parse().ok());
    let width = told.or_else(|| asked().filter(|_| is_terminal)).unwrap_or(WIDTH);
    let is_dumb = said("TERM").is_some_and(|term| term == "dumb");
    Style { width, colour: is_terminal && !is_dumb && said("NO_COLOR").is_none(), all }
}
