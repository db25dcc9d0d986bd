//! One trace, replayed on two builds: what each replay heard, how late it was and whose lateness that was, what the two
//! servers say of each statement, and what the judge made of all of it. `assay upgrade` writes these values down and
//! prints them; docs/upgrade.md tells their fields.

use crate::estimate::{Estimate, Outcome};
use crate::units::Nanos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Raised when a field changes its meaning; additions keep it.
pub const UPGRADE_SCHEMA: u32 = 1;

/// Which of the two builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    From,
    To,
}

impl Which {
    pub const BOTH: [Self; 2] = [Self::From, Self::To];

    pub const fn name(self) -> &'static str {
        match self {
            Self::From => "from",
            Self::To => "to",
        }
    }
}

/// A run of replay: the block tells which runs of the two builds are neighbours in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Run {
    pub block: u32,
    pub which: Which,
}

/// What became of one statement of the trace in one replay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heard {
    pub fate: Fate,
    /// The server's number of the error.
    pub error: u16,
    pub warnings: u16,
    /// It was under way while server or replayer stood still: its time is not the statement's.
    pub stalled: bool,
    /// It did not wait for a statement that it should have waited for.
    pub out_of_order: bool,
    pub rows: u32,
    pub affected: u32,
    /// Sums over the cells of all rows, as values and without those that are floating point: one that the order of rows
    /// changes, and one that it does not.
    pub ordered: u64,
    pub unordered: u64,
    /// The floating-point cells, each weighed by its row, and the same without signs.
    pub reals: f64,
    pub scale: f64,
    /// From the request's departure to the answer's last byte.
    pub service: Nanos,
    /// From the moment at which nothing stood in its way any more to its departure: the replayer's.
    pub lag: Nanos,
    /// How long its session waited for statements of others, past its own moment.
    pub wait: Nanos,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// The replay ended before it, or it is nothing that can be asked.
    #[default]
    NotAsked,
    Answered,
    /// The server refused it by an error.
    Refused,
    /// The conversation broke.
    Lost,
}

/// The relative difference of two sums of floating-point values that is none: versions add in another order.
const SAME_REALS: f64 = 1e-9;

impl Heard {
    pub const BYTES: usize = 80;

    /// Whether both were answered alike; `ordered` where the statement says in which order rows come.
    pub fn agrees(&self, other: &Self, ordered: bool) -> bool {
        let sums = |heard: &Self| if ordered { heard.ordered } else { heard.unordered };
        let near = (self.reals - other.reals).abs() <= SAME_REALS * self.scale.max(other.scale);
        let outcome = |heard: &Self| (heard.fate, heard.error, heard.rows, heard.affected, sums(heard));
        outcome(self) == outcome(other) && near
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        let fate = match self.fate {
            Fate::NotAsked => 0u8,
            Fate::Answered => 1,
            Fate::Refused => 2,
            Fate::Lost => 3,
        };
        out.extend_from_slice(&[fate, u8::from(self.stalled), u8::from(self.out_of_order), 0]);
        out.extend_from_slice(&self.error.to_le_bytes());
        out.extend_from_slice(&self.warnings.to_le_bytes());
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&self.affected.to_le_bytes());
        let sums = [self.ordered, self.unordered, self.reals.to_bits(), self.scale.to_bits()];
        let words = sums.into_iter().chain([self.service.0, self.lag.0, self.wait.0, 0]);
        words.for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    }

    pub fn read(bytes: &[u8; Self::BYTES]) -> Self {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[16 + at * 8 + i]));
        let two = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let four = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let fate = match bytes[0] {
            1 => Fate::Answered,
            2 => Fate::Refused,
            3 => Fate::Lost,
            _ => Fate::NotAsked,
        };
        Self {
            fate,
            stalled: bytes[1] != 0,
            out_of_order: bytes[2] != 0,
            error: two(4),
            warnings: two(6),
            rows: four(8),
            affected: four(12),
            ordered: word(0),
            unordered: word(1),
            reals: f64::from_bits(word(2)),
            scale: f64::from_bits(word(3)),
            service: Nanos(word(4)),
            lag: Nanos(word(5)),
            wait: Nanos(word(6)),
        }
    }
}

/// A normalised statement of the trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    /// As it is told: literals are `?`.
    pub text: String,
    pub executions: u64,
    /// It says in which order its rows come.
    pub ordered: bool,
    /// It takes so many rows of an order that it does not say: which ones is the server's choice.
    pub any_rows: bool,
    pub writes: bool,
    /// Tables that it names.
    pub tables: Vec<String>,
}

/// One replay as it went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    pub run: Run,
    /// From the first statement to the last answer, and the same in the trace.
    pub wall: Nanos,
    pub captured: Nanos,
    pub asked: u64,
    /// Statements that the trace has and nobody can ask again.
    pub not_asked: u64,
    /// Errors that the trace has not.
    pub unexpected: u64,
    /// Row counts and errors other than the trace's, of the first statements.
    pub misfits: u64,
    pub out_of_order: u64,
    /// The server's CPU time.
    pub server_cpu: Option<Nanos>,
    /// The replayer's own thread: on a CPU, and ready without one.
    pub own_cpu: Nanos,
    pub own_starved: Nanos,
    /// Sums over all statements: the server's time, the same in the trace, the replayer's lag, waits for others.
    pub service: Nanos,
    pub captured_service: Nanos,
    pub lag: Nanos,
    pub wait: Nanos,
    pub stalls: Vec<Stall>,
    /// The first text of each error that the trace has not, by digest.
    pub errors: Vec<Refusal>,
    /// What the server counted meanwhile, of a few counters.
    pub counted: BTreeMap<String, u64>,
    /// Why it ended early.
    pub ended: Option<String>,
}

/// An error as the server worded it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    pub digest: u32,
    pub number: u16,
    pub text: String,
}

/// No answer came for so long, although answers were due, or the replayer itself did not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stall {
    /// Since the replay began.
    pub at: Nanos,
    pub took: Nanos,
    /// Those that waited for the server.
    pub sessions: u32,
    /// The replayer itself stood still.
    pub own: bool,
}

/// What a server says of one statement, asked for alone after the replays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// EXPLAIN as the server formats it in JSON; empty where it explains nothing.
    pub plan: String,
    /// Status counters of one execution that are not zero.
    pub counted: BTreeMap<String, u64>,
    /// What SHOW WARNINGS said, or the error.
    pub said: Vec<String>,
}

/// A server as it was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub build: String,
    pub version: String,
    /// Variables that change what statements mean or how they are planned.
    pub variables: BTreeMap<String, String>,
    /// `table.column` → type and collation; `table key name` → columns.
    pub schema: BTreeMap<String, String>,
    /// By digest.
    pub looks: Vec<Look>,
}

/// All that was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    pub schema: u32,
    pub trace: String,
    pub data: String,
    /// `as captured`, `2 × as captured`, `as fast as it goes`.
    pub pace: String,
    pub sessions: u32,
    pub statements: u64,
    /// What of the trace cannot be replayed as it was, each a sentence.
    pub limits: Vec<String>,
    pub digests: Vec<Digest>,
    pub replays: Vec<Replay>,
    pub from: Asked,
    pub to: Asked,
}

impl Observed {
    pub fn asked(&self, which: Which) -> &Asked {
        match which {
            Which::From => &self.from,
            Which::To => &self.to,
        }
    }
}

/// What became of the statements: the judge's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Upgrade {
    pub schema: u32,
    pub from: String,
    pub to: String,
    pub sentence: String,
    /// Why no number of it may be believed.
    pub struck: Vec<String>,
    /// What was seen beside: of server, replayer and trace.
    pub notes: Vec<String>,
    pub statements: u64,
    pub digests: u32,
    pub blocks: u32,
    /// to ÷ from, of all statements together.
    pub time: Option<Estimate>,
    pub server_cpu: Option<Estimate>,
    /// Those of which there is something to say, the costliest first.
    pub changes: Vec<Change>,
}

/// A statement that is not what it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub digest: u32,
    pub text: String,
    pub executions: u64,
    pub kind: Kind,
    /// Mean time of one execution, to ÷ from.
    pub time: Option<Estimate>,
    pub outcome: Outcome,
    /// Mean microseconds of one execution.
    pub us: [f64; 2],
    /// What it adds to the time of all statements of the old build, as a share.
    pub cost: f64,
    /// Executions that answered otherwise, and those that could be compared.
    pub differing: u64,
    pub compared: u64,
    /// What was seen of the cause, a sentence each.
    pub findings: Vec<String>,
    /// The two plans, where they differ.
    pub plans: Option<[String; 2]>,
}

/// The gravest that can be said of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Fails,
    AnswersDifferently,
    Slower,
    Faster,
    /// Planned otherwise, and neither slower nor faster for it.
    OtherPlan,
    /// Warns where it did not.
    Warns,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_heard_is_read_back_as_it_was_written() {
        let heard = Heard {
            fate: Fate::Refused,
            error: 1064,
            warnings: 3,
            stalled: true,
            out_of_order: false,
            rows: 7,
            affected: 9,
            ordered: u64::MAX,
            unordered: 5,
            reals: -0.25,
            scale: 1e300,
            service: Nanos(1),
            lag: Nanos(2),
            wait: Nanos(3),
        };
        let mut bytes = Vec::new();
        heard.write(&mut bytes);
        let bytes: [u8; Heard::BYTES] = bytes.try_into().expect("as long as it says");
        assert_eq!(Heard::read(&bytes), heard);
    }

    #[test]
    fn sums_of_floats_may_differ_in_their_last_digits_and_answers_in_nothing_else() {
        let one = Heard { fate: Fate::Answered, rows: 2, reals: 0.1 + 0.2, scale: 0.3, ..Heard::default() };
        assert!(one.agrees(&Heard { reals: 0.3, ordered: 1, ..one }, false));
        assert!(!one.agrees(&Heard { reals: 0.3, ordered: 1, ..one }, true), "the order is another");
        assert!(!one.agrees(&Heard { reals: 0.300_001, ..one }, false));
        assert!(!one.agrees(&Heard { rows: 3, ..one }, false));
    }
}
