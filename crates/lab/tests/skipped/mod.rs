//! How a test says that it cannot run here, for want of a server, a plugin or a program: it is *skipped*, which is
//! neither passed nor failed. `scripts/test` names a file in ASSAY_SKIPS, takes the tests that it finds there from
//! those that passed, and lists them with what would bring what they want. Whoever runs a test by hand reads the same
//! on stderr.

use std::fs::OpenOptions;
use std::io::Write;

/// Names the file that skipped tests are written to: a line each of name, reason and mend, with tabs between them.
const FILE: &str = "ASSAY_SKIPS";

/// Says that the running test cannot run: `wants` is what this machine lacks, `mend` what brings it. The caller returns
/// at once.
#[allow(dead_code, reason = "the tests of builds name themselves")]
pub fn test(wants: &str, mend: &str) {
    // Under --test-threads=1 the thread is the program's own.
    by_name(std::thread::current().name().unwrap_or("main"), wants, mend);
}

/// The same of a test that is not libtest's, or is one of many in a thread.
pub fn by_name(test: &str, wants: &str, mend: &str) {
    eprintln!("skipped: {test} wants {wants}; {mend} brings it");
    if let Some(path) = std::env::var_os(FILE) {
        let line = [test, wants, mend].map(|part| part.replace(['\t', '\n'], " ")).join("\t") + "\n";
        // One write of one line, because tests are threads of several programs.
        let said =
            OpenOptions::new().create(true).append(true).open(&path).and_then(|mut f| f.write_all(line.as_bytes()));
        said.unwrap_or_else(|e| panic!("{test} is skipped, and {} could not be told: {e}", path.display()));
    }
}
