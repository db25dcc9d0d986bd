//! An index is built on the largest table while users work on it (online DDL: in place, without a copy of the table),
//! and dropped again; over and over until the phase is over. A build that is under way then is given up, and no index
//! stays.

use super::scene::{Teller, seconds};
use super::{Deed, Disturbance, Scene};
use crate::trouble::Trouble;
use model::words::DisturbanceWords;
use std::time::Instant;

pub const DISTURBANCE: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "index_build",
        "ALTER TABLE ... ADD INDEX, in place, on the largest table, and the index dropped again",
        &[],
    )
    .that_writes(),
    act,
};

const INDEX: &str = "assay_disturbance";
/// An ALTER waits for transactions that are open; users that never pause make it wait long.
const PATIENCE: &str = "SET SESSION lock_wait_timeout = 86400";

fn act(scene: &Scene) -> Result<Deed, Trouble> {
    scene.only_in_mysqls_sql()?;
    let table = scene.table()?.name;
    let mut teller = scene.session()?;
    teller.say(&[PATIENCE])?;
    let column = column(&mut teller, &table)?;
    let outcome = scene.until_over(&mut teller, |teller| build(scene, teller, &table, &column));
    let dropped = drop_index(&mut teller, &table);
    teller.quit();
    let times = outcome?;
    dropped?;
    let built = times.len();
    let mean = times.iter().sum::<f64>() / built.max(1) as f64;
    let sentence = match built {
        0 => format!("Building an index on {column} of {table} did not end within the phase, and was given up."),
        n => format!("An index on {column} of {table} was built {n} times, {:.3} s each on average.", mean),
    };
    let facts = [("built", built as f64), ("seconds_each", mean)].into_iter().collect();
    Ok(Deed { sentence, facts, failed: None })
}

/// Seconds of each build that came to its end.
fn build(scene: &Scene, teller: &mut Teller, table: &str, column: &str) -> Result<Vec<f64>, Trouble> {
    let add = format!("ALTER TABLE {table} ADD INDEX {INDEX} ({column}), ALGORITHM=INPLACE");
    let mut times = Vec::new();
    while !scene.bell.has_rung() {
        let begun = Instant::now();
        match teller.say(&[&add]) {
            Ok(()) => times.push(seconds(begun)),
            // Told to give up.
            Err(_) if scene.bell.has_rung() => break,
            Err(trouble) => return Err(trouble),
        }
        match drop_index(teller, table) {
            Err(_) if scene.bell.has_rung() => {}
            dropped => dropped?,
        }
    }
    Ok(times)
}

/// The first column outside the primary key that an index can take whole.
fn column(teller: &mut Teller, table: &str) -> Result<String, Trouble> {
    let (schema, name) = table.trim_matches('`').split_once("`.`").expect("a table has its schema before it");
    let sql = format!(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = '{schema}' AND table_name = '{name}' \
         AND column_key <> 'PRI' AND data_type NOT LIKE '%blob' AND data_type NOT LIKE '%text' ORDER BY ordinal_position LIMIT 1"
    );
    let column = teller.value(&sql)?;
    column.map(|c| format!("`{c}`")).ok_or_else(|| Trouble::new(format!("no column of {table} can be indexed whole")))
}

fn drop_index(teller: &mut Teller, table: &str) -> Result<(), Trouble> {
    let (schema, name) = table.trim_matches('`').split_once("`.`").expect("a table has its schema before it");
    let there = format!(
        "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = '{schema}' AND table_name = '{name}' \
         AND index_name = '{INDEX}'"
    );
    if teller.value(&there)?.as_deref() == Some("0") {
        return Ok(());
    }
    teller.say(&[&format!("ALTER TABLE {table} DROP INDEX {INDEX}")])
}
