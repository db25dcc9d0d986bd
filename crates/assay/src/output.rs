//! Results on stdout. A reader that has seen enough (`| head`) ends the program quietly, as it would any other.

use std::io::Write;

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
