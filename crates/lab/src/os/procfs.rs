//! The few lines of /proc that samplers and disturbances need, as pure functions of a file's text (proc(5)). `None`
//! means that the text is not what that manual says.

/// What is read of `/proc/PID/stat` and `/proc/PID/task/TID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub parent: u32,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// Clock ticks.
    pub user: u64,
    pub system: u64,
    /// Clock ticks of the children that it waited for.
    pub of_children: u64,
    pub threads: u64,
}

pub fn stat(text: &str) -> Option<Stat> {
    // The name may hold spaces and parentheses; the fields after its last one are numbers, from field 3 on.
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(Stat {
        parent: u32::try_from(field(4)?).ok()?,
        minor_faults: field(10)?,
        major_faults: field(12)?,
        user: field(14)?,
        system: field(15)?,
        of_children: field(16)? + field(17)?,
        threads: field(20)?,
    })
}

/// Seconds of CPU that a process has spent, while it lives.
pub fn cpu_of(pid: u32) -> Option<f64> {
    let stat = stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?;
    Some(ticks_to_nanos(stat.user + stat.system) as f64 / 1e9)
}

/// The processes that this one has started and that live, where the kernel keeps their list.
pub fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Nanoseconds on a CPU and waiting for one, of `schedstat`.
pub fn schedstat(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split_ascii_whitespace();
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// A number of a `name: value` or `name value` file: `status`, `io`, `vmstat`.
pub fn field(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix([':', ' ']))?;
    value.split_ascii_whitespace().next()?.parse().ok()
}

/// Voluntary and involuntary context switches of `status`.
pub fn switches(text: &str) -> Option<(u64, u64)> {
    Some((field(text, "voluntary_ctxt_switches")?, field(text, "nonvoluntary_ctxt_switches")?))
}

/// Resident pages of `statm`.
pub fn resident(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The first line of `/proc/stat`: ticks in user (nice included), system, idle, iowait, irq (soft ones included),
/// steal. Guest time is part of user.
pub fn cpu(text: &str) -> Option<[u64; 6]> {
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line.split_ascii_whitespace().map_while(|n| n.parse().ok()).collect();
    let [user, nice, system, idle, iowait, irq, softirq, steal, ..] = ticks[..] else { return None };
    Some([user + nice, system, idle, iowait, irq + softirq, steal])
}

/// Bytes read from devices and written to them, of `/proc/PID/io`.
pub fn io(text: &str) -> Option<(u64, u64)> {
    Some((field(text, "read_bytes")?, field(text, "write_bytes")?))
}

/// Sum of all fields of `/proc/vmstat` that begin so.
pub fn sum_of(text: &str, beginning: &str) -> Option<u64> {
    let lines = text.lines().filter(|l| l.starts_with(beginning));
    lines.map(|l| l.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()).sum()
}

/// Bytes received and sent, of `/proc/net/dev`, over the interfaces that `counted` accepts.
pub fn interfaces(text: &str, counted: impl Fn(&str) -> bool) -> Option<(u64, u64)> {
    let mut sum = (0, 0);
    for line in text.lines().skip(2) {
        let (name, fields) = line.split_once(':')?;
        if counted(name.trim()) {
            let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
            sum.0 += fields.first()?.parse::<u64>().ok()?;
            sum.1 += fields.get(8)?.parse::<u64>().ok()?;
        }
    }
    Some(sum)
}

/// TCP segments sent and sent again, of `/proc/net/snmp`: a line of names, then one of values.
pub fn segments(text: &str) -> Option<(u64, u64)> {
    let mut lines = text.lines().filter_map(|l| l.strip_prefix("Tcp: "));
    let (names, values) = (lines.next()?, lines.next()?);
    let value = |name: &str| {
        let at = names.split_ascii_whitespace().position(|n| n == name)?;
        values.split_ascii_whitespace().nth(at)?.parse().ok()
    };
    Some((value("OutSegs")?, value("RetransSegs")?))
}

/// Microseconds in which some task was stalled, of `/proc/pressure/*`.
pub fn pressure(text: &str) -> Option<u64> {
    text.lines().find(|l| l.starts_with("some "))?.rsplit_once("total=")?.1.trim().parse().ok()
}

/// What disks were asked for: requests that they carried out, and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disks {
    pub reads: u64,
    pub read_bytes: u64,
    pub writes: u64,
    pub write_bytes: u64,
}

/// Reads and writes, of `/proc/diskstats`, over the devices that `whole` accepts.
pub fn disks(text: &str, whole: impl Fn(&str) -> bool) -> Option<Disks> {
    /// Whatever the device's own sector is (Documentation/admin-guide/iostats.rst).
    const SECTOR: u64 = 512;
    let mut sum = Disks::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        if whole(fields.get(2)?) {
            let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
            sum.reads += number(3)?;
            sum.read_bytes += number(5)? * SECTOR;
            sum.writes += number(7)?;
            sum.write_bytes += number(9)? * SECTOR;
        }
    }
    Some(sum)
}

pub fn ticks_to_nanos(ticks: u64) -> u64 {
    ticks * (1_000_000_000 / rustix::param::clock_ticks_per_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_with_an_odd_name_is_read() {
        let text = "4242 (maria) db d) S 1 4242 4242 0 -1 4194560 15307 0 23 0 1412 309 700 800 20 0 14 0 5133 8591350740 26136 1844";
        let expected = Stat {
            parent: 1,
            minor_faults: 15307,
            major_faults: 23,
            user: 1412,
            system: 309,
            of_children: 1500,
            threads: 14,
        };
        assert_eq!(stat(text), Some(expected));
        assert_eq!(stat("4242 (mariadbd) S 1"), None);
    }

    #[test]
    fn times_and_switches_of_a_thread_are_read() {
        assert_eq!(schedstat("1726354818 3843736 921\n"), Some((1_726_354_818, 3_843_736)));
        let status =
            "Name:\tmariadbd\nVmRSS:\t  104536 kB\nvoluntary_ctxt_switches:\t45\nnonvoluntary_ctxt_switches:\t7\n";
        assert_eq!(switches(status), Some((45, 7)));
        assert_eq!(resident("2147837685 26134 6022 5410 0 91225 0\n"), Some(26134));
        assert_eq!(field("rchar: 6976\nread_bytes: 12288\nwrite_bytes: 4096\n", "read_bytes"), Some(12288));
        assert_eq!(field("nr_free_pages 1\npswpin 3\npswpout 5\n", "pswpout"), Some(5));
        assert_eq!(field("pswpin_x 3\n", "pswpin"), None);
    }

    #[test]
    fn the_machine_is_read_with_steal_and_pressure() {
        let text = "cpu  100 5 30 4000 20 1 2 7 50 0\ncpu0 50 0 15 2000 10 0 1 3 0 0\n";
        assert_eq!(cpu(text), Some([105, 30, 4000, 20, 3, 7]));
        let text = "some avg10=95.88 avg60=89.67 avg300=50.38 total=296452434\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n";
        assert_eq!(pressure(text), Some(296_452_434));
        assert_eq!(sum_of("allocstall_dma 2\nallocstall_normal 3\noom_kill 1\n", "allocstall_"), Some(5));
        let text = "Inter-| Receive | Transmit\n face |bytes |bytes\n    lo: 70 1 0 0 0 0 0 0 80 1 0 0 0 0 0 0\n  eth0: 5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n";
        assert_eq!(interfaces(text, |name| name == "eth0"), Some((5, 6)));
        let text = "Ip: Forwarding\nIp: 1\nTcp: RtoMin InSegs OutSegs RetransSegs\nTcp: 200 7 90 4\n";
        assert_eq!(segments(text), Some((90, 4)));
        let text = "   7  0 loop0 9 9 9 9 9 9 9 9 9 9 9\n 254  0 vda 5741 2 100 1 2 3 200 4 0 5 6\n 254  1 vda1 1 1 90 1 1 1 70 1 0 1 1\n";
        let vda = Disks { reads: 5741, read_bytes: 51_200, writes: 2, write_bytes: 102_400 };
        assert_eq!(disks(text, |name| name == "vda"), Some(vda));
    }
}
