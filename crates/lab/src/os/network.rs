//! The network cards of this machine: what went over them and how fast they say they are, for the second-by-second
//! readings of the host and for each rank's own; and which of them carries the way to an address, with the CPUs that
//! its interrupts take. Interfaces without hardware behind them are not counted, because what goes over those is within
//! this machine, or counted twice.

use super::process::parse_cpu_list;
use super::procfs::{interfaces, segments};
use model::record::ranks::Interface;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
use std::path::Path;

/// Since the boot, over all cards; TCP segments are those of this network namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    pub received: u64,
    pub sent: u64,
    pub segments: u64,
    pub segments_again: u64,
}

/// What has gone over the cards so far.
pub fn counted() -> Option<Counted> {
    let (received, sent) = interfaces(&fs::read_to_string("/proc/self/net/dev").ok()?, is_card)?;
    let (segments, segments_again) = segments(&fs::read_to_string("/proc/self/net/snmp").ok()?)?;
    Some(Counted { received, sent, segments, segments_again })
}

/// An interface with hardware behind it.
pub fn is_card(interface: &str) -> bool {
    Path::new("/sys/class/net").join(interface).join("device").exists()
}

/// The interfaces with hardware behind them.
pub fn cards() -> Vec<String> {
    let all = fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
    let mut cards: Vec<String> =
        all.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_card(name)).collect();
    cards.sort_unstable();
    cards
}

/// Bytes per second and direction of all of them, where each says its speed (virtual ones seldom do).
pub fn link() -> Option<u64> {
    /// The bytes of a megabit.
    const BYTES: u64 = 125_000;
    let speed = |name: String| {
        let text = fs::read_to_string(format!("/sys/class/net/{name}/speed")).ok()?;
        text.trim().parse::<u64>().ok()
    };
    let sum: Option<u64> = cards().into_iter().map(speed).sum();
    sum.filter(|megabits| *megabits > 0).map(|megabits| megabits * BYTES)
}

/// The interface that carries the way to an address; none where that is this machine's own.
pub fn interface_to(address: IpAddr) -> Option<Interface> {
    if UdpSocket::bind((address, 0)).is_ok() {
        return None;
    }
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let name = match address.to_canonical() {
        IpAddr::V4(address) => routed(&read("/proc/self/net/route"), address)?.to_string(),
        IpAddr::V6(address) => routed_6(&read("/proc/self/net/ipv6_route"), address)?.to_string(),
    };
    Some(interface(&name))
}

/// An interface, with the NUMA node of its card and the CPUs that its interrupts may run on.
pub fn interface(name: &str) -> Interface {
    let device = Path::new("/sys/class/net").join(name).join("device").canonicalize().ok();
    // A virtio device hangs below its PCI device, which is who knows.
    let nodes = device.iter().flat_map(|device| device.ancestors().take(2).map(|folder| folder.join("numa_node")));
    let node = nodes.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse::<u32>().ok()).next();
    let own = device.as_ref().and_then(|device| device.file_name()?.to_str());
    let listed = device.iter().filter_map(|device| fs::read_dir(device.join("msi_irqs")).ok()).flatten().flatten();
    let mut irqs: Vec<u32> = listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    if let (true, Some(own)) = (irqs.is_empty(), own) {
        irqs = self::irqs(&fs::read_to_string("/proc/interrupts").unwrap_or_default(), &[own, name]);
    }
    let affinity = |irq: u32| fs::read_to_string(format!("/proc/irq/{irq}/smp_affinity_list")).ok();
    let cpus = irqs.into_iter().filter_map(affinity).filter_map(|text| parse_cpu_list(&text)).flatten();
    let irq_cpus = cpus.collect::<BTreeSet<u32>>().into_iter().collect();
    Interface { name: name.to_string(), node, irq_cpus }
}

/// Routes that lead nowhere on purpose (RTF_REJECT), and those that are not up (RTF_UP).
const REJECT: u32 = 0x200;
const UP: u32 = 1;

/// The interface that `/proc/net/route` names for an address: of the routes that fit, the narrowest, and of those the
/// cheapest.
fn routed(routes: &str, address: Ipv4Addr) -> Option<&str> {
    let address = u32::from_ne_bytes(address.octets());
    let fitting = routes.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let hex = |at: usize| u32::from_str_radix(fields.get(at)?, 16).ok();
        let (target, flags, mask) = (hex(1)?, hex(3)?, hex(7)?);
        let metric: u32 = fields.get(6)?.parse().ok()?;
        let fits = flags & UP != 0 && flags & REJECT == 0 && address & mask == target;
        fits.then_some((mask.count_ones(), Reverse(metric), fields[0]))
    });
    fitting.max_by_key(|(width, metric, _)| (*width, *metric)).map(|(.., name)| name)
}

/// The same of `/proc/net/ipv6_route`.
fn routed_6(routes: &str, address: Ipv6Addr) -> Option<&str> {
    let fitting = routes.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let hex = |at: usize| u32::from_str_radix(fields.get(at)?, 16).ok();
        let target = u128::from_str_radix(fields.first()?, 16).ok()?;
        let (width, metric, flags) = (hex(1)?, hex(5)?, hex(8)?);
        let mask = u128::MAX.checked_shl(128 - width).unwrap_or(0);
        let fits = flags & UP != 0 && flags & REJECT == 0 && u128::from(address) & mask == target;
        fits.then_some((width, Reverse(metric), *fields.get(9)?))
    });
    fitting.max_by_key(|(width, metric, _)| (*width, *metric)).map(|(.., name)| name)
}

/// The numbers of the interrupts, of `/proc/interrupts`, whose line names one of these as a whole word.
fn irqs(interrupts: &str, names: &[&str]) -> Vec<u32> {
    let is_word = |line: &str, name: &str| {
        line.match_indices(name).any(|(at, _)| {
            let beside = [line[..at].chars().next_back(), line[at + name.len()..].chars().next()];
            beside.into_iter().flatten().all(|c| !c.is_alphanumeric())
        })
    };
    let of_line = |line: &str| {
        let (number, rest) = line.split_once(':')?;
        names.iter().any(|name| is_word(rest, name)).then(|| number.trim().parse().ok())?
    };
    interrupts.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_route_that_fits_names_the_interface() {
        let v4 = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n\
                  eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n\
                  eth1\t000200C0\t00000000\t0001\t0\t0\t9\t00FFFFFF\t0\t0\t0\n\
                  eth2\t000200C0\t00000000\t0001\t0\t0\t5\t00FFFFFF\t0\t0\t0\n";
        assert_eq!(routed(v4, Ipv4Addr::new(192, 0, 2, 7)), Some("eth2"), "the cheaper of two");
        assert_eq!(routed(v4, Ipv4Addr::new(203, 0, 113, 9)), Some("eth0"));
        assert_eq!(routed("", Ipv4Addr::new(203, 0, 113, 9)), None);
        let nothing = "0".repeat(32);
        let v6 = format!(
            "fd000000000000000000000000000000 40 {nothing} 00 {nothing} 00000100 00000001 00000000 00000001     eth1\n\
             {nothing} 00 {nothing} 00 fd000000000000000000000000000001 00000400 00000003 00000000 00000003     eth0\n\
             {nothing} 00 {nothing} 00 {nothing} ffffffff 00000001 00000000 00200200       lo\n"
        );
        assert_eq!(routed_6(&v6, "fd00::9".parse().unwrap()), Some("eth1"));
        assert_eq!(routed_6(&v6, "2001:db8::9".parse().unwrap()), Some("eth0"));
    }

    #[test]
    fn the_interrupts_of_a_card_are_found_by_its_name_or_its_devices() {
        let text = "           CPU0       CPU1\n\
             \x2037:          0          0 PCI-MSIX-0000:00:03.0   0-edge      virtio2-config\n\
             \x2038:          0       8585 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0\n\
             \x2040:          0          0 PCI-MSIX-0000:00:04.0   0-edge      virtio20-config\n\
             \x2051:          3          0 IR-PCI-MSI 524289-edge      i40e-eth0-TxRx-0\n\
             NMI:          0          0   Non-maskable interrupts\n";
        assert_eq!(irqs(text, &["virtio2"]), [37, 38]);
        assert_eq!(irqs(text, &["0000:00:04.0"]), [40]);
        assert_eq!(irqs(text, &["0000:41:00.0", "eth0"]), [51]);
    }

    #[test]
    fn an_address_of_this_machine_is_reached_by_no_interface() {
        assert_eq!(interface_to(Ipv4Addr::LOCALHOST.into()), None);
        for card in cards() {
            assert_eq!(interface(&card).name, card);
        }
    }
}
