//! What makes a MariaDB server a node of a Galera cluster, as lines of its option file and words of its command: pure,
//! and the same for every version that has wsrep API 26 (10.4 and later). All nodes begin on copies of one data
//! directory, so no state is ever transferred; what a joiner lacks is the handful of events that made the cluster,
//! which Galera sends by itself (IST). The server still calls a transfer script on both sides for that. Ours lets the
//! two meet over a file: it needs no rsync, no socat and no port, works for every user, and refuses to copy data.
//! Driving is `cluster.rs`'s.

use crate::servers::member::{Member, NodePorts};

/// The transfer method's name; the server calls `wsrep_sst_assay` from its PATH.
pub const SCRIPT_NAME: &str = "wsrep_sst_assay";

/// One side of a transfer: the donor leaves the position in a file that the joiner waits for. The address names the
/// joiner.
pub const SCRIPT: &str = r#"#!/bin/sh
role= address= gtid= bypass= parent=
while [ $# -gt 0 ]; do
    case "$1" in
        --role) role=$2; shift ;;
        --address) address=$2; shift ;;
        --gtid) gtid=$2; shift ;;
        --parent) parent=$2; shift ;;
        --bypass) bypass=yes ;;
    esac
    shift
done
meeting="$ASSAY_MEETING/joiner-${address##*:}"
case "$role" in
    joiner)
        rm -f "$meeting"
        echo "ready $address"
        until [ -s "$meeting" ]; do
            kill -0 "$parent" 2>/dev/null || exit 1
            sleep 0.05
        done
        cat "$meeting"
        ;;
    donor)
        [ -n "$bypass" ] || { echo "the joiner's data are no copy of the donor's" >&2; exit 1; }
        echo continue
        echo "$gtid" >"$meeting.new" && mv "$meeting.new" "$meeting"
        echo "done $gtid"
        ;;
esac
"#;

/// Names that only the lab gives a node; everything else of wsrep is the experiment's to set.
pub const OURS: &[&str] = &[
    "wsrep-on",
    "wsrep-provider",
    "wsrep-provider-options",
    "wsrep-cluster-name",
    "wsrep-cluster-address",
    "wsrep-node-name",
    "wsrep-node-address",
    "wsrep-node-incoming-address",
    "wsrep-sst-method",
    "wsrep-sst-receive-address",
];

/// Where servers look for programs.
const PROGRAMS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

impl Member<'_> {
    /// Lines behind all others: the last one holds.
    pub fn lines(&self) -> String {
        let own = self.gates[self.number as usize - 1];
        let all: Vec<_> = self.gates.iter().map(|g| format!("127.0.0.1:{}", g.group)).collect();
        let (number, of, first) = (self.number, self.gates.len(), self.gates[0].group);
        let (provider, NodePorts { group, transfer }) = (self.provider.display(), own);
        // After a clean end nobody remembers a cluster whose ports are gone (pc.recovery).
        format!(
            "# node {number} of {of}\n\
             binlog_format=ROW\n\
             innodb_autoinc_lock_mode=2\n\
             wsrep_on=ON\n\
             wsrep_provider={provider}\n\
             wsrep_provider_options=base_host=127.0.0.1;base_port={group};gmcast.listen_addr=tcp://127.0.0.1:{group};\
             ist.recv_addr=127.0.0.1:{transfer};pc.recovery=no\n\
             wsrep_cluster_name=assay-{first}\n\
             wsrep_cluster_address=gcomm://{}\n\
             wsrep_node_name=node{number}\n\
             wsrep_node_address=127.0.0.1\n\
             wsrep_sst_method=assay\n\
             wsrep_sst_receive_address=127.0.0.1:{transfer}\n",
            all.join(",")
        )
    }

    /// The command that starts it, from that of a single server.
    pub fn start(&self, single: Vec<String>) -> Vec<String> {
        let shared = self.shared.display();
        let around = ["/usr/bin/env".into(), format!("PATH={shared}:{PROGRAMS}"), format!("ASSAY_MEETING={shared}")];
        let founding = (self.number == 1).then(|| "--wsrep-new-cluster".to_string());
        around.into_iter().chain(single).chain(founding).collect()
    }
}
