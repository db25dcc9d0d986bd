//! Sets of CPUs in the words of an experiment. A word is resolved against the host in one place, so that what the plan
//! found possible is what the lab pins to.

use crate::host::Host;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CpuSet {
    All,
    /// The first of that many equal parts.
    Part(u32),
    /// One socket by its number.
    Socket(u32),
    /// The first so many sockets.
    Sockets(u32),
    /// Ranges, both ends included.
    List(Vec<(u32, u32)>),
}

impl CpuSet {
    pub const FORMS: &'static str =
        "\"all\", \"half\", \"1/3\", \"1 socket\", \"2 sockets\", \"socket:0\" or a list as \"0-3,8\"";

    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let positive = |n: &str| n.trim().parse().ok().filter(|n| *n > 0);
        match text {
            "all" => return Some(Self::All),
            "half" => return Some(Self::Part(2)),
            _ => {}
        }
        if let Some(parts) = text.strip_prefix("1/") {
            return positive(parts).map(Self::Part);
        }
        if let Some(number) = text.strip_prefix("socket:") {
            return number.trim().parse().ok().map(Self::Socket);
        }
        if let Some(count) =
            text.strip_prefix("sockets:").or(text.strip_suffix("sockets")).or(text.strip_suffix("socket"))
        {
            return positive(count).map(Self::Sockets);
        }
        let range = |part: &str| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
            (from <= to).then_some((from, to))
        };
        text.split(',').map(range).collect::<Option<Vec<_>>>().map(Self::List)
    }

    /// Between the sets of ranks, where each has its own, in the one text that they are kept as.
    pub const BETWEEN_RANKS: &'static str = " | ";

    /// One set for all ranks of a load, or one for each.
    pub fn of_ranks(text: &str) -> Option<Vec<Self>> {
        text.split(Self::BETWEEN_RANKS.trim()).map(Self::parse).collect()
    }

    /// The CPUs of this host, ascending, or why it has no such set.
    pub fn on(&self, host: &Host) -> Result<Vec<u32>, String> {
        let mut chosen: Vec<u32> = match self {
            Self::All => host.cpus.clone(),
            Self::Part(parts) => {
                let count = host.cpus.len() / *parts as usize;
                if count == 0 {
                    return Err(format!("the host has {}, fewer than {parts}", counted(host.cpus.len(), "CPU")));
                }
                host.cpus[..count].to_vec()
            }
            Self::Socket(number) => match host.sockets.get(number) {
                Some(cpus) => cpus.clone(),
                None => {
                    return Err(format!("the host has no socket {number}, only {}", counted(sockets(host), "socket")));
                }
            },
            Self::Sockets(count) if *count as usize > sockets(host) => {
                return Err(format!("the host has {}", counted(sockets(host), "socket")));
            }
            Self::Sockets(_) if host.sockets.is_empty() => host.cpus.clone(),
            Self::Sockets(count) => host.sockets.values().take(*count as usize).flatten().copied().collect(),
            Self::List(ranges) => {
                let wanted = |cpu: &u32| ranges.iter().any(|(from, to)| (from..=to).contains(&cpu));
                if let Some((_, to)) = ranges.iter().find(|(from, to)| {
                    host.cpus.iter().filter(|c| (from..=to).contains(c)).count() as u64 != u64::from(to - from) + 1
                }) {
                    return Err(format!(
                        "the host has {}, not all of those up to {to}",
                        counted(host.cpus.len(), "CPU")
                    ));
                }
                host.cpus.iter().copied().filter(wanted).collect()
            }
        };
        chosen.sort_unstable();
        Ok(chosen)
    }
}

/// A host that does not tell its sockets has one.
fn sockets(host: &Host) -> usize {
    host.sockets.len().max(1)
}

pub(super) fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host() -> Host {
        Host {
            cpus: (0..8).collect(),
            sockets: [(0, vec![0, 2, 4, 6]), (1, vec![1, 3, 5, 7])].into(),
            ..Host::default()
        }
    }

    #[test]
    fn words_for_cpus_mean_the_cpus_that_the_host_has() {
        let on = |text: &str| CpuSet::parse(text).unwrap().on(&host());
        assert_eq!(on("all"), Ok((0..8).collect()));
        assert_eq!(on("half"), Ok(vec![0, 1, 2, 3]));
        assert_eq!(on("1/6"), Ok(vec![0]));
        assert_eq!(on("1 socket"), Ok(vec![0, 2, 4, 6]));
        assert_eq!(on("sockets:2"), Ok((0..8).collect()));
        assert_eq!(on("socket:1"), Ok(vec![1, 3, 5, 7]));
        assert_eq!(on("0-2,7"), Ok(vec![0, 1, 2, 7]));
    }

    #[test]
    fn a_set_that_the_host_lacks_says_what_the_host_has() {
        assert_eq!(CpuSet::parse("4 sockets").unwrap().on(&host()), Err("the host has 2 sockets".into()));
        assert!(CpuSet::parse("6-9").unwrap().on(&host()).is_err());
        assert!(CpuSet::parse("1/9").unwrap().on(&host()).is_err());
        assert_eq!(CpuSet::parse("3-1"), None);
        assert_eq!(CpuSet::of_ranks("0-3 | half"), Some(vec![CpuSet::List(vec![(0, 3)]), CpuSet::Part(2)]));
        assert_eq!(CpuSet::of_ranks("0-3 | "), None);
        assert_eq!(CpuSet::parse("every"), None);
    }
}
