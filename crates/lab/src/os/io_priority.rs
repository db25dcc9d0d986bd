//! In which order the disk's scheduler serves a thread (ioprio_set(2), ionice(1)); no file of the kernel shows it.

const WHO_THREAD: libc::c_int = 1;
/// Where the class lies in the kernel's number, above the level within it.
const CLASS_SHIFT: libc::c_long = 13;
/// Levels lie below; hints of newer kernels between.
const LEVEL: libc::c_long = 0b111;

/// Nothing where the kernel does not say.
pub fn of_thread(thread: u32) -> Option<String> {
    // SAFETY: the call takes two numbers and touches no memory of ours.
    let number = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_THREAD, thread) };
    (number >= 0).then(|| said(number))
}

fn said(number: libc::c_long) -> String {
    let level = number & LEVEL;
    match number >> CLASS_SHIFT {
        1 => format!("real time {level}"),
        2 => format!("best effort {level}"),
        3 => "idle".into(),
        _ => "as the CPU's".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_a_class_and_a_level() {
        let number = |class: libc::c_long, level| class << CLASS_SHIFT | level;
        assert_eq!(
            [said(number(1, 4)), said(number(2, 7)), said(number(3, 0))],
            ["real time 4", "best effort 7", "idle"]
        );
        assert_eq!(of_thread(std::process::id()).as_deref().map(str::is_empty), Some(false));
    }
}
