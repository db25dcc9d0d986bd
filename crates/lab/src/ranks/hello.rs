//! What a rank says of itself before anything is measured: its machine, its CPUs, its binary, and the files that the
//! experiment names. Two binaries or two files are two experiments, so ranks that differ do not begin.

use crate::os::digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// What its machine is called.
    pub host: String,
    /// Equal for ranks of one machine, whatever namespaces they are in.
    pub boot: String,
    pub pid: u32,
    /// CPUs that it may use.
    pub cpus: Vec<u32>,
    /// The digest of its binary.
    pub binary: String,
    /// Digests of what it was asked, by what it is: the experiment's text, its scale, what was set, files that it
    /// names.
    pub asked: BTreeMap<String, String>,
    /// Why it cannot take part.
    pub trouble: Option<String>,
    /// What it says of its machine, where it was asked for that.
    pub seen: Option<Seen>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub text: String,
    pub is_fit: bool,
}

impl Hello {
    /// This process, asked that.
    pub fn of_this_process(cpus: Vec<u32>, asked: BTreeMap<String, String>) -> Self {
        let line = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_string();
        Self {
            host: line("/proc/sys/kernel/hostname"),
            boot: line("/proc/sys/kernel/random/boot_id"),
            pid: std::process::id(),
            cpus,
            binary: digest::of_file("/proc/self/exe").unwrap_or_default(),
            asked,
            trouble: None,
            seen: None,
        }
    }

    pub fn shares_a_machine_with(&self, other: &Self) -> bool {
        !self.boot.is_empty() && self.boot == other.boot
    }
}

/// Why these do not go together, the leader's first; what differs is said with the mend.
pub fn differ(all: &[Hello]) -> Option<String> {
    let (leader, others) = all.split_first()?;
    for (rank, hello) in (1..).zip(others) {
        let who = name(rank, hello);
        if let Some(trouble) = &hello.trouble {
            return Some(format!("{who} cannot take part: {trouble}"));
        }
        if hello.binary != leader.binary {
            return Some(format!(
                "{who} runs another assay than rank 0 on {}: two programs are two loads\n    copy one binary to all hosts",
                leader.host
            ));
        }
        let names = leader.asked.keys().chain(hello.asked.keys());
        if let Some(what) = names.into_iter().find(|what| leader.asked.get(*what) != hello.asked.get(*what)) {
            return Some(format!(
                "{who} was asked another question than rank 0 on {}: {what} is not the same there\n    copy the \
                 experiment's files to the same places of all hosts, and start all ranks by one command",
                leader.host
            ));
        }
    }
    None
}

/// How a rank is called wherever somebody reads of it.
pub fn name(rank: u32, hello: &Hello) -> String {
    format!("rank {rank} on {} (process {})", hello.host, hello.pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_two_binaries_or_two_questions_do_not_begin_and_are_named() {
        let asked = |text: &str| [("the experiment's text".to_string(), text.to_string())].into();
        let hello = |host: &str, binary: &str, text: &str| Hello {
            host: host.into(),
            pid: 7,
            binary: binary.into(),
            asked: asked(text),
            ..Hello::default()
        };
        let (a, b) = (hello("a", "1", "x"), hello("b", "1", "x"));
        assert_eq!(differ(&[a.clone(), b.clone()]), None);
        let told = |other: Hello| differ(&[a.clone(), b.clone(), other]).unwrap();
        assert!(told(hello("c", "2", "x")).starts_with("rank 2 on c (process 7) runs another assay than rank 0 on a"));
        assert!(told(hello("c", "1", "y")).contains("the experiment's text is not the same there"));
        let lacks = Hello { trouble: Some("x.toml: no such file".into()), ..hello("c", "1", "y") };
        assert!(told(lacks).contains("rank 2 on c (process 7) cannot take part: x.toml: no such file"));
    }
}
