//! A small vocabulary and two small hosts for these tests. The real vocabulary is made by the workload room; this one
//! has the same shape and only what the tests talk about.

use model::host::{Host, InstalledBuild, Version};
use model::protocol::Protocol;
use model::units::Bytes;
use model::value::Value;
use model::words::{Class, DisturbanceWords, Footprint, Kind, Literal, Parameter, Words, WorkloadWords};
use std::collections::BTreeMap;

const fn parameter(name: &'static str, kind: Kind, default: Option<Literal>, class: Class) -> Parameter {
    Parameter { name, kind, default, class, why: "it matters", of_one: &[] }
}

const TABLES: Parameter = parameter("tables", Kind::Count { min: 1, max: 1_000 }, Some(Literal::Count(1)), Class::Data);
const ROWS: Parameter =
    parameter("rows", Kind::Count { min: 1, max: 1 << 31 }, Some(Literal::Count(10_000)), Class::Data);
const CHARSET: Parameter =
    parameter("charset", Kind::Choice(model::charset::LABELS), Some(Literal::Text("utf8mb4-generic")), Class::Data);
const RANGE_SIZE: Parameter =
    parameter("range_size", Kind::Count { min: 1, max: 1 << 31 }, Some(Literal::Count(100)), Class::Work);
const THREADS: Parameter = parameter("threads", Kind::Count { min: 1, max: 64 }, Some(Literal::Count(1)), Class::Work);
const PREPARED: Parameter = parameter("prepared", Kind::Flag, Some(Literal::Flag(true)), Class::Work);

fn oltp(parameters: &BTreeMap<String, Value>) -> Footprint {
    let number = |name: &str| parameters[name].count().map_or(0, i64::unsigned_abs);
    let rows = number("tables") * number("rows");
    Footprint { bytes: rows * 240, rows }
}

fn none(_: &BTreeMap<String, Value>) -> Footprint {
    Footprint::default()
}

const fn disturbance(name: &'static str, parameters: &'static [Parameter]) -> DisturbanceWords {
    DisturbanceWords { name, why: "it matters", parameters, writes: false }
}

pub fn words() -> Words {
    let workload = |name: &'static str, parameters, operations, footprint| WorkloadWords {
        name: name.into(),
        why: "it is measured",
        writes: false,
        protocols: &[Protocol::MySql],
        parameters: Parameter::ours(parameters),
        operations,
        footprint,
        grows: None,
    };
    const RANGES: &[Parameter] = &[TABLES, ROWS, CHARSET, PREPARED, RANGE_SIZE];
    Words {
        workloads: vec![
            workload("oltp.mixed", RANGES, &["transaction"], oltp),
            workload("oltp.point_selects", &[TABLES, ROWS, CHARSET, PREPARED], &["point_selects"], oltp),
            workload("oltp.simple_ranges", RANGES, &["simple_ranges"], oltp),
            workload("oltp.ordered_ranges", RANGES, &["order_ranges"], oltp),
            workload("oltp.distinct_ranges", RANGES, &["distinct_ranges"], oltp),
            workload(
                "linkbench",
                const { &[parameter("maxid1", Kind::Count { min: 2, max: 1 << 40 }, None, Class::Data)] },
                &["get_node", "get_link_list", "add_link"],
                none,
            ),
        ],
        disturbances: vec![
            disturbance("open_snapshot", &[]),
            disturbance("idle_connection", &[]),
            disturbance("cpu_hog", &[THREADS]),
        ],
        builds: vec!["mariadb-10.11".into(), "mysql-8.0.33".into(), "memcached".into()],
        limits: vec![("others_fail", 1.0), ("stall", 1e9)],
    }
}

/// Two cores, one socket, one server.
pub fn small_host() -> Host {
    Host {
        cpus: vec![0, 1],
        sockets: [(0, vec![0, 1])].into(),
        nodes: vec![0],
        memory: Bytes(8 << 30),
        builds: vec![build("distribution"), build("mariadb-10.11")],
        ..Host::default()
    }
}

#[allow(dead_code)]
pub fn two_sockets() -> Host {
    Host {
        cpus: (0..8).collect(),
        sockets: [(0, vec![0, 1, 2, 3]), (1, vec![4, 5, 6, 7])].into(),
        memory: Bytes(256 << 30),
        ..small_host()
    }
}

fn build(name: &str) -> InstalledBuild {
    InstalledBuild {
        name: name.into(),
        kind: "mariadb".into(),
        version: Version(10, 11, 19),
        binary: "/usr/sbin/mariadbd".into(),
        basedir: "/usr".into(),
        engines: vec!["InnoDB".into(), "Aria".into()],
    }
}
