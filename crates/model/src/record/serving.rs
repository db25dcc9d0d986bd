//! Which threads of a server serve users. All others wait most of the time, for work or for the clock, and their
//! waiting costs no operation anything. A thread serves when it is within one of the functions of `serving.txt`.

use super::profile::{INLINED, Stack};
use crate::functions::is_one as fits;

const SERVING: &str = include_str!("serving.txt");

/// Those in which a thread served users; all, and that they are mixed, where not one is known to be such.
pub fn only(stacks: Vec<&Stack>) -> (Vec<&Stack>, bool) {
    let (serving, others): (Vec<&Stack>, Vec<&Stack>) = stacks.into_iter().partition(|stack| is_one(stack));
    if serving.is_empty() { (others, true) } else { (serving, false) }
}

fn is_one(stack: &Stack) -> bool {
    let patterns: Vec<&str> =
        SERVING.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect();
    stack.frames.iter().any(|frame| fits(frame.strip_suffix(INLINED).unwrap_or(frame), &patterns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_sessions_serve_and_those_of_the_clock_do_not() {
        let of = |frames: &[&str]| {
            let frames = frames.iter().map(|frame| (*frame).to_string()).collect();
            is_one(&Stack { phase: "measure".into(), frames, samples: 1 })
        };
        assert!(of(&["start_thread", "handle_one_connection", "do_handle_one_connection", "fdatasync"]));
        assert!(of(&["main", "PostmasterMain", "PostgresMain", "pg_fsync"]));
        assert!(!of(&["start_thread", "buf_flush_page_cleaner", "pthread_cond_timedwait"]));
    }
}
