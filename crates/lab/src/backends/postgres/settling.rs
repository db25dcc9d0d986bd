//! A PostgreSQL on its way to rest between two steps of a run, in the way of those who publish the insert benchmark:
//! tables are vacuumed, which removes dead rows and makes statistics anew, and a checkpoint writes what is dirty. The
//! checkpoint is asked only of a server of ours: in one of others it would be theirs that is written.

use super::session::control::Control;
use crate::backends::contract::Settling;
use crate::backends::endpoint::SqlEndpoint;
use crate::backends::needs::DatasetNeed;
use crate::backends::up::{Serving, Up};
use std::time::Duration;
use workload::session::Fault;

/// A vacuum of a large table takes long; whether it took too long is told by the phase.
const PATIENCE: Duration = Duration::from_secs(4 * 3600);

/// Nothing was set for it.
struct AtRest;

pub(super) fn begin(up: &Up, needs: &[DatasetNeed]) -> Result<Box<dyn Settling>, String> {
    let own = up.own_as::<SqlEndpoint>().ok_or("its users know no PostgreSQL")?;
    for need in needs {
        let Some(Ok(database)) = up.datasets.get(&need.name) else { continue };
        let mut control = Control::connect(&own.within(database), PATIENCE).map_err(|e| e.to_string())?;
        let tables = need.dataset.tables();
        let vacuums = tables.iter().map(|table| format!("VACUUM (ANALYZE) {}", table.name));
        let is_ours = matches!(up.server, Serving::Ours(_));
        for sql in vacuums.chain(is_ours.then(|| "CHECKPOINT".to_string())) {
            match control.execute(&sql) {
                // What an account may not is left undone, and the gauges tell.
                Ok(_) | Err(Fault::Server { .. }) => {}
                Err(other) => return Err(other.to_string()),
            }
        }
        control.quit();
    }
    Ok(Box::new(AtRest))
}

impl Settling for AtRest {
    fn over(self: Box<Self>) -> Result<(), String> {
        Ok(())
    }
}
