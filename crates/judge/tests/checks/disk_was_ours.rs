//! The check `disk_was_ours`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::units::Share;
use model::verdict::Status::{NotEvaluable, Pass, Warn};

#[test]
fn bytes_of_others_on_the_disk_warn() {
    let moved = |bytes: f64| all_runs(move |r| counter(r, "host.disk.write_bytes", bytes));
    assert_eq!(status(&moved(10e6), "disk_was_ours"), Pass, "a system's own logs");
    let foreign = verdict(&moved(200e6), "disk_was_ours");
    assert_eq!(foreign.verdict, Warn);
    assert!(foreign.sentence.contains("moved by neither server nor client"), "{}", foreign.sentence);
    let full = all_runs(|r| r.around.as_mut().unwrap().disk_free = Some(Share(0.04)));
    assert_eq!(status(&full, "disk_was_ours"), Warn);
    let unknown = all_runs(|r| forget(r, "server.io.write_bytes"));
    assert_eq!(status(&unknown, "disk_was_ours"), NotEvaluable);
}
