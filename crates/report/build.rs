//! Lays the built page beside the crate's code, so that `include_str!` finds one whether or not Node.js was ever run
//! here: the page as Vite built it, or a small page that shows the Markdown report and says how to build the real one.

use std::path::Path;
use std::{env, fs};

const BUILT: &str = "page/dist/index.html";
const UNBUILT: &str = "page/unbuilt.html";

fn main() {
    // The folder, because a file that does not exist yet would make Cargo run this script on every build.
    println!("cargo::rerun-if-changed={}", if Path::new("page/dist").exists() { "page/dist" } else { "page" });
    println!("cargo::rerun-if-changed={UNBUILT}");
    let shell = fs::read_to_string(BUILT)
        .or_else(|_| fs::read_to_string(UNBUILT))
        .expect("the crate comes with its unbuilt page");
    let out = env::var_os("OUT_DIR").expect("Cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("shell.html"), shell).expect("OUT_DIR is writable");
}
