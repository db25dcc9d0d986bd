//! The check `network_had_room`: healthy, ill, and without its evidence.

use crate::bench::*;
use model::record::run::RunRecord;
use model::verdict::Status::{Fail, NotApplicable, NotEvaluable, Pass, Warn};

/// A server elsewhere, over a link of 1 Gbit/s.
fn over_a_link(bytes: f64, again: f64) -> model::record::Record {
    spoilt(|r| {
        r.plan.cells.iter_mut().for_each(|c| c.server.on = Some("mysql://elsewhere".into()));
        r.instances[0].cpus.clear();
        let spoil = |r: &mut RunRecord| {
            r.session.transport = "tcp plain".into();
            counter(r, "host.net.received_bytes", bytes);
            counter(r, "host.net.sent_bytes", 1e6);
            counter(r, "host.net.segments", 1e6);
            counter(r, "host.net.segments_again", again);
            counter(r, "host.net.link", 125e6 - 1_000.0);
        };
        r.runs.iter_mut().for_each(spoil);
    })
}

#[test]
fn a_full_link_is_the_networks_rate() {
    assert_eq!(status(&record(), "network_had_room"), NotApplicable, "over a Unix socket");
    assert_eq!(status(&over_a_link(50e6, 0.0), "network_had_room"), Pass);
    assert_eq!(status(&over_a_link(100e6, 0.0), "network_had_room"), Warn);
    assert_eq!(status(&over_a_link(120e6, 0.0), "network_had_room"), Fail);
    assert_eq!(status(&over_a_link(50e6, 2_000.0), "network_had_room"), Warn, "segments sent again");
    let mut silent = over_a_link(50e6, 0.0);
    silent.runs.iter_mut().for_each(|r| forget(r, "host.net.link"));
    assert_eq!(status(&silent, "network_had_room"), NotEvaluable);
}
