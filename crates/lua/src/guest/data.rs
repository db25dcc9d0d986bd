//! What a script's `prepare` makes, as a dataset: in pieces side by side where the script declares it as a parallel
//! command. What comes of it is the script's secret; the lab counts what it finds afterwards.

use super::{Guest, Prepares};
use crate::player::Halt;
use crate::scripted::Scripted;
use crate::state::Entry;
use model::{Seed, Value};
use std::sync::{Arc, OnceLock};
use workload::Parameters;
use workload::dataset::{ByItself, Dataset, Making, Rows, Spot, Table};
use workload::session::{Fault, Sessions};

const COMMAND: &str = "prepare";

/// States that prepare side by side. Fixed, because rows follow from a state's number: they are not to depend on the
/// machine.
const PIECES: u32 = 4;

pub(super) struct Data {
    guest: Guest,
    parameters: Parameters,
    seed: Seed,
    /// Made by the first piece, which knows the schema.
    scripted: Arc<OnceLock<Result<Arc<Scripted>, String>>>,
}

impl Data {
    pub fn new(guest: Guest, parameters: Parameters, seed: Seed) -> Self {
        Self { guest, parameters, seed, scripted: Arc::default() }
    }
}

impl Dataset for Data {
    fn tables(&self) -> Vec<Table> {
        Vec::new()
    }
    fn columns(&self, _: usize) -> &'static str {
        ""
    }
    fn rows(&self) -> Rows<'_> {
        Rows::ByItself(self)
    }
    fn spot(&self, _: usize, _: u64) -> Spot {
        unreachable!("nobody knows the rows of a script")
    }
}

impl ByItself for Data {
    fn identity(&self) -> String {
        let shown = |value: &Value| format!("{value:?}");
        let parameters: Vec<_> =
            self.parameters.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect();
        format!("{} pieces {} seed {}", parameters.join(" "), self.pieces(), self.seed.0)
    }

    fn pieces(&self) -> u32 {
        match self.guest.0.prepares {
            None => 0,
            Some(Prepares::ByFunction | Prepares::ByCommand { is_parallel: false }) => 1,
            Some(Prepares::ByCommand { is_parallel: true }) => PIECES,
        }
    }

    fn piece(&self, piece: u32) -> Making {
        let (guest, parameters, seed) = (self.guest.clone(), self.parameters.clone(), self.seed);
        let (made, pieces) = (Arc::clone(&self.scripted), self.pieces());
        Box::new(move |sessions| {
            Box::pin(async move {
                let schema = sessions.schema(crate::state::DRIVERS[0]).map(str::to_string);
                let make = || guest.scripted(COMMAND, &parameters, schema.as_deref(), pieces, seed).map(Arc::new);
                let scripted = made.get_or_init(make).clone().map_err(Fault::Script)?;
                let by_command = matches!(guest.0.prepares, Some(Prepares::ByCommand { .. }));
                let entry = if by_command { Entry::Command(COMMAND.into()) } else { Entry::function(COMMAND) };
                prepare(&scripted, piece, entry, sessions).await.map_err(|halt| scripted.fault(Some(COMMAND), halt))
            })
        })
    }

    fn interrupt(&self) {
        if let Some(Ok(scripted)) = self.scripted.get() {
            scripted.script().interrupt();
        }
    }
}

async fn prepare(
    scripted: &Scripted,
    piece: u32,
    entry: Entry,
    sessions: &mut (dyn Sessions + '_),
) -> Result<(), Halt> {
    let mut player = scripted.player(piece, sessions).await?;
    let done = player.perform(entry, sessions, None).await;
    player.leave(sessions).await;
    match done? {
        true => Ok(()),
        false => Err(Halt::Failed("it said that it failed".into())),
    }
}
