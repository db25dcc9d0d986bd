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
    /// From when, until when, and how many sessions waited.
    silences: Vec<(u64, u64, u32)>,
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
    pub fn answered(&mut self, session: usize, at: Nanos) -> bool {
        let silence = at.0.saturating_sub(self.since);
        if silence >= LEAST {
            let since = self.since;
            let whole = self.under_way.iter().flatten().filter(|(sent, _)| *sent <= since + silence / 2);
            let owed = whole.map(|(_, owed)| *owed).max().unwrap_or(0);
            if owed.saturating_mul(OWED) <= silence {
                self.silences.push((since, at.0, self.count));
            }
        }
        let sent = self.under_way[session].take().map_or(at.0, |(sent, _)| sent);
        self.count -= 1;
        self.since = at.0;
        self.silences.last().is_some_and(|(_, until, _)| sent < *until)
    }

    /// The replayer wanted to be awake at one moment and was at the other.
    pub fn woke(&mut self, due: Nanos, at: Nanos) {
        if at.0.saturating_sub(due.0) >= LATE {
            self.absent.push((due.0, at.0));
        }
    }

    /// Told at the end: an answer that waited for the replayer may be taken before the replayer looks at its clock. An
    /// absence of the replayer is told whether or not an answer was due.
    pub fn found(&self, begun: Nanos) -> Vec<Stall> {
        let absent_in = |from: u64, until: u64| -> u64 {
            self.absent.iter().map(|(a, b)| (*b).min(until).saturating_sub((*a).max(from))).sum()
        };
        let told = |from: u64, until: u64, sessions, own| Stall {
            at: Nanos(from.saturating_sub(begun.0)),
            took: Nanos(until - from),
            sessions,
            own,
        };
        let own = self.absent.iter().filter(|(from, until)| until - from >= LEAST);
        let own = own.map(|&(from, until)| told(from, until, 0, true));
        let servers = self.silences.iter().filter(|(from, until, _)| absent_in(*from, *until) * 2 < until - from);
        servers.map(|&(from, until, sessions)| told(from, until, sessions, false)).chain(own).collect()
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
        assert!(stalls.answered(0, ms(1_001)));
        assert!(stalls.answered(1, ms(1_002)), "it was under way in it, too");
        // A long statement.
        stalls.asked(0, ms(2_000), ms(900));
        assert!(!stalls.answered(0, ms(3_000)));
        // The replayer was away, once with an answer due and once without.
        stalls.asked(0, ms(4_000), ms(1));
        assert!(stalls.answered(0, ms(5_000)));
        stalls.woke(ms(4_005), ms(5_001));
        stalls.woke(ms(6_000), ms(6_400));
        let found = stalls.found(ms(0));
        let told = found.iter().map(|stall| (stall.own, stall.took)).collect::<Vec<_>>();
        assert_eq!(told, [(false, ms(1_001)), (true, ms(996)), (true, ms(400))]);
    }
}
