//! The check `disk_was_ours`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::around::Neighbour;
use model::units::{Bytes, Nanos, Share};
use model::verdict::Status::{NotEvaluable, Pass, Warn};

#[test]
fn bytes_of_others_on_the_disk_warn() {
    let moved = |bytes: f64| all_runs(move |r| counter(r, "host.disk.write_bytes", bytes));
    assert_eq!(status(&moved(10e6), "disk_was_ours"), Pass, "a system's own logs");
    let foreign = verdict(&moved(200e6), "disk_was_ours");
    assert_eq!(foreign.verdict, Warn);
    assert!(foreign.sentence.contains("moved by neither server nor client"), "{}", foreign.sentence);
    let named = all_runs(|r| {
        counter(r, "host.disk.write_bytes", 200e6);
        let dd = Neighbour { name: "dd".into(), cpu: Nanos(0), moved: Bytes(190 << 20) };
        r.around.as_mut().unwrap().neighbours = vec![dd];
    });
    let sentence = verdict(&named, "disk_was_ours").sentence;
    assert!(sentence.contains("most of it by dd (190 MiB)"), "{sentence}");
    assert_eq!(status(&moved(25e6), "disk_was_ours"), Warn);
    for syncs in ["db.data_fsyncs", "db.redo_fsyncs"] {
        let synced = all_runs(|r| {
            counter(r, "host.disk.write_bytes", 25e6);
            r.phases[0].to = Nanos(r.phases[0].from.0 + 10_000_000_000);
            counter(r, syncs, 20_000.0);
        });
        let why = "the file system's journal is written for the server's syncs";
        assert_eq!(status(&synced, "disk_was_ours"), Pass, "{syncs}: {why}");
    }
    let often = |engine: &str| {
        let mut record = all_runs(|r| {
            counter(r, "host.disk.write_bytes", 120e6);
            counter(r, "db.redo_fsyncs", 10_000.0);
        });
        record.plan.cells.iter_mut().for_each(|cell| cell.server.engine = engine.into());
        status(&record, "disk_was_ours")
    };
    assert_eq!((often("innodb"), often("rocksdb")), (Warn, Pass), "a log that grows is in the journal at each sync");
    let full = all_runs(|r| r.around.as_mut().unwrap().disk_free = Some(Share(0.04)));
    assert_eq!(status(&full, "disk_was_ours"), Warn);
    let unknown = all_runs(|r| forget(r, "server.io.write_bytes"));
    assert_eq!(status(&unknown, "disk_was_ours"), NotEvaluable);
}
