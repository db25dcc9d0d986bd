//! Who looks into a program or into the kernel: probes and traced events take time at each place that they watch, and
//! no limit and no knob says so.

use super::mounts;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// What tells that something is traced: the tracer, events that are on, probes that somebody made; and of the first
/// what it is where nothing is.
const FILES: [&str; 4] = ["current_tracer", "set_event", "kprobe_events", "uprobe_events"];
const NO_TRACER: &str = "nop";

/// Whether a probe in a program's own code was met since it started: the kernel maps a page of its own for them then.
pub fn in_program(pid: u32) -> Option<&'static str> {
    let maps = fs::read(format!("/proc/{pid}/maps")).ok()?;
    Some(met(&maps))
}

fn met(maps: &[u8]) -> &'static str {
    const PAGE: &[u8] = b"[uprobes";
    if maps.windows(PAGE.len()).any(|part| part == PAGE) { "met" } else { "none met" }
}

/// What the kernel traces, of all its tracers, as far as anybody has mounted what says it; nothing where it traces
/// nothing.
pub fn in_kernel() -> BTreeMap<String, String> {
    let mountinfo = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounted = mounts::all(&mountinfo).find(|mount| mount.kind == "tracefs");
    let Some(folder) = mounted.map(|mount| PathBuf::from(mount.at)) else { return BTreeMap::new() };
    let instances = fs::read_dir(folder.join("instances")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut facts = BTreeMap::new();
    for tracer in [folder.clone()].into_iter().chain(instances) {
        for name in FILES {
            let text = fs::read_to_string(tracer.join(name)).unwrap_or_default();
            let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
            if !text.is_empty() && text != NO_TRACER {
                let of = tracer.strip_prefix(&folder).unwrap_or(&tracer).join(name);
                facts.insert(format!("tracing: {}", of.display()), text);
            }
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_that_was_met_has_left_its_page() {
        let code = "55d0c3a00000-55d0c3b00000 r-xp 00000000 fe:00 131 /usr/sbin/mariadbd\n";
        let page = "7fffffffe000-7ffffffff000 --xp 00000000 00:00 0 [uprobes]\n";
        assert_eq!(met(code.as_bytes()), "none met");
        assert_eq!(met(format!("{code}{page}").as_bytes()), "met");
        assert_eq!(in_program(std::process::id()), Some("none met"));
        assert_eq!(in_program(0), None);
    }
}
