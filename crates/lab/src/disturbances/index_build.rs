//! An index is built on the largest table while users work on it (online: in place, without a copy of the table), and
//! dropped again; over and over until the phase is over. A build that is under way then is given up, and no index
//! stays.

use super::scene::{Teller, seconds};
use super::{Deed, Disturbance, Scene};
use crate::trouble::Trouble;
use model::words::DisturbanceWords;
use std::time::Instant;

pub const DISTURBANCE: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "index_build",
        "an index built online on the largest table (ALGORITHM=INPLACE, CONCURRENTLY), and dropped again",
        &[],
    )
    .that_writes(),
    act,
};

const INDEX: &str = "assay_disturbance";

fn act(scene: &Scene) -> Result<Deed, Trouble> {
    let table = scene.table()?.name;
    let mut teller = scene.session()?;
    let target = &scene.place.target;
    // It waits for transactions that are open; users that never pause make it wait long.
    teller.say(&[target.waits_long()])?;
    let none = || Trouble::new(format!("no column of {table} can be indexed whole"));
    let column = teller.value(&target.indexable(&table))?.ok_or_else(none)?;
    let outcome = scene.until_over(&mut teller, |teller| build(scene, teller, &table, &column));
    let dropped = drop_index(scene, &mut teller, &table);
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
    let add = scene.place.target.add_index(table, column, INDEX);
    let mut times = Vec::new();
    while !scene.bell.has_rung() {
        let begun = Instant::now();
        match teller.say(&[&add]) {
            Ok(()) => times.push(seconds(begun)),
            // Told to give up.
            Err(_) if scene.bell.has_rung() => break,
            Err(trouble) => return Err(trouble),
        }
        match drop_index(scene, teller, table) {
            Err(_) if scene.bell.has_rung() => {}
            dropped => dropped?,
        }
    }
    Ok(times)
}

fn drop_index(scene: &Scene, teller: &mut Teller, table: &str) -> Result<(), Trouble> {
    let target = &scene.place.target;
    match teller.value(&target.has_index(table, INDEX))?.as_deref() {
        Some("0") => Ok(()),
        _ => teller.say(&[&target.drop_index(table, INDEX)]),
    }
}
