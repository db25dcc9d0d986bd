//! A row that is written each second while a transaction is open: who still reads its first value has a snapshot, and
//! who reads the last one has none. It says so on every engine, and it is the same work beside a snapshot and beside a
//! placebo. The row lies in a schema of its own that is gone afterwards; what lies there is held by the engine under
//! test.

use super::{Scene, Teller};
use crate::trouble::Trouble;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

const SECOND: Duration = Duration::from_secs(1);

pub struct WatchedRow {
    teller: Teller,
    schema: String,
    drop: String,
    value: u64,
    /// When it was first written after a holder began.
    since: Option<Instant>,
}

impl WatchedRow {
    pub fn create(scene: &Scene) -> Result<Self, Trouble> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let schema = format!("assay_canary_{}_{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        let mut canary = Self {
            teller: scene.session()?,
            drop: scene.place.target.drop_schema(&schema),
            schema,
            value: 0,
            since: None,
        };
        let schema = &canary.schema;
        let made = scene.place.target.canary(schema, &scene.place.engine);
        let sentences = [made, vec![format!("INSERT INTO {schema}.canary VALUES (1, 0)")]].concat();
        let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
        canary.teller.say(&sentences)?;
        Ok(canary)
    }

    /// How anybody reads it.
    pub fn read(&self) -> String {
        format!("SELECT sung FROM {}.canary WHERE id = 1", self.schema)
    }

    pub fn value(&self) -> u64 {
        self.value
    }

    fn write(&mut self) -> Result<(), Trouble> {
        let sql = format!("UPDATE {}.canary SET sung = sung + 1 WHERE id = 1", self.schema);
        self.teller.say(&[&sql])?;
        self.value += 1;
        self.since.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// Seconds since it was first written.
    fn sung(&self) -> f64 {
        self.since.map_or(0.0, crate::disturbances::scene::seconds)
    }

    /// Has it written each second until the scene is over, and asks `holder` what it reads each time: the first value
    /// as long as `snapshot` holds, the last one otherwise. Returns how often that was so, and what was otherwise.
    pub fn watch(
        &mut self,
        scene: &Scene,
        holder: &mut Teller,
        snapshot: bool,
    ) -> Result<(u64, Option<String>), Trouble> {
        let (mut as_wanted, mut otherwise) = (0, None);
        loop {
            self.write()?;
            let read = match holder.value(&self.read()) {
                Ok(read) => read.unwrap_or_default(),
                // Who is gone holds nothing any more; a server that is gone is told by the load.
                Err(gone) => {
                    return Ok((as_wanted, Some(format!("its session was gone after {} s: {gone}", self.sung()))));
                }
            };
            let wanted = if snapshot { 0 } else { self.value() };
            if read == wanted.to_string() {
                as_wanted += 1;
            } else if otherwise.is_none() {
                let after = self.sung();
                otherwise = Some(match snapshot {
                    true => format!("snapshot not held: the canary became visible after {after} s"),
                    false => format!(
                        "a snapshot was held that should not be: the canary's {} was read as {read}",
                        self.value()
                    ),
                });
            }
            if scene.bell.wait(SECOND) {
                return Ok((as_wanted, otherwise));
            }
        }
    }
}

impl Drop for WatchedRow {
    fn drop(&mut self) {
        // A server that is gone took it with it.
        let _ = self.teller.execute(&self.drop);
    }
}
