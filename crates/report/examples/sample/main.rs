//! Writes a report of a made-up record into a folder: seed 0's matrix in miniature, with cells that failed, were
//! skipped and drew a warning. The page's tests open it, and whoever works on the page looks at it. No number in it was measured.
//!
//! `cargo run -p report --example sample -- FOLDER`

mod judgement;
mod record;

use record::Size;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/sample".to_string());
    let (record, details) = record::of(Size::Study);
    let report = report::render(&record, &judgement::of(&record), &details, report::SHELL);
    std::fs::create_dir_all(&folder)?;
    for (name, text) in [("html", &report.html), ("md", &report.markdown), ("json", &report.json), ("csv", &report.csv)]
    {
        let path = Path::new(&folder).join(format!("report.{name}"));
        std::fs::write(&path, text)?;
        println!("{} ({} KB)", path.display(), text.len() / 1000);
    }
    Ok(())
}
