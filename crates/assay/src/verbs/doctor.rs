//! `assay doctor`: is this machine fit to measure on, what would it disturb, and how is that mended. It only looks:
//! nothing is changed, and what cannot be read is called unknown, never fit. A machine with bad signs still measures;
//! the checks of a run then say what came of it.

use super::Verb;
use crate::exit::Exit;
use crate::{out, question, ranks};
use clap::{ArgMatches, Command};
use lab::os::present::Present;
use model::{Bytes, Host};
use std::fmt::Write;
use std::time::Duration;

pub const VERB: Verb = Verb { name: "doctor", command, run };

fn command(command: Command) -> Command {
    command.about("Is this machine fit to measure on, and what would make it fitter")
}

/// Long enough for a hundred of the kernel's ticks.
const WATCH: Duration = Duration::from_secs(1);

fn run(_: &ArgMatches) -> Result<Exit, Exit> {
    let ranks = ranks::connect()?;
    let host = question::host()?;
    let signs = examine(&host, &lab::os::present::watch(WATCH));
    let (text, is_fit) = (render(&signs).trim_end().to_string(), signs.iter().all(|s| s.state != State::Bad));
    if let Some(ranks) = ranks {
        return ranks::doctor::examine(ranks, text, is_fit);
    }
    out!("{text}");
    Ok(if is_fit { Exit::Valid } else { Exit::CheckFailed })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ok,
    Unknown,
    Warn,
    Bad,
}

/// One thing looked at: what was read, what it disturbs, how to mend it.
struct Sign {
    subject: &'static str,
    state: State,
    reading: String,
    disturbs: &'static str,
    mend: &'static str,
}

/// From here on the lab gives load and server CPUs of their own.
const ROOMY_CPUS: usize = 4;
/// A twentieth of the machine shifts a throughput by about as much; a two-hundredth is what a quiet one uses for
/// itself.
const BAD_SHARE: f64 = 0.05;
const WARN_SHARE: f64 = 0.005;
/// A user is one open file on each side; the seeds go to 1024 users, the limits of the load to ten thousand.
const FEW_FILES: u64 = 1_024 + 200;
const MANY_FILES: u64 = 10_000 + 200;
/// A small private server with its log; a dataset of some ten million rows beside it.
const LITTLE_DISK: Bytes = Bytes(2 * Bytes::GIB);
const SOME_DISK: Bytes = Bytes(20 * Bytes::GIB);
/// Read without entering the kernel.
const FAST_CLOCKS: &[&str] = &["tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"];

/// Every sign, in the order in which a reader can do something about it.
fn examine(host: &Host, now: &Present) -> Vec<Sign> {
    vec![
        cpus(host),
        governor(host),
        stolen(now),
        others(host, now),
        swap(now),
        huge_pages(host),
        open_files(host),
        io_uring(host),
        clock(host),
        disk(host),
        builds(host),
        profile(host),
    ]
}

/// At least `bad` is bad, more than `warn` a warning.
fn graded(value: f64, warn: f64, bad: f64) -> State {
    if value >= bad {
        State::Bad
    } else if value > warn {
        State::Warn
    } else {
        State::Ok
    }
}

fn cpus(host: &Host) -> Sign {
    let count = host.cpus.len();
    Sign {
        subject: "CPUs",
        state: if count < 2 {
            State::Bad
        } else if count < ROOMY_CPUS {
            State::Warn
        } else {
            State::Ok
        },
        reading: format!("{count} × {}", host.cpu_model),
        disturbs: "load and server share CPUs: what the client costs is taken from the server, and contention between many \
                   cores cannot be seen at all",
        mend: "measure on four CPUs or more, or compare cells of one record only",
    }
}

fn governor(host: &Host) -> Sign {
    let governor = host.facts.get("governor").map(String::as_str);
    Sign {
        subject: "governor",
        state: match governor {
            Some("performance") => State::Ok,
            Some(_) => State::Warn,
            None => State::Unknown,
        },
        reading: governor.unwrap_or("the kernel does not say, as usual in a virtual machine").to_string(),
        disturbs: "the clock rate follows the load, so that low levels look slower than they are",
        mend: "cpupower frequency-set -g performance",
    }
}

fn stolen(now: &Present) -> Sign {
    Sign {
        subject: "steal",
        state: now.stolen.map_or(State::Unknown, |s| graded(s.0, WARN_SHARE, BAD_SHARE)),
        reading: now.stolen.map_or("not readable".into(), |s| format!("{:.1} % of the CPU time", s.0 * 100.0)),
        disturbs: "the hypervisor runs somebody else: latencies grow tails that no server made",
        mend: "wait for a quieter hour, or take a machine with CPUs of its own",
    }
}

fn others(host: &Host, now: &Present) -> Sign {
    let share = |cpus: f64| cpus / host.cpus.len().max(1) as f64;
    let busiest =
        now.busiest.as_ref().map_or(String::new(), |(name, cpus)| format!(", most of it {name} with {cpus:.2}"));
    Sign {
        subject: "other work",
        state: now.others.map_or(State::Unknown, |cpus| graded(share(cpus), 2.0 * WARN_SHARE, BAD_SHARE)),
        reading: now.others.map_or("not readable".into(), |cpus| match cpus {
            0.005.. => format!("{cpus:.2} CPUs{busiest}"),
            _ => "none to speak of".into(),
        }),
        disturbs: "other processes take CPU from server and load, at times that nobody chose",
        mend: "end them, or give the lab CPUs of its own with server.cpus and server.load_cpus",
    }
}

fn swap(now: &Present) -> Sign {
    Sign {
        subject: "swap",
        state: match now.swap_used {
            None => State::Unknown,
            Some(Bytes(0)) => State::Ok,
            Some(_) => State::Warn,
        },
        reading: now.swap_used.map_or("not readable".into(), |used| format!("{used} in use")),
        disturbs: "memory of the server may come back from a disk, as if a page were not cached",
        mend: "swapoff -a && swapon -a, and leave more memory free than the server takes",
    }
}

fn huge_pages(host: &Host) -> Sign {
    let mode = host.facts.get("transparent_huge_pages").map(String::as_str);
    Sign {
        subject: "huge pages",
        state: match mode {
            Some("madvise" | "never") => State::Ok,
            Some(_) => State::Warn,
            None => State::Unknown,
        },
        reading: format!("transparent huge pages: {}", mode.unwrap_or("not readable")),
        disturbs: "the kernel merges and splits pages in the background, and memory of the server looks larger than it is",
        mend: "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    }
}

fn open_files(host: &Host) -> Sign {
    Sign {
        subject: "open files",
        state: match host.open_files {
            ..FEW_FILES => State::Bad,
            FEW_FILES..MANY_FILES => State::Warn,
            MANY_FILES.. => State::Ok,
        },
        reading: format!("at most {} per process", host.open_files),
        disturbs: "each user is one open file on both sides: 1,024 and 10,000 users do not fit",
        mend: "raise the hard limit: ulimit -Hn 65536 as root, or LimitNOFILE= of the unit",
    }
}

fn io_uring(host: &Host) -> Sign {
    Sign {
        subject: "io_uring",
        state: if host.io_uring { State::Ok } else { State::Warn },
        reading: if host.io_uring { "may be used" } else { "refused; epoll is used instead" }.to_string(),
        disturbs: "the load costs up to twice the CPU per statement",
        mend: "sysctl kernel.io_uring_disabled=0, and allow it in the container's seccomp profile",
    }
}

fn clock(host: &Host) -> Sign {
    let source = host.clock_source.as_deref();
    Sign {
        subject: "clock",
        state: match source {
            Some(fast) if FAST_CLOCKS.contains(&fast) => State::Ok,
            Some(_) => State::Warn,
            None => State::Unknown,
        },
        reading: source.unwrap_or("not readable").to_string(),
        disturbs: "reading the time enters the kernel, once per batch of answers on our side and often on the server's",
        mend: "boot with clocksource=tsc where the CPU's counter is stable",
    }
}

fn disk(host: &Host) -> Sign {
    Sign {
        subject: "disk",
        state: match host.disk_free {
            free if free < LITTLE_DISK => State::Bad,
            free if free < SOME_DISK => State::Warn,
            _ => State::Ok,
        },
        reading: format!(
            "{} free where data directories go{}",
            host.disk_free,
            host.facts.get("file_system").map_or(String::new(), |f| format!(" ({f})"))
        ),
        disturbs: "datasets of a study's own size do not fit",
        mend: "free some space, or set ASSAY_HOME to a folder on a larger disk",
    }
}

fn builds(host: &Host) -> Sign {
    let names: Vec<_> = host.builds.iter().map(|b| format!("{} {}", b.name, b.version)).collect();
    Sign {
        subject: "servers",
        state: if names.is_empty() { State::Bad } else { State::Ok },
        reading: if names.is_empty() { "none found".into() } else { names.join(", ") },
        disturbs: "there is nothing to measure, except a server that is reached by --on DSN",
        mend: "apt-get install mariadb-server-core",
    }
}

fn profile(host: &Host) -> Sign {
    let debug = host.assay.contains("debug");
    Sign {
        subject: "assay",
        state: if debug { State::Bad } else { State::Ok },
        reading: host.assay.clone(),
        disturbs: "a debug build spends several times the CPU of a release build",
        mend: "make build, and use target/release/assay",
    }
}

/// One line per sign; below those that are not fit, what it disturbs and how to mend it.
fn render(signs: &[Sign]) -> String {
    let mut out = String::new();
    for sign in signs {
        let word = match sign.state {
            State::Ok => "ok",
            State::Unknown => "unknown",
            State::Warn => "warn",
            State::Bad => "bad",
        };
        let _ = writeln!(out, "{word:>8}  {:<11} {}", sign.subject, sign.reading);
        match sign.state {
            State::Ok => {}
            State::Unknown => drop(writeln!(out, "{:22}may disturb: {}", "", sign.disturbs)),
            State::Warn | State::Bad => {
                let _ = writeln!(out, "{:22}disturbs: {}\n{:22}mend: {}", "", sign.disturbs, "", sign.mend);
            }
        }
    }
    let count = |state| signs.iter().filter(|s| s.state == state).count();
    let (bad, warn) = (count(State::Bad), count(State::Warn));
    let _ = writeln!(
        out,
        "\n{}",
        match (bad, warn) {
            (0, 0) => "Fit to measure on.".to_string(),
            (0, warn) =>
                format!("Fit for comparisons within one record; {warn} to mend before absolute numbers are quoted."),
            (bad, warn) => format!("Not fit: {bad} bad and {warn} to mend."),
        }
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::host::{InstalledBuild, Version};
    use model::units::Share;
    use std::collections::BTreeMap;

    fn facts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    }

    fn fit() -> (Host, Present) {
        let build = InstalledBuild {
            name: "mariadb-10.11".into(),
            kind: "mariadb".into(),
            version: Version(10, 11, 19),
            binary: String::new(),
            basedir: String::new(),
            engines: Vec::new(),
        };
        let host = Host {
            cpus: (0..16).collect(),
            cpu_model: "A CPU".into(),
            disk_free: Bytes(400 * Bytes::GIB),
            clock_source: Some("tsc".into()),
            open_files: 1 << 20,
            io_uring: true,
            facts: facts(&[
                ("governor", "performance"),
                ("transparent_huge_pages", "madvise"),
                ("file_system", "xfs on /dev/nvme0n1"),
            ]),
            builds: vec![build],
            assay: "0.1.0 (abc, release)".into(),
            ..Host::default()
        };
        let now = Present { stolen: Some(Share(0.0)), others: Some(0.001), busiest: None, swap_used: Some(Bytes(0)) };
        (host, now)
    }

    #[test]
    fn a_machine_made_for_measuring_has_nothing_to_mend() {
        let (host, now) = fit();
        let signs = examine(&host, &now);
        assert!(signs.iter().all(|s| s.state == State::Ok));
        insta::assert_snapshot!(render(&signs));
    }

    #[test]
    fn a_laptop_in_use_is_told_what_disturbs_and_how_to_mend_it() {
        let (fit, _) = fit();
        let host = Host {
            cpus: vec![0, 1],
            disk_free: Bytes(Bytes::GIB),
            clock_source: Some("hpet".into()),
            open_files: 1_024,
            io_uring: false,
            facts: facts(&[("transparent_huge_pages", "always")]),
            builds: Vec::new(),
            assay: "0.1.0 (abc, debug)".into(),
            ..fit
        };
        let now = Present {
            stolen: Some(Share(0.081)),
            others: Some(0.93),
            busiest: Some(("firefox".into(), 0.71)),
            swap_used: Some(Bytes(300 * Bytes::MIB)),
        };
        insta::assert_snapshot!(render(&examine(&host, &now)));
    }

    #[test]
    fn what_cannot_be_read_is_unknown_and_never_fit() {
        let (host, _) = fit();
        let signs = examine(&Host { facts: BTreeMap::new(), clock_source: None, ..host }, &Present::default());
        let unknown: Vec<_> = signs.iter().filter(|s| s.state == State::Unknown).map(|s| s.subject).collect();
        assert_eq!(unknown, ["governor", "steal", "other work", "swap", "huge pages", "clock"]);
    }
}
