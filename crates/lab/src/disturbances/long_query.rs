//! Analytical queries beside the load: the largest table of the data joined with itself, again and again from its first
//! row, until the phase is over and the server is told to give up. It spends a CPU for each session and holds a read
//! view as long as each query runs, as a report on a live server does.

use super::scene::seconds;
use super::{Deed, Disturbance, Scene};
use crate::trouble::Trouble;
use model::words::{DisturbanceWords, work};
use std::time::Instant;

pub const DISTURBANCE: Disturbance = Disturbance {
    words: DisturbanceWords::new(
        "long_query",
        "a join of the largest table with itself that does not end before the phase",
        &[work("sessions", "how many run it side by side").count(1, [1, 1_000])],
    ),
    act,
};

fn act(scene: &Scene) -> Result<Deed, Trouble> {
    let (table, sessions, begun) = (scene.table()?, scene.count("sessions"), Instant::now());
    let never = scene.place.target.never();
    let sql = format!("SELECT COUNT(*) FROM {0} AS a, {0} AS b, {0} AS c WHERE {never}", table.name);
    let parts: Vec<_> = std::thread::scope(|scoped| {
        let asking: Vec<_> = (0..sessions)
            .map(|_| {
                // Sessions stay with their thread, and so does what they count.
                let (place, disturb, bell, sql) =
                    (scene.place.clone(), scene.disturb.clone(), scene.bell.clone(), &sql);
                scoped.spawn(move || {
                    let part = Scene::new(place, disturb, bell);
                    let ended = one(&part, sql);
                    if ended.is_err() {
                        // The others need not go on.
                        part.bell.ring();
                    }
                    (ended, part.asked().unwrap_or_default())
                })
            })
            .collect();
        asking.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    let mut ended = 0;
    for (part, asked) in parts {
        scene.asked_more(asked);
        ended += part?;
    }
    let sentence = format!(
        "{sessions} {} {} ({} rows) with itself for {} s; {ended} times it came to an end and began again.",
        if sessions == 1 { "session joined" } else { "sessions joined" },
        table.name,
        table.rows,
        seconds(begun)
    );
    let facts = [("sessions", f64::from(sessions)), ("came_to_an_end", f64::from(ended))].into_iter().collect();
    Ok(Deed { sentence, facts, failed: None })
}

/// How often the query came to an end before the phase did.
fn one(scene: &Scene, sql: &str) -> Result<u32, Trouble> {
    let mut teller = scene.session()?;
    let ended = scene.until_over(&mut teller, |teller| {
        let mut ended = 0;
        while !scene.bell.has_rung() {
            match teller.rows(sql) {
                Ok(_) => ended += 1,
                // Told to give up.
                Err(_) if scene.bell.has_rung() => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(ended)
    })?;
    teller.quit();
    Ok(ended)
}
