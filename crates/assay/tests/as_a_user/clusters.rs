//! A Galera cluster of three servers of this machine: users on every node, counted where they are, a node's death told
//! by its number, and nothing that outlives its lab. Without Galera's library these tests say so and look at nothing.

use crate::desk::{Desk, RUN, Said, until};
use crate::skipped;
use rustix::process::{Pid, Signal, kill_process};

const CLUSTER: &[&str] = &["--set", "server.topology=\"galera:3\"", "--set", "axes.range_size=[100]"];
const USERS: &[&str] = &["--set", "load.users=3"];
/// Long enough to be met in the middle.
const LONG: &[&str] = &["--set", "load.measure=\"30s\"", "--set", "repeat.repetitions=1"];

fn galera_is_here() -> bool {
    let here = lab::backends::mysql::cluster::provider().is_some();
    if !here {
        skipped::test("Galera's library", "apt-get install galera-4");
    }
    here
}

/// Process ids of the cluster's servers while users are on them, the first node's first.
fn under_load(desk: &Desk) -> Vec<u32> {
    until("a second of the run", || (desk.count("run_started") == 1).then_some(()));
    let servers = desk.processes().into_iter().filter(|(_, command)| !command.contains("__guard"));
    let mut nodes: Vec<_> = servers.map(|(pid, command)| (!command.contains("--wsrep-new-cluster"), pid)).collect();
    nodes.sort_unstable();
    nodes.into_iter().map(|(_, pid)| pid).collect()
}

#[test]
fn users_spread_over_the_nodes_and_each_node_is_counted() {
    if !galera_is_here() {
        return;
    }
    let desk = Desk::new();
    desk.assay(&[RUN, CLUSTER, USERS].concat()).assert_carried_out();
    desk.assert_nothing_is_left();
    let run = desk.run("c001-1");
    assert_eq!(run["ending"], "done");
    let counters = &run["whole"]["counters"];
    let end = |metric: &str| counters[metric][1].as_f64().unwrap_or_else(|| panic!("{metric} of {counters}"));
    for node in ["", "node2.", "node3."] {
        assert_eq!(end(&format!("{node}status.wsrep_cluster_size")), 3.0);
        assert_eq!(end(&format!("{node}status.wsrep_local_state")), 4.0, "in step until the end");
        assert!(end(&format!("{node}status.Com_select")) > 0.0, "one of three users is there");
        assert!(counters[format!("{node}status.wsrep_flow_control_paused_ns")].is_array());
    }
    let report: serde_json::Value = serde_json::from_str(&desk.read("record/report.json")).unwrap();
    let verdicts = report["cells"][0]["verdicts"].as_array().unwrap();
    let agree = verdicts.iter().find(|v| v["check"] == "counts_agree").unwrap();
    assert_eq!(agree["verdict"], "pass", "{agree}");
}

#[test]
fn a_node_that_is_killed_fails_the_run_by_its_number() {
    if !galera_is_here() {
        return;
    }
    let desk = Desk::new();
    let lab = desk.start(&[RUN, CLUSTER, USERS, LONG].concat());
    let nodes = under_load(&desk);
    assert_eq!(nodes.len(), 3);
    kill_process(Pid::from_raw(nodes[2] as i32).unwrap(), Signal::KILL).unwrap();
    let said = Said::of(lab.wait_with_output().unwrap());
    assert_eq!(said.status, 3, "{said:?}");
    // Which of the two joiners has the larger process id is the kernel's business.
    let killed = |node: u32| said.err.contains(&format!("node {node} of the cluster ended by itself (signal 9)"));
    assert!(killed(2) || killed(3), "{}", said.err);
    desk.assert_nothing_is_left();
}

#[test]
fn every_node_dies_with_its_lab() {
    if !galera_is_here() {
        return;
    }
    let desk = Desk::new();
    let mut lab = desk.start(&[RUN, CLUSTER, USERS, LONG].concat());
    assert_eq!(under_load(&desk).len(), 3);
    lab.kill().unwrap();
    lab.wait().unwrap();
    until("the death of every node with its lab", || desk.processes().is_empty().then_some(()));
}
