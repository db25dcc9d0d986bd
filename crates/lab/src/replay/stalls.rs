//! Times in which nothing came: no answer although answers were due. Seen at the next answer, by what each session had
//! under way and how long that took in the trace. A task of the replayer's own that wants to be woken every few
//! milliseconds tells whether the replayer stood still too: then it is no news of the server.

use model::Nanos;
use model::upgrade::Stall;

/// Shorter silences are what a disk flush or a crowded machine costs now and then.
const LEAST: u64 = 300_000_000;
/// A silence is one where what was under way took at most this part of it in the trace.
const OWED: u64 = 10;
/// How often the replayer looks whether it is awake.
pub const BEAT: Nanos = Nanos(5_000_000);
/// Later than this, it was not.
const LATE: u64 = 50_000_000;

#[derive(Default)]
pub struct Stalls {
    /// By session: when its request left, and how long that took in the trace.
    under_way: Vec<Option<(u64, u64)>>,
    count: u32,
    /// Since when anything was owed and nothing came.
    since: u64,
    /// When the replayer did not run.
    absent: Vec<(u64, u64)>,
    found: Vec<Stall>,
    /// Until when the last of them lasted.
    until: u64,
}

impl Stalls {
    pub fn new(sessions: usize) -> Self {
        Self { under_way: vec![None; sessions], ..Self::default() }
    }

    pub fn asked(&mut self, session: usize, at: Nanos, owed: Nanos) {
        if self.count == 0 {
            self.since = at.0;
        }
        self.count += 1;
        self.under_way[session] = Some((at.0, owed.0));
    }

    /// Whether its time holds a silence.
    pub fn answered(&mut self, session: usize, at: Nanos, begun: Nanos) -> bool {
        let silence = at.0.saturating_sub(self.since);
        if silence >= LEAST {
            let since = self.since;
            let whole = self.under_way.iter().flatten().filter(|(sent, _)| *sent <= since + silence / 2);
            let owed = whole.map(|(_, owed)| *owed).max().unwrap_or(0);
            if owed.saturating_mul(OWED) <= silence {
                self.stall(at.0, silence, begun.0);
            }
        }
        let sent = self.under_way[session].take().map_or(at.0, |(sent, _)| sent);
        self.count -= 1;
        self.since = at.0;
        sent < self.until
    }

    fn stall(&mut self, at: u64, silence: u64, begun: u64) {
        let from = at - silence;
        let absent: u64 = self.absent.iter().map(|(a, b)| (*b).min(at).saturating_sub((*a).max(from))).sum();
        let own = absent * 2 >= silence;
        self.until = at;
        let at = Nanos(from.saturating_sub(begun));
        self.found.push(Stall { at, took: Nanos(silence), sessions: self.count, own });
    }

    /// The replayer wanted to be awake at one moment and was at the other.
    pub fn woke(&mut self, due: Nanos, at: Nanos) {
        if at.0.saturating_sub(due.0) >= LATE {
            self.absent.push((due.0, at.0));
        }
    }

    pub fn found(&self) -> Vec<Stall> {
        self.found.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn a_silence_is_the_servers_unless_the_replayer_slept_or_the_statement_is_a_long_one() {
        let ms = |n: u64| Nanos(n * MS);
        let mut stalls = Stalls::new(2);
        stalls.asked(0, ms(0), ms(1));
        stalls.asked(1, ms(1), ms(1));
        assert!(stalls.answered(0, ms(1_001), ms(0)));
        assert!(stalls.answered(1, ms(1_002), ms(0)), "it was under way in it, too");
        assert!(!stalls.found()[0].own && stalls.found()[0].took >= ms(1_000));
        // A long statement.
        stalls.asked(0, ms(2_000), ms(900));
        assert!(!stalls.answered(0, ms(3_000), ms(0)));
        // The replayer was away.
        stalls.asked(0, ms(4_000), ms(1));
        stalls.woke(ms(4_005), ms(4_900));
        assert!(stalls.answered(0, ms(5_000), ms(0)));
        assert_eq!(stalls.found().len(), 2);
        assert!(stalls.found()[1].own);
    }
}
