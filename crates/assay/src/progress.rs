//! What a person sees while a plan is carried out: on a terminal a bar with the time left and one line per finished
//! run, elsewhere plain lines. Everything here goes to stderr; results go to stdout.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

pub struct Terminal {
    bar: Option<ProgressBar>,
}

impl Terminal {
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            // Twice a second: drawing must not take CPU from what is measured.
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(2));
            let style = ProgressStyle::with_template("{bar:30.cyan/dim} {pos}/{len} {msg} · {eta} left")
                .expect("a constant template");
            bar.set_style(style.progress_chars("━━─"));
            bar
        });
        if let Some(bar) = bar.clone() {
            lab::os::waits::told_by(move |line| bar.suspend(|| eprintln!("{line}")));
        }
        Self { bar }
    }
}

impl lab::Progress for Terminal {
    fn say(&mut self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    fn at(&mut self, done: u64, of: u64, what: &str, left: Duration) {
        if let Some(bar) = &self.bar {
            bar.set_length(of);
            bar.set_position(done);
            bar.set_style(
                ProgressStyle::with_template(&format!(
                    "{{bar:30.cyan/dim}} {{pos}}/{{len}} {{msg}} · {} left",
                    clock(left)
                ))
                .expect("a constant template")
                .progress_chars("━━─"),
            );
            bar.set_message(what.to_string());
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn clock(d: Duration) -> String {
    let s = d.as_secs();
    if s >= 3600 {
        format!("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    } else {
        format!("{}:{:02}", s / 60, s % 60)
    }
}
