//! Downloads as a person sees them: on a terminal a bar in bytes, elsewhere a line at each quarter. All of it goes to
//! stderr.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::units::Bytes;
use std::io::IsTerminal;
use std::time::Duration;

pub struct Downloads {
    bar: Option<ProgressBar>,
    /// What was told last, and how many quarters of it.
    told: (String, u64),
}

impl Downloads {
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{bar:30.cyan/dim} {bytes}/{total_bytes} {msg} · {eta} left");
            bar.set_style(style.expect("a constant template").progress_chars("━━─"));
            bar
        });
        Self { bar, told: (String::new(), 0) }
    }
}

impl lab::Progress for Downloads {
    fn say(&mut self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    fn at(&mut self, done: u64, of: u64, what: &str, _left: Duration) {
        if let Some(bar) = &self.bar {
            bar.set_length(of);
            bar.set_position(done);
            bar.set_message(what.to_string());
            return;
        }
        let quarters = done * 4 / of.max(1);
        if self.told.0 != what || quarters > self.told.1 {
            eprintln!("fetching {what}: {} of {}", Bytes(done), Bytes(of));
            self.told = (what.to_string(), quarters);
        }
    }
}

impl Drop for Downloads {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
