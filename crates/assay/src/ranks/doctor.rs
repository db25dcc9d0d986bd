//! `assay doctor` as several ranks: what each machine says of itself, under its rank's name, whether all are one
//! program, and how well rank 0 knows their clocks. Whether they are fit is what the worst of them says.

use super::{follow_through, hello_of};
use crate::exit::{self, Exit};
use crate::out;
use lab::os::network;
use lab::os::process::cpu_list;
use lab::ranks::Ranks;
use lab::ranks::clock::Offset;
use lab::ranks::hello::{Hello, Seen, differ};
use lab::ranks::peers::Peers;
use model::Nanos;
use model::record::ranks::Interface;
use std::collections::BTreeMap;
use std::time::Duration;

/// Two readings of a clock so far apart tell a drift of some tens of microseconds in a second.
const BETWEEN: Duration = Duration::from_secs(2);
/// A clock that is known no better blurs the series (check `ranks_were_one_load`).
const UNKNOWN: Nanos = Nanos::from_millis(5);

/// What this rank's machine says of itself, and whether it is fit.
pub fn examine(ranks: Box<dyn Ranks>, text: String, is_fit: bool) -> Result<Exit, Exit> {
    let hello = hello_of(BTreeMap::new())?;
    let notes = network::cards().into_iter().filter_map(|card| note(&network::interface(&card), &hello.cpus));
    let text = notes.fold(text, |text, note| format!("{text}\n{note}"));
    let hello = Hello { seen: Some(Seen { text, is_fit }), ..hello };
    if ranks.rank() > 0 {
        return follow_through(ranks, hello, |_| Err("a doctor measures nothing".into()));
    }
    let mut peers = Peers::gather(ranks, hello).map_err(exit::failed)?;
    let clocks = clocks(&mut peers);
    peers.end();
    let mut is_fit = true;
    for rank in 0..peers.size() {
        out!("{}", peers.name(rank));
        if let Some(seen) = &peers.hellos[rank as usize].seen {
            out!("{}\n", seen.text);
            is_fit &= seen.is_fit;
        }
    }
    for (rank, [before, after]) in (1..).zip(clocks.map_err(exit::failed)?) {
        let within = before.within.max(after.within);
        let gained = (after.ahead_ns - before.ahead_ns) as f64 / (after.at.seconds() - before.at.seconds());
        let state = if within > UNKNOWN { "warn" } else { "ok" };
        out!(
            "{state:>8}  clock of rank {rank}: {} from rank 0's, known to within {within}; it gained {gained:.0} ns/s",
            Nanos(after.ahead_ns.unsigned_abs())
        );
    }
    if let Some(why) = differ(&peers.hellos) {
        return Err(exit::refused(why));
    }
    Ok(if is_fit { Exit::Valid } else { Exit::CheckFailed })
}

/// Where interrupts of a network card and workers of this rank meet; whether that matters is what a run shows.
fn note(interface: &Interface, cpus: &[u32]) -> Option<String> {
    let shared = interface.shared_with(cpus);
    let node = interface.node.map_or(String::new(), |node| format!(" (NUMA node {node})"));
    (!shared.is_empty()).then(|| {
        format!(
            "{:>8}  {:<11} those of {}{node} may run on CPUs {}, which workers of this rank may use",
            "note",
            "interrupts",
            interface.name,
            cpu_list(&shared)
        )
    })
}

/// Each other rank's clock, read twice.
fn clocks(peers: &mut Peers) -> Result<Vec<[Offset; 2]>, String> {
    let before = peers.synchronise()?;
    std::thread::sleep(BETWEEN);
    let after = peers.synchronise()?;
    Ok(before.into_iter().zip(after).skip(1).map(|(before, after)| [before, after]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_told_where_its_workers_and_interrupts_of_a_card_meet() {
        let card = |irq_cpus: &[u32]| Interface { name: "eth0".into(), node: Some(1), irq_cpus: irq_cpus.to_vec() };
        let told = note(&card(&[0, 1, 2]), &[1, 2, 3]).unwrap();
        assert!(told.contains("those of eth0 (NUMA node 1) may run on CPUs 1,2, which"), "{told}");
        assert_eq!(note(&card(&[0]), &[1, 2]), None, "each has its own");
        assert_eq!(note(&card(&[]), &[1, 2]), None, "not known");
    }
}
