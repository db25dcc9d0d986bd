//! What a profile run saw: the server's stacks on its CPUs, or those in which its threads waited, so many times a
//! second, folded: equal stacks of a phase are one line with a count. The text is what flame graph programs read
//! (`phase;root;…;leaf count`), so that a record's file needs no program of ours. What a stack costs is its samples ×
//! the time that one of them stands for.

use crate::functions::Spent;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a run was sampled; in its `run.json`. Of the pair of such a run nothing of it is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The kernel's name of what was counted: `cpu-clock`, `context-switches`.
    pub event: String,
    #[serde(default, skip_serializing_if = "Spent::is_on_cpu")]
    pub spent: Spent,
    /// Time that one sample stands for.
    pub period: Nanos,
    /// Samples of the server, those between its phases included.
    pub samples: u64,
    /// Samples that the kernel or the profiler had no room for.
    pub lost: u64,
    /// What the CPUs counted of the server's threads, by counter and phase; none of what this machine does not count.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counted: BTreeMap<String, BTreeMap<String, f64>>,
    /// CPU time that sampling, unwinding and folding took of this machine.
    pub cost: Nanos,
    /// What could not be read, each with its mend.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// Hardware counters, as they are called.
pub const COUNTERS: [&str; 4] = ["instructions", "cycles", "iTLB misses", "LLC misses"];
/// The file in the folder of a run that has its stacks.
pub const STACKS: &str = "profile.folded.gz";
/// The outermost frame of a stack whose end was not found.
pub const NOT_UNWOUND: &str = "[not unwound]";
/// What function names of the kernel, and names of inlined functions, end with; flame graph programs colour by it.
pub const KERNEL: &str = "_[k]";
pub const INLINED: &str = "_[i]";
/// The innermost frame of a thread that waited for nothing but a CPU.
pub const PREEMPTED: &str = "preempted_[k]";

/// Part of each sentence about a file whose functions have no names.
pub const NAMELESS: &str = "have no name";

/// Equal stacks of one phase.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack {
    pub phase: String,
    /// The outermost first. A function without a name is its file's place, in brackets: `[libc.so.6+0x9f0b0]`.
    pub frames: Vec<String>,
    pub samples: u64,
}

impl Profile {
    /// Whether the run was sampled, and is not the pair of one.
    pub fn is_sampled(&self) -> bool {
        self.period > Nanos(0)
    }
}

impl Stack {
    pub fn is_unwound(&self) -> bool {
        self.frames.first().is_none_or(|frame| frame != NOT_UNWOUND)
    }
    /// Whether the function that was on the CPU has a name.
    pub fn is_named(&self) -> bool {
        self.frames.last().is_some_and(|frame| !frame.starts_with('['))
    }
}

/// The lines of the file.
pub fn fold(stacks: &[Stack]) -> String {
    let plain = |name: &str| name.replace([';', '\n'], ":");
    let line = |stack: &Stack| {
        let frames: String = stack.frames.iter().map(|frame| format!(";{}", plain(frame))).collect();
        format!("{}{frames} {}\n", plain(&stack.phase), stack.samples)
    };
    stacks.iter().map(line).collect()
}

/// The stacks of such lines; the number (1-based) of the first that is none.
pub fn unfold(text: &str) -> Result<Vec<Stack>, usize> {
    let stack = |line: &str| {
        let (frames, samples) = line.rsplit_once(' ')?;
        let mut frames = frames.split(';').map(String::from);
        Some(Stack { phase: frames.next()?, samples: samples.parse().ok()?, frames: frames.collect() })
    };
    text.lines().enumerate().map(|(number, line)| stack(line).ok_or(number + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_folded_is_read_back_whatever_functions_are_called() {
        let stack = |frames: &[&str]| Stack {
            phase: "measure".into(),
            frames: frames.iter().map(|frame| (*frame).to_string()).collect(),
            samples: 7,
        };
        let stacks = [stack(&["main", "operator new(unsigned long)", "brk_[k]"]), stack(&[NOT_UNWOUND, "[libc.so.6]"])];
        assert_eq!(unfold(&fold(&stacks)).unwrap(), stacks);
        assert_eq!(fold(&[stack(&["a;b"])]), "measure;a:b 7\n");
        assert_eq!(unfold("measure;main 7\nmeasure;main\n"), Err(2));
        assert_eq!(stacks.map(|stack| (stack.is_unwound(), stack.is_named())), [(true, true), (false, false)]);
    }
}
