//! Puts the git revision into the binary, so that a record says which assay made it. Outside a checkout it is
//! "unknown".

use std::process::Command;

fn main() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    let revision = git(&["rev-parse", "--short=12", "HEAD"]).map_or("unknown".into(), |r| r.trim().to_string());
    println!("cargo::rustc-env=ASSAY_REVISION={revision}");
    println!("cargo::rerun-if-changed=../../.git/logs/HEAD");
}
